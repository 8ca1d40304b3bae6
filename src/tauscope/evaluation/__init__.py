"""From runs and judgments to a `ScoreCube`."""
