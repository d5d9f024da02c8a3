"""Does any setting or variable of the user change what is read?"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitnotes.read.diff import read_commit, read_staged, read_work_tree
from gitnotes.read.git import open_git
from gitnotes.records import Change
from tests.conftest import Repo

FUNCTION = "def first():\n" + "\n    x = 1\n" * 20 + "\n\ndef second():\n" + "\n    y = 1\n" * 20

SETTINGS = [
    ("core.quotePath", "true"),
    ("core.abbrev", "4"),
    ("core.abbrev", "no"),
    ("core.bigFileThreshold", "1"),
    ("core.attributesFile", "{attributes}"),
    ("core.pager", "false"),
    ("core.whitespace", "trailing-space,cr-at-eol"),
    ("core.commentChar", ";"),
    ("core.autocrlf", "true"),
    ("core.eol", "crlf"),
    ("core.fsmonitor", "{program}"),
    ("core.preloadIndex", "false"),
    ("core.untrackedCache", "true"),
    ("core.hooksPath", "{hooks}"),
    ("core.editor", "false"),
    ("core.ignoreCase", "true"),
    ("core.trustctime", "false"),
    ("diff.noprefix", "true"),
    ("diff.mnemonicPrefix", "true"),
    ("diff.srcPrefix", "old/"),
    ("diff.dstPrefix", "new/"),
    ("diff.renames", "false"),
    ("diff.renames", "copies"),
    ("diff.renameLimit", "1"),
    ("diff.context", "0"),
    ("diff.interHunkContext", "100"),
    ("diff.orderFile", "{order}"),
    ("diff.algorithm", "patience"),
    ("diff.algorithm", "minimal"),
    ("diff.external", "{program}"),
    ("diff.suppressBlankEmpty", "true"),
    ("diff.submodule", "log"),
    ("diff.submodule", "diff"),
    ("diff.ignoreSubmodules", "all"),
    ("diff.relative", "true"),
    ("diff.wordRegex", "."),
    ("diff.colorMoved", "zebra"),
    ("diff.colorMovedWS", "ignore-all-space"),
    ("diff.wsErrorHighlight", "all"),
    ("diff.indentHeuristic", "false"),
    ("diff.autoRefreshIndex", "false"),
    ("diff.statGraphWidth", "10"),
    ("diff.dirstat", "lines"),
    ("diff.own.textconv", "{program}"),
    ("diff.own.command", "{program}"),
    ("diff.own.cachetextconv", "true"),
    ("diff.python.binary", "true"),
    ("diff.python.textconv", "{program}"),
    ("diff.python.command", "{program}"),
    ("color.ui", "always"),
    ("color.diff", "always"),
    ("color.diff.new", "red"),
    ("log.showRoot", "false"),
    ("log.showSignature", "true"),
    ("log.diffMerges", "off"),
    ("i18n.logOutputEncoding", "ISO-8859-1"),
    ("format.pretty", "oneline"),
    ("pager.diff-index", "true"),
    ("pager.diff-tree", "false"),
    ("alias.diff-index", "!false"),
    ("alias.diff-tree", "status"),
    ("alias.rev-parse", "!false"),
    ("status.renames", "false"),
    ("merge.renames", "false"),
    ("submodule.recurse", "true"),
    ("submodule.lib.ignore", "all"),
    ("index.sparse", "true"),
    ("feature.manyFiles", "true"),
    ("feature.experimental", "true"),
    ("protocol.allow", "always"),
    ("advice.detachedHead", "false"),
    ("help.autoCorrect", "immediate"),
]
VARIABLES = [
    ("GIT_DIFF_OPTS", "-u0"),
    ("GIT_EXTERNAL_DIFF", "{program}"),
    ("GIT_PAGER", "false"),
    ("PAGER", "false"),
    ("GIT_LITERAL_PATHSPECS", "1"),
    ("GIT_ICASE_PATHSPECS", "1"),
    ("GIT_TRACE", "1"),
    ("GIT_TRACE2", "1"),
    ("GIT_PAGER_IN_USE", "1"),
    ("GIT_FLUSH", "1"),
    ("GIT_CONFIG_PARAMETERS", "'color.ui=always' 'diff.noprefix=true'"),
    ("LC_ALL", "C.UTF-8"),
    ("LANGUAGE", "de"),
    ("TERM", "dumb"),
    ("LESS", "FRX"),
    ("GIT_MERGE_VERBOSITY", "5"),
    ("GIT_PREFIX", "sub/"),
    ("GIT_EDITOR", ":"),
]


@pytest.fixture
def rich(repo: Repo, make_repo: object) -> Repo:
    """Every kind of change that a setting is known to disturb, staged and committed."""
    repo.write(".gitattributes", "*.own diff=own\n")
    repo.write("ä b.py", FUNCTION)
    repo.write("a.own", "one\ntwo\n")
    repo.write("moved from", "line\n" * 30)
    repo.write("other", "other line\n" * 30)
    repo.write("bin", b"\0\1")
    repo.write("sub/deep.txt", "deep\n")
    repo.write('quo"te', "1\n")
    repo.write("crlf.txt", "one\r\ntwo\r\n")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},lib")
    (repo.path / "link").symlink_to("target")
    repo.git("add", "link")
    repo.commit("First")
    for _ in range(2):
        repo.write(
            "ä b.py", (repo.path / "ä b.py").read_text("utf-8").replace("= 1\n\n\n", "= 2  \n\n\n") + "\n"
        )
        repo.write("a.own", (repo.path / "a.own").read_text("utf-8") + "three\n")
        repo.git("mv", "moved from", "moved to")
        repo.write("moved to", (repo.path / "moved to").read_text("utf-8") + "more\n")
        repo.write("copy", "other line\n" * 30)
        repo.write("other", (repo.path / "other").read_text("utf-8") + "x\n")
        repo.write("bin", (repo.path / "bin").read_bytes() + b"\2")
        repo.write("sub/deep.txt", "deeper\n" if "deeper" not in repo.git("show", ":sub/deep.txt") else "3\n")
        repo.write('quo"te', repo.git("show", ':quo"te') + "2\n")
        repo.write("crlf.txt", (repo.path / "crlf.txt").read_bytes() + b"three\r\n")
        repo.git("update-index", "--cacheinfo", f"160000,{os.urandom(20).hex()},lib")
        repo.git("update-index", "--chmod=+x", "sub/deep.txt")
        if repo.git("rev-list", "--count", "HEAD") == "1":
            repo.commit("Second")
            repo.git("mv", "moved to", "moved from")
            repo.git("rm", "-q", "copy")
            repo.commit("Third")
    program = repo.path / ".git" / "program"
    program.write_text("#!/bin/sh\necho changed\nexit 1\n")
    program.chmod(0o755)
    hooks = repo.path / ".git" / "other hooks"
    hooks.mkdir()
    for name in ("pre-commit", "post-index-change", "fsmonitor-watchman"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch '{repo.path}/ran'\n")
        (hooks / name).chmod(0o755)
    (repo.path / ".git" / "order").write_text("*.txt\nother\n")
    (repo.path / ".git" / "attributes").write_text("* -diff\n")
    return repo


def _fill(value: str, repo: Repo) -> str:
    inside = repo.path / ".git"
    return (
        value.replace("{program}", str(inside / "program"))
        .replace("{hooks}", str(inside / "other hooks"))
        .replace("{order}", str(inside / "order"))
        .replace("{attributes}", str(inside / "attributes"))
    )


def _read(*, light: bool = True) -> list[Change]:
    git = open_git(light=light)
    return [
        read_staged(git),
        read_staged(git, amend=True),
        read_staged(git, copies=True),
        read_commit(git, "HEAD"),
        read_commit(git, "HEAD~2"),
        read_work_tree(git),
    ]


def test_the_repository_of_these_tests_has_what_settings_disturb(rich: Repo) -> None:
    staged, _, copies, *_ = _read()
    assert {file.status for file in staged.files} == {"A", "M", "R"}
    assert "C" in {file.status for file in copies.files}
    assert {hunk.heading for hunk in staged.hunks if hunk.path == "ä b.py"} == {"def second():"}
    assert any(file.submodule for file in staged.files)
    assert "bin" in {omission.path for omission in staged.omitted}
    assert "a.own" in {hunk.path for hunk in staged.hunks}


def test_no_setting_changes_a_record(rich: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    before = _read()
    # Settings in the environment rank above every file, and one process sees one of them.
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    changed = []
    for key, value in SETTINGS:
        monkeypatch.setenv("GIT_CONFIG_KEY_0", key)
        monkeypatch.setenv("GIT_CONFIG_VALUE_0", _fill(value, rich))
        now = _read()
        if key == "core.attributesFile":
            # What the work tree contains depends on the user's filters and line ends.
            now = [*now[:-1], before[-1]]
        if now != before:
            changed.append((key, value))
    assert changed == []
    assert len(SETTINGS) >= 59
    assert not (rich.path / "ran").exists()


def test_settings_of_the_repository_change_nothing_either(rich: Repo) -> None:
    before = _read(light=False)
    for key, value in SETTINGS:
        if key == "core.attributesFile":
            continue  # see above
        rich.git("config", "--add", key, _fill(value, rich))
    # Both runners, with all settings at once.
    assert _read(light=False) == before
    assert _read(light=True) == before


def test_no_variable_changes_a_record(rich: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    before = _read()
    for name, value in VARIABLES:
        with monkeypatch.context() as patch:
            patch.setenv(name, _fill(value, rich))
            assert _read() == before, name
            assert read_staged(open_git()) == before[0], name


def test_the_current_folder_changes_nothing(rich: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    before = _read()
    monkeypatch.chdir(rich.path / "sub")
    assert _read() == before
    monkeypatch.chdir(rich.path.parent)
    git = open_git(rich.path)
    assert read_staged(git) == before[0]
    assert read_work_tree(git) == before[-1]


def test_attributes_of_the_repository_are_heard(rich: Repo) -> None:
    Path(rich.path, ".git", "info").mkdir(exist_ok=True)
    Path(rich.path, ".git", "info", "attributes").write_text("*.own -diff\n")
    change = read_staged(open_git())
    assert "a.own" in {omission.path for omission in change.omitted}
    assert "a.own" not in {hunk.path for hunk in change.hunks}
