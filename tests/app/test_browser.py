"""The app in a real browser: files are dropped and mended, sliders move, pairs are looked at, answers taken away."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from running import Running, matrix, wait_for

import tauscope

#: Names that a stranger could put into a file.
HOSTILE = (
    "</script><script>alert(1)</script>",
    "\"'><img src=x onerror=alert(2)>",
    "javascript:alert(3)",
    "\u202egnp.exe\u2066",
    "x" * 3000,
    '=HYPERLINK("http://evil.example")',
    "datum['x']",
    "${alert(4)}",
    "{{7*7}}",
    "constructor",
    "__proto__",
    "<base href='http://evil.example/'>",
)


OPEN_ALL = "() => { for (const one of document.querySelectorAll('details')) one.open = true; }"


@dataclass
class Tab:
    """A tab of the app, and everything it did that it should not have."""

    page: Any
    complaints: list[str] = field(default_factory=list)

    def ask(self, question: str, *, ready: str = "intervals") -> None:
        self.page.check(f"#ask-{question}")
        self.wait(ready)

    def wait(self, ready: str = "intervals") -> None:
        """Until the answer to what is asked now is there; point values may have their intervals already."""
        own = "body[data-ready]" if ready == "points" else f"body[data-ready={ready}]"
        self.page.wait_for_selector(own, timeout=120_000)

    def values(self) -> list[str]:
        """What the tiles say, without what stands beside it."""
        first = "values => values.map(e => e.firstChild.textContent.trim())"
        return list(self.page.locator("#first .tile .value").evaluate_all(first))

    def give(self, **files: str) -> None:
        """Chooses files, called `name.csv`."""
        before = self.page.locator("#list > details").count()
        self.page.set_input_files(
            "#pick",
            [{"name": f"{name}.csv", "mimeType": "text/csv", "buffer": text.encode()} for name, text in files.items()],
        )
        self.page.wait_for_function(
            "n => document.querySelectorAll('#list > details').length >= n", arg=before + len(files)
        )


@pytest.fixture
def open_app(browser: Any, start_app: Callable[..., Running]) -> Iterator[Callable[..., tuple[Tab, Running]]]:
    """Opens an app of its own in a new context; whatever it says, loads or opens besides is a complaint."""
    contexts = []

    def open_it(running: Running | None = None, **options: Any) -> tuple[Tab, Running]:
        own = running or start_app()
        context = browser.new_context(
            **{"viewport": {"width": 1280, "height": 800}, "accept_downloads": True, **options}
        )
        contexts.append(context)
        tab = Tab(context.new_page())

        def route(request: Any) -> None:
            if request.request.url.startswith(own.base + "/"):
                request.continue_()
            else:
                tab.complaints.append(f"request: {request.request.url[:200]}")
                request.abort()

        context.route("**/*", route)
        page = tab.page
        page.on("console", lambda message: tab.complaints.append(f"console {message.type}: {message.text[:300]}"))
        page.on("pageerror", lambda error: tab.complaints.append(f"error: {error}"))
        page.on("popup", lambda popup: tab.complaints.append("a window was opened"))

        def dismiss(dialog: Any) -> None:
            tab.complaints.append(f"dialog: {dialog.message[:200]}")
            dialog.dismiss()

        page.on("dialog", dismiss)
        page.add_init_script(
            "addEventListener('securitypolicyviolation', "
            "e => console.error('policy: ' + e.violatedDirective + ' ' + e.blockedURI))"
        )
        page.goto(own.keys.address)
        page.wait_for_selector("body[data-begun]", timeout=60_000)
        return tab, own

    yield open_it
    for context in contexts:
        context.close()


def violations(page: Any) -> list[str]:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    found = axe.Axe().run(page).response["violations"]
    return [f"{one['id']}: {node['html'][:160]}" for one in found for node in one["nodes"]]


def test_from_dropped_files_to_what_is_taken_away(open_app: Callable[..., tuple[Tab, Running]], tmp_path: Path) -> None:
    tab, own = open_app()
    page = tab.page
    assert own.keys.token not in page.url
    # Dropped: one of them has a row for every system, which is told, and a cell without a score: it needs a word.
    turned = [line.split(",") for line in matrix(2, noise=0.2).splitlines()]
    turned[0][0] = "system"
    turned[3][2] = ""
    text = "\n".join(",".join(row) for row in zip(*turned, strict=True)) + "\n"
    assert text.startswith("system,t1,")
    page.evaluate(
        """files => {
          const data = new DataTransfer();
          for (const [name, text] of files) data.items.add(new File([text], name));
          document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
        }""",
        [["human.csv", matrix(1)], ["judge.csv", text]],
    )
    page.wait_for_selector(".file.broken")
    assert "needs a word from you" in page.inner_text(".file.broken summary")
    assert page.is_disabled("#ask-judge")
    page.click("text=Count what is missing as 0")
    page.wait_for_selector(".file.broken", state="detached")
    groups = "system,group\n" + "".join(f"sys{i},{'odd' if i % 2 else 'even'}\n" for i in range(12))
    tab.give(groups=groups)

    # Two files with scores: one judge is likely, and asked at once.
    page.wait_for_function("() => location.hash.includes('groups=')")
    tab.wait()
    assert page.is_checked("#ask-judge")
    truth, judge = (
        tauscope.read_scores(_file(tmp_path / name, content), missing="zero")
        for name, content in (("human.csv", matrix(1)), ("judge.csv", text))
    )
    made = tauscope.report(judge, truth=truth, coefficient="tau_b", names=("human", "judge"))
    made.script.close()
    assert made.screen is not None
    assert page.inner_text("#first .badge") == made.screen.badge.text
    values = tab.values()
    assert values == [tile.value for tile in made.screen.tiles]
    page.wait_for_selector("#first .slope")
    page.wait_for_selector("#curve svg")

    # The tolerance: point values at once, the curve under the slider.
    page.evaluate("() => { const s = document.getElementById('tolerance'); s.value = String(s.max / 4); }")
    page.locator("#tolerance").dispatch_event("input")
    page.locator("#tolerance").dispatch_event("change")
    page.wait_for_function("() => location.hash.includes('tied_within')")
    within = float(page.inner_text("#tolerance-value"))
    shown = tauscope.correlate(
        judge.ranking(), truth=truth.ranking(), coefficient=["tau_b"], tied_within=within
    ).results[0]
    page.wait_for_function(
        "v => document.querySelector('.asked-tile .value')?.textContent === v", arg=f"{shown.value:.2f}"
    )
    assert tab.values()[1:] == values  # intervals know nothing of it

    # A pair, by its row and by the picture.
    page.locator("#pairs button").first.click()
    page.wait_for_selector("#pair-topics tbody tr:nth-child(15)")
    page.click("#first ol.left .sys[title=sys1]")
    page.click("#first ol.right .sys[title=sys2]")
    page.wait_for_function("() => /sys1.*sys2/.test(document.querySelector('#drill h4')?.textContent ?? '')")

    # A group is left out.
    page.click("label.check:has-text('odd')")
    page.wait_for_function("() => document.querySelectorAll('#first ol.left .sys').length === 6")
    tab.wait()

    with page.expect_download() as table:
        page.click("text=Table (CSV)")
    assert table.value.suggested_filename == "table.csv"
    assert "sys1" not in Path(table.value.path()).read_text(encoding="utf-8").replace("sys10", "")
    with page.expect_download() as numbers:
        page.click("text=Numbers (JSON)")
    answer = json.loads(Path(numbers.value.path()).read_text(encoding="utf-8"))
    assert answer["points"]["systems"] == 6
    with page.expect_download(timeout=60_000) as report:
        page.click("text=Report page")
    assert "<!DOCTYPE html>" in Path(report.value.path()).read_text(encoding="utf-8")
    page.click("text=The command and the lines of Python")
    page.wait_for_selector("#repeat pre")
    assert "tauscope serve human.csv judge.csv groups.csv --print" in page.inner_text("#repeat")

    # The address holds the state.
    page.reload()
    page.wait_for_function("() => document.querySelectorAll('#first ol.left .sys').length === 6")
    assert float(page.inner_text("#tolerance-value")) == within
    assert tab.complaints == []


def _file(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_from_a_topic_to_its_documents(open_app: Callable[..., tuple[Tab, Running]], demo: Path) -> None:
    tab, _ = open_app()
    page = tab.page
    page.set_input_files(
        "#pick",
        [str(path) for path in [*sorted((demo / "runs").iterdir()), demo / "qrels.txt", demo / "judge_qrels.txt"]],
    )
    page.wait_for_selector("text=14 runs", timeout=60_000, state="attached")  # folded once there is an answer
    tab.ask("judge", ready="points")
    assert page.input_value("#control-truth") != page.input_value("#control-judge")
    page.locator("#pairs button").first.click()
    page.locator("#pair-topics button").first.click()
    page.wait_for_selector("#documents .differs", timeout=60_000)
    assert re.search(
        r"AP 0\.\d+ by the truth, 0\.\d+ by the judge; \d+ documents seen differently", page.inner_text("#documents")
    )
    page.select_option("#control-measure", "P@10")
    page.wait_for_function("() => location.hash.includes('P%4010')")
    tab.wait()
    assert tab.complaints == []


def test_no_name_can_do_anything(open_app: Callable[..., tuple[Tab, Running]]) -> None:
    tab, _ = open_app()
    page = tab.page
    values = matrix(1, systems=len(HOSTILE), topics=len(HOSTILE)).splitlines()[1:]
    quoted = ['"' + name.replace('"', '""') + '"' for name in HOSTILE]
    rows = [f"{quoted[i]},{line.partition(',')[2]}" for i, line in enumerate(values)]
    head = "topic," + ",".join(quoted)
    other = [f"{quoted[i]},{','.join(reversed(line.split(',')[1:]))}" for i, line in enumerate(values)]
    files = {
        "<img src=x onerror=alert(5)>.csv": "\n".join([head, *rows]),
        "{{constructor}}'\"&.csv": "\n".join([head, *other]),
        "third<script>.csv": "\n".join([head, *rows[::-1], "last," + values[0].partition(",")[2]]),
        "groups<b>.csv": "run,group\n" + "\n".join(f"{name},{quoted[i % 3]}" for i, name in enumerate(quoted)),
        "bad<svg onload=alert(6)>.csv": "<b>thing</b>,x,y\na,.1,.2\n",
    }
    page.set_input_files(
        "#pick", [{"name": name, "mimeType": "text/csv", "buffer": text.encode()} for name, text in files.items()]
    )
    page.wait_for_function("() => document.querySelectorAll('#list > details').length === 5")
    page.evaluate(OPEN_ALL)
    for question in ("judge", "judges", "board", "set"):
        tab.ask(question)
        page.evaluate(OPEN_ALL)
    tab.ask("judge")
    page.locator("#pairs button").first.click()
    page.wait_for_selector("#pair-topics tbody tr")
    page.wait_for_selector("#repeat[open] pre")  # what was open stays open
    page.hover("#first .slope svg")
    page.hover("#first .sys >> nth=0")
    assert (
        page.locator(
            "main script:not([type='application/json']), main img, main base, main b:not(:is(.key, .keys) b)"
        ).count()
        == 0
    )
    assert tab.complaints == []


def test_the_keyboard_reaches_everything(open_app: Callable[..., tuple[Tab, Running]]) -> None:
    tab, own = open_app()
    page = tab.page
    client = own.client()
    for name, seed in (("human.csv", 1), ("judge.csv", 2)):
        client.drop(name, matrix(seed, noise=0.2))
    page.reload()
    page.wait_for_selector("body[data-begun]")

    def tab_to(test: str, most: int = 60) -> None:
        for _ in range(most):
            page.keyboard.press("Tab")
            if page.evaluate(f"() => {{ const e = document.activeElement; return {test}; }}"):
                return
        raise AssertionError(f"the keyboard does not reach {test}")

    tab.wait("points")  # two files: one judge is asked at once, and the files are out of the way
    tab_to("e.matches('#files > summary')")
    page.keyboard.press("Enter")
    tab_to("e.id === 'pick'")
    tab_to("e.matches('#list summary')")
    page.keyboard.press("Enter")
    assert page.locator("#list details[open]").count() == 1
    tab_to("e.name === 'question'")
    page.keyboard.press("Space")
    tab.wait()
    tab_to("e.id === 'control-coefficient'")
    tab_to("e.id === 'tolerance'")
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    page.wait_for_function("() => location.hash.includes('tied_within')")
    tab_to("e.matches('#controls details[data-key=without_systems] summary')")
    page.keyboard.press("Enter")
    tab_to("e.matches('#controls details[data-key=without_systems] input[type=checkbox]')")
    page.keyboard.press("Space")
    page.wait_for_function("() => location.hash.includes('without_systems')")
    tab_to("e.matches('#pairs button')", most=120)
    page.keyboard.press("Enter")
    page.wait_for_selector("#pair-topics")
    page.wait_for_function("() => document.activeElement.id === 'drill'")
    tab_to("e.textContent === 'Report page'")
    assert tab.complaints == []


@pytest.mark.parametrize("look", ["light", "dark"])
def test_axe_finds_nothing_and_a_phone_cuts_nothing(open_app: Callable[..., tuple[Tab, Running]], look: str) -> None:
    # axe is put into the page by the test, which the page's own policy would not let in.
    tab, _ = open_app(color_scheme=look, bypass_csp=True)
    page = tab.page
    assert violations(page) == []
    tab.give(human=matrix(1), judge=matrix(2, noise=0.2), other=matrix(3), unclear="thing,x,y\na,.1,.2\nb,.3,.4\n")
    assert violations(page) == []
    for question in ("judge", "judges", "board", "set") if look == "light" else ("judge", "board"):
        tab.ask(question)
        page.wait_for_function("q => document.body.dataset.drawn === q", arg=question)
        if question == "judge":
            page.locator("#pairs button").first.click()
            page.wait_for_selector("#pair-topics")
        assert violations(page) == []
        page.set_viewport_size({"width": 390, "height": 844})
        assert page.evaluate("() => document.documentElement.scrollWidth") == 390
        page.set_viewport_size({"width": 1280, "height": 800})


def test_a_killed_worker_is_told_and_the_user_goes_on(open_app: Callable[..., tuple[Tab, Running]]) -> None:
    tab, own = open_app()
    page = tab.page
    tab.give(human=matrix(1, systems=50, topics=30), judge=matrix(2, systems=50, topics=30))
    tab.ask("judge", ready="points")
    wait_for(lambda: bool(own.session.pool.busy))
    for pid in list(own.session.pool.busy):
        os.kill(pid, signal.SIGKILL)
    page.wait_for_selector("#problem .problem")
    assert "was stopped before it was done" in page.inner_text("#problem")
    page.fill("#control-only-the-top", "20")
    page.locator("#control-only-the-top").dispatch_event("change")
    tab.wait()
    assert page.inner_text("#problem") == ""
    assert tab.complaints == []


def test_lists_without_topics_keep_their_point_values(open_app: Callable[..., tuple[Tab, Running]]) -> None:
    tab, _ = open_app()
    page = tab.page
    tab.give(human="system,score\na,3\nb,2\nc,1\n", judge="system,score\na,3\nb,1\nc,2\n")
    tab.ask("judge", ready="points")
    page.wait_for_selector("#problem .problem")
    assert "a list of systems has none" in page.inner_text("#problem")
    assert page.inner_text("#first .badge") == "Point values only"
    assert page.inner_text("#first .tile .value >> nth=0") == "0.33"
    assert tab.complaints == []


def test_a_slider_that_moves_asks_for_points_only(open_app: Callable[..., tuple[Tab, Running]]) -> None:
    tab, _ = open_app()
    page = tab.page
    tab.give(human=matrix(1, systems=40, topics=30), judge=matrix(2, systems=40, topics=30, noise=0.2))
    tab.ask("judge")
    asked: list[Any] = []
    page.on(
        "request", lambda request: asked.append(request.post_data_json) if request.url.endswith("/answers") else None
    )
    # All moves in one go: however slow the machine is, no rest of the hand comes between them.
    moves = """() => {
      const slider = document.getElementById("tolerance");
      for (let i = 1; i <= 20; i++) {
        slider.value = String((i * slider.max) / 40);
        slider.dispatchEvent(new Event("input"));
      }
    }"""
    with page.expect_request(lambda request: request.url.endswith("/answers") and request.post_data_json["intervals"]):
        page.evaluate(moves)
    assert [one["intervals"] for one in asked] == [False] * (len(asked) - 1) + [True]
    assert 2 <= len(asked) <= 4
    assert asked[-1]["state"]["tied_within"] == float(page.inner_text("#tolerance-value"))
    assert tab.complaints == []


def test_the_look_is_that_of_the_page() -> None:
    from tauscope.page.html import TEMPLATES

    from tauscope.app.server import HERE

    look = (TEMPLATES / "look.css").read_text(encoding="utf-8")
    own = (HERE / "static" / "app.css").read_text(encoding="utf-8")
    assert set(re.findall(r"var\((--[a-z-]+)", own)) <= set(re.findall(r"(--[a-z-]+):", look))
    # The app has no colours of its own.
    assert not re.search(r"#[0-9a-f]{3,8}\b(?![^{]*\{)", own)


def test_files_of_the_command_line_are_asked_about_at_once(
    open_app: Callable[..., tuple[Tab, Running]], start_app: Callable[..., Running]
) -> None:
    own = start_app()
    client = own.client()
    rows = [
        ["model", *matrix(3).splitlines()[0].split(",")[1:]],
        *(line.split(",") for line in matrix(3).splitlines()[1:]),
    ]
    client.drop("board.csv", "\n".join(",".join(row) for row in zip(*rows, strict=True)))
    tab, _ = open_app(own)
    page = tab.page
    tab.wait("points")
    assert page.is_checked("#ask-board")  # one row per model
    assert "models" in page.inner_text("#first .question")
    # More files are another question, until somebody chooses one.
    tab.give(human=matrix(1), judge=matrix(2, noise=0.2))
    page.wait_for_function("() => document.querySelector('#ask-judges').checked")
    page.check("#ask-set")
    page.wait_for_function("() => document.querySelector('#first .question')?.textContent.startsWith('Would this')")
    tab.give(other=matrix(4))
    assert page.is_checked("#ask-set")
    tab.wait()
    assert tab.complaints == []


def test_many_systems_are_chosen_in_the_picture(open_app: Callable[..., tuple[Tab, Running]]) -> None:
    tab, _ = open_app()
    page = tab.page
    tab.give(human=matrix(1, systems=45, topics=12), judge=matrix(2, systems=45, topics=12, noise=0.2))
    tab.wait()
    page.click("#first .switch button >> nth=1")
    page.locator("#first .zoomed.shown .cross text:not(.tick)").nth(2).click()
    page.wait_for_function("() => /choose another/.test(document.getElementById('picked').textContent)")
    page.locator("#first .zoomed.shown .cross text:not(.tick)").nth(5).click()
    page.wait_for_selector("#pair-topics tbody tr:nth-child(12)")
    assert tab.complaints == []


def test_holes_and_rules_of_a_board(open_app: Callable[..., tuple[Tab, Running]]) -> None:
    tab, _ = open_app()
    page = tab.page
    text = matrix(7).replace(matrix(7).splitlines()[1].split(",")[1], "", 1)
    tab.give(board=text)
    page.click("text=Keep the holes")
    tab.wait()
    assert page.is_checked("#ask-board")  # a board with holes
    page.select_option("#control-rule-of-the-board", "median")
    page.wait_for_function("() => /leads by the median/.test(document.querySelector('#first .sentence').textContent)")
    page.evaluate(
        "() => { document.getElementById('files').open = true; document.querySelector('.file').open = true; }"
    )
    page.select_option("[aria-label='Missing cells of board.csv']", "drop-topics")
    page.wait_for_function("() => location.hash.includes('drop-topics')")
    page.select_option("#control-rule-of-the-board", "mean")
    page.wait_for_function(
        "() => /could be the best|is the best/.test(document.querySelector('#first .sentence').textContent)"
    )
    assert tab.complaints == []


def test_names_are_matched_loosely_by_a_button(open_app: Callable[..., tuple[Tab, Running]]) -> None:
    tab, _ = open_app()
    page = tab.page
    tab.give(human=matrix(1), judge=matrix(2, noise=0.2).replace("sys", "SYS "))
    page.click("#problem >> text=Match names loosely")
    tab.wait()
    assert page.is_checked("#control-match")
    assert "matched loosely" in page.inner_text("#notes")
    # A browser tells of every answer that is a problem.
    assert [said for said in tab.complaints if "400 (Bad Request)" not in said] == []
