"""Does a message file get the verdict it deserves, and the same one as the commit that git makes of it?

The shapes are those on which linters of commit messages were seen to fail or to disagree.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import NamedTuple

import pytest

from gitnotes.errors import InputError
from gitnotes.grade.rules import FormSettings, check_form
from gitnotes.write.message_file import cleanup_mode, comment_string, is_empty, stored_text
from tests.conftest import Repo

GOOD = b"fix(cache): drop entries of closed sessions\n\nThey were kept until the process ended.\n"
HELP = b"\n# Please enter the commit message for your changes.\n# On branch main\n"
CUT = b"# ------------------------ >8 ------------------------\n# Do not touch.\n"
DIFF = b"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+" + b"x" * 300 + b"\n"
BODY = "fix(cache): drop entries of closed sessions\n\n{}\n"


class Case(NamedTuple):
    """A message file, what the repository and the call say about it, and the rules that it breaks."""

    name: str
    data: bytes
    rules: frozenset[str] = frozenset()
    comment: str | None = None
    """The value of core.commentChar."""
    encoding: str = "utf-8"
    editor: bool = True
    cleanup: str | None = None


def case(name: str, data: bytes | str, *rules: str, **options: object) -> Case:
    raw = data.encode() if isinstance(data, str) else data
    return Case(name, raw, frozenset(rules), **options)  # type: ignore[arg-type]


FILES = [
    case("good", GOOD),
    case("comment block", GOOD + HELP),
    case("verbose block", GOOD + HELP + CUT + DIFF),
    case("CRLF", (GOOD + HELP).replace(b"\n", b"\r\n")),
    case("semicolon comments", GOOD + HELP.replace(b"#", b";"), comment=";"),
    case("heading under semicolon comments", GOOD + b"\n# Details\n; no\n", comment=";"),
    case("comment string of two characters", GOOD + b"\n# Details\n// no\n", comment="//"),
    case("comments chosen by git", GOOD + HELP.replace(b"#", b";"), comment="auto"),
    case("long comment", GOOD + b"\n# " + b"word " * 60 + b"\n"),
    case("byte order mark", b"\xef\xbb\xbf" + GOOD),
    case("latin-1 byte", b"fix(cache): drop entries of caf\xe9 sessions\n"),
    case("latin-1 by configuration", b"fix: drop entries of caf\xe9 sessions\n", encoding="latin-1"),
    case("blank lines first", b"\n\n" + GOOD),
    case("number first, no editor", b"#12 fix thing\n", "type-missing", "vague", editor=False),
    case("number first, kept", b"#12 fix thing\n", "type-missing", "vague", cleanup="whitespace"),
    case("merge of a branch", b"Merge branch 'a' into b\n\nSigned-off-by: A <a@b.c>\n"),
    case("merge of a pull request", b"Merge pull request #7 from ada/retries\n\nRetry\n"),
    case("merge by a person", b"merge the two parsers\n", "type-missing"),
    case("merge of code paths", b"Merge the two code paths\n", "type-missing"),
    case("revert", b'Revert "feat: x"\n\nThis reverts commit 0123456789abcdef0123456789abcdef01234567.\n'),
    case("revert by hand", b"Revert to the old parser\n", "type-missing"),
    case("revert with a type", b"revert: feat: read nested arrays\n"),
    case("fixup", b"fixup! feat: read nested arrays\n", "fixup-left"),
    case("squash", b"squash! feat: read nested arrays\n", "fixup-left"),
    case("amend", b"amend! feat: read nested arrays\n\nfeat: read arrays\n", "fixup-left"),
    case("squashed as git proposes", b"Squashed commit of the following:\n\ncommit 0123456\n",
         "type-missing", "default-text"),
    case("squash merge of a host", b"feat: read nested arrays (#12)\n\n* feat: read arrays\n\n* fix: typo\n"),
    case("no blank line", b"fix(cache): drop entries\nof closed sessions\n", "blank-second-line"),
    case("no blank after the colon", b"feat:read nested arrays\n", "type-spacing"),
    case("blank before the colon", b"feat : read nested arrays\n", "type-spacing"),
    case("capital type", b"FEAT: read nested arrays\n", "type-case"),
    case("unknown type", b"feature: read nested arrays\n", "type-unknown"),
    case("no type", b"Read nested arrays\n", "type-missing"),
    case("no description", b"feat: \n", "description-empty", "vague"),
    case("scope with a blank", b"feat(array parser): read nested arrays\n"),
    case("two scopes, comma", b"feat(a,b): read nested arrays\n"),
    case("two scopes, slash", b"feat(a/b): read nested arrays\n"),
    case("empty scope", b"feat(): read nested arrays\n", "scope"),
    case("gitmoji and type", "✨ feat: read nested arrays\n"),
    case("gitmoji alone", "✨ read nested arrays\n", "type-missing"),
    case("Chinese", "feat(build): 增加 git commit 验证\n\n这样可以在提交前发现不符合格式的信息。\n"),
    case("seventy umlauts", "fix: " + "ä" * 67 + "\n"),
    case("twelve families", "feat: show " + "👨‍👩‍👧‍👦" * 12 + " signs\n"),
    case("wide subject", "fix: 读取" + "漢" * 40 + "\n", "subject-length"),
    case("long link", BODY.format("https://example.org/" + "a" * 130)),
    case("words and a long link", BODY.format("see https://example.org/" + "a" * 130)),
    case("long trailer", BODY.format("Why.\n\nCo-authored-by: " + "A " * 45 + "<a@b.c>")),
    case("long prose", BODY.format("word " * 30), "body-width"),
    case("long code", BODY.format("```\n" + "word " * 30 + "\n```")),
    case("long quote", BODY.format("> " + "word " * 30)),
    case("long row of a table", BODY.format("| a | b |\n|---|---|\n| " + "word " * 30 + "| x |")),
    case("escape sequences", b"fix: drop \x1b[31mred\x1b[0m entries\n", "control-character"),
    case("override of direction", "fix: drop \u202eentries\n", "control-character"),
    case("thinking left", b"<think>short</think>\nfeat: read nested arrays\n", "leaked-model-text",
         "blank-second-line", "type-missing"),
    case("fence left", b"```\nfeat: read nested arrays\n```\n", "leaked-model-text", "blank-second-line",
         "type-missing", "vague"),
    case("preamble left", b"Here is the commit message:\n\nfeat: read nested arrays\n", "leaked-model-text",
         "type-missing"),
    case("refusal", b"I'm sorry, but I can't help with that.\n", "leaked-model-text", "type-missing"),
    case("JSON", b'{"subject": "feat: read nested arrays"}\n', "leaked-model-text", "type-missing"),
    case("update code", b"feat: update code\n", "vague"),
    case("fix bug", b"fix: fix bug\n", "vague"),
    case("stuff", b"chore: stuff\n", "vague"),
    case("work in progress", b"feat: wip\n", "wip"),
]  # fmt: skip
ALSO = {"trailing-stop", "too-short", "imperative"}
"""Findings that some of the texts have besides, and that this test is not about."""


def stored(given: Case) -> str:
    comment = comment_string(given.data, given.comment)
    mode = cleanup_mode(given.data, comment, given.cleanup, editor=given.editor)
    return stored_text(given.data, comment, mode, given.encoding)


def broken(message: str) -> set[str]:
    return {finding.rule for finding in check_form(message, conventional=True)}


@pytest.mark.parametrize("given", FILES, ids=lambda given: given.name)
def test_every_file(given: Case) -> None:
    assert broken(stored(given)) - ALSO == given.rules - ALSO


def test_no_two_are_the_same() -> None:
    assert len({given.name for given in FILES}) == len(FILES) >= 53
    assert len({given[1:] for given in FILES}) == len(FILES)


@pytest.mark.parametrize("data", [GOOD.decode().encode("utf-16"), b"fix: drop\x00 entries\n"])
def test_bytes_that_git_refuses(data: bytes) -> None:
    with pytest.raises(InputError, match="NUL"):
        stored_text(data)


@pytest.mark.parametrize("data", [b"", b"\n\n", HELP, HELP + CUT + DIFF, b"#12 fix thing\n"])
def test_nothing_left_is_gits_own_affair(data: bytes) -> None:
    text = stored_text(data)
    assert is_empty(text)
    assert broken(text) == {"empty"}


def test_the_hook_and_the_range_see_one_message(repo: Repo) -> None:
    """What a hook would grade of each file is what a range grades of the commit."""
    for given in FILES:
        if given.encoding != "utf-8" or given.comment in ("auto", "//"):
            continue
        (repo.path / "typed").write_bytes(given.data)
        options = ["-c", f"core.commentChar={given.comment}"] if given.comment else []
        editor = ["--edit"] if given.editor else []
        cleanup = [f"--cleanup={given.cleanup}"] if given.cleanup else []
        cleanup += ["--verbose"] if CUT in given.data else []
        done: subprocess.CompletedProcess[bytes] = repo.run(
            *("git", *options, "commit", "-q", "--allow-empty", "-F", "typed", *editor, *cleanup),
            GIT_EDITOR="cp typed" if given.editor else ":",
        )
        assert done.returncode == 0, (given.name, done.stderr)
        raw = repo.run("git", "cat-file", "commit", "HEAD").stdout.partition(b"\n\n")[2]
        assert raw.decode("utf-8", "replace") == stored(given), given.name


MERGE = "Merge branch 'a' into b\n\nSigned-off-by: A <a@b.c>"


@pytest.mark.parametrize(
    ("message", "options", "rules"),
    [
        (MERGE, {"parents": 2}, set()),
        ("Bring in the parser", {"parents": 2}, set()),
        (MERGE, {"parents": 1}, {"type-missing"}),
        ("Bump the parser from 1 to 2", {"author": "renovate[bot] <r@example.org>"}, set()),
        ("Bump the parser from 1 to 2", {"author": "Renova Bott <r@example.org>"}, {"type-missing"}),
    ],
)
def test_structure_tells_merges_and_bots(message: str, options: dict[str, object], rules: set[str]) -> None:
    found = check_form(message, conventional=True, **options)  # type: ignore[arg-type]
    assert {finding.rule for finding in found} == rules


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (FormSettings(sign_off=True), MERGE.partition("\n")[0]),
        (FormSettings(ticket="any"), 'Revert "feat: x"\n\nThis reverts commit 0123456.'),
        (FormSettings(levels={"body-missing": "error"}), 'Revert "feat: x"'),
    ],
)
def test_what_git_wrote_owes_no_policy(asked: FormSettings, message: str) -> None:
    assert check_form(message, settings=asked, conventional=True) == ()


@pytest.mark.parametrize("end", [lambda text: text, lambda text: text.replace("\n", "\r\n")])
def test_line_ends_change_no_verdict(end: Callable[[str], str]) -> None:
    for given in FILES:
        text = stored(given)
        assert broken(end(text)) == broken(text), given.name
