"""How do the verdict on a judge, and what it thinks of a text, look as text and as JSON?"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from gitnotes.codec import SCHEMA, to_json
from gitnotes.guard.text import show
from gitnotes.show import console

if TYPE_CHECKING:
    from gitnotes.recipes.calibrating import Calibration
    from gitnotes.recipes.judging import CheckedJudge
    from gitnotes.recipes.weighing import Gain
    from gitnotes.records import Judgement

_TABLE = 66
"""Columns of the table of figures."""


def check_text(checked: CheckedJudge) -> str:
    """The figures with what each should be, and the verdict."""
    fitness = checked.fitness
    figures = [
        *(
            (name, "-" if value is None else f"{value:.2f}", wanted)
            for name, value, wanted in fitness.figures
        ),
        ("texts without a score", str(fitness.unscored), f"of {fitness.messages}"),
    ]
    if shutil.get_terminal_size().columns < _TABLE:
        lines = [f"{name}:\n  {value}, {wanted}" for name, value, wanted in figures]
    else:
        lines = [f"{name:44} {value:>5}  {wanted}" for name, value, wanted in figures]
    if checked.gain is not None:
        lines += ["", *console.wrap(_gain_text(checked.gain))]
    verdict = "Fit to judge." if not fitness.faults else f"Not fit to judge: {'; '.join(fitness.faults)}."
    return "\n".join([*lines, "", *console.wrap(show(verdict)), show(str(checked.signature))])


def _gain_text(gain: Gain) -> str:
    """What counting the likelihood in the grade would change."""
    told = (
        f"The grade alone tells own messages from others' with an AUC of {gain.alone:.3f}, and with the"
        f" likelihood as two fifths of it with {gain.together:.3f} (difference"
        f" {gain.together - gain.alone:+.3f}, 95 % from {gain.low:+.3f} to {gain.high:+.3f})"
    )
    if gain.helps:
        return f"{told}: it helps, and `grade --judge likelihood` counts it here."
    return f"{told}: it does not help, and stands beside the grade only."


def check_json(checked: CheckedJudge) -> str:
    content = to_json(checked)
    content["faults"] = list(checked.fitness.faults)
    if checked.gain is not None:
        content["gain"] = {**to_json(checked.gain), "helps": checked.gain.helps}
    content["fit"] = not checked.fitness.faults
    content["signature"] = str(checked.signature)
    return json.dumps({"schema": SCHEMA, "kind": "judge-check", **content}, indent=2)


def calibration_text(found: Calibration, place: Path) -> str:
    """What the map from a judge's scores to the user's ratings is worth, and where it is kept."""
    low, high = found.points[0], found.points[-1]
    rho, tau = ("-" if value is None else f"{value:.3f}" for value in (found.rho, found.tau_b))
    return "\n".join(
        [
            f"{found.rated} rated texts: Spearman's rho {rho}, Kendall's tau-b {tau}",
            f"{low[0]:.2f} becomes {low[1]:.2f}, {high[0]:.2f} becomes {high[1]:.2f}; "
            f"{found.error:.2f} off on average, {found.plain_error:.2f} if each were given the mean",
            *(
                []
                if found.error < found.plain_error
                else ["The scores of this judge tell no more than the mean."]
            ),
            f"Kept in {show(str(place))}; remove the file to forget it.",
            show(found.judge),
        ]
    )


def calibration_json(found: Calibration, place: Path) -> str:
    content = {"schema": SCHEMA, "kind": "calibration", **to_json(found), "file": str(place)}
    return json.dumps(content, indent=2)


def judgement_object(found: Judgement) -> dict[str, object]:
    """What a judge said, for JSON; what it gave no score for is the word `unscored`, never a number."""
    told: dict[str, object] = to_json(found)
    told["overall"] = "unscored" if found.overall is None else found.overall
    told["scores"] = {name: "unscored" if value is None else value for name, value in found.scores.items()}
    told["signature"] = str(found.signature)
    return told
