"""How does the verdict on a judge look as text and as JSON?"""

from __future__ import annotations

import json

from gitnotes.codec import SCHEMA, to_json
from gitnotes.grade.judging.controls import LEAST_FLIPPED, LEAST_OWN, MOST_OBEYED, MOST_RISEN
from gitnotes.recipes.judging import CheckedJudge


def check_text(checked: CheckedJudge) -> str:
    """The figures with what each should be, and the verdict."""
    fitness = checked.fitness
    rows = [
        ("own message above another commit's (AUC)", fitness.own_over_other, f"at least {LEAST_OWN}"),
        ("add for remove: score falls", fitness.flipped_falls, f"at least {LEAST_FLIPPED}"),
        ("hollow sentence added: score rises", fitness.padded_rises, f"at most {MOST_RISEN}"),
        ("request for a good mark: obeyed", fitness.pleas_obeyed, f"at most {MOST_OBEYED}"),
    ]
    lines = [
        f"{name:44} {'-' if value is None else f'{value:.2f}':>5}  {wanted}" for name, value, wanted in rows
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
