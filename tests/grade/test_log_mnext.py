"""Does Log-MNEXT give the floats of its authors' code, and say how it came to them?"""

from __future__ import annotations

import itertools
import json
import math
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench import metric_golden
from gitnotes import __version__
from gitnotes.codec import from_json, to_json
from gitnotes.errors import UsageError
from gitnotes.grade.log_mnext import find_value, log_mnext
from gitnotes.grade.variants import Settings
from gitnotes.records import Match, Score
from tests.grade import slow_mnext
from tests.grade.test_alignment import FAMILY_OF, texts

# What the authors' code gives, to the last bit.
KNOWN = [
    ("updated the files", "update file", "0x1.a320261a32027p-2"),
    ("a b c updated updated", "a b c update updating", "0x1.012d6cbdfee95p+0"),
    ("updated", "update updating", "0x1.aa349572daa35p-2"),
    ("a a a", "a", "0x1.b13b13b13b13bp-2"),
    ("a", "a a a", "0x1.a12f684bda130p-3"),
    ("delete unused imports", "remove unused import", "0x1.fbc703caeaaccp-2"),
    ("updated", "updates", "0x1.999999999999bp-1"),
    ("erased", "delete", "0x1.3333333333333p-1"),
    ("delete", "erased", "0x0.0p+0"),
    ("fix(core): x + y = z", "fix (core): x+y=z", "0x0.0p+0"),
    ("add fooBar", "add foo_bar", "0x1.0000000000000p+0"),
    ("fix typo", "Fix Typo", "0x1.0000000000000p+0"),
    ("i̇ test", "İ test", "0x1.0000000000000p+0"),
    ("naive cafe", "naïve café", "0x0.0p+0"),
    ("the gunman killed the cop", "the cop killed the gunman", "0x1.0000000000000p+0"),
    ("", "", "0x0.0p+0"),
    ("", "a", "0x0.0p+0"),
    ("a", "", "0x0.0p+0"),
    ("...", "...", "0x0.0p+0"),
]


@pytest.mark.parametrize(("prediction", "reference", "expected"), KNOWN)
def test_known_scores(prediction: str, reference: str, expected: str) -> None:
    assert log_mnext(prediction, reference).value.hex() == expected
    assert find_value(prediction, reference).hex() == expected
    assert slow_mnext.value(prediction, reference).hex() == expected


def test_every_score_equals_the_slow_one() -> None:
    pairs = texts(2, 3000)
    for words in itertools.product(
        ["x y z", "x y z v w"], ["updated", "adds", "fixed"], FAMILY_OF["updating"] * 2
    ):
        start, twice, once = words
        pairs += [(f"{start} {twice} {twice}", f"{start} {once} {last}") for last in FAMILY_OF[twice]]
    above_one = 0
    for prediction, reference in pairs:
        value = log_mnext(prediction, reference).value
        assert value == slow_mnext.value(prediction, reference), (prediction, reference)
        assert find_value(prediction, reference) == value
        above_one += value > 1
    assert above_one, "the pairs must meet the double match that lifts a score above 1"


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_scores_as_the_slow_way_does(prediction: str, reference: str) -> None:
    wanted = slow_mnext.value(prediction, reference)
    assert log_mnext(prediction, reference).value == find_value(prediction, reference) == wanted


@settings(max_examples=100, deadline=None)
@given(
    st.floats(0, 1),
    st.floats(0, 10),
    st.floats(0, 1),
    st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1)),
    st.integers(0, 10_000),
)
def test_settings_are_used(
    alpha: float, beta: float, gamma: float, weights: tuple[float, float, float], seed: int
) -> None:
    ((prediction, reference),) = texts(seed, 1)
    fast = log_mnext(prediction, reference, alpha=alpha, beta=beta, gamma=gamma, weights=weights)
    assert fast.value == slow_mnext.value(prediction, reference, alpha, beta, gamma, weights)
    assert find_value(prediction, reference, Settings(alpha, beta, gamma, weights)) == fast.value


def test_the_score_explains_itself() -> None:
    score = log_mnext("Delete unused imports!", "remove unused import")
    assert score.prediction == ("delete", "unused", "imports")
    assert score.reference == ("remove", "unused", "import")
    assert score.matches == (Match(1, 1, "exact"), Match(2, 2, "stem"), Match(2, 2, "synonym"))
    assert score.chunks == 2
    assert score.precision == score.recall == 1.8 / 3
    assert score.penalty == 0.45 * (2 / 3) ** 2.35
    assert score.value == (1 - score.penalty) * score.f_mean
    assert from_json(Score, json.loads(json.dumps(to_json(score)))) == score


def test_the_best_reference_counts_and_the_first_of_equals() -> None:
    score = log_mnext("fix the parser", ["unrelated words", "fix the parser", "Fix the Parser"])
    assert (score.value, score.reference) == (1.0, ("fix", "the", "parser"))
    both = log_mnext("fix the parser", ["fix a bug", "repair the parser"])
    assert both.value == max(
        log_mnext("fix the parser", text).value for text in ("fix a bug", "repair the parser")
    )
    assert log_mnext("zzz", ["first", "second"]).reference == ("first",)


def test_the_signature_names_version_and_settings() -> None:
    score = log_mnext("a", ["b", "c"], alpha=0.5, gamma=0)
    assert str(score.signature) == (
        "log-mnext|refs:2|alpha:0.5|beta:2.35|gamma:0|weights:1.0,0.8,0.6|case:lower|punctuation:removed"
        f"|stem:porter-nltk|synonyms:wordnet-3.0|version:{__version__}"
    )


@pytest.mark.parametrize(
    "setting",
    [
        {"alpha": -0.1},
        {"alpha": 1.1},
        {"alpha": math.nan},
        {"beta": -1},
        {"beta": math.inf},
        {"gamma": math.nan},
        {"weights": (1.0, 0.8)},
        {"weights": (1.0, -0.8, 0.6)},
    ],
)
def test_settings_that_make_no_sense_are_refused(setting: dict[str, float]) -> None:
    with pytest.raises(UsageError) as caught:
        log_mnext("a", "a", **setting)  # type: ignore[arg-type]
    assert caught.value.hint


def test_no_reference_is_an_error() -> None:
    with pytest.raises(UsageError, match="no reference"):
        log_mnext("a", [])


def test_every_plane_and_lone_surrogates() -> None:
    choose = random.Random(9)
    planes = "".join(
        chr(plane * 0x10000 + choose.randrange(0x10000)) + " " for plane in range(17) for _ in range(40)
    )
    for text in (planes, "\ud800 \udfff \udc80x", "\x00 \x1b[31m", "🙂‍🙂 é"):
        words = slow_mnext.tokens(text)
        assert log_mnext(text, text).value == (1.0 if words else 0.0)
        assert log_mnext(text, "fix").value == slow_mnext.value(text, "fix")


def test_a_megabyte_on_one_side() -> None:
    choose = random.Random(4)
    long = " ".join("".join(choose.choices("abcdefghij", k=7)) for _ in range(30_000)) + " update" * 110_000
    assert len(long) > 1_000_000
    assert 0 < log_mnext(long, "updates the thing").value < 0.001
    assert 0 < log_mnext("updates the thing", long).value < 0.001
    assert log_mnext("y" * 1_000_000, "yb" * 500_000).value == 0.0
    assert log_mnext("." * 1_000_000, "a").value == 0.0


def test_threads_get_the_same_scores_from_a_cold_start() -> None:
    pairs = texts(6, 60)
    code = f"""
import threading
from gitnotes.grade.log_mnext import log_mnext
pairs = {pairs!r}
start = threading.Barrier(6)
results = []
def work():
    start.wait()
    results.append([log_mnext(p, r).value.hex() for p, r in pairs])
threads = [threading.Thread(target=work) for _ in range(6)]
for t in threads: t.start()
for t in threads: t.join()
assert len(results) == 6 and all(r == results[0] for r in results)
print(*results[0])
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, encoding="utf-8"
    )
    assert done.stdout.split() == [slow_mnext.value(*pair).hex() for pair in pairs]


def test_the_golden_bench_can_fail(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows: list[dict[str, str | int]] = [
        {"pred": pred, "ref": ref, "score_hex": value} for pred, ref, value in KNOWN
    ]
    rows[0] |= {"exact": 0, "stem": 2, "synonym": 0, "matches": 4, "chunks": 4, "len_pred": 3, "len_ref": 2}
    rows[9] |= {"pred_clean": "fixcore x + y = z", "ref_clean": "fix core x+y=z"}
    golden = tmp_path / "metric" / "golden_known.jsonl"
    golden.parent.mkdir()
    report = tmp_path / "report.json"

    golden.write_text("".join(json.dumps(row) + "\n" for row in rows) + "broken\n{}\n", encoding="utf-8")
    assert metric_golden.main(["--data", str(tmp_path), "--json", str(report)]) == 0
    output = capsys.readouterr().out
    assert f"{len(KNOWN)} pairs, 0 differences" in output
    assert "skipped golden_known.jsonl:20: not JSON" in output
    assert "skipped golden_known.jsonl:21: no ref, pred, score_hex" in output
    assert json.loads(report.read_text())["differences"] == 0

    rows[1]["score_hex"] = "0x1.0p+0"
    rows[0]["chunks"] = 3
    rows[9]["pred_clean"] = "fix core x + y = z"
    golden.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert metric_golden.main(["--data", str(golden.parent), "--json", str(report)]) == 1
    assert json.loads(report.read_text())["files"][0]["differences"] == {
        "raw": 1,
        "chunks": 1,
        "clean": 1,
        "cleaning": 1,
    }
    assert metric_golden.main(["--data", str(tmp_path / "nowhere")]) == 3
