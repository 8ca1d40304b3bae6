"""Does the app keep up: 20 clients that move sliders for a minute on 129 systems x 50 topics?

Point values, asked for over HTTP as the page does: errors, percentiles of the time, and the memory of the server and
its workers before and after. Every fifth move rests, so that intervals are computed, and the next move outdates them.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import httpx
from report import matrix
from timing import Figures


def resident(pid: int) -> float:
    """Megabytes of a process and of all that it started; what they share counts once."""
    total = 0.0
    for path in Path("/proc").glob("[0-9]*"):
        try:
            own = int(path.name)
            parents = own
            while parents not in (0, 1, pid):
                parents = int(re.search(r"PPid:\s*(\d+)", Path(f"/proc/{parents}/status").read_text())[1])  # type: ignore[index]
            if parents == pid:
                total += int(re.search(r"Pss:\s*(\d+)", (path / "smaps_rollup").read_text())[1]) / 1024  # type: ignore[index]
        except (OSError, TypeError):
            continue
    return total


def cpu(pid: int) -> float:
    """CPU seconds of a process: on a busy machine the number to look at."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Slider(threading.Thread):
    """One client: moves, waits for the point values, and moves again."""

    def __init__(self, base: str, address: str, state: dict[str, Any], until: float, seed: int) -> None:
        super().__init__(daemon=True)
        self.times: list[float] = []
        self.errors: list[str] = []
        self._base, self._address, self._state, self._until = base, address, state, until
        self._random, self._tab = random.Random(seed), f"client-{seed}"

    def run(self) -> None:
        with httpx.Client(base_url=self._base, headers={"origin": self._base}, timeout=30) as client:
            client.get(self._address)
            move, seen = 0, ""
            while time.monotonic() < self._until:
                move += 1
                coefficient = self._random.choice(["tau_b", "tau_ap_b", "tau_e", "tau_ap_a"])
                state = {**self._state, "tied_within": self._random.random() / 20, "coefficient": coefficient}
                state["without_systems"] = [f"s{self._random.randrange(129)}"] if move % 7 == 0 else []
                began = time.perf_counter()
                asked = {"state": state, "tab": self._tab, "intervals": move % 5 == 0, "seen": seen}
                answer = client.post("/api/v1/answers", json=asked)
                self.times.append(time.perf_counter() - began)
                if answer.status_code != 200 or answer.json()["points"]["agreement"]["value"] is None:
                    self.errors.append(answer.text[:200])
                else:
                    seen = answer.json()["screen"]["id"]
                time.sleep(self._random.uniform(0.2, 0.6))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--json", type=Path, help="keep the figures")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = [matrix(folder / f"{own}.csv", 129, seed=seed) for own, seed in (("human", 8), ("judge", 9))]
        server = subprocess.Popen(
            [sys.executable, "-m", "tauscope", "serve", *map(str, files), "--no-browser"],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "TMPDIR": name},
        )
        try:
            measure(server, given)
        finally:
            server.terminate()
            server.wait(30)


def measure(server: subprocess.Popen[str], given: argparse.Namespace) -> None:
    assert server.stdout is not None
    address = server.stdout.readline().split()[-1]
    base = address.partition("/?")[0]
    with httpx.Client(base_url=base, headers={"origin": base}, timeout=60) as client:
        client.get(address)
        ids = {one["name"]: one["id"] for one in client.get("/api/v1/session").json()["files"]}
        state = {"question": "judge", "truth": ids["human.csv"], "sources": [ids["judge.csv"]]}
        asked = [
            client.post("/api/v1/answers", json={"state": {**state, "seed": seed}, "tab": str(seed), "intervals": True})
            for seed in (1, 2)  # so that both workers are there
        ]
        for answer in asked:
            client.get(f"/api/v1/jobs/{answer.json()['job']}/events")
    before, spent = resident(server.pid), cpu(server.pid)
    until = time.monotonic() + given.seconds
    clients = [Slider(base, address, state, until, seed) for seed in range(given.clients)]
    for one in clients:
        one.start()
    for one in clients:
        one.join()
    time.sleep(8)
    after = resident(server.pid)
    times = sorted(each for one in clients for each in one.times)
    errors = [text for one in clients for text in one.errors]
    figures = Figures("the app: 20 clients on 129 x 50")
    figures.add("answers", len(times))
    figures.add("errors", len(errors), "", "0")
    figures.add("half of the answers within", 1000 * times[len(times) // 2], "ms")
    figures.add("95 of 100 answers within", 1000 * times[int(0.95 * len(times))], "ms", "<= 500")
    figures.add("CPU of the server for one answer", 1000 * (cpu(server.pid) - spent) / len(times), "ms")
    figures.add("memory of server and workers before", before, "MB")
    figures.add("memory added once it is quiet again", after - before, "MB", "<= 50")
    figures.note(f"load of the machine: {os.getloadavg()[0]:.1f}")
    for text in errors[:3]:
        figures.note(text)
    figures.finish()


if __name__ == "__main__":
    main()
