"""The rank correlations: one record and one function each, batches, explanations, and help to choose."""
