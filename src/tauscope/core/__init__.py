"""Numbers without labels: checks, ties, seeds, every formula in plain NumPy, and the kernels that compute the same."""
