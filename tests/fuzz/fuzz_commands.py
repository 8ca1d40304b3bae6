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
from tauscope.cli.fixes import choices

#: They run for long, or write where they stand; the first two are tried with nothing but wrong words.
ONLY_WRONG = ("experiments study", "experiments reproduce", "demo")
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
def files() -> dict[str, bytes]:
    """Files that are right, and some that are not."""
    rng = np.random.default_rng(3)

    def matrix(systems: str = "abcde", topics: int = 8) -> str:
        rows = [f"{t}," + ",".join(f"{value:.3f}" for value in rng.random(len(systems))) for t in range(1, topics + 1)]
        return "\n".join(["topic," + ",".join(systems), *rows]) + "\n"

    def battles() -> str:
        pairs = [(first, second) for first in "abcd" for second in "abcd" if first != second] * 2
        won = rng.choice(["model_a", "model_b", "tie"], len(pairs))
        rows = [f"{k},q{k % 6},{first},{second},{won[k]}" for k, (first, second) in enumerate(pairs)]
        return "\n".join(["battle,question,model_a,model_b,winner", *rows]) + "\n"

    def measures(names: str = "AP,P@10,nDCG@10") -> str:
        count = names.count(",") + 1
        rows = [
            ",".join([str(t), s, *(f"{value:.3f}" for value in rng.random(count))]) for t in range(6) for s in "abcde"
        ]
        return "\n".join([f"topic,system,{names}", *rows]) + "\n"

    run = "".join(f"{t} Q0 d{d} {d} {9 - d} tag\n" for t in (1, 2) for d in range(5))
    texts = {
        "one.csv": matrix(),
        "two.csv": matrix(),
        "some.csv": matrix(topics=5),
        "other.csv": matrix("cdefg"),
        "hole.csv": "topic,a,b\n1,.5,\n2,.1,.2\n",
        "ranking.csv": "a,0.5\nb,0.2\nc,0.9\nd,0.1\n",
        "ranks.csv": "a,0.4\nb,0.4\nc,0.7\nd,0.2\n",
        "published.csv": "system,score,se\na,0.5,0.1\nb,0.25,0.1\nc,0.7,0.05\n",
        "newer.csv": "system,score,se\na,0.6,0.1\nb,0.2,0.1\nd,0.7,0.05\n",
        "groups.csv": "run,group\na,x\nb,x\nc,y\nd,y\ne,y\n",
        "clusters.csv": "topic,group\n" + "".join(f"{t},{t % 4}\n" for t in range(1, 9)),
        "measures.csv": measures(),
        "later.csv": measures(),
        "depths.csv": measures("AP(depth=10),AP(depth=20),P(depth=10),P(depth=20)"),
        "deeper.csv": measures("AP(depth=10),AP(depth=20),P(depth=10),P(depth=20)"),
        "repeats.csv": "system,topic,repeat,score\n"
        + "".join(f"{s},{t},{r},{rng.random():.3f}\n" for s in "abc" for t in range(4) for r in range(2)),
        "battles.csv": battles(),
        "verdicts.csv": battles(),
        "run.txt": run,
        "qrels.txt": "".join(f"{t} 0 d{d} {d % 3}\n" for t in (1, 2) for d in range(5)),
        "judge.qrels": "".join(f"{t} 0 d{d} {d % 2}\n" for t in (1, 2) for d in range(5)),
        "runs/r1.txt": run.replace("tag", "r1"),
        "runs/r2.txt": run.replace("tag", "r2").replace("d1", "d9").replace("d2", "d1"),
        "empty.csv": "",
    }
    return {name: text.encode() for name, text in texts.items()} | {"binary.csv": bytes(range(256))}


NAMES = (
    "one.csv two.csv one.csv two.csv other.csv hole.csv ranking.csv groups.csv measures.csv measures.csv run.txt "
    "qrels.txt some.csv published.csv repeats.csv battles.csv clusters.csv empty.csv binary.csv runs absent.csv out ."
)
FILES = NAMES.split()
#: Lines that a command accepts; the fuzz adds to them, takes away and exchanges.
RIGHT = """
correlate one.csv two.csv / correlate ranking.csv --truth ranks.csv / correlate one.csv --truth two.csv --view topics
coefficients rbo ranking.csv ranks.csv / coefficients identify one.csv two.csv --value .5
correlate one.csv --truth two.csv -c tau_e --view calibrate:draws=5 / coefficients choose truth
coefficients list / coefficients explain tau_ap / compare one.csv --truth two.csv
compare A=one.csv B=other.csv --truth two.csv --unmatched drop
audit one.csv --truth two.csv --groups groups.csv
audit J=one.csv --people P=two.csv Q=other.csv R=some.csv --unmatched drop / hybrid some.csv --judge two.csv
hybrid qrels.txt --judge judge.qrels --runs runs / significance one.csv / significance one.csv --truth two.csv
expected one.csv / expected one.csv --view plan:target=0.8 / rank one.csv / rank measures.csv --measure AP
experiments simulate one.csv --topics 6 --out made.csv / gate one.csv --claim a>b
gate newer.csv --baseline published.csv --claim a>b / check one.csv / check one.csv two.csv / check measures.csv
evaluate runs --qrels qrels.txt / check qrels.txt judge.qrels / report one.csv --truth two.csv --out page.html
report one.csv --markdown / experiments power measures.csv
experiments judgments runs --qrels qrels.txt --percents 50,100
experiments swaps one.csv --pairs any --swaps 1
experiments perturb one.csv / measures correlate measures.csv / measures list
measures predict measures.csv --target AP --test later.csv / measures rank measures.csv
measures low-to-high depths.csv deeper.csv --target AP --predictors P --depths 10 --target-depths 20
measures topics one.csv --keep 3 / rank published.csv / rank battles.csv / rank one.csv --view rules
rank published.csv --view neighbours / rank one.csv --view fragility / versions published.csv newer.csv
variance repeats.csv / variance one.csv / rank battles.csv --view strengths
compare battles.csv --truth verdicts.csv / rank battles.csv --view fragility
"""
LINES = [tuple(line.split()) for row in RIGHT.strip().splitlines() for line in row.split(" / ")]
#: What an option takes, where its type does not say so.
FITTING = {
    "--coefficient": ["tau", "tau_a", "tau_b", "tau_e", "tau_ap", "tau_ap_b", "tau_gap", "pearson", "spearman"],
    "--level": ["0.5", "0.9", "0.95", "0.999"],
    "--seed": ["0", "1", "none"],
    "--measure": ["AP", "P@10", "map", "mean"],
    "--clusters": ["clusters.csv", "groups.csv"],
    "--groups": ["groups.csv", "clusters.csv"],
    "--plot": ["figure.svg", "figure.pdf", "figure.txt"],
    "--view": ["plan", "plan:target=0.9", "walk", "profile:system=a", "rules:rules=mean,borda", "next:choose=2", "one"],
    "--words": ["systems=models", "topics=query/queries,measures=tasks", "systems="],
    "--battles": ["ties=davidson", "prior=2,position", "incomparable=drop", "prior=x"],
    "--model": ["normal", "means=published,decimals=2", "linear", "random_topics=no"],
    "--limits": ["upload=1"],
    "--format": ["csv", "wide", "long", "trec_eval", "parquet"],
    "--tied-within": ["0", "0.01", "5%", "0.1,0.2"],
    "--claim": ["a>b", "a in top 2", "b is best", "tau(new, old) >= .5", "a"],
    "--workers": ["1"],
    "--out": ["made", "made.csv"],
}


def words(rng: np.random.Generator) -> list[str]:
    """Most often a right line and options that fit; else a command with files, options and values of any kind."""
    line = _right(rng) if rng.random() < 0.6 else _any(rng)
    if rng.random() < 0.05:
        line.insert(int(rng.integers(1, len(line) + 1)), VALUES[int(rng.integers(len(VALUES)))])
    return line


def _right(rng: np.random.Generator) -> list[str]:
    line = list(LINES[int(rng.integers(len(LINES)))])
    command = next(command for command in commands() if tuple(line[: len(command)]) == command)
    if rng.random() < 0.2:
        at = int(rng.integers(len(command) - 1, len(line)))
        line[at : at + 1] = [str(rng.choice(FILES))] * int(at >= len(command))
        if at < len(command):
            return [*command, *line[at:]]
    return line + _options(rng, command, most=4, fit=0.9, given=line)


def _any(rng: np.random.Generator) -> list[str]:
    listed = commands()
    command = listed[int(rng.integers(len(listed)))]
    wrong = command[-1] in ONLY_WRONG
    made = [] if wrong and command[-1] != "demo" else [str(one) for one in rng.choice(FILES, int(rng.integers(0, 4)))]
    made += _options(rng, command, most=5, fit=0.5, given=made)
    return [*command, *made, *(["--no-such-option"] if wrong else [])]


def _options(rng: np.random.Generator, command: tuple[str, ...], most: int, fit: float, given: list[str]) -> list[str]:
    options, made = flags(command), []
    names = [name for name in options if name not in given]
    for name in rng.choice(names, min(len(names), int(rng.integers(0, most))), replace=False) if names else ():
        made.append(str(name))
        values = options[str(name)]
        if values == ():
            continue
        fitting = values or FITTING.get(str(name))
        if "draws" in name or "trials" in name or "halves" in name:
            made.append(str(rng.choice(NUMBERS_OF_DRAWS)))
        elif fitting and rng.random() < fit:
            made.append(str(rng.choice(fitting)))
        elif rng.random() < 0.4:
            made.append(str(rng.choice(FILES)))
        elif rng.random() < 0.95:
            made.append(VALUES[int(rng.integers(len(VALUES)))])
    if "--draws" in options and "--draws" not in [*made, *given]:
        made += ["--draws", "5"]
    return made


def case(seed: int) -> int:
    """One command line."""
    rng = np.random.default_rng([3, seed])
    line, out, err = (
        words(rng),
        io.TextIOWrapper(io.BytesIO(), "utf-8"),
        io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace"),
    )
    before, argv = Path.cwd(), sys.argv
    try:
        sys.argv = ["tauscope", *line]
        with tempfile.TemporaryDirectory(prefix="tauscope-fuzz-") as folder:
            os.chdir(folder)
            for name, content in files().items():
                Path(name).parent.mkdir(exist_ok=True)
                Path(name).write_bytes(content)
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
