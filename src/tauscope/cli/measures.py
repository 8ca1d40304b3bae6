"""`tauscope measures predict | list`: measures that were not reported, and those that there are."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from ..errors import CallError
from . import inputs
from .adapter import Rendered
from .options import Documents, Many, ManyFiles, Tables, Words, labels_in
from .output import progress, show


def predict(
    train: Annotated[list[Path] | None, Parameter(negative=())] = None,
    /,
    *,
    target: Annotated[str | None, Parameter(name=["--target", "-t"])] = None,
    given: str | None = None,
    select: Path | None = None,
    test: ManyFiles = None,
    predictors: Many = None,
    max_predictors: Annotated[int, Parameter(name=["--max-predictors", "-k"])] = 3,
    model: Literal["linear", "svm", "boosting"] = "linear",
    criterion: Literal["tau_b", "r2"] = "tau_b",
    keep: int = 3,
    level: float = 0.95,
    tables: Tables = Tables(),
    words: Words = Words(),
    rendered: Rendered = Rendered(),
) -> None:
    """Predict what an unreported measure would have been.

    With --given, the values of a published row, print the prediction for that system. Without, find the measures that
    predict it best: sets are chosen on --select and tested on --test.

    Example: `tauscope measures predict track.csv --target AP --given "P@10=.55,nDCG@20=.41"`

    Parameters
    ----------
    train
        Tables of systems by measures to learn from.
    target
        The measure to predict, such as AP.
    given
        The measures of one system: "P@10=.55,nDCG@20=.41". They are the predictors.
    select
        The collection that sets of predictors are chosen on; without, training systems are left out in turn.
    test
        Collections that the chosen sets are tested on.
    predictors
        Measures to choose from; without, all that every file has.
    max_predictors
        Sets of up to this many.
    model
        linear, svm (RBF) or boosting.
    criterion
        What sets are chosen by.
    keep
        How many sets of each size are listed.
    level
        The level of the prediction intervals.
    """
    from ..measures.prediction import predict as learn

    if not train or target is None:
        raise CallError(
            "Name tables to learn from and the measure to predict: `tauscope measures predict A --target AP`."
        )
    row = None if given is None else _given(given)
    if row is not None and (predictors is not None or select is not None or test):
        raise CallError("--given names the predictors itself; leave out --predictors, --select and --test.")
    options: dict[str, Any] = {"model": model, "criterion": criterion, "keep": keep, "level": level}
    with words.said():
        with progress("fitting") as report:
            if row is not None:
                options |= {"predictors": list(row), "min_predictors": len(row), "max_predictors": len(row)}
            else:
                options |= {"predictors": predictors, "max_predictors": max_predictors}
                options["test"] = inputs.collections(test, tables) if test else ()
                options["select_on"] = None if select is None else inputs.collections([select], tables)
            found = learn(inputs.collections(train, tables), target, progress=report, **options)
        rendered.write(found if row is None else found.predict(row))


def _given(text: str) -> dict[str, float]:
    """ "P@10=.55,RBP(p=0.8)=.41": the value comes after the last equals sign, commas in brackets belong to the name."""
    parts = labels_in(text) or [text]
    found: dict[str, float] = {}
    for part in parts:
        name, equals, value = part.rpartition("=")
        try:
            found[name.strip()] = float(value)
        except ValueError:
            equals = ""
        if not equals or not name.strip():
            raise CallError(
                f'--given {text!r}: write measures and values, such as "P@10=.55,nDCG@20=.41"; {part!r} is none.'
            )
    if len(found) < len(parts):
        raise CallError(f"--given {text!r}: a measure is there twice.")
    return found


def list_measures(name: str | None = None, /, *, output: Documents = Documents()) -> None:
    """Which measures can runs be evaluated by, and by which conventions?

    With --csv: one row per measure.

    Example: `tauscope measures list nDCG`

    Parameters
    ----------
    name
        One measure, in any of its spellings; all of them by default.
    """
    from ..evaluation import measures

    found = measures.rows() if name is None else [measures.row_of(name)]
    columns = {key: [row[key] for row in found] for key in found[0]}
    if output.print_both(lambda: {"measures": found, "conventions": list(map(str, measures.GENERAL))}, lambda: columns):
        return
    for row in found:
        show(f"{row['measure']}  {row['definition']}")
        for key in ("convention", "parameters", "also", "paper"):
            if row[key]:
                show(*textwrap.wrap(f"{key}: {row[key]}", 110, initial_indent="    ", subsequent_indent="      "))
    show("", "For all of them:")
    for text in map(str, measures.GENERAL):
        show(*textwrap.wrap(text, 110, initial_indent="  ", subsequent_indent="    "))
