"""Is this a data frame? Of any library that narwhals knows, asked without importing one."""

from __future__ import annotations

from typing import Any

#: Objects of these packages are no frames, so that narwhals need not be imported to ask.
_NO_FRAMES = frozenset({"builtins", "numpy", "pathlib", "collections", "tauscope"})


def is_frame(data: Any, *, series: bool = False) -> bool:
    """Whether this is a data frame (pandas, polars, pyarrow, …), eager or lazy; or, with `series`, a series."""
    if type(data).__module__.partition(".")[0] in _NO_FRAMES:
        return False
    import narwhals as nw

    kinds = (nw.DataFrame, nw.LazyFrame, nw.Series) if series else (nw.DataFrame, nw.LazyFrame)
    return isinstance(nw.from_native(data, pass_through=True, allow_series=True), kinds)


def is_pandas(data: Any) -> bool:
    """Whether this has labels of rows as a frame or series of pandas has: an index that can become a column."""
    return hasattr(data, "index") and hasattr(data, "reset_index")


def is_labelled_array(data: Any) -> bool:
    """Whether this is an array of xarray: dimensions with names, and coordinates along them."""
    return type(data).__module__.partition(".")[0] == "xarray" and hasattr(data, "dims") and hasattr(data, "values")
