"""One version everywhere, workflows that run what exists, and a recipe that asks for what the package needs."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import tauscope

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
RECIPE = (ROOT / "packaging" / "conda" / "recipe.yaml").read_text(encoding="utf-8")


def test_the_version_is_the_same_everywhere() -> None:
    version = PROJECT["project"]["version"]
    assert tauscope.__version__ == version
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f'\n  version: "{version}"\n' in RECIPE


def test_the_recipe_asks_for_what_the_package_needs() -> None:
    dependencies = [requirement.partition(";")[0] for requirement in PROJECT["project"]["dependencies"]]
    wanted = {re.sub(r"(>=)", r" \1", requirement) for requirement in dependencies}
    run = RECIPE.partition("  run:\n")[2].partition("\n\n")[0]
    asked = {line.strip().removeprefix("- ") for line in run.splitlines()}
    assert asked == wanted | {f"python {PROJECT['project']['requires-python']}"}
    build = {re.sub(r"(>=)", r" \1", requirement) for requirement in PROJECT["build-system"]["requires"]}
    assert all(f"- {requirement}\n" in RECIPE for requirement in build)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_runs_commands_that_exist(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    commands = re.findall(r"^\s*(?:- )?run: (.+)$", text, flags=re.M)
    ours = [command.removeprefix("python run.py ") for command in commands if command.startswith("python run.py ")]
    assert ours, "a workflow that runs nothing of ours"
    documented = (ROOT / "run.py").read_text(encoding="utf-8").partition('"""')[2].partition('"""')[0]
    assert all(re.search(rf"run\.py {word}\b", documented) for word in ours)
    rest = set(commands) - {f"python run.py {word}" for word in ours}
    assert rest <= {
        'python -m pip install "cibuildwheel>=3"',
        "python -m cibuildwheel --output-dir dist",
        "rm -f dist/*-cp*.whl",
    }


def test_the_source_holds_nothing_that_was_built() -> None:
    """`cpp` without a slash is found in build folders too: object files of 13 MB were in the source."""
    settings = PROJECT["tool"]["scikit-build"]["sdist"]
    assert all(path.startswith("/") for path in [*settings["include"], *settings["exclude"]])
    assert "/build" in settings["exclude"]


def test_every_extra_is_part_of_all() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    (everything,) = extras["all"]
    assert set(re.findall(r"\w+", everything)) - {"tauscope"} == set(extras) - {"all"}


def test_the_wheels_are_for_the_versions_that_are_claimed() -> None:
    claimed = {c.rpartition(" ")[2] for c in PROJECT["project"]["classifiers"] if re.search(r":: 3\.\d+$", c)}
    built = {f"3.{found}" for found in re.findall(r"cp3(\d+)", " ".join(PROJECT["tool"]["cibuildwheel"]["build"]))}
    tested = set(re.findall(r'"(3\.\d+)"', (ROOT / ".github/workflows/tests.yml").read_text(encoding="utf-8")))
    assert claimed == built == tested
