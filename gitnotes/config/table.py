"""Which settings are there, what may each of them be, and what does it mean?

The fields of `Settings` are the one table; checks, JSON schema, help and documents are made from it.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from gitnotes.findings import Conventions, Level

_META = "setting"


class Override(NamedTuple):
    """Settings for the commits of some authors, or those that stay within some paths."""

    paths: tuple[str, ...]
    """Patterns as in .gitignore; every changed path matches them. Empty: whatever the paths."""
    authors: tuple[str, ...]
    """Globs, one of which "Name <email>" matches. Empty: whoever it is."""
    values: dict[str, Any]
    """Name of a setting to its value here."""
    rules: dict[str, Level]


class Refusal(NamedTuple):
    """A value of the repository's own file that does not count."""

    name: str
    value: Any
    place: str
    reason: str


Guard = Literal["", "raise", "personal"]


@dataclass(frozen=True, slots=True)
class Setting:
    """What is known of one setting."""

    name: str
    kind: type
    default: Any
    meaning: str
    choices: tuple[str, ...] = ()
    bounds: tuple[float, float] | None = None
    """Smallest and largest value; 0 is allowed besides where it means `off`."""
    off_at_zero: bool = False
    in_overrides: bool = False
    """Whether an override may have it."""
    guard: Guard = ""
    """What the repository's own file may do: anything, only `raise` what a user set, or nothing."""


def _setting(default: Any, meaning: str, **known: Any) -> Any:
    return field(default=default, metadata={_META: {"meaning": meaning, **known}})


def _table(meaning: str) -> Any:
    return field(default_factory=dict, metadata={_META: {"meaning": meaning}})


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting; `origins` maps the name of a setting to where its value was found."""

    subject_limit: int = _setting(
        72, "Display columns that a subject may have.", bounds=(20, 1000), in_overrides=True
    )
    subject_min: int = _setting(
        0, "Display columns that a subject has at least.", bounds=(0, 1000), in_overrides=True
    )
    body_limit: int = _setting(
        100,
        "Display columns that a line of the body may have; 0 for no limit.",
        bounds=(20, 10_000),
        off_at_zero=True,
        in_overrides=True,
    )
    conventional: str = _setting(
        "auto",
        "Whether subjects keep to Conventional Commits; `auto` follows the configuration of other tools, "
        "then the history.",
        choices=("auto", "always", "never"),
    )
    types: tuple[str, ...] = _setting(
        (), "Types of Conventional Commits; empty for the usual eleven.", in_overrides=True
    )
    scopes: tuple[str, ...] = _setting(
        (), "Scopes of Conventional Commits; empty for any.", in_overrides=True
    )
    capital: str = _setting(
        "auto",
        "The case of a subject's first letter; `auto` follows the history.",
        choices=("auto", "upper", "lower", "any"),
        in_overrides=True,
    )
    ticket: str = _setting(
        "",
        "`any` to want a reference to an issue, or a regular expression that is found in the message.",
        in_overrides=True,
    )
    sign_off: bool = _setting(False, "Whether messages have a Signed-off-by line.", in_overrides=True)
    attribution: str = _setting(
        "allowed",
        "Whether messages credit co-authors and tools.",
        choices=("allowed", "no-tools", "forbidden", "required"),
        in_overrides=True,
    )
    rules: dict[str, Level] = _table(  # noqa: RUF009 - it makes a field
        "Rule id to how serious a breach is: `error`, `warning`, `info` or `off`."
    )
    overrides: tuple[Override, ...] = _setting(
        (), "What is different for some paths or authors; of several that apply the last one counts."
    )
    conventions: bool = _setting(
        True, "Whether the configuration of other tools (commitlint, git-cliff, towncrier, ...) counts."
    )
    min_score: float = _setting(
        30.0,
        "The score below which a hook complains, and a strict hook refuses.",
        bounds=(0, 100),
        guard="raise",
    )
    strict: bool = _setting(False, "Whether the commit-msg hook may refuse a message.", guard="raise")
    drafter: str = _setting(
        "best",
        "Who suggests messages: the change itself (`structure`), earlier changes like it (`history`), "
        "or the better of both (`best`).",
    )
    model: str = _setting(
        "",
        "The model that drafts as well, in hooks too: `openai:NAME` or `local:PATH`; empty for none.",
        guard="personal",
    )
    history: int = _setting(300, "Commits whose style is learned.", bounds=(0, 100_000))
    trust_repository: bool = _setting(
        False,
        "Whether the repository's own file may lower what you have set: strict, min_score and the rules "
        "that no message can switch off.",
        guard="personal",
    )
    origins: dict[str, str] = field(default_factory=dict)
    elsewhere: Conventions | None = None
    """What other tools are told; the settings above are what gitnotes is told itself."""
    refused: tuple[Refusal, ...] = ()
    """What the repository's own file said in vain."""


def _read_fields() -> dict[str, Setting]:
    found = {}
    for item in dataclasses.fields(Settings):
        facts = item.metadata.get(_META)
        if facts is not None:
            default = {} if item.default is dataclasses.MISSING else item.default
            found[item.name] = Setting(item.name, type(default), default, **facts)
    return found


TABLE: dict[str, Setting] = _read_fields()
"""Name to what is known of the setting, in the order in which they are shown."""


def wants_conventional(settings: Settings) -> bool | None:
    """Whether subjects keep to Conventional Commits; None where only the history can tell."""
    if settings.conventional != "auto":
        return settings.conventional == "always"
    return settings.elsewhere.conventional if settings.elsewhere else None
