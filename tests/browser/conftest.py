"""Opens the report page in the browser, and takes down whatever it does that it should not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest


@dataclass
class Opened:
    """A page in the browser, and everything it did that it should not have."""

    page: Any
    complaints: list[str] = field(default_factory=list)


@pytest.fixture(scope="session")
def open_page(browser: Any) -> Iterator[Callable[..., Opened]]:
    """Opens a file, opens every fold unless `folded`, and takes down each request,
    dialog, error and complaint."""
    contexts = []

    def open_it(file: Path, *, folded: bool = False, **options: Any) -> Opened:
        context = browser.new_context(
            **{"viewport": {"width": 1100, "height": 900}, "accept_downloads": True, **options}
        )
        contexts.append(context)
        opened = Opened(context.new_page())
        own = file.resolve().as_uri()

        def route(request: Any) -> None:
            if request.request.url != own:
                opened.complaints.append(f"request: {request.request.url[:200]}")
                request.abort()
            else:
                request.continue_()

        context.route("**/*", route)
        page = opened.page
        page.on("console", lambda message: opened.complaints.append(f"console {message.type}: {message.text[:300]}"))
        page.on("pageerror", lambda error: opened.complaints.append(f"error: {error}"))
        page.on("popup", lambda popup: opened.complaints.append("a window was opened"))

        def dismiss(dialog: Any) -> None:
            opened.complaints.append(f"dialog: {dialog.message[:200]}")
            dialog.dismiss()

        page.on("dialog", dismiss)
        page.add_init_script(
            "addEventListener('securitypolicyviolation', "
            "e => console.error('policy: ' + e.violatedDirective + ' ' + e.blockedURI))"
        )
        page.goto(own)
        if not folded:
            page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
        return opened

    yield open_it
    for context in contexts:
        context.close()
