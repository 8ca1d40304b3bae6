"""What a coefficient is: one record with its functions, its behaviour with ties, its paper and its equation."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, ClassVar, NamedTuple

from ..core import checking
from ..core.arrays import Floats, Tolerance
from ..core.formulas import Result, Terms
from ..core.kernels import Kernel
from ..errors import Advice, CallError, Undefined
from ..results import Records

#: The reasons of a coefficient that is not defined with ties, and of one that needs two items which are not tied.
WITH_TIES = (Undefined.TIED_ESTIMATE, Undefined.TIED_TRUTH, Undefined.TIED_BOTH)
ALL_TIED = (Undefined.ALL_TIED_ESTIMATE, Undefined.ALL_TIED_TRUTH, Undefined.ALL_TIED_BOTH)
CONSTANT = (Undefined.CONSTANT_ESTIMATE, Undefined.CONSTANT_TRUTH, Undefined.CONSTANT_BOTH)
#: The reasons that every coefficient can have.
GENERAL = (Undefined.NOT_FINITE, Undefined.TOO_FEW, Undefined.NEGATIVE_SHARE)


class Ties(Enum):
    """What a coefficient takes a tie to mean."""

    FORBIDDEN = "not defined with ties"
    INDISCERNIBLE = "too close to call"
    EQUAL = "a statement that the two are equal"
    SKIPPED = "no order, so the pair does not count"
    SCORES = "just two equal scores"


class Own(NamedTuple):
    """An option that one coefficient has: what each value changes in its record (the first is the default), its text,
    and what a methods sentence says where another value was chosen."""

    values: Mapping[str, Mapping[str, Any]]
    text: str
    said: str = ""

    @property
    def default(self) -> str:
        """The value where the call gives none."""
        return next(iter(self.values))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Coefficient:
    """What is this coefficient, and how is it computed?

    A record of `tauscope.catalogue`. Two records are equal where their names and the values of their options are.

    Attributes
    ----------
    name, symbol, title : str
        What one types, what a formula has, and what a text says.
    question : str
        The question that it answers.
    definition, equation, paper : str
        The formula in words and symbols, where it stands, and the key of the paper that described it first.
    when_not : str
        When not to use it: the end of the sentence "Do not use it when".
    formula, terms : callable
        The functions of `tauscope.core.formulas` that compute its values and its pair terms.
    kernel : Kernel or None
        The compiled function, where there is one; otherwise the formula is used.
    symmetric : bool
        Whether the two rankings can change places.
    ties : Ties
        What a tie means.
    head_weighted, gap_sensitive : bool
        Whether the head counts more than the tail, and large differences of scores more than small ones.
    walks : str or None
        Whose positions are walked, pivot by pivot: "estimate", "truth", "both" or nobody's.
    takes_tolerance : bool
        Whether `tied_within` applies.
    instead : tuple of str
        What to use where it takes no tolerance or no ties: the variants a, b and e.
    undefined : tuple of Undefined
        The reasons, beside those of every coefficient, for which it has no value.
    range : pair of float
        The lowest and the highest value.
    one_way : callable or None
        One of the two directions of which the value is the mean.
    nothing_counts : str
        What is lacking where the reason is `Undefined.NOTHING_COUNTS`.
    fully_tied : tuple of float or None
        The values where both rankings, the estimate, or the truth are tied throughout; None where it is undefined.
    weights_are_scores : bool
        Whether its weights are the scores of the truth, which can then be neither negative nor lower for better.
    called, tie_rule : str
        How a methods sentence calls it, and what it says of ties, where that is not the title and the rule of `ties`.
    discountable : bool
        Whether it has a form in which pairs count by how certain they are: `discounted()`.
    no_calibration : str
        Why a threshold for ties cannot be calibrated by it; "" where it can.
    no_swap_sum : str
        Why its expected value is no sum of swap probabilities over pairs; "" where it is one.
    own, chosen, plain : dict, tuple and Coefficient or None
        Options that only it has, what was chosen of them, and the record before that.
    """

    name: str
    symbol: str
    title: str
    question: str
    definition: str
    paper: str
    equation: str = ""
    when_not: str
    formula: Callable[..., Result]
    terms: Callable[..., list[Terms]]
    kernel: Kernel | None = None
    symmetric: bool
    ties: Ties
    head_weighted: bool = False
    gap_sensitive: bool = False
    walks: str | None = None
    one_way: Callable[[Floats, Floats, Tolerance, Tolerance], Floats] | None = None
    takes_tolerance: bool = False
    instead: tuple[str, ...] = ()
    range: tuple[float, float] = (-1.0, 1.0)
    undefined: tuple[Undefined, ...] = ()
    nothing_counts: str = ""
    fully_tied: tuple[float | None, float | None, float | None] = (None, None, None)
    weights_are_scores: bool = False
    called: str = ""
    tie_rule: str = ""
    discountable: bool = False
    no_calibration: str = "it takes no threshold"
    no_swap_sum: str = "it is no sum over pairs of systems"
    own: Mapping[str, Own] = field(default_factory=dict)
    chosen: tuple[tuple[str, str], ...] = ()
    plain: Coefficient | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "equation", self.equation or self.paper)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Coefficient) and (self.name, self.chosen) == (other.name, other.chosen)

    def __hash__(self) -> int:
        return hash((self.name, self.chosen))

    @property
    def ordinal(self) -> bool:
        """Whether only the order of the scores counts (with a tolerance: of the scores and their ties)."""
        return not self.gap_sensitive

    @property
    def full_title(self) -> str:
        """The title, and the name where the title does not have it."""
        return self.title if self.name in self.title else f"{self.title} ({self.name})"

    @property
    def choices(self) -> list[str]:
        """What a methods sentence says of its own options: nothing of defaults."""
        return [self.own[name].said or f"{name.replace('_', ' ')}: {value}" for name, value in self.chosen]

    def weights(self, ranking: Any, *, rescale: bool = False, tied_within: Any = None) -> Any:
        """What does swapping two systems of this ranking cost, for every pair of ranks?

        The ranking is the truth, and the estimate is the ranking with the scores of two items exchanged; the cost is
        1 - value (gao2015, section 4.2). The losses of two given rankings are in `Correlation.pairs`.

        Parameters
        ----------
        ranking : ranking
            Anything `Ranking` takes, of 2 to 2,000 items.
        rescale : bool, default False
            Whether to map the costs to [0, 1], as in the paper's heatmaps.
        tied_within : float, str or pair, optional
            Scores this close are tied; by default the ranking's own tolerance.

        Returns
        -------
        PairWeights

        Examples
        --------
        >>> from tauscope import catalogue
        >>> catalogue["tau"].weights([3, 2, 1]).heaviest
        (1, 3)
        """
        from .pairs import pair_weights

        return pair_weights(ranking, self, rescale=rescale, tied_within=tied_within)

    def taking(self, **options: str) -> Coefficient:
        """What is this coefficient with one of its own options?

        Parameters
        ----------
        **options : str
            Options that only this coefficient has, such as `other_ties="zero"` of tau_ap_b.

        Returns
        -------
        Coefficient
            A record that every function takes for a coefficient.

        Raises
        ------
        CallError
            Where it has no such option, or the option no such value.

        Examples
        --------
        >>> from tauscope import catalogue, correlate
        >>> zero = catalogue["tau_ap_b"].taking(other_ties="zero")
        >>> correlate([[3, 2, 1]], truth=[3, 2, 2], coefficient=zero).values.tolist()
        [0.875]
        """
        for name in options:
            if name not in self.own:
                raise CallError(f"{self} has no option {name!r}.")
        if all(value == self.option(name) for name, value in options.items()):
            return self
        record = plain = self.plain or self
        for name, value in (dict(self.chosen) | options).items():
            values = self.own[name].values
            changes = values[checking.one_of(value, values, name)]
            if value != self.own[name].default:
                record = replace(record, chosen=(*record.chosen, (name, value)), plain=plain, **changes)
        return record

    def option(self, name: str) -> str | None:
        """Which value does one of its own options have?

        Parameters
        ----------
        name : str
            The option, such as "other_ties".

        Returns
        -------
        str or None
            The value, or None where the coefficient has no such option.
        """
        for chosen, value in self.chosen:
            if chosen == name:
                return value
        return self.own[name].default if name in self.own else None

    def why_undefined(
        self, code: int, *, estimate: str = "`estimate`", truth: str = "`truth`", n: int | None = None
    ) -> str | None:
        """Why is there no value, in words?

        Parameters
        ----------
        code : int
            A member of `Undefined`, or its number.
        estimate, truth : str
            What the caller calls the two rankings.
        n : int or None
            How many items they have, where that is to be said.

        Returns
        -------
        str or None
            The reason; None where there is a value.
        """
        reason = Undefined(code)
        if reason is Undefined.NOTHING_COUNTS and self.nothing_counts:
            return self.nothing_counts
        return reason.text(estimate=estimate, truth=truth, n=n) or None

    def to_dict(self) -> dict[str, Any]:
        """The record without its functions, as plain values.

        Returns
        -------
        dict
            Field by field; "formula" is the definition.
        """
        return {
            "name": self.name,
            "symbol": self.symbol,
            "title": self.title,
            "question": self.question,
            "formula": self.definition,
            "paper": self.paper,
            "equation": self.equation,
            "when_not": self.when_not,
            "symmetric": self.symmetric,
            "head_weighted": self.head_weighted,
            "gap_sensitive": self.gap_sensitive,
            "ties": self.ties,
            "walks": self.walks,
            "takes_tolerance": self.takes_tolerance,
            "instead": self.instead,
            "range": self.range,
            "no_swap_sum": self.no_swap_sum,
            "options": {name: list(own.values) for name, own in self.own.items()},
        }

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        chosen = "".join(f", {name}={value!r}" for name, value in self.chosen)
        return f"<coefficient {self.name}{chosen}: {self.title}>"


def check_tolerance(c: Coefficient, within: tuple[Tolerance, Tolerance], *, own: bool = False) -> None:
    """Refuse a tolerance where the coefficient has no place for it.

    Parameters
    ----------
    c : Coefficient
        The coefficient.
    within : pair of Tolerance
        The tolerances of the call.
    own : bool, default False
        Whether the rankings brought them, which the error then says.

    Raises
    ------
    CallError
        With the variants that take a tolerance.
    """
    if not c.takes_tolerance and (within[0].width or within[1].width):
        raise CallError(
            f"{c} takes no tied_within{', and these rankings have one of their own' if own else ''}.",
            _advice(c.instead, "for ties within a tolerance"),
        )


def _advice(names: tuple[str, ...], purpose: str) -> Advice:
    return Advice(f"Use {', '.join(names[:-1])} or {names[-1]} {purpose}.")


GOOD, FAIR = 0.9, 0.8


def band(value: float) -> int:
    """0, 1 or 2: different, between, equivalent."""
    return sum(value >= edge for edge in (FAIR, GOOD))


class Catalogue(Records[Coefficient]):
    """Which coefficients are there? Iterate over the records, look one up by name, print the map of the family.

    Parameters
    ----------
    records : iterable of Coefficient
        The records, in the order of the map.

    Examples
    --------
    >>> from tauscope import catalogue
    >>> catalogue["tau_ap"].paper, [c.name for c in catalogue if c.gap_sensitive]
    ('yilmaz2008', ['pearson', 'tau_gap', 'pearson_rank'])
    """

    KIND: ClassVar[str] = "coefficients"

    def __getitem__(self, name: str | Coefficient) -> Coefficient:
        if isinstance(name, Coefficient):
            return name
        key = str(name).strip().lower().replace("-", "_").replace("τ", "tau").replace(",", "_")
        if key in self._records:
            return self._records[key]
        near = difflib.get_close_matches(key, self._records, 1, cutoff=0.5)
        hint = [Advice(f"Did you mean {near[0]!r}?")] if near else []
        raise CallError(f"There is no coefficient {name!r}.", *hint, Advice(f"There are: {', '.join(self._records)}."))

    @property
    def rules(self) -> Any:
        """Rules by which boards make one score of a system's scores on topics, for `rank()`."""
        return importlib.import_module("tauscope.boards.rules").board_rules

    def choose(
        self,
        compare: str = "observers",
        ties: str = "indiscernible",
        *,
        tied_within: float | str = 0.0,
        head_weighted: bool = False,
        gap_sensitive: bool = False,
    ) -> Any:
        """Which coefficient should I use, and why?

        The questions are those of radja2018, chapter 3. Wishes that no coefficient fulfils get the nearest one, and the
        answer says what is missing.

        Parameters
        ----------
        compare : {"truth", "observers"}, default "observers"
            "truth" if one ranking is correct by definition, "observers" if both are opinions.
        ties : {"indiscernible", "equal", "none"}, default "indiscernible"
            What a tie means: too close to call, a statement that two are equal, or that there are none.
        tied_within : float or str, default 0.0
            Scores this close count as tied: a number or a share such as "5%".
        head_weighted : bool, default False
            Whether errors at the top count more.
        gap_sensitive : bool, default False
            Whether swaps of very different systems count more (gao2016).

        Returns
        -------
        Choice

        Examples
        --------
        >>> from tauscope import catalogue
        >>> catalogue.choose("truth", head_weighted=True).coefficient.name
        'tau_ap_a'
        """
        from .choose import choose

        wishes: dict[str, Any] = {"head_weighted": head_weighted, "gap_sensitive": gap_sensitive}
        return choose(compare, ties, tied_within=tied_within, **wishes)

    def identify(self, estimate: Any, *, truth: Any, value: float | str, digits: int | None = None) -> Any:
        """Which coefficient and convention give this published number?

        Tries every coefficient, walked either way, with ties broken by name or by input order, scores rounded to 4, 3
        or 2 decimals, the bottom 25 % of the systems dropped, and unmatched items dropped. A match is not a proof.

        Parameters
        ----------
        estimate, truth : ranking
            The two rankings: anything `Ranking` takes, or two arrays of one length.
        value : str or float
            The published number; as text ("0.84") it is matched to its printed digits.
        digits : int, optional
            The number of printed digits, where the text does not say; 2 by default.

        Returns
        -------
        Identification

        Examples
        --------
        >>> from tauscope import catalogue
        >>> catalogue.identify([4, 3, 2, 1], truth=[4, 2, 3, 1], value="0.667").matches[0].coefficient
        'tau_b'
        """
        from .choose import identify

        return identify(estimate, truth=truth, value=value, digits=digits)

    def columns(self) -> dict[str, list[Any]]:
        return {
            "name": [c.name for c in self],
            "symbol": [c.symbol for c in self],
            "symmetric": ["yes" if c.symmetric else "no" for c in self],
            "head": ["yes" if c.head_weighted else "no" for c in self],
            "gaps": ["yes" if c.gap_sensitive else "no" for c in self],
            "tied_within": ["yes" if c.takes_tolerance else "no" for c in self],
            "a tie is": [c.ties.value for c in self],
            "paper": [c.paper for c in self],
        }
