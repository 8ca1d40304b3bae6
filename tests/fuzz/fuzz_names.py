"""Hostile names into the page: whatever they are, the page has the elements that it has with plain names, and no
others."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import numpy as np

import tauscope

PLAIN = (
    "</script> <script>alert(1)</script> \"'><img_src=x_onerror=alert(2)> javascript:alert(3) \u202e \u2028 a.b[0] "
    "=HYPERLINK(1) "
    "datum['x'] \\ \\\" ${alert(4)} {{7*7}} {%raw%} <!-- --> ]]> constructor __proto__ &lt;&amp; & < > \" ' ` | "
    "[x](y) ** "
    "<base/href=x> \ud800 \udfff \0 \x1b[31m é \U0001f0a1 null NaN %s {0} % </title> </style> <svg/onload=alert(5)> "
    "style=x \ufeff \x7f # 1e5 -1 0.5 \u200f"
)
PARTS = (*PLAIN.split(" "), '"><img src=x onerror=alert(2)>', " ", "a\tb", "a\rb", "a\nb", "\x85", "x" * 300)


class Elements(HTMLParser):
    """The tags of a page with the names of their attributes, in order; texts do not count."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, tuple[str, ...]]] = []
        self.inside = ""
        self.data: list[str] = []

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, tuple(sorted(name for name, _ in attributes))))
        for name, value in attributes:
            assert not name.startswith("on"), f"a handler: {name}={value!r}"
            link = name in ("href", "src", "action") and value
            assert not link or value.startswith(("#", "data:", "https://")), f"a link: {value!r}"
        self.inside = tag if tag == "script" and ("type", "application/json") in attributes else ""

    def handle_endtag(self, tag):
        self.found.append((f"/{tag}", ()))
        self.inside = ""

    def handle_data(self, data):
        if self.inside:
            self.data.append(data)


def name(rng: np.random.Generator, place: int) -> str:
    parts = rng.choice(len(PARTS), int(rng.integers(1, 4)))
    return f"{''.join(PARTS[part] for part in parts)}{place if rng.random() < 0.9 else chr(0x4E00 + place)}"


def page(systems, topics, words, truth: bool) -> tauscope.Report:
    values = np.random.default_rng(5).random((6, len(systems)))
    first, second = (
        tauscope.Scores(values + shift, topics, systems, measure=words[0], collection=name)
        for shift, name in ((0.0, words[2]), (0.1, words[3]))
    )
    options = {
        "title": words[4],
        "groups": dict(zip(systems, [words[5]] * 5, strict=False)),
    }
    if not truth:
        return tauscope.report(first, title=words[4], rng=1)
    return tauscope.report(first, truth=second, rng=1, **options)


def shape(made: tauscope.Report) -> list[tuple[str, tuple[str, ...]]]:
    parser = Elements()
    parser.feed(made.html())
    parser.close()
    for data in parser.data:
        json.loads(data)
    return parser.found


def case(seed: int) -> int:
    """One page with hostile names beside the same page with plain ones."""
    rng = np.random.default_rng([4, seed])
    truth = bool(rng.random() < 0.3)
    systems, topics = [name(rng, k) for k in range(5)], [name(rng, k) for k in range(6)]
    words = [name(rng, k) for k in range(6)]
    try:
        made = page(systems, topics, words, truth)
    except tauscope.TauscopeError:  # names that are twice, or none at all
        return 1
    plain = page(list("abcde"), list("123456"), ["AP", "trec", "one", "two", "title", "group"], truth)
    assert len(shape(made)) > 50
    hostile, tame = ({tag for tag, _ in shape(one)} for one in (made, plain))
    assert hostile <= tame | {"wbr", "br"}, f"elements that a plain page does not have: {hostile - tame}"
    scripts = [[one for one in shape(each) if one[0] == "script"] for each in (made, plain)]
    assert len(scripts[0]) == len(scripts[1]), "names brought scripts of their own"
    made.markdown()
    json.loads(json.dumps(made.to_dict(), allow_nan=False))
    return 1
