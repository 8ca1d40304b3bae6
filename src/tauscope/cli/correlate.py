"""`tauscope correlate`: do two rankings agree?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from ..coefficients.correlate import Correlations
from ..coefficients.correlation import Correlation, evaluate, top_text
from ..coefficients.fitting import fitting, stability
from ..coefficients.records import Coefficient, catalogue
from ..coefficients.top_k import align_top, check_top_k
from ..errors import CallError
from ..ranking import Aligned, align
from ..results import count, number
from ..ties import tolerances
from . import inputs
from .options import Coefficients, Documents, Match, OneSided, Reading, at_least_none, names_in, thresholds_in
from .output import show, show_table


def correlate(
    first: Path,
    second: Path | None = None,
    /,
    *,
    truth: Path | None = None,
    coefficient: Coefficients = None,
    tied_within: Annotated[str | None, Parameter(name=["--tied-within", "-w"])] = None,
    top_k: int | None = None,
    pairs: int = 0,
    one_sided: OneSided = "error",
    match: Match = "exact",
    reading: Reading = Reading(),
    output: Documents = Documents(),
) -> None:
    """Do two rankings agree?

    FIRST and SECOND are files with one system and its score per line, or matrices of topics by systems (then their
    means are compared). With --truth the first is measured against it; without, both are opinions.

    Example: `tauscope correlate judge.csv --truth human.csv --coefficient tau_b --pairs 5`

    Parameters
    ----------
    first
        The ranking, or the estimate.
    second
        The other ranking, where neither is the truth.
    truth
        The ranking that is right by definition.
    coefficient
        One or more of the catalogue (see `tauscope coefficients`). Without: tau_b and a variant of tau_ap.
    tied_within
        Scores this close are tied: 0.01, 5%, or two of them for the two files: 0.01,0.02.
    top_k
        Compare only the union of both top K; a system outside one of them is tied below it there.
    pairs
        Also list the K pairs that cost most.
    """
    if coefficient == []:
        raise CallError("-c asks for a coefficient: -c tau_b, or several: -c tau_b tau_ap_b.")
    other = truth if truth is not None else second
    if other is None or (second is not None and truth is not None):
        raise CallError(
            "Give two rankings, `tauscope correlate A B`, "
            "or an estimate and its truth, `tauscope correlate A --truth B`."
        )
    at_least_none(pairs, "--pairs")
    within = None if tied_within is None else tolerances(thresholds_in(tied_within))
    rankings, shown = inputs.two_rankings(first, other, reading, match), (str(first), str(other))
    if top_k is None:
        data = align(*rankings, names=shown, one_sided=one_sided)
    else:
        for name in names_in(coefficient or ["tau_b"]):
            check_top_k(catalogue[name], top_k)
        data = align_top(*rankings, top_k, names=shown, tied_within=within, lower_is_better=False)
    chosen, reason = _coefficients(coefficient, data, within, against_truth=truth is not None)
    names = ("estimate", "truth") if truth is not None else ("first", "second")
    results = Correlations(results=tuple(evaluate(c, data, tied_within=within, names=names) for c in chosen))
    inputs.warn(result.close.in_shell() for result in results if result.close)
    stability = _stability(results, data, within) if coefficient is None else ""
    paths = (first, other)
    if not output.print_both(lambda: _document(results, paths, reason, stability, pairs), results.columns):
        _print(results, paths, data, reason, stability, pairs)


def _coefficients(
    asked: list[str] | None, data: Aligned, within: Any, *, against_truth: bool
) -> tuple[list[Coefficient], str]:
    """The coefficients asked for, or tau and tau_ap in the variant that fits, and why."""
    if asked:
        chosen = [catalogue[name] for name in names_in(asked)]
        walkers = [c.name for c in chosen if not c.symmetric]
        if walkers and not against_truth:
            raise CallError(
                f"{', '.join(walkers)}: not symmetric, so one ranking must be the truth: "
                f"`tauscope correlate A --truth B -c {walkers[0]}`."
            )
        return chosen, ""
    return fitting(data, within, False, against_truth=against_truth)


def _stability(results: Correlations, data: Aligned, within: Any) -> str:
    """Whether another variant of the same family would put the value into another band."""
    texts = [text for result in results if (text := stability(result, data, within, False))]
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
    ties = f"{first.ties.estimate:,} in {first.names[0]}, {first.ties.truth:,} in {first.names[1]}"
    discordant = f"{first.discordant:,} of {first.n * (first.n - 1) // 2:,}"
    show(f"tied pairs: {ties}; {_snapping(data)}discordant: {discordant}")
    print()
    for result in results:
        value = (
            number(result.value, 4) if result.undefined_because is None else f"undefined: {result.undefined_because}"
        )
        show(f"  {result.coefficient.name:<13}{value}")
        if result.directions and result.undefined_because is None:
            walks = zip(result.names, result.directions, strict=True)
            show(f"  {'':<13}" + ", ".join(f"walking {name} {number(value, 4)}" for name, value in walks))
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
