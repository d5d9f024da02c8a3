"""How does a check-up look, as text and as JSON?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gitnotes.codec import SCHEMA, to_json
from gitnotes.show.console import wrap

if TYPE_CHECKING:
    from gitnotes.recipes.doctor import Check

# Words, not signs or colours: a screen reader says them, and every terminal can show them.
_WORDS = {"ok": "ok", "note": "note", "problem": "PROBLEM"}
_WIDTH = 7


def doctor_text(checks: Sequence[Check]) -> str:
    """A line for each check with its remedy below it, then how many problems there are."""
    lines = []
    for check in checks:
        lines += wrap(f"{check.area}: {check.sentence}", f"{_WORDS[check.status]:<{_WIDTH}} ")
        if check.remedy:
            lines += wrap(check.remedy, " " * (_WIDTH + 3))
    problems = count_problems(checks)
    lines.append("No problem." if problems == 0 else f"{problems} problem{'s' * (problems > 1)}.")
    return "\n".join(lines)


def doctor_json(checks: Sequence[Check]) -> str:
    content = {"problems": count_problems(checks), "checks": [to_json(check) for check in checks]}
    return json.dumps({"schema": SCHEMA, "kind": "doctor", **content}, indent=2)


def count_problems(checks: Sequence[Check]) -> int:
    return sum(check.status == "problem" for check in checks)
