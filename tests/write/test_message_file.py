"""Is the layout of git's message file what git itself makes of it?"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitnotes.errors import InputError
from gitnotes.write.message_file import (
    Cleanup,
    MessageFile,
    cleanup_mode,
    comment_string,
    insert_suggestion,
    is_empty,
    stored_text,
)
from tests.conftest import Repo

CUT = b"# ------------------------ >8 ------------------------\n"
EXPLAINED = CUT + b"# Do not modify or remove the line above.\n# Everything below it will be ignored.\n"
DIFF = b"diff --git a/a b/a\nindex 1..2 100644\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+# b\n"

FILES = {
    "plain": b"\n# Please enter the commit message\n#\n# On branch main\n",
    "subject": b"Subject\n\n# comment\n",
    "gap over a comment": b"Subject\n\n# comment\n\nBody\n\n\n\nmore\n",
    "no final newline": b"Subject\n\nBody",
    "crlf": b"Subject\r\n\r\nBody \r\n# comment\r\n",
    "trailing space": b"  Subject \t \n   \nBody\t\n",
    "form feed": b"Subject\n\x0c\nBody\x0b\n",
    "verbose": b"Subject\n\n# On branch main\n#\n" + EXPLAINED + DIFF,
    "verbose, nothing typed": b"\n# On branch main\n" + EXPLAINED + DIFF,
    "cut line first": EXPLAINED + DIFF,
    "two cut lines": b"Subject\n" + CUT + b"# status\n" + EXPLAINED + DIFF,
    "cut line, CRLF": b"Subject\r\n" + CUT.replace(b"\n", b"\r\n") + b"tail\r\n",
    "cut line inside a line": b"Subject\nx " + CUT + b"tail\n",
    "own text below": b"Subject\n\n" + CUT + b"own text\n",
    "comment in the middle": b"Subject\n\nBody\n#12 is fixed\n# no\nend\n",
    "other comment": b"Subject\n\n; note\n# heading\n",
    "utf-8": "Subjéct 变更 🎉\n\n# ünd\n".encode(),
    "bom": b"\xef\xbb\xbfSubject\n",
    "latin-1": b"Subj\xe9ct\n\nna\xefve \xe2\x82 cut\n",
    "noncharacter": "Subject \ufdd0 \uffff \U0001fffe end\n".encode(),
    "overlong and surrogate": b"Subject \xc0\xaf \xed\xa0\x80 \xf5\x80\x80\x80\n",
}


def editor_that_writes(folder: Path, content: bytes) -> str:
    """The value of GIT_EDITOR for an editor that saves `content`."""
    source = folder / "typed"
    source.write_bytes(content)
    return f"cp {shlex.quote(str(source))}"


def git_stores(repo: Repo, content: bytes, *options: str) -> bytes | None:
    """The raw message after an editor saved `content`; None when git refuses it."""
    done = repo.run(
        "git",
        "commit",
        "--allow-empty",
        "--quiet",
        *options,
        GIT_EDITOR=editor_that_writes(repo.path / ".git", content),
    )
    if done.returncode != 0:
        return None
    raw = repo.run("git", "cat-file", "commit", "HEAD").stdout
    return raw.partition(b"\n\n")[2]


@pytest.mark.parametrize("cleanup", ["strip", "whitespace", "verbatim", "scissors"])
@pytest.mark.parametrize("verbose", [False, True])
def test_stored_text_is_what_git_stores(repo: Repo, cleanup: Cleanup, verbose: bool) -> None:
    for name, content in FILES.items():
        options = [f"--cleanup={cleanup}", *(["-v"] if verbose else [])]
        stored = git_stores(repo, content, *options)
        expected = stored_text(content, "#", cleanup, verbose=verbose)
        assert is_empty(expected, cleanup) == (stored is None), (name, expected)
        if stored is not None:
            assert expected.encode() == stored, name


def test_another_comment_character(repo: Repo) -> None:
    repo.git("config", "core.commentChar", ";")
    content = b"Subject\n\n; note\n# heading\n;\n" + CUT.replace(b"#", b";") + DIFF
    assert git_stores(repo, content, "-v") == b"Subject\n\n# heading\n"
    assert stored_text(content, ";") == "Subject\n\n# heading\n"


def test_commit_encoding(repo: Repo) -> None:
    repo.git("config", "i18n.commitEncoding", "ISO-8859-1")
    content = "Größe ändern\n\n# Kommentar\n".encode("latin-1")
    stored = git_stores(repo, content)
    assert stored == "Größe ändern\n".encode("latin-1")
    assert stored_text(content, encoding="ISO-8859-1") == "Größe ändern\n"


@given(data=st.binary(max_size=80).map(lambda raw: raw.replace(b"\0", b"\n").replace(b"x", b"\n#")))
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_cleaning_is_git_stripspace(data: bytes) -> None:
    environment = {
        "PATH": os.environ["PATH"],
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
    }
    modes: list[tuple[Cleanup, list[str]]] = [("strip", ["-s"]), ("whitespace", [])]
    for cleanup, options in modes:
        done = subprocess.run(
            ["git", "stripspace", *options], input=data, capture_output=True, env=environment, check=True
        )
        stored = stored_text(data, "#", cleanup, "latin-1", verbose=False)
        assert stored.encode("latin-1") == done.stdout


@given(
    st.lists(st.sampled_from([b"text\n", b"# c\n", b"\n", CUT, DIFF, b"\r\n", b"tail", b"\0"])).map(b"".join)
)
def test_parts_are_the_file_again(data: bytes) -> None:
    parts = MessageFile.parse(data)
    assert parts.text + parts.comments + parts.below == data


def test_parts_of_a_real_file() -> None:
    text = b"Subject\n\n# kept apart\nBody\n\nSigned-off-by: A <a@b>\n\n"
    comments = b"# Please\n#\n# On branch\n#\n"
    parts = MessageFile.parse(text + comments + EXPLAINED + DIFF)
    assert (parts.text, parts.comments, parts.below) == (text, comments, EXPLAINED + DIFF)


@pytest.fixture
def message_of(repo: Repo) -> Callable[..., bytes]:
    """What git puts into the message file for `git commit OPTIONS` before an editor sees it."""
    repo.commit("Begin", {"a.txt": "a\n"})
    (repo.path / "b.txt").write_text("b\n")
    repo.git("add", "b.txt")
    (repo.path / "a.txt").write_text("changed\n")

    def look(*options: str, **config: str) -> bytes:
        seen = repo.path / ".git" / "seen"
        settings = [
            item for key, value in config.items() for item in ("-c", f"{key.replace('_', '.')}={value}")
        ]
        # An editor that empties the file ends the commit, so every call starts from the same state.
        script = "import shutil, sys; shutil.copy(sys.argv[2], sys.argv[1]); open(sys.argv[2], 'w').close()"
        editor = f"{shlex.quote(sys.executable)} -S -c {shlex.quote(script)} {shlex.quote(str(seen))}"
        seen.unlink(missing_ok=True)
        repo.run("git", *settings, "commit", *options, GIT_EDITOR=editor)
        return seen.read_bytes()

    return look


def test_diff_of_verbose_is_recognised_without_being_told(message_of: Callable[..., bytes]) -> None:
    for options in (["-v"], ["-v", "-v"], ["-v", "--cleanup=whitespace"], ["-v", "--cleanup=verbatim"]):
        data = message_of(*options)
        assert b"diff --git" in data
        cleanup = "strip" if len(options) == 1 or options[1] == "-v" else options[1].partition("=")[2]
        assert "diff --git" not in stored_text(b"Subject\n" + data, "#", cleanup)  # type: ignore[arg-type]
    own = b"Subject\n\n" + CUT + b"own text\n"
    assert stored_text(own) == "Subject\n\nown text\n"


@pytest.mark.parametrize(
    ("options", "configured", "expected"),
    [
        ([], None, "strip"),
        (["-v"], "default", "strip"),
        (["--cleanup=scissors"], None, "scissors"),
        (["--cleanup=scissors", "-v"], None, "scissors"),
        ([], "whitespace", "whitespace"),
        (["-v"], "scissors", "scissors"),
        (["-s"], None, "strip"),
    ],
)
def test_cleanup_mode(
    message_of: Callable[..., bytes], options: list[str], configured: str | None, expected: str
) -> None:
    data = b"Subject\n#12 kept by scissors\n" + message_of(*options)
    assert cleanup_mode(data, "#", configured, editor=True) == expected


def test_cleanup_mode_without_an_editor() -> None:
    assert cleanup_mode(b"Subject\n", "#", None, editor=False) == "whitespace"
    assert cleanup_mode(b"Subject\n", "#", "scissors", editor=False) == "whitespace"
    assert cleanup_mode(b"Subject\n", "#", "strip", editor=False) == "strip"
    with pytest.raises(InputError, match="git does not know"):
        cleanup_mode(b"", "#", "scrub", editor=True)


@pytest.mark.parametrize("options", [[], ["-v"], ["-s"], ["--cleanup=scissors"], ["-v", "-v"]])
def test_automatic_comment_character(message_of: Callable[..., bytes], options: list[str]) -> None:
    assert comment_string(message_of(*options, core_commentChar="auto"), "auto") == "#"
    data = message_of("-e", "-m", "#12 and\n;13 fixed", *options, core_commentChar="auto")
    assert b"\n@" in data
    assert comment_string(data, "auto") == "@"


def test_comment_string_without_help_from_the_file() -> None:
    assert comment_string(b"; text\n; text\n", None) == "#"
    assert comment_string(b"# text\n", ";") == ";"
    assert comment_string(b"# text\n", "//") == "//"
    assert comment_string(b"", "auto") == "#"
    assert comment_string(b"Thanks to\n@ada for this\n", "auto") == "#"
    assert comment_string(b"Subject\n\n@ada\n@bob\n", "auto") == "#"


def test_suggestion_stands_on_top_and_the_rest_stays(
    message_of: Callable[..., bytes], tmp_path: Path
) -> None:
    template = tmp_path / "template"
    template.write_bytes(b"Ticket: \n\n# think first\n")
    for options in (
        [],
        ["-v"],
        ["-s"],
        ["-t", str(template)],
        ["--cleanup=scissors"],
        ["--no-status"],
        ["--trailer", "Ref: 1"],
    ):
        data = message_of(*options)
        filled = insert_suggestion(data, "Add b\n\nIt was missing.")
        assert filled.startswith(b"Add b\n\nIt was missing.\n\n") or data in (b"", b"\n")
        assert filled.endswith(data)
        cleanup = cleanup_mode(filled, "#", None, editor=True)
        assert stored_text(filled, "#", cleanup).startswith("Add b\n\nIt was missing.\n")
    assert insert_suggestion(b"", "Add b") == b"Add b\n"
    assert insert_suggestion(b"\n", "Add b") == b"Add b\n\n"


def test_trailer_stays_a_paragraph_of_its_own(message_of: Callable[..., bytes]) -> None:
    filled = insert_suggestion(message_of("-s"), "Add b")
    assert stored_text(filled) == "Add b\n\nSigned-off-by: Ada Example <ada@example.org>\n"


def test_suggestion_is_made_harmless() -> None:
    hostile = "\n#1 thing\r\n\x1b[31mred\x1b[0m\0 \u202e\n\n# heading  \n- item\n\n"
    assert insert_suggestion(b"\n# c\n", hostile) == b" #1 thing\nred\n\n # heading\n- item\n\n# c\n"
    assert insert_suggestion(b"\n- c\n", "Add\n\n- item", "-") == b"Add\n\n - item\n\n- c\n"
    assert insert_suggestion(b"\n// c\n", "Add\n\n// x\n/ y", "//") == b"Add\n\n // x\n/ y\n\n// c\n"


def test_lines_of_the_suggestion_are_stored(repo: Repo) -> None:
    filled = insert_suggestion(b"\n# Please\n", "Fix it\n\n#12 goes too")
    assert git_stores(repo, filled) == b"Fix it\n\n #12 goes too\n"


def test_line_ends_and_encoding_of_the_file() -> None:
    assert insert_suggestion(b"\r\n# c\r\n", "Add\n\nb") == b"Add\r\n\r\nb\r\n\r\n# c\r\n"
    assert insert_suggestion(b"# c\r\n", "Add") == b"Add\r\n\r\n# c\r\n"
    assert insert_suggestion(b"\n", "Größe → 1", encoding="ISO-8859-1") == "Größe ? 1\n\n".encode("latin-1")
    assert insert_suggestion(b"\nna\xefve\n", "Größe") == "Größe\n".encode() + b"\nna\xefve\n"


@pytest.mark.parametrize("encoding", ["no-such", "hex", "utf-16"])
def test_encodings_that_cannot_be_used(encoding: str) -> None:
    with pytest.raises(InputError):
        insert_suggestion(b"\n", "Add", encoding=encoding)


def test_suggestion_is_inserted_once_and_never_empty() -> None:
    data = b"\n# c\n"
    once = insert_suggestion(data, "Add b")
    assert insert_suggestion(once, "Add b") == once
    assert insert_suggestion(data, " \n\x1b[0m\n") == data


def test_nul_is_refused_where_git_refuses_it(repo: Repo) -> None:
    assert git_stores(repo, b"Sub\0ject\n") is None
    with pytest.raises(InputError, match="NUL"):
        stored_text(b"Sub\0ject\n")
    below = b"Subject\n# c\n" + EXPLAINED + DIFF + b"+\0\n"
    assert git_stores(repo, below, "-v") == b"Subject\n"
    assert stored_text(below) == "Subject\n"
    above = b"Subject\n# \0\n" + EXPLAINED + b"tail\n"
    assert git_stores(repo, above, "-v") == b"Subject\ntail\n"
    assert stored_text(above, verbose=True) == "Subject\ntail\n"
    with pytest.raises(InputError, match="NUL"):
        insert_suggestion(b"\n# \0\n", "Add")


def test_message_that_cannot_be_decoded() -> None:
    with pytest.raises(InputError, match="not valid"):
        stored_text(b"\x81\xff\n", encoding="shift_jis")
    with pytest.raises(InputError, match="unknown"):
        stored_text(b"a\n", encoding="no-such")


@pytest.mark.parametrize(
    ("text", "empty"),
    [
        ("", True),
        (" \t\r\n\n", True),
        ("Signed-off-by: A <a@b>\n", True),
        ("Subject\n", False),
        ("\x0c\n", False),
    ],
)
def test_what_git_takes_for_no_message(repo: Repo, text: str, empty: bool) -> None:
    assert is_empty(text) is empty
    assert (git_stores(repo, text.encode()) is None) is empty
