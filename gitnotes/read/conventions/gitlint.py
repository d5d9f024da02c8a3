"""Which conventions does a `.gitlint` file ask for?"""

from __future__ import annotations

from configparser import Error, RawConfigParser

from gitnotes.conventional import TYPES
from gitnotes.read.conventions.asked import Asked
from gitnotes.records import Conventions

_RULES = {
    "title-max-length": ("t1", "subject-length"),
    "title-trailing-punctuation": ("t3", "trailing-stop"),
    "title-must-not-contain-word": ("t5", "wip"),
    "title-match-regex": ("t7", "subject-pattern"),
    "title-min-length": ("t8", "too-short"),
    "body-max-line-length": ("b1", "body-width"),
    "body-first-line-empty": ("b4", "blank-second-line"),
    "body-is-missing": ("b6", "body-missing"),
}
"""Name of a rule to its id and to the rule here that is like it; gitlint applies all of them."""
_LIMITS = (
    ("title-max-length", "line-length", "subject_limit", 72),
    ("title-min-length", "min-length", "subject_min", 5),
    ("body-max-line-length", "line-length", "body_limit", 80),
)
_CONTRIB = {
    "ct1": "contrib-title-conventional-commits",
    "cc1": "contrib-body-requires-signed-off-by",
    "cc2": "contrib-disallow-cleanup-commits",
}
_READ = frozenset(["general", "title-match-regex", _CONTRIB["ct1"], *(limit[0] for limit in _LIMITS)])
_SPACE_RULES = frozenset(
    ["title-trailing-whitespace", "title-hard-tab", "title-leading-whitespace", "body-trailing-whitespace"]
)
_YES = ("true", "1", "yes", "on")


def read_gitlint(text: str, source: str) -> Conventions:
    """The conventions that the text of a `.gitlint` file asks for; what is left out is noted."""
    asked = Asked(source)
    parser = RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(text)
    except Error:
        asked.note("the file", "it is no INI file")
        return asked.freeze()
    general: dict[str, str | None] = dict(parser.items("general")) if parser.has_section("general") else {}
    ignored = set(_names(general.get("ignore")))
    everything = "all" in ignored
    active = {name for name, (short, _) in _RULES.items() if not (everything or {name, short} & ignored)}
    for name, (_, rule) in _RULES.items():
        asked.levels[rule] = "error" if name in active else "off"
    for name, option, field, usual in _LIMITS:
        if name in active:
            asked.take_number(field, name, _option(parser, name, option) or usual)
    _take_regex(asked, parser, general, active)
    _take_contrib(asked, parser, set(_names(general.get("contrib"))) - ignored)
    for section in parser.sections():
        if section.lower() not in _READ | _SPACE_RULES:
            asked.note(f"[{section}]", "there is nothing like it here")
    for key, value in general.items():
        if key.startswith("ignore-") and (value or "").lower() not in _YES:
            asked.note(key, "merges, reverts and fixups are told by their structure")
        elif key == "extra-path":
            asked.note(key, "no code of others is run")
    return asked.freeze()


def _take_regex(
    asked: Asked, parser: RawConfigParser, general: dict[str, str | None], active: set[str]
) -> None:
    regex = _option(parser, "title-match-regex", "regex")
    if not regex or "title-match-regex" not in active:
        return
    if (general.get("regex-style-search") or "").lower() in _YES and not regex.startswith("^"):
        asked.note("title-match-regex", "it may match anywhere in the title")
    else:
        asked.take_pattern("subject_pattern", "title-match-regex", regex)


def _take_contrib(asked: Asked, parser: RawConfigParser, names: set[str]) -> None:
    for name in sorted(_CONTRIB.get(name, name) for name in names):
        if name == _CONTRIB["ct1"]:
            asked.values["conventional"] = True
            types = list(_names(_option(parser, name, "types"), lower=False)) or list(TYPES)
            asked.take_names("types", name, types)
        elif name == _CONTRIB["cc1"]:
            asked.values["trailers"] = ("Signed-off-by",)
            asked.levels["sign-off-missing"] = "error"
        elif name == _CONTRIB["cc2"]:
            asked.levels["fixup-left"] = "error"
        else:
            asked.note(f"contrib {name}", "there is nothing like it here")


def _option(parser: RawConfigParser, section: str, option: str) -> str:
    return parser.get(section, option, fallback="") or "" if parser.has_section(section) else ""


def _names(text: str | None, *, lower: bool = True) -> list[str]:
    names = [name.strip() for name in (text or "").split(",")]
    return [name.lower() if lower else name for name in names if name]
