"""One judge beside a reference: can it stand in?"""

from __future__ import annotations

import math

from ...answers.judge import TONES, label
from ...coefficients.rule_of_thumb import FAIR, GOOD
from ...judges.agreement import Agreement as Comparison
from ...judges.standing import Standing, Top
from ...results import count, number, word
from ..facts import Facts
from ..facts.judge import Judge, others_fall
from ..facts.swaps import Swaps
from ..material import Material
from ..parts import Name, Sentence, listed, percent, readable
from ..verdict import answer_of, asked, at_the_top, biased, same_data, top_words, trusted
from .agreement import RULE, RULE_LABEL, agreement_ruler, same_topics, surer
from .moves import pair_scores, picture, top_places, top_title
from .parts import Badge, Screen, Segment, Stack, Tile, limits_of

BADGES = {answer: Badge(label(answer), tone) for answer, tone in TONES.items()}
#: Claims of a kind.
MOST_CLAIMS = 3


def screen(material: Material, facts: Facts) -> Screen | None:
    """Where both sides have complete scores on topics."""
    known, swaps = facts.judge, facts.swaps
    if known is None or swaps is None:
        return None
    answer = answer_of(material, known.results[0])
    judge, reference = (Name(name, 40) for name in material.names)
    pairs = pair_scores(material)
    may, may_not = _claims(material, known, swaps, answer)
    return Screen(
        kind="judge",
        question=("Can ", judge, " stand in for ", reference, "?"),
        # A yes that is shown not to hold at the top is one for some uses.
        badge=BADGES[
            Standing.SOME_USES if answer == Standing.REPLACES and at_the_top(material, known) is Top.FAILS else answer
        ],
        sentence=_sentence(material, known, answer),
        todo=_todo(material, known, answer),
        tiles=tuple(
            tile for tile in (_agreement(material, known), _top(material, known, swaps), _significant(known)) if tile
        ),
        picture=picture(material, swaps, pairs, together=_together(known), lifted=_favoured(known)),
        may=may,
        may_not=may_not,
        systems=swaps.systems,
        pairs=pairs,
        data={"answer": label(answer), "swaps": swaps.counted[0], "real_swaps": swaps.counted[1]},
    )


def _together(known: Judge) -> bool:
    """Whether all that changes order together is more than the noise of topics."""
    one = known.results[0]
    return one.interval.high < 1 and not one.within_noise


def _sentence(material: Material, known: Judge, answer: Standing) -> Sentence:
    one = known.results[0]
    judge, reference = (Name(name, 40) for name in material.names)
    topics = count(min(one.topics), "topic")
    if answer == Standing.UNDEFINED:
        if same_data(material):
            return (judge, " and ", reference, " hold the same scores, which agree with themselves.")
        return (f"{topics} are too few, or too alike, to say how far ", judge, " agrees with ", reference, ".")
    if answer == Standing.REPLACES:
        if one.within_noise:
            lead: Sentence = (judge, " and ", reference, f" differ by no more than the noise of {topics}")
        else:
            lead = (judge, f" ranks {count(one.systems, 'system')} like ", reference)
        but = {Top.FAILS: ", but not at the top", Top.OPEN: "; the top is not settled"}
        return (*lead, f": {_sure(one, asked(material))}{but.get(at_the_top(material, known), '')}.")
    if answer == Standing.SOME_USES:
        needs = f"; to stand in takes {GOOD:g}."
        return (judge, " keeps the rough order of ", reference, f": {_sure(one, FAIR)}{needs}")
    sure, bar = _sure(one), f"{FAIR if material.margin is None else material.margin:g}"
    if answer == Standing.CANNOT:
        return (judge, " ranks otherwise than ", reference, f": {sure}; {bar} is asked.")
    return (f"These {topics} leave it open: {sure}; {bar} is asked.",)


def _sure(one: Comparison, bar: float = -math.inf) -> str:
    """'agreement 0.85, between 0.81 and 0.89'; the one-sided limit where only that is above the bar."""
    low, high, value, limit = (number(value, 2) for value in (*one.interval, one.corrected, one.at_least()))
    if one.interval.low < bar:
        return f"agreement {value}, at least {limit} (one-sided)"
    return f"agreement {value}, between {low} and {high}"


def _todo(material: Material, known: Judge, answer: Standing) -> tuple[Sentence, ...]:
    """What to do with the judge."""
    judge, reference = (Name(name, 30) for name in material.names)
    topics, systems = word("topics"), word("systems")
    if answer == Standing.UNDEFINED:
        return ((f"Score more {topics} under both, and ask again.",),)
    both: Sentence = ("Run “tauscope hybrid” to rank by both.",) if material.same_measure else ()
    if answer == Standing.REPLACES:
        top = at_the_top(material, known)
        if top is Top.HOLDS:
            return (("Use ", judge, f" instead; ask again when {systems} or {topics} of another kind come in."),)
        until = f" until more {topics} settle it" if top is Top.OPEN else ""
        return (("Use ", judge, " for the whole order; let ", reference, f" decide among the best{until}."),)
    if answer == Standing.SOME_USES:
        if at_the_top(material, known) is not Top.FAILS:
            first: Sentence = ("Use ", judge, " for a rough order; for an exact one keep ", reference, ".")
        else:
            first = ("Use ", judge, f" to sort out weak {systems}; let ", reference, " decide among the best.")
    elif answer == Standing.CANNOT:
        first = ("Keep ", reference, ".")
    else:
        first = ("Keep ", reference, f" for now; more {topics} could settle it.")
    first = (*first, *_lifted(judge, known))
    return (first, both) if both else (first,)


def _favoured(known: Judge) -> tuple[str, ...]:
    """The groups that the judge lifts."""
    return () if known.shifts is None else tuple(known.shifts.favoured())


def _lifted(judge: Name, known: Judge) -> Sentence:
    """The group that the judge lifts most, by how many ranks, what that costs the others, and what follows."""
    shifts = known.shifts
    if shifts is None or not shifts.favoured():
        return ()
    gained, group = max((float(shifts.shift[shifts.groups.index(one)]), one) for one in shifts.favoured())
    members = shifts.members[shifts.groups.index(group)]
    lost = others_fall(gained, members, sum(shifts.members))
    by = f" by {gained:.1f} ranks on average, the others fall {lost:.1f}: do not compare "
    return (" ", judge, " lifts ", Name(group, 24), by, Name(group, 24), " with other groups.")


def _agreement(material: Material, known: Judge) -> Tile:
    one, top = known.results[0], known.ceilings[0]
    interval = one.interval if one.no_interval_because is None else None
    bars = RULE if material.margin is None else (material.margin,)
    return Tile(
        title=f"Agreement, {one.coefficient.symbol} (1 = the same order)",
        value=number(one.corrected, 2),
        beside=limits_of(interval, one.level),
        note=surer(one, bars),
        picture=agreement_ruler(
            one.corrected,
            interval,
            one.observed,
            topics=same_topics(one),
            ceiling=top.value,
            bars=bars,
            bars_label=RULE_LABEL if material.margin is None else "the stated margin",
        ),
    )


def _top(material: Material, known: Judge, swaps: Swaps) -> Tile | None:
    places = top_places(swaps)
    if places is None:
        return None
    most = len(places.names)
    judge, reference = (Name(name, 24) for name in material.names)
    note: Sentence = ("of ", reference, "’s are in ", judge, "’s too")
    if known.top is not None and known.top.value == known.top.value:
        either = f"the {known.top.n:,} in either agree"
        note = (*note, f"; {either} by {known.top.coefficient.symbol} {number(known.top.value, 2)}")
    note = (*note, ". ", *_first_place(material, known))
    return Tile(title=top_title(places), value=f"{sum(places.inside)} of {most}", note=note, picture=places)


def _first_place(material: Material, known: Judge) -> Sentence:
    """Who is first on both sides, and whether that is clear."""
    judge, reference = (Name(name, 24) for name in material.names)
    truth, own = known.first
    clear = truth.system == own.system and not truth.others and not own.others
    if clear:
        return ("First place is clear: ", Name(truth.system, 24), " on both sides.")
    rest = f" ({count(truth.others, 'other')} not shown to be worse), "
    both = (truth.system, own.system)
    room = next((room for room in (24, 34) if len({readable(name, room) for name in both}) == len(set(both))), 60)
    return (
        "First place is open: ",
        Name(truth.system, room),
        " under ",
        reference,
        rest,
        Name(own.system, room),
        " under ",
        judge,
        f" ({own.others:,}).",
    )


def _significant(known: Judge) -> Tile | None:
    s = known.significant
    if not s.truth_significant and not s.spurious:
        return None
    segments = (
        Segment("kept", s.kept or 0, "kept"),
        Segment("missed", s.missed or 0, "missed"),
        Segment("reversed", s.reversed or 0, "contradicted"),
    )
    said = f"of {s.truth_significant or 0:,} in the reference. Spurious {s.spurious or 0:,}: significant only under the judge."
    return Tile(
        title="Significant differences kept", value=percent(s.recall), note=(said,), picture=Stack(segments=segments)
    )


def _claims(
    material: Material, known: Judge, swaps: Swaps, answer: Standing
) -> tuple[tuple[Sentence, ...], tuple[Sentence, ...]]:
    """What the numbers let one say, and what not; the most important first."""
    judge, reference = (Name(name, 30) for name in material.names)
    may: list[Sentence] = []
    may_not: list[Sentence] = []
    if answer == Standing.UNDEFINED:
        return (), (("anything about the agreement: there are too few ", word("topics")),)
    everyone = count(len(swaps.systems), "system")
    if answer == Standing.REPLACES:
        may.append(("The order of ", judge, " stands for that of ", reference, f" over all {everyone}."))
    elif answer == Standing.SOME_USES:
        may.append(("A rough order of the ", everyone, " comes out alike."))
        may_not.append(("The exact order is that of ", reference, "."))
    else:
        may_not.append((judge, " can replace ", reference, f" in ordering {everyone}."))
    if known.top is not None and known.top.value == known.top.value:
        top = at_the_top(material, known, asked(material))
        if top is Top.HOLDS:
            may.append((judge, " finds the best ", word("systems"), "."))
        elif top is Top.OPEN:
            may_not.append((judge, f" finds the best {word('systems')}: that is not settled, {top_words(known)}."))
        else:
            may_not.append((f"Which {word('system')} is best: {top_words(known)}.",))
    turned, real = swaps.counted
    if turned and not real:
        may_not.append((f"Any one swap is real: none of the {count(turned, 'swap')} is shown to be more than noise.",))
    elif real:
        may_not.append((f"The swaps are noise: {real:,} of {turned:,} {'is' if real == 1 else 'are'} more than that.",))
    may_significant, may_not_significant = _claims_of_differences(known, reference, turned=bool(real))
    may += may_significant
    may_not += may_not_significant
    if known.shifts is not None and known.shifts.favoured():
        may_not.insert(
            1, (*listed(known.shifts.favoured(), 2), " can be compared with the others: the judge lifts it.")
        )
    if biased(known) and known.bias is not None:
        where = "higher" if known.bias.bias > 0 else "lower"
        may_not.append((f"Its scores as they are: {where} by {number(abs(known.bias.bias), 2)}.",))
    return tuple(may[:MOST_CLAIMS]), tuple(may_not[:MOST_CLAIMS])


def _claims_of_differences(known: Judge, reference: Name, *, turned: bool) -> tuple[list[Sentence], list[Sentence]]:
    """What the judge's significant differences are worth; `turned` where pairs taken alone are turned round."""
    s = known.significant
    may: list[Sentence] = []
    may_not: list[Sentence] = []
    if s.precision == s.precision:
        so = f"{percent(s.precision)} of those it finds are significant under "
        if trusted(known):
            may.append((f"Its significant differences hold: {so}", reference, " too."))
        else:
            may_not.append((f"Its significant differences hold: only {so}", reference, " too."))
    if s.truth_significant and not s.reversed and not turned:
        may.append(("It reverses none of the ", count(s.truth_significant or 0, "significant difference"), "."))
    if s.missed and s.recall < 0.9:
        may_not.append((f"No difference where it finds none: it misses {s.missed or 0:,}.",))
    return may, may_not
