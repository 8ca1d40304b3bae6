"""The answer to "is there a problem with these scores?". The words are in `texts/findings.txt`."""

from __future__ import annotations

from ..data.findings import SEVERITIES, Findings
from .blocks import Answer, Prose
from .wording import Texts, mark

TONES = {"error": "no", "warning": "open", "note": "partly", None: "yes"}


def answer(r: Findings) -> Answer:
    """Put the findings into words: one paragraph each, and a table."""
    counts = {name: sum(one.severity == name for one in r) for name in SEVERITIES}
    texts = Texts("findings", r, counts=counts)
    kinds = {"severity": "text", "code": "text", "where": "name", "text": "text"}
    rows = ((one.severity, one.code, one.where, one.text) for one in r)
    told = tuple(f"{mark('n', one.code)}{f' [{one.where}]' if one.where else ''}: {one.advice()}" for one in r)
    return Answer(
        question=texts("question"),
        subject=texts("subject"),
        verdict=texts.verdict(r.worst or "none", TONES[r.worst]),
        advice=Prose(key="advice", title=texts("advice_title") if told else "", paragraphs=told),
        numbers=(),
        charts=(),
        claims=texts.claims(),
        tables=(texts.table("findings", kinds, rows),),
        prose=(),
    )
