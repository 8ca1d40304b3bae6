"""How to cite it and how to repeat it: papers, versions, seed, command."""

from __future__ import annotations

import platform
import re
import shlex
from collections.abc import Sequence
from dataclasses import replace

import numpy

from ... import kernels, papers
from ...results import word
from ..material import Material
from ..parts import Code, Column, Section, Sentence, Table

#: The title of the command that repeats the page.
COMMAND = "Command"
#: An option of a command that says where the page goes.
_OUTPUT = re.compile(r"(?:^|\s)(?:-o|--output)(?:[\s=]|$)")


def versions() -> dict[str, str]:
    """What the numbers depend on."""
    from importlib.metadata import PackageNotFoundError, version

    from ... import __version__

    found = {
        "tauscope": __version__,
        "kernels": kernels.implementation(),
        "Python": platform.python_version(),
        "NumPy": numpy.__version__,
    }
    for name in ("scipy", "altair", "vl-convert-python"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def section(material: Material, others: Sequence[Section]) -> Section:
    """Always there, and last: what the other sections cite, and their sentences for the section on methods."""
    keys = tuple(dict.fromkeys(key for one in others for key in one.cited))
    methods = [sentence for one in others for sentence in one.methods]
    used = versions()
    words: list[Sentence] = [
        (
            f"Seed {material.seed}; {material.confidence} intervals; the same input with this seed and these versions "
            "gives this page again, byte by byte.",
        ),
        ("Versions: ", ", ".join(f"{name} {text}" for name, text in used.items()), "."),
        *methods,
    ]
    code = [Code("References", papers.cite(keys)), Code("BibTeX", papers.cite(keys, "bibtex"))] if keys else []
    if material.command:
        words.append(("The command below repeats it.",))
        code.insert(0, Code(COMMAND, material.command, open=True))
    return Section(
        id="repeat",
        heading=("For a paper: methods, references, and how to repeat it",),
        short="For a paper",
        words=tuple(words),
        tables=(_inputs(material), *_files(material)),
        data={
            "seed": material.seed,
            "level": material.level,
            "versions": used,
            "cited": list(keys),
            "command": material.command,
            "files": list(material.files),
        },
        cited=keys,
        code=tuple(code),
    )


def written_to(section: Section, file: str) -> Section:
    """The section with an output in its command, where there is a command that names none."""
    command = section.data.get("command")
    if section.id != "repeat" or not command or _OUTPUT.search(command):
        return section
    whole = f"{command} -o {shlex.quote(file)}"
    code = tuple(replace(one, text=whole) if one.title == COMMAND else one for one in section.code)
    return replace(section, data={**section.data, "command": whole}, code=code)


def _inputs(material: Material) -> Table:
    columns = (
        Column("side", "name"),
        Column("measure", "name"),
        Column("collection", "name"),
        Column(word("systems"), "whole"),
        Column(word("topics"), "whole"),
    )
    rows: list[tuple[str | int | None, ...]] = []
    for side in material.sides:
        own = side.scores
        if own is None:
            rows.append((side.name, "", "", len(side.systems), None))
        else:
            rows.append((side.name, own.measure, own.collection, len(own.systems), len(own.topics)))
    return Table("inputs", ("What went in.",), columns, tuple(rows))


def _files(material: Material) -> tuple[Table, ...]:
    if not material.files:
        return ()
    rows = tuple((file,) for file in material.files)
    return (Table("files", ("Files that were read.",), (Column("file", "name"),), rows),)
