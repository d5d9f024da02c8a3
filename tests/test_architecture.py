"""Do the rooms keep to the import directions, and do the light paths stay light?"""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import gitnotes
from tests.conftest import Repo

PACKAGE = Path(gitnotes.__file__).parent
FACTS = {
    "chat",
    "conventional",
    "generation",
    "globs",
    "identifiers",
    "kinds",
    "messages",
    "note_items",
    "note_languages",
    "note_rules",
    "relations",
    "rulebook",
    "verbs",
}
FACTS |= {"versioning"}
BASE = {"", "codec", "findings", "records", "errors", *FACTS}
ALLOWED = {
    "guard": BASE | {"guard"},
    "read": BASE | {"guard", "read"},
    "draft": BASE | {"guard", "draft"},
    "grade": BASE | {"guard", "grade"},
    "write": BASE | {"guard", "write"},
    "config": BASE | {"guard", "config"},
    "form": BASE | {"guard", "config", "grade"},
    "changes": BASE | {"read"},
    "ancestry": set(),
    "index": BASE | {"ancestry", "guard", "read"},
    "customs": BASE | {"guard", "config", "read", "draft", "write"},
    "recipes": BASE
    | {"changes", "guard", "config", "customs", "read", "draft", "grade", "write", "recipes"}
    | {"form", "index", "learn"},
    "learn": BASE | {"guard", "read", "grade", "learn"},
    "scoring": BASE | {"guard", "read", "grade", "write", "scoring"},
    "show": BASE | {"guard", "config", "recipes", "scoring", "show", "learn"},
    "hook": BASE | {"guard", "config", "recipes", "hook"},
    "cli": BASE
    | {"guard", "changes", "config", "customs", "read", "grade", "recipes", "scoring", "show"}
    | {"hook", "cli", "learn"},
    "codec": set(),
    "findings": set(),
    "records": {"findings"},
    "relations": set(),
    "generation": {"records"},
    "errors": set(),
    "versioning": {"guard"},
    "conventional": {"guard", "messages"},
    "chat": set(),
    "globs": set(),
    "rulebook": {"findings"},
    "identifiers": set(),
    "kinds": {"guard"},
    "note_items": {"guard", "note_languages"},
    "note_languages": set(),
    "note_rules": set(),
    "messages": {"guard"},
    "verbs": set(),
    "": {"", "errors", "grade", "recipes"},
    "__main__": BASE | {"guard", "cli", "hook"},
}
HOMES = {
    "git": {"read/git.py"},
    "jinja2": {"draft/notes/template.py"},
    "typer": {"cli"},
    "click": set(),
    "rich": {"show", "cli"},
    "nltk": {"grade"},
    "tree_sitter": {"read"},
    "pyarrow": {"read/parquet.py", "learn/storing.py"},
    "torch": {"draft/models/local.py", "draft/models/gguf.py", "draft/models/adapters.py", "learn"},
    "transformers": {"draft/models/local.py", "draft/models/gguf.py", "learn"},
    "peft": {"draft/models/adapters.py", "learn"},
}
HEAVY = {
    "jinja2",
    "torch",
    "tree_sitter",
    "transformers",
    "nltk",
    "numpy",
    "pydantic",
    "git",
    "rich",
    "openai",
    "pyarrow",
}


def _modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py"))


def _imports(path: Path) -> set[str]:
    """Full names of what a module imports, lazily or not."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            module = node.module or ""
            found |= {f"{module}.{alias.name}" for alias in node.names}
    return found


def _room(name: str) -> str:
    parts = name.split(".")
    if len(parts) == 1:
        return ""
    known = {path.stem for path in PACKAGE.iterdir()}
    return parts[1] if parts[1] in known else ""


@pytest.mark.parametrize("path", _modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_import_directions(path: Path) -> None:
    inside = path.relative_to(PACKAGE)
    room = inside.parts[0] if len(inside.parts) > 1 else inside.stem.replace("__init__", "")
    for name in _imports(path):
        top = name.split(".")[0]
        if top == "gitnotes":
            assert _room(name) in ALLOWED[room], f"{inside} imports {name}"
        elif top in HOMES:
            homes = HOMES[top]
            assert inside.parts[0] in homes or inside.as_posix() in homes, f"{inside} imports {name}"


@pytest.mark.parametrize("path", _modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_modules_are_short_and_open_with_a_sentence(path: Path) -> None:
    text = path.read_text("utf-8")
    assert text.count("\n") <= 400
    assert ast.get_docstring(ast.parse(text))


def test_programs_are_started_in_two_places() -> None:
    for path in _modules():
        if path.relative_to(PACKAGE).as_posix() not in ("read/git.py", "guard/gitleaks.py"):
            assert "subprocess" not in {name.split(".")[0] for name in _imports(path)}, path


def _loaded(*command: str, cwd: Path) -> set[str]:
    """Top-level names of the modules that a command loads."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "gitnotes", *command],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    assert len(lines) > 20
    return {line.rsplit("|", 1)[1].strip().split(".")[0] for line in lines[1:]}


def test_help_loads_nothing_heavy(repo: Repo) -> None:
    assert not _loaded("--help", cwd=repo.path) & (HEAVY - {"rich"})


def test_hook_that_does_not_apply_loads_next_to_nothing(repo: Repo) -> None:
    message = repo.path / "MESSAGE"
    message.write_text("Given\n")
    loaded = _loaded("hook", "prepare-commit-msg", str(message), "message", cwd=repo.path)
    assert not loaded & (HEAVY | {"typer", "subprocess", "dataclasses", "json"})


def test_hooks_that_act_load_nothing_heavy(repo: Repo) -> None:
    repo.commit("First", {"a.py": "x = 1\n"})
    repo.write("a.py", "def parse(text):\n    return text\n")
    message = repo.path / "MESSAGE"
    message.write_text("Add a parser for the text of the file\n")
    assert not _loaded("hook", "commit-msg", str(message), cwd=repo.path) & (HEAVY | {"typer"})
    message.write_text("\n# comment\n")
    loaded = _loaded("hook", "prepare-commit-msg", str(message), cwd=repo.path)
    # A draft parses the files of the change, each with the grammar of its language and no other.
    assert not loaded & ((HEAVY - {"tree_sitter"}) | {"typer"})
    assert {name for name in loaded if name.startswith("tree_sitter_")} <= {"tree_sitter_python"}
    assert not message.read_text().startswith("\n")


def test_importing_the_package_is_free() -> None:
    command = "import sys; before = set(sys.modules); import gitnotes; print(len(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True)
    assert int(done.stdout) <= 3


def test_public_names() -> None:
    from gitnotes import grade, log_mnext, release_note, suggest

    assert gitnotes.__all__
    for name in gitnotes.__all__:
        assert getattr(gitnotes, name) is not None
    assert log_mnext("Add the parser", "Add the parser").value == 1.0
    found = grade("Add the parser", reference="Add the parser")
    assert found.scores["log-mnext"] == 1.0
    assert callable(suggest) and callable(release_note)
    importlib.import_module("gitnotes.grade.scale")
    assert gitnotes.grade is grade
    with pytest.raises(AttributeError):
        gitnotes.nothing  # noqa: B018
