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
from types import MappingProxyType
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from .. import __version__, papers
from ..data.labels import shown
from ..results import Note, Result, said, word
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
#: The names in quotes that a warning about the data begins with.
_NAME = re.compile(r"""'(?:[^'\\]|\\.)*'|"[^"]*"|…""")
_NAMES = re.compile(rf"((?:{_NAME.pattern})(?:, (?:{_NAME.pattern}))*): (.+)", re.DOTALL)


def seen(value: Any) -> Any:
    """Spell out what cannot be seen in a text, or in every text of a chart: names come from strangers.

    Controls, zero-width characters and changes of the writing direction alter what a reader sees without being seen
    themselves. Each becomes its code point in brackets.

    Parameters
    ----------
    value : str, tuple, chart or anything else
        What is shown; only texts, and the texts of tuples and of dataclasses, are changed.

    Returns
    -------
    the same type

    Examples
    --------
    >>> seen("bm25\u200b")
    'bm25⟨U+200B⟩'
    >>> seen(("dense", 0.5))
    ('dense', 0.5)
    """
    if isinstance(value, str):
        return _UNSEEN.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", value)
    if isinstance(value, tuple):
        return tuple(map(seen, value))
    if is_dataclass(value):
        return replace(value, **{f.name: seen(getattr(value, f.name)) for f in fields(value)})  # type: ignore[type-var]
    return value


def mark(kind: str, text: str) -> str:
    """Mark a text as a name of the user, a command or a symbol, so that each renderer can typeset it.

    Parameters
    ----------
    kind : {"n", "c", "s"}
        A name, a command, or a symbol such as "τ_b".
    text : str
        What is marked. A text of more than 60 characters is shortened in the middle.

    Returns
    -------
    str
        The text between two private characters.

    Examples
    --------
    >>> unmarked(mark("n", "bm25"))
    'bm25'
    >>> list(spans(f"The system {mark('n', 'bm25')} wins"))
    [('text', 'The system '), ('name', 'bm25'), ('text', ' wins')]
    """
    shown = seen(str(text))
    cut = shown if len(shown) <= LONGEST else f"{shown[:39]}…{shown[-20:]}"
    return f"{OPEN}{kind}{cut}{CLOSE}"


def spans(text: str) -> Iterator[tuple[str, str]]:
    """Split a marked text into its parts.

    Parameters
    ----------
    text : str
        A marked text.

    Yields
    ------
    (str, str)
        The kind of the part ("text", "name", "code" or "symbol") and the part.

    Examples
    --------
    >>> list(spans(f"Run {mark('c', 'tauscope rank')}."))
    [('text', 'Run '), ('code', 'tauscope rank'), ('text', '.')]
    """
    end = 0
    for found in _SPAN.finditer(text):
        yield "text", text[end : found.start()]
        yield KINDS[found[1]], found[2]
        end = found.end()
    yield "text", text[end:]


def unmarked(text: str) -> str:
    """Remove the marks of a marked text.

    Parameters
    ----------
    text : str
        A marked text.

    Returns
    -------
    str
        The text as a person reads it, for places without typesetting, such as the title of a window.
    """
    return _SPAN.sub(r"\2", text)


class Noun(NamedTuple):
    """A noun of the user in singular and plural: "system" and "systems", or "query" and "queries"."""

    one: str
    many: str

    @classmethod
    def of(cls, one: str) -> Noun:
        """Make the plural of a noun by the rules of English.

        Parameters
        ----------
        one : str
            The singular.

        Returns
        -------
        Noun

        Examples
        --------
        >>> Noun.of("query").many
        'queries'
        """
        return cls(one, f"{one[:-1]}ies" if one.endswith("y") else f"{one}s")


def user_noun(noun: str) -> Noun:
    """Return what this user calls systems, topics or measures.

    Parameters
    ----------
    noun : {"system", "topic", "measure"}
        The word of the field.

    Returns
    -------
    Noun
        The words chosen by `--words`, or those of the field.
    """
    return Noun(word(noun), word(f"{noun}s"))


def number(value: float, digits: int = 3) -> str:
    """Format a number: fixed digits, never "-0.000".

    Parameters
    ----------
    value : float
        The number.
    digits : int, default 3
        Decimals.

    Returns
    -------
    str

    Examples
    --------
    >>> number(0.8384), number(-0.00001), number(math.nan)
    ('0.838', '0.000', 'undefined')
    """
    if math.isnan(value):
        return "undefined"
    shown = f"{value:.{digits}f}"
    return shown[1:] if shown.startswith("-") and not float(shown) else shown


def whole_number(value: float) -> str:
    """Format a count that may be infinite or undefined.

    Parameters
    ----------
    value : float
        The count.

    Returns
    -------
    str

    Examples
    --------
    >>> whole_number(1164.0), whole_number(math.inf), whole_number(math.nan)
    ('1,164', 'not reachable', 'undefined')
    """
    if math.isnan(value):
        return "undefined"
    return "not reachable" if math.isinf(value) else f"{int(value):,}"


def counts(pair: Sequence[float]) -> str:
    """Format an interval of counts, whose upper end may be infinite.

    Parameters
    ----------
    pair : (float, float)
        Its ends.

    Returns
    -------
    str

    Examples
    --------
    >>> counts((50, 2295)), counts((64, math.inf))
    ('50 to 2,295', '64 or more')
    """
    low, high = pair
    if not math.isfinite(low):
        return whole_number(low)
    return f"{int(low):,} or more" if math.isinf(high) else f"{int(low):,} to {int(high):,}"


def whole_or_many(value: float, noun: Noun) -> str:
    """Count something whose number may be infinite.

    Parameters
    ----------
    value : float
        The number.
    noun : Noun
        What is counted.

    Returns
    -------
    str

    Examples
    --------
    >>> whole_or_many(12, Noun.of("topic")), whole_or_many(math.inf, Noun.of("topic"))
    ('12 topics', 'many more topics')
    """
    return f"many more {noun.many}" if not math.isfinite(value) else count(int(value), noun)


def span(pair: Sequence[float], digits: int = 3) -> str:
    """Format an interval.

    Parameters
    ----------
    pair : (float, float)
        Its ends.
    digits : int, default 3
        Decimals.

    Returns
    -------
    str

    Examples
    --------
    >>> span((0.8128, 0.8897))
    '0.813 to 0.890'
    """
    return f"{number(pair[0], digits)} to {number(pair[1], digits)}"


def spread(values: Any, digits: int = 3) -> str:
    """Format the lowest and the highest of some values.

    Parameters
    ----------
    values : iterable of float
        The values; those that are undefined do not count.
    digits : int, default 3
        Decimals.

    Returns
    -------
    str

    Examples
    --------
    >>> spread([0.9, 0.7, math.nan, 0.8], 1), spread([])
    ('0.7 to 0.9', 'undefined')
    """
    known = [float(value) for value in values if math.isfinite(value)]
    return span((min(known), max(known)), digits) if known else "undefined"


def percent(share: float, digits: int = 0) -> str:
    """Format a share as a percentage.

    Parameters
    ----------
    share : float
        From 0 to 1.
    digits : int, default 0
        Decimals.

    Returns
    -------
    str

    Examples
    --------
    >>> percent(0.8306), percent(0.8306, 1)
    ('83 %', '83.1 %')
    """
    return number(share) if math.isnan(share) else f"{number(100 * share, digits)} %"


def p_value(value: float) -> str:
    """Format a p-value; one that is very small is not printed as 0.

    Parameters
    ----------
    value : float
        The p-value.

    Returns
    -------
    str

    Examples
    --------
    >>> p_value(0.0123), p_value(0.0002)
    ('p = 0.012', 'p < 0.001')
    """
    return "p < 0.001" if value < 0.001 else f"p = {number(value)}"


def level(share: float) -> str:
    """Format a confidence level.

    Parameters
    ----------
    share : float
        From 0 to 1.

    Returns
    -------
    str

    Examples
    --------
    >>> level(0.95), level(0.999)
    ('95 %', '99.9 %')
    """
    return f"{100 * share:g} %"


def count(n: int, noun: Noun | str) -> str:
    """Count something, in the singular or the plural.

    Parameters
    ----------
    n : int
        How many there are.
    noun : Noun or str
        What is counted; a text has a regular plural.

    Returns
    -------
    str

    Examples
    --------
    >>> count(1, "topic"), count(1164, "pair")
    ('1 topic', '1,164 pairs')
    """
    own = Noun.of(noun) if isinstance(noun, str) else noun
    return f"{n:,} {own.one if n == 1 else own.many}"


def listed(items: Iterable[str], most: int = 3, kind: str = "n") -> str:
    """List names, and count those that do not fit.

    Parameters
    ----------
    items : iterable of str
        The names.
    most : int, default 3
        How many are named at most.
    kind : {"n", "c", "s", ""}, default "n"
        How they are marked; "" leaves them as they are.

    Returns
    -------
    str

    Examples
    --------
    >>> listed(["a", "b", "c"], kind="")
    'a, b and c'
    >>> listed("abcdef", kind="")
    'a, b and 4 others'
    """
    every = list(items)
    shown = every if len(every) <= most else every[: most - 1]
    texts = [mark(kind, item) if kind else item for item in shown]
    texts += [f"{len(every) - len(shown):,} others"] if len(shown) < len(every) else []
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


#: Verbs of `some()`: what one does, what several do, and what one does not do.
VERBS = {
    "be": ("is", "are", "is not"),
    "differ": ("differs", "differ", "does not differ"),
    "differed": ("differed", "differed", "did not differ"),
    "hold": ("holds", "hold", "does not hold"),
}


def some(part: int, whole: Sequence[Any] | int, noun: str, verb: str) -> str:
    """Say what some of several things do, in words that fit one and two of them.

    Parameters
    ----------
    part : int
        The number of things that do it.
    whole : sequence or int
        All of them, or their number.
    noun : str
        What they are, in the singular.
    verb : {"be", "differ", "differed", "hold"}
        What they do.

    Returns
    -------
    str

    Examples
    --------
    >>> some(0, 39, "pair", "differ"), some(1, 39, "pair", "differ"), some(39, 39, "pair", "differ")
    ('none of the 39 pairs differ', 'one of the 39 pairs differs', 'all 39 pairs differ')
    >>> some(0, 1, "pair", "differ"), some(0, 2, "pair", "be"), some(2, 2, "pair", "hold")
    ('the only pair does not differ', 'neither pair is', 'both pairs hold')
    """
    number_of = whole if isinstance(whole, int) else len(whole)
    one, several, negated = VERBS[verb]
    if number_of == 1:
        return f"the only {noun} {one if part else negated}"
    if part == number_of:
        return f"{every(number_of, noun)} {several}"
    if not part and number_of == 2:
        return f"neither {noun} {one}"
    named = {0: "none", 1: "one"}.get(part, f"{part:,}")
    return f"{named} of the {count(number_of, noun)} {one if part == 1 else several}"


def every(n: int, noun: Noun | str) -> str:
    """Name all of several things: "the only pair", "both pairs", "all 3 pairs".

    Parameters
    ----------
    n : int
        Their number.
    noun : Noun or str
        What they are.

    Returns
    -------
    str

    Examples
    --------
    >>> every(1, "pair"), every(2, "pair"), every(2415, "pair")
    ('the only pair', 'both pairs', 'all 2,415 pairs')
    """
    own = Noun.of(noun) if isinstance(noun, str) else noun
    return f"the only {own.one}" if n == 1 else f"both {own.many}" if n == 2 else f"all {n:,} {own.many}"


def the(n: int, noun: Noun | str) -> str:
    """Name things that a sentence goes on to describe: "the pair that …", "the 3 pairs that …".

    Parameters
    ----------
    n : int
        Their number.
    noun : Noun or str
        What they are.

    Returns
    -------
    str

    Examples
    --------
    >>> the(1, "pair"), the(3, "pair")
    ('the pair', 'the 3 pairs')
    """
    return f"the {count(n, noun).removeprefix('1 ')}"


def amount(n: int, noun: Noun | str = "") -> str:
    """Count something in running prose, where 0 is "no" or "none".

    Parameters
    ----------
    n : int
        The number.
    noun : Noun or str, default ""
        What is counted, if it is named here.

    Returns
    -------
    str

    Examples
    --------
    >>> amount(0, "score"), amount(1, "score"), amount(0), amount(1), amount(1470)
    ('no score', 'one score', 'none', 'one', '1,470')
    """
    if not noun:
        return {0: "none", 1: "one"}.get(n, f"{n:,}")
    own = Noun.of(noun) if isinstance(noun, str) else noun
    return {0: f"no {own.one}", 1: f"one {own.one}"}.get(n, count(n, own))


def times(n: int) -> str:
    """Say how often something happens.

    Parameters
    ----------
    n : int
        The number of times.

    Returns
    -------
    str

    Examples
    --------
    >>> times(0), times(1), times(2), times(3)
    ('never', 'once', 'twice', '3 times')
    """
    return {0: "never", 1: "once", 2: "twice"}.get(n, f"{n:,} times")


def start(text: str) -> str:
    """Begin a sentence: a capital letter, and "One" instead of "1".

    Parameters
    ----------
    text : str
        The first words of a sentence.

    Returns
    -------
    str

    Examples
    --------
    >>> start("1 pair differs"), start("none of them"), start("1 to 3")
    ('One pair differs', 'None of them', '1 to 3')
    """
    text = re.sub(r"^1 (?=[a-z])(?!to\b)", "One ", text)
    return text[:1].upper() + text[1:]


def capital(text: str) -> str:
    """Begin a sentence with a capital letter, inside quotation marks too.

    Parameters
    ----------
    text : str
        A text. It is a sentence if it ends with ".", "?" or a quotation mark; a label stays as it is.

    Returns
    -------
    str

    Examples
    --------
    >>> capital("more topics narrow the interval."), capital("more topics")
    ('More topics narrow the interval.', 'more topics')
    """
    at = 1 if text.startswith("“") else 0
    return text[:at] + start(text[at:]) if text.endswith((".", "?", "”")) else text


def sentence(note: Note | str) -> str:
    """Make a sentence of a note: a capital letter first, a full stop last.

    Parameters
    ----------
    note : Note or str
        A note, or its words.

    Returns
    -------
    str

    Examples
    --------
    >>> sentence("two topics left out")
    'Two topics left out.'
    """
    text = str(note)
    return f"{start(text)}{'' if text.endswith('.') else '.'}"


def warning(text: str) -> str:
    """Make a sentence of a warning about the data, which begins with the names that it is about.

    Parameters
    ----------
    text : str
        Such as "'a', 'b': these systems have the same score on every topic".

    Returns
    -------
    str
        A marked sentence that ends with the names.

    Examples
    --------
    >>> unmarked(warning("'a', 'b': these systems have the same score on every topic"))
    'These systems have the same score on every topic (a, b).'
    """
    named = _NAMES.fullmatch(text)
    if not named:
        return sentence(text)
    names = ", ".join(mark("n", name[1:-1]) if name != "…" else name for name in _NAME.findall(named[1]))
    return sentence(f"{named[2]} ({names})")


def sentence_of(text: str) -> str:
    """Join the lines of a rendered text, and begin it with a capital letter.

    Parameters
    ----------
    text : str
        What a template wrote, with its line breaks.

    Returns
    -------
    str
    """
    return capital(" ".join(text.split()))


@cache
def environment() -> Environment:
    """Load the templates of all questions, with the filters that format numbers and names.

    Returns
    -------
    jinja2.Environment
        One in which a name that nobody set is an error.
    """
    made = Environment(loader=FileSystemLoader(Path(__file__).with_name("texts")), undefined=StrictUndefined)
    made.filters |= {"num": number, "span": span, "pct": percent, "level": level, "count": count, "listed": listed}
    made.filters |= {
        "p": p_value,
        "spread": spread,
        "some": some,
        "every": every,
        "the": the,
        "amount": amount,
        "times": times,
        "start": start,
        "sentence": sentence,
        "g": "{:g}".format,
        "whole": int,
        "said": said,
        "quoted": shown,
    }
    made.filters |= {"whole_number": whole_number, "whole_or_many": whole_or_many, "counts": counts}
    made.globals["pairs_of"] = lambda n: n * (n - 1) // 2
    made.filters |= {kind: (lambda text, own=letter: mark(own, text)) for letter, kind in KINDS.items()}
    return made


def note(given: Note) -> str:
    """Put a note into words, without marks.

    Parameters
    ----------
    given : Note
        A code with its numbers.

    Returns
    -------
    str
        The block of `texts/notes.txt` that has the name of the code.
    """
    template = environment().get_template("notes.txt")
    nouns = {noun: user_noun(noun) for noun in ("system", "topic", "measure")}
    known = {"nouns": nouns, "system": nouns["system"], "topic": nouns["topic"]} | given.numbers
    return unmarked(" ".join("".join(template.blocks[given.code](template.new_context(known))).split()))


class Texts:
    """The words of one question about one result: `texts("headline")` is one text, `texts.each("may")` several.

    A block that the question does not define is taken from `texts/common.txt`.

    Parameters
    ----------
    question : str
        The file of `texts/`, without its ending.
    result : Result
        The facts; templates see them as `r`.
    **known
        What templates see besides.
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
        known["authors"] = listed([papers.short(key) for key in cited], len(cited), kind="") if cited else ""
        own, shared = (environment().get_template(f"{name}.txt") for name in (question, "common"))
        self._known = known
        self._blocks = {name: (shared, block) for name, block in shared.blocks.items()}
        self._blocks |= {name: (own, block) for name, block in own.blocks.items()}

    def know(self, **known: Any) -> None:
        """Add what templates can use.

        Parameters
        ----------
        **known
            Names and values.
        """
        self._known |= known

    def _render(self, name: str) -> str:
        template, block = self._blocks[name]
        return "".join(block(template.new_context(self._known)))

    def __call__(self, block: str) -> str:
        """Render one block as one text.

        Parameters
        ----------
        block : str
            The name of the block.

        Returns
        -------
        str
            A marked text.
        """
        return sentence_of(self._render(block))

    def each(self, block: str) -> tuple[str, ...]:
        """Render one block as several texts, one per paragraph.

        Parameters
        ----------
        block : str
            The name of the block. Paragraphs whose conditions are false leave nothing.

        Returns
        -------
        tuple of str
            Marked texts.
        """
        paragraphs = re.split(r"\n\s*\n", self._render(block))
        return tuple(capital(" ".join(text.split())) for text in paragraphs if text.strip())

    def named(self, block: str) -> dict[str, str]:
        """Render a block of lines "key: text", such as the titles of columns.

        Parameters
        ----------
        block : str
            The name of the block.

        Returns
        -------
        dict of str to str
        """
        lines = (line.partition(":") for line in self._render(block).splitlines() if line.strip())
        return {key.strip(): text.strip() for key, _, text in lines}

    def prose(self, block: str) -> Prose:
        """Render a block whose first paragraph is a title.

        Parameters
        ----------
        block : str
            The name of the block.

        Returns
        -------
        Prose
        """
        title, *paragraphs = self.each(block)
        return Prose(key=block, title=title, paragraphs=tuple(paragraphs))

    def verdict(self, kind: str, tone: str) -> Verdict:
        """Render the blocks of a verdict: its label, its headline and its rule.

        Parameters
        ----------
        kind : str
            The value of the decision, which programs read.
        tone : {"yes", "partly", "open", "no", "none"}
            How renderers colour it.

        Returns
        -------
        Verdict
        """
        label, headline, rule = map(self, ("label", "headline", "rule"))
        self.know(rule=rule)
        return Verdict(kind=kind, tone=tone, label=label, headline=headline, rule=rule)

    def claims(self) -> Claims:
        """Render the blocks of what may be claimed and what may not.

        Returns
        -------
        Claims
        """
        titles = self.named("claim_titles")
        return Claims(may=self.each("may"), may_not=self.each("may_not"), titles=(titles["may"], titles["may_not"]))

    def number(self, key: str, interval: str = "", figure: Figure | None = None) -> Number:
        """Render the blocks of a key number: its title, its value and its note.

        Parameters
        ----------
        key : str
            The first part of the names of its blocks, such as "pairs" of "pairs_title".
        interval : str, default ""
            Its confidence interval, as it is read.
        figure : chart, optional
            A small chart beside it.

        Returns
        -------
        Number
        """
        title, value, note = (self(f"{key}_{part}") for part in ("title", "value", "note"))
        return Number(key=key, title=title, value=value, interval=interval, note=note, figure=seen(figure))

    def share(self, key: str, *counts: int) -> Share:
        """Render the labels of a bar in parts.

        Parameters
        ----------
        key : str
            The first part of the name of its block, "key_parts", which has a role and a label per line.
        *counts : int
            The counts, in the order of these lines.

        Returns
        -------
        Share
        """
        parts = zip(self.named(f"{key}_parts").items(), counts, strict=True)
        return Share(parts=tuple((unmarked(label), n, role) for (role, label), n in parts))

    def chart(self, key: str, figure: Figure) -> Chart:
        """Render the title and the caption of a chart.

        Parameters
        ----------
        key : str
            The name of the chart.
        figure : chart
            What it shows; its texts are made visible, because names come from strangers.

        Returns
        -------
        Chart
        """
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
        best: Mapping[str, str] = MappingProxyType({}),
    ) -> Table:
        """Render the title, the caption and the column titles of a table.

        Parameters
        ----------
        key : str
            The name of the table.
        kinds : dict of str to str
            Columns in their order -> their kinds, as `Column` has them.
        rows : iterable of tuple
            Plain values, one per column.
        digits : int, default 3
            Decimals of numbers.
        detail : sequence of str, default ()
            Columns that a brief rendering leaves out.
        titles : mapping of str to str, optional
            Titles of columns; by default the block "columns".
        best : mapping of str to str, default {}
            Columns -> "high" or "low", where the highest or the lowest number is the best.

        Returns
        -------
        Table
        """
        titles = self.named("columns") if titles is None else titles
        columns = tuple(
            Column(
                key=name,
                title=unmarked(titles[name]),
                kind=kind,
                digits=digits,
                detail=name in detail,
                best=best.get(name, ""),
            )
            for name, kind in kinds.items()
        )
        title, caption = self.named("titles")[key], self(f"{key}_caption")
        return Table(key=key, title=title, caption=caption, columns=columns, rows=tuple(rows))
