"""Feeds what nobody would to everything: arrays, files, command lines, names.

    python tests/fuzz/fuzz.py arrays --count 900000
    python tests/fuzz/fuzz.py files --seconds 600 --start 1000000
    python tests/fuzz/fuzz.py files --seed 4711             one seed again, with its traceback

Each seed is one case and always the same one. Cases run in a process of their own, so that a crash or a case of more
than ten seconds is found like any other error. What is found is printed, and kept in `found.txt` beside this file,
whose seeds the tests run first.
"""

from __future__ import annotations

import argparse
import faulthandler
import importlib
import mmap
import multiprocessing
import os
import struct
import sys
import tempfile
import time
import traceback
from pathlib import Path

HERE = Path(__file__).resolve().parent
#: Target -> how many seeds a process has before a new one takes over.
CHUNKS = {"arrays": 500, "files": 500, "commands": 100, "names": 20}
FOUND = HERE / "found.txt"
#: A case that takes longer is found as one that hangs.
MOST_SECONDS = 10.0


def target(name: str):
    """The function of a target: `case(seed)` returns how many things it tried."""
    if str(HERE) not in sys.path:
        sys.path.insert(0, str(HERE))
    return importlib.import_module(f"fuzz_{name}").case


def saved(name: str) -> list[int]:
    """The seeds that once found something."""
    lines = FOUND.read_text(encoding="utf-8").splitlines() if FOUND.exists() else []
    rows = [line.split("#")[0].split() for line in lines]
    return [int(row[1]) for row in rows if row and row[0] == name]


def for_seconds(name: str, seconds: float, start: int = 0) -> int:
    """Cases one after the other in this process, for so long of its own time; the first error names its seed."""
    case, seed, tried = target(name), start, 0
    end = time.process_time() + seconds
    while time.process_time() < end:
        tried += one(case, name, seed)
        seed += 1
    return tried


def one(case, name: str, seed: int) -> int:
    """One case; what goes wrong names the seed and how to see it again."""
    started = time.process_time()
    try:
        tried = case(seed)
    except BaseException as error:
        error.add_note(f"seed {seed}: python tests/fuzz/fuzz.py {name} --seed {seed}")
        raise
    spent = time.process_time() - started
    assert spent < MOST_SECONDS, f"seed {seed} of {name} took {spent:.0f} s"
    return int(tried)


def _work(name: str, seeds: range, state: str, log: str) -> None:
    """A process of cases. `state` holds the seed at work, and how many things were tried."""
    with Path(log).open("a", encoding="utf-8", errors="backslashreplace") as errors, Path(state).open("r+b") as file:
        faulthandler.enable(errors)
        now = mmap.mmap(file.fileno(), 16)
        case, tried = target(name), 0
        for seed in seeds:
            now[:] = struct.pack("<qq", seed, tried)
            try:
                tried += one(case, name, seed)
            except BaseException:
                print(f"FOUND {name} {seed}\n{traceback.format_exc()}", file=errors, flush=True)
        now[:] = struct.pack("<qq", -1, tried)


def hunt(name: str, count: int | None, seconds: float | None, start: int) -> int:
    """Cases in processes, until so many things were tried or the time is over; returns how many seeds found
    something."""
    began, tried, seed, found = time.monotonic(), 0, start, []
    with tempfile.TemporaryDirectory() as folder:
        state, log = Path(folder) / "state", Path(folder) / "log"
        log.touch()
        while (count is None or tried < count) and (seconds is None or time.monotonic() - began < seconds):
            last = seed + CHUNKS[name]
            while seed < last:
                state.write_bytes(struct.pack("<qq", seed, 0))
                worker = multiprocessing.get_context("spawn").Process(
                    target=_work, args=(name, range(seed, last), str(state), str(log))
                )
                worker.start()
                at, done = _watch(worker, state)
                tried += done
                if at < 0:
                    break
                with log.open("a", encoding="utf-8") as text:
                    print(f"FOUND {name} {at}\nthe process ended, or hung", file=text)
                seed = at + 1
            seed = last
            told = log.read_text(encoding="utf-8")
            if told:
                print(told, flush=True)
                found += [line.split()[2] for line in told.splitlines() if line.startswith("FOUND ")]
                log.write_text("")
            print(
                f"{name}: {tried:,} tried, seeds {start:,} to {seed - 1:,}, {len(found)} found something, "
                f"{time.monotonic() - began:.0f} s",
                flush=True,
            )
    if found:
        with FOUND.open("a", encoding="utf-8") as file:
            file.writelines(f"{name} {one}\n" for one in dict.fromkeys(found))
    return len(found)


def _watch(worker, state: Path) -> tuple[int, int]:
    """(seed at which a process ended or hung, how much it had tried); -1 where it came to its end."""
    at, since, spent = None, time.monotonic(), 0.0
    while worker.is_alive():
        worker.join(0.5)
        seed, done = struct.unpack("<qq", state.read_bytes()[:16])
        # One that somebody stopped, to have the machine for something else, does not hang.
        if seed != at or _stopped(worker.pid):
            at, since, spent = seed, time.monotonic(), _cpu(worker.pid)
        # By its own time, since the machine may be busy; by the clock only what sleeps for ever.
        elif _cpu(worker.pid) - spent > 3 * MOST_SECONDS or time.monotonic() - since > 120 * MOST_SECONDS:
            worker.kill()
            worker.join()
    seed, done = struct.unpack("<qq", state.read_bytes()[:16])
    return seed, done


def _cpu(pid: int) -> float:
    """Seconds of CPU that a process has used; 0 where nobody says."""
    fields = _state(pid)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") if fields else 0.0


def _stopped(pid: int) -> bool:
    return _state(pid)[:1] == ["T"]


def _state(pid: int) -> list[str]:
    """What Linux says of a process, from its state on; nothing elsewhere."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", choices=list(CHUNKS))
    parser.add_argument("--count", type=int, help="how many arrays, files, command lines or pages")
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--start", type=int, default=0, help="the first seed")
    parser.add_argument("--seed", type=int, help="only this one, in this process")
    asked = parser.parse_args()
    if asked.seed is not None:
        print(f"{one(target(asked.target), asked.target, asked.seed)} tried, nothing found")
        return 0
    if asked.count is None and asked.seconds is None:
        asked.seconds = 60.0
    return 1 if hunt(asked.target, asked.count, asked.seconds, asked.start) else 0


if __name__ == "__main__":
    sys.exit(main())
