"""The first screen of an answer as data: badge, sentence, tiles, what one may claim.

This is the one seam between the app and the page: where the page gives its first screens as fragments, they come in
here, and the front end shows them. Sentences are lists of texts and of names; a name out of the user's files is
`{"name": …}`, which the front end can only show as text.
"""

from __future__ import annotations

import re
from typing import Any

from ..coefficients.rule_of_thumb import FAIR, GOOD, band
from ..judges.standing_in import BADGES as WORDS
from ..judges.standing_in import IN_PART, NO, NOT_SHOWN, UNKNOWN, YES
from ..page.html import TEMPLATES
from ..results import count

Parts = list[Any]
#: From here on decimals say nothing.
LARGE = 100
#: By the band of the least agreement that can be claimed.
BADGES = ((WORDS[NOT_SHOWN], "soft"), (WORDS[IN_PART], "fair"), (WORDS[YES], "good"))


def variables() -> str:
    """The variables of both looks, out of the page's style, so that page and app look alike."""
    style = (TEMPLATES / "look.css").read_text(encoding="utf-8")
    root = r":root\s*\{[^}]*\}"
    light = re.search(root, style)
    dark = re.search(rf"@media \(prefers-color-scheme: dark\)\s*\{{\s*({root})", style)
    found = light[0] if light else ""
    return found + (f"\n@media (prefers-color-scheme: dark) {{ {dark[1]} }}\n" if dark else "\n")


def first_screen(question: str, points: dict[str, Any], intervals: dict[str, Any] | None) -> dict[str, Any]:
    """Badge, sentence and tiles; without intervals what can be said already."""
    make = {"judge": _judge, "judges": _judges, "board": _board, "set": _set}[question]
    return make(points, intervals)


def _name(text: str) -> dict[str, str]:
    return {"name": text}


def _value(number: float | None, digits: int = 2) -> str:
    if number is None:
        return "–"
    return f"{number:,.0f}" if abs(number) >= LARGE else f"{number:.{digits}f}"


def _judge(points: dict[str, Any], intervals: dict[str, Any] | None) -> dict[str, Any]:
    agreement, (estimate, truth) = points["agreement"], points["names"]
    observed = agreement["value"]
    if intervals is None:
        badge = {"text": "Computing", "tone": "wait"}
        sentence: Parts = [
            f"{agreement['symbol']} is {_value(observed)} between ",
            _name(estimate),
            " and ",
            _name(truth),
        ]
        if observed is None:
            sentence = [f"{agreement['symbol']} is undefined: {agreement['undefined_because']}"]
        return {
            "badge": badge,
            "sentence": [*sentence, "."],
            "tiles": _judge_tiles(points, None),
            "may": [],
            "may_not": [],
        }
    one = intervals["comparison"]
    badge = _verdict(one, points.get("margin"))
    sentence = _judge_sentence(one, points, badge["tone"])
    may, may_not = _claims(points, intervals, badge["tone"])
    return {
        "badge": badge,
        "sentence": sentence,
        "tiles": _judge_tiles(points, intervals),
        "may": may,
        "may_not": may_not,
    }


def _verdict(one: dict[str, Any], margin: float | None) -> dict[str, str]:
    """From the least agreement that can be claimed; "no" only where the interval is below what was asked."""
    limit, high = one["at_least"], one["high"]
    if limit is None or high is None:
        return {"text": WORDS[UNKNOWN], "tone": "soft"}
    if margin is not None:
        text, tone = BADGES[2] if limit > margin else BADGES[0]
    else:
        text, tone = BADGES[band(limit)]
    if high < (FAIR if margin is None else margin):
        text, tone = WORDS[NO], "bad"
    return {"text": text, "tone": tone}


def _judge_sentence(one: dict[str, Any], points: dict[str, Any], tone: str) -> Parts:
    estimate, truth = map(_name, points["names"])
    if one["at_least"] is None:
        why = one["undefined_because"] or one["no_interval_because"] or "there are too few topics"
        return [estimate, f" cannot be judged: {why}."]
    limits = f"{_value(one['low'])} and {_value(one['high'])}"
    said = f"without the noise of topics the agreement is {_value(one['corrected'])}, between {limits}"
    starts: dict[str, Parts] = {
        "good": [estimate, " can stand in for ", truth, f": {said}."],
        "fair": [estimate, " ranks systems roughly as ", truth, f" does: {said}."],
        "bad": [estimate, " cannot stand in for ", truth, f": {said}."],
    }
    return starts.get(tone, [estimate, " is not shown to stand in for ", truth, f": {said}."])


def _judge_tiles(points: dict[str, Any], intervals: dict[str, Any] | None) -> list[dict[str, Any]]:
    agreement, top = points["agreement"], points["top"]
    ruler: dict[str, Any] = {"observed": agreement["value"], "margin": points.get("margin")}
    if intervals is not None:
        one = intervals["comparison"]
        ruler |= {"corrected": one["corrected"], "low": one["low"], "high": one["high"]}
        ruler["ceiling"] = intervals["ceiling"]["value"]
    of = f"{agreement['discordant']:,} pairs in opposite orders, {count(points['systems'], 'system')}"
    tiles: list[dict[str, Any]] = [
        {
            "id": "agreement",
            "title": f"Agreement ({agreement['symbol']})",
            "value": _value(agreement["value"], 3),
            "text": agreement["undefined_because"] or of,
            "ruler": ruler,
        }
    ]
    if top is not None:
        text = f"in both top {top['k']}; {top['symbol']} there {_value(top['value'])}"
        tiles.append(
            {
                "id": "top",
                "title": f"The top {top['k']}",
                "value": f"{top['shared']} of {top['k']}",
                "text": text,
                "dots": {"in": top["shared"], "of": top["k"]},
            }
        )
    if intervals is not None:
        kept = intervals["significant"]
        bar = [{"label": name, "count": kept[key], "tone": tone} for key, name, tone in _KINDS]
        seen = kept["shared"] + kept["missed"] + kept["contradicted"]
        value = f"{kept['shared']:,} of {seen:,}" if seen else "none"
        tiles.append(
            {"id": "significant", "title": "Significant differences kept", "value": value, "text": "", "bar": bar}
        )
    else:
        tiles.append(
            {"id": "significant", "title": "Significant differences kept", "value": "…", "text": "", "waits": True}
        )
    return tiles


_KINDS = (
    ("shared", "kept", "good"),
    ("missed", "missed", "soft"),
    ("invented", "invented", "fair"),
    ("contradicted", "contradicted", "bad"),
)


def _claims(points: dict[str, Any], intervals: dict[str, Any], tone: str) -> tuple[list[Parts], list[Parts]]:
    may: list[Parts] = []
    may_not: list[Parts] = []
    rough = "a rough order" if tone == "fair" else "the order"
    (may if tone in ("good", "fair") else may_not).append([f"{rough} of all {count(points['systems'], 'system')}"])
    top = points["top"]
    if top is not None and top["value"] is not None:
        best = f"which of the top {top['k']} is better"
        (may if top["value"] >= FAIR else may_not).append([best])
    precision = intervals["precision"]
    if precision is not None:
        sure = precision >= GOOD and not intervals["significant"]["contradicted"]
        found = f"that a difference it finds significant is so for the truth ({precision:.0%} are)"
        (may if sure else may_not).append([found])
    return may, may_not


def _judges(points: dict[str, Any], intervals: dict[str, Any] | None) -> dict[str, Any]:
    first = points["judges"][0]
    best = {
        "id": "best",
        "title": "Closest",
        "value": _value(first["value"], 3),
        "text": f"{first['symbol']}, observed",
    }
    size = {
        "id": "size",
        "title": "Judges",
        "value": str(len(points["judges"])),
        "text": f"on {count(points['systems'], 'system')}",
    }
    if intervals is None:
        sentence = [_name(first["judge"]), " is closest as observed."]
        return _screen("Computing", "wait", sentence, [best, size])
    rows = intervals["judges"]
    letters = set(rows[0]["letters"])
    near = [row["judge"] for row in rows[1:] if letters & set(row["letters"])]
    sentence = [_name(rows[0]["judge"]), " is closest to ", _name(points["names"][-1])]
    if near:
        shown = [part for name in near[:3] for part in (", ", _name(name))][1:]
        more = f" and {len(near) - 3} more" if len(near) > 3 else ""
        sentence += ["; ", *shown, f"{more} {'is' if len(near) == 1 else 'are'} not shown to be worse"]
    best |= {
        "value": _value(rows[0]["corrected"], 3),
        "text": f"{_value(rows[0]['low'])} to {_value(rows[0]['high'])} without noise",
    }
    told = {
        "id": "apart",
        "title": "Could be closest",
        "value": str(1 + len(near)),
        "text": f"of {count(len(rows), 'judge')}",
    }
    ceiling = intervals["ceiling"]
    noise = {
        "id": "ceiling",
        "title": "Noise ceiling",
        "value": _value(ceiling["value"], 3),
        "text": "what a perfect judge would show",
    }
    badge = ("One is best", "good") if not near else (f"{1 + len(near)} could be best", "soft")
    return _screen(*badge, [*sentence, "."], [best, told, noise])


def _board(points: dict[str, Any], intervals: dict[str, Any] | None) -> dict[str, Any]:
    leader = points["rows"][0]
    first = {
        "id": "leader",
        "title": "Leader",
        "value": _value(leader["score"], 3),
        "name": leader["system"],
        "text": points["about"],
    }
    if intervals is None or "best" not in intervals:
        sentence: Parts = [_name(leader["system"]), f" leads {points['systems']:,} by {points['about']}"]
        if intervals is None:
            return _screen("Computing", "wait", [*sentence, "."], [first])
        low, high = intervals["rows"][0]["low"], intervals["rows"][0]["high"]
        alone = {"id": "ranks", "title": "Its rank", "value": f"{low}–{high}", "text": "taken alone"}
        return _screen("Taken alone", "soft", [*sentence, f"; its rank could be {low} to {high}."], [first, alone])
    best, beside = intervals["best"], intervals["neighbours"]
    blurred = beside["pairs"] - beside["apart"]
    sentence = (
        [f"{len(best):,} of {points['systems']:,} could be the best"]
        if len(best) > 1
        else [_name(best[0]), " is shown to be the best"]
    )
    sentence.append(f"; {blurred:,} of {beside['pairs']:,} neighbours cannot be told apart.")
    tiles = [
        first,
        {"id": "best", "title": "Could be the best", "value": f"{len(best):,}", "text": f"of {points['systems']:,}"},
        {"id": "tiers", "title": "Tiers", "value": f"{intervals['tiers']:,}", "text": "that can be told apart"},
    ]
    badge = ("One leader", "good") if len(best) == 1 else (f"{len(best):,} could lead", "soft")
    return _screen(*badge, sentence, tiles)


def _set(points: dict[str, Any], intervals: dict[str, Any] | None) -> dict[str, Any]:
    screen = _board(points, intervals)
    value = points["expected"]["value"]
    tile: dict[str, Any] = {
        "id": "expected",
        "title": "Expected tau",
        "value": _value(value, 3),
        "text": "with the true ranking",
    }
    if intervals is None:
        said = f"The expected tau of this ranking with the true one is {_value(value)}."
        return _screen("Computing", "wait", [said], [tile, *screen["tiles"][:1]])
    low, high = intervals["expected"]["interval"]
    tile["ruler"] = {"corrected": value, "low": low, "high": high}
    if low is None:
        return _screen(
            "Cannot be said", "soft", ["There are too few topics for an interval."], [tile, *screen["tiles"]]
        )
    badge = (("Not sure", "soft"), ("Mostly holds", "fair"), ("Holds", "good"))[band(low)]
    said = f"On new topics the ranking would agree with the true one with a tau of {_value(low)} to {_value(high)}; "
    return _screen(*badge, [said, *screen["sentence"]], [tile, *screen["tiles"][1:]])


def _screen(text: str, tone: str, sentence: Parts, tiles: list[dict[str, Any]]) -> dict[str, Any]:
    return {"badge": {"text": text, "tone": tone}, "sentence": sentence, "tiles": tiles, "may": [], "may_not": []}
