"""Is a message weighed with its change, put among the earlier ones, and counted only where that helps?"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from gitnotes.config import Settings
from gitnotes.errors import CannotJudge, UsageError
from gitnotes.grade.judging.cache import AnswerCache, Weights
from gitnotes.grade.judging.folding import Gain, compare_folded, fold_in
from gitnotes.read.git import Git, open_git
from gitnotes.read.history import read_changes
from gitnotes.recipes.grading import Graded, grade_text
from gitnotes.recipes.weighing import check_likelihood, find_fold, judge_likelihood, weigh_history
from gitnotes.show.judging import check_json, check_text
from tests.conftest import Repo
from tests.grade.judging.test_likelihood import Overlap

pytest.importorskip("detect_secrets")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITNOTES_CACHE", str(tmp_path / "cache"))


WORDS = [
    "amber", "birch", "cedar", "delta", "ember", "flint", "grove", "heath", "inlet", "joker", "kayak",
    "larch", "maple", "north", "ocean", "petal", "quilt", "river", "solar", "tulip", "umber", "viola",
    "wheat", "yacht",
]  # fmt: skip


class Mirror(Overlap):
    """A model that knows a word again whose letters the change adds backwards, as no grade does."""

    def log_probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        self.calls.append(len(pairs))
        return [
            -float(sum(f"+{word[::-1]}" not in context.split() for word in text.split()))
            for context, text in pairs
        ]


@pytest.fixture
def history(repo: Repo) -> Git:
    """24 commits whose messages the grade alone cannot tell from each other."""
    for at, word in enumerate(WORDS):
        more = " in the garden, which was too empty" if at % 2 else ""
        repo.commit(f"Plant the {word} tree{more}", {"garden.txt": f"{word[::-1]}\n"})
    return open_git(repo.path)


def grades(git: Git) -> Iterator[Graded]:
    for commit, change in islice(read_changes(git, None, "HEAD"), 20):
        yield grade_text(git, Settings(), commit.message, change=change)


def judged(git: Git, graded: Iterable[Graded], model: Overlap, known: Weights | None = None) -> list[Graded]:
    history = weigh_history(git, model, known=known)
    return list(judge_likelihood(git, graded, model, history=history, known=known))


def test_likelihoods_are_weighed_together_and_stay_in_order(repo: Repo) -> None:
    for number in range(24):
        repo.commit(f"Add part{number} to the parser", {f"part{number}.py": f"part{number} = 1\n"})
    git = open_git(repo.path)
    graded = list(grades(git))
    unread = replace(graded[3], change=None)
    model = Overlap()
    found = judged(git, [*graded[:3], unread, *graded[4:]], model)
    assert [one.subject for one in found] == [one.subject for one in graded]
    assert [one.judgement is None for one in found] == [at == 3 for at in range(20)]
    assert all(one.judgement is None or one.judgement.overall is not None for one in found)
    # 24 earlier messages in two batches, then 15 and 4, each with its change and without.
    assert model.calls == [32, 16, 30, 8]


def test_a_likelihood_needs_earlier_messages(repo: Repo) -> None:
    repo.commit("Begin", {"a.py": "x = 1\n"})
    git = open_git(repo.path)
    ((commit, change),) = read_changes(git, None, "HEAD")
    graded = grade_text(git, Settings(), commit.message, change=change)
    with pytest.raises(UsageError, match="earlier messages"):
        judged(git, [graded], Overlap())


def test_a_fold_keeps_what_is_in_the_middle_and_moves_the_rest() -> None:
    overalls = [40.0, 60.0, 80.0]
    assert fold_in(60.0, 0.5, overalls) == pytest.approx(60.0)
    assert fold_in(60.0, 0.0, overalls) == pytest.approx(60 - 8)
    assert fold_in(60.0, 1.0, overalls) == pytest.approx(60 + 8)
    assert fold_in(60.0, 0.75, overalls) == pytest.approx(60 + 4)
    assert fold_in(50.0, 0.3, [50.0]) == pytest.approx(50.0)


def test_a_gain_is_one_only_where_chance_would_not_do() -> None:
    own = [(50.0, 60.0 + at) for at in range(30)]
    swapped = [(50.0, 40.0 - at) for at in range(30)]
    clear = compare_folded(own, swapped)
    assert (clear.alone, clear.together, clear.helps) == (0.5, 1.0, True)
    same = compare_folded([(one, one) for one, _ in own], [(one, one) for one, _ in swapped])
    assert (same.low, same.high, same.helps) == (0.0, 0.0, False)
    worse = compare_folded([(b, a) for a, b in own], [(b, a) for a, b in swapped])
    assert not worse.helps and worse.together < worse.alone


def test_a_likelihood_that_helps_is_counted_from_then_on(history: Git, repo: Repo) -> None:
    model = Mirror()
    before = judged(history, grades(history), model)
    assert [one.grade for one in before] == [one.grade for one in grades(history)]
    checked = check_likelihood(history, Settings(), model, count=24)
    assert checked.gain is not None and checked.gain.helps
    assert "it helps" in " ".join(check_text(checked).split())
    assert json.loads(check_json(checked))["gain"]["helps"] is True
    # As another process finds it.
    for one, plain in zip(judged(open_git(repo.path), grades(history), model), before, strict=True):
        assert one.grade.overall is not None and plain.grade.overall is not None
        moved = one.grade.contributions["likelihood"]
        assert one.grade.overall == pytest.approx(plain.grade.overall + moved)
        assert "likelihood" in str(one.grade.signature)
        assert one.judgement is not None and "counted in the grade" in one.judgement.explanations[-1]


def test_progress_is_told(history: Git) -> None:
    told: list[int] = []
    weigh_history(history, Mirror(), progress=told.append)
    assert told == list(range(1, 25))
    told.clear()
    check_likelihood(history, Settings(), Mirror(), count=24, progress=told.append)
    assert told == list(range(1, len(told) + 1)) and len(told) > 4 * 24 - 1


def test_what_does_not_help_is_forgotten(history: Git) -> None:
    model = Mirror()
    check_likelihood(history, Settings(), model, count=24)
    assert find_fold(history, model.signature) is not None

    class Deaf(Overlap):
        def log_probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
            return [0.0] * len(pairs)

    checked = check_likelihood(history, Settings(), Deaf(), count=24)
    assert checked.gain is not None and not checked.gain.helps
    assert "does not help" in " ".join(check_text(checked).split())
    assert find_fold(history, model.signature) is None


def test_few_messages_tell_nothing_of_a_gain(history: Git, repo: Repo) -> None:
    assert check_likelihood(history, Settings(), Mirror(), count=19).gain is None
    assert find_fold(history, Mirror().signature) is None


def test_a_young_repository_cannot_check(repo: Repo) -> None:
    repo.commit("Begin", {"a.py": "x = 1\n"})
    with pytest.raises(CannotJudge, match="1 messages"):
        check_likelihood(open_git(repo.path), Settings(), Mirror(), count=20)


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"\xff", b'{"schema": 1, "overalls": "x"}'])
def test_a_damaged_fold_is_none(history: Git, tmp_path: Path, content: bytes) -> None:
    model = Mirror()
    check_likelihood(history, Settings(), model, count=24)
    (place,) = (tmp_path / "cache" / "folds").iterdir()
    place.write_bytes(content)
    assert find_fold(history, model.signature) is None


def test_another_repository_has_no_part_in_it(history: Git, repo: Repo, tmp_path: Path) -> None:
    check_likelihood(history, Settings(), Mirror(), count=24)
    repo.git("clone", "-q", ".", str(tmp_path / "other"))
    assert find_fold(open_git(tmp_path / "other"), Mirror().signature) is None
    assert find_fold(history, replace(Mirror().signature, settings={"model": "other"})) is None


def test_what_was_weighed_is_not_weighed_again(history: Git, tmp_path: Path) -> None:
    first, again = Mirror(), Mirror()
    with AnswerCache(tmp_path / "judge.sqlite") as cache:
        one = judged(history, grades(history), first, Weights(cache))
        other = judged(history, grades(history), again, Weights(cache))
    # 24 earlier messages with their changes and without; those that are judged are among them.
    assert sum(first.calls) == 48 and again.calls == []
    assert [item.judgement for item in one] == [item.judgement for item in other]


def test_a_gain_says_what_it_is() -> None:
    assert Gain(0.9, 0.95, 0.01, 0.09).helps and not Gain(0.9, 0.95, 0.0, 0.1).helps
