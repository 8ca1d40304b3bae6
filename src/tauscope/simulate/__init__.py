"""New topics for the same systems: scores drawn from a model of a collection, with the truth known."""
