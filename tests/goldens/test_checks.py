"""The linter: each rule finds what it is for, is silent otherwise, and says what it does to the coefficients."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tauscope import check
from tauscope.data.cube import ScoreCube
from tauscope.data.findings import Finding
from tauscope.data.scores import Scores
from tauscope.data.table import MeasureTable
from tauscope.errors import CallError
from tauscope.io.read import read_cube, read_scores, read_table


def clean(n: int = 30, m: int = 6, seed: int = 3) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).random((n, m))


def codes(values: Any, measure: str = "AP", **options: Any) -> tuple[str, ...]:
    return check(Scores(values, measure=measure, **options)).codes


def test_clean_scores_have_no_findings() -> None:
    found = check(Scores(clean(), measure="AP"))
    assert len(found) == 0
    assert found.worst is None
    first, second = str(found).splitlines()[:2]
    assert first.endswith("Scores: 6 systems x 30 topics, AP")
    assert second == "No problems. The linter found nothing to report."


def test_rounded_output_is_found_with_its_ties() -> None:
    values = np.array([[0.1234, 0.1234, 0.5], [0.2, 0.4001, 0.3], [0.9, 0.6999, 0.0], [0, 0, 0.1]] * 8)
    found = check(Scores(values, systems=["a", "b", "c"], measure="AP"))["rounded"]
    assert found.severity == "warning"
    assert found.text == (
        "every value is a multiple of 0.0001, as in output rounded to 4 decimals; on 16 of 32 topics systems are tied, "
        "and rounding may have made 8 of the 16 tied pairs; 1 pair of means is tied, 1 of them of systems that differ"
    )
    assert found.effect == "tau and tau_ap of the means are undefined, for there are ties"
    assert "tau_b" in found.suggestion
    assert "tau_ap_a" in found.suggestion


def test_ties_on_topics_alone_do_not_trouble_the_means() -> None:
    found = check(Scores(clean(200, 9).round(2), measure="AP"))["rounded"]
    assert found.severity == "note"
    assert found.effect == "tau and tau_ap are undefined on those topics, not of the means"
    assert found.text.endswith("no means are tied")


def test_values_that_the_measure_itself_makes_are_not_rounding() -> None:
    values = np.round(clean(50, 9) * 20) / 20
    assert "rounded" not in codes(values, "P@20")
    assert "rounded" in codes(values, "AP")
    # Reciprocal ranks from the first hundred places stay apart at four decimals.
    ranks = np.random.default_rng(1).integers(1, 60, (50, 9))
    assert "rounded" not in codes((1 / ranks).round(4), "RR")
    ranks[:, :2] = np.array([[201, 202]])
    assert "rounded" in codes((1 / ranks).round(4), "RR")


def test_tied_means_are_found_without_rounding() -> None:
    values = clean()
    values[:, 1] = values[::-1, 0]
    found = check(Scores(values, measure="AP"))
    assert found.codes == ("tied-means",)
    assert found["tied-means"].text == "1 pair of means is tied, 1 of them of systems that differ"


def test_a_system_that_never_changes_is_found() -> None:
    values = clean()
    values[:, 2] = 0
    found = check(Scores(values, systems=list("abcdef"), measure="AP"))["constant-system"]
    assert (found.where, found.text) == ("'c'", "1 system has the same score on every topic: 0, as a run that failed")
    values[:, 2] = 0.3
    assert check(Scores(values, measure="AP"))["constant-system"].text == ("1 system has the same score on every topic")


def test_copies_and_near_copies_of_a_system_are_found() -> None:
    values = clean(40)
    values[:, 1] = values[:, 0]
    values[:, 2] = values[:, 0]
    values[:, 4] = values[:, 3]
    values[:2, 4] += 0.001
    found = check(Scores(values, systems=list("abcdef"), measure="AP"))
    assert found["duplicate-systems"].where == "'a', 'b', 'c'"
    assert found["near-duplicates"].where == "'d' and 'e'"
    assert found["near-duplicates"].text == "1 pair of systems differ on at most 2 topics of 40"
    values[:3, 4] += 0.001
    assert "near-duplicates" not in codes(values)


def test_a_topic_on_which_all_are_equal_is_found() -> None:
    values = clean()
    values[4] = 0
    found = check(Scores(values, measure="AP"))["constant-topic"]
    assert (found.severity, found.where) == ("note", "'5'")


def test_missing_cells_are_found() -> None:
    values = clean()
    values[3, 2] = np.nan
    found = check(Scores(values, systems=list("abcdef"), measure="AP", missing="keep"))["missing-cells"]
    assert (found.where, found.text) == ("'c'", "1 cell of 180 has no score: 1 system, 1 topic")


@pytest.mark.parametrize(("wild", "shown"), [(1.2, "1.2"), (-0.5, "-0.5")])
def test_values_outside_the_range_of_their_measure_are_errors(wild: float, shown: str) -> None:
    values = clean()
    values[3, 2] = wild
    found = check(Scores(values, systems=list("abcdef"), measure="AP"))
    assert found.worst == "error"
    assert found["out-of-range"].where == "system 'c' on topic '4'"
    assert found["out-of-range"].text == f"1 value outside [0, 1], the range of AP; the first is {shown}"
    assert "out-of-range" not in codes(values, "my measure")


def test_rounding_errors_at_the_edge_of_the_range_are_no_finding() -> None:
    values = clean()
    values[0, 0] = 1 + 1e-12
    assert codes(values) == ()


def test_percent_instead_of_shares_is_found() -> None:
    assert codes(clean() * 100) == ("percent",)
    assert codes(clean() * 100, "num_ret") == ()


def test_negative_means_trouble_pearson_rank() -> None:
    found = check(Scores(clean() - 0.9, measure="z-score"))["negative-means"]
    assert "pearson_rank is undefined" in found.effect


@pytest.mark.parametrize(("n", "severity"), [(5, "warning"), (12, "note"), (25, None)])
def test_few_topics_are_said(n: int, severity: str | None) -> None:
    found = [finding for finding in check(Scores(clean(n), measure="AP")) if finding.code == "few-topics"]
    assert [finding.severity for finding in found] == ([severity] if severity else [])


def test_what_all_measures_of_a_cube_share_is_told_once() -> None:
    values = np.stack([clean(), clean(seed=4)])
    values[:, :, 1] = values[:, :, 0]
    values[1, 0, 3] = 7
    found = check(ScoreCube(values, ["AP", "P@10"], systems=list("abcdef")))
    assert [finding.where for finding in found if finding.code == "duplicate-systems"] == ["all measures: 'a', 'b'"]
    assert found["out-of-range"].where == "P@10: system 'd' on topic '1'"
    assert found.findings[0].severity == "error"


def test_a_table_of_measures_is_looked_at_too(shared: Path) -> None:
    table = read_table(shared / "data/gupta2019/result_wt2014.csv")
    assert check(table)["tied-means"].where == "P@1000"
    assert check(MeasureTable([[0.1], [1.7]], ("a", "b"), ("AP",)))["out-of-range"].where == "AP: system 'b'"


def test_systems_and_topics_on_one_side_only_are_found() -> None:
    first = Scores(clean(), [f"t{i}" for i in range(30)], list("abcdef"))
    second = first.select(systems=list("bcdef"), topics=first.topics[1:])
    found = check(first, second, names=("pilot", "gold"))
    assert found.codes == ("systems-on-one-side", "topics-on-one-side")
    assert found["systems-on-one-side"].text == "1 of 6 systems is only in pilot"
    assert found["systems-on-one-side"].where == "'a'"
    assert (
        found["systems-on-one-side"].suggestion
        == "drop the systems that only one side has and compare the 5 that both have"
    )
    other = Scores(clean(), first.topics, list("ABCDEF"))
    assert check(first, other)["systems-on-one-side"].severity == "error"
    assert len(check(first, Scores(clean(seed=4), first.topics, first.systems))) == 0
    assert check(first, first).codes == ("same-data",)


def test_numbered_topics_and_different_ranges_are_noted() -> None:
    first = Scores(clean(), None, list("abcdef"))
    assert check(first, Scores(clean(seed=4), None, list("abcdef"))).codes == ("numbered-topics",)
    named = Scores(clean() * 100, [f"t{i}" for i in range(30)], list("abcdef"))
    assert "different-ranges" in check(first, named).codes


def test_findings_become_a_dict_a_frame_and_sentences() -> None:
    found = check(Scores(clean(5), measure="AP"))
    assert json.loads(json.dumps(found.to_dict()))["findings"][0]["code"] == "few-topics"
    assert list(found.to_frame("polars").columns) == list(Finding._fields)
    text = " ".join(str(found).split())
    assert "Warnings. The linter found 0 errors, 1 warning and 0 notes." in text
    assert (
        "few-topics: The order of close systems is mostly chance, and split-half methods have little to split." in text
    )
    assert "Report an interval with every coefficient, or collect more topics." in text
    assert text.endswith("warning few-topics there are only 5 topics")
    with pytest.raises(CallError, match="This answer has no chart"):
        found.plot()
    with pytest.raises(CallError, match="not list"):
        check([1, 2])  # type: ignore[arg-type]


def test_the_runs_of_trec8_that_radja2018_left_out_are_found(shared: Path) -> None:
    folder = shared / "data/trec"
    cube = read_cube({name: folder / f"adhoc8_{name.lower().replace('@', '')}.csv" for name in ("AP", "P@10", "RR")})
    groups = {finding.where for finding in check(cube) if finding.code == "duplicate-systems"}
    assert {"all measures: 'run57', 'run59'", "all measures: 'run69', 'run70'"} <= groups
    assert check(read_scores(folder / "adhoc8_ap.csv", measure="AP"))["rounded"].severity == "warning"
