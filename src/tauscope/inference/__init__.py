"""Inference from scores on topics: which differences between systems are significant, and how reliable means are."""
