"""One answer, many looks: every renderer shows the same verdict, words and numbers, whatever the names are."""

from __future__ import annotations

import inspect
import json
import pickle
import re
from collections.abc import Callable
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pytest

import tauscope as ts
from tauscope.answers.wording import unmarked
from tauscope.boards.repeats import Repeats
from tauscope.render import html, latex, markdown, terminal
from tauscope.render import json as as_json
from tauscope.results import Result

RNG = np.random.default_rng(7)
HOSTILE = ("<script>alert(1)</script>", "a_b & 50 % $x$", "\x1b[31mred", "| pipe `code` *star*", "x" * 200)


def scores(
    systems: int = 5, topics: int = 12, spread: float = 0.3, systems_: object = None, **known: object
) -> ts.Scores:
    values = spread * np.arange(systems) + np.random.default_rng(systems).normal(size=(topics, systems))
    return ts.Scores(values, systems=systems_, **known)  # type: ignore[arg-type]


def with_holes() -> ts.Scores:
    values = scores(topics=20).values.copy()
    values[np.random.default_rng(1).random(values.shape) < 0.15] = np.nan
    return ts.Scores(values, missing="keep")


def arena(number: int = 300) -> ts.Battles:
    rng, names = np.random.default_rng(2), np.array([f"s{k}" for k in range(5)])
    i = rng.integers(5, size=number)
    j = (i + rng.integers(1, 5, size=number)) % 5
    wins = rng.random(number) < 1 / (1 + np.exp(0.4 * (i - j)))
    winner = np.where(rng.random(number) < 0.2, "tie", np.where(wins, "first", "second"))
    return ts.Battles(names[i], names[j], winner, questions=[str(k % 40) for k in range(number)])


def repeats(topics: int = 12, runs: int = 3, spread: float = 0.3) -> Repeats:
    rng = np.random.default_rng(runs)
    return Repeats(spread * np.arange(5)[None, :, None] + rng.normal(size=(topics, 5, runs)))


def published(values: list[float], names: tuple[str, ...] = ("a", "b", "c", "d", "e", "f", "g")) -> ts.Published:
    return ts.Published(dict(zip(names, values, strict=False)), errors=[0.1] * len(values))


def shifted(*gaps: float, topics: int = 12, noise: float = 0.1, seed: int = 1, **known: object) -> ts.Scores:
    rng = np.random.default_rng(seed)
    values = np.array(gaps) + rng.normal(size=(topics, 1)) + noise * rng.normal(size=(topics, len(gaps)))
    return ts.Scores(values, **known)  # type: ignore[arg-type]


def differences(*gaps: float, truth: tuple[float, ...] | None = None, **options: object) -> ts.Significance:
    gold = None if truth is None else shifted(*truth, seed=2)
    return ts.significance(shifted(*gaps), truth=gold, **({"draws": 199} | options))  # type: ignore[arg-type]


def judged(systems: int = 14, topics: int = 30, lean: float = 0.0, noise: float = 0.5, **options: object) -> Result:
    """A judge beside a truth; `lean` moves systems, and `noise` single scores."""
    rng = np.random.default_rng(11)
    truth = 0.3 * np.arange(systems) + rng.normal(size=(topics, systems))
    judge = truth + lean * rng.normal(size=systems) + noise * rng.normal(size=truth.shape)
    names = [f"s{k}" for k in range(systems)]
    known: dict[str, object] = {"systems": options.pop("systems_", names)}
    gold = ts.Scores(truth, collection=str(options.pop("name", "")), **known)  # type: ignore[arg-type]
    return ts.compare(ts.Scores(judge, **known), truth=gold, **options)  # type: ignore[arg-type, no-any-return]


def several_judges(names: tuple[str, ...] = ("gpt", "crowd", "rules"), lean: float = 0.6) -> Result:
    rng = np.random.default_rng(12)
    truth = 0.3 * np.arange(9) + rng.normal(size=(30, 9))
    judges = {
        name: ts.Scores(truth + k * lean * rng.normal(size=9) + 0.3 * rng.normal(size=truth.shape))
        for k, name in enumerate(names)
    }
    return ts.compare(judges, truth=ts.Scores(truth))  # type: ignore[no-any-return]


def three_people() -> dict[str, ts.Scores]:
    rng = np.random.default_rng(13)
    truth = 0.3 * np.arange(8) + rng.normal(size=(20, 8))
    return {name: ts.Scores(truth + 0.3 * rng.normal(size=truth.shape)) for name in ("ann", "bob", "eve")}


ONES = ts.Scores(np.ones((6, 4)), systems=list("abcd"))
#: Class -> results of different sizes and verdicts.
EXAMPLES: dict[str, list[Callable[[], Result]]] = {
    "Comparison": [
        lambda: judged(),
        lambda: judged(lean=0.3, name="people"),
        lambda: judged(lean=3.0, margin=0.7),
        lambda: judged(topics=6, noise=2.0, level=0.9),
        lambda: judged(topics=200, noise=0.1, groups={f"s{k}": "own" if k % 3 else "other" for k in range(14)}),
        lambda: judged(lean=1.0, groups={f"s{k}": f"team {k % 2}" for k in range(14)}),
        lambda: judged(resample="systems"),
        lambda: judged(resample="both", coefficient="tau_ap"),
        lambda: judged(systems=5, topics=2),
        lambda: judged(systems=5, topics=1),
        lambda: judged(systems=1),
        lambda: judged(systems=2, topics=5),
        lambda: judged(systems=60, topics=20),
        lambda: judged(noise=0.0),  # both sides hold the same scores
        lambda: ts.compare(ONES, truth=ts.Scores(np.random.default_rng(1).normal(size=(6, 4)), systems=list("abcd"))),
        lambda: ts.audit(next(iter(three_people().values())), people=three_people())["judge"],
        lambda: judged(systems=len(HOSTILE), systems_=list(HOSTILE), name=HOSTILE[0], groups={h: h for h in HOSTILE}),
    ],
    "Comparisons": [
        lambda: several_judges(),
        lambda: several_judges(("one", "other"), lean=4.0),
        lambda: several_judges(("one", "other"), lean=0.0),
        lambda: several_judges(HOSTILE),
    ],
    "Significance": [
        lambda: differences(0, 1, 2),
        lambda: differences(0, 1, 1, 2),
        lambda: differences(0, 1, correction=None, test="permutation"),
        lambda: differences(0, 0, test="wilcoxon", correction="fdr"),
        lambda: differences(0, 0, 0, test="permutation"),
        lambda: differences(0, 1, 2, draws=9),
        lambda: ts.significance(shifted(0, 1, 1, topics=3)),
        lambda: ts.significance(shifted(0, 1, 1, topics=3), correction="holm", test="permutation"),
        lambda: ts.significance(ts.Scores(np.ones((8, 3))), test="t", correction="holm"),
        lambda: ts.significance(shifted(0, 1, 1, topics=18, clusters=[f"c{k // 2}" for k in range(18)])),
        lambda: ts.significance(shifted(*np.linspace(0, 3, 70)), draws=99),
        lambda: differences(0, 1, 2, truth=(0, 1, 2)),
        lambda: differences(0, 1, truth=(0, 1)),
        lambda: differences(0, 1, 1, truth=(0, 0, 1)),
        lambda: differences(0, 1, 2, truth=(0, 1, 1)),
        lambda: differences(0, 0, truth=(0, 1)),
        lambda: differences(0, 0, 0, truth=(0, 1, 2)),
        lambda: differences(1, 0, truth=(0, 1)),
        lambda: differences(1, 0, 2, truth=(0, 1, 2), test="wilcoxon"),
        lambda: differences(0, 0, truth=(0, 0)),
        lambda: differences(0, 1, truth=(0, 0)),
        lambda: ts.significance(shifted(0, 1, topics=3), truth=shifted(0, 1)),
        lambda: ts.significance(shifted(0, 1, topics=9), truth=shifted(0, 1, topics=4)),
        lambda: ts.significance(
            shifted(*range(len(HOSTILE)), systems=HOSTILE, collection=HOSTILE[0]),
            truth=shifted(*range(len(HOSTILE)), systems=HOSTILE, collection=HOSTILE[1]),
        ),
        lambda: ts.significance(shifted(*range(len(HOSTILE)), systems=HOSTILE, collection=HOSTILE[0])),
    ],
    "ExpectedCorrelation": [
        lambda: ts.expected_correlation(scores()),
        lambda: ts.expected_correlation(scores(spread=3.0, topics=40)),
        lambda: ts.expected_correlation(scores(systems=25, topics=60, spread=0.5), "tau_ap"),
        lambda: ts.expected_correlation(scores(systems=2, topics=3)),
        lambda: ts.expected_correlation(scores(topics=2), "tau_b"),
        lambda: ts.expected_correlation(scores(topics=1)),
        lambda: ts.expected_correlation(ts.Scores([[0.1], [0.2], [0.3]])),
        lambda: ts.expected_correlation(ts.Scores(np.ones((6, 3)))),
        lambda: ts.expected_correlation(scores(topics=3), method="split_half"),
        lambda: ts.expected_correlation(scores(), method="split_half", replace=False, draws=100),
        lambda: ts.expected_correlation(ts.Scores(np.tile([0.4, 0.3, 0.2], (6, 1))), method="shw"),
        lambda: ts.expected_correlation(ts.Scores(np.repeat(scores(systems=3).values, 2, axis=1)), "tau", "ml"),
        lambda: ts.expected_correlation(ts.Scores(RNG.normal(size=(30, 8)))),
        lambda: ts.expected_correlation(with_holes(), missing="adjusted", level=0.9),
        lambda: ts.expected_correlation(scores(systems=len(HOSTILE), collection=HOSTILE[0], systems_=HOSTILE)),
    ],
    "VarianceComponents": [
        lambda: ts.variance_components(scores()),
        lambda: ts.variance_components(repeats()),
        lambda: ts.variance_components(repeats(spread=0.0), target=0.9),
        lambda: ts.variance_components(repeats(topics=60, spread=2.0), runs=1, level=0.9),
        lambda: ts.variance_components(scores(systems=2, topics=3)),
        lambda: ts.variance_components(ts.Scores(np.ones((4, 3)))),
        lambda: ts.variance_components(scores(systems=len(HOSTILE), collection=HOSTILE[0])),
    ],
    "Ranks": [
        lambda: ts.rank(scores()),
        lambda: ts.rank(scores(systems=4, topics=30, spread=3.0)),
        lambda: ts.rank(scores(systems=30, topics=40)),
        lambda: ts.rank(scores(systems=3, topics=4)),
        lambda: ts.rank(scores(systems=2, topics=2)),
        lambda: ts.rank(ts.Scores(np.ones((6, 3)))),
        lambda: ts.rank(ts.Scores([[0.5, 0.5, 0.1]] * 10)),
        lambda: ts.rank(published([5.0, 3.0, 1.0])),
        lambda: ts.rank(published([2.0, 2.0])),
        lambda: ts.rank(arena(), level=0.9),
        lambda: ts.rank(ts.bradley_terry(arena(), clusters="question", prior=1.0)),
        lambda: ts.rank(with_holes()),
        lambda: ts.rank(with_holes(), "borda"),
        lambda: ts.rank(scores(), "median"),
        lambda: ts.rank(scores(topics=24, clusters={str(i): str(i % 8) for i in range(1, 25)})),
        lambda: ts.rank(repeats()),
        lambda: ts.rank(scores(systems=130, topics=30)),
        lambda: ts.rank(scores(systems=len(HOSTILE), collection=HOSTILE[0], systems_=HOSTILE)),
    ],
    "Neighbours": [
        lambda: ts.rank(scores()).neighbours,
        lambda: ts.rank(scores(systems=4, topics=30, spread=3.0)).neighbours,
        lambda: ts.rank(ts.Scores(np.ones((6, 3)))).neighbours,
        lambda: ts.rank(scores(), "median").neighbours,
        lambda: ts.rank(published([5.0, 3.0, 3.0])).neighbours,
        lambda: ts.rank(scores(systems=2, topics=2)).neighbours,
        lambda: ts.rank(scores(systems=len(HOSTILE), systems_=HOSTILE)).neighbours,
    ],
    "BestSet": [
        lambda: ts.rank(scores()).best_set(),
        lambda: ts.rank(scores(systems=4, topics=30, spread=3.0)).best_set(),
        lambda: ts.rank(ts.Scores(np.ones((6, 3)))).best_set(),
        lambda: ts.rank(with_holes()).best_set(),
        lambda: ts.rank(scores(), "median").best_set(),
        lambda: ts.rank(published([5.0, 3.0, 1.0])).best_set(),
        lambda: ts.rank(scores(systems=len(HOSTILE), systems_=HOSTILE)).best_set(),
    ],
    "OneRank": [
        lambda: ts.rank(scores()).one("3"),
        lambda: ts.rank(scores(systems=4, topics=30, spread=3.0)).one("1"),
        lambda: ts.rank(with_holes()).one("2"),
        lambda: ts.rank(scores(), "median").one("1"),
        lambda: ts.rank(arena()).one("s0"),
        lambda: ts.rank(scores(systems=len(HOSTILE), systems_=HOSTILE)).one(HOSTILE[0]),
    ],
    "RuleComparison": [
        lambda: ts.rank(scores()).under_rules(),
        lambda: ts.rank(scores(spread=3.0)).under_rules(["mean", "borda"]),
        lambda: ts.rank(with_holes()).under_rules(["mean", "borda", "copeland"]),
        lambda: ts.rank(scores()).under_rules(["z"]),
        lambda: ts.rank(scores(topics=24, clusters={str(i): str(i % 8) for i in range(1, 25)})).under_rules(),
        lambda: ts.rank(scores(systems=len(HOSTILE), systems_=HOSTILE)).under_rules(),
    ],
    "Fragility": [
        lambda: ts.rank(scores()).fragility(),
        lambda: ts.rank(scores(spread=0.5)).fragility("5", "1"),
        lambda: ts.rank(arena()).fragility(),
        lambda: ts.rank(arena()).fragility("s0", "s3"),
        lambda: ts.rank(ts.Scores([[2.0, 1.0], [2.0, 0.5]])).fragility(),
        lambda: ts.rank(scores(systems=len(HOSTILE), systems_=HOSTILE)).fragility(),
    ],
    "Versions": [
        lambda: ts.versions([published([5.0, 3.0, 1.0]), published([5.1, 3.1, 1.2])]),
        lambda: ts.versions({"May": published([5.0, 3.0, 1.0]), "June": published([1.0, 3.0, 9.0])}),
        lambda: ts.versions({"May": published([5.0, 3.0, 1.0]), "June": published([5.0, 3.0, 2.0, 7.0])}),
        lambda: ts.versions([published([2.0, 2.0]), published([2.0, 2.0])], level=0.9),
        lambda: ts.versions([scores(), scores(topics=30)]),
        lambda: ts.versions([published([k, 3.0, 5 - k, *[9.0] * k]) for k in (1, 2, 4)]),
        lambda: ts.versions(dict(zip(HOSTILE, [published([k, 3.0, 1.0], HOSTILE) for k in range(5)], strict=True))),
    ],
}
MADE = [pytest.param(make, id=f"{name}-{k}") for name, all_of in EXAMPLES.items() for k, make in enumerate(all_of)]


def test_every_class_of_facts_has_examples() -> None:
    classes = {name for name in ts.__all__ if inspect.isclass(one := getattr(ts, name)) and issubclass(one, Result)}
    assert classes <= set(EXAMPLES)


def test_every_verdict_on_differences_has_an_example() -> None:
    assert {make().to_dict()["verdict"] for make in EXAMPLES["Significance"]} == {
        "all", "some", "none", "impossible", "same", "partly", "none_kept", "reversed", "nothing_to_keep"
    }  # fmt: skip


@pytest.mark.parametrize("make", MADE)
def test_every_renderer_shows_the_verdict_the_headline_and_the_numbers(make: Callable[[], Result]) -> None:
    result = make()
    answer = result.answer()
    document = as_json.document(result)
    json.dumps(document, allow_nan=False)
    looks = {
        "terminal": " ".join(terminal.render(answer).split()),
        "markdown": re.sub(r"\\(.)", r"\1", markdown.render(answer)),
        "json": json.dumps(document, ensure_ascii=False),
        "html": " ".join(unescape(re.sub(r"<[^>]+>", "", html.render(answer))).split()),
    }
    for name, text in looks.items():
        assert "⟨U+E00" not in text, name  # a mark in a chart
        for words in (answer.verdict.label, answer.verdict.headline, *(number.value for number in answer.numbers)):
            assert unmarked(words) in text.replace("**", ""), (name, words)


@pytest.mark.parametrize("make", MADE)
def test_sentences_are_complete_short_and_in_the_right_number(make: Callable[[], Result]) -> None:
    answer = make().answer()
    assert len(unmarked(answer.verdict.headline).split()) <= 25
    said = [answer.verdict.headline, answer.verdict.rule, *answer.advice.paragraphs, *answer.claims.may]
    said += [*answer.claims.may_not, *(p for prose in answer.prose for p in prose.paragraphs)]
    for marked in said:
        text = unmarked(marked)
        assert text, "an empty sentence"
        assert marked[0].isupper() or not marked[0].isalpha(), text  # a name stays as it is
        assert text.endswith((".", ")")), text
        assert not re.search(
            r"\b1 (systems|topics|runs)\b|\bnan\b|\binf\b|\bNone\b(?! of)|  | \.|(?<!\w)\(\)|\{", text
        ), text


@pytest.mark.parametrize("make", MADE)
def test_a_result_pickles_and_says_the_same_afterwards(make: Callable[[], Result]) -> None:
    result = make()
    again = pickle.loads(pickle.dumps(result))
    assert str(again) == str(result)
    assert again.to_dict() == result.to_dict()


@pytest.mark.parametrize("make", MADE)
def test_facts_become_a_frame_a_table_for_a_paper_and_a_chart(make: Callable[[], Result]) -> None:
    import matplotlib as mpl

    mpl.use("agg")
    result = make()
    frame = result.to_frame("pandas")
    assert len(frame) == len(next(iter(result.columns().values())))
    table = result.to_latex(caption="All & more", label="tab:one")
    assert table.startswith("\\begin{table}")
    assert r"\caption{All \& more}" in table
    assert table.count("\\toprule") == table.count("\\bottomrule") == 1
    numbers = re.search(r"\d\.\d", table.partition("midrule")[2])
    assert result.to_latex(digits=1) != result.to_latex(digits=4) or not numbers
    if not result.answer().charts:
        assert result.to_dict()["verdict"] == "undefined"
        return
    axes = result.plot()
    assert axes.has_data()
    assert axes.get_xlabel() or not axes.axison
    assert result.plot(ax=axes) is axes
    import matplotlib.pyplot as plt

    plt.close("all")


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.found.append(tag)


@pytest.mark.parametrize("make", [pytest.param(of[-1], id=name) for name, of in EXAMPLES.items()])
def test_hostile_names_stay_text(make: Callable[[], Result]) -> None:
    result = make()
    tags = Tags()
    page = html.render(result.answer())
    tags.feed(page)
    assert tags.found.count("script") == 1  # that of the page
    assert "default-src 'none'" in page
    assert "\x1b" not in terminal.render(result.answer())
    assert "50 % $x$" not in latex.render(result.answer())


def test_a_wrong_kind_of_chart_is_answered_with_those_there_are() -> None:
    with pytest.raises(ts.errors.CallError, match='kind="shares"'):
        ts.variance_components(scores()).plot(kind="pie")


def test_answers_speak_in_the_words_of_the_user() -> None:
    result = ts.variance_components(scores())
    with ts.results.wording(systems="models", topics="tasks"):
        text = str(result)
    assert "models" in text
    assert "tasks" in text
    assert "systems" not in text


def test_warnings_about_the_data_are_shown_once() -> None:
    result = ts.variance_components(ts.Scores(np.ones((4, 3))))
    for text in (str(result), result.to_markdown()):
        assert text.count("the same score on every topic") == 2  # the headline and the warning about copies
