"""What every question of the app can be asked."""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from ...errors import Advice, CallError, Option, TauscopeError
from ...jobs.progress import Progress
from ...page.facts import STEPS, Facts, facts_of
from ...page.material import Material
from ...page.rendered import Report
from ...page.report import material_of, report
from ...page.screens import first_screen
from ...page.screens.parts import Screen
from ...results import Result, plain, word
from ...scores import Scores
from ...scores.alignment import require_one_scale
from ..state import State


@dataclass(frozen=True, kw_only=True)
class Sure:
    """An answer with its intervals: the first screen of the page, and its numbers for programs."""

    numbers: dict[str, Any]
    screen: Screen
    margin: float | None = None
    #: What the screen was made of, packed: another margin is another screen of it.
    made_of: bytes = b""


@dataclass(frozen=True, kw_only=True)
class Question(ABC):
    """What is asked, and of what: `names` are what the user calls the sides, `groups` system to group."""

    #: Whether point values take so long that a worker has to find them.
    LONG: ClassVar[bool] = False

    state: State
    groups: Mapping[str, str] = field(default_factory=dict)
    #: What was done to the files so that they fit together.
    notes: tuple[str, ...] = ()

    def check(self) -> None:
        """Raises where the question cannot be asked as it is: topics on different scales have no mean."""
        for side in self.scored() if not self.state.aggregate else ():
            if isinstance(side, Scores):
                require_one_scale(side, "This answer", argument=True)

    def scored(self) -> tuple[Any, ...]:
        """Whose means the answer takes."""
        return ()

    @abstractmethod
    def points(self) -> dict[str, Any]:
        """Numbers that are there at once."""

    @abstractmethod
    def waiting(self, points: dict[str, Any]) -> Screen:
        """The first screen with what is known at once."""

    @abstractmethod
    def asked(self) -> dict[str, Any]:
        """What `report()` is asked, the source by the name of "source"."""

    @abstractmethod
    def numbers(self, material: Material, facts: Facts) -> dict[str, Any]:
        """The numbers behind the first screen, for programs."""

    @abstractmethod
    def table(self) -> Result:
        """The result whose table is taken away as CSV."""

    def sure(self, progress: Progress) -> Sure:
        """How sure the point values are: the page's own first screen."""
        material = material_of(**self._asked())
        facts = facts_of(material, _counted(progress), sections=False)
        screen = first_screen(material, facts)
        if screen is None:
            raise self._no_screen()
        kept = replace(facts, agreement=None)  # no first screen speaks about it, and it is large
        numbers = {"notes": list(material.notes), "level": self.state.level, **self.numbers(material, facts)}
        return Sure(
            numbers=as_data(numbers), screen=screen, margin=self.state.margin, made_of=pickle.dumps((material, kept))
        )

    def _no_screen(self) -> TauscopeError:
        """Why there is no first screen."""
        if any(side.has_holes for side in self.scored() if isinstance(side, Scores)):
            return CallError(
                "Intervals take complete scores on topics, and cells are missing here.",
                Option("missing", "drop-topics", "drop-systems", "zero", effect="where cells are missing"),
            )
        systems, topics = (min(len(getattr(side, axis)) for side in self.scored()) for axis in ("systems", "topics"))
        return CallError(
            f"Intervals take two {word('systems')} and two {word('topics')} at least; here are {systems} and {topics}.",
            Advice("Have back what was left out, or choose another file."),
        )

    def screen_again(self, sure: Sure) -> Screen | None:
        """The screen of the same facts under the margin of this state."""
        material, facts = pickle.loads(sure.made_of)
        return first_screen(replace(material, margin=self.state.margin), facts)

    def page(self, progress: Progress, command: str) -> Report:
        """The report page on the same material."""
        return report(**self._asked(), title=self.title(), command=command, progress=progress)

    def title(self) -> str:
        """The title of the report; nothing where the names of the sides say it."""
        return ""

    def _asked(self) -> dict[str, Any]:
        state = self.state
        return {"level": state.level, "rng": state.seed, "groups": self.groups or None, **self.asked()}


def on_scale(side: Any, state: State) -> Any:
    """Scores as the state wants topics on different scales; a list as it is."""
    return side.aggregated(state.aggregate) if state.aggregate and isinstance(side, Scores) else side


def _counted(progress: Progress) -> Callable[[], None]:
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        progress(min(done, STEPS), STEPS)

    return step


def as_data(found: dict[str, Any]) -> dict[str, Any]:
    """Plain values, ready for JSON."""
    return {name: plain(value) for name, value in found.items()}
