"""What is asked: the question, the files it is about, and every control of the page, as JSON and as text for an address.

The text is the fragment of the page's address, and what `tauscope serve --print` takes: the same files and the same
text give the same answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields, replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

from .. import checking
from ..boards.rules import board_rules
from ..coefficients.records import catalogue
from ..errors import CallError
from ..scores.loose import MATCH
from ..scores.scales import ONE_SCALE

QUESTIONS = ("judge", "judges", "board", "set")
#: Labels in a list of a state; more are a mistake.
MOST_LABELS = 20_000


@dataclass(frozen=True, kw_only=True)
class State:
    """Everything that decides an answer. Files are named by their ids, which come from their content.

    Parameters
    ----------
    question : {"judge", "judges", "board", "set"}
        What is asked.
    truth : str
        The file of the truth.
    sources : tuple of str
        The files that are asked about: one judge or several, or one board or set.
    groups : str
        The file of groups.
    measure, coefficient, rule : str
        What is looked at, and by what; no measure is the first one.
    tied_within : float
        Scores this close are tied.
    top_k : int or None
        Compares only the heads.
    margin : float or None
        What a judge's agreement must exceed.
    level : float
        The confidence of all intervals.
    without_systems, without_groups, without_topics : tuple of str
        What is left out.
    aggregate : str
        What topics on different scales are made into; nothing where that is not said. Of a board the rule says it, and
        "mean" that the plain mean is meant all the same.
    one_sided, match, names, ties, incomparable : str
        As in the functions that take them.
    prior : float
        Imaginary battles of each system.
    seed : int
        Of everything that is drawn.
    reading : dict
        File to the options that it is read with.
    """

    question: str = "set"
    truth: str = ""
    sources: tuple[str, ...] = ()
    groups: str = ""
    measure: str = ""
    coefficient: str = "tau_b"
    rule: str = "mean"
    tied_within: float = 0.0
    top_k: int | None = None
    margin: float | None = None
    level: float = 0.95
    without_systems: tuple[str, ...] = ()
    without_groups: tuple[str, ...] = ()
    without_topics: tuple[str, ...] = ()
    aggregate: str = ""
    one_sided: str = "error"
    match: str = "exact"
    names: str = "tag"
    ties: str = "half"
    incomparable: str = "error"
    prior: float = 0.0
    seed: int = 0
    reading: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @classmethod
    def from_json(cls, given: Any) -> State:
        """Checks every entry; what is not given has its default."""
        if not isinstance(given, dict):
            raise CallError("A state is a JSON object.")
        unknown = sorted(set(given) - {one.name for one in fields(cls)})
        if unknown:
            raise CallError(f"A state has no {unknown[0]!r}.")
        return cls(**{name: _CHECKS[name](name, value) for name, value in given.items()})._checked()

    @classmethod
    def from_text(cls, text: str) -> State:
        """From the fragment of an address."""
        given: dict[str, Any] = {}
        for name, value in parse_qsl(text.lstrip("#"), keep_blank_values=True, max_num_fields=200):
            given[name] = value if name in _TEXTS else _json(name, value)
        return cls.from_json(given)

    def to_text(self) -> str:
        """What differs from the defaults, for an address."""
        given = self.to_json()
        own = {
            name: value if name in _TEXTS else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
            for name, value in given.items()
            if name == "question" or value != _plain_default(name)
        }
        return urlencode(own)

    def to_json(self) -> dict[str, Any]:
        """As the API has it."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    def files(self) -> tuple[str, ...]:
        """The ids of all files that the answer needs, the truth first."""
        return tuple(one for one in (self.truth, *self.sources, self.groups) if one)

    def without(self, **changes: Any) -> State:
        """The same with other values."""
        return replace(self, **changes)

    def _checked(self) -> State:
        checking.one_of(self.question, QUESTIONS, "question")
        checking.one_of(self.one_sided, ("error", "drop"), "one_sided")
        checking.one_of(self.aggregate, ("", *ONE_SCALE), "aggregate")
        checking.one_of(self.match, MATCH, "match")
        checking.one_of(self.names, ("tag", "file"), "names")
        checking.one_of(self.ties, ("half", "davidson", "drop"), "ties")
        checking.one_of(self.incomparable, ("error", "drop"), "incomparable")
        checking.level(self.level)
        return replace(self, coefficient=catalogue[self.coefficient].name, rule=board_rules[self.rule].name)


def _json(name: str, value: str) -> Any:
    try:
        return json.loads(value)
    except ValueError:
        raise CallError(f"{name}={value[:80]!r} is not what a state has there.") from None


def _plain_default(name: str) -> Any:
    one = next(one for one in fields(State) if one.name == name)
    value = one.default if one.default is not MISSING else {}
    return list(value) if isinstance(value, tuple) else value


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str) or len(value) > 1000:
        raise CallError(f"{name} is a text.")
    return value


def _texts(name: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) > MOST_LABELS or not all(isinstance(one, str) for one in value):
        raise CallError(f"{name} is a list of texts.")
    return tuple(value)


def _number(name: str, value: Any) -> float:
    return checking.number(value, name, above=-1e-300)


def _margin(name: str, value: Any) -> float | None:
    return None if value is None else checking.number(value, name, above=-1, below=1)


def _top(name: str, value: Any) -> int | None:
    return None if value is None else checking.whole(value, name, least=1)


def _whole(name: str, value: Any) -> int:
    return checking.whole(value, name, least=0)


def _readings(name: str, value: Any) -> dict[str, dict[str, str]]:
    fine = isinstance(value, dict) and all(
        isinstance(file, str)
        and isinstance(options, dict)
        and all(isinstance(one, str) and len(one) < 1000 for pair in options.items() for one in pair)
        for file, options in value.items()
    )
    if not fine:
        raise CallError(f"{name} is a JSON object: file -> options.")
    return {file: dict(options) for file, options in value.items()}


_CHECKS: dict[str, Any] = {
    **dict.fromkeys(("question", "truth", "groups", "measure", "coefficient", "rule"), _text),
    **dict.fromkeys(("aggregate", "one_sided", "match", "names", "ties", "incomparable"), _text),
    **dict.fromkeys(("sources", "without_systems", "without_groups", "without_topics"), _texts),
    **dict.fromkeys(("tied_within", "prior", "level"), _number),
    "margin": _margin,
    "top_k": _top,
    "seed": _whole,
    "reading": _readings,
}
_TEXTS = tuple(name for name, check in _CHECKS.items() if check is _text)
