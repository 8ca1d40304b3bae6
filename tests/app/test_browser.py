"""The app in a real browser: files are dropped and fixed, options move, systems are looked at, answers downloaded."""

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
from running import Running, matrix

import tauscope
from tauscope.app.records import QUESTIONS

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

    def ask(self, question: str) -> None:
        self.page.check(f"#ask-{question}")
        self.wait(question)

    def wait(self, ready: str = "") -> None:
        """Until the answer to what is asked now is there."""
        own = f"body[data-ready={ready}]" if ready else "body[data-ready]"
        self.page.wait_for_selector(own, timeout=120_000)

    def label(self) -> str:
        """The verdict that is shown."""
        return str(self.page.inner_text("#first .badge"))

    def give(self, **files: str) -> None:
        """Chooses files, called `name.csv`."""
        before = self.page.locator("[data-file]").count()
        self.page.set_input_files(
            "#pick",
            [{"name": f"{name}.csv", "mimeType": "text/csv", "buffer": text.encode()} for name, text in files.items()],
        )
        self.page.wait_for_function(
            "n => document.querySelectorAll('[data-file]').length >= n", arg=before + len(files)
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


GROUPS = "system,group\n" + "".join(f"sys{i},{'odd' if i % 2 else 'even'}\n" for i in range(12))
DROP = """files => {
  const data = new DataTransfer();
  for (const [name, text] of files) data.items.add(new File([text], name));
  document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
}"""
Opened = Callable[..., tuple[Tab, Running]]


def turned(text: str) -> str:
    """Rows and columns exchanged."""
    rows = [line.split(",") for line in text.splitlines()]
    rows[0][0] = "system"
    return "\n".join(",".join(row) for row in zip(*rows, strict=True)) + "\n"


def scores(text: str) -> tauscope.Scores:
    rows = [line.split(",") for line in text.splitlines()]
    return tauscope.Scores(
        [[float(cell) for cell in row[1:]] for row in rows[1:]], [row[0] for row in rows[1:]], rows[0][1:]
    )


def document(tab: Tab) -> Any:
    """What is taken away as numbers."""
    with tab.page.expect_download() as taken:
        tab.page.click("text=Numbers (JSON)")
    return json.loads(Path(taken.value.path()).read_text(encoding="utf-8"))


def test_from_dropped_files_to_what_is_taken_away(open_app: Opened) -> None:
    tab, own = open_app()
    page = tab.page
    assert own.keys.token not in page.url
    holes = turned(matrix(2, noise=0.2)).splitlines()
    holes[3] = ",".join(["", *holes[3].split(",")[1:]]).replace(",", "sys2,", 1)
    holes[3] = re.sub(r"(?<=,)[^,]+", "", holes[3], count=1)
    page.evaluate(DROP, [["human.csv", matrix(1)], ["judge.csv", "\n".join(holes) + "\n"], ["groups.csv", GROUPS]])
    page.wait_for_function("() => document.querySelectorAll('[data-file]').length === 3")
    tab.wait("problem")  # a cell has no score, and nobody may guess what that means
    page.click("#problem >> text=Leave out topics with missing cells")
    tab.wait("compare")
    assert page.is_checked("#ask-compare")
    truth = scores(matrix(1)).select(topics=[f"t{i}" for i in range(2, 16)])
    judge = scores(matrix(2, noise=0.2)).select(topics=truth.topics)
    groups = {f"sys{i}": "odd" if i % 2 else "even" for i in range(12)}
    right = tauscope.compare(judge, truth=truth, groups=groups)
    assert document(tab)["facts"]["corrected"] == right.corrected
    assert tab.label() == right.answer().verdict.label

    # Headline and verdict follow the options.
    page.fill("#control-margin", "0.3")
    page.locator("#control-margin").dispatch_event("change")
    page.wait_for_function("() => location.hash.includes('margin')")
    tab.wait("compare")
    below = tauscope.compare(judge, truth=truth, groups=groups, margin=0.3).answer().verdict
    assert tab.label() == below.label
    assert "margin=0.3" in page.text_content("#python")
    assert "--margin 0.3" in page.text_content("#shell")

    # A group is left out.
    page.click("label.check:has-text('odd')")
    page.wait_for_function("() => location.hash.includes('sys11')")
    tab.wait("compare")
    assert document(tab)["facts"]["systems"] == 6
    for text, name in (("Table (CSV)", "table.csv"), ("Figure (PDF)", "figure.pdf"), ("Page", "page.html")):
        with page.expect_download(timeout=60_000) as taken:
            page.get_by_role("button", name=text, exact=True).click()
        assert taken.value.suggested_filename == name
    assert "<!doctype html>" in Path(taken.value.path()).read_text(encoding="utf-8")
    before = page.inner_text("#first h1")
    page.reload()  # the address holds what is asked
    tab.wait("compare")
    assert page.inner_text("#first h1") == before
    assert unexpected(tab) == []


def unexpected(tab: Tab) -> list[str]:
    """Complaints; a browser tells of every answer that is a problem."""
    return [said for said in tab.complaints if "400 (Bad Request)" not in said]


def test_the_tolerance_moves_the_value_and_a_pair_shows_its_topics(open_app: Opened) -> None:
    tab, _ = open_app()
    page = tab.page
    tab.give(human=matrix(1), judge=matrix(2, noise=0.2))
    tab.ask("correlate")
    truth, judge = scores(matrix(1)), scores(matrix(2, noise=0.2))
    assert document(tab)["facts"]["value"] == tauscope.correlate(judge, truth=truth).value
    page.fill("#control-tied-within", "0.05")
    page.locator("#control-tied-within").dispatch_event("change")
    page.wait_for_function("() => location.hash.includes('tied_within')")
    tab.wait("correlate")
    right = tauscope.correlate(judge, truth=truth, tied_within=0.05)
    assert document(tab)["facts"]["value"] == right.value
    page.fill("#control-top-k", "5")
    page.locator("#control-top-k").dispatch_event("change")
    page.wait_for_function("() => location.hash.includes('top_k')")
    tab.wait("correlate")
    assert document(tab)["facts"]["value"] == tauscope.correlate(judge, truth=truth, tied_within=0.05, top_k=5).value
    tab.ask("compare")
    page.locator("#first figure.main [data-n=sys1] text").first.click()
    page.wait_for_selector("#drill-table tbody tr:nth-child(15)")
    page.locator("#first figure.main [data-n=sys2] text").first.click()
    page.wait_for_function("() => /sys1 · sys2/.test(document.querySelector('#drill caption')?.textContent ?? '')")
    assert unexpected(tab) == []


def test_a_layout_is_fixed_by_its_button_for_all_files_alike(open_app: Opened) -> None:
    tab, _ = open_app()
    page = tab.page
    unclear = "thing,x,y,z\n" + "".join(f"{name},.{i}1,.{i}2,.{9 - i}\n" for i, name in enumerate("abcdefgh", 1))
    tab.give(unclear=unclear, other=unclear.replace("h,", "k,"))
    assert "cannot be read yet" in page.inner_text("#broken summary >> nth=0")
    assert page.is_disabled("#ask-compare")
    page.click("#broken >> text=One row per topic, for 2 files") if page.locator(
        "#broken >> text=One row per topic, for 2 files"
    ).count() else page.locator("#broken div:has-text('For all 2 files') >> text=One row per topic").first.click()
    page.wait_for_selector("#broken", state="hidden")
    tab.wait()
    assert page.locator("[data-file]").count() == 2
    assert unexpected(tab) == []


def test_the_sample_shows_an_answer(open_app: Opened) -> None:
    tab, _ = open_app()
    tab.page.click("#sample")
    tab.wait("compare")
    assert tab.label() in ("Can replace", "For some uses", "Not shown", "Cannot replace")
    for command in QUESTIONS:
        if tab.page.is_enabled(f"#ask-{command}") and command != "gate":
            tab.ask(command)
            assert tab.page.inner_text("#first h1")
    tab.page.click("#ask-gate")
    tab.page.wait_for_selector("body[data-ready=problem]")
    assert "at least one claim" in tab.page.inner_text("#problem")
    tab.page.fill("#control-claims", "reranker04 > dense09")
    tab.page.press("#control-claims", "Tab")
    tab.wait("gate")
    assert tab.label() == "Passes"
    assert unexpected(tab) == []


def test_no_name_can_do_anything(open_app: Opened) -> None:
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
        "groups<b>.csv": "run,group\n" + "\n".join(f"{name},{quoted[i % 3]}" for i, name in enumerate(quoted)),
        "bad<svg onload=alert(6)>.csv": "<b>thing</b>,x,y\na,.1,.2\n",
    }
    page.set_input_files(
        "#pick", [{"name": name, "mimeType": "text/csv", "buffer": text.encode()} for name, text in files.items()]
    )
    page.wait_for_function("() => document.querySelectorAll('[data-file]').length === 4")
    page.evaluate(OPEN_ALL)
    for question in ("compare", "correlate", "significance", "rank"):
        tab.ask(question)
        page.evaluate(OPEN_ALL)
    page.locator("#first figure.main [data-n] text").first.click()
    page.wait_for_selector("#drill-table tbody tr")
    own = "main script, main img, main base, main iframe, main [onerror], main [onload]"
    assert page.locator(own).count() == 0
    assert unexpected(tab) == []


def test_the_keyboard_reaches_everything(open_app: Opened) -> None:
    tab, own = open_app()
    page = tab.page
    client = own.client()
    for name, seed in (("human.csv", 1), ("judge.csv", 2)):
        client.drop(name, matrix(seed, noise=0.2))
    page.reload()
    page.wait_for_selector("body[data-begun]")

    def tab_to(test: str, most: int = 80) -> None:
        for _ in range(most):
            page.keyboard.press("Tab")
            if page.evaluate(f"() => {{ const e = document.activeElement; return {test}; }}"):
                return
        raise AssertionError(f"the keyboard does not reach {test}")

    tab.wait("compare")  # two files: one judge is asked at once, and the files are out of the way
    page.focus(".skip")
    tab_to("e.matches('#files > summary')")
    page.keyboard.press("Enter")
    tab_to("e.id === 'pick'")
    tab_to("e.matches('#list summary')")
    page.keyboard.press("Enter")
    assert page.locator("#list details[open]").count() == 1
    tab_to("e.name === 'question'")
    tab_to("e.id === 'control-coefficient'")
    page.keyboard.press("ArrowDown")
    page.wait_for_function("() => location.hash.includes('coefficient')")
    tab.wait()
    assert page.evaluate("() => document.activeElement.id") == "control-coefficient"
    tab_to("e.matches('#controls details[data-key=systems] summary')")
    page.keyboard.press("Enter")
    tab_to("e.matches('#controls details[data-key=systems] input[type=checkbox]')")
    page.keyboard.press("Space")
    page.wait_for_function("() => location.hash.includes('sys0')")
    tab.wait()
    tab_to("e.textContent === 'Page'")
    assert unexpected(tab) == []


@pytest.mark.parametrize("look", ["light", "dark"])
def test_axe_finds_nothing_and_a_phone_cuts_nothing(open_app: Opened, look: str) -> None:
    # axe is put into the page by the test, which the page's own policy would not let in.
    tab, _ = open_app(color_scheme=look, bypass_csp=True)
    page = tab.page
    assert violations(page) == []
    tab.give(human=matrix(1), judge=matrix(2, noise=0.2), other=matrix(3), unclear="thing,x,y\na,.1,.2\nb,.3,.4\n")
    assert violations(page) == []
    for question in ("compare", "rank", "significance", "correlate") if look == "light" else ("compare", "rank"):
        tab.ask(question)
        if question == "rank":
            page.locator("#first figure.main [data-n] text").first.click()
            page.wait_for_selector("#drill-table tr")
        assert violations(page) == []
        page.set_viewport_size({"width": 390, "height": 844})
        assert page.evaluate("() => document.documentElement.scrollWidth") == 390
        page.set_viewport_size({"width": 1280, "height": 800})


def test_a_killed_worker_is_told_and_the_user_goes_on(open_app: Opened) -> None:
    tab, own = open_app()
    page = tab.page
    tab.give(human=matrix(1, systems=90, topics=40), judge=matrix(2, systems=90, topics=40))
    tab.wait("compare")
    page.fill("#control-level", "0.9")
    page.locator("#control-level").dispatch_event("change")
    while not own.session.pool.busy:
        page.wait_for_timeout(20)  # requests of the page go on meanwhile
    for pid in list(own.session.pool.busy):
        os.kill(pid, signal.SIGKILL)
    page.wait_for_selector("#problem .problem")
    assert "was stopped before it was done" in page.inner_text("#problem")
    page.fill("#control-level", "0.8")
    page.locator("#control-level").dispatch_event("change")
    tab.wait("compare")
    assert page.inner_text("#problem") == ""
    assert unexpected(tab) == []


def test_the_look_is_that_of_the_page() -> None:
    from tauscope.app.server import HERE
    from tauscope.render import html

    own = (HERE / "static" / "app.css").read_text(encoding="utf-8")
    assert set(re.findall(r"var\((--[a-z-]+)", own)) <= set(re.findall(r"(--[a-z-]+):", html.style() + own))
    # The app has no colours of its own.
    assert not re.search(r"#[0-9a-f]{3,8}\b(?![^{]*\{)", own)
