"""`tauscope correlate`, `explain`, `coefficients` and `identify`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from .. import papers
from ..coefficients.batch import Correlations
from ..coefficients.correlation import Correlation, evaluate, top_text
from ..coefficients.fitting import fitting, stability
from ..coefficients.records import Coefficient, catalogue
from ..coefficients.top_k import align_top, check_top_k
from ..errors import CallError, FileError, TauscopeError
from ..files import read_ranking
from ..ranking import Aligned, Ranking, align
from ..results import count, number
from ..ties import tolerances
from .output import one_format, show, show_csv, show_json, show_table

Missing = Literal["error", "drop"]


def correlate(
    first: Path,
    second: Path | None = None,
    /,
    *,
    truth: Path | None = None,
    coefficient: Annotated[
        list[str] | None, Parameter(name=["--coefficient", "-c"], consume_multiple=True, negative=())
    ] = None,
    tied_within: Annotated[str | None, Parameter(name=["--tied-within", "-w"])] = None,
    top_k: int | None = None,
    pairs: int = 0,
    one_sided: Missing = "error",
    lower_is_better: Annotated[bool, Parameter(negative=())] = False,
    measure: Annotated[str | None, Parameter(name=["--measure", "-m"])] = None,
    format: str | None = None,
    json: Annotated[bool, Parameter(negative=())] = False,
    csv: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Do two rankings agree?

    FIRST and SECOND are files with a system and a score a line, or matrices of topics by systems (then their means are
    compared). With --truth the first is measured against it; without, both are opinions.

    Parameters
    ----------
    first
        The ranking, or the estimate.
    second
        The other ranking, where neither is the truth.
    truth
        The ranking that is right by definition.
    coefficient
        One or more of the catalogue (see `tauscope coefficients`). Without: chosen, with the reason.
    tied_within
        Scores this close are tied: 0.01, 5%, or two of them for the two files: 0.01,0.02.
    top_k
        Compare only the union of both top K; a system outside one of them is tied below it there.
    pairs
        Also list the K pairs that cost most.
    one_sided
        What to do with systems in one file only: an error that names them, or drop them.
    lower_is_better
        The best system has the lowest score.
    measure
        Which measure to use, in files that have several.
    format
        The layout of the files, where it cannot be told: matrix, long, …
    json
        Print JSON.
    csv
        Print CSV.
    """
    one_format(json, csv)
    if coefficient == []:
        raise CallError("-c asks for a coefficient: -c tau_b, or several: -c tau_b tau_ap_b.")
    if (second is None) == (truth is None):
        raise CallError(
            "Give two rankings, `tauscope correlate A B`, or an estimate and its truth, `tauscope correlate A --truth B`."
        )
    if pairs < 0:
        raise CallError(f"--pairs {pairs}: ask for 0 or more pairs.")
    names = ("estimate", "truth") if truth is not None else ("first", "second")
    other = truth if truth is not None else second
    if other is None:  # for the type checker: one of the two was given
        return
    within = None if tied_within is None else tolerances(_pair(tied_within))
    rankings, shown = (_read(first, measure, format), _read(other, measure, format)), (str(first), str(other))
    if top_k is None:
        data = align(*rankings, names=shown, one_sided=one_sided)
    else:
        for c in [catalogue[name] for text in coefficient or ["tau_b"] for name in text.split(",")]:
            check_top_k(c, top_k)
        data = align_top(*rankings, top_k, names=shown, tied_within=within, lower_is_better=lower_is_better)
    chosen, reason = _coefficients(coefficient, data, within, lower_is_better, against_truth=truth is not None)
    results = Correlations(
        tuple(evaluate(c, data, tied_within=within, lower_is_better=lower_is_better, names=names)
              for c in chosen)
    )  # fmt: skip
    stability = _stability(results, data, within, lower_is_better) if coefficient is None else ""
    if json:
        show_json(_document(results, (first, other), reason, stability, pairs))
    elif csv:
        show_csv(results.columns())
    else:
        _print(results, (first, other), data, reason, stability, pairs)


def _read(path: Path, measure: str | None, layout: str | None) -> Ranking:
    try:
        return read_ranking(path, measure=measure, format=layout)
    except TauscopeError as error:
        if str(path) in str(error):
            raise
        raise FileError(f"{path}: {error}") from None


def _pair(text: str) -> Any:
    parts = [part.strip() for part in text.split(",")]
    return parts[0] if len(parts) == 1 else tuple(parts)


def _coefficients(
    asked: list[str] | None, data: Aligned, within: Any, lower_is_better: bool, *, against_truth: bool
) -> tuple[list[Coefficient], str]:
    """The coefficients asked for, or tau and tau_ap in the variant that fits, and why."""
    if asked:
        chosen = [catalogue[name] for text in asked for name in text.split(",")]
        walkers = [c.name for c in chosen if not c.symmetric]
        if walkers and not against_truth:
            raise CallError(
                f"{', '.join(walkers)}: not symmetric, so one ranking must be the truth: `tauscope correlate A --truth B -c {walkers[0]}`."
            )
        return chosen, ""
    return fitting(data, within, lower_is_better, against_truth=against_truth)


def _stability(results: Correlations, data: Aligned, within: Any, lower_is_better: bool) -> str:
    """Whether another variant of the same family would put the value into another band."""
    texts = [text for result in results if (text := stability(result, data, within, lower_is_better))]
    return ". ".join(texts) + "." if texts else ""


def _document(
    results: Correlations,
    paths: tuple[Path, Path],
    reason: str,
    stability: str,
    pairs: int,
) -> dict[str, Any]:
    document: dict[str, Any] = {"files": [str(path) for path in paths], "systems": results.results[0].n}
    if reason:
        document |= {"chosen_because": reason, "other_variants": stability}
    document["coefficients"] = results.to_dict()
    if pairs:
        document["pairs"] = {
            r.coefficient.name: [pair._asdict() for pair in r.heaviest(pairs)]
            for r in results
            if r.undefined_because is None
        }
    return document


def _print(
    results: Correlations,
    paths: tuple[Path, Path],
    data: Aligned,
    reason: str,
    stability: str,
    pairs: int,
) -> None:
    first = results.results[0]
    show(f"{paths[0]} and {paths[1]}: {count(first.n, 'system')}")
    if data.top:
        show(f"compared: {top_text(data.top, first.names)}")
    dropped = [len(side) for side in data.dropped]
    if any(dropped):
        show(f"dropped: {dropped[0]:,} only in {paths[0]}, {dropped[1]:,} only in {paths[1]}")
    show(f"tied pairs: {first.ties.estimate:,} in {first.names[0]}, {first.ties.truth:,} in {first.names[1]}; {_snapping(data)}discordant: {first.discordant:,} of {first.n * (first.n - 1) // 2:,}")  # fmt: skip
    print()
    for result in results:
        value = (
            number(result.value, 4) if result.undefined_because is None else f"undefined: {result.undefined_because}"
        )
        show(f"  {result.coefficient.name:<13}{value}")
        if result.directions and result.undefined_because is None:
            show(
                f"  {'':<13}walking {result.names[0]} {number(result.directions[0], 4)}, walking {result.names[1]} {number(result.directions[1], 4)}"
            )
    if reason:
        show("", f"chosen: {reason}.", *([stability] if stability else []))
    for result in results:
        if pairs and result.undefined_because is None:
            _print_pairs(result, pairs)
    show("", *(result.methods_sentence() for result in results))


def _snapping(data: Aligned) -> str:
    return f"{sum(data.snapped):,} of them by snapping means; " if any(data.snapped) else ""


def _print_pairs(result: Correlation, k: int) -> None:
    lost = 1 - result.value
    show("", f"costliest pairs in {result.coefficient} (all losses add up to {number(lost, 4)}):")
    rows = [["above", "below", "loss", "share"]]
    for pair in result.heaviest(k):
        share = f"{100 * pair.loss / lost:.1f}%" if lost > 0 else ""
        rows.append([str(pair.first), str(pair.second), number(pair.loss, 5), share])
    show_table(rows, right=(2, 3), indent="  ")


def explain(name: str, /, *, json: Annotated[bool, Parameter(negative=())] = False) -> None:
    """What one coefficient is, and when not to use it.

    Parameters
    ----------
    name
        Its name, such as tau_ap_b.
    json
        Print JSON.
    """
    import inspect

    import tauscope

    c = catalogue[name]
    if json:
        show_json({field: getattr(c, field) for field in c.__dataclass_fields__})
        return
    show(
        f"{c.symbol}  {c.title}  ({c.name})",
        "",
        f"question   {c.question}",
        f"formula    {c.formula}",
        f"source     {c.equation}",
    )
    show(
        f"range      {c.range[0]:g} to {c.range[1]:g}",
        f"ties       a tie is {c.ties.value}"
        if c.ties.name != "FORBIDDEN"
        else f"ties       {c.ties.value}; use {', '.join(c.instead)}",
    )
    show(
        f"symmetric  {'yes' if c.symmetric else 'no'}",
        f"head       {'counts more' if c.head_weighted else 'counts like the tail'}",
    )
    show(f"gaps       {'large differences count more' if c.gap_sensitive else 'only the order counts'}")
    if c.walks:
        show(f"walks      {'both rankings, one after the other' if c.walks == 'both' else f'the {c.walks}'}")
    show(
        f"tolerance  {'tied_within' if c.takes_tolerance else 'none'}",
        f"not when   {c.when_not}",
        "",
        papers.reference(c.paper),
        "",
    )
    call = f"tauscope.{c.name}(first, second)" if c.symmetric else f"tauscope.{c.name}(estimate, truth=truth)"
    show(f"{call}    tauscope correlate A {'B' if c.symmetric else '--truth B'} -c {c.name}", "")
    show(*(inspect.getdoc(getattr(tauscope, c.name)) or "").splitlines())


def coefficients(
    *, json: Annotated[bool, Parameter(negative=())] = False, csv: Annotated[bool, Parameter(negative=())] = False
) -> None:
    """The map of the coefficients.

    Parameters
    ----------
    json
        Print JSON.
    csv
        Print CSV.
    """
    columns = catalogue.columns()
    if json:
        show_json([dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)])
    elif csv:
        show_csv(columns)
    else:
        show(
            *str(catalogue).splitlines(),
            "",
            "`tauscope explain NAME` tells more of one; `tauscope choose` helps to find the right one.",
        )


def identify(
    first: Path,
    second: Path | None = None,
    /,
    *,
    value: str,
    truth: Path | None = None,
    measure: Annotated[str | None, Parameter(name=["--measure", "-m"])] = None,
    format: str | None = None,
    json: Annotated[bool, Parameter(negative=())] = False,
    csv: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Which tau did they use? Finds the convention that gives a published number.

    Parameters
    ----------
    first
        One ranking (or the estimate): systems and scores, or a matrix of topics by systems.
    second
        The other.
    value
        The published number, with the digits as printed: .84
    truth
        The truth, instead of a second ranking.
    measure
        Which measure to use, in files that have several.
    format
        The layout of the files, where it cannot be told: matrix, long, …
    json
        Print JSON.
    csv
        Print all conventions with their values as CSV.
    """
    from ..coefficients.identify import identify as search

    other = truth if truth is not None else second
    if other is None or (truth is not None and second is not None):
        raise CallError("Give two rankings: `tauscope identify A B --value .84`.")
    one_format(json, csv)
    found = search(_read(first, measure, format), truth=_read(other, measure, format), value=value)
    if json:
        show_json(found.to_dict())
        return
    if csv:
        show_csv(found.columns())
        return
    show(*found.lines())
    if found.matches:
        print()
        rows = [["coefficient", "value", "systems", "treatment"]]
        rows += [
            [c.coefficient, number(c.value, 6), str(c.n), "; ".join(c.steps) or "as they are"]
            for c in found.matches[:12]
        ]
        show_table(rows, right=(1, 2), indent="  ")
