"""Command lines, in this process: an exit code of ours and one line of error at most, never a traceback."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
import warnings
from functools import cache
from pathlib import Path

import numpy as np

from tauscope.cli import build, main
from tauscope.cli.commands import GROUPS, QUESTIONS
from tauscope.cli.ways_out import choices

#: They run for long, or write where they stand; the first two are tried with nothing but wrong words.
ONLY_WRONG = ("study", "reproduce", "demo")
PLAIN = (
    "0 1 2 3 -1 0.5 0.95 1.5 nan inf -inf 1e400 1e308 a tau_b tau_ap tau tau_ap_e pearson_rank rbo 5% 0.01,0.02 -5% % "
    "1,2,3 "
    "AP nDCG@10 map P_10 x=y error zero drop drop-topics topics systems both wide long é - -- permutation t maxT holm "
    "none "
    "10 20 1_0 0x10 ١ queries query/queries /"
)
VALUES = (*PLAIN.split(), "", " ", "\ud800", "\0", "9" * 30)
NUMBERS_OF_DRAWS = ("1", "2", "5", "0", "-1", "x")


def commands() -> list[tuple[str, ...]]:
    # `serve` would wait for a browser; tests/app has it.
    plain = [(name,) for question in QUESTIONS.values() for name in question if name != "serve"]
    return plain + [(group, name) for group, (_, names, _) in GROUPS.items() for name in names]


@cache
def flags(words: tuple[str, ...]) -> dict[str, tuple[str, ...] | None]:
    """The options of a command, and what they take where that is fixed."""
    _, apps, _ = build(list(words)).parse_commands(list(words))
    found = choices(apps[-1].assemble_argument_collection(parse_docstring=False)).values()
    return {choice.flag: choice.values for choice in found}


@cache
def folder() -> Path:
    """Files that are right, and some that are not."""
    made = Path(tempfile.mkdtemp(prefix="tauscope-fuzz-"))
    rng = np.random.default_rng(3)

    def matrix(name: str, systems: str = "abcde") -> None:
        rows = [f"{t}," + ",".join(f"{value:.3f}" for value in rng.random(len(systems))) for t in range(1, 9)]
        (made / name).write_text("\n".join(["topic," + ",".join(systems), *rows]) + "\n")

    matrix("one.csv")
    matrix("two.csv")
    matrix("other.csv", "cdefg")
    (made / "hole.csv").write_text("topic,a,b\n1,.5,\n2,.1,.2\n")
    (made / "ranking.csv").write_text("a,0.5\nb,0.2\nc,0.9\nd,0.1\n")
    (made / "groups.csv").write_text("run,group\na,x\nb,x\nc,y\nd,y\ne,y\n")
    (made / "measures.csv").write_text(
        "topic,system,AP,P@10,nDCG@10\n"
        + "".join(
            f"{t},{s},{rng.random():.3f},{rng.random():.3f},{rng.random():.3f}\n" for t in range(6) for s in "abcde"
        )
    )
    (made / "run.txt").write_text("".join(f"{t} Q0 d{d} {d} {9 - d} tag\n" for t in (1, 2) for d in range(5)))
    (made / "qrels.txt").write_text("".join(f"{t} 0 d{d} {d % 3}\n" for t in (1, 2) for d in range(5)))
    (made / "empty.csv").write_text("")
    (made / "binary.csv").write_bytes(bytes(range(256)))
    (made / "runs").mkdir()
    (made / "runs" / "r1.txt").write_text((made / "run.txt").read_text().replace("tag", "r1"))
    return made


NAMES = (
    "one.csv two.csv one.csv two.csv other.csv hole.csv ranking.csv groups.csv measures.csv measures.csv run.txt "
    "qrels.txt "
    "empty.csv binary.csv runs absent.csv out ."
)
FILES = NAMES.split()


def words(rng: np.random.Generator) -> list[str]:
    """A command, its files and some options; now and then a word too many, too few or in the wrong place."""
    listed = commands()
    command = listed[int(rng.integers(len(listed)))]
    wrong = command[-1] in ONLY_WRONG
    options = flags(command)
    made: list[str] = (
        [] if wrong and command[-1] != "demo" else [str(one) for one in rng.choice(FILES, int(rng.integers(0, 4)))]
    )
    names = list(options)
    for name in rng.choice(names, min(len(names), int(rng.integers(0, 5))), replace=False) if names else ():
        made.append(str(name))
        values = options[str(name)]
        if values == ():
            continue
        if values and rng.random() < 0.7:
            made.append(str(rng.choice(values)))
        elif "draws" in name or "trials" in name or "halves" in name:
            made.append(str(rng.choice(NUMBERS_OF_DRAWS)))
        elif rng.random() < 0.4:
            made.append(str(rng.choice(FILES)))
        elif rng.random() < 0.95:
            made.append(VALUES[int(rng.integers(len(VALUES)))])
    if "--draws" in options and "--draws" not in made:
        made += ["--draws", "5"]
    if wrong:
        made += ["--no-such-option"]
    if rng.random() < 0.05:
        made.insert(int(rng.integers(len(made) + 1)), VALUES[int(rng.integers(len(VALUES)))])
    return [*command, *made]


def case(seed: int) -> int:
    """One command line."""
    rng = np.random.default_rng([3, seed])
    line, out, err = (
        words(rng),
        io.TextIOWrapper(io.BytesIO(), "utf-8"),
        io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace"),
    )
    before, home = Path.cwd(), folder()
    argv = sys.argv
    os.chdir(home)
    try:
        sys.argv = ["tauscope", *line]
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings():
            warnings.simplefilter("error")
            code = main(line)
    except SystemExit as error:
        code = error.code
    except BaseException as error:
        error.add_note(f"tauscope {line}")
        raise
    finally:
        os.chdir(before)
        sys.argv = argv
    err.flush()
    said = err.buffer.getvalue().decode("utf-8", "replace")
    assert code in (0, 1, 2), f"tauscope {line}: exit code {code}"
    assert "Traceback" not in said, f"tauscope {line}: {said}"
    assert code != 2 or said.strip(), f"tauscope {line}: refused without a word"
    return 1
