"""Is the right delimiter found, and is it said when a quote swallows lines?"""

from __future__ import annotations

from pathlib import Path

import pytest

from gitnotes.errors import UsageError
from gitnotes.read.delimited import read_delimiter
from gitnotes.read.pairs import Layout, PairFile, Row, open_pairs


def opened(folder: Path, content: str, layout: Layout | None = None) -> tuple[PairFile, list[Row]]:
    path = folder / "a.csv"
    path.write_text(content, newline="")
    pairs = open_pairs(str(path), layout or Layout())
    return pairs, list(pairs)


def texts(rows: list[Row]) -> list[tuple[str, str]]:
    return [(row.references[0], row.prediction) for row in rows]


@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
def test_the_delimiter_is_seen(tmp_path: Path, sign: str) -> None:
    pairs, rows = opened(tmp_path, f"ref{sign}pred\na{sign}b\n")
    assert texts(rows) == [("a", "b")] and pairs.notes == ()


def test_excel_names_the_delimiter_in_the_first_line(tmp_path: Path) -> None:
    pairs, rows = opened(tmp_path, "sep=;\r\nref;pred\r\nFix a, b;Fix c\r\nx\r\n")
    assert texts(rows[:1]) == [("Fix a, b", "Fix c")]
    assert [(row.line, row.problem) for row in rows] == [(3, ""), (4, "ragged")]
    assert pairs.notes == ()


def test_without_a_header_the_rows_decide(tmp_path: Path) -> None:
    layout = Layout(header=False)
    pairs, rows = opened(tmp_path, "Fix a, b;Fix c\nMend it;Repair it\n", layout)
    assert texts(rows) == [("Fix a, b", "Fix c"), ("Mend it", "Repair it")] and pairs.notes == ()
    pairs, rows = opened(tmp_path, "a,b;c\nd,e;f\n", layout)
    assert texts(rows) == [("a", "b;c"), ("d", "e;f")]
    assert "it could be ';', which --delimiter would say" in pairs.notes[0]
    pairs, rows = opened(tmp_path, "a,b;c\nd,e;f\n", Layout(header=False, delimiter=";"))
    assert texts(rows) == [("a,b", "c"), ("d,e", "f")] and pairs.notes == ()


def test_one_column_asks_for_the_delimiter(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"one column only, 'ref\^pred'") as caught:
        opened(tmp_path, "ref^pred\na^b\n")
    assert "--delimiter" in caught.value.hint
    assert texts(opened(tmp_path, "ref^pred\na^b\n", Layout(delimiter="^"))[1]) == [("a", "b")]


def test_what_is_a_delimiter() -> None:
    found = [read_delimiter(text) for text in (";", "tab", "\\t", "\t", "TAB", "pipe", "§")]
    assert found == [";", "\t", "\t", "\t", "\t", "|", "§"]
    for text in ("", ";;", '"', "\n"):
        with pytest.raises(UsageError, match="is no delimiter"):
            read_delimiter(text)


@pytest.mark.parametrize(("format", "option"), [("jsonl", "--delimiter"), ("tsv", "--delimiter")])
def test_a_delimiter_where_there_is_none(tmp_path: Path, format: str, option: str) -> None:
    with pytest.raises(UsageError) as caught:
        opened(tmp_path, "", Layout(format=format, delimiter=";"))
    assert option in caught.value.hint


def test_a_quote_that_another_quote_closes_is_unscored(tmp_path: Path) -> None:
    content = 'ref,pred\n1,one\n2,"two\n3,three\n4,"four"\n5,five\n'
    _, rows = opened(tmp_path, content)
    assert [(row.line, row.problem) for row in rows] == [(2, ""), (3, "open-quote"), (6, "")]
    assert rows[1].detail == "a quote of line 3 is closed by one of line 5 and swallows 2 more lines"


def test_lines_that_look_like_rows_are_noted(tmp_path: Path) -> None:
    content = 'ref,pred,x\n1,one,x\n2,"two,x\n3,three,x\n4,four",x\n5,"five,x\n6,six",x\n'
    pairs, rows = opened(tmp_path, content)
    assert [row.problem for row in rows] == ["", "", ""]
    (note,) = pairs.notes
    assert "row 2 goes on from line 3 to 5 and takes in 2 lines that look like rows" in note
    assert "2 rows of this kind take in 3 such lines" in note


def test_texts_of_several_lines_are_no_damage(tmp_path: Path) -> None:
    body = "Add a parser\n\nIt reads a, b and c.\nIt is fast."
    pairs, rows = opened(tmp_path, f'ref,pred\r\n"{body}","{body}"\r\n"a ""b""\r\nc",d\r\n')
    assert texts(rows) == [(body, body), ('a "b"\r\nc', "d")]
    assert pairs.notes == ()


def test_a_quote_that_is_never_closed_tells_the_lines(tmp_path: Path) -> None:
    _, rows = opened(tmp_path, 'ref,pred\n1,"one\n2,two\n3,three\n')
    assert rows[0].detail.startswith("a quote in the record from line 2 is never closed and swallows 2")


def test_a_quote_that_ends_before_its_field_is_noted(tmp_path: Path) -> None:
    lines = ["ref,pred", '"Add \\"b\\" to c",Fix', '"Fix" it,Fix', 'Fix "it" now,"say ""it"""', "a,b"]
    pairs, rows = opened(tmp_path, "\n".join(lines) + "\n")
    assert [row.problem for row in rows] == [""] * 4
    (note,) = pairs.notes
    assert "2 rows have a quoted text that goes on after its quote (first line 2)" in note
    pairs, _ = opened(tmp_path, "\n".join(lines[:1] + lines[3:]) + "\n")
    assert pairs.notes == ()
