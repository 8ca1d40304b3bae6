"""First screens: their numbers are those of the API, their sentences are short, and nothing in them is markup."""

from __future__ import annotations

import html
import re
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

import tauscope
from tauscope import PublishedScores, Scores, report
from tauscope.figures import heatmap
from tauscope.page.html import fragment
from tauscope.page.parts import shortened, text_of
from tauscope.page.screens.parts import BoardPicture, Crosses, Forest, Line, Slope, Stack, Zones
from tauscope.results import number, wording

M, N = 16, 30
NAMES = tuple(f"s{i:02}" for i in range(M))
#: All that a first screen is made of.
TAGS = {"section", "div", "p", "h2", "h3", "ul", "ol", "li", "span", "b", "bdi", "button", "script", "title"}
TAGS |= {"svg", "g", "line", "rect", "circle", "text", "polyline", "polygon"}
TAGS |= {"figure", "figcaption", "table", "thead", "tbody", "tr", "th", "td"}


def scores(seed: int, noise: float = 0.05, shift: float = 0.0, systems: tuple[str, ...] = NAMES) -> Scores:
    """`shift` moves systems as a whole: what a judge sees otherwise on every topic."""
    rng = np.random.default_rng(seed)
    means = np.linspace(0.7, 0.3, len(systems)) + shift * np.random.default_rng(99).normal(0, 1, len(systems))
    return Scores(means + rng.normal(0, noise, (N, len(systems))), systems=systems, measure="AP")


@cache
def one_judge(shift: float, margin: float | None = None) -> tauscope.Report:
    return report(scores(2, shift=shift), truth=scores(1), names=("human", "gpt"), margin=margin, rng=1)


@cache
def several() -> tauscope.Report:
    judges = {"near": scores(3), "far": scores(4, shift=0.3), "nearer": scores(5, 0.02)}
    return report(judges, truth=scores(1), rng=1)


@cache
def board(holes: bool) -> tauscope.Report:
    values = scores(1, 0.2).values.copy()
    if holes:
        values[np.random.default_rng(3).random(values.shape) < 0.15] = np.nan
        values[:20, 4] = np.nan
    with wording(systems="models", topics="tasks"):
        return report(Scores(values, systems=NAMES, missing="keep"), leaderboard=True, rng=1)


@cache
def votes() -> tauscope.Report:
    rng = np.random.default_rng(2)
    pairs = [rng.choice(6, 2, replace=False) for _ in range(600)]
    won = ["a" if rng.random() < 1 / (1 + np.exp((a - b) / 2)) else "b" for a, b in pairs]
    battles = tauscope.Battles([f"m{a}" for a, _ in pairs], [f"m{b}" for _, b in pairs], won)
    return report(battles, rng=1)


@cache
def published() -> tauscope.Report:
    table = PublishedScores({"x": 1470, "y": 1446, "z": 1441}, intervals=["+5/-5", "+6/-6", "± 9"])
    return report(table, rng=1)


@cache
def people_and_a_judge() -> tauscope.Report:
    judge = scores(1, 0.1)
    people = Scores(judge.values[:12] + np.random.default_rng(8).normal(0, 0.02, (12, M)), systems=NAMES)
    return report(tauscope.hybrid(people, judge), rng=1)


PEOPLE = {"ann": scores(11, shift=0.03), "bob": scores(12, shift=-0.03), "eve": scores(13)}


@cache
def beside_people() -> tauscope.Report:
    judges = {"near": scores(3), "far": scores(4, shift=0.3)}
    return report(judges, people=PEOPLE, rng=1)


@cache
def audited(several: bool) -> tauscope.Report:
    judges = {"near": scores(3), "far": scores(4, shift=0.3)} if several else scores(2, shift=0.08)
    return report(tauscope.audit(judges, people=PEOPLE), rng=1)


ALL = {
    "yes": lambda: one_judge(0.0),
    "not shown or no": lambda: one_judge(0.08),
    "no": lambda: one_judge(0.5),
    "margin": lambda: one_judge(0.08, 0.7),
    "judges": several,
    "board": lambda: board(False),
    "holes": lambda: board(True),
    "one set": lambda: report(scores(1, 0.2), rng=1),
    "arena": votes,
    "published": published,
    "hybrid": people_and_a_judge,
    "audit": lambda: audited(False),
    "audit of several": lambda: audited(True),
    "people": beside_people,
}


@pytest.mark.parametrize("what", ALL)
def test_a_page_opens_with_a_badge_a_short_sentence_three_tiles_and_claims(what: str) -> None:
    page = ALL[what]()
    screen = page.screen
    assert screen is not None
    assert len(text_of(screen.sentence).split()) <= 25
    assert screen.badge.tone in ("yes", "partly", "open", "no")
    assert len(screen.badge.text.split()) <= 4
    assert len(screen.tiles) == 3
    assert screen.picture is not None
    assert 1 <= len(screen.todo) <= 2
    assert sum(len(text_of(sentence).split()) for sentence in screen.todo) <= 40
    assert 1 <= len(screen.may) + len(screen.may_not) <= 6
    assert max(len(screen.may), len(screen.may_not)) <= 3
    assert page.to_dict()["first_screen"] == screen.to_dict()
    assert f"**{screen.badge.text}.** " in page.markdown()
    assert page.html().count(fragment(screen)) == 1


def test_the_tiles_of_a_judge_are_the_numbers_of_the_api() -> None:
    screen = one_judge(0.08).screen
    assert screen is not None
    found = tauscope.compare(scores(2, shift=0.08), truth=scores(1), coefficient="tau_b", rng=1)
    agreement, top, differences = screen.tiles
    assert agreement.value == number(found.corrected, 2)
    strong, observed = agreement.picture.lines  # type: ignore[union-attr]
    assert (strong.value, strong.interval, strong.beside) == (found.corrected, found.interval, None)
    # The ceiling belongs to the observed value.
    assert (observed.value, observed.beside) == (found.observed, found.noise_ceiling)
    first, other = ([NAMES[i] for i in one.ranking().order()[:10]] for one in (scores(1), scores(2, shift=0.08)))
    assert top.value == f"{len(set(first) & set(other))} of 10"
    assert top.picture.names == tuple(first)  # type: ignore[union-attr]
    counted = tauscope.significance(scores(2, shift=0.08), truth=scores(1), alpha=0.05, rng=1)
    assert isinstance(differences.picture, Stack)
    assert [s.count for s in differences.picture.segments] == [
        counted.kept,
        counted.missed,
        counted.reversed,
    ]
    # The bar is what the share is of; what only the judge sees stands apart.
    assert differences.value == f"{100 * counted.recall:.0f} %"
    assert f"Spurious {counted.spurious:,}: significant only under the judge." in text_of(differences.note)
    found_top = tauscope.tau_b(scores(2, shift=0.08).ranking(), truth=scores(1).ranking(), top_k=10)
    assert f"the {found_top.n} in either agree by τ_b {number(found_top.value, 2)}" in text_of(top.note)
    # Who is not significantly worse than the first, all pairs tested at once.
    rivals = []
    for own, matrix in ((scores(1), counted.truth), (scores(2, shift=0.08), counted)):
        name = NAMES[int(own.ranking().order()[0])]
        rivals.append((name, sum(matrix[name, other] > 0.05 for other in NAMES if other != name)))
    (one, k), (other, n) = rivals
    others = f"{k} other{'' if k == 1 else 's'}"
    said = f"First place is open: {one} under human ({others} not shown to be worse), {other} under gpt ({n})."
    assert said in text_of(top.note)


@pytest.mark.parametrize(("shift", "margin"), [(0.0, None), (0.02, None), (0.05, None), (0.5, None), (0.05, 0.7)])
def test_no_is_said_only_where_the_whole_interval_is_below_what_is_asked(shift: float, margin: float | None) -> None:
    screen = one_judge(shift, margin).screen
    assert screen is not None
    found = tauscope.compare(scores(2, shift=shift), truth=scores(1), coefficient="tau_b", rng=1)
    bar, good = (0.8, 0.9) if margin is None else (margin, margin)
    expected = "Cannot replace" if found.interval.high < bar else "Not shown"
    if found.at_least() > good:
        expected = "For some uses" if text_of(screen.sentence).endswith("but not at the top.") else "Can replace"
    elif margin is None and found.at_least() >= 0.8:
        expected = "For some uses"
    assert screen.badge.text == expected
    noise = any("no more than noise" in note for note in map(str, found.notes))
    assert ("no more than the noise of" in text_of(screen.sentence)) is (noise and found.at_least() > good)


def test_a_swap_is_coloured_where_both_sides_are_sure_of_opposite_orders() -> None:
    estimate, truth = scores(2, 0.1, shift=0.08), scores(1, 0.1)
    screen = report(estimate, truth=truth, rng=1).screen
    assert screen is not None
    assert isinstance(screen.picture, Slope)
    sure = set()
    swaps = 0
    for i in range(M):
        for j in range(i):
            tests = [stats.ttest_rel(s.values[:, i], s.values[:, j]) for s in (estimate, truth)]
            if tests[0].statistic * tests[1].statistic < 0:
                swaps += 1
                if max(test.pvalue for test in tests) <= 0.05:
                    sure |= {NAMES[i], NAMES[j]}
    assert sure
    assert {line.name for line in screen.picture.lines if line.tone in ("up", "down")} == sure
    assert screen.data["swaps"] == swaps


def test_many_systems_are_shown_as_ranks_against_ranks_with_the_head_by_name() -> None:
    names = tuple(f"s{i:03}" for i in range(60))
    estimate, truth = scores(2, 0.2, 0.05, names), scores(1, 0.2, 0.0, names)
    screen = report(estimate, truth=truth, rng=1).screen
    assert screen is not None
    assert isinstance(screen.picture, Crosses)
    assert len(screen.picture.points) == 60
    ranks = tauscope.rank(truth, rng=1)
    point = screen.picture.points[names.index(ranks.systems[30])]
    assert point.across == tuple(screen.picture.scale.at(float(v)) for v in ranks[ranks.systems[30]])
    assert [p.name for p in sorted(screen.picture.top, key=lambda p: p.x)] == list(ranks.systems[:20])


def test_several_judges_are_ranked_as_by_the_api() -> None:
    screen = several().screen
    assert screen is not None
    judges = {"near": scores(3), "far": scores(4, shift=0.3), "nearer": scores(5, 0.02)}
    found = tauscope.compare(judges, truth=scores(1), rng=1)
    assert isinstance(screen.picture, Forest)
    assert [(row.name, row.value, row.letters) for row in screen.picture.rows] == [
        *zip(found.judge, found.corrected, found.letters, strict=True)
    ]
    ceiling = tauscope.expected_correlation(scores(1), "tau_b", rng=1)
    assert screen.picture.band == ceiling.interval
    assert text_of(screen.sentence).startswith(f"{found.judge[0]} comes out best; ")
    assert several()["judges"].data["judges"] == found.to_dict()


@pytest.mark.parametrize("holes", [False, True])
def test_a_board_counts_who_could_be_best_and_which_neighbours_are_told_apart(holes: bool) -> None:
    page = board(holes)
    screen = page.screen
    assert screen is not None
    assert isinstance(screen.picture, BoardPicture)
    source = page["compared"]
    rows = screen.picture.rows
    if holes:
        values = scores(1, 0.2).values.copy()
        values[np.random.default_rng(3).random(values.shape) < 0.15] = np.nan
        values[:20, 4] = np.nan
        best = list(tauscope.rank(Scores(values, systems=NAMES, missing="keep")).winners)
        assert {row.name for row in rows if row.thin} == {
            n for n, k in zip(NAMES, (~np.isnan(values)).sum(axis=0), strict=True) if k < 24
        }
    else:
        whole = Scores(scores(1, 0.2).values, systems=NAMES)
        ranks = tauscope.rank(whole, rng=1)
        best = list(ranks.winners)
        alike = len(ranks.neighbours) - ranks.neighbours.significant_alone
        assert f"{alike} of 15 neighbouring pairs cannot be told apart" in text_of(screen.sentence)
        assert [(row.name, row.low, row.high) for row in rows] == [(s, *ranks[s]) for s in ranks.systems]
    assert [row.name for row in rows if row.best] == best
    assert f"{len(best)} of 16 models could be the best" in text_of(screen.sentence)
    assert screen.picture.tasks == tuple(source.data["topics"])
    assert "systems" not in re.sub(r"<[^>]*>|\{.*\}", "", fragment(screen))


def test_an_arena_and_published_scores_are_boards() -> None:
    for page in (votes(), published()):
        assert page.screen is not None
        assert isinstance(page.screen.picture, BoardPicture)
        assert [s.id for s in page.sections] == ["board", "compared", "repeat"]
    table = PublishedScores({"x": 1470, "y": 1446, "z": 1441}, intervals=["+5/-5", "+6/-6", "± 9"])
    picture = published().screen.picture  # type: ignore[union-attr]
    assert [(r.name, (r.low, r.high)) for r in picture.rows] == [(s, tauscope.rank(table, rng=1)[s]) for s in "xyz"]  # type: ignore[union-attr]
    assert text_of(published().screen.sentence).startswith("x is the best; ")  # type: ignore[union-attr]


def test_people_and_a_judge_say_what_their_topics_are_worth() -> None:
    judge = scores(1, 0.1)
    people = Scores(judge.values[:12] + np.random.default_rng(8).normal(0, 0.02, (12, M)), systems=NAMES)
    found, page = tauscope.hybrid(people, judge), people_and_a_judge()
    assert page.screen is not None
    assert text_of(page.screen.sentence) == (
        f"With the judge on all 30, people’s 12 topics rank as well as {found.worth:,.0f} would without it."
    )
    assert text_of(page.brief) == "16 systems, 30 topics, 12 of them judged by people"
    assert [(row.name, row.score, row.low, row.high) for row in page.screen.picture.rows] == [  # type: ignore[union-attr]
        (name, found.estimates[i], found.low_rank[i], found.high_rank[i]) for i, name in enumerate(found.systems)
    ]
    assert (found.methods_sentence(),) in page["repeat"].words


def test_a_judge_that_hardly_helps_is_said_to_with_the_number_that_the_result_has() -> None:
    judge = scores(1, 0.1)
    rng = np.random.default_rng(8)
    people = Scores(judge.values[:28] + rng.normal(0, 0.2, (28, M)), systems=NAMES)
    found = tauscope.hybrid(people, judge)
    assert found.slope > 0
    assert not found.worth_something
    screen = report(found, rng=1).screen
    assert screen is not None
    assert text_of(screen.sentence).endswith(
        f"rank as well as {found.worth:,.0f} would without it: hardly better than people alone."
    )
    noise = Scores(rng.normal(size=judge.values.shape), systems=NAMES)
    alone = next(
        one
        for k in range(8, 28)
        if (one := tauscope.hybrid(people.select(topics=people.topics[:k]), noise)).people_alone
    )
    screen = report(alone, rng=1).screen
    assert screen is not None
    assert text_of(screen.sentence).endswith("rank no better than without it: use people alone.")


def test_the_agreement_is_the_disattenuated_value_with_its_interval_everywhere() -> None:
    found = tauscope.compare(scores(2, shift=0.08), truth=scores(1), coefficient="tau_b", rng=1)
    low, high = (number(limit, 2) for limit in found.interval)
    screen = one_judge(0.08).screen
    assert screen is not None
    said = f"agreement {number(found.corrected, 2)}, between {low} and {high}"
    assert said in text_of(screen.sentence) or "one-sided" in text_of(screen.sentence)
    assert screen.tiles[0].beside == f"{low} to {high} (95 %)"
    asked = tauscope.audit(scores(2, shift=0.08), truth=scores(1)).agreement["judge"]
    tile = report(tauscope.audit(scores(2, shift=0.08), truth=scores(1)), rng=1).screen.tiles[0]  # type: ignore[union-attr]
    assert (tile.value, tile.picture.lines[1].value) == (number(asked.corrected, 2), asked.observed)  # type: ignore[union-attr]
    assert "at least" not in fragment(screen)


def test_one_sided_is_said_where_only_that_limit_is_above_the_bar() -> None:
    made = [one_judge(shift) for shift in (0.0, 0.02, 0.03, 0.04, 0.05)]
    for page in made:
        assert page.screen is not None
        found = page["judge"].data["comparisons"][0]
        bar = {"Stands in": 0.9, "For some uses": 0.8}.get(page.screen.badge.text)
        if bar is not None and "but not at the top" not in text_of(page.screen.sentence):
            assert ("(one-sided)" in text_of(page.screen.sentence)) is (found["low"] < bar)


def test_people_are_a_band_each_against_the_mean_of_the_others() -> None:
    page = beside_people()
    assert page.screen is not None
    assert isinstance(page.screen.picture, Forest)
    values = []
    for name, one in PEOPLE.items():
        others = [own.values for person, own in PEOPLE.items() if person != name]
        mean = Scores((others[0] + others[1]) / 2, systems=NAMES)
        values.append(tauscope.compare(one, truth=mean, rng=1).corrected)
    assert page.screen.picture.band == pytest.approx((min(values), max(values)), abs=1e-12)
    whole = Scores(sum(one.values for one in PEOPLE.values()) / 3, systems=NAMES)
    judges = {"near": scores(3), "far": scores(4, shift=0.3)}
    ranked = tauscope.compare(judges, truth=whole, rng=1)
    assert [row.value for row in page.screen.picture.rows] == pytest.approx(ranked.corrected.tolist(), abs=1e-12)
    given = report(judges, truth=scores(1), people={"ann": PEOPLE["ann"]}, names=("MQM",), rng=1)
    ann = tauscope.compare(PEOPLE["ann"], truth=scores(1), rng=1)
    assert given.screen.picture.band == ann.interval  # type: ignore[union-attr]
    assert given.title == "2 judges against MQM"
    assert given["judges"].data["people"]["ann"]["corrected"] == ann.corrected
    with pytest.raises(tauscope.errors.CallError, match=r"several judges.*audit\(judge, people=people\)"):
        report(scores(2), truth=scores(1), people=PEOPLE)
    with pytest.raises(tauscope.errors.CallError, match="at least two of them"):
        report(judges, people={"ann": PEOPLE["ann"]})


def test_an_audit_counts_objections_and_says_what_to_do() -> None:
    page = audited(True)
    assert page.screen is not None
    found = tauscope.audit({"near": scores(3), "far": scores(4, shift=0.3)}, people=PEOPLE)
    assert page["audit"].data == found.to_dict()
    asked = [one.check for one in found.checks]
    assert len(page.screen.picture.rows) == len(asked)  # type: ignore[union-attr]
    # The one that is far off ranks otherwise than people, with all of its interval.
    low = found.agreement["far"].interval.high < 0.8
    assert ("Agreement" in page.screen.data["objections"]) is low
    assert page.screen.badge.text == f"{len(page.screen.data['objections'])} objection" + "s" * (
        len(page.screen.data["objections"]) != 1
    )
    assert page.screen.data["judge"] == "near"
    assert [section.id for section in page.sections] == ["audit", "compared", "repeat"]


def test_a_star_beside_bars_that_reach_rank_1_without_one_is_explained() -> None:
    for page in (board(False), board(True), votes(), report(scores(3, 0.6), rng=1)):
        assert page.screen is not None
        picture = page.screen.picture
        assert isinstance(picture, BoardPicture)
        differ = any(row.low == 1 and not row.best for row in picture.rows)
        words = "could be the best (95 %; a sharper test than the bars’, so not every bar at 1 has one)"
        assert picture.star == (words if differ else "could be the best (95 %): its bar begins at 1")
        assert fragment(page.screen).count(picture.star) == 1
    # With holes the stars are the bars that reach rank 1.
    assert board(True).screen.picture.star.endswith("its bar begins at 1")  # type: ignore[union-attr]


def test_a_value_without_an_interval_says_why() -> None:
    screen = board(True).screen
    assert screen is not None
    assert screen.tiles[2].beside == "no interval"
    assert text_of(screen.tiles[2].note).endswith("; no interval, as scores are missing")
    assert "no interval" not in fragment(board(False).screen)  # type: ignore[arg-type]


def test_topics_in_clusters_are_rows_as_wholes_and_named() -> None:
    clusters = {topic: f"c{i // 2}" for i, topic in enumerate(scores(1).topics)}
    made = [scores(2, shift=0.08).changed(clusters=clusters), scores(1).changed(clusters=clusters)]
    page = report(made[0], truth=made[1], rng=1)
    assert text_of(page.brief).startswith("16 systems, 30 topics in 15 clusters")
    assert "30 topics in 15 clusters" in text_of(page["compared"].words[0])
    rows = tauscope.compare(made[0].by_cluster(), truth=made[1].by_cluster(), rng=1)
    assert page["judge"].data["comparisons"][0]["corrected"] == rows.corrected


def test_names_in_a_fragment_are_text() -> None:
    hostile = ("</script><script>alert(1)</script>", "\"'><img src=x onerror=alert(2)>", "{{7*7}}", "x" * 5000)
    names = (*hostile, *NAMES[4:])
    made = [
        report(scores(2, 0.2, systems=names), truth=scores(1, 0.2, systems=names), names=hostile[:2], rng=1),
        report({hostile[0]: scores(2), hostile[1]: scores(3)}, truth=scores(1), names=hostile[:3], rng=1),
        report(
            tauscope.audit({hostile[0]: scores(2), hostile[2]: scores(3)}, truth=scores(1)),
            title=hostile[0],
            rng=1,
        ),
        report(scores(2, systems=names), leaderboard=True, groups=dict(zip(names, names[::-1], strict=True)), rng=1),
    ]
    for page in made:
        assert page.screen is not None
        text = fragment(page.screen)
        assert not re.search(r"<img|<script>|onerror=alert\(2\)>", text)
        assert set(re.findall(r"<([a-z0-9]+)", text)) <= TAGS
        assert html.unescape(text).count("{{7*7}}") == text.count("{{7*7}}")
        assert "49" not in text or "{{7*7}}" in text


@pytest.mark.parametrize("crossed", [True, False])
def test_tiers_follow_the_ranks_and_lines_part_them(crossed: bool) -> None:
    rng = np.random.default_rng(4)
    noise = np.array([0.05, 0.05, 0.05, 1.2 if crossed else 0.05, 0.05])
    spread = rng.normal(0, 1, (N, 5))
    values = np.array([0.9, 0.89, 0.7, 0.65, 0.2]) + noise * (spread - spread.mean(axis=0))
    given = Scores(values, systems=("a", "b", "c", "d", "e"))
    screen = report(given, leaderboard=True, rng=1).screen
    assert screen is not None
    picture = screen.picture
    assert isinstance(picture, BoardPicture)
    assert [row.tier for row in picture.rows] == tauscope.rank(given, rng=1).tier.tolist()
    tiers = [row.tier for row in picture.rows]
    assert tiers == sorted(tiers)
    assert max(tiers) > 1
    assert picture.tiers == "end of a tier: all below are shown to be worse than its first"
    drawn = re.findall(r'<tr class="([^"]*)"', fragment(screen))
    assert ["first" in one.split() for one in drawn] == [False, *(a < b for a, b in pairwise(tiers))]
    assert ["even" in one.split() for one in drawn] == [tier % 2 == 0 for tier in tiers]
    assert "rank ranges or tiers" not in text_of(tuple(part for one in screen.todo for part in one))


@pytest.mark.parametrize("what", ["holes", "arena", "published", "hybrid"])
def test_every_board_has_tiers_that_follow_its_ranks(what: str) -> None:
    screen = ALL[what]().screen
    assert screen is not None
    tiers = [row.tier for row in screen.picture.rows]  # type: ignore[union-attr]
    assert tiers == sorted(tiers)
    assert set(tiers) == set(range(1, max(tiers) + 1))


@pytest.mark.parametrize("noise", [0.02, 0.1, 0.2, 0.35, 3.0])
def test_a_ranking_holds_by_what_its_agreement_is_at_least(noise: float) -> None:
    asked = scores(1, noise)
    page = report(asked, rng=1)
    found = tauscope.expected_correlation(asked, "tau", rng=1)
    limit = found.at_least()
    badge, word = ("Holds", "Yes") if limit >= 0.9 else ("Mostly holds", "Mostly")
    if limit < 0.8:
        badge, word = ("Not reliably", "Not reliably") if found.interval.high < 0.8 else ("Not shown", "Not shown")
    assert page.screen is not None
    assert page.screen.badge.text == badge
    assert text_of(page["holds"].words[0]).startswith(f"{word}: ")
    above = "above 0.9, so it holds" if limit >= 0.9 else "above 0.8, not above 0.9, so it mostly holds"
    if limit < 0.8:
        above = "not above 0.8, so it is not shown to hold"
    reason = f"at least {number(limit, 2)} (95 % sure, one-sided): {above}"
    reason = "the whole interval is below 0.8" if badge == "Not reliably" else reason
    tile = page.screen.tiles[0]
    assert text_of(tile.note) == reason
    assert isinstance(tile.picture, Zones)
    assert (tile.picture.value, tile.picture.interval) == (found.value, found.interval)
    # The parts begin and end where the marks say so.
    assert [(round(a, 1), round(b, 1)) for _, a, b in tile.picture.placed] == [
        (round(tile.picture.scale.at(a), 1), round(tile.picture.scale.at(b), 1))
        for a, b in ((-1, 0.8), (0.8, 0.9), (0.9, 1))
    ]
    # What the sentence says is not said again.
    assert fragment(page.screen).count("probably in the wrong order") == 1


def test_swaps_that_are_noise_alone_may_be_more_together_and_a_lifted_group_is_named() -> None:
    groups = {name: "odd" if k % 2 else "even" for k, name in enumerate(NAMES)}
    truth, judge = scores(1, 0.15), scores(2, 0.15)
    lifted = Scores(judge.values + 0.12 * (np.arange(M) % 2), systems=NAMES, measure="AP")
    page = report(lifted, truth=truth, groups=groups, rng=1)
    assert page.screen is not None
    found = tauscope.compare(lifted, truth=truth, coefficient="tau_b", rng=1)
    (odd,) = tauscope.compare(lifted, truth=truth, groups=groups, rng=1).favoured
    assert odd.group == "odd"
    said = text_of(page.screen.todo[0])
    assert f"estimate lifts odd by {odd.ranks:.1f} ranks" in said
    for one, result in ((page, found), (report(judge, truth=truth, rng=1), None)):
        result = result or tauscope.compare(judge, truth=truth, coefficient="tau_b", rng=1)
        assert one.screen is not None
        assert isinstance(one.screen.picture, Slope)
        more = result.interval.high < 1 and not any("no more than noise" in str(note) for note in result.notes)
        wanted = more and not one.screen.data["real_swaps"]
        assert text_of(one.screen.picture.caption).endswith("together they are.") is wanted


def test_an_audit_names_the_family_that_the_judge_likes_and_has_objections_first() -> None:
    own = dict.fromkeys(NAMES, "other") | dict.fromkeys(NAMES[::4], "kin")
    families = {name: family if family == "kin" else f"other {i % 4}" for i, (name, family) in enumerate(own.items())}
    truth = scores(1)
    judge = Scores(scores(2).values + 0.2 * np.array([own[name] == "kin" for name in NAMES]), systems=NAMES)
    found = tauscope.audit({"j": judge}, truth=truth, judge_families={"j": "kin"}, system_families=families)
    assert found.families is not None
    assert found.families.partial == ("j",)
    screen = report(found, rng=1).screen
    assert screen is not None
    shifts = {one.group: one.ranks for one in tauscope.compare(judge, truth=truth, groups=own, rng=1).shifts}
    rises, falls = shifts["kin"], shifts["other"]
    assert f"its liking for its own family, kin ({rises:+.1f} ranks)" in text_of(screen.sentence)
    said = f"kin rises {rises:.1f} ranks on average under the judge, the others fall {-falls:.1f}"
    assert said in screen.picture.rows[0].says or said in screen.picture.rows[1].says  # type: ignore[union-attr]
    # The same numbers on the page of the judge.
    beside = report(judge, truth=truth, groups=own, rng=1).screen
    assert beside is not None
    assert f"lifts kin by {rises:.1f} ranks on average, the others fall {-falls:.1f}" in text_of(beside.todo[0])
    tones = [row.tone for row in screen.picture.rows]  # type: ignore[union-attr]
    assert tones == sorted(tones, key=lambda tone: {"no": 0, "open": 1}.get(tone, 2))
    assert tones[0] == "no"


@pytest.mark.parametrize(
    "names",
    [
        [f"codefuse-ai__F2LLM-v2-{size}-preview-of-{kind}" for size in ("0.6B", "4B") for kind in ("a", "b")],
        ["one/a-model-with-a-rather-long-name", "two/a-model-with-a-rather-long-name", "short"],
        ["x" * 40 + "1" + "x" * 40, "x" * 40 + "2" + "x" * 40, "x" * 40 + "3" + "x" * 40],
        ["a/b", "b", "organisation-of-a-long-name/b", "\u202e" * 9, "", "/", "a__" * 20],
    ],
)
def test_no_two_names_of_a_picture_are_shortened_to_the_same_text(names: list[str]) -> None:
    for longest in (12, 27):
        shown = shortened(names, longest)
        assert list(shown) == names or set(shown) == set(names)
        assert len(set(shown.values())) == len(names)
        assert max(map(len, shown.values())) <= longest + 4
        assert all(shown[name] == name for name in names if len(name) <= longest and name.isascii())


def test_the_axis_of_ranks_names_the_last_rank() -> None:
    for page in (board(False), votes()):
        assert page.screen is not None
        picture = page.screen.picture
        assert isinstance(picture, BoardPicture)
        assert (picture.scale.marks[0], picture.scale.marks[-1]) == (1, len(picture.rows))


def test_a_heatmap_of_many_says_by_name_what_is_in_a_block() -> None:
    names = [f"s{i:02}" for i in range(90)]
    values = np.arange(90.0 * 90).reshape(90, 90)
    chart = heatmap(values, names, names, rows="system", columns="system", title="t").to_dict()
    rows = chart["datasets"][chart["data"]["name"]]
    assert len(rows) == 45 * 45
    assert (rows[46]["row"], rows[46]["rows"], rows[46]["columns"]) == ("3–4", "s02, s03", "s02, s03")
    assert {name for row in rows for name in row["rows"].split(", ")} == set(names)
    assert rows[46]["v"] == pytest.approx(values[2:4, 2:4].mean())
    assert {"rows", "columns"} <= {tip["field"] for tip in chart["encoding"]["tooltip"]}


def test_claims_stand_below_a_low_picture_and_names_have_room() -> None:
    for systems, pitch, low in ((8, 26, True), (16, 26, True), (25, 16, True), (30, 14, True), (40, 14, False)):
        lines = tuple(Line(name=f"s{i}", left=i, right=i, ranks=("1", "1"), tone="stayed") for i in range(systems))
        slope = Slope(names=("a", "b"), lines=lines, caption=("",))
        assert (slope.pitch, slope.low, slope.narrow) == (pitch, low, True)


def test_what_a_perfect_judge_shows_stands_beside_the_observed_value_and_is_explained() -> None:
    for page, observed in (
        (one_judge(0.08), "observed on these 30 topics"),
        (several(), "observed on these 30 topics"),
    ):
        assert page.screen is not None
        line = page.screen.tiles[0].picture.lines[1]  # type: ignore[union-attr]
        assert line.label == observed
        assert line.beside_label == "what a perfect judge shows on average (noise ceiling)"
        assert html.escape(line.beside_tip) in fragment(page.screen)
        assert "No value is divided by it" in line.beside_tip
    picture = several().screen.picture  # type: ignore[union-attr]
    assert picture.band_label == "where a perfect judge would be observed, 95 % interval (noise ceiling)"  # type: ignore[union-attr]


def test_what_more_topics_would_do_goes_by_what_is_not_reached_yet() -> None:
    for shift in (0.0, 0.02, 0.05, 0.5):
        found = tauscope.compare(scores(2, shift=shift), truth=scores(1), coefficient="tau_b", rng=1)
        said = text_of(one_judge(shift).screen.tiles[0].note)  # type: ignore[union-attr]
        missed = [bar for bar in (0.8, 0.9) if found.at_least() < bar]
        assert said.startswith("More topics narrow the interval (4 times as many about halve it)")
        if missed:
            end = (
                f"; {missed[0]} lies above all of it: that takes a better judge."
                if found.interval.high < missed[0]
                else f" could show {missed[0]}."
            )
            assert said.endswith(end)
        else:
            assert said.endswith("halve it).")


def test_every_row_of_an_audit_has_its_value_with_a_unit_and_plain_words() -> None:
    screen = audited(False).screen
    assert screen is not None
    found = tauscope.audit(scores(2, shift=0.08), people=PEOPLE)
    rows = {row.asked: row for row in screen.picture.rows}  # type: ignore[union-attr]
    agreement = rows["Does it rank like people?"]
    assert agreement.value == f"τ_b {number(found.agreement['judge'].corrected, 2)}"
    assert agreement.picture.lines[0].interval == tuple(found.agreement["judge"].interval)
    assert rows["Do its differences mean something?"].value == f"{number(found.scale['judge'].slope, 2)} times"
    assert rows["Are single scores better than chance?"].value.endswith(" % of pairs")
    assert rows["Is it as good as a person?"].value.endswith(" of 3 people")
    assert text_of(audited(False).brief).startswith("16 systems, 30 topics")
