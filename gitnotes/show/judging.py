"""How does the verdict on a judge look as text and as JSON?"""

from __future__ import annotations

import json

from gitnotes.codec import SCHEMA, to_json
from gitnotes.recipes.judging import CheckedJudge


def check_text(checked: CheckedJudge) -> str:
    """The figures with what each should be, and the verdict."""
    fitness = checked.fitness
    lines = [
        f"{name:44} {'-' if value is None else f'{value:.2f}':>5}  {wanted}"
        for name, value, wanted in fitness.figures
    ]
    lines.append(f"{'answers that could not be read':44} {fitness.unscored:>5}  of {fitness.messages}")
    verdict = "Fit to judge." if not fitness.faults else f"Not fit to judge: {'; '.join(fitness.faults)}."
    return "\n".join([*lines, "", verdict, str(checked.signature)])


def check_json(checked: CheckedJudge) -> str:
    content = to_json(checked)
    content["faults"] = list(checked.fitness.faults)
    content["fit"] = not checked.fitness.faults
    content["signature"] = str(checked.signature)
    return json.dumps({"schema": SCHEMA, "kind": "judge-check", **content}, indent=2)
