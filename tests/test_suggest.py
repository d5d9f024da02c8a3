"""Does a draft use what whole files tell, and does it come without them as well?"""

from __future__ import annotations

import sys

import pytest

from gitnotes import suggest
from gitnotes.read import definitions, manifests
from tests.conftest import Repo

BEFORE = "class Store:\n" + "".join(f"    def part{n}(self):\n        return {n}\n\n" for n in range(9))
AFTER = BEFORE.replace("return 7", "value = 7\n        return value + 1")


@pytest.fixture
def changed(repo: Repo) -> Repo:
    repo.commit("Add the store", {"store.py": BEFORE, "requirements.txt": "rich==1.0\n"})
    repo.write("store.py", AFTER)
    return repo


def test_a_method_is_named_with_its_class(changed: Repo) -> None:
    assert suggest(repo=changed.path).text == "Update Store part7"


@pytest.mark.parametrize(
    ("module", "name"), [(definitions, "add_definitions"), (manifests, "add_dependencies")]
)
def test_a_parser_that_fails_does_not_end_the_draft(
    changed: Repo, monkeypatch: pytest.MonkeyPatch, module: object, name: str
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a fault of a parser")

    monkeypatch.setattr(module, name, fail)
    changed.write("requirements.txt", "rich==1.1\n")
    text = suggest(repo=changed.path, count=1).text
    assert "part7" in text


def test_the_first_reading_of_the_history_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from gitnotes.show import console

    with console.counting("Reading") as tell:
        tell(50)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(console, "PATIENCE", 0.0)
    with console.counting("Reading") as tell:
        tell(5000)
    assert "Reading 5,000" in capsys.readouterr().err


def test_the_issue_of_the_branch_is_named_as_the_history_names_them(repo: Repo) -> None:
    for number in range(6):
        repo.commit(f"[ABC-{number}] Add part {number}", {f"part{number}.py": f"PART = {number}\n"})
    repo.branch("feature/abc-77-fetch")
    repo.write("client.py", "def fetch(url):\n    return get(url)\n")
    text = repo.run(sys.executable, "-m", "gitnotes", "suggest").stdout.decode()
    assert text.startswith("[ABC-77] ") and "fetch" in text.split("\n")[0]


def test_a_shorter_limit_is_kept_where_a_draft_can(repo: Repo) -> None:
    name = "read_configuration_of_the_third_party_renderer"
    repo.commit("Add a reader", {"reader.py": f"def {name}(path):\n    return path\n"})
    repo.write("reader.py", f"def {name}(path, encoding=None):\n    return path\n")
    usual = suggest(repo=repo.path).text.partition("\n")[0]
    repo.git("config", "gitnotes.subject-limit", "30")
    assert len(suggest(repo=repo.path).text.partition("\n")[0]) <= 30 < len(usual)


def test_a_change_that_is_taken_back_is_not_told_once_more(repo: Repo) -> None:
    for number in range(24):
        repo.commit(f"Add part {number}", {f"part{number}.py": f"PART = {number}\n"})
    before = "def fetch(url):\n    return get(url)\n"
    repo.commit("Add the client", {"client.py": before})
    sha = repo.commit("Retry broken connections", {"client.py": before.replace("get(", "retry(get, ")})
    repo.commit("Note it", {"README.md": "# Client\n"})
    repo.write("client.py", before)
    told = suggest(repo=repo.path, count=3)
    assert told.text == f'Revert "Retry broken connections"\n\nThis reverts commit {sha}.'
    assert told.drafters[0] == "undoing" and len(told.candidates) > 1
    repo.write("client.py", before.replace("get(", "ask("))
    assert "Revert" not in suggest(repo=repo.path).text
