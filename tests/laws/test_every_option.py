"""Laws of the options of all commands: no flag exists twice, and no reading option is ignored."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tauscope.cli import build, main
from tauscope.cli.options import Reading, Tables

#: Reading options that stand alone in the signature of a command.
ALONE = ("--truth-measure", "--match", "--unmatched", "--clusters")
#: How each command that reads scores is called: FIRST and SECOND are the two files of a case, OUT a path to write to.
CALLS = {
    "report": "FIRST --truth SECOND --out OUT.html --json",
    "correlate": "FIRST --truth SECOND",
    "coefficients rbo": "FIRST SECOND",
    "coefficients identify": "FIRST SECOND --value .3 --json",
    "compare": "FIRST --truth SECOND --json",
    "audit": "FIRST --truth SECOND --json",
    "hybrid": "SECOND --judge FIRST --json",
    "check": "FIRST",
    "expected": "FIRST --json",
    "rank": "FIRST --json",
    "significance": "FIRST --truth SECOND --json",
    "experiments simulate": "FIRST --topics 5 --out OUT.csv",
    "experiments study": "FIRST --out OUT --draws 2 --sizes 4,6 --drop-worst 0 --workers 1",
    "gate": 'FIRST --claim "CLAIMED in top 2" --json',
    "experiments power": "FIRST --draws 4 --json",
    "experiments swaps": "FIRST --draws 20 --pairs any --swaps 2 --json",
    "experiments perturb": "FIRST --draws 20 --json",
    "measures correlate": "FIRST --json",
    "measures predict": "FIRST --target TARGET --max-predictors 2 --json",
    "measures rank": "FIRST --json",
    "measures low-to-high": "FIRST SECOND --target AP --predictors AP --depths 10 20 --target-depths 100 --json",
    "measures topics": "FIRST --keep 2 --json",
    "versions": "FIRST SECOND --json",
    "variance": "FIRST --json",
}
SYSTEMS = ("a", "b", "c", "d", "e")


def commands() -> Iterator[tuple[str, Any]]:
    def walk(app: Any, before: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
        for name in app:
            if name.startswith("-"):
                continue
            inner = app[name]
            if any(not below.startswith("-") for below in inner):
                yield from walk(inner, (*before, name))
            else:
                yield " ".join((*before, name)), inner

    return walk(build())


def flags(command: Any) -> list[str]:
    found = command.assemble_argument_collection(parse_docstring=False)
    return [name for argument in found for name in argument.names if name.startswith("-")]


COMMANDS = {name: flags(command) for name, command in commands()}


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_no_flag_exists_twice_in_a_command(command: str) -> None:
    given = COMMANDS[command]
    assert sorted(set(given)) == sorted(given)


def scores(seed: int, topics: int = 12) -> np.ndarray:
    """From 0 to 1, `a` best."""
    rng = np.random.default_rng(seed)
    noise = rng.normal((0.2, 0.14, 0.1, 0.05, 0), 0.08, (topics, len(SYSTEMS)))
    return np.clip(rng.uniform(0.2, 0.6, (topics, 1)) + noise, 0.01, 0.99).round(3)


def table(values: Any, topics: Any = None, systems: Any = SYSTEMS, corner: str = "topic") -> str:
    names = topics or [f"t{i}" for i in range(1, len(values) + 1)]
    rows = [",".join([name, *(str(cell) for cell in row)]) for name, row in zip(names, values, strict=True)]
    return "\n".join([",".join([corner, *systems]), *rows, ""])


def long(measures: tuple[str, ...], seed: int) -> str:
    rows = ["system,topic,measure,value"]
    for k, measure in enumerate(measures):
        own = scores(seed + 10 * k)
        rows += [f"{s},t{t},{measure},{own[t, i]}" for t in range(len(own)) for i, s in enumerate(SYSTEMS)]
    return "\n".join([*rows, ""])


def by_measure(seed: int, hole: bool = False, measures: tuple[str, ...] = ("AP", "RR", "P@10")) -> str:
    """Systems x topics by several measures, one column each."""
    each = [scores(seed + 10 * k) for k in range(len(measures))]
    rows = [[s, f"t{t}", *(str(own[t, i]) for own in each)] for t in range(12) for i, s in enumerate(SYSTEMS)]
    if hole:
        rows[7][3] = ""
    return "\n".join([",".join(row) for row in (["system", "topic", *measures], *rows)] + [""])


def by_depth(seed: int, hole: bool = False) -> str:
    """The same at several depths; a hole is in a column that need not be there."""
    return by_measure(seed, hole, ("AP(depth=10)", "RR(depth=10)", "AP(depth=20)", "AP(depth=100)"))


def holed(seed: int) -> str:
    cells = scores(seed).astype(object)
    cells[3, 0] = ""
    return table(cells)


def two_scales(seed: int) -> str:
    own = scores(seed)
    own[:4] = (own[:4, ::-1] * 100).round(1)
    return table(own, [f"task{k} (%)" if k < 4 else f"task{k}" for k in range(len(own))])


def with_errors(seed: int) -> str:
    """An error rate among the tasks, on which `e` is lowest and best."""
    own = scores(seed)
    own[:5] = own[:5].round(3)
    return table(own, [f"WER{k}" if k < 5 else f"acc{k}" for k in range(len(own))])


def square(seed: int) -> str:
    own = scores(seed, 5)
    return table(own, [f"x{k}" for k in range(1, 6)], [f"y{k}" for k in range(1, 6)], corner="")


def printed() -> str:
    head = "model,label,score,points,stderr,se2,ci,range,low,lo2,high,hi2,n,m"
    rows = [
        f"{s},{s.upper()},{70 - 3 * i},{60 + (7 * i) % 5},1.5,{0.5 + i},± {2 + i},± {9 - i},"
        f"{67 - 3 * i},{60 - 3 * i},{73 - 3 * i},{80 - 3 * i},{100 + i},{40 + 9 * i}"
        for i, s in enumerate(SYSTEMS)
    ]
    return "\n".join([head, *rows, ""])


def battles(seed: int, **odd: str) -> str:
    """Votes with two columns for each thing to know; `odd` is one more row."""
    rng, pairs = np.random.default_rng(seed), np.random.default_rng(0)
    head = "model_a,model_b,winner,question_id,user,judge,left,right,vote,q,w,j,id,key"
    rows = []
    for k in range(60):
        first, second = pairs.choice(len(SYSTEMS), 2, replace=False)
        wins = ["model_a", "model_b", "tie"]
        won = wins[int(rng.choice(3, p=(0.6, 0.3, 0.1) if first < second else (0.3, 0.6, 0.1)))]
        other = wins[int(rng.integers(3))]
        a, b = SYSTEMS[first], SYSTEMS[second]
        rows.append(
            f"{a},{b},{won},q{k // 2},u{k % 13},j{k % 9},{b},{a},{other},p{k // 3},v{k % 11},i{k % 10},{k},{k // 2}"
        )
    if odd:
        row = dict(zip(head.split(","), rows[0].split(","), strict=True)) | odd
        rows.append(",".join(row.values()))
    return "\n".join([head, *rows, ""])


@dataclass(frozen=True)
class Made:
    """Files made for an option: the words that use it, the two files, and what both calls have besides."""

    words: str
    first: Callable[[], str]
    second: Callable[[], str]
    also: str = ""
    claimed: str = "a"
    target: str = "AP"


def pair(make: Callable[[int], str]) -> tuple[Callable[[], str], Callable[[], str]]:
    return lambda: make(1), lambda: make(2)


def plain(seed: int) -> str:
    return table(scores(seed))


def of_printed(words: str, also: str = "", claimed: str = "a") -> Made:
    return Made(words, printed, printed, also, claimed)


def of_battles(words: str, also: str = "", **odd: str) -> Made:
    return Made(words, lambda: battles(1, **odd), lambda: battles(2, **odd), also)


OF_SCORES = {
    "--measure": Made("--measure RR", *pair(lambda k: long(("AP", "RR"), k))),
    "--truth-measure": Made("--truth-measure AP", *pair(lambda k: long(("AP", "RR"), k)), also="--measure RR"),
    "--missing": Made("--missing zero", *pair(holed)),
    "--format": Made("--format turned", *pair(square), claimed="x1"),
    "--columns": Made("--columns drop=b", *pair(plain)),
    "--aggregate": Made("--aggregate rank", *pair(two_scales)),
    "--lower-is-better": Made("--lower-is-better WER0 WER1 WER2 WER3 WER4", *pair(with_errors)),
    "--without": Made("--without b", *pair(plain)),
    "--match": Made("--match loose", lambda: plain(1), lambda: plain(2).replace("topic,a", "topic,A ")),
    "--unmatched": Made("--unmatched drop", lambda: plain(1), lambda: table(scores(2)[:, :4], systems=SYSTEMS[:4])),
    "--clusters": Made("--clusters CLUSTERS", *pair(plain)),
}
OF_MEASURES = {
    "--missing": Made("--missing zero", *pair(lambda k: by_measure(k, hole=True))),
    "--format": Made("--format turned", *pair(square), target="y1"),
    "--columns": Made("--columns drop=P@10", *pair(by_measure)),
}
OF_DEPTHS = {
    "--missing": Made("--missing zero", *pair(lambda k: by_depth(k, hole=True))),
    "--format": Made("--format long", *pair(by_depth)),
    "--columns": Made("--columns drop=RR(depth=10)", *pair(lambda k: by_depth(k, hole=True))),
}
#: What --columns can say of printed tables and of battles, and the options of battles.
OF_PRINTED = {
    f"--columns {words}": of_printed(f"--columns {words}", also, claimed)
    for words, also, claimed in (
        ("system=label,score=score,error=stderr", "", "A"),
        ("score=points,error=stderr,system=model", "", "a"),
        ("error=se2", "", "a"),
        ("interval=range", "", "a"),
        ("low=lo2,high=high", "", "a"),
        ("low=low,high=hi2", "", "a"),
        ("items=m", "", "a"),
        ("interval=ci,interval_level=0.5", "", "a"),
    )
}
OF_BATTLES = {
    f"--columns {words}": of_battles(f"--columns {words}", also)
    for words, also in (
        ("first=left,second=right", ""),
        ("winner=vote", ""),
        ("winner:tie=first", ""),
        ("question=q", "--clusters question"),
        ("worker=w", "--clusters worker"),
        ("judge=j", "--clusters judge"),
        ("battle=key", "--clusters battle"),
    )
}
OF_BATTLES |= {
    "--columns no_winner=drop": of_battles("--columns no_winner=drop", winner=""),
    "--columns self_battles=drop": of_battles("--columns self_battles=drop", model_b="a", model_a="a"),
    "--battles": of_battles("--battles ties=drop,prior=5"),
}


def made_for(command: str, option: str) -> Made | None:
    """The files made for an option of a command; None where it is none of reading."""
    if option in OF_BATTLES and command in ("rank", "compare"):
        return OF_BATTLES[option]
    if option in OF_PRINTED:
        return OF_PRINTED[option]
    if command == "measures low-to-high":
        return OF_DEPTHS.get(option)
    if (command.startswith("measures") and command != "measures topics") or command == "experiments power":
        return OF_MEASURES.get(option)
    return OF_SCORES.get(option)


CASES = [
    (command, option)
    for command, given in COMMANDS.items()
    for option in given
    if made_for(command, option) is not None
]
CASES += [("rank", option) for option in OF_PRINTED] + [("gate", option) for option in OF_PRINTED]
CASES += [("rank", option) for option in OF_BATTLES if option.startswith("--columns")]


def test_every_reading_option_has_a_file_made_for_it() -> None:
    def named(cls: Any) -> set[str]:
        return {f"--{one.name.replace('_', '-')}" for one in fields(cls)}

    assert named(Reading) | set(ALONE) == set(OF_SCORES)
    assert named(Tables) == set(OF_MEASURES)
    assert {command for command, _ in CASES} <= set(CALLS)


def answer(command: str, option: str, words: str, made: Made, folder: Path, capsys: Any) -> tuple[int, str, str]:
    import shlex

    first, second, clusters = folder / "first.csv", folder / "second.csv", folder / "clusters.csv"
    first.write_text(made.first(), encoding="utf-8")
    second.write_text(made.second(), encoding="utf-8")
    clusters.write_text("\n".join(["topic,cluster", *(f"t{t},k{t // 3}" for t in range(1, 13)), ""]), encoding="utf-8")
    out = folder / f"out{len(list(folder.iterdir()))}"
    places = {"FIRST": first, "SECOND": second, "CLUSTERS": clusters}
    call = shlex.split(f"{command} {CALLS[command]} {made.also} {words}".replace("OUT", str(out)))
    call = [word.replace("CLAIMED", made.claimed).replace("TARGET", made.target) for word in call]
    code = main([str(places.get(word, word)) for word in call])
    shown = capsys.readouterr()
    written = "".join(one.read_text() for one in sorted(folder.glob(f"{out.name}*.csv")))
    return code, (shown.out + written).replace(str(out), "OUT"), shown.err


@pytest.mark.parametrize(("command", "option"), CASES, ids=[f"{c} {o}".replace(" ", "-") for c, o in CASES])
def test_a_reading_option_changes_the_answer_on_a_file_made_for_it_or_is_refused(
    command: str, option: str, tmp_path: Path, capsys: Any
) -> None:
    made = made_for(command, option)
    assert made is not None
    without = answer(command, option, "", made, tmp_path, capsys)
    code, out, err = answer(command, option, made.words, made, tmp_path, capsys)
    if code == 2 and out == "":
        flag = option.split()[0]
        named = (flag, f"{flag.lstrip('-')}=")
        assert any(name in err for name in named), f"refused, but not for {option}: {err}"
    else:
        assert code in (0, 1), err
        assert out != without[1], f"{made.words} changes nothing"
