"""Tables for papers and pages: what they look like, and that no name can be more than a name in them."""

from __future__ import annotations

import re

import pytest

from tauscope import Scores, rank
from tauscope.answers.blocks import Column, Table
from tauscope.answers.wording import seen
from tauscope.cli import main
from tauscope.errors import CallError
from tauscope.render import latex, markdown

SCORES = Scores(
    [[0.9, 0.5, 0.1], [0.8, 0.6, 0.2], [0.9, 0.4, 0.1], [0.7, 0.5, 0.3], [0.9, 0.5, 0.2]] * 2,
    systems=["ours_v2", "50% & more", "a|b\\c"],
)


def test_ranks_as_latex() -> None:
    assert rank(SCORES).to_latex(caption="Ranks of {all}", label="tab:a-b") == (
        r"""\begin{table}
\centering
\caption{Ranks of \{all\}}
\label{tab:a-b}
\begin{tabular}{rllrrl}
\toprule
Rank & System & Rank interval & Mean & Tier & Possible winner \\
\midrule
1 & \textsf{ours\_v2} & 1--1 & \textbf{0.840} & 1 & yes \\
2 & \textsf{50\% \& more} & 2--2 & 0.500 & 2 &  \\
3 & \textsf{a|b\textbackslash{}c} & 3--3 & 0.180 & 3 &  \\
\bottomrule
\end{tabular}
\end{table}"""
    )


def test_ranks_as_markdown() -> None:
    table = [line for line in rank(SCORES).to_markdown(digits=2).splitlines() if line.startswith("|")]
    assert len(table) == 5
    assert "a\\|b" in table[-1]


def named(name: str) -> Table:
    columns = (Column(key="system", title="System", kind="name"), Column(key="score", title="Score", kind="number"))
    return Table(key="t", title="", caption="", columns=columns, rows=((seen(name), 1.0), ("other", 2.0)))


@pytest.mark.parametrize("name", ["\\input{/etc/passwd}", "$x$ \\write18", "a\nb & c \\\\ \\hline", "%", "\x1b[31m"])
def test_a_hostile_name_does_nothing_in_latex(name: str) -> None:
    rows = [line for line in latex.table(named(name)).splitlines() if line.endswith(r"1.000 \\")]
    assert len(rows) == 1
    assert set(re.findall(r"(?<!\\)\\([a-z]+)", rows[0])) <= {"textbackslash", "textsf"}
    assert not re.search(r"(?<!\\)[$%#]", rows[0])
    assert rows[0].count("&") - rows[0].count(r"\&") == 1
    assert rows[0].isprintable()


@pytest.mark.parametrize("name", ["<img src=x>", "[a](javascript:alert)", "a|b", "`c`", "![x](y)", "a\n\n# b"])
def test_a_hostile_name_does_nothing_in_markdown(name: str) -> None:
    row = markdown.written(named(name)).splitlines()[2]
    assert not re.search(r"(?<!\\)[<\[`]", row)
    assert len(re.findall(r"(?<!\\)\|", row)) == 3


def test_digits_are_checked() -> None:
    with pytest.raises(CallError, match="digits"):
        rank(SCORES).to_latex(digits=-1)


def test_the_shell_prints_latex(tmp_path: object, capsys: pytest.CaptureFixture[str]) -> None:
    path = f"{tmp_path}/scores.csv"
    with open(path, "w", encoding="utf-8") as file:
        file.write("topic,a,b\n1,0.5,0.4\n2,0.6,0.5\n3,0.9,0.1\n4,0.7,0.6\n")
    assert main(["rank", path, "--latex"]) == 0
    assert "\\begin{tabular}{rllrrl}" in capsys.readouterr().out
    assert main(["rank", path, "--latex", "--json"]) == 2
    assert "--json and --latex: choose one." in capsys.readouterr().err


def test_the_best_number_of_a_column_is_bold_with_its_ties_and_the_lowest_where_lower_is_better() -> None:
    columns = (Column(key="system", title="System", kind="name"), Column(key="s", title="S", kind="number", best="low"))
    rows = (("a", 0.2), ("b", 0.1), ("c", 0.1), ("d", float("nan")))
    table = latex.table(Table(key="t", title="", caption="", columns=columns, rows=rows))
    assert re.findall(r"textsf\{(\w)\} & \\textbf", table) == ["b", "c"]
