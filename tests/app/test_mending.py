"""Files that were not understood, or understood wrongly, are mended by their buttons in a real browser; and the focus
stays where it was while the page is drawn again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from odd_files import HUMAN, long, text, turned, wide
from running import Running, matrix
from test_browser import Tab, open_app  # noqa: F401  (a fixture)
from test_ways_out import BATTLES, COLOURS, TREES, WON

import tauscope

Opened = Callable[..., tuple[Tab, Running]]


def counts(page: Any, name: str) -> str:
    """What is said of a file beside its name."""
    return str(page.locator(f"#list summary:has-text('{name}') .soft").inner_text())


def leader(page: Any) -> str:
    """The system that leads the board."""
    return str(page.locator("#board tbody tr").first.locator("th bdi").get_attribute("title"))


def scores(values: Any = HUMAN) -> tauscope.Scores:
    return tauscope.Scores(values, TREES, COLOURS)


def focused(page: Any) -> str:
    return str(
        page.evaluate("() => { const e = document.activeElement; return e.id || e.dataset.focus || e.tagName; }")
    )


def serious(tab: Tab) -> list[str]:
    """A browser tells of every answer that is a problem."""
    return [said for said in tab.complaints if "400 (Bad Request)" not in said]


def test_a_wrong_layout_is_mended_by_its_button(open_app: Opened) -> None:  # noqa: F811
    tab, _ = open_app()
    page = tab.page
    # Nothing tells whether the rows are topics or systems: it asks.
    tab.give(unclear=text(turned(systems=COLOURS, topics=TREES, first="thing")))
    assert "needs a word from you" in counts(page, "unclear.csv")
    page.click("text=One row per system (turn it)")
    page.wait_for_function("() => /5 systems, 12 topics/.test(document.querySelector('#list').textContent)")
    tab.wait()
    assert page.is_checked("#ask-board")  # one row per system is a board
    assert leader(page) == scores().ranking().labels[int(scores().ranking().order()[0])] == "black"
    # Taken for topics, since nothing says what they are; which is told, and turned as well.
    tab.give(guessed=text(turned(1 - HUMAN, systems=COLOURS, topics=TREES, first="")))
    assert counts(page, "guessed.csv") == "scores on topics: 12 systems, 5 topics, 1 measure"
    page.evaluate("() => { document.getElementById('files').open = true; }")
    page.click("#list summary:has-text('guessed.csv')")
    assert "nothing says what they are" in page.inner_text("[data-file]:has-text('guessed.csv')")
    page.click("[data-file]:has-text('guessed.csv') >> text=One row per system (turn it)")
    page.wait_for_function(
        "() => /guessed.csv scores on topics: 5 systems/.test(document.querySelector('#list').textContent)"
    )
    assert page.is_visible("[data-file]:has-text('guessed.csv') >> text=One row per topic")  # and back
    page.check("#ask-set")
    page.select_option("#control-scores", label="guessed.csv")
    page.wait_for_function("() => document.querySelector('#first .question')?.textContent.startsWith('Would this')")
    page.wait_for_function("() => /red/.test(document.querySelector('#first .picture')?.textContent ?? '')")
    assert serious(tab) == []


def test_files_with_the_same_problem_are_mended_at_once(open_app: Opened) -> None:  # noqa: F811
    tab, _ = open_app()
    page = tab.page
    holes = {f"judge{i}": matrix(i, noise=0.2).replace(matrix(i, noise=0.2).split(",")[20], "", 1) for i in range(4)}
    tab.give(human=matrix(9), **holes, unclear=text(wide(topics=TREES, systems=COLOURS, first="thing")))
    box = page.locator("section.same")
    assert box.count() == 1
    assert "4 files need the same word from you" in box.inner_text()
    assert page.locator("[data-file].broken[open]").count() == 1  # the one that is alone with its problem
    page.keyboard.press("Tab")
    box.get_by_text("Count what is missing as 0, for all 4 files").focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelectorAll('.broken').length === 1")
    assert "4 of 4 files are understood now" in page.inner_text("#uploading")
    assert page.evaluate("() => document.activeElement.closest('[data-file]')?.textContent.includes('judge0')")
    # Only the files with the same problem were read so.
    page.click(".broken >> text=Remove")
    page.wait_for_function("() => document.querySelectorAll('.broken').length === 0")
    page.wait_for_function("() => location.hash.includes('reading')")
    tab.wait("points")
    options = page.evaluate("() => JSON.parse(new URLSearchParams(location.hash.slice(1)).get('reading'))")
    assert list(map(str, options.values())) == ["{'missing': 'zero'}"] * 4
    assert tab.complaints == []


def test_columns_are_named_and_battles_left_out(open_app: Opened) -> None:  # noqa: F811
    tab, _ = open_app()
    page = tab.page
    tab.give(nothing=text([["who", "where", "how much"], *long()[1:]]))
    for label, column in (("systems", "who"), ("topics", "where")):
        page.select_option(f"[aria-label='Which column names the {label}?']", column)
    page.select_option("[aria-label='Which column is the score?']", "how much")
    page.click("text=Read these columns")
    page.wait_for_function("() => /5 systems, 12 topics/.test(document.querySelector('#list').textContent)")
    tab.wait()
    # Who won stands in a column of another name, and then one battle is of a system against itself.
    tab.give(arena=BATTLES.replace("winner", "who") + WON + "x,x,model_a\n")
    page.evaluate("() => { document.getElementById('files').open = true; }")
    page.select_option("[aria-label='Which column is the winner?']", "who")
    page.click("text=Leave these out")
    page.wait_for_function("() => /3 systems, 20 battles/.test(document.querySelector('#list').textContent)")
    page.check("#ask-board")
    page.select_option("#control-scores", label="arena.csv")
    page.wait_for_function("() => /x/.test(document.querySelector('#board')?.textContent ?? '')")
    assert serious(tab) == []


def test_scales_are_made_one_by_a_button(open_app: Opened) -> None:  # noqa: F811
    tab, _ = open_app()
    page = tab.page
    mixed = HUMAN.copy()
    mixed[:4] = 100 - (mixed[:4] * 100).round(1)
    tab.give(mixed=text(wide(mixed, TREES, COLOURS)))
    page.wait_for_selector("#problem .problem")
    assert "the widest scale would decide" in page.inner_text("#problem")
    assert page.is_hidden("#screen")  # nothing is shown that was not asked
    page.click("#problem >> text=Make them z-scores")
    tab.wait()
    assert page.inner_text("#problem") == ""
    assert focused(page) == "result"
    assert page.input_value("#control-topics-on-different-scales") == "z"
    made = tauscope.report(scores(mixed), aggregate="z", names=("mixed",))
    made.script.close()
    assert made.screen is not None
    assert tab.values() == [tile.value for tile in made.screen.tiles]
    # As a board the rule says it.
    page.check("#ask-board")
    page.wait_for_selector("#problem .problem")
    page.click("#problem >> text=Rank by the mean rank")
    page.wait_for_function("() => document.querySelector('#control-rule-of-the-board')?.value === 'mean-rank'")
    tab.wait()
    assert leader(page) == tauscope.rank(scores(mixed), "mean-rank").systems[0]
    assert serious(tab) == []


def test_the_focus_stays_where_it_is(open_app: Opened) -> None:  # noqa: F811
    tab, _ = open_app()
    page = tab.page
    tab.give(human=matrix(1), judge=matrix(2, noise=0.2), other=matrix(3, noise=0.3))
    tab.wait("points")
    page.focus("#ask-judges")
    for key, question in (
        ("ArrowLeft", "judge"),
        ("ArrowRight", "judges"),
        ("ArrowRight", "board"),
        ("ArrowRight", "set"),
    ):
        page.keyboard.press(key)
        page.wait_for_function("q => document.body.dataset.drawn === q", arg=question)
        assert focused(page) == f"ask-{question}"
    page.check("#ask-judges")
    page.wait_for_function("() => document.body.dataset.drawn === 'judges'")
    page.wait_for_selector("[data-focus^='judge ']")
    page.locator("[data-focus^='judge ']").first.focus()
    before = focused(page)
    page.keyboard.press("Space")
    page.wait_for_selector("#problem .problem")  # one judge is not several
    assert focused(page) == before
    page.keyboard.press("Space")
    page.wait_for_function("() => document.querySelector('#problem').textContent === ''")
    assert focused(page) == before
    page.focus("#control-coefficient")
    page.keyboard.press("ArrowDown")
    page.wait_for_function(
        "() => !location.hash.includes('coefficient=tau_b') && location.hash.includes('coefficient=')"
    )
    tab.wait()
    assert focused(page) == "control-coefficient"
    # Typed while the intervals are on their way: the board that comes has the search in it.
    page.check("#ask-board")
    page.wait_for_selector("#board")
    page.locator("#board th[data-sort=name] button, #board th button").first.click()
    page.locator(".board-tools input[type=search]").fill("sys1")
    tab.wait()
    assert page.locator(".board-tools input[type=search]").input_value() == "sys1"
    assert page.evaluate("() => document.activeElement.type") == "search"
    assert page.locator("#board tbody tr:not(.gone)").count() == 3
    assert page.locator("#board th[aria-sort]").count() == 1
    assert serious(tab) == []
