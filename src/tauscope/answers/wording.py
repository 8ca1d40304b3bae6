"""From templates to sentences: the Jinja environment of `texts/`, its filters, and marked texts.

A file of `texts/` holds the words of one question as named blocks. A block is one text, or several, one per paragraph:
an editor can add a claim or an advice, with its condition, without touching Python. Templates see the result as `r`
and the nouns of the user as `system` and `unit`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from .. import __version__, papers
from ..results import Note, Result, number, said, word
from .blocks import Chart, Claims, Column, Number, Prose, Table, Verdict
from .charts import Figure, Share

#: A marked span is OPEN, a letter for its kind, the text, CLOSE. The characters are private: no name contains them.
OPEN, CLOSE = "\ue000", "\ue001"
KINDS = {"n": "name", "c": "code", "s": "symbol"}
_SPAN = re.compile(f"{OPEN}(.)(.*?){CLOSE}", re.DOTALL)
#: Controls, zero-width characters and changes of direction: they alter what is seen without being seen.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202f\u2060-\u206f\ue000\ue001\ufeff\ud800-\udfff]"
)
LONGEST = 60


def seen(value: Any) -> Any:
    """Spell out what cannot be seen in a text, or in every text of a chart: names come from strangers."""
    if isinstance(value, str):
        return _UNSEEN.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", value)
    if isinstance(value, tuple):
        return tuple(map(seen, value))
    if is_dataclass(value):
        return replace(value, **{f.name: seen(getattr(value, f.name)) for f in fields(value)})  # type: ignore[type-var]
    return value


def mark(kind: str, text: str) -> str:
    """Mark a text as a name ("n"), a command ("c") or a symbol ("s"); a long one is cut in the middle."""
    shown = seen(str(text))
    cut = shown if len(shown) <= LONGEST else f"{shown[:39]}…{shown[-20:]}"
    return f"{OPEN}{kind}{cut}{CLOSE}"


def spans(text: str) -> Iterator[tuple[str, str]]:
    """Split a marked text into (kind, text): "text", "name", "code" or "symbol"."""
    end = 0
    for found in _SPAN.finditer(text):
        yield "text", text[end : found.start()]
        yield KINDS[found[1]], found[2]
        end = found.end()
    yield "text", text[end:]


def unmarked(text: str) -> str:
    """Return a marked text without its marks."""
    return _SPAN.sub(r"\2", text)


class Noun(NamedTuple):
    """A noun of the user in singular and plural: "system" and "systems", or "query" and "queries"."""

    one: str
    many: str

    @classmethod
    def of(cls, one: str) -> Noun:
        return cls(one, f"{one[:-1]}ies" if one.endswith("y") else f"{one}s")


def user_noun(noun: str) -> Noun:
    """Return what this user calls systems or topics (`wording()`)."""
    return Noun(word(noun), word(f"{noun}s"))


def whole_number(value: float) -> str:
    """Format a count that may be infinite or undefined: "12", "not reachable", "undefined"."""
    if math.isnan(value):
        return "undefined"
    return "not reachable" if math.isinf(value) else f"{int(value):,}"


def counts(pair: Sequence[float]) -> str:
    """Format an interval of counts: "50 to 2,295", "64 or more" where it has no upper end."""
    low, high = pair
    if not math.isfinite(low):
        return whole_number(low)
    return f"{int(low):,} or more" if math.isinf(high) else f"{int(low):,} to {int(high):,}"


def whole_or_many(value: float, noun: Noun) -> str:
    """Count something whose number may be infinite: "12 topics", "many more topics"."""
    return f"many more {noun.many}" if not math.isfinite(value) else count(int(value), noun)


def span(pair: Sequence[float], digits: int = 3) -> str:
    """Format an interval: "0.813 to 0.890"."""
    return f"{number(pair[0], digits)} to {number(pair[1], digits)}"


def spread(values: Any, digits: int = 3) -> str:
    """Format the lowest and the highest of some values: "0.813 to 0.890"; "undefined" where there are none."""
    known = [float(value) for value in values if math.isfinite(value)]
    return span((min(known), max(known)), digits) if known else "undefined"


def percent(share: float, digits: int = 0) -> str:
    """Format a share: "83 %"."""
    return number(share) if math.isnan(share) else f"{number(100 * share, digits)} %"


def p_value(value: float) -> str:
    """Format a p-value: "p = 0.012", "p < 0.001"."""
    return "p < 0.001" if value < 0.001 else f"p = {number(value)}"


def level(share: float) -> str:
    """Format a confidence level: "95 %"."""
    return f"{100 * share:g} %"


def count(n: int, noun: Noun | str) -> str:
    """Count something: "1 topic", "1,164 pairs"."""
    own = Noun.of(noun) if isinstance(noun, str) else noun
    return f"{n:,} {own.one if n == 1 else own.many}"


def listed(items: Iterable[str], most: int = 3, kind: str = "n") -> str:
    """List names: "a, b and c", or "a, b and 4 others" where there are more than `most`."""
    every = list(items)
    shown = every if len(every) <= most else every[: most - 1]
    texts = [mark(kind, item) if kind else item for item in shown]
    texts += [f"{len(every) - len(shown):,} others"] if len(shown) < len(every) else []
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def some(part: int, whole: Sequence[Any] | int, noun: str) -> str:
    """Say how many of something: "None of the 39 pairs", "2 of the 39 pairs", "All 39 pairs"."""
    number_of = whole if isinstance(whole, int) else len(whole)
    every = count(number_of, noun)
    return f"None of the {every}" if not part else f"All {every}" if part == number_of else f"{part:,} of the {every}"


def capital(text: str) -> str:
    """Begin a sentence with a capital letter, inside quotation marks too; a name stays as it is."""
    at = 1 if text.startswith("“") else 0
    return text[:at] + text[at : at + 1].upper() + text[at + 1 :] if text.endswith((".", "?", "”")) else text


def sentence(note: Note | str) -> str:
    """Make a sentence of a note: a capital letter first, a full stop last."""
    text = str(note)
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"


def sentence_of(text: str) -> str:
    """Join the lines of a rendered text, and begin it with a capital letter."""
    return capital(" ".join(text.split()))


@cache
def environment() -> Environment:
    """The templates of all questions. A name that nobody set is an error."""
    made = Environment(loader=FileSystemLoader(Path(__file__).with_name("texts")), undefined=StrictUndefined)
    made.filters |= {"num": number, "span": span, "pct": percent, "level": level, "count": count, "listed": listed}
    made.filters |= {
        "p": p_value,
        "spread": spread,
        "some": some,
        "sentence": sentence,
        "g": "{:g}".format,
        "whole": int,
        "said": said,
    }
    made.filters |= {"whole_number": whole_number, "whole_or_many": whole_or_many, "counts": counts}
    made.globals["pairs_of"] = lambda n: n * (n - 1) // 2
    made.filters |= {kind: (lambda text, own=letter: mark(own, text)) for letter, kind in KINDS.items()}
    return made


def note(given: Note) -> str:
    """Put a note into words, without marks."""
    template = environment().get_template("notes.txt")
    known = {"system": user_noun("system"), "topic": user_noun("topic")} | given.numbers
    return unmarked(" ".join("".join(template.blocks[given.code](template.new_context(known))).split()))


class Texts:
    """The words of one question about one result: `texts("headline")` is one text, `texts.each("may")` several.

    A block that the question does not define is taken from `texts/common.txt`.
    """

    def __init__(self, question: str, result: Result, **known: Any) -> None:
        cited = tuple(dict.fromkeys(result.cited()))
        known = {
            "system": user_noun("system"),
            "topic": user_noun("topic"),
            "measure": user_noun("measure"),
            "inf": math.inf,
        } | known
        known |= {"r": result, "sure": level(result.level), "version": __version__}
        known["references"] = [papers.reference(key) for key in cited]
        known["citations"] = "; ".join(papers.short(key, brackets=False) for key in cited)
        own, shared = (environment().get_template(f"{name}.txt") for name in (question, "common"))
        self._known = known
        self._blocks = {name: (shared, block) for name, block in shared.blocks.items()}
        self._blocks |= {name: (own, block) for name, block in own.blocks.items()}

    def know(self, **known: Any) -> None:
        """Add what templates can use."""
        self._known |= known

    def _render(self, name: str) -> str:
        template, block = self._blocks[name]
        return "".join(block(template.new_context(self._known)))

    def __call__(self, block: str) -> str:
        """Render one block as one text."""
        return sentence_of(self._render(block))

    def each(self, block: str) -> tuple[str, ...]:
        """Render one block as several texts, one per paragraph."""
        paragraphs = re.split(r"\n\s*\n", self._render(block))
        return tuple(capital(" ".join(text.split())) for text in paragraphs if text.strip())

    def named(self, block: str) -> dict[str, str]:
        """Render a block of lines "key: text", such as the titles of columns."""
        lines = (line.partition(":") for line in self._render(block).splitlines() if line.strip())
        return {key.strip(): text.strip() for key, _, text in lines}

    def prose(self, block: str) -> Prose:
        """Render a block whose first paragraph is a title."""
        title, *paragraphs = self.each(block)
        return Prose(key=block, title=title, paragraphs=tuple(paragraphs))

    def verdict(self, kind: str, tone: str) -> Verdict:
        """Render the blocks of a verdict: its label, its headline and its rule."""
        label, headline, rule = map(self, ("label", "headline", "rule"))
        self.know(rule=rule)
        return Verdict(kind=kind, tone=tone, label=label, headline=headline, rule=rule)

    def claims(self) -> Claims:
        """Render the blocks of what may be claimed and what may not."""
        titles = self.named("claim_titles")
        return Claims(may=self.each("may"), may_not=self.each("may_not"), titles=(titles["may"], titles["may_not"]))

    def number(self, key: str, interval: str = "", figure: Figure | None = None) -> Number:
        """Render the blocks of a key number: its title, its value and its note."""
        title, value, note = (self(f"{key}_{part}") for part in ("title", "value", "note"))
        return Number(key=key, title=title, value=value, interval=interval, note=note, figure=seen(figure))

    def share(self, key: str, *counts: int) -> Share:
        """Render the labels of a bar in parts; its block has a role and a label per line, in the order of counts."""
        parts = zip(self.named(f"{key}_parts").items(), counts, strict=True)
        return Share(parts=tuple((unmarked(label), n, role) for (role, label), n in parts))

    def chart(self, key: str, figure: Figure) -> Chart:
        """Render the title and the caption of a chart."""
        caption = self(f"{key}_caption".replace("-", "_"))
        return Chart(key=key, title=self.named("titles")[key], caption=caption, figure=seen(figure))

    def table(
        self,
        key: str,
        kinds: dict[str, str],
        rows: Iterable[tuple[Any, ...]],
        digits: int = 3,
        detail: Sequence[str] = (),
        titles: Mapping[str, str] | None = None,
    ) -> Table:
        """Render the title, the caption and the column titles of a table; `kinds` maps columns to their kinds."""
        titles = self.named("columns") if titles is None else titles
        columns = tuple(
            Column(key=name, title=unmarked(titles[name]), kind=kind, digits=digits, detail=name in detail)
            for name, kind in kinds.items()
        )
        title, caption = self.named("titles")[key], self(f"{key}_caption")
        return Table(key=key, title=title, caption=caption, columns=columns, rows=tuple(rows))
