"""What do Go's module files ask for?

go.mod and go.work by the lines of their grammar (golang.org/ref/mod#go-mod-file). go.sum holds the
hashes of versions that were only looked at, so it speaks only where go.mod did not change.
"""

from __future__ import annotations

from collections.abc import Iterator

from gitnotes.read.manifests.entries import Entry, Format


def format_of(path: str, name: str) -> Format | None:
    """How the file is read, judged by its lower-case path and name."""
    if name in ("go.mod", "go.work"):
        return Format("go", _mod)
    if name == "go.sum":
        return Format("go", _sum, lock=True, manifests=("go.mod",))
    return None


def _mod(text: str) -> Iterator[Entry]:
    block = ""
    for line in text.split("\n"):
        code, _, comment = line.partition("//")
        words = [word.strip('"`') for word in code.split()]
        if not words:
            continue
        if words == [")"]:
            block = ""
        elif len(words) == 2 and words[1] == "(":
            block = words[0]
        else:
            verb, values = (block, words) if block else (words[0], words[1:])
            yield from _line(verb, values, comment.strip())


def _line(verb: str, values: list[str], comment: str) -> Iterator[Entry]:
    if verb == "require" and len(values) == 2:
        yield Entry(values[0], values[1], direct=not comment.startswith("indirect"))
    elif verb == "replace" and "=>" in values:
        target = values[values.index("=>") + 1 :]
        if len(target) == 2:
            yield Entry(values[0], target[1], "replace")
    elif verb == "go" and len(values) == 1:
        yield Entry("go", values[0], "language")
    elif verb == "toolchain" and len(values) == 1:
        yield Entry("toolchain", values[0].removeprefix("go"), "language")


def _sum(text: str) -> Iterator[Entry]:
    for line in text.split("\n"):
        words = line.split()
        if len(words) == 3 and not words[1].endswith("/go.mod"):
            yield Entry(words[0], words[1], direct=None)
