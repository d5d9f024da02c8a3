"""Does a range have a date, whatever the settings are and whatever the objects claim?"""

from __future__ import annotations

import pytest

from gitnotes.read.git import open_git
from gitnotes.read.history import read_range
from gitnotes.read.shipped import find_shipped
from gitnotes.read.versions import commit_time, list_tags, resolve_range
from tests.conftest import START, Repo

NO_DATE = "1970-01-01"


def store(repo: Repo, kind: str, data: str) -> str:
    done = repo.run("git", "hash-object", "-t", kind, "-w", "--stdin", "--literally", input=data.encode())
    return done.stdout.decode().strip()


def commit_with(repo: Repo, date: str, header: str = "") -> str:
    tree = repo.git("hash-object", "-t", "tree", "-w", "--stdin")
    people = f"author A <a@b> {START} +0000\ncommitter A <a@b>{date}\n"
    sha = store(repo, "commit", f"tree {tree}\n{people}{header}\nSubject\n")
    repo.git("update-ref", "refs/heads/main", sha)
    return sha


@pytest.mark.parametrize(
    ("date", "shown"),
    [
        (" 1700000000 +0000", "2023-11-14"),
        (" 1700000000", "2023-11-14"),
        ("1700000000 +0000", "2023-11-14"),
        (" 1700000000 +9999", "2023-11-14"),
        (" 253402300799 +0000", "9999-12-31"),
        (" 253402300800 +0000", NO_DATE),
        (" 0 +0000", NO_DATE),
        (" -1 +0000", NO_DATE),
        (" -99999999999 +0000", NO_DATE),
        (" 9223372036854775808 +0000", NO_DATE),
        (" 18446744073709551615 +0000", NO_DATE),
        (" 99999999999999999999999999 +0000", NO_DATE),
        (" notadate +0000", NO_DATE),
        (" \N{ARABIC-INDIC DIGIT ONE} +0000", NO_DATE),
        ("", NO_DATE),
    ],
)
def test_a_commit_with_any_date_ends_a_range(repo: Repo, date: str, shown: str) -> None:
    sha = commit_with(repo, date)
    assert resolve_range(open_git(), "HEAD").date == shown
    repo.git("update-ref", "refs/tags/v1.0.0", sha)
    span = resolve_range(open_git(), "v1.0.0")
    assert (span.version, span.date) == ("1.0.0", shown)


def test_a_date_in_the_message_or_signature_is_none(repo: Repo) -> None:
    signature = "gpgsig -----BEGIN\n committer X <x@y> 5 +0000\n -----END\n"
    sha = commit_with(repo, "", signature + "\ncommitter X <x@y> 7 +0000\n")
    assert commit_time(open_git(), sha) == 0


@pytest.mark.parametrize(
    "tagger",
    [
        "tagger T <t@u> -5 +0000\n",
        "tagger T <t@u> 253402300800 +0000\n",
        "tagger T <t@u> 67768036191676800 +0000\n",
        "tagger T <t@u> 0 +0000\n",
        "tagger T <t@u> soon\n",
        "tagger T\n",
        "",
    ],
)
def test_a_tag_without_a_date_has_that_of_its_commit(repo: Repo, tagger: str) -> None:
    sha = commit_with(repo, " 1600000000 +0000")
    tag = store(repo, "tag", f"object {sha}\ntype commit\ntag v1.0.0\n{tagger}\nText\n")
    repo.git("update-ref", "refs/tags/v1.0.0", tag)
    assert [item.time for item in list_tags(open_git())] == [1_600_000_000]
    assert resolve_range(open_git(), "v1.0.0").date == "2020-09-13"
    repo.git("update-ref", "-d", "refs/tags/v1.0.0")
    outer = store(repo, "tag", f"object {tag}\ntype tag\ntag v1.0.1\n{tagger}\nText\n")
    repo.git("update-ref", "refs/tags/v1.0.1", outer)
    assert resolve_range(open_git(), "refs/tags/v1.0.1").date == "2020-09-13"


SETTINGS = [
    ("log.showSignature", "true"),
    ("i18n.logOutputEncoding", "UTF-16"),
    ("i18n.logOutputEncoding", "UTF-32"),
    ("i18n.logOutputEncoding", "EBCDIC-US"),
    ("i18n.commitEncoding", "UTF-16"),
    ("i18n.commitEncoding", "EBCDIC-US"),
    ("diff.orderFile", "/nonexistent/order"),
    ("format.pretty", "%H"),
    ("log.date", "iso"),
    ("log.decorate", "full"),
    ("log.follow", "true"),
    ("tag.sort", "-creatordate"),
    ("column.ui", "always"),
    ("color.ui", "always"),
]


def test_no_setting_changes_a_range(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    first = commit_with(repo, " 1600000000 +0000")
    repo.git("tag", "v0.9.0", first)
    signed = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n"
    sha = commit_with(repo, " 1600000001 +0000", f"parent {first}\n" + signed)
    program = repo.path / "gpg"
    program.write_text("#!/bin/sh\necho signature\necho complaint >&2\nexit 1\n")
    program.chmod(0o755)
    repo.git("config", "gpg.program", str(program))
    git = open_git()

    def read() -> object:
        span = resolve_range(git, "HEAD")
        tree = read_range(git, span.start_sha, span.end_sha, files=True)
        return span, tree, find_shipped(git, span, tree), commit_time(git, sha)

    before = read()
    assert before[0].date == "2020-09-13"  # type: ignore[index]
    for key, value in SETTINGS:
        with monkeypatch.context() as patch:
            patch.setenv("GIT_CONFIG_COUNT", "1")
            patch.setenv("GIT_CONFIG_KEY_0", key)
            patch.setenv("GIT_CONFIG_VALUE_0", value)
            assert read() == before, (key, value)
