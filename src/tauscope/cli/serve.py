"""`tauscope serve`: the local web app."""

from __future__ import annotations

import sys
import threading
import webbrowser
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from ..errors import CallError
from .options import settings_in
from .output import show


def serve(
    files: Annotated[list[Path] | None, Parameter(negative=())] = None,
    /,
    *,
    port: int = 0,
    browser: Annotated[bool, Parameter(negative="--no-browser", show_default=False)] = True,
    limits: str = "upload=200,memory=2048",
) -> None:
    """Ask in the browser: drop files, choose a question and its options, download the answer.

    FILES are scores, runs and judgments, boards or battles, or folders of them; more can be dropped on the page. It
    answers on 127.0.0.1 to the browser that opens the printed address, sends nothing elsewhere, and works offline.

    Example: `tauscope serve human.csv judge.csv`

    Parameters
    ----------
    files
        What the page starts with.
    port
        The port; 0 takes a free one.
    browser
        Open the browser; --no-browser only prints the address.
    limits
        Limits in MB. upload= is what all dropped files may have together, and what a packed one may unpack to;
        memory= is what one computation may take (on Linux).
    """
    from ..app.guard import Keys, Limits
    from ..app.server import listening, needed
    from ..app.server import serve as run
    from ..app.session import Session

    needed("tauscope serve")
    asked = {"upload": 200, "memory": 2048} | settings_in(limits, {"upload": int, "memory": int}, "--limits")
    if asked["upload"] < 1 or asked["memory"] < 512:
        raise CallError(f"--limits {limits}: upload= is at least 1, and memory= at least 512.")
    kept = Limits(upload_bytes=asked["upload"] << 20, worker_bytes=asked["memory"] << 20)
    found = list(_files(files or []))
    place = listening(port)
    keys = Keys(port=place.getsockname()[1])

    def started() -> None:
        show(f"Tauscope is at {keys.address}", "Stop it with Ctrl-C.")
        sys.stdout.flush()
        if browser:
            # A browser in the terminal would not return before it is closed.
            threading.Thread(target=webbrowser.open, args=(keys.address,), daemon=True).start()

    run(Session(limits=kept, files=found), keys, place, started=started)


def _files(paths: list[Path]) -> Any:
    for path in paths:
        if path.is_dir():
            yield from sorted(one for one in path.iterdir() if one.is_file() and not one.name.startswith("."))
        elif not path.is_file():
            raise CallError(f"{path}: there is no such file.")
        else:
            yield path
