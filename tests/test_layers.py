"""The layers: imports only go to the right, `import tauscope` costs NumPy only, a public name stands once."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import tauscope

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "tauscope"

# Imports only go to the right. Names joined by a comma do not import each other.
LAYERS = (
    "cli > app > replications > pages > render > answers > reading > experiments > boards > judges > "
    "inference > measures, simulate, evaluation > coefficients > io > data > results > papers, jobs > core > "
    "_kernels > errors"
)
RANK = {name.strip(): rank for rank, layer in enumerate(LAYERS.split(">")) for name in layer.split(",")}
#: Not in a layer: the list of public names, and the door to the command line.
ABOVE_ALL = ("__init__", "__main__")

MODULES = {
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts): path
    for path in sorted(PACKAGE.rglob("*.py"))
    if path.relative_to(PACKAGE).with_suffix("").parts[0] not in ABOVE_ALL
}
PUBLIC = {
    alias.asname or alias.name: node.module
    for node in ast.parse((PACKAGE / "__init__.pyi").read_text(encoding="utf-8")).body
    if isinstance(node, ast.ImportFrom)
    for alias in node.names
}
HEAVY = (
    "scipy",
    "pandas",
    "polars",
    "pyarrow",
    "jinja2",
    "narwhals",
    "cyclopts",
    "rich",
    "sklearn",
    "matplotlib",
    "distributed",
)


def at_the_top(tree: ast.Module) -> Iterator[ast.AST]:
    """The nodes that run when a module is imported: those of functions and of `if TYPE_CHECKING:` do not."""
    left: list[ast.AST] = [tree]
    while left:
        node = left.pop()
        yield node
        typing_only = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        if not typing_only and not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            left += ast.iter_child_nodes(node)


def imported(module: str, path: Path, *, top_only: bool = False) -> Iterator[str]:
    """What a module imports of the package: 'kernels', 'coefficients.records', …; inside functions too by default."""
    inside = module.split(".")[:-1]
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in at_the_top(tree) if top_only else ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name.removeprefix("tauscope.") for name in node.names if name.name.startswith("tauscope."))
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                start = [*inside[: len(inside) + 1 - node.level], *(node.module or "").split(".")]
            elif (node.module or "").split(".")[0] == "tauscope":
                start = (node.module or "").split(".")[1:]
            else:
                continue
            base = ".".join(part for part in start if part)
            for name in node.names:
                longer = f"{base}.{name.name}".strip(".")
                if exists(longer):
                    yield longer
                elif base or not name.name.startswith("__"):  # `from .. import __version__` is of no module
                    yield base or PUBLIC[name.name]


def exists(module: str) -> bool:
    return module in MODULES or f"{module}.__init__" in MODULES or module == "_kernels"


#: What a module loads by name of a layer above its own, besides facts, which load their words and looks.
BY_NAME = {
    "coefficients.coefficient": {"tauscope.boards.rules"},
    "data.ranking": {"tauscope.io.read"},
    "data.scores": {"tauscope.io.read", "tauscope.data.clusters"},
    "data.cube": {"tauscope.io.read"},
    "data.table": {"tauscope.io.read"},
    "data.labels": {"tauscope.io.write"},
    "judges.compare": {"tauscope.boards.verdicts"},
    "data.battles": {"tauscope.io.columns"},
}


def test_only_named_modules_load_higher_layers_by_name() -> None:
    found = {}
    for module, path in MODULES.items():
        called = re.findall(r'import_module\("(tauscope\.[\w.]+)"\)', path.read_text(encoding="utf-8"))
        if called:
            found[module] = set(called)
    assert found == BY_NAME


def test_every_module_has_its_place_in_the_order() -> None:
    unknown = sorted({module.split(".")[0] for module in MODULES} - set(RANK))
    assert not unknown, f"no layer for {', '.join(unknown)}: put it into LAYERS, and into the table of CONTRIBUTING"
    assert len(MODULES) > 10


@pytest.mark.parametrize("module", MODULES)
def test_imports_only_go_to_the_right(module: str) -> None:
    top = module.split(".")[0]
    for other in imported(module, MODULES[module]):
        target = other.split(".")[0]
        assert target in RANK, f"{module} imports {other}, which has no layer"
        assert target == top or RANK[target] > RANK[top], f"{module} imports {other}, which is not to its right"


@pytest.mark.parametrize("module", MODULES)
def test_no_module_uses_what_another_keeps_to_itself(module: str) -> None:
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    own: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.level or (node.module or "").startswith("tauscope")):
            private = [alias.name for alias in node.names if alias.name.startswith("_") and alias.name not in ALLOWED]
            assert not private, f"{module} imports {', '.join(private)} of {node.module}: make it public, or move it"
            own |= {alias.asname or alias.name for alias in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in own:
            hidden = node.attr.startswith("_") and not node.attr.startswith("__") and node.attr not in NAMED_TUPLE
            assert not hidden, f"{module} uses {node.value.id}.{node.attr}: make it public, or move it"


#: The compiled module, and what every module may ask of the package.
ALLOWED = ("_kernels", "__version__")
NAMED_TUPLE = ("_replace", "_asdict", "_fields", "_make")


def test_the_map_of_contributing_has_every_package_and_module_and_the_order_of_the_layers() -> None:
    text = (PACKAGE.parent.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rooms = {module.split(".")[0] for module in MODULES}
    packages = {module.split(".")[0] for module in MODULES if "." in module}
    missing = [room for room in sorted(rooms - {"_kernels"}) if f"`{room}/`" not in text and f"`{room}.py`" not in text]
    assert not missing, f"not in CONTRIBUTING, Where things are: {', '.join(missing)}"
    for package in packages:
        row = next(line for line in text.splitlines() if line.startswith(f"| `{package}/`"))
        inside = {name.split(".")[1] for name in MODULES if name.startswith(f"{package}.")} - {"__init__"}
        unknown = set(re.findall(r"`([a-z_0-9]+)\.py`", row)) - inside
        assert not unknown, f"{package}/ has no {', '.join(sorted(unknown))}"
    assert " ".join(LAYERS.split()) in " ".join(text.split())


@pytest.mark.parametrize("package", sorted({module.split(".")[0] for module in MODULES if "." in module}))
def test_modules_of_a_package_do_not_import_in_circles(package: str) -> None:
    """At their top; a view of a result, such as `Correlation.by_topic()`, imports its module inside the method."""
    graph = {
        module: {
            other
            for other in imported(module, path, top_only=True)
            if other.startswith(f"{package}.") and other != module
        }
        for module, path in MODULES.items()
        if module.startswith(f"{package}.")
    }
    while graph:
        free = [module for module, others in graph.items() if not others & set(graph)]
        assert free, f"these import each other in a circle: {', '.join(sorted(graph))}"
        for module in free:
            del graph[module]


def loaded_after(code: str) -> list[str]:
    """Heavy packages that a fresh interpreter has loaded after running the code."""
    report = f"{code}\nimport sys\nprint(*[name for name in {HEAVY!r} if name in sys.modules])"
    return subprocess.run([sys.executable, "-c", report], capture_output=True, text=True, check=True).stdout.split()


def test_importing_tauscope_loads_nothing_heavy() -> None:
    assert loaded_after("import tauscope") == []


def test_a_coefficient_of_two_arrays_loads_nothing_heavy() -> None:
    assert loaded_after("import tauscope\nassert tauscope.tau_b([1, 2, 3], [1, 2, 3]).value == 1") == []


def test_the_catalogue_loads_nothing_heavy_and_a_printed_result_what_words_need() -> None:
    assert loaded_after("import tauscope\nstr(tauscope.catalogue), tauscope.tau_ap([1, 2], truth=[1, 2]).value") == []
    assert loaded_after("import tauscope\nstr(tauscope.tau_ap([1, 2], truth=[1, 2]))") == ["jinja2", "rich"]


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_can_be_imported_and_explains_itself(name: str) -> None:
    value = getattr(tauscope, name)
    text = inspect.getdoc(value) or ""
    assert len(text.split()) >= 4
    # A dataclass without a docstring gets its signature as one; a subclass may inherit that of its base.
    own = value if inspect.isclass(value) or inspect.isfunction(value) else type(value)
    assert own.__doc__
    assert not own.__doc__.startswith(f"{name}(")


def test_the_public_names_are_those_of_the_stub_and_nothing_else() -> None:
    assert sorted(PUBLIC) == tauscope.__all__
    assert set(PUBLIC) <= set(dir(tauscope))
    assert len(PUBLIC) == len(set(PUBLIC))


def test_no_public_name_is_that_of_a_module_beside_it() -> None:
    namespaces = {name for name, module in PUBLIC.items() if module is None}
    beside = {module.split(".")[0] for module in MODULES}
    assert beside & set(PUBLIC) == namespaces


@pytest.mark.parametrize("package", sorted({module.split(".")[0] for module in MODULES if "." in module}))
def test_no_name_of_a_package_is_that_of_a_module_in_it(package: str) -> None:
    modules = {module.split(".")[1] for module in MODULES if module.startswith(f"{package}.")}
    names = vars(importlib.import_module(f"tauscope.{package}"))
    assert not {name for name in modules if name in names and not inspect.ismodule(names[name])}


def test_an_unknown_name_is_an_attribute_error_with_a_suggestion() -> None:
    with pytest.raises(
        AttributeError, match=r"^module 'tauscope' has no attribute 'tau_app'\. Did you mean 'tau_ap'\?$"
    ):
        _ = tauscope.tau_app
