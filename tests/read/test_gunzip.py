"""Is every row kept that can be unpacked, and is it said what is wrong with the rest?"""

from __future__ import annotations

import gzip
import io
import random
from pathlib import Path

import pytest

from gitnotes.read.gunzip import Gunzip
from gitnotes.read.pairs import Layout, PairFile, Row, open_pairs

ROWS = [f"{random.Random(number).getrandbits(64):x},text {number}" for number in range(5000)]
TEXT = "ref,pred\n" + "\n".join(ROWS)
PACKED = gzip.compress(TEXT.encode(), mtime=0)


def opened(folder: Path, data: bytes) -> tuple[PairFile, list[Row]]:
    path = folder / "a.csv.gz"
    path.write_bytes(data)
    pairs = open_pairs(str(path), Layout())
    return pairs, list(pairs)


@pytest.mark.parametrize(
    ("data", "broken"),
    [
        (PACKED, ""),
        (PACKED + b"\0" * 700, ""),
        (PACKED[:-8] + b"\1\2\3\4" + PACKED[-4:], "checksum"),
        (PACKED[:-4] + b"\1\2\3\4", "checksum"),
        (PACKED + b"\0\0garbage", "no gzip data"),
        (PACKED + b"\x1f", "no gzip data"),
        (PACKED[:-3], "end in the middle"),
    ],
)
def test_no_row_is_lost_by_what_comes_after_it(tmp_path: Path, data: bytes, broken: str) -> None:
    pairs, rows = opened(tmp_path, data)
    kept = 4999 if "middle" in broken else 5000  # nobody can know whether the last line is whole
    assert [f"{row.references[0]},{row.prediction}" for row in rows] == ROWS[:kept]
    assert broken in pairs.broken if broken else pairs.broken == ""


def test_small_files_with_a_bad_checksum_are_read_too(tmp_path: Path) -> None:
    data = gzip.compress(b"ref,pred\na,b\n")
    pairs, rows = opened(tmp_path, data[:-8] + b"\0" * 8)
    assert len(rows) == 1 and "checksum" in pairs.broken


@pytest.mark.parametrize("share", [0.3, 0.5, 0.9])
def test_damage_in_the_middle_keeps_whole_rows_only(tmp_path: Path, share: float) -> None:
    place = int(len(PACKED) * share)
    pairs, rows = opened(tmp_path, PACKED[:place])
    found = [f"{row.references[0]},{row.prediction}" for row in rows]
    assert found == ROWS[: len(found)] and len(found) > 4500 * share
    assert "end in the middle" in pairs.broken
    pairs, rows = opened(tmp_path, PACKED[:place] + b"\xff" * 600 + PACKED[place + 600 :])
    assert len(rows) > 4500 * share
    assert "damaged" in pairs.broken or "checksum" in pairs.broken


def test_a_torn_text_in_quotes_is_no_row(tmp_path: Path) -> None:
    data = gzip.compress(b'ref,pred\na,b\nc,"' + random.Random(1).randbytes(9000).hex().encode() + b'"\n')
    pairs, rows = opened(tmp_path, data[:-900])
    assert [row.prediction for row in rows] == ["b"]
    assert "middle" in pairs.broken


@pytest.mark.parametrize("size", [1, 7, 1 << 16])
def test_members_follow_each_other(size: int) -> None:
    parts = [random.Random(number).randbytes(number * 997) for number in range(6)]
    packed = b"".join(gzip.compress(part) + b"\0" * number for number, part in enumerate(parts))
    stream = Gunzip(io.BytesIO(packed))
    found = b"".join(iter(lambda: stream.read(size), b""))
    assert found == b"".join(parts)
    assert (stream.broken, stream.torn) == ("", False)
