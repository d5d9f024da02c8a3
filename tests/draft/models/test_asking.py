"""Which texts of a model become messages, and is a change of any size asked about within the time?"""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytest.importorskip("detect_secrets")

from gitnotes.draft.models.asking import draft_with_model
from gitnotes.draft.models.prompt import Wish
from gitnotes.draft.style import Style
from gitnotes.errors import ModelError
from gitnotes.generation import Completion, Request
from gitnotes.records import Change, FileChange, Hunk, Signature


class Parrot:
    """A model that says what it was told to, in order, and remembers the questions."""

    def __init__(self, *answers: str, context: int = 4096) -> None:
        self.answers = list(answers)
        self.context = context
        self.requests: list[Request] = []

    signature = Signature("parrot", "1")

    def count_tokens(self, text: str) -> int:
        return len(text) // 3 + 1

    def complete(self, request: Request, watch: Callable[[str], None] | None = None) -> list[Completion]:
        self.requests.append(request)
        if not self.answers:
            raise ModelError("The model has nothing left to say.")
        return [
            Completion(self.answers.pop(0), "parrot") for _ in range(min(request.count, len(self.answers)))
        ]


def make(*files: tuple[str, list[str]]) -> Change:
    return Change(
        base="0" * 40,
        target="index",
        files=tuple(FileChange(path, "M", added=len(lines), removed=0) for path, lines in files),
        hunks=tuple(Hunk(path, 1, 0, 1, len(lines), "", tuple(lines)) for path, lines in files),
    )


RETRY = make(("app/client.py", ["-def fetch(url):", "+def fetch(url, retries=3):"]))


def test_a_usable_text_is_kept() -> None:
    found = draft_with_model(RETRY, Style(), Parrot("Sure!\n\nAdd retries to fetch."))
    assert found.texts == ("Add retries to fetch",)
    assert found.refused == ()


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("I'm sorry, I can't.", "refuses"),
        ("Add retries to download_everything", "download_everything"),
        ("Add retries to app/server.py", "server.py"),
        ("", "empty"),
    ],
)
def test_what_cannot_be_used_is_refused_with_the_reason(answer: str, reason: str) -> None:
    found = draft_with_model(RETRY, Style(), Parrot(answer))
    assert found.texts == ()
    assert reason in found.refused[0]


def test_an_example_is_not_a_draft() -> None:
    found = draft_with_model(RETRY, Style(), Parrot("Fix the typo"), examples=["Fix the typo"])
    assert found.texts == () and "another commit" in found.refused[0]


def test_several_candidates_are_sampled_and_each_is_told_once() -> None:
    parrot = Parrot("Add retries", "Add retries", "Add retries to fetch")
    assert draft_with_model(RETRY, Style(), parrot, count=3).texts == ("Add retries", "Add retries to fetch")
    assert [request.temperature for request in parrot.requests] == [0.0, 0.7]


def test_the_first_stands_when_sampling_fails() -> None:
    assert draft_with_model(RETRY, Style(), Parrot("Add retries"), count=3).texts == ("Add retries",)


def test_names_of_the_user_are_known() -> None:
    found = draft_with_model(
        RETRY, Style(), Parrot("Add retries for flaky_proxy"), wish=Wish(why="flaky_proxy")
    )
    assert found.texts == ("Add retries for flaky_proxy",)


def test_a_change_that_is_too_large_is_read_in_parts() -> None:
    files = [(f"pkg{n}/m.py", [f"+value_{n}_{line} = {line}" for line in range(150)]) for n in range(4)]
    parrot = Parrot("Add value_0_1", "I cannot", "Add value_2_1", "Add value_3_1", "Add values", context=1600)
    found = draft_with_model(make(*files), Style(), parrot)
    assert found.texts == ("Add values",)
    assert len(parrot.requests) == 5
    assert "Part 1: Add value_0_1" in parrot.requests[-1].turns[1].text
    assert "I cannot" not in parrot.requests[-1].turns[1].text


def test_a_model_that_fails_is_said() -> None:
    with pytest.raises(ModelError):
        draft_with_model(RETRY, Style(), Parrot())
