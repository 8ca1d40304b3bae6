"""Spreadsheets made by hand, without a package: the least that .xlsx and .ods need."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

Rows = Sequence[Sequence[object]]


def letters(column: int) -> str:
    name = ""
    while column:
        column, rest = divmod(column - 1, 26)
        name = chr(65 + rest) + name
    return name


def xlsx(path: Path, sheets: Mapping[str, Rows], *, extra: str = "", hidden: Sequence[str] = ()) -> Path:
    """A workbook; `extra` is put after the rows of each sheet, as it is."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    state = dict.fromkeys(hidden, ' state="hidden"')
    listed = "".join(
        f'<sheet name="{escape(name)}" sheetId="{i}"{state.get(name, "")} r:id="rId{i}"/>'
        for i, name in enumerate(sheets, 1)
    )
    related = "".join(
        f'<Relationship Id="rId{i}" Type="{office}/worksheet" Target="worksheets/sheet{i}.xml"/>'
        for i in range(1, len(sheets) + 1)
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{package}/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>',
        )
        file.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{package}/relationships"><Relationship Id="rId1" '
            f'Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        file.writestr(
            "xl/workbook.xml", f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>{listed}</sheets></workbook>'
        )
        file.writestr(
            "xl/_rels/workbook.xml.rels", f'<Relationships xmlns="{package}/relationships">{related}</Relationships>'
        )
        for i, rows in enumerate(sheets.values(), 1):
            body = "".join(_row(number, row) for number, row in enumerate(rows, 1))
            file.writestr(
                f"xl/worksheets/sheet{i}.xml",
                f'<worksheet xmlns="{main}"><sheetData>{body}{extra}</sheetData></worksheet>',
            )
    return path


def _row(number: int, row: Sequence[object]) -> str:
    cells = "".join(
        f'<c r="{letters(at)}{number}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'
        if isinstance(value, str)
        else f'<c r="{letters(at)}{number}"><v>{value}</v></c>'
        for at, value in enumerate(row, 1)
        if value is not None
    )
    return f'<row r="{number}">{cells}</row>' if cells else ""


def ods(path: Path, rows: Rows, *, extra: str = "", start: str = "") -> Path:
    """A text document of OpenDocument with one table; `extra` goes after the rows, `start` before the document."""
    names = "".join(
        f' xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{short}:1.0"' for short in ("office", "table", "text")
    )
    body = "".join(
        "<table:table-row>"
        + "".join(
            f'<table:table-cell office:value-type="string"><text:p>{escape(value)}</text:p></table:table-cell>'
            if isinstance(value, str)
            else f'<table:table-cell office:value-type="float" office:value="{value}"/>'
            if value is not None
            else "<table:table-cell/>"
            for value in row
        )
        + '<table:table-cell table:number-columns-repeated="1000"/></table:table-row>'
        for row in rows
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        file.writestr(
            "content.xml",
            f'<?xml version="1.0"?>{start}<office:document-content{names}><office:body><office:spreadsheet>'
            f'<table:table table:name="Results">{body}{extra}</table:table></office:spreadsheet></office:body>'
            "</office:document-content>",
        )
        file.writestr("META-INF/manifest.xml", "<manifest/>")
    return path
