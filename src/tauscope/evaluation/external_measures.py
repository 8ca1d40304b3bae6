"""Measures that are not ours, computed by ir_measures."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ..arrays import Floats, Ints
from ..errors import Advice, CallError, MissingPackageError
from .measures import MEASURES
from .qrels import Qrels
from .runs import Run

#: What ir_measures has beside the families of `names`: no slip, however near to one of our names.
NAMES = (
    *("AP_IA", "BPM", "ERR_IA", "INSQ", "INST", "IPrec", "NERR8", "NERR9", "NERR10", "NERR11", "NRBP", "P_IA"),
    *("MAP_IA", "SDCG", "SetRelP", "StRecall", "alpha_DCG", "alpha_nDCG", "nERR_IA", "nNRBP", "α_DCG", "α_nDCG"),
)


class External:
    """An evaluator of ir_measures for some labels; runs are handed over in our order, so that ties are broken alike."""

    def __init__(self, labels: Sequence[str], qrels: Qrels) -> None:
        try:
            import ir_measures
        except ImportError:
            known = ", ".join(MEASURES)
            raise MissingPackageError(
                f"{labels[0]} is not one of our measures ({known}, GMAP), and ir_measures, which has more, is not "
                "installed.",
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
                raise CallError(
                    f"{label} is neither one of our measures nor one of ir_measures{_said(error)}"
                ) from None
        try:
            self.evaluator = ir_measures.evaluator(self.measures, qrels.to_dict())
        except Exception as error:
            raise CallError(
                f"ir_measures cannot compute {', '.join(self.labels)}{_said(error, labels, qrels)}"
            ) from None

    def values(self, run: Run, order: Ints, depth: int) -> Floats:
        """Measures x topics; a topic that ir_measures does not report is 0."""
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
                raise CallError(f"ir_measures cannot compute {', '.join(self.labels)}{_said(error)}") from None
        return result


def _scored(documents: list[str]) -> dict[str, float]:
    """Scores from the number of documents down to 1: above 0, which Compat gives to documents that are not there."""
    return {document: float(len(documents) - place) for place, document in enumerate(documents)}


def _with_types(measure: Any) -> Any:
    """The same measure with real numbers where it wants them: it refuses IPrec@1 and INST(T=2)."""
    wanted = measure.SUPPORTED_PARAMS
    whole = {key: value for key, value in measure.params.items() if type(value) is int and key in wanted}
    return measure(**{key: float(value) for key, value in whole.items() if wanted[key].dtype is float})


#: What it says where a parameter without a default was not given.
_LACKING = re.compile(r"invalid param (\w+)=<object")


def _said(error: Exception, labels: Sequence[str] = (), qrels: Qrels | None = None) -> str:
    """What the other package said, if anything, and a full stop; which parameter is lacking, where one is."""
    text = str(error).strip().rstrip(".")
    if lacking := _LACKING.search(text):
        base, at, cutoff = (labels[0] if labels else "it").partition("@")
        value = f"={qrels.highest:g}" if qrels is not None and lacking[1] == "max_rel" else "=…"
        return f": {lacking[1]} must be said, as in {base}({lacking[1]}{value}){at}{cutoff}."
    return f": {text}." if text else "."
