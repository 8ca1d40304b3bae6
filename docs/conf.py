"""Sphinx: Markdown pages, and a reference that is written from the catalogue, the bibliography and the docstrings."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import pages

import tauscope

project = "Tauscope"
author = copyright = "The Tauscope developers"
version = release = tauscope.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]

autodoc_member_order = "bysource"
autodoc_typehints = "none"

html_theme = "furo"
html_title = "Tauscope"
html_copy_source = html_show_sourcelink = html_show_sphinx = False


def setup(app):
    app.connect("builder-inited", lambda app: pages.write(Path(app.srcdir) / "reference" / "generated"))
    app.connect("autodoc-process-docstring", pages.docstring)
