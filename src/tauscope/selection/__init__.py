"""Which measures to report: how they correlate, what the unreported ones would have been, which few say most."""
