"""The experiments of the papers as functions for anyone's data: predictive power, incomplete judgments, swaps, perturbations."""
