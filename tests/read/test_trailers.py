from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitnotes.read.git import open_git
from gitnotes.read.history import read_range
from gitnotes.read.log_format import split_message
from gitnotes.read.trailers import Person, TrailerReader, co_authors, map_people, parse_trailers
from tests.conftest import Repo

PIECES = [
    "Signed-off-by: A <a@example.org>",
    "Co-authored-by: B <b@example.org>",
    "(cherry picked from commit 0123456789012345678901234567890123456789)",
    "Key : value",
    "Key:",
    ": no key",
    "-x-: y",
    "two words: z",
    "Schlüssel: Wert",
    " continued",
    "\tcontinued: more",
    "prose that goes on",
    "# comment",
    "#: x",
    "Conflicts:",
    "\tfile.c",
    "",
    "",
    "   ",
    "https://example.org/x",
    "Signed-off-by:missing",
    "---",
    "a\x0b: b",
]


def read_by_git(repo: Repo, message: str) -> list[str]:
    done = repo.run("git", "interpret-trailers", "--parse", "--no-divider", input=message.encode())
    return [line.rstrip(" ") for line in done.stdout.decode().split("\n") if line]


STORED = [
    *PIECES,
    "# ------------------------ >8 ------------------------",
    "# ------------------------ >8 ------------------------\r",
    "\r",
    "A: b\r",
    "\r  continued",
    "Key: v\r\n  folded\r",
    "x\ry: z",
]


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(messages=st.lists(st.lists(st.sampled_from(STORED), max_size=9), min_size=20, max_size=40))
def test_same_as_git_of_what_is_stored(repo: Repo, messages: list[list[str]]) -> None:
    stream = b""
    for number, lines in enumerate(messages):
        data = "\n".join(["Subject", *lines, ""]).encode()
        stream += b"commit refs/heads/x\ncommitter A <a@b> %d +0000\ndata %d\n%b\n" % (
            number,
            len(data),
            data,
        )
    repo.git("update-ref", "-d", "refs/heads/x")
    assert repo.run("git", "fast-import", "--quiet", "--force", input=stream).returncode == 0
    form = "--format=%(trailers:only,unfold,separator=%x01)"
    theirs = repo.run("git", "log", "-z", "--topo-order", form, "x", "--").stdout.decode().split("\0")
    ours = [commit.trailers for commit in read_range(open_git(), None, "x").commits]
    for pairs, text in zip(ours, theirs, strict=False):
        found = [f"{key}: {value}".strip() for key, value in pairs]
        assert found == [line.strip() for line in text.split("\x01") if line]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(st.sampled_from(PIECES), min_size=1, max_size=9))
def test_same_as_git(repo: Repo, lines: list[str]) -> None:
    message = "\n".join(["Subject", "", *lines, ""])
    subject, body = split_message(message)
    assert subject == "Subject"
    ours = [f"{key}: {value}".rstrip(" ") for key, value in parse_trailers(body)]
    assert ours == read_by_git(repo, message)


def test_what_is_met_again_is_one_object() -> None:
    reader = TrailerReader()
    first = reader.read("Why.\n\nSigned-off-by: A <a@example.org>")
    assert reader.read("Other.\n\nSigned-off-by: A <a@example.org>") is first
    longer = reader.read("Refs: #1\nSigned-off-by: A <a@example.org>")
    assert longer[1] is first[0]


def test_a_long_block_takes_linear_time() -> None:
    body = "\n".join(f"Key-{number}: value" for number in range(40_000))
    assert len(parse_trailers(body)) == 40_000
    assert parse_trailers("Key: v\n" + " more\n" * 100_000)[0][1].count("more") == 100_000


def test_co_authors() -> None:
    found = parse_trailers(
        "Co-authored-by: Bea B. <bea@example.org>\nCO-AUTHORED-BY: Bea <BEA@example.org>\n"
        "Signed-off-by: C <c@example.org>\nCo-authored-by: nobody\nCo-authored-by: <d@example.org>"
    )
    assert co_authors(found) == (Person("Bea B.", "bea@example.org"), Person("", "d@example.org"))


def test_mailmap_of_people(repo: Repo) -> None:
    (repo.path / ".mailmap").write_text("Bea Proper <bea@example.org> <old@example.org>\n")
    known, unknown = Person("bea", "old@example.org"), Person("C", "c@example.org")
    odd = Person("x\ny", "<")
    assert map_people(open_git(), [known, unknown, odd, known]) == {
        known: Person("Bea Proper", "bea@example.org"),
        unknown: unknown,
        odd: odd,
    }
    assert map_people(open_git(), []) == {}


@pytest.mark.parametrize(
    ("body", "trailers"),
    [
        ("Text.\n\nSigned-off-by: A <a@b>\nCo-authored-by: C <c@d>", ["Signed-off-by", "Co-authored-by"]),
        ("Signed-off-by: A <a@b>", ["Signed-off-by"]),
        ("Note: this is\nprose over lines", []),
        ("Text\nSigned-off-by: A <a@b>", ["Signed-off-by"]),
        ("Long: one\n  continued\nRefs: x", ["Long", "Refs"]),
        ("Refs: x\n\n# comment: y", ["Refs"]),
        ("Refs: x\n\nConflicts:\n\ta: b", ["Refs"]),
        ("", []),
    ],
)
def test_trailers(body: str, trailers: list[str]) -> None:
    assert [key for key, _ in parse_trailers(body)] == trailers
