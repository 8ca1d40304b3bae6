"""One page that answers: the report."""
