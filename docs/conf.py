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

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]

# Docstrings are numpydoc, with names in single backticks.
default_role = "code"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
# Fields of two classes may have one name; our pages do not link to fields.
suppress_warnings = ["ref.python"]
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
python_maximum_signature_line_length = 88

html_theme = "furo"
html_title = "Tauscope"
html_copy_source = html_show_sourcelink = html_show_sphinx = False


def setup(app):
    app.connect("builder-inited", lambda app: pages.write(Path(app.srcdir) / "reference" / "generated"))
    app.connect("source-read", pages.with_contents)
    # Before napoleon, which listens with the priority 500.
    app.connect("autodoc-process-docstring", pages.tidied, priority=400)
