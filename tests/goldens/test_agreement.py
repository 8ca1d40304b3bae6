"""Two assessors compared: numbers worked by hand, and the sentences."""

from __future__ import annotations

import numpy as np
import pytest

from tauscope.errors import CallError, TauscopeError
from tauscope.evaluation.qrels import Qrels

#: 50 documents, two grades: observed agreement 35/50, expected by the margins (25 * 30 + 25 * 20) / 50^2.
CELLS = {(1, 1): 20, (1, 0): 5, (0, 1): 10, (0, 0): 15}


def agreement(one, other, **options):
    return Qrels.read(one).compare(other, **options)


def _two(cells):
    first, second = {}, {}
    for (x, y), times in cells.items():
        for i in range(times):
            first[f"{x}{y}{i}"], second[f"{x}{y}{i}"] = x, y
    return {"1": first}, {"1": second}


def test_kappa_of_a_two_by_two_table_is_that_of_the_margins():
    result = agreement(*_two(CELLS))
    assert result.agreement == 0.7
    assert result.relevance_kappa == pytest.approx(0.4)  # (0.7 - 0.5) / (1 - 0.5)
    assert result.kappa == result.weighted_kappa == result.relevance_kappa
    assert result.overlap == pytest.approx(20 / 35)
    assert result.confusion.tolist() == [[15, 10], [5, 20]]


def test_weights_count_far_disagreements_more():
    near = _two({(0, 0): 10, (2, 2): 10, (0, 1): 5, (1, 1): 5, (2, 1): 5})
    far = _two({(0, 0): 10, (2, 2): 10, (0, 2): 5, (1, 1): 5, (2, 0): 5})
    assert agreement(*near).weighted_kappa > agreement(*far).weighted_kappa
    # by hand for `near`, linear: observed 10, rows (15, 5, 15), columns (10, 15, 10), expected (15*15 + 15*20 + 5*10 +
    # 5*10 + 15*20 + 15*15) / 35
    assert agreement(*near, weights="linear").weighted_kappa == pytest.approx(1 - 10 / (1150 / 35))


def test_documents_are_matched_by_topic_whatever_the_order_and_unjudged_ones_are_left_out():
    first = {"1": {"a": 1, "b": 0, "c": -1}, "2": {"a": 2, "x": 0}, "only": {"a": 1}}
    second = {"2": {"y": 1, "x": 0, "a": 0}, "1": {"c": 1, "b": 0, "a": 3}}
    result = Qrels.read(first).compare(second, names=("human", "model"))
    assert result.confusion.tolist() == [[2, 0, 0, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 0, 0, 0]]
    assert (result.topics, result.documents, result.only_first, result.only_second) == (2, 4, 1, 2)
    assert result.overlap == 0.5
    # On grades: (2/4 - 6/16) / (1 - 6/16) = 0.2; quadratic: 1 - 8 / 9.5 = 0.158.
    text = " ".join(str(result).split())
    assert "They agree on the relevance of 75.0 % of 4 documents; beyond chance, Cohen’s κ is 0.500." in text
    assert "κ on grades 0.200 κ on grades, quadratic weights 0.158" in text
    assert "Overlap of relevant documents (mean over topics) 0.500" in text
    assert "Judged by only one of them 1 (human), 2 (model)" in text
    table = result.columns()
    assert table["documents"][(table["first"] == 1) & (table["second"] == 3)].tolist() == [1]
    assert "Cohen" in result.cite()
    assert result.plot().get_ylabel() == "Grade by human"


def test_kappa_is_undefined_with_its_reason_where_only_one_grade_was_given():
    result = Qrels.read({"1": {"a": 0, "b": 0}}).compare({"1": {"a": 0, "b": 0}})
    assert np.isnan([result.kappa, result.relevance_kappa, result.overlap]).all()
    assert result.undefined_because == "one grade only, in both"
    assert result.agreement == 1.0


def test_judgments_that_share_nothing_are_refused():
    with pytest.raises(TauscopeError, match="No document was judged in both first and second"):
        Qrels.read({"1": {"a": 1}}).compare({"1": {"b": 1}})
    with pytest.raises(CallError, match="weights='cubic' is unknown"):
        Qrels.read({"1": {"a": 1}}).compare({"1": {"a": 1}}, weights="cubic")
