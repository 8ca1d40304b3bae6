"""What the tests share: the reference data beside the repository, Hypothesis' settings, both kinds of kernels."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tauscope.core import kernels

#: A headless Chromium: the system's own, never a downloaded one.
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

ROOT = Path(__file__).resolve().parent.parent

# The twins take about ten times as long as the compiled kernels, so they see fewer examples a law.
# `kernels_in_use` is the same for all examples of a test, which is what the suppressed check is about.
settings.register_profile(
    "tauscope",
    deadline=None,
    max_examples=20 if kernels.compiled is None else 40,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
# pytest tests/laws --hypothesis-profile=thorough: before a release, or after a change of kernels.
settings.register_profile("thorough", settings.get_profile("tauscope"), max_examples=1000, derandomize=False)
settings.load_profile("tauscope")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of papers, cases and data that belongs to no repository."""
    folder = Path(os.environ.get("TAUSCOPE_SHARED") or ROOT.parent / "shared")
    if not folder.is_dir():
        pytest.skip(f"no reference data: {folder} is not a folder (set TAUSCOPE_SHARED)")
    return folder


@pytest.fixture(params=["numpy"] if kernels.compiled is None else ["compiled", "numpy"])
def kernels_in_use(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Runs the test with the compiled kernels, where there are any, and with their NumPy twins."""
    if request.param == "numpy":
        monkeypatch.setattr(kernels, "compiled", None)
    return str(request.param)


@pytest.fixture
def compiled() -> object:
    """The compiled kernels; the test is skipped where there are none."""
    if kernels.compiled is None:
        pytest.skip("no compiled kernels here")
    return kernels.compiled


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """The system's Chromium; the tests are skipped where there is none."""
    sync_api = pytest.importorskip(
        "playwright.sync_api", reason="pages are opened with playwright, which is not installed"
    )
    program = os.environ.get("TAUSCOPE_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)
    if not program:
        pytest.skip(f"no browser is installed ({', '.join(NAMES)}; or set TAUSCOPE_BROWSER): apt-get install chromium")
    with sync_api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program, args=list(OPTIONS))
        yield running
        running.close()
