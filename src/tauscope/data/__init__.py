"""What people have, with its labels: rankings, scores of systems on topics, tables of measures, battles, judgments."""
