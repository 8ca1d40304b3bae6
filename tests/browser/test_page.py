"""The report page in a real browser: it draws, sorts and saves, loads nothing, and no name in it can do anything."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tauscope
from tauscope.page.html import as_json

#: Names that a stranger could put into a file.
HOSTILE = (
    "</script><script>alert(1)</script>",
    "\"'><img src=x onerror=alert(2)>",
    "javascript:alert(3)",
    "\u202egnp.exe\u2066 \u200f",
    "x" * 10_000,
    "a.b[0]",
    '=HYPERLINK("http://evil.example","y")',
    "@SUM(1)",
    "-1+2",
    "datum['x']",
    "\\",
    'a\\"b',
    "${alert(4)}",
    "{{7*7}}",
    "\u2028line\u2029",
    "<!--",
    "]]>",
    "constructor",
    "__proto__",
    "image",
    "title",
    "a\tb",
    "a\rb",
    "a\nb",
    "&lt;&amp;",
    " spaces  inside ",
    "<base href='http://evil.example/'>",
    "'; drop",
    "🂡",
    "null",
    "NaN",
    "toString",
    "http://evil.example/x.png",
)


MEASURES = (HOSTILE[0], HOSTILE[1], HOSTILE[4], HOSTILE[5], HOSTILE[6])


def scores(
    m: int, n: int = 20, seed: int = 3, systems: tuple[str, ...] | None = None, **options: Any
) -> tauscope.Scores:
    rng = np.random.default_rng(seed)
    values = np.clip(np.linspace(0.7, 0.2, m) + rng.normal(0, 0.12, (n, m)) + rng.normal(0, 0.1, (n, 1)), 0, 1)
    return tauscope.Scores(values, systems=systems or tuple(f"s{i:03}" for i in range(m)), **options)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, tauscope.Report]:
    names = tuple(f"s{i:03}" for i in range(40))
    page = tauscope.report(
        scores(40, measure="AP", seed=4, systems=names), truth=scores(40, measure="AP", systems=names), rng=1
    )
    return page.write(tmp_path_factory.mktemp("plain") / "report.html"), page


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, tauscope.Report]:
    """Every kind of name hostile at once."""
    m = len(HOSTILE)
    options = {"topics": HOSTILE[:20], "systems": HOSTILE, "collection": HOSTILE[1]}
    layers = (scores(m, seed=place, measure=name, **options) for place, name in enumerate(MEASURES))
    truth = tauscope.ScoreCube.stack(layers)
    page = tauscope.report(
        scores(m, seed=4, measure=HOSTILE[0], **options),
        truth=truth,
        rng=1,
        names=(HOSTILE[1], HOSTILE[11]),
        title=HOSTILE[0],
        files=HOSTILE,
        command=" ".join(HOSTILE[:4]),
        groups=dict(zip(HOSTILE, HOSTILE[::-1], strict=True)),
    )
    return page.write(tmp_path_factory.mktemp("hostile") / "report.html"), page


@pytest.mark.parametrize(
    "look", [{"color_scheme": "light"}, {"color_scheme": "dark"}, {"viewport": {"width": 390, "height": 844}}]
)
def test_every_chart_is_drawn_without_a_request_or_a_complaint(
    open_page: Callable[..., Any], plain: Any, look: Any
) -> None:
    file, page = plain
    opened = open_page(file, **look)
    charts = sum(len(section.figures) for section in page.sections)
    assert charts >= 5
    assert opened.page.locator("figure[data-drawn=yes] svg").count() == charts
    # Marks, not only axes: something is in each chart.
    assert all(
        opened.page.evaluate(
            "[...document.querySelectorAll('.chart')]"
            ".map(c => c.querySelectorAll('.role-mark path, .role-mark line').length > 2)"
        )
    )
    # Nothing sticks out sideways, on a phone neither.
    assert opened.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert opened.complaints == []


def test_the_page_measures_when_its_first_chart_is_there(open_page: Callable[..., Any], plain: Any) -> None:
    opened = open_page(plain[0])
    marks = opened.page.evaluate("performance.getEntriesByType('measure').map(m => [m.name, m.duration])")
    assert [name for name, _ in marks] == ["first chart"]
    assert marks[0][1] > 0


def test_a_tooltip_names_what_is_under_the_pointer(open_page: Callable[..., Any], plain: Any) -> None:
    file, page = plain
    opened = open_page(file)
    first = page["holds"].data["ranks"]["systems"][0]
    opened.page.locator("#holds-ranks-figure .mark-rect path").first.hover()
    assert opened.page.locator("#tip dd").first.text_content() == first
    opened.page.keyboard.press("Escape")
    assert opened.page.locator("#tip").is_hidden()


def test_a_table_sorts_both_ways_and_tells_a_screen_reader(open_page: Callable[..., Any], plain: Any) -> None:
    opened = open_page(plain[0])
    table = opened.page.locator("#compared-ranking")
    head = table.locator("th").nth(2)
    for direction in ("ascending", "descending"):
        head.locator("button").press("Enter")
        assert head.get_attribute("aria-sort") == direction
        means = [float(cell) for cell in table.locator("tbody tr td:nth-child(3)").all_text_contents()]
        assert means == sorted(means, reverse=direction == "descending")
    assert table.locator("tbody tr:visible").count() == 12
    opened.page.locator("#compared-ranking-tools button").first.click()
    assert table.locator("tbody tr:visible").count() == 40


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_a_chart_is_saved_as_a_file(open_page: Callable[..., Any], plain: Any, kind: str, tmp_path: Path) -> None:
    opened = open_page(plain[0])
    with opened.page.expect_download() as saved:
        opened.page.locator("#holds-ranks-figure .tools button", has_text=kind.upper()).click()
    saved.value.save_as(tmp_path / "chart")
    assert saved.value.suggested_filename == f"holds-ranks.{kind}"
    assert (tmp_path / "chart").read_bytes().startswith(b"<svg" if kind == "svg" else b"\x89PNG")
    assert opened.complaints == []


def test_hostile_names_do_nothing_and_read_back_from_the_tables(open_page: Callable[..., Any], hostile: Any) -> None:
    opened = open_page(hostile[0])
    cells = opened.page.locator("#compared-ranking tbody tr td:first-child").all_text_contents()
    assert sorted(cells) == sorted(HOSTILE)
    groups = opened.page.locator("#compared-ranking tbody tr td:last-child").all_text_contents()
    assert sorted(groups) == sorted(HOSTILE)
    for place, names in (("#topics-values", HOSTILE[:20]), ("#repeat-files", HOSTILE)):
        assert sorted(opened.page.locator(f"{place} tbody tr td:first-child").all_text_contents()) == sorted(names)
    assert sorted(opened.page.locator("#measures-order tbody tr td:nth-child(2)").all_text_contents()) == sorted(
        MEASURES
    )
    inputs = [row.locator("td").all_text_contents() for row in opened.page.locator("#repeat-inputs tbody tr").all()]
    assert [row[:3] for row in inputs] == [[HOSTILE[1], HOSTILE[0], HOSTILE[1]], [HOSTILE[11], HOSTILE[0], HOSTILE[1]]]
    assert opened.page.locator("img, iframe, object, embed, base, input, form > *").count() == 0
    assert opened.page.locator("script:not([type])").count() == 3
    data = opened.page.locator("script[type='application/json']").count()
    assert data == 2 + opened.page.locator("figure .chart").count()
    assert opened.page.locator("script").count() == 3 + data
    assert set(opened.page.evaluate("[...document.querySelectorAll('a')].map(a => a.getAttribute('href')[0])")) == {"#"}
    assert opened.complaints == []


def test_hostile_names_read_back_from_a_tooltip(open_page: Callable[..., Any], hostile: Any) -> None:
    file, page = hostile
    opened = open_page(file)
    bars = opened.page.locator("#holds-ranks-figure .mark-rect").first.locator("path")
    assert bars.count() == len(HOSTILE)
    read = []
    for place in range(len(HOSTILE)):
        bars.nth(place).hover(force=True)
        read.append(opened.page.locator("#tip dd").first.text_content())
    assert read == list(page["holds"].data["ranks"]["systems"])
    for chart, names in (("#topics-values-figure", HOSTILE[:20]), ("#measures-heatmap-figure", MEASURES)):
        seen = set()
        for mark in opened.page.locator(f"{chart} .mark-rect").first.locator("path").all():
            mark.hover(force=True)
            seen.add(opened.page.locator("#tip dd").first.text_content())
        assert seen == set(names)
    assert opened.complaints == []


def test_a_table_is_saved_as_csv_that_a_spreadsheet_does_not_run(
    open_page: Callable[..., Any], hostile: Any, tmp_path: Path
) -> None:
    opened = open_page(hostile[0])
    with opened.page.expect_download() as saved:
        opened.page.locator("#compared-ranking-tools button", has_text="CSV").click()
    saved.value.save_as(tmp_path / "table.csv")
    with (tmp_path / "table.csv").open(encoding="utf-8", newline="") as stream:
        head, *rows = list(csv.reader(stream))
    assert len(head) == len(rows[0]) == 6
    names = [row[0] for row in rows]
    assert not [name for name in names if name[:1] in tuple("=+-@\t\r")]
    assert sorted(name[1:] if name[:2] in ("'=", "'@", "'-") else name for name in names) == sorted(HOSTILE)


def test_numbers_of_an_axis_do_not_run_together(open_page: Callable[..., Any], tmp_path: Path) -> None:
    # 50 topics: the curve goes to 200, and 90 stands beside 100.
    opened = open_page(tauscope.report(scores(12, 50), rng=1).write(tmp_path / "report.html"))
    places = opened.page.evaluate(
        """[...document.querySelectorAll('.chart .role-axis-label')].map(axis => [...axis.querySelectorAll('text')]
           .filter(t => t.getAttribute('opacity') !== '0' && /^[0-9.]+$/.test(t.textContent))
           .map(t => { const b = t.getBoundingClientRect(); return [b.left, b.right, b.top, b.bottom]; }))"""
    )
    gaps = [max(b[0] - a[1], a[0] - b[1], b[2] - a[3], a[2] - b[3]) for axis in places for a, b in pairwise(axis)]
    assert len(gaps) > 10
    assert min(gaps) > 3


def test_no_two_parts_of_the_page_have_one_id(open_page: Callable[..., Any], plain: Any) -> None:
    ids = open_page(plain[0]).page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))


def test_the_file_allows_only_its_own_scripts(plain: Any) -> None:
    text = plain[0].read_text(encoding="utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)
    assert policy is not None
    assert policy[1].startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy[1]
    assert "http" not in policy[1]


def test_data_in_a_script_cannot_end_it() -> None:
    text = as_json({"a": "</script><!--\u2028&"})
    assert not set("<>&\u2028") & set(text)
