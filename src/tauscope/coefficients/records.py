"""The catalogue of coefficients, and which of them fits some scores."""

from __future__ import annotations

import difflib
import importlib
from typing import Any, ClassVar

from ..data.ranking import Aligned
from ..errors import Advice, CallError
from ..results import Records
from . import head_weighted, unweighted
from .coefficient import Coefficient as Coefficient
from .coefficient import Ties as Ties
from .correlation import evaluate
from .head_weighted import TAU_AP, TAU_AP_A, TAU_AP_B
from .unweighted import TAU_B


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


#: Every record that a module of the family holds: a new one needs no list.
catalogue = Catalogue(
    record for module in (unweighted, head_weighted) for record in vars(module).values() if type(record) is Coefficient
)


def fitting(data: Aligned, within: Any, lower_is_better: bool, *, against_truth: bool) -> tuple[list[Coefficient], str]:
    """tau_b, and tau_ap in the variant that fits, and why."""
    if not against_truth:
        return [TAU_B, TAU_AP_B], "tau_b is the default; two opinions: tau_ap_b takes neither for the truth"
    wide = within is not None and any(w.width for w in within)
    if wide or any(evaluate(TAU_B, data, lower_is_better=lower_is_better).ties):
        return [TAU_B, TAU_AP_A], "tau_b is the default, for ties too; tau_ap_a is tau_ap against a truth with ties"
    return [TAU_B, TAU_AP], "tau_b is the default; without ties it is tau"
