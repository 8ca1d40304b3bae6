"""What the page speaks about: everything computed, nothing said. Sections put it into words."""

from __future__ import annotations

from dataclasses import dataclass

from ..material import Material
from .agreement import Agreement, agreement_of
from .judge import Judge, judge_of


@dataclass(frozen=True, kw_only=True, eq=False)
class Facts:
    """What several sections look at, computed once; None where the input cannot answer it."""

    agreement: Agreement | None
    judge: Judge | None


def facts_of(material: Material) -> Facts:
    """The facts that several sections share."""
    agreed = agreement_of(material)
    return Facts(agreement=agreed, judge=judge_of(material, agreed) if agreed else None)
