"""Writes the reference: a page for every coefficient, from its record, for every other name, and for the papers.

`python docs/pages.py` rewrites the tables of `reference/index.md`, which people read where nothing is built: a name in
backticks under a question gets its row. A name with a dot, such as `results.Ranks`, belongs to a namespace.
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import operator
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import blocks
import gallery

import tauscope
from tauscope import papers

INDEX = Path(__file__).parent / "reference" / "index.md"


def write(folder: Path) -> None:
    """Pages that have not changed are left alone, so that Sphinx does not read them again; old ones go."""
    wanted = {folder / name: text for name, text in everything()}
    wanted[folder / "gallery.md"] = gallery.write(folder / "pictures")
    for path in folder.rglob("*.md"):
        if path not in wanted:
            path.unlink()
    for path, text in wanted.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


def everything() -> Iterator[tuple[str, str]]:
    coefficients = list(tauscope.catalogue)
    names = [name for names in groups().values() for name in names]
    for record in coefficients:
        yield f"coefficients/{record.name}.md", coefficient_page(record)
    for name in names:
        yield f"api/{name}.md", f"# {name}\n\n{autodoc(name)}{given_by(name)}"
    for question, some in groups().items():
        yield f"{slug(question)}.md", question_page(question, some)
    yield "coefficients/index.md", coefficients_page()
    yield "papers.md", papers_page()


def coefficient_page(record: Any) -> str:
    low, high = record.range
    side_by_side, keyword = "yes: two rankings side by side, or `truth=`", "no: `truth=` is a keyword, always"
    others = ", ".join(page_link(name) for name in record.instead)
    facts = {
        "Formula": f"`{record.definition}`",
        "Defined in": linked(record.equation),
        "First described in": f"{papers.short(record.paper)}, {linked(record.paper)}",
        "Symmetric": side_by_side if record.symmetric else keyword,
        "Head-weighted": head(record),
        "Gap-sensitive": "yes: differences of scores count" if record.gap_sensitive else "no: only the order counts",
        "A tie is": record.ties.value,
        "`tied_within`": "yes" if record.takes_tolerance else f"no; see {others}",
        "Range": f"{low:g} to {high:g}",
        "Undefined where": "; ".join(record.why_undefined(reason) for reason in record.undefined)
        or "never, of two items or more",
        "Do not use it when": record.when_not,
    }
    table = "\n".join(f"| {key} | {cell(value)} |" for key, value in facts.items())
    title = record.name if record.title == record.name else f"{record.name}: {record.title}"
    return f"# {title}\n\n{record.question}\n\n| {record.symbol} | |\n|---|---|\n{table}\n\n{autodoc(record.name)}"


def coefficients_page() -> str:
    columns = tauscope.catalogue.columns()
    columns["name"] = [page_link(name) for name in columns["name"]]
    columns["paper"] = [linked(key) for key in columns["paper"]]
    rows = "\n".join("| " + " | ".join(map(cell, row)) + " |" for row in zip(*columns.values(), strict=True))
    table = f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}\n{rows}"
    glance = "The family at a glance: `print(tauscope.catalogue)`."
    return f"# Coefficients\n\n{glance}\n\n{table}\n{contents(tauscope.catalogue.names)}"


def papers_page() -> str:
    entries = (f"({target(key)})=\n**{key}**\n: {papers.reference(key)}\n" for key in sorted(papers.bibliography()))
    return "# Papers\n\nCode, pages and commands cite by these keys.\n\n" + "\n".join(entries)


def named(name: str) -> Any:
    """What a name of the list means: `rank`, or `results.Ranks`."""
    return operator.attrgetter(name)(tauscope)


def short(name: str) -> str:
    """The last part of a name."""
    return name.rpartition(".")[2]


def tables(names: list[str], folder: str) -> str:
    """What can be called, with what it gives, and below it the types; each with the sentence that it opens with."""
    calls = [name for name in names if not inspect.isclass(named(name))]
    types = [name for name in names if name not in calls]
    parts = []
    if calls:
        rows = (f"| {api_link(name, folder)} | {opening(name)} | {gives(name, folder)} |" for name in calls)
        parts.append("| Call | What it answers | What it gives |\n|---|---|---|\n" + "\n".join(rows))
    if types:
        rows = (f"| {api_link(name, folder)} | {opening(name)} |" for name in types)
        parts.append("| Type | What it holds |\n|---|---|\n" + "\n".join(rows))
    return "\n\n".join(parts) + "\n\n"


def opening(name: str) -> str:
    """The first sentence of a docstring."""
    first = (inspect.getdoc(named(name)) or "").split("\n\n")[0].replace("\n", " ")
    return cell(re.split(r"(?<=[.?]) (?=[A-Z])", first)[0])


def gives(name: str, folder: str) -> str:
    """The public type that a function returns, linked, or its annotation."""
    thing = named(name)
    if not inspect.isfunction(thing):
        return ""
    found = str(inspect.signature(thing).return_annotation).strip("'")
    listed = {short(one): one for names in groups().values() for one in names}
    known = [listed[word] for word in re.findall(r"\w+", found) if word in listed]
    return ", ".join(api_link(word, folder) for word in known) or f"`{cell(found)}`"


def given_by(name: str) -> str:
    """Of a type that has no example of its own, the functions that give it, whose examples do."""
    if not inspect.isclass(named(name)) or ">>>" in (inspect.getdoc(named(name)) or ""):
        return ""
    makers = [
        f"[{one}](../coefficients/{one}.md)" if one in tauscope.catalogue else f"[{one}]({one}.md)"
        for one in [*tauscope.catalogue.names, *(one for names in groups().values() for one in names)]
        if inspect.isfunction(thing := named(one))
        and short(name) in re.findall(r"\w+", str(inspect.signature(thing).return_annotation))
    ]
    return (
        f"\n{', '.join(makers)} {'returns' if len(makers) == 1 else 'return'} it, with an example.\n" if makers else ""
    )


def api_link(name: str, folder: str) -> str:
    return f"[{name}]({folder}api/{name}.md)"


def question_page(question: str, names: list[str]) -> str:
    calls_first = sorted(names, key=lambda name: inspect.isclass(named(name)))
    return f"# {question}\n\n{tables(names, '')}{contents([f'api/{name}' for name in calls_first])}"


def slug(question: str) -> str:
    return re.sub(r"\W+", "-", question.lower()).strip("-")


def autodoc(name: str) -> str:
    thing = named(name)
    if inspect.ismodule(thing):
        kind, options = "automodule", "\n   :no-members:"
    elif inspect.isclass(thing):
        kind, options = ("autoexception", "") if issubclass(thing, BaseException) else ("autoclass", "\n   :members:")
    else:
        kind, options = ("autofunction", "") if callable(thing) else ("autodata", "\n   :no-value:")
    return f"```{{eval-rst}}\n.. {kind}:: tauscope.{name}{options}\n```\n"


def contents(names: list[str] | tuple[str, ...]) -> str:
    return "\n```{toctree}\n:hidden:\n\n" + "\n".join(names) + "\n```\n"


def linked(text: str) -> str:
    """Keys of papers become links to their entry."""
    known = papers.bibliography()
    return re.sub(r"[a-z]+\d{4}", lambda m: f"[{m[0]}](#{target(m[0])})" if m[0] in known else m[0], text)


def head(record: Any) -> str:
    if not record.head_weighted:
        return "no: every rank counts alike"
    return f"yes; it walks {walked(record.walks)}" if record.walks else "yes: pairs count by the ranks of their items"


def walked(who: str) -> str:
    return "both rankings in turn" if who == "both" else f"the {who}"


def target(key: str) -> str:
    return f"paper-{key}"


def page_link(name: str) -> str:
    return f"[{name}]({name}.md)"


def cell(text: str) -> str:
    return str(text).replace("|", r"\|")


def groups() -> dict[str, list[str]]:
    """Question -> public names, as docs/reference/index.md has them; the one list of groups."""
    text = INDEX.read_text(encoding="utf-8")
    parts = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)[1:]
    found = {
        question: re.findall(r"`([\w.]+)`", names) for question, names in zip(parts[::2], parts[1::2], strict=True)
    }
    return {question: names for question, names in found.items() if question not in ("Coefficients", "Papers")}


#: The sentence about the coefficients, and their plain table.
COEFFICIENTS = re.compile(r"(## Coefficients\n\n[^\n|]*\n)(?:\n\|[^#]*)?(?=\n## )")


def plain_index(text: str) -> str:
    """The list of public names with what each answers or holds, as it stands without being built."""
    for question, names in groups().items():
        rows = "\n".join(f"| `{name}` | {opening(name).replace('`', '')} |" for name in names)
        table = f"| Name | What it answers, or holds |\n|---|---|\n{rows}\n"
        text = re.sub(
            rf"^(## {re.escape(question)}\n\n)[^#\[]*?(?=\n## |\n\[)",
            lambda m, table=table: m[1] + table,
            text,
            flags=re.M,
        )
    rows = "\n".join(f"| {one.name} | {cell(one.question)} |" for one in tauscope.catalogue)
    table = f"| Name | What it answers |\n|---|---|\n{rows}\n"
    return COEFFICIENTS.sub(lambda m: f"{m[1]}\n{table}", text)


def with_pictures(app: Any, docname: str, source: list[str]) -> None:
    """The charts that blocks of a page make, where the page asks for them; drawn again when the page has changed."""
    if "<!-- picture: " not in source[0]:
        return
    key = hashlib.sha256(f"{tauscope.__version__} {source[0]}".encode()).hexdigest()[:10]
    name = docname.rpartition("/")[2]
    folder = Path(app.srcdir) / "reference" / "generated" / "pictures"
    paths = [folder / f"{name}-{place}-{key}.png" for place, _ in enumerate(blocks.PICTURE.findall(source[0]))]
    if not all(path.exists() for path in paths):
        for old in folder.glob(f"{name}-*.png"):
            old.unlink()
        with tempfile.TemporaryDirectory() as where, contextlib.chdir(where):
            page = Path(app.srcdir) / f"{docname}.md"
            found = (one for one in blocks.run(page, Path(where), every_command=False) if one.words)
            for path in paths:
                gallery.save(next(found).chart, path)
    up = "../" * docname.count("/")
    images = (gallery.image(path, f"{up}reference/generated/pictures/{path.name}") for path in paths)
    source[0] = blocks.PICTURE.sub(lambda found: next(images).format(words=found["words"]), source[0])


def with_contents(app: Any, docname: str, source: list[str]) -> None:
    """An index is a page of links; Sphinx also wants a table of contents, and the reference gets its tables."""
    if docname.rpartition("/")[2] != "index" or "generated" in docname:
        return
    if docname == "reference/index":
        source[0] = reference_page(source[0])
        return
    if docname == "index":  # only here, because there is no gallery without building it
        row = "| [Gallery](reference/generated/gallery.md) | one picture per result, with the call that makes it |\n"
        source[0] = source[0].replace("| [Reference]", f"{row}| [Reference]")
    # The start page also links into the how-tos: only its last table is its contents.
    listed = source[0].rpartition("\n## ")[2] if docname == "index" else source[0]
    links = re.findall(r"\]\(([^)#:]+)\.md\)", listed)
    source[0] += contents(list(dict.fromkeys(links)))


def reference_page(text: str) -> str:
    """The list of names as tables with links, one under each question."""
    text = text.replace("The built documentation has a page for each of them, made", "Each has a page, made")
    text = COEFFICIENTS.sub(r"\1", text)
    for question, names in groups().items():
        found = tables(names, "generated/")
        text = re.sub(rf"^(## {re.escape(question)}\n\n)[^#]*", lambda m, found=found: m[1] + found, text, flags=re.M)
    rows = "\n".join(
        f"| [{one.name}](generated/coefficients/{one.name}.md) | {cell(one.question)} | {one.ties.value} |"
        for one in tauscope.catalogue
    )
    family = "[All coefficients with their properties in one table](generated/coefficients/index.md)."
    table = f"| Call | What it answers | A tie is |\n|---|---|---|\n{rows}"
    text = text.replace("\n## Coefficients\n", f"\n## Coefficients\n\n{table}\n\n{family}\n")
    text = text.replace("\n## Papers\n", "\n## Papers\n\n[All papers](generated/papers.md).\n")
    listed = [f"generated/{slug(question)}" for question in groups()]
    return text + contents(["generated/coefficients/index", *listed, "generated/papers", "odd-files"])


#: Parameters that only serve to say that the truth goes by name.
UNNAMED = re.compile(r"\*unnamed: [^,)]+")


def signature(app: Any, what: str, name: str, thing: Any, options: Any, text: str, returns: str) -> Any:
    """As one would write it: the truth is a keyword without a default, and names of types stand without modules."""
    if text:
        text = UNNAMED.sub("*", text).replace(" = <required>", "")
    return text, returns


def with_imports(lines: list[str], name: str = "") -> None:
    """Add the imports that an example of `name` has from its module, and that a reader needs."""
    said = [(place, line) for place, line in enumerate(lines) if line.lstrip().startswith((">>> ", "... "))]
    code = "\n".join(line for _, line in said)
    if not said:
        return
    imported = set(re.findall(r"\w+", " ".join(re.findall(r"import (.+)", code))))
    used = sorted(
        {word for word in re.findall(r"(?<![\w.\"'])\w+(?=[(.\[])", code) if word in tauscope.__all__} - imported
    )
    place, first = said[0]
    before = first[: len(first) - len(first.lstrip())] + ">>> "
    space = name.rpartition(".")[0]
    inside = set(dir(named(space))) if space else set()
    own = sorted({word for word in re.findall(r"(?<![\w.\"'])\w+(?=[(.\[])", code) if word in inside} - imported)
    used = [word for word in used if word not in own]
    for source, words in (("tauscope", used), (f"tauscope.{space}", own)):
        if words:
            lines.insert(place, f"{before}from {source} import {', '.join(words)}")
    if "np." in code and "np" not in imported:
        lines.insert(place, f"{before}import numpy as np")


def tidied(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """What plain text may have and reStructuredText takes amiss: `loss`es, and |bars| that are no substitution."""
    text = "\n".join(lines).replace("*unnamed, truth :", "truth :")
    lines[:] = re.sub(r"^\*unnamed : .*\n(?:    .*\n)+", "", text, flags=re.M).split("\n")
    with_imports(lines, name.removeprefix("tauscope."))
    for place, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            parts = re.split(r"(`+[^`]+`+)", line)
            for at in range(0, len(parts), 2):
                parts[at] = parts[at].replace("|", r"\|")
                if at and re.match(r"\w", parts[at]):
                    parts[at] = rf"\ {parts[at]}"
            lines[place] = "".join(parts)


if __name__ == "__main__":
    INDEX.write_text(plain_index(INDEX.read_text(encoding="utf-8")), encoding="utf-8")
