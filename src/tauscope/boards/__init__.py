"""Leaderboards, arenas and published scores: ranks one may print."""
