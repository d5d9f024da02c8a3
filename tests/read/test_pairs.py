"""Are all rows of every format read, and is each kind of damage named where it is?"""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

from gitnotes.errors import InputError, UsageError
from gitnotes.read.pairs import MAX_TEXT, Layout, PairFile, Row, open_aligned, open_pairs

CSV = "ref,pred,lang\nAdd a,Add b,java\n"


def put(folder: Path, name: str, content: str | bytes) -> str:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def rows_of(path: str, layout: Layout | None = None) -> list[Row]:
    return list(open_pairs(path, layout or Layout()))


def texts(rows: list[Row]) -> list[tuple[tuple[str, ...], str]]:
    return [(row.references, row.prediction) for row in rows]


def problems(rows: list[Row]) -> list[tuple[int, str]]:
    return [(row.line, row.problem) for row in rows]


TABLES = {
    "a.csv": 'Prediction,x,Reference\n"Fix, it",1,Mend it\n"two\nlines",2,"a ""word"""\n',
    "semicolon.csv": 'Prediction;x;Reference\nFix, it;1;Mend it\n"two\nlines";2;"a ""word"""\n',
    "a.tsv": 'Prediction\tx\tReference\nFix, it\t1\tMend it\n"two\nlines"\t2\t"a ""word"""\n',
    "a.jsonl": '{"Prediction": "Fix, it", "x": 1, "Reference": "Mend it"}\n\n'
    '{"Reference": "a \\"word\\"", "Prediction": "two\\nlines", "x": 2}\n',
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_formats_agree(tmp_path: Path, name: str, packed: bool, encoding: str) -> None:
    data = TABLES[name].encode(encoding)
    path = put(tmp_path, name + ".gz" * packed, gzip.compress(data) if packed else data)
    rows = rows_of(path, Layout(extras=("x",)))
    assert texts(rows) == [(("Mend it",), "Fix, it"), (('a "word"',), "two\nlines")]
    assert [row.extras for row in rows] == [("1",), ("2",)]
    assert problems(rows)[0] == (2 if "json" not in name else 1, "")


def test_parquet(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "a.parquet"
    columns = {
        "other": list(range(5)),
        "prediction": ["a", None, "c", "", "e"],
        "references": [["x", "y"], ["z"], None, [], ["w", ""]],
        "system": ["s"] * 5,
    }
    parquet.write_table(pyarrow.table(columns), path)
    rows = rows_of(str(path), Layout(extras=("system",)))
    assert texts(rows)[0] == (("x", "y"), "a")
    assert texts(rows)[4] == (("w",), "e")
    assert [row.problem for row in rows] == ["", "empty-prediction", "empty-reference", "empty-both", ""]
    assert rows[2].extras == ("s",) and rows[2].line == 3
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(InputError, match="no readable Parquet"):
        rows_of(str(path))
    whole = put(tmp_path, "b.csv", data)
    with pytest.raises(InputError, match="Parquet") as caught:
        rows_of(whole)
    assert "--format parquet" in caught.value.hint


def test_a_parquet_text_that_is_not_utf8_costs_its_row_only(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    count = 1500
    raw = pyarrow.array([b"a\xffb" if place in (7, 1400) else b"ok" for place in range(count)])
    texts = pyarrow.Array.from_buffers(pyarrow.string(), count, raw.buffers())
    lists = pyarrow.ListArray.from_arrays(list(range(count + 1)), texts)
    path = tmp_path / "a.parquet"
    for reference in (texts, lists, texts.dictionary_encode()):
        parquet.write_table(pyarrow.table({"ref": reference, "pred": ["x"] * count}), path)
        rows = rows_of(str(path))
        assert [(row.line, row.problem) for row in rows if row.problem] == [
            (8, "encoding"),
            (1401, "encoding"),
        ]
        assert "0xff" in rows[7].detail and len(rows) == count


def test_parquet_is_read_from_ordinary_files_only(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    if not hasattr(os, "mkfifo"):
        pytest.skip("there are no named pipes here")
    os.mkfifo(tmp_path / "a.parquet")
    for path in (str(tmp_path / "a.parquet"), "-"):
        with pytest.raises(UsageError) as caught:
            rows_of(path, Layout(format="parquet"))
        assert "Save it" in caught.value.hint


def test_several_references(tmp_path: Path) -> None:
    path = put(tmp_path, "a.csv", "ref1,ref2,pred\na,b,c\n,b,c\n,,c\n")
    rows = rows_of(path)
    assert [row.references for row in rows] == [("a", "b"), ("b",), ()]
    assert rows[2].problem == "empty-reference"
    assert rows_of(path, Layout(references=("ref2", "pred"), prediction="ref1"))[0].references == ("b", "c")
    lines = put(tmp_path, "a.jsonl", '{"reference": ["a", "b"], "hypothesis": "c"}\n')
    assert texts(rows_of(lines)) == [(("a", "b"), "c")]


def test_columns_without_header(tmp_path: Path) -> None:
    two = put(tmp_path, "two.csv", "a,b\nc,d\n")
    assert texts(rows_of(two, Layout(header=False))) == [(("a",), "b"), (("c",), "d")]
    swapped = Layout(references=("2",), prediction="1", header=False)
    assert texts(rows_of(two, swapped)) == [(("b",), "a"), (("d",), "c")]
    three = put(tmp_path, "three.csv", "a,b,c\n")
    with pytest.raises(UsageError, match="3 columns and no header"):
        rows_of(three, Layout(header=False))
    with pytest.raises(UsageError, match="no column number '4'"):
        rows_of(three, Layout(references=("4",), prediction="1", header=False))


@pytest.mark.parametrize(
    ("header", "layout", "sentence", "hint"),
    [
        ("Fix a,Fix b", Layout(), "no column that looks like a reference", "--no-header"),
        (
            "ref,target,pred",
            Layout(),
            "2 columns that may be the reference: 'ref', 'target'",
            "--reference-c",
        ),
        ("ref,pred,hyp", Layout(), "2 columns that may be the prediction", "--prediction-column"),
        ("ref,pred,ref", Layout(), "2 columns that may be the reference", ""),
        ("ref,pred,ref", Layout(references=("ref",)), r"2 columns 'ref' \(numbers 1, 3\)", "of its own"),
        ("ref,pred", Layout(extras=("lang",)), "no column 'lang'", "It has 'ref', 'pred'"),
        ("ref,pred,lang", Layout(extras=("Lnag",)), "no column 'Lnag'", "Did you mean 'lang'"),
        ("ref,pred", Layout(encoding="utf-9"), "no encoding 'utf-9'", "cp1252"),
        ("ref,pred", Layout(encoding="base64"), "no encoding 'base64'", "cp1252"),
    ],
)
def test_columns_that_are_not_there(
    tmp_path: Path, header: str, layout: Layout, sentence: str, hint: str
) -> None:
    path = put(tmp_path, "a.csv", f"{header}\n" + ",".join("abcdefg"[: header.count(",") + 1]) + "\n")
    with pytest.raises(UsageError, match=sentence) as caught:
        rows_of(path, layout)
    assert hint in caught.value.hint


def test_one_column_for_two_sides_is_refused(tmp_path: Path) -> None:
    path = put(tmp_path, "a.csv", CSV)
    with pytest.raises(UsageError, match="'pred' is named for both sides"):
        rows_of(path, Layout(references=("ref", "pred"), prediction="pred"))
    with pytest.raises(UsageError, match="'ref' is named twice as a reference"):
        rows_of(path, Layout(references=("ref", "ref")))


def test_options_that_a_format_has_no_use_for(tmp_path: Path) -> None:
    lines = put(tmp_path, "a.jsonl", '{"ref": "a", "pred": "b"}\n')
    with pytest.raises(UsageError, match="names its columns"):
        rows_of(lines, Layout(header=False))
    with pytest.raises(UsageError, match="always UTF-8"):
        rows_of(put(tmp_path, "a.parquet", ""), Layout(encoding="cp1252"))


def test_a_json_array_is_explained(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 1: a JSON list") as caught:
        rows_of(put(tmp_path, "a.jsonl", '[{"ref": "a", "pred": "b"}]'))
    assert "jq" in caught.value.hint


def test_double_header_that_does_not_matter_is_noted(tmp_path: Path) -> None:
    pairs = open_pairs(put(tmp_path, "a.csv", "ref,x,x,pred\na,1,2,b\n"), Layout())
    assert "more than one column 'x'" in pairs.notes[0]
    assert texts(list(pairs)) == [(("a",), "b")]


def test_damaged_rows_are_handed_on(tmp_path: Path) -> None:
    content = (
        b"ref,pred,lang\n"  # 1
        b"Add a,Add b,java\n"
        b",Add b,java\n"
        b'Add a,"  \n",java\n'  # 4 and 5
        b",,java\n"
        b"Add a,Add b\n"  # 7
        b"Add a,Add b,java,more\n"
        b"\n"
        b"Add \x96 a,Add b,java\n"  # 10
        b"Add a,Add b,java"
    )
    rows = rows_of(put(tmp_path, "a.csv", content), Layout(extras=("lang",)))
    assert problems(rows) == [
        (2, ""),
        (3, "empty-reference"),
        (4, "empty-prediction"),
        (6, "empty-both"),
        (7, "ragged"),
        (8, "ragged"),
        (10, "encoding"),
        (11, ""),
    ]
    assert rows[4].detail == "2 fields instead of 3"
    assert "0x96" in rows[6].detail
    assert rows[6].extras == ("java",) and rows[4].extras == ("",)
    again = rows_of(put(tmp_path, "b.csv", content), Layout(encoding="cp1252"))
    assert again[6].references == ("Add – a",) and not again[6].problem


def test_damaged_json_lines(tmp_path: Path) -> None:
    lines = [
        '{"ref": "a", "pred": "b"}',
        "{broken",
        "[1]",
        '{"ref": "a"}',
        '{"ref": "a", "pred": 3}',
        '{"ref": null, "pred": "b"}',
        '{"ref": "a \\ud800", "pred": "b"}',
        '{"ref": ' + "[" * 100_000 + ', "pred": "b"}',
        '{"ref": ["a", 1], "pred": "b"}',
        '{"ref": "\\ud83d\\ude00", "pred": "a\u2028b"}',
        '{"ref": "a", "pred": "b", "ref": "c"}',
    ]
    rows = rows_of(put(tmp_path, "a.jsonl", "\n".join(lines)))
    assert problems(rows) == [
        (1, ""),
        (2, "not-json"),
        (3, "not-json"),
        (4, "missing"),
        (5, "not-text"),
        (6, "empty-reference"),
        (7, "surrogate"),
        (8, "not-json"),
        (9, "not-text"),
        (10, ""),
        (11, "not-json"),
    ]
    assert rows[10].detail == "the key 'ref' twice in one object"


def test_open_quote_and_huge_texts(tmp_path: Path) -> None:
    many = "".join(f"a{number},b\n" for number in range(200))
    rows = rows_of(put(tmp_path, "a.csv", f'ref,pred\na,b\nc,"d\n{many}"\ne,f\n'))
    assert problems(rows) == [(2, ""), (3, "open-quote"), (205, "")]
    assert "from line 3 to 204" in rows[1].detail
    big = "x " * 500_000
    rows = rows_of(put(tmp_path, "b.csv", f'ref,pred\na,{big}\n"{big}",b\na,b\n'))
    assert problems(rows) == [(2, "too-long"), (3, "too-long"), (4, "")]
    assert f"{len(big):,}" in rows[0].detail
    limit = "x" * MAX_TEXT
    assert not rows_of(put(tmp_path, "c.csv", f"ref,pred\na,{limit}\n"))[0].problem
    endless = "x" * 5_000_000
    rows = rows_of(put(tmp_path, "d.csv", f'ref,pred\n"{endless}",b\na,b\n'))
    assert {row.problem for row in rows[:-1]} <= {"malformed", "ragged", "too-long"} and len(rows) > 1
    assert texts(rows)[-1] == (("a",), "b")


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.csv", b"", "is empty"),
        ("a.jsonl", b"\n\n", "is empty"),
        ("a.csv", b"\x7fELF\0\0\0", "binary file"),
        ("a.jsonl", b"\x89PNG\r\n\0\0", "binary file"),
        ("a.jsonl", b"ref,pred\na,b\n", "line 1: no JSON"),
        ("a.csv.gz", b"\x1f\x8b\x08\x00broken!!!!", "cannot be gunzipped"),
        ("a.csv.gz", gzip.compress(b"ref,pred\n" * 1000, mtime=0)[:14], "cannot be gunzipped"),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, name: str, content: bytes, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        rows_of(put(tmp_path, name, content))


def test_missing_file_folder_and_format(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        rows_of(str(tmp_path / "none.csv"))
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError, match="cannot be read"):
        rows_of(str(tmp_path / "folder.csv"))
    with pytest.raises(UsageError, match="does not tell its format"):
        rows_of(put(tmp_path, "pairs.txt", CSV))
    assert rows_of(put(tmp_path, "pairs.txt", CSV), Layout(format="csv"))[0].prediction == "Add b"


def test_torn_gzip_keeps_what_came_before(tmp_path: Path) -> None:
    text = "ref,pred\n" + "".join(f"{os.urandom(8).hex()},b\n" for _ in range(20_000))
    packed = gzip.compress(text.encode())
    pairs = open_pairs(put(tmp_path, "a.csv.gz", packed[: len(packed) // 2]), Layout())
    rows = list(pairs)
    assert 1000 < len(rows) < 20_000
    assert pairs.broken
    whole = open_pairs(put(tmp_path, "b.csv.gz", packed), Layout())
    assert len(list(whole)) == 20_000 and whole.broken == "" and whole.progress == 1.0


def test_lines_that_belong_together(tmp_path: Path) -> None:
    one = put(tmp_path, "one", "a\nb\r\nc\u2028d\n\ne\n")
    two = put(tmp_path, "two", "A\nB\nC\nD\n")
    predictions = put(tmp_path, "predictions.gz", gzip.compress(b"p\nq\nr\ns\n\xff\nu\n"))
    rows = list(open_aligned([one], predictions, Layout()))
    assert texts(rows)[:3] == [(("a",), "p"), (("b",), "q"), (("c\u2028d",), "r")]
    assert problems(rows)[3:] == [(4, "empty-reference"), (5, "encoding"), (6, "no-partner")]
    both: PairFile = open_aligned([one, two], predictions, Layout())
    rows = list(both)
    assert rows[0].references == ("a", "A")
    assert [row.problem for row in rows] == ["", "", "", "", "no-partner", "no-partner"]


def test_every_plane_and_every_newline_survives(tmp_path: Path) -> None:
    text = "".join(chr(plane * 0x10000 + 0x21) for plane in range(17)) + " \u2028\u2029\x85\x0b\x0c"
    lines = put(tmp_path, "a.jsonl", json.dumps({"ref": text, "pred": text}, ensure_ascii=False) + "\n")
    table = put(tmp_path, "a.csv", f'ref,pred\n"{text}","{text}"\n')
    assert texts(rows_of(lines)) == texts(rows_of(table)) == [((text,), text)]


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "lines"])
def test_a_line_over_the_limit_is_one_row_and_moves_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr("gitnotes.read.bounded.MAX_LINE", 64)
    huge = "x" * 200
    if name == "a.csv":
        middle = f'{huge[:40]},{huge[:40]}\n"{huge}, ""{huge}",b\n'
        rows = rows_of(put(tmp_path, name, f"ref,pred\n1,one\n{middle}2,two\n"))
    elif name == "a.jsonl":
        lines = [{"ref": "1", "pred": "one"}, {"ref": huge, "pred": "b"}, {"ref": "2", "pred": "two"}]
        rows = rows_of(put(tmp_path, name, "".join(json.dumps(line) + "\n" for line in lines)))
    else:
        mine = put(tmp_path, "p", f"one\n{huge}\ntwo\n")
        rows = list(open_aligned([put(tmp_path, "r", "1\nx\n2\n")], mine, Layout()))
    assert {row.problem for row in rows[1:-1]} == {"too-long"}
    assert len(rows) == (4 if name == "a.csv" else 3)
    assert texts([rows[0], rows[-1]]) == [(("1",), "one"), (("2",), "two")]


@pytest.mark.parametrize(
    ("encoding", "written"), [("utf-8", "utf-8-sig"), ("UTF8", "utf-8-sig"), ("utf-16", "utf-16")]
)
def test_a_mark_that_agrees_is_no_text(tmp_path: Path, encoding: str, written: str) -> None:
    path = put(tmp_path, "a.csv", CSV.encode(written))
    assert texts(rows_of(path, Layout(encoding=encoding))) == [(("Add a",), "Add b")]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf_16_be", "utf-32-le", "utf-32-be"])
def test_a_mark_is_no_text_in_wide_encodings(tmp_path: Path, encoding: str) -> None:
    for mark in ("", "\ufeff"):
        path = put(tmp_path, "a.csv", (mark + CSV).encode(encoding))
        assert texts(rows_of(path, Layout(encoding=encoding))) == [(("Add a",), "Add b")]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_wide_text_without_a_mark_is_recognised(tmp_path: Path, encoding: str) -> None:
    with pytest.raises(InputError, match="binary file") as caught:
        rows_of(put(tmp_path, "a.csv", CSV.encode(encoding)))
    assert f"--encoding {encoding}" in caught.value.hint


def test_encodings_that_no_file_can_have(tmp_path: Path) -> None:
    path = put(tmp_path, "a.csv", CSV)
    for name in ("idna", "punycode", "undefined", "rot13", "nonsense"):
        with pytest.raises(UsageError, match="no encoding"):
            open_pairs(path, Layout(encoding=name))
    for name in ("utf-16", "utf-32"):
        with pytest.raises(InputError, match=f"no byte order mark, which {name} needs"):
            open_pairs(path, Layout(encoding=name))


def test_closed_standard_input_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(InputError, match="Standard input is closed"):
        open_pairs("-", Layout())
    assert len(rows_of(put(tmp_path, "a.csv", CSV))) == 1


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_quote_that_is_never_closed_is_said(tmp_path: Path, end: str) -> None:
    rows = rows_of(put(tmp_path, "a.csv", f'ref,pred\n1,one\n2,"two\n3,three\n4,four{end}'))
    assert problems(rows) == [(2, ""), (3, "open-quote")]
    assert "from line 3 is never closed" in rows[1].detail
    rows = rows_of(put(tmp_path, "b.csv", f'ref,pred\n1,one\n2,"two\nlines"{end}'))
    assert problems(rows) == [(2, ""), (3, "")]
    with pytest.raises(InputError, match="line 1: a quote"):
        rows_of(put(tmp_path, "c.csv", f'ref,"pred\n1,one{end}'))


def test_a_nul_byte_costs_its_row_only(tmp_path: Path) -> None:
    for fill in (0, 5000):
        text = "ref,pred\n" + "ab,b\n" * fill + "a\0b,b\na,b\n"
        rows = rows_of(put(tmp_path, "a.csv", text))
        assert problems(rows)[-2:] == [(fill + 2, "nul"), (fill + 3, "")]
    references, predictions = put(tmp_path, "r", "a\0b\nFix é\n"), put(tmp_path, "p", "a b c\nFix\n")
    assert problems(list(open_aligned([references], predictions, Layout()))) == [(1, "nul"), (2, "")]
    with pytest.raises(InputError, match="line 1: a NUL byte"):
        rows_of(put(tmp_path, "a.csv", "ref,pr\0ed\na,b\n"))


def test_keys_are_those_of_the_first_objects(tmp_path: Path) -> None:
    rows = rows_of(put(tmp_path, "a.jsonl", '{"ref": "a"}\n{}\n{"pred": "b", "ref": "a"}\n'))
    assert problems(rows) == [(1, "missing"), (2, "missing"), (3, "")]
    with pytest.raises(UsageError, match="no columns at all") as caught:
        rows_of(put(tmp_path, "b.jsonl", "{}\n"))
    assert "--no-header" not in caught.value.hint


def test_what_is_no_text_has_a_plain_name(tmp_path: Path) -> None:
    rows = rows_of(put(tmp_path, "a.jsonl", '{"ref": "a", "pred": 1}\n{"ref": {}, "pred": "a"}\nnull\n'))
    assert [row.detail for row in rows] == [
        "a number in place of a text",
        "an object in place of a text",
        "a JSON null, not an object",
    ]


def test_a_gzipped_parquet_file_is_explained(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    with pytest.raises(InputError, match="is gzipped") as caught:
        rows_of(put(tmp_path, "a.parquet.gz", gzip.compress(b"PAR1")))
    assert caught.value.hint == "Unpack it first."
