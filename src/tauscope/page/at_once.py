"""Steps that do not depend on each other, two at a time."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any


def at_once(*steps: Callable[[], Any]) -> list[Any]:
    """The results of the steps in their order; NumPy lets go of the interpreter meanwhile."""
    contexts = [copy_context() for _ in steps]  # the user's words for systems and topics
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda context, step: context.run(step), contexts, steps))
