"""Draw scores of the same systems on new topics, with the truth known: a model of a collection (urbano2016 4.2)."""

from .simulator import Simulator as Simulator

__all__ = ["Simulator"]
