"""First screens in a real browser: nothing is cut or missing, keys reach everything, axe finds nothing, paper has
all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tauscope
from tauscope import PublishedScores, Scores, report

#: What a stranger could call a system, short enough for a board.
HOSTILE = (
    "</script><script>alert(1)</script>",
    "\"'><img src=x onerror=alert(2)>",
    "__proto__",
    "{{7*7}}",
    "\u202egnp",
)


def scores(m: int, seed: int, noise: float = 0.12, shift: float = 0.0, **options: Any) -> Scores:
    rng = np.random.default_rng(seed)
    means = np.linspace(0.7, 0.2, m) + shift * np.random.default_rng(5).normal(0, 1, m)
    names = (*HOSTILE, *(f"organisation/model-{i:03}-with-a-rather-long-name" for i in range(m)))[:m]
    return Scores(means + rng.normal(0, noise, (24, m)), systems=names, **options)


def battles(m: int) -> tauscope.Battles:
    rng = np.random.default_rng(2)
    pairs = [rng.choice(m, 2, replace=False) for _ in range(2000)]
    won = ["a" if rng.random() < 1 / (1 + np.exp((a - b) / 3)) else "b" for a, b in pairs]
    names = (*HOSTILE, *(f"model-{i:03}" for i in range(m)))
    return tauscope.Battles([names[a] for a, _ in pairs], [names[b] for _, b in pairs], won)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, tauscope.Report]]:
    folder = tmp_path_factory.mktemp("screens")
    board = scores(30, 1, 0.3)
    values = board.values.copy()
    values[np.random.default_rng(1).random(values.shape) < 0.2] = np.nan
    groups = {name: f"group {i % 3}" for i, name in enumerate(board.systems)}
    judges = {HOSTILE[0]: scores(12, 3), HOSTILE[1]: scores(12, 4, shift=0.3), "crowd": scores(12, 5)}
    made = {
        "judge": report(scores(25, 2, shift=0.1), truth=scores(25, 1), names=("human", HOSTILE[1]), rng=1),
        "crosses": report(scores(60, 2, shift=0.1), truth=scores(60, 1), rng=1),
        "judges": report(judges, truth=scores(12, 1), rng=1),
        "board": report(Scores(values, systems=board.systems, missing="keep"), leaderboard=True, groups=groups, rng=1),
        "holds": report(scores(30, 1, 0.3), rng=1),
        "arena": report(battles(16), rng=1),
        "published": report(PublishedScores(np.linspace(1300, 1200, 40), errors=np.full(40, 4.0)), rng=1),
        "hybrid": report(tauscope.hybrid(scores(30, 2).select(topics=scores(30, 2).topics[:10]), scores(30, 1)), rng=1),
        "audit": report(tauscope.audit(judges, truth=scores(12, 1)), rng=1),
        "people": report(judges, truth=scores(12, 1), people={HOSTILE[3]: scores(12, 6)}, rng=1),
    }
    return {name: (page.write(folder / f"{name}.html"), page) for name, page in made.items()}


#: Parts of legends whose mark is on another line than the first word after it.
APART = """[...document.querySelectorAll('.screen .key-part')].filter(e => e.offsetParent && e.firstElementChild)
  .filter(e => { const mark = [...e.children].filter(c => !c.textContent.trim()).at(-1); if (!mark) return false;
    const text = document.createRange(); text.selectNodeContents(e); text.setStartAfter(mark);
    const a = mark.getBoundingClientRect(), b = text.getClientRects()[0];
    return b && (b.top > a.bottom || b.bottom < a.top); })
  .map(e => e.textContent)"""
#: Those that open with a board.
BOARDS = ("board", "holds", "arena", "published", "hybrid")
KINDS = ("judge", "crosses", "judges", "audit", "people", *BOARDS)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("width", "look"), [(1280, "light"), (390, "dark")])
def test_a_first_screen_has_its_parts_nothing_sticks_out_and_axe_finds_nothing(
    open_page: Callable[..., Any], pages: Any, kind: str, width: int, look: str
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    size = {"width": width, "height": 800}
    # Axe is put into the page by the test, which the policy of the page would not let in.
    opened = open_page(pages[kind][0], folded=True, viewport=size, color_scheme=look, bypass_csp=True)
    page = opened.page
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator(".badge").is_visible()
    assert page.locator(".tile").count() == 3
    # Letters of at least 12 pixels, in every picture.
    sizes = page.evaluate(
        "[...document.querySelectorAll('.screen *')].filter(e => e.offsetParent !== null || e.ownerSVGElement)"
        ".filter(e => [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()))"
        ".map(e => parseFloat(getComputedStyle(e).fontSize))"
    )
    assert min(sizes) >= 12
    if width == 1280:
        # Badge, sentence, what to do and tiles stand above the fold.
        for part in (".badge", ".sentence", ".todo", ".tile"):
            box = page.locator(part).last.bounding_box()
            assert box["y"] + box["height"] <= 800, part
        if kind in BOARDS:
            # So do what may be claimed and what not, with the first two of each.
            for part in ("h2", "li:nth-child(-n + 2)"):
                for claim in page.locator(f".claims {part}").all():
                    box = claim.bounding_box()
                    assert box["y"] + box["height"] <= 800, claim.text_content()
            assert page.locator(".claims h2").count() == 2
            # A legend of two lines, each mark beside its words.
            assert page.locator(".board .legend").bounding_box()["height"] <= 48
            beside = "parts => parts.every(e => e.firstElementChild.offsetTop - e.offsetTop < 12)"
            assert page.locator(".legend .key-part").evaluate_all(beside)
        if kind in ("judge", "judges", "people", "audit", "crosses"):
            for part in page.locator(".claims h2, .claims li:first-child").all():
                assert part.bounding_box()["y"] + part.bounding_box()["height"] <= 800
    else:
        # The slim bar is one line that scrolls, and none of its links is out of reach.
        assert page.locator(".slim").bounding_box()["height"] <= 48
        for link in page.locator(".slim li a").all():
            link.scroll_into_view_if_needed()
            box = link.bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width + 1
    # A mark of a legend stands on the line on which its text begins.
    assert page.evaluate(APART) == []
    assert page.locator("details.fold[open]").count() == 0
    page.evaluate("document.querySelectorAll('details.fold').forEach((fold) => { fold.open = true; })")
    # What Vega draws has no text for readers but its caption, and thousands of marks to look at one by one.
    found = axe.Axe().run(page, context={"exclude": [[".chart svg"]]}).response["violations"]
    assert [(one["id"], one["nodes"][0]["html"][:200]) for one in found] == []
    assert opened.complaints == []


def test_paper_has_every_row_and_every_fold(open_page: Callable[..., Any], pages: Any) -> None:
    file, page = pages["judge"]
    opened = open_page(file, folded=True)
    opened.page.emulate_media(media="print")
    opened.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert opened.page.locator("details:not([open])").count() == 0
    for section in page.sections:
        for table in section.tables:
            assert opened.page.locator(f"#{section.id}-{table.id} tbody tr:visible").count() == len(table.rows)
    assert opened.page.evaluate("[...document.querySelectorAll('.chart svg')].every(s => s.clientWidth <= innerWidth)")
    opened.page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert opened.page.locator("details.fold[open]").count() == 0


def test_a_link_of_the_slim_bar_opens_its_question_and_keys_do_the_same(
    open_page: Callable[..., Any], pages: Any
) -> None:
    opened = open_page(pages["judge"][0], folded=True)
    opened.page.locator(".slim a[href='#topics']").press("Enter")
    opened.page.wait_for_selector("#topics details[open]")
    assert opened.page.locator("details.fold[open]").count() == 1
    opened.page.locator("#holds summary").first.press("Enter")
    assert opened.page.locator("#holds details[open]").count() == 1


def test_a_pair_that_is_clicked_lists_the_topics_that_decide_it(open_page: Callable[..., Any], pages: Any) -> None:
    file, page = pages["judge"]
    opened = open_page(file)
    estimate, truth = scores(25, 2, shift=0.1), scores(25, 1)
    names = [line.name for line in page.screen.picture.sides[0][:2]]
    for place in (0, 1):
        opened.page.locator(".slope ol.left .sys").nth(place).press("Enter")
    a, b = (truth.systems.index(name) for name in names)
    gaps = [own.values[:, a] - own.values[:, b] for own in (truth, estimate)]
    order = np.argsort(-np.abs(gaps[1] - gaps[0]), kind="stable")[:10]
    cells = opened.page.locator("#pair tbody td:first-child").all_text_contents()
    assert cells == [truth.topics[t] for t in order]
    first = opened.page.locator("#pair tbody tr").first.locator("td").all_text_contents()[1:]
    shown = [float(text.replace("−", "-")) for text in first]
    assert shown == pytest.approx([gaps[0][order[0]], gaps[1][order[0]], (gaps[1] - gaps[0])[order[0]]], abs=2e-3)
    opened.page.locator("#pair button").click()
    assert opened.page.locator("#pair").count() == 0
    opened.page.locator("#disagree-swaps tbody tr").first.click()
    assert opened.page.locator("#pair").count() == 1
    assert opened.complaints == []


def test_a_cell_of_the_heatmap_that_is_clicked_lists_the_topics_that_decide_its_pair(
    open_page: Callable[..., Any], pages: Any
) -> None:
    file, page = pages["judge"]
    opened = open_page(file)
    cells = opened.page.locator("#disagree-losses-figure .mark-rect").first.locator("path")
    assert cells.count() == 25 * 25
    order = [row[0] for row in sorted(page["disagree"].tables[0].rows, key=lambda row: row[1])]
    # The first of the reference beside its third.
    cells.nth(2).click()
    assert opened.page.locator("#pair h2 bdi").all_text_contents() == [order[0], order[2]]
    estimate, truth = scores(25, 2, shift=0.1), scores(25, 1)
    a, b = (truth.systems.index(name) for name in (order[0], order[2]))
    turned = (estimate.values[:, a] - estimate.values[:, b]) - (truth.values[:, a] - truth.values[:, b])
    expected = [truth.topics[t] for t in np.argsort(-np.abs(turned), kind="stable")[:10]]
    assert opened.page.locator("#pair tbody td:first-child").all_text_contents() == expected
    # A system beside itself is no pair.
    opened.page.locator("#pair button").click()
    cells.nth(0).click()
    assert opened.page.locator("#pair").count() == 0
    assert opened.complaints == []


#: Charts of the page of a judge whose marks are systems, or pairs of them.
OF_SYSTEMS = ("judge-scores", "holds-ranks", "holds-swaps", "disagree-bump", "disagree-losses", "disagree-without")


def test_a_system_under_the_pointer_is_marked_in_every_chart_and_table(
    open_page: Callable[..., Any], pages: Any
) -> None:
    file, made = pages["judge"]
    page = open_page(file).page
    charts = [f"{section.id}-{figure.id}" for section in made.sections for figure in section.figures]
    assert set(OF_SYSTEMS) <= set(charts)
    page.locator(".slope ol.left .sys").nth(6).hover()
    for chart in charts:
        faded = page.locator(f"#{chart}-figure .faded").count()
        assert (faded > 0) is (chart in OF_SYSTEMS), chart
    # In each of them the marks of that system are as they were.
    name = page.locator(".slope ol.left .sys").nth(6).get_attribute("title")
    left = page.evaluate(
        "[...document.querySelectorAll('.chart .role-mark > path')].filter(e => e.__data__ && e.__data__.datum)"
        ".filter(e => !e.classList.contains('faded')).map(e => [e.closest('figure').dataset.name, e.__data__.datum])"
    )
    own = {chart: [datum for name, datum in left if name == chart] for chart in OF_SYSTEMS}
    for chart, data in own.items():
        named = [datum for datum in data if {"label", "item", "row", "column"} & set(datum)]
        assert named, chart
        assert all(name in [datum.get(key) for key in ("label", "item", "row", "column")] for datum in named), chart
    tables = [f"{section.id}-{table.id}" for section in made.sections for table in section.tables]
    for table in tables:
        there = page.locator(f"#{table} td.name[data-s]").count()
        rows = [cell for row in next(_rows(made, table)) for cell in row]
        assert page.locator(f"#{table} td.picked").count() == (rows.count(name) if there else 0), table
    # The other way round: a mark of a chart marks the tables.
    page.locator("h1").hover()
    assert page.locator(".picked, .faded").count() == 0
    page.locator("#holds-ranks-figure .mark-rect path").nth(3).hover()
    assert page.locator("#compared-ranking td.picked").count() == 1


def _rows(made: tauscope.Report, wanted: str) -> Any:
    return (t.rows for section in made.sections for t in section.tables if f"{section.id}-{t.id}" == wanted)


def test_a_system_under_the_pointer_is_marked_everywhere(open_page: Callable[..., Any], pages: Any) -> None:
    opened = open_page(pages["judge"][0])
    opened.page.locator(".slope ol.left .sys").nth(6).hover()
    marked = opened.page.evaluate(
        "[...document.querySelectorAll('.picked')].map(e => e.tagName + e.closest('section').id)"
    )
    assert {"BUTTONanswer", "lineanswer", "TDcompared", "TDdisagree", "TDholds"} <= set(marked)
    assert opened.page.locator("#holds-ranks-figure .faded").count() > 20
    opened.page.locator("h1").hover()
    assert opened.page.locator(".picked, .faded").count() == 0


def test_the_head_of_many_systems_is_shown_by_name(open_page: Callable[..., Any], pages: Any) -> None:
    opened = open_page(pages["crosses"][0])
    whole, head = (opened.page.locator(f".zoomed[data-zoom={name}]") for name in ("all", "top"))
    assert (whole.is_visible(), head.is_visible()) == (True, False)
    opened.page.locator(".switch button").nth(1).press("Enter")
    assert (whole.is_visible(), head.is_visible()) == (False, True)
    assert head.locator("g.cross").count() == 20


def test_a_board_is_searched_filtered_sorted_and_widened(open_page: Callable[..., Any], pages: Any) -> None:
    file, made = pages["board"]
    opened = open_page(file, viewport={"width": 1280, "height": 800})
    page, rows = opened.page, opened.page.locator("#board tbody tr:visible")
    assert rows.count() == 30
    page.locator(".board-tools input[type=search]").fill("MODEL-00")
    assert rows.count() == 10
    page.locator(".board-tools input[type=search]").fill("")
    page.locator(".board-tools select").first.select_option("group 1")
    assert rows.count() == 10
    page.locator(".board-tools select").first.select_option("")
    picture = made.screen.picture
    head = page.locator("#board th[data-sort=score]")
    for direction, order in (("descending", -1), ("ascending", 1)):
        head.locator("button").press("Enter")
        assert head.get_attribute("aria-sort") == direction
        shown = page.locator("#board tbody th bdi").evaluate_all("all => all.map(e => e.title)")
        assert shown == [row.name for row in sorted(picture.rows, key=lambda row: order * row.score)]
    assert page.locator("#board td.thin").count() == sum(row.thin for row in picture.rows)
    page.locator(".board-tools summary").press("Enter")
    page.locator(".board-tools .menu input").first.press("Space")
    assert not page.locator("#board th.wide").is_visible()
    page.locator(".board-tools select").last.select_option("all")
    assert page.locator("#board th.task").count() == 24
    first = page.locator("#board tbody tr").first.locator("td.task").all_text_contents()
    last = next(k for k, row in enumerate(picture.rows) if row.score == min(r.score for r in picture.rows))
    assert [float(t) if t else None for t in first] == pytest.approx(
        [column[last] for column in picture.values], abs=1e-4
    )
    assert opened.complaints == []
    assert page.locator("img").count() == 0
