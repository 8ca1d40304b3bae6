"""Scores with their labels: of systems on topics, by one measure or by many, or averaged over the topics."""

from __future__ import annotations

from .cube import ScoreCube
from .matrix import Scores
from .table import MeasureTable

__all__ = ["MeasureTable", "ScoreCube", "Scores"]
