"""From labels of measures to what is computed: ours by their records, all others by ir_measures.

A label such as "nDCG@20" or "RBP(p=0.8)" is parsed by `data.names`. Here its parameters are checked against the record
of the measure, and what it leaves unsaid is filled in from the judgments.
"""

from __future__ import annotations

import difflib
import re
import threading
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..core import checking
from ..core.arrays import Floats, Ints
from ..data.names import GUPTA2019, MeasureName
from ..errors import Advice, CallError, MissingPackageError, Option
from ..results import Note
from .measures import GAINFUL, MEASURES, Gains, Measure, Settings
from .qrels import Qrels
from .runs import Run

#: What ir_measures has beside the families of `names`: no slip, however near to one of our names.
NAMES = (
    *("AP_IA", "BPM", "ERR_IA", "INSQ", "INST", "IPrec", "NERR8", "NERR9", "NERR10", "NERR11", "NRBP", "P_IA"),
    *("MAP_IA", "SDCG", "SetRelP", "StRecall", "alpha_DCG", "alpha_nDCG", "nERR_IA", "nNRBP", "α_DCG", "α_nDCG"),
)


class External:
    """An evaluator of ir_measures for some labels.

    Runs are handed over in our order of documents, so that ties are broken in one way for all measures.

    Parameters
    ----------
    labels : sequence of str
        The measures.
    qrels : Qrels
        The judgments.

    Raises
    ------
    MissingPackageError
        If ir_measures is not installed.
    CallError
        If it does not know a measure, or cannot compute it.
    """

    def __init__(self, labels: Sequence[str], qrels: Qrels) -> None:
        try:
            import ir_measures
        except ImportError:
            known = ", ".join(MEASURES)
            raise MissingPackageError(
                f"{labels[0]} is not one of our measures ({known}), and ir_measures, which has more, is not installed.",
                Advice("Run: pip install 'tauscope[measures]'"),
            ) from None
        self.labels = list(labels)
        self.number = qrels.topic_numbers
        self.lock = threading.Lock()
        self.measures: list[Any] = []
        for label in labels:
            try:
                self.measures.append(_with_types(ir_measures.parse_measure(label)))
            except Exception as error:  # its parser asserts, and raises what its parts raise
                raise _error(f"{label} is neither one of our measures nor one of ir_measures", error) from None
        try:
            self.evaluator = ir_measures.evaluator(self.measures, qrels.to_dict())
        except Exception as error:
            raise _error(f"ir_measures cannot compute {', '.join(self.labels)}", error, labels, qrels) from None

    def values(self, run: Run, order: Ints, depth: int) -> Floats:
        """Compute the measures of one run.

        Parameters
        ----------
        run : Run
            The run.
        order : array of int
            Its documents from first to last.
        depth : int
            Number of documents of each topic that count.

        Returns
        -------
        ndarray
            Measures x topics; a topic that ir_measures does not report is 0.
        """
        ids = run.document_list()
        lists = {
            topic: _scored([ids[i] for i in order[begin : min(end, begin + depth)].tolist()])
            for topic, (begin, end) in zip(run.topics, pairwise(run.offsets.tolist()), strict=True)
            if topic in self.number and end > begin
        }
        result = np.zeros((len(self.labels), len(self.number)))
        row = {measure: i for i, measure in enumerate(self.measures)}
        # Some providers keep their state in static variables.
        with self.lock:
            try:
                for metric in self.evaluator.iter_calc(lists):
                    result[row[metric.measure], self.number[metric.query_id]] = metric.value
            except Exception as error:
                raise _error(f"ir_measures cannot compute {', '.join(self.labels)}", error) from None
        return result


def _scored(documents: list[str]) -> dict[str, float]:
    """Return scores from the number of documents down to 1; Compat gives 0 to documents that are not there."""
    return {document: float(len(documents) - place) for place, document in enumerate(documents)}


def _with_types(measure: Any) -> Any:
    """Return a measure with real numbers where it wants them: ir_measures refuses IPrec@1 and INST(T=2)."""
    wanted = measure.SUPPORTED_PARAMS
    whole = {key: value for key, value in measure.params.items() if type(value) is int and key in wanted}
    return measure(**{key: float(value) for key, value in whole.items() if wanted[key].dtype is float})


#: What it says where a parameter without a default was not given.
_LACKING = re.compile(r"invalid param (\w+)=<object")


def _error(problem: str, error: Exception, labels: Sequence[str] = (), qrels: Qrels | None = None) -> CallError:
    """Return an error with what ir_measures said, if anything, and which parameter is lacking, if one is."""
    text = str(error).strip().rstrip(".")
    if lacking := _LACKING.search(text):
        base, at, cutoff = (labels[0] if labels else "it").partition("@")
        value = f"={qrels.highest:g}" if qrels is not None and lacking[1] == "max_rel" else "=…"
        return CallError(f"{problem}: {lacking[1]} must be said, as in {base}({lacking[1]}{value}){at}{cutoff}.")
    return CallError(f"{problem}: {text}." if text else f"{problem}.")


_DCG = {"log2": "grade", "exp-log2": "exp-grade"}
_GAINS = ("binary", "linear", "exp")
#: 2^grade is a double up to here.
_HIGHEST = 1000


class Chosen(NamedTuple):
    """A measure to compute.

    Parameters
    ----------
    label : str
        Its canonical label.
    measure : Measure or None
        Its record; None if it is left to ir_measures.
    settings : Settings
        What the label asks for.
    """

    label: str
    measure: Measure | None = None
    settings: Settings = Settings()

    @property
    def reach(self) -> int | None:
        """How deep the measure looks; None for as deep as the run goes."""
        limits = [limit for limit in (self.settings.cutoff, self.settings.depth) if limit is not None]
        return min(limits) if limits and self.measure else None

    def values(self, gains: Gains) -> Floats:
        """Return one value per topic."""
        formula = None if self.measure is None else self.measure.formula
        if formula is None:
            raise TypeError(f"{self.label} has no formula here")
        # Grade 0 counts as relevant only where rel=0 asks for it, and never has a gain.
        least = 0 if self.settings.gain == "binary" else GAINFUL
        return formula(gains.hits(max(self.settings.rel, least)).cut(self.reach), self.settings)


class Scale(NamedTuple):
    """The scale of the grades of some judgments.

    Parameters
    ----------
    highest : float
        The highest grade that is there.
    top : float
        The top of the scale, of which gains are shares.
    rel : float
        The lowest grade that is relevant where no label says.
    real : bool
        Whether grades are real numbers.
    """

    highest: float
    top: float
    rel: float = 1
    real: bool = False


def choose(measures: Any, scale: Scale) -> tuple[list[Chosen], list[Note | str]]:
    """Choose what is computed for some labels.

    Parameters
    ----------
    measures : str, list of str
        Labels, or "gupta2019" for its 23.
    scale : Scale
        The scale of the grades.

    Returns
    -------
    pair of list of Chosen and list of Note or str
        The measures, each once, and notes on what the labels left open.

    Raises
    ------
    CallError
        If a label is not understood, or a parameter is not what it should be.
    """
    if isinstance(measures, str) and measures.strip().lower() == "gupta2019":
        measures = GUPTA2019
    wanted = [measures] if isinstance(measures, str) or not isinstance(measures, Iterable) else list(measures)
    if not wanted:
        raise CallError(
            "No measure is asked for.", Option("measures", effect="with labels such as AP or nDCG@20, or gupta2019")
        )
    chosen: dict[str, Chosen] = {}
    notes: list[Note | str] = []
    for label in wanted:
        one, note = _choose_one(MeasureName.parse(str(label)), scale)
        chosen.setdefault(one.label, one)
        notes += [note] if note else []
    binary = [one.label for one in chosen.values() if one.measure and one.settings.gain == "binary"]
    unsaid = [label for label in binary if MeasureName.parse(label).parameter("rel") is None]
    if unsaid and (scale.real or scale.rel != 1):
        notes.append(Note("relevant_from", real=scale.real, grade=scale.rel, measures=unsaid))
    return list(chosen.values()), list(dict.fromkeys(notes))


#: Deeper than any run.
_DEEPEST = 10_000_000
#: Parameters that ir_measures has for measures of ours.
_THEIRS = ("judged_only", "min_rel", "max_rel", "T", "recall", "gains")


def _not_ours(label: str) -> None:
    """Raise an error for a label that is nearly one of ours: that is a slip, and not another measure."""
    family, _, cutoff = label.partition("@")
    base = family.partition("(")[0]
    if base in NAMES:
        return
    if base.lower() == "hits":
        raise CallError(
            f"{label}: how many relevant documents there are, or whether there is one?",
            Option("measures", f"NumRelRet{_at(cutoff)}", effect="for how many, as ranx has it"),
            Option("measures", f"Success{_at(cutoff)}", effect="for whether there is one"),
        )
    if cutoff and not (cutoff.isdigit() and 1 <= int(cutoff) <= _DEEPEST):
        raise CallError(f"{label}: a cut-off is a whole number from 1 to {_DEEPEST:,}.")
    if base in MEASURES:
        raise CallError(f"{label} cannot be read. Write it as in AP, nDCG@20, P(rel=2)@10 or RBP(p=0.8).")
    near = difflib.get_close_matches(base, [*MEASURES, "MAP", "NDCG", "Bpref"], 1, cutoff=0.75)
    if near and base.lower() not in {name.lower() for name in MEASURES}:
        raise CallError(f"There is no measure {label!r}. Did you mean {near[0]!r}?")


def _at(cutoff: str) -> str:
    return f"@{cutoff}" if cutoff else ""


def _choose_one(name: MeasureName, scale: Scale) -> tuple[Chosen, str]:
    """Choose what is computed for one label, with a note on what it leaves open."""
    measure = MEASURES.get(name.family)
    if measure is not None and measure.formula is None:
        raise CallError(
            "GMAP is one number per system, not one per topic.",
            Option("by", "system", effect="for one number per system"),
        )
    if name.cutoff is not None and not 1 <= name.cutoff <= _DEEPEST:
        raise CallError(f"{name}: a cut-off is a whole number from 1 to {_DEEPEST:,}.")
    if measure is None:
        _not_ours(str(name))
        return Chosen(str(name)), ""
    unknown = [key for key, _ in name.parameters if key not in (*measure.parameters, "depth")]
    if unknown and unknown[0] not in _THEIRS:
        raise CallError(
            f"{name}: {name.family} has no parameter {unknown[0]}; "
            f"it takes {', '.join((*measure.parameters, 'depth'))}."
        )
    if unknown:
        return Chosen(str(name)), ""
    if measure.needs_cutoff and name.cutoff is None:
        raise CallError(f"{name.family} needs a cut-off, such as {name.family}@10.")
    return _with_maximum(Chosen(str(name), measure, _settings(name, measure, scale)), name, scale)


def _settings(name: MeasureName, measure: Measure, scale: Scale) -> Settings:
    """Check the parameters of a label, and fill in what it leaves unsaid."""
    given, chosen = dict(name.parameters), measure.defaults._replace(cutoff=name.cutoff)
    if "depth" in given:
        chosen = chosen._replace(depth=_checked(name, checking.whole, "depth", least=1))
    if "dcg" in given:
        chosen = chosen._replace(gain=_DCG[_checked(name, checking.one_of, "dcg", _DCG)])
    if "gain" in given:
        chosen = chosen._replace(gain=_checked(name, checking.one_of, "gain", _GAINS))
    if "p" in given:
        chosen = chosen._replace(p=_checked(name, checking.share, "p"))
    if "rel" in given:
        chosen = chosen._replace(rel=_grade(name, "rel"))
    else:  # any grade above 0 counts where gains are grades
        chosen = chosen._replace(rel=scale.rel if chosen.gain == "binary" else GAINFUL)
    top = given.get("max", scale.top)
    if chosen.gain.startswith("exp") and isinstance(top, (int, float)) and max(top, scale.highest) > _HIGHEST:
        raise CallError(f"{name}: the grade {max(top, scale.highest)} is too high for a gain of 2^grade.")
    return chosen


def _with_maximum(one: Chosen, name: MeasureName, scale: Scale) -> tuple[Chosen, str]:
    """Add the highest possible grade, where gains are shares of it; and a note where the label does not say it."""
    if one.settings.gain not in ("linear", "exp"):
        return one, ""
    if name.parameter("max") is None:
        note = f"{name.family}: maximum grade {scale.top:g}"
        return one._replace(settings=one.settings._replace(max=scale.top)), note
    maximum = _grade(name, "max", least=1)
    if maximum < scale.highest:
        raise CallError(f"{name}: the qrels have the grade {scale.highest:g}, above the maximum {maximum:g}.")
    return one._replace(settings=one.settings._replace(max=maximum)), ""


def _grade(name: MeasureName, key: str, least: int = 0) -> float:
    """Return a parameter that is a grade: a whole number, or a real one above 0."""
    if isinstance(name.parameter(key), float):
        return float(_checked(name, checking.number, key, above=0.0))
    return int(_checked(name, checking.whole, key, least=least))


def _checked(name: MeasureName, check: Callable[..., Any], key: str, *choices: Any, **limits: Any) -> Any:
    """Return a parameter that has passed one of the checks; its error names the measure."""
    try:
        return check(name.parameter(key), *choices, key, **limits)
    except CallError as error:
        raise error.at(str(name)) from None
