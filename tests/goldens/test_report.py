"""The report: numbers on the page are numbers of the API, section by section; the same input gives the same bytes."""

from __future__ import annotations

import ast
import html
import json
import re
from functools import cache
from pathlib import Path

import jinja2
import numpy as np
import pytest

import tauscope
from tauscope import ScoreCube, Scores, judged_at, report
from tauscope.cli import main
from tauscope.errors import AlignmentError, CallError, FileError, Option
from tauscope.page.chart_data import packed
from tauscope.page.html import TEMPLATES, escape, templates
from tauscope.page.parts import Name, readable, text_of
from tauscope.page.sections import SECTIONS, repeat
from tauscope.page.vega import Bundle
from tauscope.results import number

TOPICS, SYSTEMS = 25, 14
NAMES = tuple(f"s{i:02}" for i in range(SYSTEMS))


def scores(seed: int, measure: str = "AP", noise: float = 0.1) -> Scores:
    truth = np.linspace(0.7, 0.3, SYSTEMS)
    topics = np.random.default_rng(99).normal(0, 0.08, (TOPICS, 1))
    values = truth + topics + np.random.default_rng(seed).normal(0, noise, (TOPICS, SYSTEMS))
    return Scores(np.clip(values, 0, 1), systems=NAMES, measure=measure, collection="made up")


@pytest.fixture(scope="module")
def human() -> ScoreCube:
    return ScoreCube.stack([scores(1), scores(2, "P@10", 0.2), scores(3, "RR", 0.3)])


@pytest.fixture(scope="module")
def machine() -> Scores:
    return scores(7)


@pytest.fixture(scope="module")
def page(human: ScoreCube, machine: Scores) -> tauscope.Report:
    groups = {name: "own" if i % 2 else "other" for i, name in enumerate(NAMES)}
    return report(machine, truth=human, names=("human", "machine"), groups=groups, margin=0.7, rng=5)


@cache
def several() -> tauscope.Report:
    judges = {"near": scores(7), "far": scores(8, noise=0.4), "nearer": scores(9, noise=0.05)}
    return report(judges, truth=scores(1), rng=1)


@cache
def published() -> tauscope.Report:
    board = tauscope.PublishedScores({"x": 1470, "y": 1446, "z": 1441}, intervals=["+5/-5", "+6/-6", "± 9"])
    return report(board, rng=1)


def words(page: tauscope.Report, section: str) -> str:
    return " ".join(page.to_dict()["sections"][[s.id for s in page.sections].index(section)]["words"])


def test_the_sections_are_in_their_order(page: tauscope.Report) -> None:
    assert [s.id for s in page.sections] == [
        "judge",
        "compared",
        "holds",
        "agree",
        "disagree",
        "topics",
        "measures",
        "findings",
        "repeat",
    ]
    assert "judge" in page
    with pytest.raises(CallError, match="There is no section 'nothing'; there are judge, compared"):
        page["nothing"]


def test_whether_the_judge_can_stand_in_is_compare(page: tauscope.Report, human: ScoreCube, machine: Scores) -> None:
    result = tauscope.compare(machine, truth=human["AP"], coefficient="tau_b", rng=5)
    ceiling, text = result.noise_ceiling, words(page, "judge")
    for value in (result.observed, result.corrected, result.at_least(), ceiling):
        assert number(value) in text
    assert page["judge"].data["comparisons"][0] == result.agreements["whole"].to_dict()
    assert text.startswith("Can replace" if result.at_least() > 0.7 else "Not shown, ")
    assert "the stated margin of 0.7" in text
    assert page["judge"].data["top"]["value"] == tauscope.tau_b(machine, human["AP"], top_k=10).value
    assert page["judge"].data["bias"] == result.bias.to_dict()
    agreement = tauscope.significance(machine, truth=human["AP"], alpha=1 - 0.95, rng=5)
    facts = agreement.to_dict()
    stored = page.to_dict()["sections"][[section.id for section in page.sections].index("judge")]["data"][
        "significance"
    ]
    assert stored == {name: facts[name] for name in agreement.facts()}
    assert (
        f"Of {agreement.truth_significant} significant differences under the reference, "
        f"machine keeps {agreement.kept}, misses {agreement.missed} and reverses {agreement.reversed}" in text
    )
    assert "the judge" not in text


def test_what_was_compared_counts_systems_topics_and_ties(page: tauscope.Report, human: ScoreCube) -> None:
    text = words(page, "compared")
    assert text.startswith("14 systems on 25 topics by AP; machine is measured against human (the reference).")
    assert "There are 3 measures: AP, P@10, RR. This page looks at AP" in text
    assert "Ties: 0 of 91 pairs of systems are tied in human." in text
    ranking = page["compared"].tables[0]
    ranks = dict(zip(human["AP"].systems, human["AP"].ranking().ranks().tolist(), strict=True))
    assert [(row[0], row[1]) for row in ranking.rows] == sorted(ranks.items(), key=lambda item: item[1])


def test_whether_it_holds_is_expected_correlation_ranks_and_tiers(page: tauscope.Report, human: ScoreCube) -> None:
    tau, tau_ap = (tauscope.expected_correlation(human["AP"], name, rng=5) for name in ("tau", "tau_ap"))
    data, text = page["holds"].data, words(page, "holds")
    assert (data["tau"], data["tau_ap"]) == (tau.to_dict(), tau_ap.to_dict())
    assert f"an expected tau of {number(tau.value)} [{number(tau.interval.low)}, {number(tau.interval.high)}]" in text
    assert data["ranks"] == tauscope.rank(human["AP"], rng=5).to_dict()
    assert data["topics_needed"] == [e.topics_needed(0.9).to_dict() for e in (tau, tau_ap)]
    assert f"{tau.topics_needed(0.9).lines()[0]}." in text
    assert f"{len(tau.doubtful_pairs()):,} of 91" in text


def test_whether_they_agree_is_the_coefficient_that_fits(
    page: tauscope.Report, human: ScoreCube, machine: Scores
) -> None:
    every = tauscope.correlate(machine, truth=human["AP"])
    table = {row[0]: row[1] for row in page["agree"].tables[0].rows}
    assert table == {r.coefficient.name: r.value for r in every}
    text = words(page, "agree")
    assert f"tau_b = {number(every['tau_b'].value)}, tau_ap = {number(every['tau_ap'].value)} over 14 systems" in text
    assert "Why tau_b: tau_b is the default; without ties it is tau." in text
    assert (
        page["agree"].data["without_noise"][0]
        == tauscope.compare(machine, truth=human["AP"], coefficient="tau_b", rng=5).agreements["whole"].to_dict()
    )


def test_where_they_disagree_is_the_pair_table(page: tauscope.Report, human: ScoreCube, machine: Scores) -> None:
    result = tauscope.tau_ap(machine, truth=human["AP"])
    pairs = [pair for pair in result.heaviest(50) if pair.loss > 0]
    assert [row[:2] for row in page["disagree"].tables[1].rows] == [(p.first, p.second) for p in pairs]
    assert sum(row[4] for row in page["disagree"].tables[1].rows) == pytest.approx(1 - result.value, abs=1e-12)
    one = machine.systems[3]
    rest = [s for s in NAMES if s != one]
    without = tauscope.tau_b(machine.select(systems=rest), human["AP"].select(systems=rest)).value
    assert page["disagree"].data["without"][one] == pytest.approx(without, abs=1e-12)


def test_topic_by_topic_and_measures_are_those_of_the_api(
    page: tauscope.Report, human: ScoreCube, machine: Scores
) -> None:
    topics = tauscope.correlate_topics(machine, truth=human["AP"], coefficient="tau_b")
    assert page["topics"].data == topics.to_dict()
    assert f"mean tau_b {number(topics.mean)}" in words(page, "topics")
    ranked = tauscope.rank_measures(human, "exact", scale="correlation", keep=3)
    assert page["measures"].data["ranking"] == ranked.to_dict()
    assert words(page, "measures").startswith(f"To report: {', '.join(ranked.kept)}, in this order")


def test_the_linter_and_how_to_repeat_it_are_there(page: tauscope.Report, human: ScoreCube) -> None:
    assert page["findings"].data["human"] == tauscope.check_scores(human["AP"]).to_dict()
    data = page["repeat"].data
    assert (data["seed"], data["versions"]["tauscope"]) == (5, tauscope.__version__)
    assert {"urbano2016", "yilmaz2008", "mogstad2024"} <= set(data["cited"])


def test_every_number_of_a_table_is_in_the_html_as_it_is(page: tauscope.Report) -> None:
    text = page.html()
    for section in page.sections:
        for table in section.tables:
            for row in table.rows:
                for column, value in zip(table.columns, row, strict=True):
                    if column.kind == "number" and value is not None and value == value:
                        assert f'data-value="{value:.10g}"' in text


def test_the_same_input_and_seed_give_the_same_bytes(page: tauscope.Report, human: ScoreCube, machine: Scores) -> None:
    groups = {name: "own" if i % 2 else "other" for i, name in enumerate(NAMES)}
    again = report(machine, truth=human, names=("human", "machine"), groups=groups, margin=0.7, rng=5)
    assert again.html() == page.html()
    assert again.to_json() == page.to_json()
    assert report(machine, rng=6).to_json() != report(machine, rng=5).to_json()


def test_a_single_matrix_has_no_sections_about_two(machine: Scores) -> None:
    page = report(machine, rng=1)
    assert [s.id for s in page.sections] == ["compared", "holds", "findings", "repeat"]
    assert str(page).startswith("made up: 14 systems, 25 topics, AP\n")
    assert report(machine.select(topics=["1"]), rng=1)["compared"].words
    assert "holds" not in report(machine.select(topics=["1"]), rng=1)


def test_two_rankings_without_topics_are_compared_too() -> None:
    page = report({"a": 3, "b": 2, "c": 1, "d": 0}, truth={"a": 3, "b": 1, "c": 2, "d": 0}, rng=1)
    assert [s.id for s in page.sections] == ["compared", "agree", "disagree", "repeat"]
    assert "tau_b = 0.667" in words(page, "agree")


def test_measures_that_differ_are_both_in_the_heading(human: ScoreCube, machine: Scores) -> None:
    page = report(machine, truth=human["P@10"], rng=1)
    assert page.to_dict()["sections"][0]["heading"] == "Can one stand in for the other? · AP against P@10"
    assert page["judge"].data["bias"] is None


def test_systems_on_one_side_are_an_error_or_dropped(machine: Scores) -> None:
    fewer = machine.select(systems=NAMES[1:])
    with pytest.raises(
        AlignmentError, match=r"1 of 14 systems is only in estimate: 's00'\.\nRankings .* one_sided=\"drop\""
    ) as error:
        report(machine, truth=fewer, rng=1)
    assert error.value.ways_out == (Option("one_sided", "drop", effect="to compare the 13 they share"),)
    page = report(machine, truth=fewer, one_sided="drop", rng=1)
    assert "1 system only in estimate left out: 's00'" in words(page, "compared")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda s: report(s, s), "which side is the truth"),
        (lambda s: report(3), "report\\(\\) takes Scores, ScoreCube or Ranking"),
        (lambda s: report(s, truth=s, names=("one",)), "give 2 of them, the reference first"),
        (lambda s: report(s, aggregate="median"), "aggregate='median' is unknown"),
        (lambda s: report(s, aggregate="group-mean"), "needs groups of topics"),
        (lambda s: report(s, one_sided="maybe"), "one_sided='maybe' is unknown"),
        (lambda s: report(s, level=95), "level"),
        (lambda s: report(s, truth=s, margin=5), "margin=5: margin is a number above -1 and below 1"),
        (lambda s: report(s, truth=s, margin=1), "margin=1"),
        (lambda s: report(s, truth=s, margin="0.8"), "margin='0.8': margin is a number"),
        (lambda s: report(s, truth=s, qrels={}), "truth and qrels both say who is the reference"),
        (lambda s: report({}, qrels=[]), "0 qrels: give one"),
        (lambda s: report(s, truth=s, margin=float("nan")), "margin=nan"),
        (lambda s: report(s, rng=1).write("report.pdf"), "written as .html, .json or .md"),
        (lambda s: report(s, rng=1).save_figures("x", ["bmp"]), "'bmp' is no format"),
    ],
)
def test_a_wrong_call_is_told_what_to_do(machine: Scores, call, said: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(CallError, match=said):
        call(machine)


def test_a_leaderboard_with_holes_speaks_of_models_and_tasks_and_puts_ranks_first(machine: Scores) -> None:
    values = machine.values.copy()
    values[np.random.default_rng(1).random(values.shape) < 0.1] = np.nan
    board = Scores(values, systems=NAMES, missing="keep")
    with tauscope.wording(systems="models", topics="tasks"):
        page = report(board, leaderboard=True, rng=1)
        text = page.markdown()
    assert page.sections[0].id == "holds"
    assert "These tasks were chosen, not sampled" in text
    with tauscope.wording(systems="models", topics="tasks"):
        assert tauscope.rank(board, rng=1).to_dict().items() <= page["holds"].data.items()
    assert "systems" not in re.sub(r"`[^`]*`|```.*?```", "", text.split("## What the linter")[0])


def test_figures_are_files_named_after_their_sections(machine: Scores, tmp_path: Path) -> None:
    files = report(machine, rng=1).save_figures(tmp_path / "figures", ["pdf,svg", "png"])
    assert sorted({file.stem for file in files}) == ["holds-curve", "holds-ranks", "holds-swaps"]
    starts = {"pdf": b"%PDF", "svg": b"<svg", "png": b"\x89PNG"}
    assert all(file.read_bytes().startswith(starts[file.suffix[1:]]) for file in files)
    assert (
        b"/FontFile" in (tmp_path / "figures" / "holds-ranks.pdf").read_bytes()
        or b"/Type0" in (tmp_path / "figures" / "holds-ranks.pdf").read_bytes()
    )


def test_no_chart_has_more_than_5000_marks() -> None:
    values = np.random.default_rng(1).random((6, 150))
    page = report(Scores(values), rng=1)
    for figure in (figure for section in page.sections for figure in section.figures):
        tables = packed(figure.chart)["datasets"].values()
        assert (
            sum(len(t["columns"][0]["at"] if isinstance(t["columns"][0], dict) else t["columns"][0]) for t in tables)
            <= 5000
        )


def test_names_are_text_and_nothing_else() -> None:
    assert escape("</script>\"'&\r\x00") == "&lt;/script&gt;&quot;&#x27;&amp;&#13;\ufffd"
    assert escape("\ud800") == "?"
    assert readable("a\u202eb\nc") == "a⟨U+202E⟩b⟨U+000A⟩c"
    assert len(str(Name("x" * 10_000))) < 80


@pytest.mark.parametrize("text", ["<b>&\"'", "{{ 7 * 7 }}", "{% raw %}", "a\rb", "\ud800"])
def test_whatever_a_template_prints_is_escaped(text: str) -> None:
    printed = templates().from_string("<p title='{{ text }}'>{{ text }}</p>").render(text=text)
    assert printed == f"<p title='{escape(text)}'>{escape(text)}</p>"
    assert "7 * 7" in printed or "49" not in printed


def test_a_name_that_no_template_was_given_is_an_error() -> None:
    with pytest.raises(jinja2.UndefinedError, match="nothing"):
        templates().from_string("{{ nothing }}").render()


def test_every_template_is_used_and_switches_escaping_nowhere_off() -> None:
    texts = {file.name: file.read_text(encoding="utf-8") for file in TEMPLATES.glob("*.html")}
    together = "".join(texts.values())
    assert {name for name in texts if f'"{name}"' not in together} == {"page.html"}
    assert not re.search(r"\|\s*safe|autoescape|Markup", together)


def test_sections_never_build_markup() -> None:
    folder = TEMPLATES.parent
    for file in (
        *folder.glob("*.py"),
        *(one for own in ("sections", "facts", "screens") for one in folder.glob(f"{own}/*.py")),
    ):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert not re.search(r"</|<[a-z]+[ >]", node.value), f"{file.name}:{node.lineno}"


def test_a_section_has_the_name_of_its_module(page: tauscope.Report) -> None:
    modules = [str(module.__name__).rpartition(".")[2] for module in (*SECTIONS, repeat)]  # type: ignore[attr-defined]
    assert sorted((section.id for section in page.sections), key=modules.index) == [s.id for s in page.sections]
    assert set(modules) - {section.id for section in page.sections} == {"judges", "audit", "board"}
    assert [s.id for s in several().sections if s.id in ("judges", "board")] == ["judges"]
    assert [s.id for s in published().sections] == ["board", "compared", "repeat"]


def test_markdown_of_hostile_names_has_no_markup() -> None:
    hostile = ("|a|", "`b`", "<b>", "[x](javascript:alert(1))", "a\nb", "**c**")
    page = report(Scores(np.random.default_rng(1).random((5, 6)), systems=hostile), rng=1)
    text = page.markdown()
    rows = [line for line in text.splitlines() if line.startswith("|")]
    cells = {len(re.split(r"(?<!\\)\|", row)) for row in rows[: len(hostile) + 2]}
    assert cells == {5}
    assert not re.search(r"(?<!`)<b>(?!`)", text)


def test_the_bundle_is_kept_and_a_damaged_or_unwritable_cache_is_no_error(tmp_path: Path) -> None:
    first = Bundle(tmp_path)
    text = first.text()
    assert "vegaEmbed" in text
    assert first.file is not None
    assert Bundle(tmp_path)._maker is None
    first.file.write_bytes(b"0" * 64 + b"\nalert(1)")
    damaged = Bundle(tmp_path)
    assert damaged._maker is not None
    damaged.close()
    (tmp_path / "file").write_text("no folder")
    assert Bundle(tmp_path / "file" / "below").text() == text


def test_the_command_writes_the_page_and_prints_its_summary(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    machine: Scores,
    human: ScoreCube,
) -> None:
    monkeypatch.chdir(tmp_path)
    tauscope.write_scores(machine, tmp_path / "machine.csv")
    tauscope.write_scores(human, tmp_path / "human.csv")
    assert main(["report", "machine.csv", "--truth", "human.csv", "-m", "AP", "--seed", "5"]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    lines = said.out.splitlines()
    assert lines[0] == "# `machine against human`"
    assert lines[-1] == "page: report.html"
    assert len(lines) < 24
    assert main(["report", "machine.csv", "--truth", "human.csv", "-m", "AP", "--seed", "5", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    expected = tauscope.expected_correlation(human["AP"], "tau", rng=5).to_dict()
    assert next(s for s in shown["sections"] if s["id"] == "holds")["data"]["tau"] == json.loads(json.dumps(expected))
    assert main(["report", "machine.csv", "--markdown"]) == 0
    assert capsys.readouterr().out.startswith("# `")
    assert html.unescape((tmp_path / "report.html").read_text(encoding="utf-8")).count('<h2 id="') == len(
        shown["sections"]
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing.csv"], "nothing.csv"),
        (["a.csv", "--json", "--markdown"], "choose one"),
        (["a.csv", "--truth", "a.csv", "--qrels", "q"], "with --qrels the first judgments are the reference"),
        (["a.csv", "--groups", "g.csv"], "g.csv:2: 1 column; a file of groups has two"),
        (["a.csv", "--names", "one,two", "--output", "report.docx"], "written as .html, .json or .md"),
    ],
)
def test_the_command_says_what_is_wrong_without_a_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("topic,x,y\n1,0.5,0.3\n2,0.4,0.1\n3,0.4,0.2\n")
    (tmp_path / "g.csv").write_text("run,group\nx\n")
    assert main(["report", *arguments]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "Traceback" not in error


def test_groups_are_read_with_and_without_a_header(tmp_path: Path) -> None:
    from tauscope.files import read_groups

    (tmp_path / "g.csv").write_text('run,group\n"a,1",x\nb,y\n')
    assert read_groups(tmp_path / "g.csv") == {"a,1": "x", "b": "y"}
    (tmp_path / "h.csv").write_text("a,x\na,y\n")
    with pytest.raises(FileError, match=r"h\.csv:2: 'a' is in 'x' and in 'y'"):
        read_groups(tmp_path / "h.csv")


def test_a_yes_over_all_ranks_does_not_hide_a_no_at_the_top() -> None:
    rng = np.random.default_rng(1)
    truth = np.linspace(0.8, 0.2, 40)
    turned = truth.copy()
    turned[:6] = turned[:6][::-1]
    human, judge = (Scores(means + rng.normal(0, 0.01, (30, 40)), measure="AP") for means in (truth, turned))
    text = words(report(judge, truth=human, margin=0.9, rng=1), "judge")
    assert text.startswith(
        "Can replace over all ranks, but not at the top, estimate for the reference: tau_b without the noise of topics "
    )
    assert "; but not at the top: tau_ap lies between 0." in text
    assert "over the ten best between" in text


def test_a_yes_with_noise_at_the_top_stays_one_and_says_in_the_words_of_the_shell_what_is_not_settled() -> None:
    rng = np.random.default_rng(0)
    means = np.linspace(0.7, 0.2, 30)
    means[:10] = np.linspace(0.7, 0.66, 10)
    human = means + rng.normal(0, 0.05, (50, 30))
    one, truth = (Scores(x, measure="AP") for x in (human + rng.normal(0, 0.05, human.shape), human))
    shell = tauscope.compare(one, truth=truth).decision
    assert "; the top is open" in shell.sentence
    assert shell.label == "Can replace"
    page = report(one, truth=truth, rng=0)
    text = words(page, "judge")
    assert text.startswith("Can replace, estimate for the reference: ")
    assert "; the top is not settled: tau_ap lies between 0." in text
    assert "; not settled for choosing among the best (observed tau_b is 0." in text
    assert page.screen is not None
    assert page.screen.badge.text == "Can replace"
    assert text_of(page.screen.sentence).endswith("; the top is not settled.")
    assert text_of(page.screen.todo[0]).endswith("decide among the best until more topics settle it.")


def test_runs_with_the_judgments_of_two_humans_and_a_machine() -> None:
    rng = np.random.default_rng(3)
    topics, documents = [str(t) for t in range(8)], [f"d{i}" for i in range(30)]
    quality = np.linspace(1.5, 0.2, 12)
    relevant = {t: {d: int(rng.random() < 0.4) for d in documents} for t in topics}
    other, machine = (
        {t: {d: g if rng.random() < keep else 1 - g for d, g in own.items()} for t, own in relevant.items()}
        for keep in (0.98, 0.85)
    )
    for judged in (other, machine):
        del judged["0"]["d0"]
    runs = {
        f"r{i:02}": {t: {d: q * relevant[t][d] + rng.normal() for d in documents} for t in topics}
        for i, q in enumerate(quality)
    }
    page = report(runs, qrels=(relevant, machine, other), measures=["AP", "P@5"], rng=1)
    text = words(page, "judge")
    cubes = {
        name: tauscope.evaluate(runs, own, ["AP"])["AP"]
        for name, own in (("human", relevant), ("machine", machine), ("second", other))
    }
    humans = tauscope.compare(cubes["second"], truth=cubes["human"], coefficient="tau_b", rng=1)
    assert (
        f"Human against human: second human reaches {number(humans.observed)} observed and {number(humans.corrected)}"
        in text
    )
    agreement = tauscope.compare_qrels(relevant, machine, names=("human", "machine"))
    assert agreement.lines()[2] in text
    shares = judged_at(runs, machine, 10)
    assert page["judge"].data["judged"]["machine"] == shares.to_dict()
    assert f"judged@10 under machine: {number(100 * shares.mean, 1)} % on average" in text
    assert "measures" in page
    one = report(runs, qrels=relevant, measures=["AP"], rng=1)
    assert [s.id for s in one.sections] == ["compared", "holds", "findings", "repeat"]


def test_a_limit_near_the_margin_is_called_near(human: ScoreCube, machine: Scores) -> None:
    found = tauscope.compare(machine, truth=human["AP"], coefficient="tau_ap", rng=5)
    limit, error = found.at_least(), found.monte_carlo
    assert error > 0
    for margin, near in ((limit - error, True), (limit + error, True), (limit - 3 * error, False)):
        text = words(report(machine, truth=human["AP"], coefficient="tau_ap", margin=margin, rng=5), "judge")
        assert text.startswith("Can replace" if margin < limit else "Not shown")
        assert ("another seed could say otherwise" in text) is near


@pytest.mark.parametrize(
    ("noise", "said"), [(0.001, "Can replace"), (0.05, "For some uses"), (0.075, "Not shown"), (0.3, "Cannot replace")]
)
def test_the_rule_of_an_answer_is_stated_in_words(noise: float, said: str) -> None:
    rng = np.random.default_rng(4)
    truth = np.linspace(0.8, 0.2, 30)
    human = Scores(truth + rng.normal(0, 0.05, (60, 30)), measure="AP")
    judge = Scores(human.values + rng.normal(0, noise, 30) + rng.normal(0, 0.01, (60, 30)), measure="AP")
    text = words(report(judge, truth=human, names=("human", "gpt"), rng=1), "judge")
    found = tauscope.compare(judge, truth=human, coefficient="tau_b", rng=1)
    limit, high = found.at_least(), found.interval.high
    below = "Cannot replace" if high < 0.8 else "Not shown"
    assert said == ("Can replace" if limit >= 0.9 else "For some uses" if limit >= 0.8 else below)
    assert text.startswith(f"{said}, gpt for human (the reference): tau_b")
    where = {"Cannot replace": "above", "Not shown": "inside"}.get(said, "nowhere near")
    assert (f"can replace from 0.9, for some uses from 0.8, and 0.8 lies {where} the interval" in text) is (limit < 0.8)
    assert "Can replace means an agreement of at least 0.9 with 95 % confidence, for some uses of at least 0.8" in text
    assert "margin" not in text.split("What to do")[0]
    order = {
        "Can replace": "fine for the order of all 30",
        "For some uses": "fine for a rough order of all 30",
        "Cannot replace": "not for the order of all 30",
        "Not shown": "not for the order of all 30",
    }
    assert f"What to do with gpt: {order[said]} systems" in text
    assert ("A judge that cannot stand in still saves work" in text) is (said in ("Cannot replace", "Not shown"))


def test_the_top_is_defined_where_it_is_used(page: tauscope.Report, human: ScoreCube, machine: Scores) -> None:
    top = tauscope.tau_b(machine, human["AP"], top_k=10)
    said = f"observed tau_b is {number(top.value)} over the {top.n} systems in either top ten"
    assert f"At the top: {said}" in words(page, "judge")
    assert "@10 " not in words(page, "judge")
    what = {row[2]: row[3] for row in page["judge"].tables[0].rows}
    assert what[f"observed, over the {top.n} systems in either top ten"] == top.value


def test_the_noise_ceiling_is_said_to_be_the_expected_tau(page: tauscope.Report) -> None:
    text = words(page, "judge")
    assert "the same quantity as its expected tau under “Does the ranking hold on other topics?”, here of tau_b" in text


def test_every_statement_about_ranks_says_what_it_is_for(page: tauscope.Report) -> None:
    text = words(page, "holds")
    for said in (
        "To name the winner, use the possible winners",
        "To group the ranking, use tiers",
        "A tier ends at the last system that is not told apart from its first",
        "To give every system its ranks, use “from” and “to”",
    ):
        assert said in text


def test_ranks_are_whole_unless_there_are_ties(page: tauscope.Report) -> None:
    first = page["compared"].tables[0].rows[0][0]
    assert f"| `{first}` | 1 |" in page.markdown()
    assert not re.search(r"\| \d+\.0 \|", page.markdown())
    tied = report(Scores([[0.5, 0.5, 0.1], [0.3, 0.3, 0.2], [0.4, 0.4, 0.3]], systems=list("abc")), rng=1).markdown()
    assert "| `a` | 1.5 |" in tied
    assert "| `c` | 3.0 |" in tied


@pytest.mark.parametrize("whole", [True, False])
def test_a_table_of_judged_shares_is_there_where_something_was_not_judged(whole: bool) -> None:
    rng = np.random.default_rng(5)
    documents = [f"d{i}" for i in range(20)]
    human = {str(t): {d: int(rng.random() < 0.4) for d in documents} for t in range(6)}
    judge = {t: {d: g if rng.random() < 0.9 else 1 - g for d, g in own.items()} for t, own in human.items()}
    if not whole:
        for d in documents[:12]:
            del judge["0"][d]
    runs = {f"r{i}": {t: {d: human[t][d] * i + 3 * rng.normal() for d in documents} for t in human} for i in range(5)}
    page = report(runs, qrels=(human, judge), measures=["AP"], rng=1)
    assert ("judged" in [table.id for table in page["judge"].tables]) is not whole
    assert "judged@10 under machine:" in words(page, "judge")


def test_files_of_groups_are_among_those_that_were_read_and_the_command_says_where_the_page_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, machine: Scores, human: ScoreCube
) -> None:
    monkeypatch.chdir(tmp_path)
    tauscope.write_scores(machine, tmp_path / "machine.csv")
    tauscope.write_scores(human["AP"], tmp_path / "human.csv")
    (tmp_path / "g.csv").write_text("".join(f"{name},{'own' if i % 2 else 'other'}\n" for i, name in enumerate(NAMES)))
    arguments = ["report", "machine.csv", "--truth", "human.csv", "--groups", "g.csv"]
    for more, end in (([], " -o report.html"), (["-o", "page.html"], " -o page.html")):
        monkeypatch.setattr("sys.argv", ["tauscope", *arguments, *more])
        assert main([*arguments, *more]) == 0
        text = html.unescape((tmp_path / end.split()[-1]).read_text(encoding="utf-8"))
        assert f"<pre>tauscope {' '.join(arguments)}{end}</pre>" in text
        files = text[text.index('id="repeat-files"') :]
        assert re.findall(r"<bdi>([^<]*)</bdi>", files)[:3] == ["machine.csv", "human.csv", "g.csv"]


def test_a_board_that_cannot_be_ranked_says_why() -> None:
    values = np.tile([[0.5], [0.4], [np.nan], [0.3]], 3)
    page = report(Scores(values, missing="keep"), leaderboard=True, rng=1)
    assert words(page, "holds").startswith("It cannot be said: all 3 systems have the same scores on every topic.")
    assert "3 pairs of identical systems counted as undecided." in words(page, "holds")


def test_the_title_of_a_chart_does_not_run_together(page: tauscope.Report) -> None:
    assert page["topics"].figures[0].chart.to_dict(validate=False)["title"]["text"] == "tau_b on each topic"


def test_too_few_topics_for_an_interval_are_no_answer() -> None:
    human, judge = (scores(seed).select(topics=["1", "2"]) for seed in (1, 2))
    text = words(report(judge, truth=human, rng=1), "judge")
    assert text.startswith("Undefined: tau_b without the noise of topics is ")
    assert "but 2 topics are too few for an interval" in text
    assert "What to do" not in text


def test_a_measure_that_nobody_named_is_asked_for() -> None:
    values = np.random.default_rng(1).random((6, 4))
    asked = "The input does not say by which measure; -m names it, and then every heading does."
    assert asked in report(Scores(values), rng=1).markdown()
    assert asked not in report(Scores(values, measure="AP"), rng=1).markdown()


def test_a_report_that_nobody_renders_leaves_no_process_behind(tmp_path: Path) -> None:
    import gc

    from tauscope.page.vega import Bundle

    script = Bundle(tmp_path)
    maker = script._maker
    assert maker is not None
    del script
    gc.collect()
    assert maker.returncode is not None
