"""What does a gitleaks that is installed here find in a text, beyond the shapes that are known here?

It is asked in an empty folder and without the variables that name rules of its own, so that no file
of a clone (`.gitleaks.toml`, `.gitleaksignore`) and no comment in a text (`gitleaks:allow`) can
switch it off. A gitleaks that lies in the clone itself is never started.
"""

from __future__ import annotations

import binascii
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

SECONDS = 3.0
"""For one text; gitleaks takes a tenth of a second."""
_COMMANDS = (("stdin",), ("detect", "--pipe"))
"""How a text is piped in: from 8.19 on, and before that."""
_OPTIONS = ("--no-banner", "--exit-code", "0", "--report-format", "json", "--report-path")
_REPORT = "report.json"
_LARGEST_REPORT = 8 << 20
_MOST = 1000
"""Findings in one text; a program that has more is no gitleaks that can be used."""
_SHORTEST = 4
"""Characters of a secret; less of them stand everywhere."""
_ENCODED = re.compile(r"[\w+/-]{12,}={0,2}", re.ASCII)
_URL_SAFE = str.maketrans("-_", "+/")
_RULES = frozenset(["GITLEAKS_CONFIG", "GITLEAKS_CONFIG_TOML"])


class Found(NamedTuple):
    """A secret, and the rule that knows it."""

    kind: str
    secret: str


def find_gitleaks() -> str | None:
    """The program, looked for in the absolute folders of PATH that are not in the current work tree."""
    tree = _work_tree(Path.cwd())
    for folder in os.get_exec_path():
        place = Path(folder)
        if not place.is_absolute() or (tree and place.resolve().is_relative_to(tree)):
            continue
        found = shutil.which("gitleaks", path=folder)
        if found and Path(found).parent == place:
            return found
    return None


def mask_as_gitleaks(text: str, program: str, seconds: float = SECONDS) -> tuple[str, Counter[str]] | None:
    """The text with `<redacted:rule>` in the place of each secret that gitleaks finds, and their number.

    None when it gives no answer that can be used within `seconds`: it is dead, slow or another program.
    """
    found = _ask(text, program, seconds)
    if found is None:
        return None
    counts: Counter[str] = Counter()
    for kind, secret in sorted(set(found), key=lambda item: (-len(item.secret), item)):
        if number := text.count(secret):
            counts[kind] += number
            text = text.replace(secret, f"<redacted:{kind}>")
    return text, counts


def _ask(text: str, program: str, seconds: float) -> list[Found] | None:
    deadline = time.monotonic() + seconds
    given = re.sub("(?i)gitleaks:allow", "gitleaks-allow", text)
    for command in _COMMANDS:
        with TemporaryDirectory(prefix="gitnotes-") as folder:
            code = _run([program, *command, *_OPTIONS, _REPORT], given, Path(folder), deadline)
            if code == 0:
                return _read_report(Path(folder) / _REPORT, given)
            if code is None:
                return None
    return None


def _run(command: list[str], text: str, folder: Path, deadline: float) -> int | None:
    """The exit code; None when the program does not start, or is not done in time."""
    environment = {name: value for name, value in os.environ.items() if name.upper() not in _RULES}
    try:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
    except (OSError, ValueError):
        return None
    try:
        process.communicate(text.encode("utf-8", "replace"), timeout=max(deadline - time.monotonic(), 0.0))
        return process.returncode
    except subprocess.TimeoutExpired:
        return None
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends what still runs, with the programs that it has started."""
    if process.poll() is not None:
        return
    with suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()


def _read_report(place: Path, text: str) -> list[Found] | None:
    """What the report names; None when it is none, names too much, or names what is not in the text."""
    try:
        if not stat.S_ISREG(place.lstat().st_mode):
            return None
        with place.open("rb") as file:
            rows: Any = json.loads(file.read(_LARGEST_REPORT))
    except (OSError, ValueError, RecursionError):
        return None
    if isinstance(rows, list) and len(rows) > _MOST:
        return None
    found = []
    encoded = _Encoded(text)
    for row in [] if rows is None else rows if isinstance(rows, list) else [None]:
        if not (isinstance(row, dict) and isinstance(row.get("Secret"), str)):
            return None
        secret = row["Secret"]
        if len(secret.strip()) >= _SHORTEST and "<redacted:" not in secret:
            kind = _kind(row.get("RuleID"))
            written = [secret] if secret in text else encoded.find(secret)
            found += [Found(kind, known) for known in written]
    # A wrapper that asks for --redact hides what is to be masked.
    return found if found or not rows else None


class _Encoded:
    """What of a text may be written in base64 or hex, which gitleaks reads as well."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._values: list[tuple[str, bytes]] | None = None

    def find(self, secret: str) -> list[str]:
        """The parts of the text in which the secret is written so."""
        if self._values is None:
            runs = dict.fromkeys(_ENCODED.findall(self._text))
            self._values = [(run, value) for run in runs for value in _decode(run)]
        wanted = secret.encode("utf-8", "replace")
        return [run for run, value in self._values if wanted in value]


def _decode(run: str) -> Iterator[bytes]:
    padded = run.rstrip("=").translate(_URL_SAFE)
    with suppress(ValueError):  # of which binascii.Error is one
        yield binascii.a2b_base64(padded + "=" * (-len(padded) % 4))
    with suppress(ValueError):
        yield binascii.unhexlify(run)


def _kind(rule: object) -> str:
    return re.sub(r"[^a-z0-9]+", "-", str(rule).lower()[:40]).strip("-") or "secret"


def _work_tree(folder: Path) -> Path | None:
    """The work tree that holds `folder`, resolved; None outside of any."""
    resolved = folder.resolve()
    return next((place for place in (resolved, *resolved.parents) if (place / ".git").exists()), None)
