"""Scores, cubes and tables: what they refuse, what they print, and what their methods give."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tauscope.data.cube import ScoreCube
from tauscope.data.scores import Scores
from tauscope.data.table import MeasureTable
from tauscope.errors import CallError, Option, TauscopeError
from tauscope.io.read import read_scores

NAN = float("nan")


def small(**options: Any) -> Scores:
    values = options.pop("values", [[0.1, 0.3, 0.2], [0.2, 0.6, 0.1]])
    return Scores(values, ["401", "402"], ["bm25", "dense", "hybrid"], "map", "demo", **options)


def cube(**options: Any) -> ScoreCube:
    values = np.arange(12.0).reshape(2, 3, 2) / 12
    return ScoreCube(values, ["map", "P_10"], ["q1", "q2", "q3"], ["a", "b"], "demo", **options)


def test_scores_print_what_they_are() -> None:
    assert repr(small()) == "Scores: 3 systems x 2 topics, AP, demo\nvalues from 0.1 to 0.6, no missing cells"
    assert repr(cube()).startswith("ScoreCube: 2 systems x 3 topics x 2 measures (AP, P@10), demo\n")
    assert repr(cube().system_wise()).startswith("MeasureTable: 2 systems x 2 measures, demo\n")
    assert repr(cube().topic_wise()).startswith("MeasureTable: 6 rows (2 systems, 3 topics) x 2 measures, demo\n")


def test_names_with_markup_are_escaped_in_a_notebook() -> None:
    shown = Scores([[1.0]], ["<b>"], ["</script>"], collection="<script>alert(1)</script>")._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            [[0.1, NAN, 0.2], [0.2, 0.6, 0.1]],
            "One cell has no score: system 'dense' on topic '401'. "
            'Pass missing="zero", "drop-topics", "drop-systems" or "keep" to say what that means.',
        ),
        (
            [[0.1, None, 0.2], [0.2, None, 0.1]],
            "2 cells have no score; the first is system 'dense' on topic '401'. "
            'Pass missing="zero" or "drop-systems" to say what that means.',
        ),
        (
            [[0.1, 0.2, 0.2], [0.2, 0.1, float("inf")]],
            "The score of system 'hybrid' on topic '402' is inf. Scores must be finite; NaN stands for a missing cell.",
        ),
        ([[0.1, "x", 0.2], [0.2, 0.6, 0.1]], "The score of system 'dense' on topic '401' is 'x', not a number."),
        (
            np.array([[0.1, {}, 0.2], [0.2, 0.6, 0.1]], dtype=object),
            "The score of system 'dense' on topic '401' is {}, not a number.",
        ),
        ([[0.1, 0.2], [0.2]], "The values of Scores are ragged: every row needs the same number of scores."),
        ([0.1, 0.2, 0.3], "The values of Scores have 1 dimension; they must have 2: topics x systems."),
        (np.empty((0, 3)), "The values of Scores are empty: there is not one topic."),
        (
            np.ones((3, 2)),
            "The values of Scores hold 3 topics (axis 0), and `topics` has 2 names. "
            "They seem to be turned: give values.T.",
        ),
        (
            pd.DataFrame({"a": [1.0]}),
            "Scores takes an array and its labels. A data frame is read by Scores.read(), which finds both.",
        ),
    ],
)
def test_what_is_wrong_with_values_is_said(values: Any, message: str) -> None:
    with pytest.raises(TauscopeError) as error:
        small(values=values)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("systems", "message"),
    [
        (["a", "b", "a"], "The system 'a' is there twice (places 1 and 3). Names must be unique."),
        (
            ["a", "b"],
            "The values of Scores hold 3 systems (axis 1), and `systems` has 2 names. "
            "They seem to be turned: give values.T.",
        ),
        (["a", None, "b"], "The system at place 2 is called None; names are texts."),
        (["a", NAN, "b"], "The system at place 2 is called nan; names are texts."),
        (["a", "", "b"], "The system at place 2 has no name."),
        ("abc", "systems='abc' is one text; give a list of systems."),
    ],
)
def test_what_is_wrong_with_names_is_said(systems: Any, message: str) -> None:
    with pytest.raises(TauscopeError) as error:
        Scores(np.ones((2, 3)), None, systems)
    assert str(error.value) == message


def test_names_are_texts_and_numbered_where_there_are_none() -> None:
    scores = Scores(np.ones((2, 2)), np.array([401, 402]))
    assert scores.topics == ("401", "402")
    assert scores.systems == ("1", "2")


@pytest.mark.parametrize(
    ("missing", "topics", "systems", "mean", "note"),
    [
        ("zero", 2, 3, 0.3, "1 missing cell set to 0"),
        ("drop-topics", 1, 3, 0.6, "1 topic with missing cells dropped: '401'"),
        ("drop-systems", 2, 2, None, "1 system with missing cells dropped: 'dense'"),
        ("keep", 2, 3, 0.6, "missing cells kept: a mean is over the topics that a system has"),
    ],
)
def test_missing_cells_are_a_recorded_choice(
    missing: str, topics: int, systems: int, mean: float | None, note: str
) -> None:
    scores = small(values=[[0.1, NAN, 0.2], [0.2, 0.6, 0.1]], missing=missing)
    assert scores.shape == (topics, systems)
    assert scores.notes == (note,)
    assert note in repr(scores)
    assert scores.has_holes == (missing == "keep")
    if mean is not None:
        assert scores.means()[1] == pytest.approx(mean)


def test_holes_stay_a_choice_that_can_be_made_later() -> None:
    kept = small(values=[[0.1, NAN, 0.2], [0.2, 0.6, 0.1]], missing="keep")
    assert kept.holes == 1
    with pytest.raises(TauscopeError) as error:
        kept.require_complete("expected()")
    assert str(error.value) == (
        "expected() needs a score in every cell, and one cell has no score: system 'dense' on topic '401'. "
        "Call .without_holes(\"zero\") first, or with 'drop-topics' or 'drop-systems'."
    )
    way = error.value.ways_out[0]
    assert isinstance(way, Option)
    assert way.in_shell("--missing") == "Use --missing zero, drop-topics or drop-systems to say what that means."
    for value in way.values:
        kept.without_holes(value).require_complete("expected()")
    assert kept.without_holes("zero").notes == ("1 missing cell set to 0",)
    kept.without_holes("drop-topics").require_complete("expected()")


def test_a_system_without_any_score_cannot_be_kept() -> None:
    with pytest.raises(TauscopeError, match="The system 'dense' has no score at all"):
        small(values=[[0.1, NAN, 0.2], [0.2, NAN, 0.1]], missing="keep")
    with pytest.raises(TauscopeError, match="Every one of the 2 topics has a missing cell"):
        small(values=[[0.1, NAN, 0.2], [0.2, NAN, 0.1]], missing="drop-topics")


def test_scores_do_not_change() -> None:
    given_values = np.ones((2, 3))
    scores = small(values=given_values)
    given_values[0, 0] = 7.0
    assert scores.values[0, 0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        scores.values[0, 0] = 2.0
    with pytest.raises(AttributeError):
        scores.measure = "P@10"  # type: ignore[misc]
    again = pickle.loads(pickle.dumps(scores.drop_worst()))
    assert again == scores.drop_worst()
    assert again.notes == scores.drop_worst().notes
    assert not again.values.flags.writeable


def test_masked_cells_are_missing_cells() -> None:
    masked = np.ma.masked_array([[1.0, 2.0]], mask=[[False, True]])
    assert Scores(masked, missing="zero").values.tolist() == [[1.0, 0.0]]


def test_the_ranking_of_scores_snaps_means() -> None:
    scores = Scores([[0.1, 0.3], [0.2, 0.2], [0.3, 0.1]], systems=["a", "b"])
    assert scores.means()[0] != scores.means()[1]
    assert scores.ranking().snapped == 1
    assert scores.ranking().groups() == [("a", "b")]


def test_the_mean_of_huge_scores_is_finite() -> None:
    assert Scores([[1e308, 1.0], [1.5e308, 2.0]]).means().tolist() == [1.25e308, 1.5]


def test_selecting_keeps_the_order_asked_for_and_names_what_is_not_there() -> None:
    chosen = small().select(systems=["hybrid", "bm25"], topics="402")
    assert chosen.systems == ("hybrid", "bm25")
    assert chosen.values.tolist() == [[0.1, 0.2]]
    assert chosen.notes == ("1 of 2 topics selected; 2 of 3 systems selected",)
    with pytest.raises(TauscopeError, match=r"There is no system 'bm52' among the 3\. Do you mean 'bm25'\?"):
        small().select(systems=["bm52"])
    with pytest.raises(TauscopeError, match="The system 'bm25' is there twice"):
        small().select(systems=["bm25", "bm25"])


def test_dropping_the_worst_keeps_the_systems_at_the_quantile(shared: Path) -> None:
    sizes = {}
    for name in ("adhoc6", "adhoc7", "adhoc8"):
        scores = read_scores(shared / f"data/urbano2016/{name}.csv")
        kept = scores.drop_worst()
        sizes[name] = (len(scores.systems), len(kept.systems))
        assert kept.notes[-1] == f"bottom 25 % dropped: {sizes[name][0] - sizes[name][1]} systems"
    assert sizes == {"adhoc6": (74, 55), "adhoc7": (103, 77), "adhoc8": (129, 97)}


def test_systems_with_equal_means_are_dropped_or_kept_together() -> None:
    # 0.1 + 0.2 + 0.3 and 0.3 + 0.2 + 0.1 differ in floating point; both are at the quantile.
    values = np.array([[0.1, 0.3, 0.9, 0.9, 0.9], [0.2, 0.2, 0.9, 0.9, 0.9], [0.3, 0.1, 0.9, 0.9, 0.9]])
    assert Scores(values).drop_worst(0.25).systems == ("1", "2", "3", "4", "5")
    assert Scores(values).drop_worst(0.4).systems == ("3", "4", "5")
    with pytest.raises(CallError, match="at least 0 and below 1"):
        Scores(values).drop_worst(25)


def test_topics_are_sampled_by_seed_and_the_seed_is_recorded() -> None:
    scores = Scores(np.arange(40.0).reshape(20, 2))
    first, again = scores.sample_topics(5, 8), scores.sample_topics(5, 8)
    assert first == again
    assert first.notes == ("5 of 20 topics drawn at random (rng=8)",)
    assert len(set(first.topics)) == 5
    resampled = scores.sample_topics(60, np.random.default_rng(1), replace=True)
    assert len(set(resampled.topics)) == 60
    assert any("#2" in topic for topic in resampled.topics)
    for topic, row in zip(resampled.topics, resampled.values, strict=True):
        assert row.tolist() == scores.select(topics=topic.partition("#")[0]).values[0].tolist()
    with pytest.raises(CallError, match="draw 1 to 20"):
        scores.sample_topics(21, 8)


def test_a_cube_gives_scores_under_any_spelling() -> None:
    assert cube()["map"] == cube()["AP"]
    assert cube()["AP"].values.tolist() == (np.arange(6.0).reshape(3, 2) / 12).tolist()
    assert "P_10" in cube()
    assert "RR" not in cube()
    assert list(cube()) == ["AP", "P@10"]
    with pytest.raises(TauscopeError, match="There is no measure 'RR' among the 2"):
        cube()["RR"]
    with pytest.raises(TauscopeError, match="The measure 'AP' is there twice"):
        ScoreCube(np.zeros((2, 1, 1)), ["map", "AP"])


def test_topic_wise_and_system_wise_data_are_tables_of_measures() -> None:
    topic_wise, system_wise = cube().topic_wise(), cube().system_wise()
    assert topic_wise.topics == ("q1", "q1", "q2", "q2", "q3", "q3")
    assert topic_wise.systems == ("a", "b") * 3
    assert topic_wise["P@10"].tolist() == [value / 12 for value in range(6, 12)]
    assert system_wise["map"].tolist() == pytest.approx([2 / 12, 3 / 12])
    assert system_wise.ranking("map").groups() == [("b",), ("a",)]
    assert cube()["AP"].system_wise()["AP"].tolist() == system_wise["AP"].tolist()
    with pytest.raises(CallError, match="say which one"):
        system_wise.ranking()
    with pytest.raises(CallError, match="this table is topic-wise"):
        topic_wise.ranking("AP")


def test_a_table_with_names_twice_or_topics_that_do_not_fit_is_refused() -> None:
    with pytest.raises(TauscopeError, match="The system 'a' is there twice"):
        MeasureTable(np.zeros((2, 1)), ("a", "a"), ("AP",))
    with pytest.raises(TauscopeError, match="the same topic and system in two rows"):
        MeasureTable(np.zeros((2, 1)), ("a", "a"), ("AP",), topics=("q", "q"))
    assert len(MeasureTable(np.zeros((2, 1)), ("a", "a"), ("AP",), topics=("q", "r"))) == 2


def test_scores_are_stacked_by_name() -> None:
    first = Scores([[1.0, 2.0]], ["q"], ["a", "b"], "AP")
    second = Scores([[20.0, 10.0]], ["q"], ["b", "a"], "RR")
    assert ScoreCube.stack([first, second]).values[1].tolist() == [[10.0, 20.0]]
    with pytest.raises(TauscopeError, match="system 'b' on topic 'q' by RR"):
        ScoreCube.stack([first, Scores([[1.0]], ["q"], ["a"], "RR")])


@pytest.mark.parametrize(
    ("library", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame), ("pyarrow", pa.Table)]
)
@pytest.mark.parametrize("long", [False, True])
def test_frames_are_of_the_callers_own_kind(library: str, kind: type, long: bool) -> None:
    made = small().to_frame(library, long=long)
    assert isinstance(made, kind)
    again = read_scores(made, measure="AP", collection="demo")
    assert again == small()
    assert isinstance(again.drop_worst(0.1).to_frame(), kind)
    assert isinstance(cube().to_frame(library, long=long), kind)
    assert isinstance(cube().system_wise().to_frame(library, long=long), kind)


def test_a_long_frame_has_a_row_a_score() -> None:
    rows = small().to_frame("polars", long=True).rows()
    assert rows[:2] == [("bm25", "401", "AP", 0.1), ("dense", "401", "AP", 0.3)]
    assert cube().to_frame("polars", long=True).filter(pl.col("measure") == "P@10").rows()[1] == (
        "b",
        "q1",
        "P@10",
        7 / 12,
    )


def test_xarray_has_the_labels() -> None:
    array = cube().to_xarray()
    assert array.dims == ("measure", "topic", "system")
    assert float(array.sel(measure="P@10", topic="q2", system="b")) == 9 / 12
    assert float(small().to_xarray().sel(topic="402", system="dense")) == 0.6


def test_a_notebook_shows_the_start_of_the_table() -> None:
    shown = Scores([[0.25, NAN], [0.5, 1e-7]], ["401", "402"], ["bm25", "dense"], missing="keep")._repr_html_()
    assert "<th>topic</th><th>bm25</th><th>dense</th>" in shown
    assert "<td style='text-align:right'>0.2500</td><td style='text-align:right'>–</td>" in shown
    assert "1.0e-07" in shown
    wide = Scores(np.ones((30, 40)))._repr_html_()
    assert wide.count("<tr>") == 21
    assert "… 10 more rows and 29 more columns: .to_frame() has all" in wide
    assert "<th>mean AP</th>" in cube()._repr_html_()
    assert "<th>system</th><th>AP</th>" in cube().system_wise()._repr_html_()
    assert "(topic)" in Scores([[1.0]], systems=["topic"])._repr_html_()


@pytest.mark.parametrize(
    "holes", [[(0, 0)], [(0, 0), (1, 1)], [(0, 1), (1, 1)], [(0, 0), (0, 1), (0, 2)], [(0, 0), (1, 1), (1, 2)]]
)
@pytest.mark.parametrize("kind", ["scores", "cube", "table"])
def test_every_choice_about_missing_cells_that_is_offered_leads_out(kind: str, holes: list[tuple[int, int]]) -> None:
    values = np.arange(6.0).reshape(2, 3)
    for hole in holes:
        values[hole] = NAN

    def make(**options: Any) -> Any:
        if kind == "scores":
            return Scores(values, **options)
        if kind == "cube":
            return ScoreCube(np.stack([np.ones((2, 3)), values]), ["AP", "RR"], **options)
        return MeasureTable(values, ["a", "b"], ["AP", "RR", "P@10"], **options)

    with pytest.raises(TauscopeError) as error:
        make()
    way = error.value.ways_out[0]
    assert isinstance(way, Option)
    assert way.values
    for value in way.values:
        assert make(missing=value).shape
    for value in set(type(make(missing="zero")).MISSING) - {"error", *way.values}:
        with pytest.raises(TauscopeError):
            make(missing=value)
