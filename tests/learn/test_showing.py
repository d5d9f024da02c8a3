"""Are a plan, the way and the end of training told as they are?"""

from __future__ import annotations

import pytest

from gitnotes.learn.finetune import Point
from gitnotes.learn.sizing import Estimate, Plan
from gitnotes.show.learning import curve_lines, day, duration, plan_text, point_text


def test_time_that_is_left() -> None:
    assert point_text(Point(10, 40, 60.0, loss=1.5)) == "step 10 of 40  loss 1.5000  3 min left"
    # A run that goes on has made only the steps since it began.
    assert point_text(Point(30, 40, 60.0, held_out=2.0, begun=20)).endswith("held-out loss 2.0000  60 s left")
    assert point_text(Point(0, 40, 0.0, held_out=2.0)) == "step 0 of 40  held-out loss 2.0000"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0 s"), (89, "89 s"), (90, "2 min"), (3600, "60 min"), (7500, "2 h 5 min")]
)
def test_times_for_people(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_the_curve_is_as_long_as_the_loss_is_high() -> None:
    lines = curve_lines((Point(5, 10, 0.0, 3.0), Point(5, 10, 0.0, held_out=2.0)), 4.0)
    assert [line.count("#") for line in lines] == [40, 20]


def test_the_plan_is_told() -> None:
    cost = Estimate(100, 600.0, 3_500_000_000, 135_000_000, 5_000_000, "cpu")
    text = plan_text(Plan(rate=1e-4, at_a_time=4), cost, 800)
    for part in ("135 million weights on cpu", "800 examples", "100 of 16 examples", "10 min and 3.5 GB"):
        assert part in text


def test_days() -> None:
    assert day(0) == "-" and day(86_400) == "1970-01-02"
