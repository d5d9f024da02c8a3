"""Which conventions does a configuration of commitlint ask for?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from gitnotes.conventional import TYPES
from gitnotes.read.conventions.asked import Asked, whole_number
from gitnotes.read.conventions.javascript import Computed
from gitnotes.records import Conventions, Level

_CAPITALS = frozenset(["sentence-case", "start-case", "pascal-case", "upper-case"])
_SMALL = frozenset(["lower-case", "camel-case", "kebab-case", "snake-case"])
_SHARED: dict[str, Any] = {
    "type-empty": [2, "never"],
    "type-case": [2, "always", "lower-case"],
    "subject-empty": [2, "never"],
    "subject-case": [2, "never", sorted(_CAPITALS)],
    "subject-full-stop": [2, "never", "."],
    "body-leading-blank": [1, "always"],
}
_PRESETS: dict[str, dict[str, Any]] = {
    "@commitlint/config-conventional": {
        **_SHARED,
        "type-enum": [2, "always", list(TYPES)],
        "header-max-length": [2, "always", 100],
        "body-max-line-length": [2, "always", 100],
    },
    "@commitlint/config-angular": {
        **_SHARED,
        "type-enum": [2, "always", [name for name in TYPES if name != "chore"]],
        "header-max-length": [2, "always", 72],
    },
}
"""What the shared configurations of the project itself ask for, as far as there is a rule for it."""


class _Known(NamedTuple):
    when: str
    """The one way in which our rule has it."""
    rule: str
    field: str = ""


_KNOWN = {
    "type-enum": _Known("always", "type-unknown", "types"),
    "type-case": _Known("always", "type-case"),
    "type-empty": _Known("never", "type-missing"),
    "scope-enum": _Known("always", "scope", "scopes"),
    "scope-empty": _Known("never", "scope-missing"),
    "subject-empty": _Known("never", "description-empty"),
    "subject-case": _Known("never", "capital", "subject_case"),
    "subject-full-stop": _Known("never", "trailing-stop"),
    "header-full-stop": _Known("never", "trailing-stop"),
    "header-max-length": _Known("always", "subject-length", "subject_limit"),
    "header-min-length": _Known("always", "too-short", "subject_min"),
    "body-max-line-length": _Known("always", "body-width", "body_limit"),
    "body-leading-blank": _Known("always", "blank-second-line"),
    "body-empty": _Known("never", "body-missing"),
    "references-empty": _Known("never", "ticket-missing", "ticket"),
    "signed-off-by": _Known("always", "sign-off-missing", "trailers"),
    "trailer-exists": _Known("always", "trailer-missing", "trailers"),
}
_HARMLESS = frozenset(
    ["footer-leading-blank", "footer-max-line-length", "footer-max-length", "header-trim", "scope-case"]
)
"""Rules about what is never a fault here, or which `scope-enum` says better."""
_IGNORED = frozenset(["extends", "rules", "prompt", "helpUrl", "formatter", "parserPreset", "defaultIgnores"])


def read_commitlint(data: Any, source: str) -> Conventions:
    """The conventions that the loaded configuration `data` asks for; what is computed is noted."""
    asked = Asked(source)
    if not isinstance(data, dict):
        asked.note("the configuration", "it is computed when commitlint runs")
        return asked.freeze()
    rules, has_preset = _inherited(data, asked)
    own = data.get("rules", {})
    if isinstance(own, dict):
        rules.update(own)
    else:
        asked.note("rules", "it is computed")
    for key, value in data.items():
        if key not in _IGNORED or (key == "defaultIgnores" and value in (False, "false")):
            asked.note(str(key), "there is nothing like it here")
    prefixes = _issue_prefixes(data.get("parserPreset"), asked)
    active = {name for name, value in rules.items() if _take_rule(asked, str(name), value, prefixes)}
    if "type-empty" in active or "type-enum" in active:
        asked.values["conventional"] = True
        if "type-empty" not in active:
            asked.levels["type-missing"] = "off"
    elif has_preset:
        asked.values["conventional"] = False
    return asked.freeze()


def _inherited(data: dict[str, Any], asked: Asked) -> tuple[dict[str, Any], bool]:
    extended = data.get("extends", [])
    rules: dict[str, Any] = {}
    found = False
    for name in extended if isinstance(extended, list) else [extended]:
        if isinstance(name, str) and name in _PRESETS:
            rules.update(_PRESETS[name])
            found = True
        else:
            what = f"extends {name}" if isinstance(name, str) else "extends"
            asked.note(what, "only the two configurations of commitlint itself are known")
    return rules, found


def _issue_prefixes(preset: Any, asked: Asked) -> list[str]:
    if isinstance(preset, str) or preset is None:
        return []
    options = preset.get("parserOpts") if isinstance(preset, dict) else None
    if not isinstance(options, dict):
        asked.note("parserPreset", "it is computed")
        return []
    for key in options:
        if key != "issuePrefixes":
            asked.note(f"parserPreset.parserOpts.{key}", "subjects are read as Conventional Commits has them")
    prefixes = options.get("issuePrefixes", [])
    if isinstance(prefixes, list) and all(isinstance(item, str) and item for item in prefixes):
        return prefixes[:50]
    asked.note("parserPreset.parserOpts.issuePrefixes", "it is no plain list")
    return []


def _take_rule(asked: Asked, name: str, value: Any, prefixes: list[str]) -> bool:
    """Takes one rule over; whether it is active."""
    parts = value if isinstance(value, list) else [value]
    level = whole_number(parts[0]) if parts else None
    if level not in (0, 1, 2):
        asked.note(name, "it is computed")
        return False
    known = _KNOWN.get(name)
    if known is None:
        if level and name not in _HARMLESS:
            asked.note(name, "there is no rule like it here")
        return False
    if not level:
        if name != "header-min-length":
            asked.levels[known.rule] = "off"
        return False
    when = parts[1] if len(parts) > 1 else "always"
    wanted = parts[2] if len(parts) > 2 else None
    if not _take_value(asked, name, known, when, wanted, prefixes):
        return False
    own: Level = "warning" if level == 1 else "error"
    signs_off = known.field == "trailers" and asked.values["trailers"][-1].lower() == "signed-off-by"
    asked.levels["sign-off-missing" if signs_off else known.rule] = own
    return True


def _take_value(asked: Asked, name: str, known: _Known, when: Any, wanted: Any, prefixes: list[str]) -> bool:
    if name == "subject-case":
        return _take_case(asked, when, wanted)
    if when != known.when:
        asked.note(name, f"it has {when if isinstance(when, str) else 'something else'} for {known.when}")
        return False
    if name in ("type-enum", "scope-enum"):
        if name == "scope-enum" and isinstance(wanted, dict):
            wanted = wanted.get("scopes")
        if wanted in ([], None):
            return name == "type-enum"
        taken = asked.take_names(known.field, name, wanted)
        if not taken:
            # Which ones are allowed is not known, so none is refused.
            asked.levels[known.rule] = "off"
        return taken
    if name == "type-case":
        if wanted not in ("lower-case", "lowerCase", "lowercase", ["lower-case"]):
            asked.note(name, "types are compared as they are written")
            return False
    elif known.field in ("subject_limit", "subject_min", "body_limit"):
        if wanted == float("inf"):
            asked.levels[known.rule] = "off"
            return False
        return asked.take_number(known.field, name, wanted)
    elif known.field == "trailers":
        return _take_trailer(asked, name, wanted)
    elif known.field == "ticket":
        asked.values["ticket"] = "any"
        if prefixes and prefixes != ["#"]:
            either = "|".join(map(re.escape, prefixes))
            asked.take_pattern("ticket", name, rf"(?:{either})\d+", search=True)
    return True


def _take_case(asked: Asked, when: Any, wanted: Any) -> bool:
    cases = set(_texts(wanted))
    no_capital = when == "never" and {"sentence-case", "start-case"} & cases and not _SMALL & cases
    if no_capital or (when == "always" and cases and cases <= _SMALL):
        asked.values["subject_case"] = "lower"
    elif when == "always" and cases and cases <= _CAPITALS:
        asked.values["subject_case"] = "upper"
    else:
        asked.note("subject-case", "only the first letter is looked at here")
        return False
    return True


def _take_trailer(asked: Asked, name: str, wanted: Any) -> bool:
    text = "Signed-off-by" if wanted is None and name == "signed-off-by" else wanted
    key = text.strip().rstrip(":").strip() if isinstance(text, str) else ""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9-]{0,40}", key):
        asked.note(name, "it names no trailer")
        return False
    asked.values["trailers"] = (*asked.values.get("trailers", ()), key)
    return True


def _texts(value: Any) -> Iterator[str]:
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, str):
            yield item
        elif isinstance(item, Computed):
            yield "computed"
