"""Every measure with its definition and its conventions, as data: what the list of measures and its page are made
of."""

from __future__ import annotations

from ..errors import CallError
from ..names import FAMILIES, MeasureName
from .measures import MEASURES, Measure

#: What there is to say of a measure beside its definition: what other tools do otherwise.
CONVENTIONS = {
    "AP": "R is all relevant documents of the qrels, also beyond a cut-off, as in trec_eval's map_cut",
    "nDCG": "gain is the grade, as in trec_eval; dcg='exp-log2' has 2^grade - 1, as ranx's ndcg_burges and many papers "
    "have; the ideal ranking is that of the qrels, cut at k",
    "P": "divides by k, also where a run has fewer documents",
    "R": "divides by all relevant documents; without a cut-off the whole run counts",
    "RR": "0 where no relevant document was retrieved; with a cut-off, none among the first k",
    "Rprec": "0 for a topic without relevant documents",
    "Bpref": "documents with a grade below 0 are no judgments; min(N, R) below the line, as trec_eval has it",
    "infAP": "documents with a grade below 0 are in the pool and not judged; smoothing 0.00001, as in trec_eval",
    "ERR": "the highest grade is that of the qrels, or max=; gdeval and ir_measures take 4 whatever the qrels hold",
    "RBP": "p is 0.8 where it is not said, as in ir_measures (trec_eval 10: 0.9); binary where gain= is not said",
    "NumRelRet": "a count, which ranx calls hits@k; hits@k is asked back, for others mean whether there is one",
    "NumRel": "the same for every run, also for a topic that a run lacks",
    "GMAP": "exp of the mean log of AP, AP below 0.00001 counting 0.00001; one number per system, not per topic",
}
#: What holds for all of them.
GENERAL = (
    "Relevant is a grade of 1 or more; rel=2 in a label, as in P(rel=2)@10, says otherwise. Real-valued grades from 0 "
    "to "
    "1 are relevant from 0.5 up.",
    "A grade below 0, such as -1 or -2, is a document of the pool that nobody judged: it has no gain, is not relevant, "
    "and Bpref and infAP do not count it as judged.",
    "Documents with equal scores stand by id, descending by bytes, as in trec_eval; the column of ranks is not read.",
    "A topic of the qrels that a run lacks counts 0 (missing= says otherwise); a topic without relevant documents is "
    "0.",
    "A measure that is not listed is computed by ir_measures, where it is installed.",
)


def rows() -> list[dict[str, str]]:
    """One dict per measure: label, definition, parameters, convention, other spellings, paper."""
    return [_row(name, MEASURES.get(name)) for name in (*MEASURES, "GMAP")]


def row_of(text: str) -> dict[str, str]:
    """The row of one measure, in any of its spellings."""
    name = MeasureName.parse(text).family
    if name not in CONVENTIONS:
        known = ", ".join(CONVENTIONS)
        raise CallError(f"{text} is not one of our measures ({known}); ir_measures computes it, if it has it.")
    return _row(name, MEASURES.get(name))


def _row(name: str, measure: Measure | None) -> dict[str, str]:
    parameters = (*measure.parameters, "depth") if measure else ("rel", "depth")
    return {
        "measure": f"{name}@k" if measure and measure.needs_cutoff else name,
        "definition": measure.definition if measure else "geometric mean of AP over topics",
        "parameters": ", ".join(parameters),
        "convention": CONVENTIONS[name],
        "also": ", ".join(alias for alias in FAMILIES[name].aliases if MeasureName.parse(alias).family == name),
        "paper": (measure.paper or "") if measure else "robertson2006",
    }
