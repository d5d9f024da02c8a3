"""What is in a gzipped stream, up to the place where it is damaged?"""

from __future__ import annotations

import io
import zlib
from typing import Any, BinaryIO

MAGIC = b"\x1f\x8b"
_PIECE = 1 << 16
_GZIP = 16 + zlib.MAX_WBITS


class Gunzip(io.RawIOBase):
    """The unpacked bytes; damage ends them, and does not raise. Use it in an io.BufferedReader.

    Python's own gzip module raises instead, and what it had unpacked in the same step is lost.
    """

    def __init__(self, raw: BinaryIO) -> None:
        super().__init__()
        self.broken = ""
        """What is wrong with the packed data; empty while nothing is."""
        self.torn = False
        """Whether the unpacked bytes may end in the middle of a line."""
        self._raw = raw
        self._engine: Any = zlib.decompressobj(_GZIP)
        self._packed = b""
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready and not self.broken:
            self._packed = self._packed or self._raw.read(_PIECE)
            if self._engine.eof and not self._begin_member():
                break
            self._ready = self._unpack(len(buffer))
        size = min(len(buffer), len(self._ready))
        buffer[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

    def _begin_member(self) -> bool:
        """Whether another member begins here; zeros after the last one are padding."""
        self._packed = self._packed.lstrip(b"\0")
        while len(self._packed) < len(MAGIC) and (more := self._raw.read(_PIECE)):
            self._packed = (self._packed + more).lstrip(b"\0")
        if not self._packed:
            return False
        if not self._packed.startswith(MAGIC):
            self.broken = "what follows its gzip data is no gzip data"
            return False
        self._engine = zlib.decompressobj(_GZIP)
        return True

    def _unpack(self, size: int) -> bytes:
        before = self._engine.copy()
        try:
            data: bytes = self._engine.decompress(self._packed, size)
        except zlib.error as problem:
            whole = "incorrect data check" in str(problem) or "incorrect length check" in str(problem)
            self.torn = not whole
            self.broken = "the checksum of its gzip data is wrong" if whole else "its gzip data are damaged"
            return _unpack_by_bytes(before, self._packed)
        if not self._packed and not data and not self._engine.eof:
            self.torn = True
            self.broken = "its gzip data end in the middle"
        self._packed = self._engine.unused_data if self._engine.eof else self._engine.unconsumed_tail
        return data


def _unpack_by_bytes(engine: Any, packed: bytes) -> bytes:
    """What can be unpacked before the first error; a call that fails gives nothing at all."""
    found = []
    try:
        for place in range(len(packed)):
            found.append(engine.decompress(packed[place : place + 1]))
    except zlib.error:
        pass
    return b"".join(found)
