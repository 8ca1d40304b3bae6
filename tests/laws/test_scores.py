"""Laws of scores: writing and reading keeps every float and every name; methods keep labels and numbers together."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tauscope.data.cube import ScoreCube
from tauscope.data.names import GUPTA2019
from tauscope.data.scores import Scores
from tauscope.data.summaries import is_summary
from tauscope.data.table import MeasureTable
from tauscope.io.read import read_cube, read_scores, read_table
from tauscope.io.write import write_scores

#: Any text that UTF-8 can hold, with a liking for what tables trip over. A text file cannot hold NUL.
NAMES = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8),
    st.sampled_from(
        [
            "topic",
            "system",
            "value",
            "score",
            "measure",
            "name",
            "qid",
            "run",
            "AP",
            "P_10",
            "1",
            "0.5",
            "nan",
            "NA",
            "None",
            "inf",
            "a,b",
            'a"b',
            '"',
            "a\nb",
            "\r",
            " ",
            "#",
            "1_0",
            "-",
            "</script>",
        ]
    ),
).filter(lambda name: not is_summary(name))  # a row called "all" that is the mean of the others is left out, and told
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
CELLS = st.one_of(FLOATS, st.just(float("nan")))
SUFFIXES = [".csv", ".tsv", ".csv.gz", ".csv.zst", ".parquet"]


@st.composite
def scores(draw: st.DrawFn, cells: st.SearchStrategy[float] = FLOATS, measures: bool = True) -> Scores:
    topics = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    systems = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    size = len(topics) * len(systems)
    values = np.array(draw(st.lists(cells, min_size=size, max_size=size))).reshape(len(topics), len(systems))
    values[0] = np.nan_to_num(values[0], posinf=1.0, neginf=1.0)  # a system needs one score at least
    measure = draw(st.sampled_from(["", *GUPTA2019])) if measures else ""
    return Scores(values, topics, systems, measure, missing="keep")


@st.composite
def cubes(draw: st.DrawFn) -> ScoreCube:
    first = draw(scores(measures=False))
    measures = draw(st.lists(st.sampled_from(GUPTA2019), min_size=1, max_size=3, unique=True))
    values = np.stack([first.values / 2.0**9 / (k + 1) for k in range(len(measures))])  # means must not overflow
    return ScoreCube(values, measures, first.topics, first.systems)


def same(first: Scores | ScoreCube | MeasureTable, second: Scores | ScoreCube | MeasureTable) -> bool:
    """Equal, and bit by bit where a number stands: -0.0 is not 0.0 here."""
    return first == second and np.array_equal(np.signbit(first.values), np.signbit(second.values))


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(written=scores())
def test_writing_and_reading_keeps_every_float_and_every_name(suffix: str, written: Scores) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert same(read_scores(write_scores(written, Path(folder) / f"a{suffix}")), written)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("name", ["all", "ALL", "mean", "Average"])
def test_a_name_of_a_summary_survives_where_it_is_none(suffix: str, name: str, tmp_path: Path) -> None:
    values = [[0.1, 0.2, 0.9], [0.4, 0.3, 0.8], [0.7, 0.9, 0.1]]
    for written in (
        Scores(values, ["1", name, "3"], ["a", "b", "c"]),
        Scores(values, ["1", "2", "3"], ["a", name, "c"]),
    ):
        assert same(read_scores(write_scores(written, tmp_path / f"a{suffix}")), written)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@given(written=scores(cells=CELLS))
def test_holes_survive_a_file(suffix: str, written: Scores) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert same(read_scores(write_scores(written, Path(folder) / f"a{suffix}"), missing="keep"), written)


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet"])
@pytest.mark.parametrize("layout", ["auto", "long"])
@given(written=cubes())
def test_cubes_and_their_tables_survive_a_file(suffix: str, layout: str, written: ScoreCube) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a{suffix}"
        assert same(read_cube(write_scores(written, path, layout=layout)), written)
        for table in (written.system_wise(), written.topic_wise()):
            assert same(read_table(write_scores(table, path, layout=layout)), table)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@given(written=scores(measures=False))
@settings(max_examples=20)
def test_a_long_frame_is_read_back(library: str, written: Scores) -> None:
    frame = written.to_frame(library, long=True)
    assert same(read_scores(frame), Scores(written.values, written.topics, written.systems, "score"))


@given(given_scores=scores(), data=st.data())
def test_selecting_keeps_each_number_with_its_labels(given_scores: Scores, data: st.DataObject) -> None:
    topics = data.draw(st.lists(st.sampled_from(given_scores.topics), min_size=1, unique=True))
    systems = data.draw(st.lists(st.sampled_from(given_scores.systems), min_size=1, unique=True))
    chosen = given_scores.select(topics=topics, systems=systems)
    for i, topic in enumerate(topics):
        for j, system in enumerate(systems):
            row, column = given_scores.topics.index(topic), given_scores.systems.index(system)
            assert chosen.values[i, j] == given_scores.values[row, column]


@given(cubes(), st.integers(0, 2**32))
def test_all_measures_of_a_cube_get_the_same_topics(cube: ScoreCube, seed: int) -> None:
    k = len(cube.topics)
    drawn = cube.sample_topics(k, seed, replace=True)
    for measure in cube:
        assert drawn[measure] == cube[measure].sample_topics(k, seed, replace=True)
    assert set(cube.sample_topics(k, seed).topics) == set(cube.topics)


@given(scores(cells=CELLS))
def test_means_are_over_the_topics_that_a_system_has(given_scores: Scores) -> None:
    scaled = Scores(given_scores.values / 1e300 / 1e9, missing="keep")
    for mean, column in zip(scaled.means(), scaled.values.T, strict=True):
        own = column[~np.isnan(column)]
        assert mean == pytest.approx(own.mean(), rel=1e-12, abs=1e-300)


@given(scores(), st.floats(0, 0.99))
def test_dropping_the_worst_keeps_the_best_and_never_all_go(given_scores: Scores, share: float) -> None:
    scaled = Scores(given_scores.values / 1e300 / 1e9, systems=given_scores.systems)
    kept = scaled.drop_worst(share)
    best = scaled.ranking().groups()[0]
    assert set(best) <= set(kept.systems)
    assert len(kept.systems) >= (1 - share) * (len(scaled.systems) - 1)


@given(st.lists(scores(cells=CELLS, measures=False), min_size=1, max_size=3))
def test_stacked_scores_come_apart_again(layers: list[Scores]) -> None:
    named = [Scores(s.values, s.topics, s.systems, GUPTA2019[i], missing="keep") for i, s in enumerate(layers)]
    cube = ScoreCube.stack(named, missing="keep")
    for layer in named:
        for topic in layer.topics:
            for system in layer.systems:
                at = cube.topics.index(topic), cube.systems.index(system)
                own = layer.values[layer.topics.index(topic), layer.systems.index(system)]
                assert np.array_equal(cube.values[(cube.measures.index(layer.measure), *at)], own, equal_nan=True)
