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

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist"]
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
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
# One parameter per line, except where there is hardly one.
python_maximum_signature_line_length = 60
# A copied dialogue has no prompts and no outputs.
copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_title = "Tauscope"
html_static_path = ["_static"]
html_css_files = ["look.css"]
html_copy_source = html_show_sourcelink = html_show_sphinx = False


def setup(app):
    app.connect("builder-inited", lambda app: pages.write(Path(app.srcdir) / "reference" / "generated"))
    app.connect("source-read", pages.with_contents)
    app.connect("source-read", pages.with_pictures)
    # Before napoleon, which listens with the priority 500.
    app.connect("autodoc-process-docstring", pages.tidied, priority=400)
    app.connect("autodoc-process-signature", pages.signature)
