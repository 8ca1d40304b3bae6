"""The page in a browser: nothing is loaded, tables sort and search, names are linked, and it fits a phone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tauscope as ts

HOSTILE = ("<script>alert(1)</script>", "</script><b>", "a'b\"c", "<img src=x onerror=alert(1)>", "name", "x" * 200)


def judged(systems: int, names: Any = None) -> tuple[ts.Scores, ts.Scores]:
    rng = np.random.default_rng(3)
    truth = 0.2 * np.arange(systems) + rng.normal(size=(20, systems))
    return ts.Scores(truth + 0.4 * rng.normal(size=truth.shape), systems=names), ts.Scores(truth, systems=names)


PAGES = {
    "judge": lambda: ts.report(judged(14)[0], truth=judged(14)[1]),
    "board": lambda: ts.report(judged(14)[1]),
    "265 systems": lambda: ts.report(ts.rank(judged(265, [f"a long name of system {k}" for k in range(265)])[1])),
    "hostile": lambda: ts.report(judged(6, list(HOSTILE))[0], truth=judged(6, list(HOSTILE))[1]),
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    return {name: make().write(folder / f"{name.replace(' ', '-')}.html") for name, make in PAGES.items()}


@pytest.mark.parametrize("what", PAGES)
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_complains_of_nothing_fits_and_passes_axe(
    what: str, width: int, scheme: str, pages: dict[str, Path], open_page: Callable[..., Any]
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    opened = open_page(pages[what], viewport={"width": width, "height": 900}, color_scheme=scheme)
    assert not opened.complaints
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    found = Axe().run(opened.page).response["violations"]
    assert not [(one["id"], one["nodes"][0]["html"][:200]) for one in found]


def test_a_table_sorts_both_ways_by_keys_and_is_searched(pages: dict[str, Path], open_page: Callable[..., Any]) -> None:
    page = open_page(pages["board"]).page
    table = page.locator("table").first
    head = table.locator("th", has_text="Rank").first
    head.locator("button").focus()
    for way, first in (("ascending", "1"), ("descending", "14")):
        page.keyboard.press("Enter")
        assert head.get_attribute("aria-sort") == way
        assert table.locator("tbody tr").first.locator("td").first.inner_text() == first
    page.locator("input.search").first.fill("12")
    seen = [row for row in table.locator("tbody tr").all() if row.is_visible()]
    assert 0 < len(seen) < 14
    assert all("12" in row.inner_text() for row in seen)


def test_a_name_that_is_clicked_is_marked_in_every_chart_and_table(
    pages: dict[str, Path], open_page: Callable[..., Any]
) -> None:
    page = open_page(pages["judge"]).page
    page.locator("svg.slope g.row").first.click()
    name = page.locator("svg.slope g.row").first.get_attribute("data-n")
    kept = page.locator(".kept").evaluate_all("all => all.map((one) => one.dataset.n || one.textContent)")
    assert len(kept) > 2
    assert set(kept) == {name}


def test_hostile_names_read_back_from_the_tables(pages: dict[str, Path], open_page: Callable[..., Any]) -> None:
    opened = open_page(pages["hostile"])
    texts = opened.page.locator("td bdi.name").all_inner_texts()
    assert HOSTILE[0] in texts
    assert not opened.complaints


def test_paper_shows_every_fold(pages: dict[str, Path], open_page: Callable[..., Any]) -> None:
    page = open_page(pages["judge"], folded=True).page
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate("[...document.querySelectorAll('details')].every((one) => one.open)")


def test_the_main_chart_fits_a_phone_without_scrolling_and_paper_has_the_wide_one(
    pages: dict[str, Path], open_page: Callable[..., Any]
) -> None:
    phone = open_page(pages["judge"], viewport={"width": 390, "height": 900}).page
    assert phone.locator(".main .narrow svg").first.is_visible()
    assert not phone.locator(".main .wide svg").first.is_visible()
    assert phone.evaluate("() => { const f = document.querySelector('.main'); return f.scrollWidth <= f.clientWidth; }")
    phone.emulate_media(media="print")
    assert phone.locator(".main .wide svg").first.is_visible()
    assert not phone.locator(".main .narrow svg").first.is_visible()
