"""Spellings of evaluation measures: one label for what trec_eval, ir_measures, PyTerrier, ranx and papers write."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

Value = bool | int | float | str


class Family(NamedTuple):
    """One kind of measure.

    Attributes
    ----------
    label : str
        How it is written here.
    aliases : tuple of str
        Other spellings, in lower case.
    lowest, highest : float
        The values that it can take.
    defaults : tuple
        Parameters that are left unsaid, with their values.
    """

    label: str
    aliases: tuple[str, ...] = ()
    lowest: float = 0.0
    highest: float = 1.0
    defaults: tuple[tuple[str, Value], ...] = (("rel", 1), ("judged_only", False))


_GRADED = (("dcg", "log2"), ("judged_only", False))

#: Every kind of measure whose spellings and range are known. RBP keeps `rel` because without it the gains are graded.
FAMILIES: dict[str, Family] = {
    family.label: family
    for family in (
        Family("AP", ("ap", "map", "map_cut", "average_precision")),
        Family("nDCG", ("ndcg", "ndcg_cut"), defaults=_GRADED),
        Family("P", ("precision", "prec", "p_at")),
        Family("R", ("recall", "r_at")),
        Family("RR", ("rr", "mrr", "mrr_cut", "recip_rank", "reciprocal_rank")),
        Family("Rprec", ("rprec", "r_prec", "r_precision")),
        Family("Bpref", ("bpref",)),
        Family("ERR", ("err",), defaults=()),
        Family("infAP", ("infap",)),
        Family("GMAP", ("gmap", "gm_map")),
        Family("RBP", ("rbp", "rdp"), defaults=()),
        Family("Success", ("success", "hit_rate")),
        Family("Judged", ("judged",), defaults=()),
        Family("SetP", ("setp", "set_p")),
        Family("SetR", ("setr", "set_recall")),
        Family("SetF", ("setf", "set_f")),
        Family("SetAP", ("setap", "set_map")),
        Family("Accuracy", ("accuracy",)),
        Family("Compat", ("compat",), defaults=()),
        Family("DCG", ("dcg",), 0.0, math.inf, _GRADED),
        Family("NumQ", ("numq", "num_q"), 0.0, math.inf),
        Family("NumRet", ("numret", "num_ret"), 0.0, math.inf, ()),
        Family("NumRel", ("numrel", "num_rel"), 0.0, math.inf),
        Family("NumRelRet", ("numrelret", "num_rel_ret"), 0.0, math.inf),
    )
}
_ALIASES = {alias: label for label, family in FAMILIES.items() for alias in family.aliases}
#: These two are letters that can name anything, so in lower case they need a cut-off: `p_10`, not `p`.
_LETTERS = {"p": "P", "r": "R"}

#: Parameters that are real numbers, also where they are written without a point; all others are whole.
_REAL = ("p", "beta", "T", "alpha", "recall")

#: Persistence of RBP where none is written; ir_measures has the same.
RBP_PERSISTENCE = 0.8

#: The 23 measures of gupta2019.
GUPTA2019: tuple[str, ...] = (
    *(f"{family}@{depth}" for family in ("AP", "nDCG", "P", "R") for depth in (10, 20, 100, 1000)),
    *("Bpref", "ERR@20", "RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)", "RR", "Rprec"),
)

_CALLED = re.compile(r"(?P<family>[^@()]+?)\s*(?:\((?P<parameters>.*)\))?\s*(?:@\s*(?P<cutoff>[0-9]{1,9}))?", re.DOTALL)
_NUMBERED = re.compile(r"(?P<family>.*?[^\d._])[._]?(?P<number>[0-9]{1,9}|[0-9]?\.[0-9]{1,9})", re.DOTALL)
_SUMMARY = re.compile(r"(?:(?P<depth>[0-9]{1,9})_)?(?P<name>.+)all", re.DOTALL)
#: No measure is called by anything longer; texts beyond it are not searched for one.
_LONGEST = 200
_PARAMETER = re.compile(r"""\s*(?:(\w+)\s*=\s*)?("[^"]*"|'[^']*'|\{[^{}]*\}|[^,"'{}()]+?)\s*(,|$)""")


@dataclass(frozen=True)
class MeasureName:
    """Which measure is meant: family, cut-off and parameters (sorted); prints as the label.

    A name that is not recognised is its own family, so that `str(MeasureName.parse(x)) == x`; `.known` is False then.

    >>> MeasureName.parse("ndcg_cut_20"), MeasureName.parse("rbp.80").parameters
    (nDCG@20, (('p', 0.8),))
    """

    family: str
    cutoff: int | None = None
    parameters: tuple[tuple[str, Value], ...] = ()

    @classmethod
    def parse(cls, text: str | MeasureName) -> MeasureName:
        """Read any of the known spellings."""
        return text if isinstance(text, MeasureName) else _parse(str(text))

    @property
    def known(self) -> bool:
        """Whether the family is one whose meaning and range are known."""
        return self.family in FAMILIES

    @property
    def range(self) -> tuple[float, float]:
        """The lowest and the highest value possible; infinite where the measure is unknown or unbounded."""
        family = FAMILIES.get(self.family)
        return (family.lowest, family.highest) if family else (-math.inf, math.inf)

    def parameter(self, name: str, default: Value | None = None) -> Value | None:
        """The value of one parameter, or `default` where it is not written."""
        return dict(self.parameters).get(name, default)

    def __str__(self) -> str:
        inside = ",".join(f"{key}={_show(value)}" for key, value in self.parameters)
        at = "" if self.cutoff is None else f"@{self.cutoff}"
        return f"{self.family}({inside}){at}" if inside else f"{self.family}{at}"

    def __repr__(self) -> str:
        return str(self)


def canonical(name: str | MeasureName) -> str:
    """Return the one spelling of a measure; a name that is unknown stays as it is.

    Parameters
    ----------
    name : str or MeasureName
        Such as "map", "P_10" or "ndcg_cut_20".

    Returns
    -------
    str

    Examples
    --------
    >>> canonical("map"), canonical("P_10"), canonical("ndcg_cut.20"), canonical("helpfulness")
    ('AP', 'P@10', 'nDCG@20', 'helpfulness')
    """
    return str(MeasureName.parse(name))


@lru_cache(maxsize=4096)
def _parse(text: str) -> MeasureName:
    if len(text) > _LONGEST:
        return MeasureName(text)
    stripped = text.strip()
    for reader in (_called, _numbered, _gupta_column):
        found = reader(stripped)
        if found is not None:
            return found
    return MeasureName(text)


def _called(text: str) -> MeasureName | None:
    """`AP`, `nDCG@20`, `P(rel=2)@10`, `RBP(p=0.8)`, `map@100`."""
    match = _CALLED.fullmatch(text)
    if not match:
        return None
    cutoff = None if match["cutoff"] is None else int(match["cutoff"])
    name = match["family"].strip()
    if name.lower() == "ndcg_burges":  # ranx: exponential gains
        return _make("nDCG", cutoff, {"dcg": "exp-log2"})
    family = name if name in FAMILIES else _family(name, numbered=cutoff is not None)
    parameters = _parameters(match["parameters"] or "", family)
    if family is None or parameters is None:
        return None
    written = parameters.pop("cutoff", cutoff)
    if isinstance(written, int) and cutoff in (None, written):
        cutoff = written
    elif written != cutoff:
        return None
    return _make(family, cutoff, parameters)


def _numbered(text: str) -> MeasureName | None:
    """`P_10`, `P.10`, `P10`, `ndcg_cut_20`; for RBP the number is the persistence: `rbp.80`, `rbp_0.8`, `rdp_95`."""
    match = _NUMBERED.fullmatch(text)
    family = _family(match["family"], numbered=True) if match else None
    if match is None or family is None:
        return None
    number = match["number"]
    if family == "RBP":
        return _make(family, None, {"p": float(number if "." in number else f"0.{number}")})
    return _make(family, int(number), {}) if number.isdigit() else None


def _gupta_column(text: str) -> MeasureName | None:
    """Columns of gupta2019's tables: `map_cut_100all`, `rdp_95all`, and `10_mapall` for runs cut at depth 10."""
    match = _SUMMARY.fullmatch(text)
    found = match and (_called(match["name"]) or _numbered(match["name"]))
    if not match or not found:
        return None
    if match["depth"]:
        return _make(found.family, found.cutoff, {**dict(found.parameters), "depth": int(match["depth"])})
    # Their ERR without a depth is ERR@20: it equals the column `20_errall` of the tables with depths.
    return _make("ERR", 20, {}) if found == MeasureName("ERR") else found


def _family(name: str, *, numbered: bool) -> str | None:
    key = name.strip().lower().replace("-", "_").replace(" ", "_")
    return _ALIASES.get(key) or (_LETTERS.get(key) if numbered else None)


def _make(family: str, cutoff: int | None, parameters: dict[str, Value]) -> MeasureName | None:
    if cutoff is not None and cutoff < 1:
        return None
    unsaid = dict(FAMILIES[family].defaults)
    typed = {key: _typed(key, value) for key, value in parameters.items()}
    kept = {key: value for key, value in typed.items() if key not in unsaid or unsaid[key] != value}
    if family == "RBP":
        persistence = kept.setdefault("p", RBP_PERSISTENCE)
        if not isinstance(persistence, float) or not 0 < persistence < 1:
            return None
    return MeasureName(family, cutoff, tuple(sorted(kept.items())))


def _parameters(text: str, family: str | None) -> dict[str, Value] | None:
    """The parameters between the brackets, or None where they are not `key=value, …`; RBP's p needs no key."""
    found: dict[str, Value] = {}
    start, end = 0, len(text.rstrip())
    while start < end:
        match = _PARAMETER.match(text, start)
        name = match and (match[1] or ("p" if family == "RBP" else ""))
        if not match or not name or name in found:
            return None
        found[name] = literal(match[2])
        start = match.end()
    return found


def _typed(key: str, value: Value) -> Value:
    """One value for 2 and 2.0: real numbers where the parameter is one, else whole numbers where they are whole."""
    if isinstance(value, (bool, str)):
        return value
    if key in _REAL:
        return float(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def literal(text: str) -> Value:
    """A value as it is written: a number, True or False, or a text, in quotes or without."""
    if text[:1] in ("'", '"'):
        return text[1:-1]
    if text in ("True", "False"):
        return text == "True"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _show(value: Value) -> str:
    if isinstance(value, str):
        return value if value.startswith("{") else repr(value)
    if not isinstance(value, float):
        return str(value)
    # ir_measures takes no whole number for a real one: beta=2.0.
    text = f"{value:.12g}"
    return f"{text}.0" if text.lstrip("-").isdigit() else text
