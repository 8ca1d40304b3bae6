"""Answers: what the facts of a result mean to a person, as blocks that every renderer understands."""

from .blocks import Answer as Answer
from .blocks import Block as Block
from .blocks import Chart as Chart
from .blocks import Claims as Claims
from .blocks import Column as Column
from .blocks import Number as Number
from .blocks import Prose as Prose
from .blocks import Table as Table
from .blocks import Verdict as Verdict
