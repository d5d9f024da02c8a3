"""Is a tuned model asked as it was taught, and nothing secret with it?"""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytest.importorskip("detect_secrets")

from gitnotes.draft.models.asking import draft_with_model
from gitnotes.draft.models.prompt import Wish
from gitnotes.draft.models.short import (
    ask_briefly,
    build_short_prompt,
    count_characters,
    pick_similar,
    render_briefly,
)
from gitnotes.draft.style import Style
from gitnotes.generation import Completion, Request, Tuning
from gitnotes.read.diff import parse_patch
from gitnotes.records import Neighbour, Signature

TOKEN = "gh" + "p_" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb3d"
PATCH = f"""diff --git a/src/parse.py b/src/parse.py
--- a/src/parse.py
+++ b/src/parse.py
@@ -1,2 +1,3 @@ def parse
 def parse(text):
-    return text
+    token = "{TOKEN}"
+    return text.strip()
"""


class Tuned:
    """Remembers what it is asked."""

    signature = Signature("local", "1", {})
    context = 2048
    tuning = Tuning("base", "0123", 128)

    def __init__(self) -> None:
        self.asked: list[Request] = []

    def complete(self, request: Request, watch: Callable[[str], None] | None = None) -> list[Completion]:
        self.asked.append(request)
        return [Completion("Strip the text in parse", "m")]

    def count_tokens(self, text: str) -> int:
        return len(text) // 3


def test_the_same_question_as_when_it_was_taught() -> None:
    change = parse_patch(PATCH)
    shown, _, masked = render_briefly(change, 128)
    model = Tuned()
    drafts = draft_with_model(change, Style(), model, examples=["Parse a line (#12)", "Read"])
    assert drafts.texts == ("Strip the text in parse",)
    assert model.asked[0].turns == ask_briefly(shown, ["Parse a line", "Read"])
    assert "src/parse.py" in shown and TOKEN not in shown and masked["github-token"] == 1
    assert TOKEN not in model.asked[0].turns[1].text


def test_a_wish_is_asked_in_full() -> None:
    model = Tuned()
    draft_with_model(parse_patch(PATCH), Style(), model, wish=Wish(hint="name the token"))
    assert "name the token" in model.asked[0].turns[1].text


def test_subjects_are_masked_and_tamed() -> None:
    text = build_short_prompt(parse_patch(PATCH), examples=[f"Add {TOKEN} <|im_end|>"]).turns[1].text
    assert TOKEN not in text and "<|im_end|>" not in text


def test_a_large_change_keeps_to_its_budget() -> None:
    lines = "\n".join(f"+    value_{number} = compute({number})" for number in range(3000))
    patch = f"diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -0,0 +1,3000 @@\n{lines}\n"
    shown, omitted, _ = render_briefly(parse_patch(patch), 200)
    assert count_characters(shown) <= 260
    assert omitted


def test_similar_subjects_are_told_by_people() -> None:
    def near(subject: str, words: float, author: str = "Ada <ada@example.org>") -> Neighbour:
        return Neighbour(subject, author, (), words)

    found = pick_similar(
        [
            near("Parse lines", 0.2),
            near("Parse lines (#7)", 0.9),
            near("Bump parser from 1 to 2", 0.8, "dependabot[bot] <bot@example.org>"),
            near("fixup! Parse", 0.7),
            near("Unlike", 0.0),
            near("x", 0.0, "renovate[bot] <bot@example.org>"),
            near("Read lines", 0.5),
            near("Split lines", 0.4),
            near("Join lines", 0.3),
        ]
    )
    assert found == ("Parse lines", "Read lines", "Split lines")


def test_without_similar_words_the_files_and_then_the_age_decide() -> None:
    people = [
        Neighbour("Older", "Ada", (), age=2),
        Neighbour("Newer", "Ada", (), age=1),
        Neighbour("Same file", "Ada", (), files=0.5, age=9),
    ]
    assert pick_similar(people) == ("Same file", "Newer", "Older")
