"""What the prose of README and documentation says of the command line is so."""

from __future__ import annotations

import importlib
import json
import re
from functools import cache
from pathlib import Path

import pytest

from tauscope.cli import GROUPS, build
from tauscope.cli.commands import QUESTIONS

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
PAGES = [page for page in PAGES if not {"_build", "decisions", "generated"} & set(page.parts)]
#: Options of pip, and of the benchmarks, that pages name.
OTHERS = {"--verbose", "--what", "--groups", "--other-groups", "--ranks", "--at-once", "--plan", "--only"}


@cache
def commands() -> dict[tuple[str, ...], frozenset[str]]:
    """Every command with its options."""
    names = [(name,) for some in QUESTIONS.values() for name in some]
    names += [(group, name) for group, (_, some, _) in GROUPS.items() for name in some]
    found = {}
    for words in names:
        _, apps, _ = build(words).parse_commands(list(words))
        arguments = apps[-1].assemble_argument_collection(parse_docstring=False)
        found[words] = frozenset(name for argument in arguments for name in argument.names if name.startswith("-"))
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_options_that_a_page_names_exist(page: Path) -> None:
    known = frozenset().union(*commands().values()) | OTHERS | {"--help", "--version", "--install-completion"}
    prose = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    named = re.findall(r"`[^`\n]*`", prose)
    options = {option for code in named for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", code)}
    assert options <= known, f"{page.name} names options that no command has: {sorted(options - known)}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_commands_that_a_page_writes_out_have_their_options(page: Path) -> None:
    for code in re.findall(r"`(tauscope [^`\n]+)`", page.read_text(encoding="utf-8")):
        words = code.split()[1:]
        command = next((tuple(words[:n]) for n in (2, 1) if tuple(words[:n]) in commands()), None)
        if command is None:
            assert words[0] in GROUPS or words[0].startswith("-"), f"{page.name}: there is no command `{code}`"
            continue
        given = {word.partition("=")[0] for word in words if re.match(r"--[a-z]", word)}
        assert given <= commands()[command] | {"--help"}, f"{page.name}: `{code}`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_commands_that_stand_in_a_block_have_their_options(page: Path) -> None:
    """Also where the block is not run, because it needs data, a cluster or an account."""
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    for line in re.findall(r"^ *(?:\$ |run: )?tauscope ([a-z].*)$", text, flags=re.M):
        words = line.partition("  #")[0].split()
        command = next((tuple(words[:n]) for n in (2, 1) if tuple(words[:n]) in commands()), None)
        assert command, f"{page.name}: there is no command `tauscope {line}`"
        given = {word.partition("=")[0] for word in words if re.match(r"--[a-z]", word)}
        assert given <= commands()[command] | {"--help"}, f"{page.name}: `tauscope {line}`"


RESULTS = ROOT / "benchmarks" / "results"
#: Tables of the explanation: the page, and the files of `results/coverage` that its rows are made of, side by side.
COVERAGE = [
    ("agreement-without-noise", "compare_coverage", ["compare_saturating"]),
    ("agreement-without-noise", "compare_coverage", ["compare_own_topics"]),
    ("agreement-without-noise", "compare_coverage", ["compare_pairs"]),
    ("agreement-without-noise", "compare_coverage", ["compare_several"]),
    ("agreement-without-noise", "compare_coverage", ["compare_systems"]),
    ("how-sure", "coverage", ["correlation_groups"]),
    ("how-sure", "coverage", ["at_once_plain"]),
    ("how-sure", "coverage", ["plan_plain"]),
    ("how-sure", "coverage", ["plan_groups"]),
    ("how-sure", "hard_judges", ["hard_judges"]),
    ("how-sure", "hard_boards", ["hard_boards_ranks"]),
    ("how-sure", "hard_boards", ["hard_boards_rules"]),
    ("how-sure", "hard_boards", ["hard_boards_correlation"]),
    ("how-sure", "hard_boards", ["hard_boards_claims"]),
    ("how-sure", "hard_boards", ["hard_boards_skewness"]),
    ("how-sure", "hard_arenas", ["hard_arenas"]),
]
#: Stored tables of which a page has the sum only.
SUMMED_UP: set[str] = set()
PEER = re.compile(r"(?:SciPy|pandas|trectools|numba|pytrec_eval|ir_measures|evalica|scikit-learn) ([\d.]+\d)")


@pytest.mark.parametrize("page", ["README.md", "docs/comparison.md"])
def test_ratios_in_tables_are_what_the_script_named_beside_them_printed(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    rows = re.findall(r"^(\| .*)`benchmarks/(\w+)\.py` \|$", text, flags=re.M)
    assert len(rows) > 3
    for row, script in rows:
        if script == "claims":  # prints a table, which explanation/how-sure.md has
            continue
        stored = json.loads((RESULTS / f"{script}.json").read_text(encoding="utf-8"))
        ratios = [one["value"] for one in stored["figures"].values() if one["unit"] == "x"]
        for shown in re.findall(r"(?<![\w.])(\d+(?:\.\d+)?)x(?= )", row):
            decimals = len(shown.partition(".")[2])
            assert shown in {f"{ratio:.{decimals}f}" for ratio in ratios}, f"{page}: {shown}x is not from {script}.py"
        assert set(PEER.findall(row)) <= set(stored["peers"].values()), f"{page}: {row}"


@pytest.mark.parametrize(("page", "script", "files"), COVERAGE, ids=lambda given: "+".join(given) if given else "")
def test_tables_of_coverage_are_what_the_scripts_counted(
    page: str, script: str, files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    lines = importlib.import_module(script).lines
    stored = [json.loads((RESULTS / "coverage" / f"{name}.json").read_text(encoding="utf-8")) for name in files]
    text = (ROOT / "docs" / "explanation" / f"{page}.md").read_text(encoding="utf-8").splitlines()
    wanted = lines(*stored)
    assert len(wanted) > 3
    assert [row for row in wanted if row not in text] == []


def test_every_stored_table_of_coverage_stands_on_a_page() -> None:
    named = {name for _, _, files in COVERAGE for name in files} | SUMMED_UP
    assert named == {path.stem for path in (RESULTS / "coverage").glob("*.json")}
