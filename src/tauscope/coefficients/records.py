"""The catalogue: every coefficient of the family, from the modules that hold the records beside their functions."""

from __future__ import annotations

import difflib
import importlib
from typing import Any, ClassVar

from ..errors import Advice, CallError
from ..results import Records
from . import head_weighted, unweighted
from .coefficient import Coefficient as Coefficient
from .coefficient import Ties as Ties


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
