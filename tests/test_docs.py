"""What the prose of README and documentation says of the command line is so."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from tauscope.cli import GROUPS, build
from tauscope.cli.commands import QUESTIONS

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
PAGES = [page for page in PAGES if "_build" not in page.parts and "decisions" not in page.parts]
#: Options of pip, and of the benchmarks, that pages name.
OTHERS = {"--verbose", "--what", "--groups", "--ranks", "--plan"}


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
