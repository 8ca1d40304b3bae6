"""What the linter says: findings, each with its effect on the coefficients and a way out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from ..data.labels import Remark
from ..results import Result, fact

SEVERITIES = ("error", "warning", "note")


class Finding(NamedTuple):
    """One thing that the linter found.

    Attributes
    ----------
    code : str
        What kind of thing, such as "rounded".
    severity : str
        "error", "warning" or "note".
    where : str
        Which systems or topics, or "".
    text : str
        What it is.
    effect : str
        What it does to the coefficients.
    suggestion : str
        What to do about it.
    """

    code: str
    severity: str
    where: str
    text: str
    effect: str
    suggestion: str

    def __str__(self) -> str:
        where = f" [{self.where}]" if self.where else ""
        return f"{self.severity}: {self.code}{where}: {self.text}. {self.advice()}"

    def advice(self) -> str:
        """Return what it does to the coefficients and what to do about it, as sentences."""
        effect, suggestion = (text[:1].upper() + text[1:] for text in (self.effect, self.suggestion))
        return f"{effect}. {suggestion}."


def warning(code: str, text: str, *, effect: str, suggestion: str, where: str = "") -> Finding:
    """Something that changes what coefficients mean."""
    return Finding(code, "warning", where, text, effect, suggestion)


def note(code: str, text: str, *, effect: str, suggestion: str, where: str = "") -> Finding:
    """Something to know that changes no rank."""
    return Finding(code, "note", where, text, effect, suggestion)


def of_remark(remark: Remark) -> Finding:
    """A remark on scores, their reading or their names as a finding."""
    return Finding(remark.code, remark.severity, remark.where, remark.what, remark.effect, remark.suggestion)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Findings(Result):
    """Everything that the linter found, errors first; it is empty if there is nothing to report.

    Iterate over it, or ask for one: `findings["rounded"]` is the first finding with that code.

    Attributes
    ----------
    subjects : tuple of str
        What was checked.
    findings : tuple of Finding
        What was found.
    """

    QUESTION: ClassVar[str] = "findings"

    subjects: tuple[str, ...]
    findings: tuple[Finding, ...]

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __getitem__(self, code: str) -> Finding:
        """The first finding of that code."""
        for finding in self.findings:
            if finding.code == code:
                return finding
        raise KeyError(code)

    @fact
    def codes(self) -> tuple[str, ...]:
        """The codes of what was found, each once, errors first."""
        return tuple(dict.fromkeys(finding.code for finding in self.findings))

    @fact
    def worst(self) -> str | None:
        """The highest severity, or None if nothing was found."""
        return next((level for level in SEVERITIES if any(f.severity == level for f in self.findings)), None)

    def columns(self) -> dict[str, Any]:
        return {name: [getattr(finding, name) for finding in self.findings] for name in Finding._fields}


def gravest_first(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings in the order of their severity."""
    return tuple(sorted(found, key=lambda finding: SEVERITIES.index(finding.severity)))


def together(by_measure: dict[str, list[Finding]]) -> list[Finding]:
    """Findings of several measures: the same one is told once, with all its measures."""
    measures: dict[Finding, list[str]] = {}
    for measure, findings in by_measure.items():
        for finding in findings:
            measures.setdefault(finding, []).append(measure)
    found = []
    for finding, names in measures.items():
        whose = "all measures" if len(names) == len(by_measure) > 1 else ", ".join(names)
        found.append(finding._replace(where=f"{whose}: {finding.where}" if finding.where else whose))
    return found
