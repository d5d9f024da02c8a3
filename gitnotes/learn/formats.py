"""How do the public sets of commits and release notes become examples?

A set is known by its fields:

    NNGen          X.diff and X.msg, a tokenised diff and a message a line, `<nl>` for a line end
    MCMD           X.diff.txt and X.msg.txt, with X.repo.txt, X.sha.txt and X.time.txt where they are
    CommitBench    hash, diff, message, project, split
    CommitChronicle hash, repo, date, message, mods (change_type, old_path, new_path, diff), license
    ReleaseEval    commits (or a tree, or a diff) and release, or instruction, input and output

What people are called in them is not read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timezone
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from gitnotes.errors import InputError, UsageError
from gitnotes.guard.text import show
from gitnotes.learn.dataset import Split
from gitnotes.read.sources import MISSING, Table
from gitnotes.read.tables import open_lines, open_table

MAX_TEXT = 1_000_000
"""Characters of a diff beyond which a row is left out."""
_SPLITS: dict[str, Split] = {
    "train": "train",
    "valid": "valid",
    "validation": "valid",
    "val": "valid",
    "dev": "valid",
    "test": "test",
}


class Row(NamedTuple):
    """One row of a public set; `patch` is a unified diff, or what `is_tree` says."""

    id: str
    repository: str
    time: int
    message: str
    patch: str
    licence: str = ""
    split: Split | None = None
    is_tree: bool = False
    """Whether it is a release note with the commits that it is made from."""


Fields = Callable[[dict[str, Any]], Row]


def read_public(path: Path) -> Iterator[Row | str]:
    """The rows of a public set, or for a row that cannot be used the reason, in words.

    Raises InputError when the file cannot be read, UsageError when its fields are those of no set.
    """
    if path.suffix in (".diff", ".msg") or path.name.endswith((".diff.txt", ".msg.txt")):
        yield from _read_lines(path)
        return
    if path.suffix == ".json":
        yield from _read_array(path)
        return
    table = open_rows(path)
    try:
        take = _find_fields(path, table.names)
    except UsageError:
        table.close()
        raise
    for record in table:
        if record.problem:
            yield f"rows that cannot be read ({record.problem})"
            continue
        cells = zip(table.names, record.cells, strict=False)
        yield _take(take, {name: cell for name, cell in cells if cell is not MISSING})
    if table.broken:
        raise InputError(f"{show(str(path))} breaks off: {table.broken}.", "Fetch it again.")


def open_rows(path: Path) -> Table:
    """The rows of a file that others have made; raises InputError and UsageError."""
    try:
        return open_table(str(path), format=None, encoding=None, header=True)
    except UsageError as problem:
        raise UsageError(problem.message, "End it in .jsonl, .csv, .tsv or .parquet.") from None
    except InputError as problem:
        hint = "Write it as UTF-8." if "--encoding" in problem.hint else problem.hint
        raise InputError(problem.message, hint) from None


def _find_fields(path: Path, names: Sequence[str]) -> Fields:
    known = set(names)
    if {"message", "mods"} <= known:
        return _chronicle
    if {"message", "diff"} <= known:
        return _bench
    if "release" in known:
        source = next((name for name in ("commits", "tree", "diff", "diffs") if name in known), None)
        if source:
            return lambda row: _release(row, source)
    if {"instruction", "output"} <= known:
        return _instruct
    raise UsageError(
        f"{show(str(path))} has the fields of no set that is known: {show(', '.join(names))[:200]}.",
        "Known are NNGen, MCMD, CommitBench, CommitChronicle and ReleaseEval.",
    )


def _take(take: Fields, row: dict[str, Any]) -> Row | str:
    try:
        found = take(row)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        return "rows with fields of another kind"
    if not found.message.strip() or not found.patch.strip():
        return "empty rows"
    return "rows that are too long" if len(found.patch) > MAX_TEXT else found


def _bench(row: dict[str, Any]) -> Row:
    return Row(
        str(row.get("hash", "")),
        str(row.get("project", "")),
        0,
        _text(row["message"]),
        _text(row["diff"]),
        split=_SPLITS.get(str(row.get("split", ""))),
    )


def _chronicle(row: dict[str, Any]) -> Row:
    mods = row["mods"]
    parts = []
    for mod in json.loads(mods) if isinstance(mods, str) else mods:
        old, new = mod.get("old_path"), mod.get("new_path")
        head = [f"diff --git a/{old or new} b/{new or old}"]
        kind = mod.get("change_type")
        head += ["new file mode 100644"] if kind == "ADD" else []
        head += ["deleted file mode 100644"] if kind == "DELETE" else []
        head += [f"rename from {old}", f"rename to {new}"] if kind == "RENAME" else []
        if "@@" in mod["diff"]:
            head += [f"--- a/{old}" if old else "--- /dev/null", f"+++ b/{new}" if new else "+++ /dev/null"]
        parts.append("\n".join([*head, _text(mod["diff"]).strip("\n")]))
    return Row(
        str(row.get("hash", "")),
        str(row.get("repo", "")),
        _time(row.get("date")),
        _text(row.get("original_message") or row["message"]),
        "\n".join(parts) + "\n",
        str(row.get("license") or ""),
        _SPLITS.get(str(row.get("split", ""))),
    )


def _release(row: dict[str, Any], source: str) -> Row:
    return Row("", str(row.get("repo", "")), 0, _text(row["release"]), _text(row[source]), is_tree=True)


def _instruct(row: dict[str, Any]) -> Row:
    return Row("", "", 0, _text(row["output"]), _text(row["input"]), is_tree=True)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(type(value))
    return value


def _time(value: Any) -> int:
    """A date as CommitChronicle writes it, `31.12.2020 23:59:59`, or in ISO 8601; 0 for none."""
    text = str(value or "")
    for form in ("%d.%m.%Y %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S"):
        try:
            return int(datetime.strptime(text[:19], form).replace(tzinfo=timezone.utc).timestamp())
        except ValueError:
            continue
    return 0


def _read_array(path: Path) -> Iterator[Row | str]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as problem:
        raise InputError(f"{show(str(path))} is no readable JSON.", "Fetch it again.") from problem
    if not isinstance(found, list) or not found or not isinstance(found[0], dict):
        raise InputError(f"{show(str(path))} holds no list of objects.", "Give JSON lines, CSV or Parquet.")
    take = _find_fields(path, list(found[0]))
    for row in found:
        yield _take(take, row) if isinstance(row, dict) else "rows that are no object"


def _read_lines(path: Path) -> Iterator[Row | str]:
    """Files of lines that belong together: `.diff` and `.msg`, and what else stands beside them."""
    tail = ".txt" if path.suffix == ".txt" else ""
    stem = path.name.removesuffix(tail).rpartition(".")[0]
    files = {name: path.with_name(f"{stem}.{name}{tail}") for name in ("diff", "msg", "repo", "sha", "time")}
    for name in ("diff", "msg"):
        if not files[name].is_file():
            raise InputError(f"There is no {show(str(files[name]))} beside it.", "Fetch both files.")
    there = {name: open_lines(str(file), None) for name, file in files.items() if file.is_file()}
    word = next((part for part in re.split(r"[._]", stem) if part in _SPLITS), "")
    try:
        for number, records in enumerate(zip_longest(*there.values()), 1):
            cells = {
                name: "" if record is None else record.cells[0]
                for name, record in zip(there, records, strict=True)
            }
            row = {
                "hash": cells.get("sha") or f"{stem}:{number}",
                "project": cells.get("repo", ""),
                "message": untokenise(cells["msg"]),
                "diff": "\n".join(untokenise(line) for line in cells["diff"].split("<nl>")),
                "split": word,
            }
            found = _take(_bench, row)
            yield found if isinstance(found, str) else found._replace(time=_time(cells.get("time")))
    finally:
        for table in there.values():
            table.close()


def untokenise(text: str) -> str:
    """A line without the blanks that these sets put around signs, as far as words tell where they belong."""
    text = re.sub(r"(?<=\w) ([./_-]) (?=\w)", r"\1", text.strip())
    return re.sub(r" ([.,;:!?)\]])", r"\1", re.sub(r"([(\[]) ", r"\1", text))
