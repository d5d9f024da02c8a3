"""Do the rows of a model in the drafting benchmark hold what it drafts from the diff and from our prompt?"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from bench.drafting.__main__ import main
from bench.drafting.models import model_drafters
from gitnotes.changes import add_parts
from gitnotes.draft.style import Style
from gitnotes.errors import ModelError
from gitnotes.generation import Completion, Request
from gitnotes.read.diff import read_commit
from gitnotes.read.git import open_git
from gitnotes.records import Neighbour, Signature
from tests.conftest import Repo

pytest.importorskip("detect_secrets")


class Model:
    """Answers each question with the next of its texts."""

    context = 2048
    signature = Signature("fake", "1", {})

    def __init__(self, *texts: str) -> None:
        self.texts = list(texts)
        self.asked: list[str] = []

    def count_tokens(self, text: str) -> int:
        return len(text) // 3

    def complete(self, request: Request, watch: Callable[[str], None] | None = None) -> list[Completion]:
        self.asked.append("\n".join(turn.text for turn in request.turns))
        if not self.texts:
            raise ModelError("It is gone.")
        return [Completion(self.texts.pop(0), "fake")]


def draft(repo: Repo, model: Model) -> dict[str, str]:
    git = open_git(repo.path)
    change = add_parts(git, read_commit(git, "HEAD"))
    near = [Neighbour("Add writer", "Ada <ada@example.org>", ("writer.py",), 0.5, 0.0, 1)]
    return {name: make() for name, make in model_drafters(model, git, change, Style(), near).items()}


@pytest.fixture
def changed(repo: Repo) -> Repo:
    repo.commit("Begin", {"a.txt": "1\n"})
    repo.commit("Add reader", {"reader.py": "def read(path):\n    return open(path).read()\n" * 200})
    return repo


def test_the_plain_diff_and_our_question_are_two(changed: Repo) -> None:
    model = Model("Read a path", "Add read for a path")
    found = draft(changed, model)
    assert list(found) == ["plain-diff", "ranked-prompt", "with-model"]
    assert (found["plain-diff"], found["ranked-prompt"]) == ("Read a path", "Add read for a path")
    plain, ranked = model.asked
    assert "+++ b/reader.py" in plain and model.count_tokens(plain) < 1600
    assert "Add writer" in ranked and "Add writer" not in plain
    assert found["with-model"]


def test_without_an_answer_our_own_draft_is_left(changed: Repo) -> None:
    found = draft(changed, Model())
    assert found["plain-diff"] == found["ranked-prompt"] == ""
    assert "read" in found["with-model"].lower()


def test_an_invented_name_is_no_draft(changed: Repo) -> None:
    found = draft(changed, Model("ok", "Add download_everything"))
    assert found["ranked-prompt"] == "" and "download" not in found["with-model"]


def test_one_table_holds_them_all(
    changed: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Model(*["Add read for a path"] * 4)
    monkeypatch.setattr("bench.drafting.__main__.find_generator", lambda name, git: model)
    main(["--repo", str(changed.path), "--last", "2", "--json", "--model", "local:somewhere"])
    found = json.loads(capsys.readouterr().out)["drafters"]
    assert {"default", "nngen", "plain-diff", "ranked-prompt", "with-model"} <= set(found)
    assert 0 < found["ranked-prompt"]["log-mnext"] <= 1 and found["nngen"]["repeated"] == 0.5
