"""In each of the ways in which git calls its message hooks, is there a suggestion where one belongs?

The cases are those that were measured with git 2.39, one by one; each runs real git twice, with the
hooks and without. A suggestion belongs where git gives no source, `template` or `squash`, and opens an
editor.
"""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

import pytest

from tests import test_hooks_in_git
from tests.conftest import Repo
from tests.test_hooks_in_git import ALPHA, BETA, ROOT, Editor, add_hooks

pytestmark = test_hooks_in_git.pytestmark

STAGE = "printf 'x\\n' > new.txt; git add new.txt; "
CODE = f"printf '%s' {shlex.quote(ALPHA)} > alpha.py; git add alpha.py; "
CLASH = (
    "git checkout -q -b clash main~1; echo z > base.txt; git commit -q -a -m Clash; git checkout -q main; "
)
MEND = " && exit 9; echo r > base.txt; git add base.txt; "


def todo(edit: str, commits: int = 3) -> str:
    return (
        f"git checkout -q topic; GIT_SEQUENCE_EDITOR=\"sed -i -e '{edit}'\" git rebase -q -i HEAD~{commits}"
    )


LEFT_ALONE = {
    "commit-only-notty-m": "echo y >> base.txt; " + STAGE + 'git commit -q -m "$MSG" -- base.txt',
    "commit-m": STAGE + 'git commit -q -m "$MSG"',
    "commit-m-edit": STAGE + 'git commit -q -e -m "$MSG"',
    "commit-F": STAGE + 'echo "$MSG" > ../m; git commit -q -F ../m',
    "commit-F-stdin": STAGE + 'echo "$MSG" | git commit -q -F -',
    "commit-C": STAGE + "git commit -q -C HEAD~1",
    "commit-c": STAGE + "git commit -q -c HEAD~1",
    "commit-v-m": STAGE + 'git commit -q -v -m "$MSG"',
    "signoff-trailer-m": STAGE + "git commit -q -s -m \"$MSG\" --trailer 'Ref: 12'",
    "no-verify": STAGE + 'git commit -q -n -m "$MSG"',
    "dry-run": STAGE + "git commit -q --dry-run",
    "allow-empty": "git commit -q --allow-empty || test $? = 1",
    "amend": STAGE + "git commit -q --amend",
    "amend-noedit": STAGE + "git commit -q --amend --no-edit",
    "amend-m": STAGE + 'git commit -q --amend -m "$MSG"',
    "commit-c-HEAD": STAGE + "git commit -q -c HEAD",
    "commit-C-HEAD": STAGE + "git commit -q -C HEAD",
    "amend-c": STAGE + "git commit -q --amend -c HEAD~1",
    "amend-C": STAGE + "git commit -q --amend -C HEAD~1",
    "amend-reset-author": STAGE + "git commit -q --amend --reset-author --no-edit",
    "amend-path": "echo y >> base.txt; git commit -q --amend base.txt",
    "squash-opt-m": STAGE + "git commit -q --squash HEAD~1 -m extra",
    "squash-opt": STAGE + "git commit -q --squash HEAD~1",
    "fixup-m": STAGE + "git commit -q --fixup HEAD~1 -m extra",
    "fixup": STAGE + "git commit -q --fixup HEAD~1",
    "fixup-amend": STAGE + "git commit -q --fixup=amend:HEAD~1",
    "fixup-reword": "git commit -q --fixup=reword:HEAD~1",
    "tag": "git tag -a v1 -m x",
    "notes": "git notes add -m x",
    "author-date-opt": STAGE + "git commit -q -m \"$MSG\" --author 'A U <a@u>' --date 2001-01-01T00:00:00Z",
    "merge": "git merge -q --edit topic",
    "merge-notty": "git merge -q topic",
    "merge-noedit": "git merge -q --no-edit topic",
    "merge-m": 'git merge -q -m "$MSG" topic',
    "merge-log": "git merge -q --log --edit topic",
    "merge-nocommit": "git merge -q --no-commit topic; git commit -q",
    "merge-conflict-commit": CLASH + "git merge -q clash" + MEND + "git commit -q",
    "merge-conflict-continue": CLASH + "git merge -q clash" + MEND + "git merge --continue",
    "merge-ff": "git checkout -q topic~2; git merge -q topic",
    "merge-squash-m": 'git merge -q --squash topic; git commit -q -m "$MSG"',
    "cherry-pick": "git cherry-pick topic",
    "cherry-pick-range": "git cherry-pick topic~2..topic",
    "cherry-pick-e": "git cherry-pick -e topic",
    "cherry-pick-x": "git cherry-pick -x topic",
    "cherry-pick-n": "git cherry-pick -n topic; git commit -q",
    "cherry-conf-commit": CLASH + "git cherry-pick clash" + MEND + "git commit -q",
    "cherry-conf-cont": CLASH + "git cherry-pick clash" + MEND + "git cherry-pick --continue",
    "revert": "git revert --edit HEAD",
    "revert-notty": "git revert HEAD",
    "revert-noedit": "git revert --no-edit HEAD",
    "revert-n": "git revert -n HEAD; git commit -q",
    "rebase-plain": "git rebase -q main topic",
    "rebase-conf": (
        "git checkout -q topic; echo z > base.txt; git commit -q -a -m Clash; git rebase -q main"
        + MEND + "git rebase --continue"
    ),
    "rebase-reword": todo("2s/pick/reword/"),
    "rebase-squash": todo("2s/pick/squash/"),
    "rebase-squash2": todo("2,3s/pick/squash/"),
    "rebase-fixup": todo("2s/pick/fixup/"),
    "rebase-drop": todo("2s/pick/drop/"),
    "rebase-edit-amend": todo("1s/pick/edit/") + "; git commit -q --amend -m new; git rebase --continue",
    "rebase-autosquash": (
        "git checkout -q topic; " + STAGE + "git commit -q --fixup HEAD~1; "
        "GIT_SEQUENCE_EDITOR=true git rebase -q -i --autosquash HEAD~3"
    ),
    "rebase-apply": "git rebase -q --apply main topic",
    "am": "git format-patch -q -1 topic --stdout > ../p; git am -q ../p",
    "stash": "echo y >> base.txt; git stash -q; git stash pop -q",
    "bare": "git clone -q --bare . ../b.git; $INSTALL ../b.git/hooks; "
    "git -C ../b.git commit --allow-empty -m x || test $? = 128",
    "cleanup-scissors-merge": "git merge -q --edit --cleanup=scissors topic",
    "cleanup-scissors-conf": (
        CLASH + "git merge -q --cleanup=scissors clash" + MEND + "git commit -q --cleanup=scissors"
    ),
    "cc-auto-hash": STAGE + "git config core.commentChar auto; git commit -q -e -m '#12 fix'",
    "cc-auto-amend-hash": (
        STAGE + "git commit -q -m '#12 fix'; git config core.commentChar auto; git commit -q --amend"
    ),
    "cc-auto-verbose-hash": STAGE + "git config core.commentChar auto; git commit -q -v -e -m '#12 fix'",
    "enc-latin1": (
        STAGE + "git config i18n.commitEncoding ISO-8859-1; printf 'Serve the caf\\351\\n' > ../l1;"
        "git commit -q -F ../l1"
    ),
    "enc-latin1-amend": (
        STAGE + "git commit -q -m 'Serve the café'; git config i18n.commitEncoding ISO-8859-1;"
        "git commit -q --amend"
    ),
    "push": "git init -q --bare ../up.git; git push -q ../up.git main",
}  # fmt: skip
"""Case to its script, after which every commit is the same with and without the hooks."""

SUGGESTED = {
    "plain-notty": CODE + "git commit",
    "commit-a": CODE + "git commit -q -n -m Before; echo '# more' >> alpha.py; git commit -a",
    "commit-path": CODE + "git commit alpha.py",
    "commit-include": CODE + "echo y >> base.txt; git commit -i base.txt",
    "template-cfg": CODE + "echo 'Ticket: ' > ../t; git config commit.template ../t; git commit",
    "commit-t": CODE + "echo 'Ticket: ' > ../t; git commit -t ../t",
    "commit-v": CODE + "git commit -v",
    "commit-vv": CODE + "echo y >> base.txt; git commit -v -v",
    "verbose-cfg": CODE + "git config commit.verbose true; git commit",
    "no-status": CODE + "git commit --no-status",
    "signoff": CODE + "git commit -s",
    "signoff-trailer": CODE + "git commit -s --trailer 'Ref: 12' -v",
    "initial": CODE + "git checkout -q --orphan first; git commit",
    "subdir": CODE + "mkdir sub; cd sub; git commit",
    "git-C": CODE + 'cd ..; git -C "$OLDPWD" commit',
    "git-dir-opt": CODE + "cd ..; git --git-dir=repo/.git --work-tree=repo commit",
    "env-git-dir": CODE + "GIT_DIR=$PWD/.git GIT_WORK_TREE=$PWD git commit",
    "git-c-config": CODE + "git -c foo.bar=baz commit",
    "bare-worktree": (
        "git clone -q --bare . ../b.git; $INSTALL ../b.git/hooks; mkdir ../bw; cd ../bw;"
        "export GIT_DIR=../b.git GIT_WORK_TREE=.; git reset -q --hard; "
        + CODE
        + "unset GIT_DIR GIT_WORK_TREE;"
        "git --git-dir=../b.git --work-tree=../bw commit"
    ),
    "cleanup-scissors": CODE + "git commit --cleanup=scissors",
    "cleanup-verbatim": CODE + "git commit --cleanup=verbatim",
    "cleanup-whitespace": CODE + "git commit --cleanup=whitespace",
    "cleanup-strip": CODE + "git commit --cleanup=strip",
    "cleanup-scissors-v": CODE + "git commit --cleanup=scissors -v",
    "cc-semicolon": CODE + "git config core.commentChar ';'; git commit -v",
    "cc-auto": CODE + "git config core.commentChar auto; git commit",
    "cc-multichar-string": CODE + "git config core.commentString //; git commit",
    "enc-latin1-editor": CODE + "git config i18n.commitEncoding ISO-8859-1; git commit",
}
"""Case to its script, whose last command opens the editor on a suggestion above what git wrote."""

TERMINAL = {
    "plain": (CODE + "git commit", True),
    "merge with a terminal": ("git merge -q topic", False),
    "revert with a terminal": ("git revert HEAD", False),
}
"""What git does otherwise where there is a terminal, and whether there is a suggestion."""

ELSEWHERE = {
    "commit-p": "test_commit_all_and_commit_patch",
    "worktree": "test_worktree",
    "submodule": "test_submodule",
    "super-with-submodule": "test_submodule",
    "merge-squash": "test_squashed_commits_become_one_message",
}
"""Cases that need more than a script."""

_MEASURED = """
plain plain-notty commit-a commit-path commit-only-notty-m commit-include commit-p commit-m commit-m-edit
commit-F commit-C commit-c template-cfg commit-t commit-v commit-vv commit-v-m verbose-cfg no-status signoff
signoff-trailer-m no-verify dry-run allow-empty initial amend amend-noedit amend-m commit-c-HEAD
commit-C-HEAD amend-c amend-C amend-reset-author squash-opt-m fixup-m tag notes amend-path fixup squash-opt
fixup-amend fixup-reword subdir git-C git-dir-opt env-git-dir git-c-config author-date-opt merge merge-notty
merge-noedit merge-m merge-log merge-nocommit merge-conflict-commit merge-conflict-continue merge-ff
merge-squash merge-squash-m cherry-pick cherry-pick-e cherry-pick-x cherry-pick-n cherry-conf-commit
cherry-conf-cont revert revert-notty revert-noedit revert-n rebase-plain rebase-conf rebase-reword
rebase-squash rebase-squash2 rebase-fixup rebase-edit-amend rebase-autosquash rebase-apply am worktree
submodule super-with-submodule bare-worktree bare stash cleanup-scissors cleanup-verbatim cleanup-whitespace
cleanup-strip cleanup-scissors-v cleanup-scissors-merge cleanup-scissors-conf cc-semicolon cc-auto
cc-auto-hash cc-auto-amend-hash cc-auto-verbose-hash cc-multichar-string cc-multichar-char enc-latin1
enc-latin1-editor enc-latin1-amend push
"""
MEASURED = _MEASURED.split()


def test_every_measured_case_is_here() -> None:
    known = {*LEFT_ALONE, *SUGGESTED, *TERMINAL, *ELSEWHERE, "cc-multichar-char"}
    assert len(MEASURED) == 103 and not set(MEASURED) - known
    assert not set(LEFT_ALONE) & set(SUGGESTED)
    assert all(hasattr(test_hooks_in_git, name) for name in ELSEWHERE.values())


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    # Time is not what is tested here, and the machine may be busy.
    monkeypatch.setenv("GITNOTES_TIMEOUT", "60")


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> list[Repo]:
    """Where the first test puts the history with two branches that the others copy."""
    return [Repo(tmp_path_factory.mktemp("history") / "repo")]


def two_branches(history: list[Repo], path: Path) -> Repo:
    original = history[0]
    if not original.path.exists():
        original.path.mkdir()
        original.git("init", "--quiet", "--initial-branch=main")
        original.commit("Begin", {"base.txt": "1\n2\n3\n", "b.txt": "b\n"})
        original.branch("topic")
        for number in (1, 2, 3):
            name = f"topic{number}"
            original.commit(f"Topic {number}", {f"{name}.py": ALPHA.replace("alpha", name)})
        original.switch("main")
        original.commit("Main 1", {"main1.py": BETA})
        original.commit("Main 2", {"base.txt": "1\n2\n4\n"})
    shutil.copytree(original.path, path)
    copy = Repo(path)
    copy.clock = original.clock
    copy.git("update-index", "--refresh")
    return copy


class Replay:
    """What became of a script in a copy of the history."""

    def __init__(self, history: list[Repo], folder: Path, script: str, *, hooks: bool, tty: bool) -> None:
        self.repo = two_branches(history, folder / "repo")
        self.editor = Editor(folder)
        if hooks:
            add_hooks(self.repo)
        code = (
            "import sys; from pathlib import Path; from gitnotes.write.installer import install; "
            "install(Path(sys.argv[1]))"
        )
        installer = folder / "install"
        installer.write_text(
            f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -c "{code}" "$1"\n' if hooks else ""
        )
        installer.chmod(0o755)
        command = ["sh", "-ec", script]
        if tty:
            spawn = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"
            command = [sys.executable, "-c", spawn, *command]
        self.done = self.repo.run(
            *command, GIT_EDITOR=str(self.editor), GIT_MERGE_AUTOEDIT="yes", MSG="Given subject",
            INSTALL=str(installer), PYTHONPATH=str(ROOT),
        )  # fmt: skip

    @property
    def seen(self) -> bytes:
        return self.editor.seen if self.editor.opened else b""

    @property
    def outcome(self) -> tuple[int, str, str, bytes]:
        """The ids are hashes over every byte of every message."""
        commits = self.repo.git("log", "--all", "--format=%H %s")
        status = self.repo.git("status", "--porcelain", "--untracked-files=no")
        return self.done.returncode, commits, status, self.seen


def replay_twice(
    history: list[Repo], folder: Path, script: str, *, tty: bool = False
) -> tuple[Replay, Replay]:
    alone = Replay(history, _made(folder / "alone"), script, hooks=False, tty=tty)
    return alone, Replay(history, _made(folder / "hooked"), script, hooks=True, tty=tty)


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def check_suggestion(alone: Replay, hooked: Replay) -> None:
    """All that git wrote stands below the suggestion, byte for byte, and the suggestion is committed."""
    assert hooked.done.returncode == 0, (hooked.done.stdout, hooked.done.stderr)
    assert alone.editor.opened and hooked.seen.endswith(alone.seen) and hooked.seen != alone.seen
    suggestion = hooked.seen[: len(hooked.seen) - len(alone.seen)].decode()
    assert suggestion.endswith("\n") and not suggestion.startswith("\n")
    places = [hooked.repo.path, hooked.repo.path.parent / "b.git"]
    messages = [Repo(place).git("log", "-1", "--format=%B") for place in places if place.exists()]
    assert any(message.startswith(suggestion.strip()) for message in messages)


@pytest.mark.parametrize("case", LEFT_ALONE)
def test_left_alone(history: list[Repo], tmp_path: Path, case: str) -> None:
    alone, hooked = replay_twice(history, tmp_path, LEFT_ALONE[case])
    assert alone.done.returncode == 0, (alone.done.stdout, alone.done.stderr)
    assert hooked.outcome == alone.outcome, hooked.done.stderr


@pytest.mark.parametrize("case", SUGGESTED)
def test_suggested(history: list[Repo], tmp_path: Path, case: str) -> None:
    check_suggestion(*replay_twice(history, tmp_path, SUGGESTED[case]))


@pytest.mark.parametrize("case", TERMINAL)
def test_with_a_terminal(history: list[Repo], tmp_path: Path, case: str) -> None:
    script, suggested = TERMINAL[case]
    alone, hooked = replay_twice(history, tmp_path, script, tty=True)
    assert alone.editor.opened
    if suggested:
        check_suggestion(alone, hooked)
    else:
        assert hooked.outcome == alone.outcome, hooked.done.stdout


def test_several_comment_characters(history: list[Repo], tmp_path: Path) -> None:
    """cc-multichar-char: git before 2.45 refuses to run, newer git comments with both."""
    script = CODE + "git config core.commentChar //; git commit"
    alone, hooked = replay_twice(history, tmp_path, script)
    if alone.done.returncode == 128:
        assert hooked.done.returncode == 128 and not hooked.editor.opened
    else:
        check_suggestion(alone, hooked)
