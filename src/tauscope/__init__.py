"""Tauscope: do two rankings of systems agree, where do they differ, and which coefficient says so?

The public names stand once, in `__init__.pyi`; they are imported when they are first used, so that
`import tauscope` costs NumPy only.
"""

from __future__ import annotations

__version__ = "0.2.0"


def _public() -> dict[str, str]:
    """Public name -> module, read from the stub; the module of a namespace is the namespace itself."""
    import ast
    from pathlib import Path

    stub = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    return {
        alias.asname or alias.name: f"{__name__}.{node.module or alias.name}"
        for node in stub.body
        if isinstance(node, ast.ImportFrom) and node.level == 1
        for alias in node.names
    }


def __getattr__(name: str) -> object:
    if name.startswith("_") and name != "__all__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    names = globals().setdefault("_names", None) or _public()
    globals()["_names"] = names
    if name == "__all__":
        return sorted(names)
    if name not in names:
        import difflib
        import importlib

        try:
            return importlib.import_module(f"{__name__}.{name}")
        except ModuleNotFoundError:
            near = difflib.get_close_matches(name, names, 1)
            hint = f". Did you mean {near[0]!r}?" if near else ""
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}") from None
    import importlib

    module = importlib.import_module(names[name])
    value = module if names[name] == f"{__name__}.{name}" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_public()})
