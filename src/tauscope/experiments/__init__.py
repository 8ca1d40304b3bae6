"""Experiments of the papers, for anybody's data."""
