"""Does `git commit`, in all its forms, show a suggestion where it should and nothing where it should not?"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gitnotes.write.installer import install, uninstall
from tests.conftest import Repo

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the editors here are shell scripts")
ROOT = Path(__file__).resolve().parents[1]
NO_HOOKS = ["-c", f"core.hooksPath={os.devnull}"]

ALPHA = "def parse_alpha(line):\n    return line.split()\n"
BETA = "def parse_beta(line):\n    return line.strip()\n"


class Editor:
    """An editor that remembers what it was shown, then saves it, `types` before it, or empties it."""

    def __init__(self, folder: Path) -> None:
        self.seen_at = folder / "seen"
        self.typed = folder / "typed"
        self.script = folder / "editor"
        seen, typed = shlex.quote(str(self.seen_at)), shlex.quote(str(self.typed))
        self.script.write_text(
            f'#!/bin/sh\ncp "$1" {seen}\nif [ -f {typed} ]; then cat {typed} {seen} > "$1"; fi\n'
        )
        self.script.chmod(0o755)

    def __str__(self) -> str:
        return shlex.quote(str(self.script))

    @property
    def seen(self) -> bytes:
        return self.seen_at.read_bytes()

    @property
    def opened(self) -> bool:
        return self.seen_at.exists()


@pytest.fixture
def editor(tmp_path: Path) -> Editor:
    return Editor(tmp_path)


@pytest.fixture
def hooked(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository with the hooks, one commit, and two new files that are not staged yet."""
    # Time is not what is tested here, and the machine may be busy.
    monkeypatch.setenv("GITNOTES_TIMEOUT", "60")
    repo.commit("Begin the parsers", {"readme.txt": "Parsers.\n", "gamma.py": "def gamma():\n    return 1\n"})
    add_hooks(repo)
    (repo.path / "alpha.py").write_text(ALPHA)
    (repo.path / "beta.py").write_text(BETA)
    return repo


def add_hooks(repo: Repo) -> None:
    install(repo.path / repo.git("rev-parse", "--git-path", "hooks"))


def commit(repo: Repo, editor: Editor, *options: str, **variables: str) -> str:
    """`git commit OPTIONS` with the editor; the message that was stored."""
    before = repo.git("rev-parse", "-q", "--verify", "HEAD", check=False)
    done = repo.run("git", "commit", *options, **{"GIT_EDITOR": str(editor), **variables})
    assert done.returncode == 0, done.stderr
    assert repo.git("rev-parse", "HEAD") != before
    return repo.git("log", "-1", "--format=%B")


def without_hooks(repo: Repo, editor: Editor, *options: str, **variables: str) -> bytes:
    """The message file of the same command as git alone makes it; nothing is committed."""
    stop = Editor(editor.script.parent)
    stop.script.write_text(stop.script.read_text() + ': > "$1"\n')
    repo.run("git", *NO_HOOKS, "commit", *options, **{"GIT_EDITOR": str(stop), **variables})
    seen = stop.seen
    Editor(editor.script.parent)
    editor.seen_at.unlink()
    return seen


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["-v"],
        ["-v", "-v"],
        ["-s"],
        ["--trailer", "Ref: 12"],
        ["-s", "--trailer", "Ref: 12", "-v"],
        ["--no-status"],
        ["--cleanup=scissors"],
        ["--cleanup=scissors", "-v"],
        ["--cleanup=verbatim"],
        ["--cleanup=whitespace"],
        ["--cleanup=strip"],
        ["--no-verify"],
        ["-q"],
    ],
    ids=" ".join,
)
def test_suggestion_stands_above_what_git_wrote(hooked: Repo, editor: Editor, options: list[str]) -> None:
    hooked.git("add", "alpha.py")
    alone = without_hooks(hooked, editor, *options)
    message = commit(hooked, editor, *options)
    assert editor.seen.endswith(alone)
    suggestion = editor.seen[: len(editor.seen) - len(alone)].decode()
    assert "alpha" in suggestion.splitlines()[0]
    assert suggestion.endswith("\n")
    assert message.startswith(suggestion.strip())
    assert "diff --git" not in message
    if "-s" in options:
        assert "Signed-off-by: Ada Example" in hooked.git("log", "-1", "--format=%(trailers:only)")


SETTINGS: dict[str, dict[str, str]] = {
    "semicolon": {"core.commentChar": ";"},
    "auto": {"core.commentChar": "auto"},
    "verbose": {"commit.verbose": "true"},
    "scissors": {"commit.cleanup": "scissors"},
    "no prefix": {"diff.noprefix": "true", "diff.mnemonicPrefix": "true"},
    "colour": {"color.ui": "always"},
    "external diff": {"diff.external": "false"},
    "latin-1": {"i18n.commitEncoding": "ISO-8859-1"},
    "no quoting": {"core.quotePath": "false"},
}


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_of_the_user(hooked: Repo, editor: Editor, name: str) -> None:
    for key, value in SETTINGS[name].items():
        hooked.git("config", key, value)
    hooked.git("add", "alpha.py")
    alone = without_hooks(hooked, editor)
    message = commit(hooked, editor)
    assert editor.seen.endswith(alone)
    assert "alpha" in message.splitlines()[0]
    assert all(not line.startswith(("#", ";")) for line in message.splitlines())


def test_template_is_kept(hooked: Repo, editor: Editor, tmp_path: Path) -> None:
    template = tmp_path / "template"
    template.write_text("Ticket: \n\n# Why is it needed?\n")
    hooked.git("add", "alpha.py")
    hooked.git("config", "commit.template", str(template))
    alone = without_hooks(hooked, editor)
    message = commit(hooked, editor)
    assert alone.startswith(template.read_bytes())
    assert editor.seen.endswith(b"\n\n" + alone)
    assert "alpha" in message.splitlines()[0]
    assert message.endswith("\n\nTicket:")


@pytest.mark.parametrize(
    ("stage", "options", "named", "unnamed"),
    [
        (["alpha.py", "beta.py"], ["alpha.py"], "alpha", "beta"),
        (["alpha.py"], ["--include", "beta.py"], "beta", None),
        (["alpha.py"], [], "alpha", "beta"),
    ],
    ids=["commit FILE", "commit --include FILE", "commit"],
)
def test_index_of_this_commit_is_read(
    hooked: Repo, editor: Editor, stage: list[str], options: list[str], named: str, unnamed: str | None
) -> None:
    hooked.git("add", "--intent-to-add", "beta.py")
    hooked.git("add", *stage)
    message = commit(hooked, editor, *options)
    assert named in message
    assert unnamed is None or unnamed not in message


def test_commit_all_and_commit_patch(hooked: Repo, editor: Editor) -> None:
    hooked.write("alpha.py", ALPHA)
    commit(hooked, editor)
    (hooked.path / "alpha.py").write_text("def read_first():\n    return 1\n\n\n" + ALPHA + "\n" * 30)
    assert "read first" in commit(hooked, editor, "-a").replace("_", " ")
    text = (hooked.path / "alpha.py").read_text()
    (hooked.path / "alpha.py").write_text(
        "def take_one():\n    return 1\n\n\n" + text + "\n\ndef take_two():\n    return 2\n"
    )
    done = hooked.run("git", "commit", "-p", input=b"y\nn\n", GIT_EDITOR=str(editor))
    assert done.returncode == 0, done.stderr
    message = hooked.git("log", "-1", "--format=%B").replace("_", " ")
    assert "take one" in message
    assert "take two" not in message


def test_first_commit(repo: Repo, editor: Editor) -> None:
    add_hooks(repo)
    repo.write("alpha.py", ALPHA)
    assert commit(repo, editor, GITNOTES_TIMEOUT="60")
    assert editor.opened


def test_from_a_folder_below(hooked: Repo, editor: Editor) -> None:
    (hooked.path / "sub").mkdir()
    (hooked.path / "sub" / "delta.py").write_text(ALPHA.replace("alpha", "delta"))
    done = hooked.run("sh", "-c", "cd sub && git add delta.py && git commit", GIT_EDITOR=str(editor))
    assert done.returncode == 0, done.stderr
    assert "delta" in hooked.git("log", "-1", "--format=%s")


def test_git_told_where_everything_is(hooked: Repo, editor: Editor, tmp_path: Path) -> None:
    hooked.git("add", "alpha.py")
    done = subprocess.run(
        ["git", f"--git-dir={hooked.path}/.git", f"--work-tree={hooked.path}", "commit"],
        cwd=tmp_path,
        env={**os.environ, "GIT_EDITOR": str(editor)},
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr
    assert "alpha" in hooked.git("log", "-1", "--format=%s")


def test_worktree(hooked: Repo, editor: Editor, tmp_path: Path) -> None:
    hooked.git("worktree", "add", "-q", "-b", "other", str(tmp_path / "linked"))
    linked = Repo(tmp_path / "linked")
    hooked.git("add", "beta.py")
    linked.write("alpha.py", ALPHA)
    message = commit(linked, editor)
    assert "alpha" in message
    assert "beta" not in message


def test_submodule(hooked: Repo, editor: Editor, make_repo: Callable[..., Repo]) -> None:
    other = make_repo("other")
    other.commit("Begin", {"x.txt": "x\n"})
    hooked.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other.path), "inner")
    inner = Repo(hooked.path / "inner")
    add_hooks(inner)
    inner.write("alpha.py", ALPHA)
    assert "alpha" in commit(inner, editor)
    hooked.git("add", "inner")
    assert "inner" in commit(hooked, editor)


def test_hooks_path_that_does_not_exist_yet(repo: Repo, editor: Editor) -> None:
    repo.commit("Begin", {"readme.txt": "Parsers.\n"})
    repo.git("config", "core.hooksPath", "tools/hooks")
    add_hooks(repo)
    repo.write("alpha.py", ALPHA)
    assert "alpha" in commit(repo, editor, GITNOTES_TIMEOUT="60")
    uninstall(repo.path / "tools" / "hooks")
    assert not list((repo.path / "tools" / "hooks").iterdir())


def test_emptied_editor_still_stops_the_commit(hooked: Repo, editor: Editor) -> None:
    hooked.git("add", "alpha.py")
    editor.script.write_text(editor.script.read_text() + ': > "$1"\n')
    done = hooked.run("git", "commit", GIT_EDITOR=str(editor))
    assert done.returncode == 1
    assert b"empty commit message" in done.stderr
    assert b"gitnotes" not in done.stderr


def test_editor_plugin_that_commits_by_file(hooked: Repo, editor: Editor) -> None:
    """Plugins write .git/COMMIT_EDITMSG themselves and call `git commit -F`."""
    hooked.git("add", "alpha.py")
    (hooked.path / ".git" / "COMMIT_EDITMSG").write_text(
        "Teach the reader the alpha format\n\nIt was asked for.\n"
    )
    message = commit(hooked, editor, "-F", ".git/COMMIT_EDITMSG")
    assert message == "Teach the reader the alpha format\n\nIt was asked for."
    assert not editor.opened


def test_poor_message_is_told_and_committed(hooked: Repo) -> None:
    hooked.git("add", "alpha.py")
    done = hooked.run("git", "commit", "-q", "-m", "fix: fix bug")
    assert done.returncode == 0
    assert b"gitnotes" in done.stderr
    assert hooked.git("log", "-1", "--format=%s") == "fix: fix bug"


@pytest.mark.parametrize("variables", [{"GITNOTES_SKIP": "1"}, {"SKIP": "gitnotes-grade"}])
def test_check_can_be_skipped(hooked: Repo, variables: dict[str, str]) -> None:
    hooked.git("add", "alpha.py")
    done = hooked.run("git", "commit", "-q", "-m", "fix: fix bug", GITNOTES_STRICT="1", **variables)
    assert (done.returncode, done.stderr) == (0, b"")


def test_strict_stops_a_poor_message_and_keeps_it(hooked: Repo, editor: Editor) -> None:
    hooked.git("add", "alpha.py")
    before = hooked.git("rev-parse", "HEAD")
    done = hooked.run("git", "commit", "-q", "-m", "fix: fix bug", GITNOTES_STRICT="1")
    assert done.returncode == 1
    assert b"git commit -e -F .git/COMMIT_EDITMSG" in done.stderr
    assert b"Traceback" not in done.stderr
    assert hooked.git("rev-parse", "HEAD") == before
    editor.typed.write_text(
        "Parse the lines of alpha files\n\nThe importer needs their words one by one.\n\n"
    )
    editor.script.write_text(editor.script.read_text() + f'cp {shlex.quote(str(editor.typed))} "$1"\n')
    commit(hooked, editor, "-e", "-F", ".git/COMMIT_EDITMSG", GITNOTES_STRICT="1")
    assert b"fix: fix bug" in editor.seen


def test_what_is_graded_is_what_is_stored(hooked: Repo, editor: Editor) -> None:
    """Comments and the diff of -v do not help a message, and do not hurt it."""
    hooked.git("add", "alpha.py")
    hooked.git("config", "core.commentChar", ";")
    editor.typed.write_text("fix: fix bug\n\n; Parse the lines of alpha files for the importer\n")
    done = hooked.run(
        "git", "commit", "-q", "-v", GIT_EDITOR=str(editor), GITNOTES_STRICT="1", SKIP="gitnotes-draft"
    )
    assert done.returncode == 1
    assert b"scores" in done.stderr


def test_no_time_means_no_suggestion_and_no_harm(hooked: Repo, editor: Editor) -> None:
    hooked.git("add", "alpha.py")
    alone = without_hooks(hooked, editor)
    editor.typed.write_text("Own words\n")
    assert commit(hooked, editor, GITNOTES_TIMEOUT="0.000001") == "Own words"
    assert editor.seen == alone
    assert not [path for path in (hooked.path / ".git").iterdir() if path.name.startswith(".gitnotes-")]


def test_older_hook_still_decides(hooked: Repo, editor: Editor) -> None:
    folder = hooked.path / ".git" / "hooks"
    uninstall(folder)
    old = folder / "commit-msg"
    old.write_text('#!/bin/sh\ngrep -q Ticket "$1"\n')
    old.chmod(0o755)
    add_hooks(hooked)
    hooked.git("add", "alpha.py")
    assert hooked.run("git", "commit", "-q", "-m", "Parse alpha lines").returncode == 1
    assert hooked.run("git", "commit", "-q", "-m", "Parse alpha lines", "-m", "Ticket: 1").returncode == 0


def test_hostile_names_and_contents(hooked: Repo, editor: Editor) -> None:
    hooked.write("-rf \x1b[31m'$(touch oops)\n#.py", b"def \xff(): '\x1b]0;x\x07'\n# \xe2\x80\xae\n")
    done = hooked.run("git", "commit", "-q", GIT_EDITOR=str(editor))
    assert done.returncode == 0, done.stderr
    stored = hooked.run("git", "cat-file", "commit", "HEAD").stdout
    assert b"\x1b" not in stored + done.stderr
    assert not list(hooked.path.rglob("oops"))


@pytest.fixture
def framework(hooked: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """The same repository under the pre-commit framework, with the hooks that we publish."""
    yaml = pytest.importorskip("yaml")
    uninstall(hooked.path / ".git" / "hooks")
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "pre-commit home"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    published = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    wanted = [item for item in published if item["id"] in ("gitnotes-draft", "gitnotes-grade")]
    for item in wanted:
        # The published hooks build an environment from the network; here they use this one.
        item["language"] = "system"
        item["entry"] = item["entry"].replace("gitnotes", f"{shlex.quote(sys.executable)} -m gitnotes", 1)
    config = {"repos": [{"repo": "local", "hooks": wanted}]}
    hooked.write(".pre-commit-config.yaml", yaml.safe_dump(config))
    hooked.commit("Configure the hooks")
    done = hooked.run(
        sys.executable, "-m", "pre_commit", "install", "-t", "prepare-commit-msg", "-t", "commit-msg"
    )
    assert done.returncode == 0, done.stdout
    return hooked


def test_pre_commit_framework(framework: Repo, editor: Editor) -> None:
    framework.git("add", "alpha.py")
    alone = without_hooks(framework, editor)
    assert "alpha" in commit(framework, editor).splitlines()[0]
    assert editor.seen.endswith(alone) and editor.seen != alone
    framework.git("add", "beta.py")
    done = framework.run("git", "commit", "-m", "fix: fix bug")
    assert done.returncode == 0, done.stderr
    assert framework.git("log", "-1", "--format=%B") == "fix: fix bug"
    assert b"this message scores" in done.stderr + done.stdout
    assert framework.run("git", "commit", "-q", "--amend", "--no-edit").returncode == 0
    assert framework.git("log", "-1", "--format=%B") == "fix: fix bug"


def test_framework_and_own_hooks_together(framework: Repo, editor: Editor) -> None:
    add_hooks(framework)
    framework.git("add", "alpha.py")
    alone = without_hooks(framework, editor)
    message = commit(framework, editor)
    suggestion = editor.seen[: len(editor.seen) - len(alone)].decode()
    assert message.startswith(suggestion.strip())
    assert suggestion.count(suggestion.splitlines()[0]) == 1


def test_published_hooks_are_valid() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pre_commit", "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml")],
        capture_output=True,
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, b"")


def test_rules_alone(repo: Repo, editor: Editor) -> None:
    """`--rules` does not look at the change, and leaves merges alone as the whole grade does."""
    repo.commit("feat: begin", {"readme.txt": "x\n"})
    hook = repo.path / ".git" / "hooks" / "commit-msg"
    hook.parent.mkdir(exist_ok=True)
    call = f"PYTHONPATH={shlex.quote(str(ROOT))} {shlex.quote(sys.executable)} -m gitnotes hook commit-msg"
    hook.write_text(f'#!/bin/sh\n{call} --rules "$1"\n')
    hook.chmod(0o755)
    repo.write("alpha.py", ALPHA)
    good = repo.run("git", "commit", "-q", "-m", "feat: drink tea with the queen")
    assert (good.returncode, good.stderr) == (0, b"")
    repo.write("beta.py", BETA)
    (repo.path / ".gitnotes.toml").write_text(
        "conventional = 'always'\n[[overrides]]\npaths = ['*.txt']\nrules = {type-missing = 'off'}\n"
    )
    poor = repo.run("git", "commit", "-q", "-m", "Drink tea", GITNOTES_STRICT="1")
    assert poor.returncode == 1
    assert b"breaks 1 rule." in poor.stderr and b"type-missing" in poor.stderr
    assert b"git commit -e -F" in poor.stderr
    warned = repo.run("git", "commit", "-q", "-m", "Drink tea")
    assert warned.returncode == 0 and b"breaks 1 rule." in warned.stderr
    repo.write("notes.txt", "x\n")
    assert repo.run("git", "commit", "-q", "-m", "Drink tea again").stderr == b""
    repo.git("checkout", "-q", "-b", "topic", "HEAD~1")
    repo.commit("feat: topic", {"topic.py": ALPHA})
    assert repo.run("git", "merge", "-q", "-m", "Bring them together", "main").stderr == b""


def squash(repo: Repo) -> None:
    repo.branch("topic")
    repo.commit("Cache what lookup finds\n\nThe same key is asked for often.", {"cache.py": "CACHE = {}\n"})
    repo.commit("fixup! Cache what lookup finds", {"cache.py": "CACHE = {}\nSIZE = 9\n"})
    repo.commit("Document the cache\n\nRef: 12", {"cache.txt": "# Cache\n\nOf lookup.\n"})
    repo.switch("main")
    repo.git("merge", "-q", "--squash", "topic")


@pytest.mark.parametrize("options", [(), ("-s",), ("-v",), ("--cleanup=scissors", "-v"), ("--no-status",)])
def test_squashed_commits_become_one_message(hooked: Repo, editor: Editor, options: tuple[str, ...]) -> None:
    squash(hooked)
    listed = (hooked.path / ".git/SQUASH_MSG").read_text()
    before = without_hooks(hooked, editor, *options)
    (hooked.path / ".git/SQUASH_MSG").write_text(listed)  # git has taken it away
    hooked.git("add", "cache.py", "cache.txt")
    found = commit(hooked, editor, *options)
    subject, _, body = found.partition("\n")
    assert subject in ("Cache what lookup finds", "Document the cache")
    assert "The same key is asked for often." in body and "fixup" not in found and "commit " not in found
    assert ("- Document the cache" in body) is not ("- Cache what lookup finds" in body)
    trailers = body.rstrip().rpartition("\n\n")[2].split("\n")
    assert trailers[0] == "Ref: 12" and len(trailers) == 1 + ("-s" in options)
    seen = editor.seen.decode()
    for line in listed.rstrip().split("\n"):
        assert f"\n# {line}".rstrip() in seen.replace("\n# #", "\n#")
    assert all(line in seen for line in before.decode().split("\n") if line.startswith(("#", "diff")))


def shows_the_list(editor: Editor, listed: str) -> bool:
    seen = [line.rstrip() for line in editor.seen.decode().split("\n")]  # git itself takes blanks away
    wanted = [line.rstrip() for line in listed.rstrip("\n").split("\n")]
    return seen[: len(wanted)] == wanted


@pytest.mark.parametrize("mode", ["verbatim", "whitespace"])
def test_a_list_that_git_would_not_remove_stays(hooked: Repo, editor: Editor, mode: str) -> None:
    squash(hooked)
    hooked.git("config", "commit.cleanup", mode)
    listed = (hooked.path / ".git/SQUASH_MSG").read_text()
    assert commit(hooked, editor).startswith("Squashed commit of the following:\n\ncommit ")
    assert shows_the_list(editor, listed)


def test_a_list_stays_where_there_is_no_time(hooked: Repo, editor: Editor) -> None:
    squash(hooked)
    listed = (hooked.path / ".git/SQUASH_MSG").read_text()
    assert commit(hooked, editor, GITNOTES_TIMEOUT="0.001").startswith("Squashed commit of the following:")
    assert shows_the_list(editor, listed)
