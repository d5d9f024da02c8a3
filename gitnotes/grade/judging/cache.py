"""How is no answer of a model paid for twice, also when the process is killed in between?"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from gitnotes.codec import from_json, to_json
from gitnotes.errors import InputError
from gitnotes.generation import Completion, Request
from gitnotes.guard.text import shorten

_SCHEMA = "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, answer TEXT NOT NULL) WITHOUT ROWID"


class AnswerCache:
    """Answers by question in one SQLite file; an answer is on disk before it is used."""

    def __init__(self, path: Path) -> None:
        """Raises InputError when the file cannot be used."""
        self._lock = threading.Lock()
        self._path = path
        with self._usable():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not path.exists():
                # Answers quote what was judged.
                os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
            self._base = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
            self._base.execute("PRAGMA journal_mode=WAL")
            self._base.execute("PRAGMA synchronous=NORMAL")
            self._base.execute(_SCHEMA)
            self._base.execute("SELECT key, answer FROM answers LIMIT 0")

    def __enter__(self) -> AnswerCache:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        # A call that was given up may still come back with an answer in another thread.
        with self._lock:
            self._base.close()

    def get(self, key: str) -> list[Completion] | None:
        """What was answered, or None. Raises InputError when the file cannot be read."""
        with self._lock, self._usable():
            row = self._base.execute("SELECT answer FROM answers WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        try:
            return [from_json(Completion, item) for item in json.loads(row[0])] or None
        except (ValueError, TypeError, RecursionError):
            return None  # of another version; it is asked again

    def put(self, key: str, answers: list[Completion]) -> None:
        """Keeps what was answered. Raises InputError when the file cannot be written."""
        with self._lock, self._usable():
            self._base.execute(
                "INSERT OR REPLACE INTO answers VALUES (?, ?)", (key, json.dumps(to_json(answers)))
            )

    @contextmanager
    def _usable(self) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.Error) as problem:
            raise InputError(
                f"The cache of answers '{shorten(str(self._path))}' cannot be used: {problem}.",
                "Remove it, or set GITNOTES_CACHE.",
            ) from None


class Weights:
    """What a model found texts to weigh, kept among its answers."""

    def __init__(self, cache: AnswerCache) -> None:
        self._cache = cache

    def get(self, key: str) -> float | None:
        """What was weighed, or None. Raises InputError when the file cannot be read."""
        answers = self._cache.get(key)
        try:
            return float(answers[0].text) if answers else None
        except ValueError:
            return None

    def put(self, key: str, value: float) -> None:
        """Keeps a weight to the last bit. Raises InputError when the file cannot be written."""
        self._cache.put(key, [Completion(repr(value), "")])


def key_of(model: str, request: Request) -> str:
    """The key of a question: the whole of it, and who is asked; the time it may take does not matter."""
    question = to_json(request)
    del question["timeout"], question["once"]
    whole = json.dumps([model, question], sort_keys=True)
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()
