"""The linter: what in a set of scores would trouble the coefficients, in sentences, with what to do about it."""

from __future__ import annotations

from .findings import Finding, Findings
from .rules_of_pairs import check_pair
from .rules_of_scores import check_scores

__all__ = ["Finding", "Findings", "check_pair", "check_scores"]
