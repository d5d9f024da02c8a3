"""Which faults were there before a gate was set up, so that only new ones fail?

A fault is a rule and the key of its message: a digest of author, author date and text, which a
rebase, a pick or an amended change does not touch, and a reworded message does.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from gitnotes.codec import SCHEMA
from gitnotes.customs import read_input
from gitnotes.errors import InputError
from gitnotes.guard.text import shorten, show
from gitnotes.recipes.gate import Judged

_LONGEST = 16 << 20
"""Bytes of a baseline that are read: some 100,000 faults."""


def collect_faults(judged: Iterable[Judged], rows: dict[tuple[str, str], str]) -> Iterator[Judged]:
    """The same, each fault put into `rows`: key and rule to the subject, for whoever reads the file."""
    for one in judged:
        for fault in one.faults:
            rows[one.item.key, fault.rule] = shorten(one.item.subject)
        yield one


def read_baseline(path: Path) -> frozenset[tuple[str, str]]:
    """The faults of a baseline file as pairs of key and rule.

    Raises InputError when it cannot be read or is none.
    """
    data = read_input(path, _LONGEST)
    try:
        content = json.loads(data)
        if content["schema"] != SCHEMA or content["kind"] != "baseline":
            raise ValueError("it is of another kind")
        return frozenset((str(row["key"]), str(row["rule"])) for row in content["faults"])
    except (ValueError, KeyError, TypeError, RecursionError) as problem:
        raise InputError(
            f"{show(str(path))} is not a baseline of gitnotes.", "Make one with --write-baseline FILE."
        ) from problem


def write_baseline(path: Path, faults: Mapping[tuple[str, str], str]) -> int:
    """Writes the faults, one a line in a fixed order, so that versions of the file compare and merge;
    how many there are. The file is replaced as a whole. Raises InputError."""
    from gitnotes.write.atomic import replace_file

    rows = [
        json.dumps({"key": key, "rule": rule, "subject": subject})
        for (key, rule), subject in sorted(faults.items())
    ]
    head = f'{{"schema": {SCHEMA}, "kind": "baseline", "faults": ['
    replace_file(path, (head + "\n" + ",\n".join(rows) + "\n]}\n").encode("ascii"))
    return len(rows)
