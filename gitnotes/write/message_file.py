"""Where in git's message file are the text, the comments and the diff, and what will git store of it?

Everything here works on bytes and knows git only by its rules: `cleanup_message` and
`wt_status_locate_end` of git's sources, checked against git itself in the tests.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import Literal

from gitnotes.errors import InputError
from gitnotes.guard import text as guard
from gitnotes.messages import trailer_start

Cleanup = Literal["strip", "whitespace", "verbatim", "scissors"]

_FIXED: tuple[Cleanup, ...] = ("strip", "whitespace", "verbatim")
"""The modes that mean the same with and without an editor."""
_CUT = b" ------------------------ >8 ------------------------\n"
_AUTO = "#;@!$%^&|:"
"""The characters that `core.commentChar=auto` may choose, in git's order."""
_SPACES = b" \t\r\n"
"""What git takes for white space; vertical tabs and form feeds are text."""
_SIGN_OFF = "Signed-off-by: "
_NONCHARACTERS = re.compile(
    "[\ufdd0-\ufdef"
    + "".join(f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0, 0x110000, 0x10000))
    + "]"
)


@dataclass(frozen=True, slots=True)
class MessageFile:
    """The parts of a message file, in order; joined they are the file again."""

    text: bytes
    """What a person, `-s` or a template wrote, with the comment lines between."""
    comments: bytes
    """The block of comment and empty lines that git put at the end."""
    below: bytes
    """The scissors line and all that follows: the explanation and the diff of `-v`."""

    @classmethod
    def parse(cls, data: bytes, comment: str = "#") -> MessageFile:
        """The parts of `data`, whose comment lines start with `comment`."""
        marker = comment.encode()
        end = _cut_at(data, marker)
        lines = _lines(data[:end])
        first = len(lines)
        for number in range(len(lines) - 1, -1, -1):
            if lines[number].startswith(marker):
                first = number
            elif lines[number].strip(_SPACES):
                break
        return cls(b"".join(lines[:first]), b"".join(lines[first:]), data[end:])


def comment_string(data: bytes, configured: str | None) -> str:
    """What starts a comment line in `data`, given the value of core.commentChar or commentString.

    Only `auto` needs the file: git chose a character that started no line, and wrote its own
    comments with it. Without any comment in the file the answer is `#`.
    """
    if configured != "auto":
        return configured or "#"
    for line in _lines(data):
        if line.endswith(_CUT) and len(line) == len(_CUT) + 1 and chr(line[0]) in _AUTO:
            return chr(line[0])
    lines = _lines(data.rstrip(_SPACES))
    if not lines or chr(lines[-1][0]) not in _AUTO:
        return "#"
    marker = lines[-1][:1]
    # One such line may be somebody's text; git never writes fewer than two.
    block = [line for line in lines[-2:] if line[:1] == marker and line[1:2] in (b"", *_bytes(_SPACES))]
    return marker.decode() if len(block) == 2 else "#"


def cleanup_mode(data: bytes, comment: str, configured: str | None, *, editor: bool) -> Cleanup:
    """How git will clean the message, given commit.cleanup and whether an editor opens.

    `--cleanup=scissors` on the command line shows in the file: the scissors line stands above
    git's comments, not below them. Other values given there cannot be seen from a hook.
    Raises InputError for a value that git does not know.
    """
    for mode in _FIXED:
        if configured == mode:
            return mode
    if configured not in (None, "", "default", "scissors"):
        raise InputError(f"commit.cleanup is {configured!r}, which git does not know.", "Try `strip`.")
    if not editor:
        return "whitespace"
    marker = comment.encode()
    end = _cut_at(data, marker)
    above = _lines(data[:end])
    if configured == "scissors" or (end < len(data) and not (above and above[-1].startswith(marker))):
        return "scissors"
    return "strip"


def stored_text(
    data: bytes,
    comment: str = "#",
    cleanup: Cleanup = "strip",
    encoding: str = "utf-8",
    *,
    verbose: bool | None = None,
) -> str:
    """The message that git will store of the file `data`, character for character.

    A hook is not told of `git commit -v`: with `verbose` None its diff is recognised by the
    scissors line. Bytes that are not UTF-8 are read as Latin-1, as git does. `encoding` is the
    value of i18n.commitEncoding. Raises InputError for a NUL, on which git gives up, or for
    bytes or an encoding that cannot be read.
    """
    marker = comment.encode()
    end = _cut_at(data, marker)
    if verbose is None:
        verbose = _starts_diff(data[end:], marker)
    if verbose or cleanup == "scissors":
        data = data[:end]
    if cleanup != "verbatim":
        data = _strip_space(data, marker if cleanup == "strip" else b"")
    if b"\0" in data:
        raise InputError("The message has a NUL byte, which git refuses.", "Remove it.")
    return _decode(data, encoding)


def is_empty(text: str, cleanup: Cleanup = "strip") -> bool:
    """Whether git will take the stored `text` for no message: white space and sign-offs only."""
    if cleanup == "verbatim":
        return not text
    return all(line.startswith(_SIGN_OFF) or not line.strip(" \t\r") for line in text.split("\n"))


def insert_suggestion(data: bytes, suggestion: str, comment: str = "#", encoding: str = "utf-8") -> bytes:
    """The file `data` with `suggestion` on top, above trailers, a template's text and comments.

    All of `data` is kept byte for byte below it. A suggestion that is already there is not
    inserted twice. Lines that would read as comments get a space in front; characters that
    `encoding` lacks become `?`. Raises InputError when `encoding` is unknown or makes NUL bytes.
    """
    lines = [line.rstrip() for line in guard.clean(suggestion).split("\n")]
    text = "\n".join(f" {line}" if line.startswith(comment) else line for line in lines).strip("\n")
    if not text:
        return data
    newline = b"\r\n" if data[: data.find(b"\n") + 1].endswith(b"\r\n") else b"\n"
    try:
        top = text.encode(encoding, "replace")
    except LookupError as problem:
        raise _unknown(encoding) from problem
    if b"\0" in top or b"\0" in data:
        raise InputError("The message file would have a NUL byte, which git refuses.", "Use UTF-8.")
    top = top.replace(b"\n", newline) + newline
    if data.startswith(top):
        return data
    gap = b"" if not data or data.startswith((b"\n", b"\r\n")) else newline
    return top + gap + data


def replace_text(
    data: bytes, suggestion: str, comment: str = "#", encoding: str = "utf-8", cleanup: Cleanup = "strip"
) -> bytes:
    """The file `data` with `suggestion` in the place of its text, which stays where git removes it.

    In the mode strip that is among the comments, in the mode scissors at the end of the file; in the
    others git removes nothing, so the file stays as it is. Trailers at the end of the text, as those
    of `git commit -s`, go to the suggestion. Raises InputError as `insert_suggestion` does.
    """
    if cleanup not in ("strip", "scissors"):
        return data
    parsed = MessageFile.parse(data, comment)
    lines = _lines(parsed.text.rstrip(_SPACES))
    start = trailer_start([line.decode("utf-8", "replace") for line in lines])
    aside = b"".join(_as_comment(line.rstrip(b"\r\n"), comment) for line in lines[:start])
    said = suggestion.strip().split("\n")
    trailers = [line.decode(encoding, "replace").strip() for line in lines[start:]]
    added = [line for line in trailers if line and line not in said]
    if added:
        gap = [] if trailer_start(said) < len(said) else [""]
        said += [*gap, *added]
    comments = parsed.comments if parsed.comments.startswith((b"\n", b"\r\n")) else b"\n" + parsed.comments
    if cleanup == "strip":
        rest = comments + _as_comment(b"", comment) + aside + parsed.below
    else:
        rest = comments + parsed.below + b"\n" + aside
    return insert_suggestion(rest, "\n".join(said), comment, encoding)


def _as_comment(line: bytes, comment: str) -> bytes:
    return (comment.encode() + b" " + line).rstrip(_SPACES) + b"\n"


def _lines(data: bytes) -> list[bytes]:
    """The lines of `data` with their ends; only LF ends a line."""
    lines = [line + b"\n" for line in data.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _bytes(data: bytes) -> tuple[bytes, ...]:
    return tuple(bytes([byte]) for byte in data)


def _cut_at(data: bytes, marker: bytes) -> int:
    """Where the scissors line starts; the length of `data` when there is none.

    git searches with C's string functions, so it sees nothing beyond a NUL.
    """
    line = marker + _CUT
    nul = data.find(b"\0")
    searched = data if nul < 0 else data[:nul]
    if searched.startswith(line):
        return 0
    found = searched.find(b"\n" + line)
    return len(data) if found < 0 else found + 1


def _starts_diff(below: bytes, marker: bytes) -> bool:
    """Whether `below`, from the scissors line on, is what git itself puts there."""
    if not below:
        return False
    for line in _lines(below):
        if not line.startswith(marker):
            return line.startswith((b"diff ", b"Submodule ", b"---")) or not line.strip(_SPACES)
    return True


def _strip_space(data: bytes, marker: bytes) -> bytes:
    """git's strbuf_stripspace; comment lines go too when there is a `marker`."""
    kept: list[bytes] = []
    gap = False
    for line in _lines(data):
        if marker and line.startswith(marker):
            continue
        line = line.rstrip(_SPACES)
        if not line:
            gap = bool(kept)
            continue
        if gap:
            kept.append(b"")
        gap = False
        kept.append(line)
    return b"".join(line + b"\n" for line in kept)


def _decode(data: bytes, encoding: str) -> str:
    if encoding.lower() not in ("", "utf-8", "utf8"):
        try:
            return data.decode(encoding)
        except LookupError as problem:
            raise _unknown(encoding) from problem
        except UnicodeError as problem:
            raise InputError(
                f"The message is not valid {encoding}.", "Save it in the encoding of i18n.commitEncoding."
            ) from problem
    # git's verify_utf8 also rejects the code points that Unicode sets aside.
    return _NONCHARACTERS.sub(
        lambda match: match.group().encode().decode("latin-1"), data.decode("utf-8", _LATIN_1)
    )


def _as_latin_1(problem: UnicodeError) -> tuple[str, int]:
    if not isinstance(problem, UnicodeDecodeError):
        raise problem
    return problem.object[problem.start : problem.end].decode("latin-1"), problem.end


_LATIN_1 = "gitnotes-latin-1"
codecs.register_error(_LATIN_1, _as_latin_1)


def _unknown(encoding: str) -> InputError:
    return InputError(f"The encoding {encoding!r} of i18n.commitEncoding is unknown here.", "Use UTF-8.")
