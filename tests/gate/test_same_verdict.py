"""Do the commit-msg hook and a gate in CI say the same of the same commit?"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest

from gitnotes.write.installer import install
from tests.conftest import Repo
from tests.gate.conftest import Grade
from tests.test_cli import RETRY

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the editors here are shell scripts")

GOOD = "Retry failed fetches\n\nThe server drops idle connections, so a request after a pause fails.\n"
TEXTS = {
    "good": GOOD,
    "poor": "stuff\n",
    "number first": "#12 retry failed fetches\n\n# The reason\nThe server drops idle connections.\n",
    "comments": "Retry failed fetches\n\n# Because the server drops idle connections\n; and more of it\n",
    "no blank line": "Retry failed fetches\nThe server drops idle connections.\n\nSo it fails.\n",
    "blanks around": "\n\n  \nRetry failed fetches   \n\n\n\nThe server drops idle connections.  \n\n\n",
    "scissors": GOOD
    + "# ------------------------ >8 ------------------------\nNever seen: fetch_with_retry\n",
    "carriage returns": GOOD.replace("\n", "\r\n"),
    "trailers": GOOD + "\nRefs: #7\nSigned-off-by: Ada Example <ada@example.org>\n",
    "type": "feat(client): retry failed fetches\n\nThe server drops idle connections.\n",
    "accents": "Réessaie les requêtes de `fetch_with_retry`\n\nLe serveur coupe les connexions.\n",
}
MODES = ("default", "strip", "whitespace", "verbatim", "scissors")


@pytest.fixture
def hooked(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository whose hook says the score of every message."""
    monkeypatch.setenv("GITNOTES_TIMEOUT", "60")
    monkeypatch.setenv("SKIP", "gitnotes-draft")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    repo.commit("Start the project", {"README.md": "# Project\n", ".gitnotes.toml": "min_score = 100\n"})
    install(repo.path / ".git" / "hooks")
    repo.write("src/client.py", RETRY)
    return repo


def commit(repo: Repo, text: str, *options: str, editor: bool) -> float:
    """Commits the text as typed in an editor, or given in a file; the score that the hook told."""
    typed = repo.path.parent / "typed"
    typed.write_bytes(text.encode())
    if editor:
        script = repo.path.parent / "editor"
        quoted = shlex.quote(str(typed))
        script.write_text(f'#!/bin/sh\ncat {quoted} "$1" > "$1.new" && mv "$1.new" "$1"\n')
        script.chmod(0o755)
        done = repo.run("git", "commit", *options, GIT_EDITOR=shlex.quote(str(script)))
    else:
        done = repo.run("git", "commit", *options, "-F", str(typed))
    assert done.returncode == 0, done.stderr
    told = re.search(rb"scores (\d+) of 100", done.stderr)
    assert told, done.stderr
    return float(told[1])


def assert_same(repo: Repo, grade: Grade, told: float) -> None:
    alone = grade("HEAD", "--json").json()
    (ranged,) = grade("HEAD~1..HEAD", "--json").json()["commits"]
    assert round(alone["overall"]) == told
    assert {**ranged, "schema": 1, "kind": "grade"} == alone


@pytest.mark.parametrize("editor", [True, False], ids=["editor", "file"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["number first", "comments", "blanks around"])
def test_cleanup_modes(hooked: Repo, grade: Grade, name: str, mode: str, editor: bool) -> None:
    hooked.git("config", "commit.cleanup", mode)
    assert_same(hooked, grade, commit(hooked, TEXTS[name], editor=editor))


@pytest.mark.parametrize("name", TEXTS)
def test_texts(hooked: Repo, grade: Grade, name: str) -> None:
    assert_same(hooked, grade, commit(hooked, TEXTS[name], "-v", editor=True))


@pytest.mark.parametrize("mark", [";", "auto", "@"])
def test_comment_characters(hooked: Repo, grade: Grade, mark: str) -> None:
    hooked.git("config", "core.commentChar", mark)
    assert_same(hooked, grade, commit(hooked, TEXTS["comments"], editor=True))


def test_encoding_and_author(hooked: Repo, grade: Grade) -> None:
    hooked.git("config", "i18n.commitEncoding", "ISO-8859-1")
    done = hooked.run("git", "commit", "-F", "-", input=TEXTS["accents"].encode("latin-1"), GIT_EDITOR=":")
    told = re.search(rb"scores (\d+) of 100", done.stderr)
    assert told
    assert_same(hooked, grade, float(told[1]))


def test_a_bot_is_a_bot_in_both(hooked: Repo, grade: Grade) -> None:
    """Its name reaches the hook in the environment that git gives it."""
    bot = "--author=dependabot[bot] <support@github.com>"
    told = commit(hooked, "Bumps the client, which was stuff.\n\nAnd more.\n", bot, editor=False)
    assert_same(hooked, grade, told)
    assert grade("HEAD", "--json").json()["scores"]["form"] is None


def test_customs_are_those_of_the_time(hooked: Repo, grade: Grade) -> None:
    """What came later, or comes with the same push, does not change what was asked for."""
    for number in range(4):
        hooked.commit(f"feat: add part {number}", {f"part{number}.py": f"x = {number}\n"})
    hooked.write("src/client2.py", RETRY)
    told = commit(hooked, GOOD, editor=False)
    sha = hooked.git("rev-parse", "HEAD")
    for number in range(12):
        hooked.commit(f"Describe part {number}", {f"part{number}.md": f"{number}\n"})
    later = {item["sha"]: item for item in grade("HEAD~14..HEAD", "--json").json()["commits"]}
    assert round(later[sha]["overall"]) == told
    assert [item["rule"] for item in later[sha]["findings"]].count("type-missing") == 1
    assert later[sha] == {
        key: value for key, value in grade(sha, "--json").json().items() if key not in ("schema", "kind")
    }


def test_a_change_is_read_alike_alone_and_in_a_range(repo: Repo, grade: Grade) -> None:
    """The definition around a hunk, what git-lfs keeps, links and modes: all that a message can be about."""
    body = "".join(f"        value{number} = {number}\n" for number in range(12))
    source = f"class Reader:\n    def parse_header(self):\n{body}"
    repo.commit("Add the reader of headers", {"reader.py": source, "old": "1\n", "target": "2\n"})
    repo.commit("Correct the tenth value of parse_header", {"reader.py": source.replace("= 10", "= 11")})
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'1' * 64}\nsize 12345\n"
    repo.commit("Keep the picture of the oid in sha256", {"picture.bin": pointer})
    repo.git("update-index", "--chmod=+x", "target")
    repo.commit("Make target executable")
    blob = repo.git("rev-parse", "HEAD:old")
    repo.git("update-index", "--cacheinfo", f"120000,{blob},old")
    repo.commit("Turn old into a link")
    repo.git("rm", "--quiet", "--cached", "target")
    repo.commit("Drop target, which nothing reads")
    repo.commit("Add the long table", {"table.txt": "".join(f"row {number}\n" for number in range(150_000))})
    ranged = grade("..HEAD", "--json").json()["commits"]
    assert len(ranged) == 7
    for item in ranged:
        assert {**item, "schema": 1, "kind": "grade"} == grade(item["sha"], "--json").json()
    corrected = next(item for item in ranged if "tenth" in item["subject"])
    assert "name-not-in-change" not in [finding["rule"] for finding in corrected["findings"]]


def test_only_a_merge_is_spared_as_one(hooked: Repo, grade: Grade) -> None:
    """What looks like the subject of a merge is none where there is one parent, and no way past a gate."""
    assert_same(hooked, grade, commit(hooked, "Merge branch 'topic'\n", editor=False))
    assert grade("HEAD", "--min", "60").code == 1
    hooked.branch("topic")
    hooked.commit("Describe the client", {"client.md": "# Client\n"})
    hooked.switch("main")
    hooked.commit("Describe the server", {"server.md": "# Server\n"})
    hooked.merge("topic", "Merge branch 'topic'")
    done = hooked.run("git", "commit", "--amend", "--no-edit", GIT_EDITOR=":")
    assert (done.returncode, b"scores" in done.stderr) == (0, False)
    assert grade("HEAD", "--min", "60").code == 0
