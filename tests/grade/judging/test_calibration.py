"""Is a judge put on the scale of given ratings without changing the order, and only for itself?"""

from __future__ import annotations

import hashlib
import json
import random
import sys
from pathlib import Path

import pytest

from gitnotes.errors import CannotJudge
from gitnotes.grade.judging.calibration import LEAST, fit_calibration, fit_monotone, name_judge
from gitnotes.recipes.calibrating import find_calibration
from gitnotes.records import Signature
from tests.conftest import Repo
from tests.stub_server import Answer, serve


def test_neighbours_that_fall_are_pooled() -> None:
    """Worked by hand: 3 and 1 become 2 and 2, the ends stay."""
    assert fit_monotone([(1, 1), (2, 3), (3, 1), (4, 5)]) == ((1, 1), (2, 2), (3, 2), (4, 5))
    assert fit_monotone([(1, 4), (1, 2), (2, 1)]) == ((1, 7 / 3), (2, 7 / 3))


def test_the_map_never_falls_and_is_nearest_among_those() -> None:
    draw = random.Random(7)
    for _ in range(50):
        pairs = [(draw.randint(0, 8) / 2, draw.uniform(0, 4)) for _ in range(12)]
        fitted = dict(fit_monotone(pairs))
        values = [fitted_at(fit_monotone(pairs), score) for score, _ in sorted(pairs)]
        assert values == sorted(values) and len(fitted) >= 1
        loss = sum((fitted_at(fit_monotone(pairs), x) - y) ** 2 for x, y in pairs)
        for _ in range(20):  # no other map that never falls is nearer
            steps = sorted(draw.uniform(0, 4) for _ in range(9))
            assert sum((steps[int(2 * x)] - y) ** 2 for x, y in pairs) >= loss - 1e-9


def fitted_at(points: tuple[tuple[float, float], ...], score: float) -> float:
    from gitnotes.grade.judging.calibration import Calibration

    return Calibration("j", points, 0, None, None, 0.0, 0.0).apply(score)


def test_between_and_beyond_the_points() -> None:
    points = ((1.0, 2.0), (3.0, 4.0))
    assert [fitted_at(points, score) for score in (0, 1, 2, 3, 9)] == [2, 2, 3, 4, 4]


def test_the_error_is_of_texts_that_were_left_out() -> None:
    """Ratings that have nothing to do with the scores: fitted to themselves they would look near."""
    draw = random.Random(3)
    scores = [draw.uniform(0, 4) for _ in range(60)]
    noise = [draw.uniform(0, 4) for _ in range(60)]
    found = fit_calibration(scores, noise, "j")
    own = sum(abs(found.apply(x) - y) for x, y in zip(scores, noise, strict=True)) / 60
    assert found.error > own
    exact = fit_calibration(scores, [2 * score for score in scores], "j")
    assert exact.rho == pytest.approx(1) and exact.error < 0.2 < exact.plain_error


def test_too_few_ratings() -> None:
    with pytest.raises(CannotJudge, match=f"{LEAST - 1} rated"):
        fit_calibration([1.0] * (LEAST - 1), [1.0] * (LEAST - 1), "j")


def test_one_rating_for_all_is_no_scale() -> None:
    known = [float(at % 5) for at in range(LEAST)]
    with pytest.raises(CannotJudge, match="All ratings are the same"):
        fit_calibration(known, [3.0] * LEAST, "j")
    with pytest.raises(CannotJudge, match="All scores of the judge are the same"):
        fit_calibration([3.0] * LEAST, known, "j")


@pytest.mark.parametrize(
    "content", [b"[1]", b"null", b"{}", b"\xff", b'{"points": [[1, NaN]]}', b"[" * 99_999]
)
def test_a_scale_that_cannot_be_read_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    monkeypatch.setenv("GITNOTES_CACHE", str(tmp_path))
    signature = Signature("judge", "1", {"model": "m"})
    place = tmp_path / "calibrations"
    place.mkdir()
    name = hashlib.sha256(name_judge(signature).encode()).hexdigest()[:16]
    (place / f"{name}.json").write_bytes(content)
    assert find_calibration(signature) is None


def test_what_makes_another_judge() -> None:
    base = {"model": "m", "profile": "commit", "k": "4", "answered-by": "m-1"}
    same = name_judge(Signature("judge", "1", {**base, "answered-by": "m-2"}))
    assert name_judge(Signature("judge", "2", base)) == same
    assert name_judge(Signature("judge", "1", {**base, "k": "0"})) != same


def test_from_ratings_to_a_grade(repo: Repo, tmp_path: Path) -> None:
    pytest.importorskip("openai")
    pytest.importorskip("detect_secrets")
    rows = ["commit,rating"]
    for number in range(24):
        good = number % 2
        name = repo.commit(f"Add part {number} {'well' if good else 'badly'}", {f"{number}.py": "x = 1\n"})
        rows.append(f"{name},{90 if good else 20}")
    (tmp_path / "rated.csv").write_text("\n".join([*rows, "0123456789abcdef,50", f"{name},"]))

    def run(*arguments: str, url: str) -> tuple[int, str, str]:
        done = repo.run(
            sys.executable, "-m", "gitnotes", *arguments, "--json",
            OPENAI_BASE_URL=url, OPENAI_API_KEY="k", GITNOTES_CACHE=str(tmp_path / "cache"),
        )  # fmt: skip
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def respond(question: dict[str, object], _: int) -> Answer:
        return Answer('{"score": 3}' if "well" in json.dumps(question) else '{"score": 1}')

    with serve(respond) as stub:
        check = ("judge-check", "openai:stub", "--ratings", str(tmp_path / "rated.csv"))
        code, out, err = run(*check, url=stub.url)
        assert code == 0, err
        found = json.loads(out)
        assert found["rated"] == 24 and found["rho"] == pytest.approx(1)
        assert "2 rows name no commit" in err and "Judge: 5 calls for each of 24 texts, 120 in all." in err
        grade = ("grade", "HEAD", "--judge", "--model", "openai:stub")
        _, out, _ = run(*grade, url=stub.url)
        judge = json.loads(out)["judge"]
        assert judge["overall"] == 3 and judge["calibrated"] == pytest.approx(90)
        # Another form of the question is another judge, which has no scale yet.
        _, out, _ = run(*grade, "--k", "0", url=stub.url)
        assert json.loads(out)["judge"]["calibrated"] is None
        (tmp_path / "few.csv").write_text("\n".join(rows[:5]))
        code, _, err = run("judge-check", "openai:stub", "--ratings", str(tmp_path / "few.csv"), url=stub.url)
        assert code == 3 and "20 are needed" in err
        for name, content, word in (
            ("same.csv", "\n".join(line.replace(",20", ",90") for line in rows), "ratings are the same"),
            ("twice.csv", "\n".join([rows[0], *rows[1:3] * 20]), "There are 2 rated"),
            ("torn.csv", "rating,commit\n3\n", "line 2: another number of fields"),
            ("rated.what", "x", "Call it .csv"),
        ):
            (tmp_path / name).write_text(content)
            asked = len(stub.calls)
            code, _, err = run("judge-check", "openai:stub", "--ratings", str(tmp_path / name), url=stub.url)
            assert code == 3 and word in err and len(stub.calls) == asked, "nothing is paid for in vain"
        (tmp_path / "other.csv").write_text("a,b\n1,2\n")
        code, _, err = run(
            "judge-check", "openai:stub", "--ratings", str(tmp_path / "other.csv"), url=stub.url
        )
        assert code == 3 and "no columns" in err
