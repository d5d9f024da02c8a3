"""Which published or corrected forms of Log-MNEXT are there, and what does each change?

The defaults are what the authors' code does. Every other value is a switch of its own, so that
each difference between code and paper can be measured alone; all of them are in the Signature.
Parameter sets of METEOR 1.5: Denkowski and Lavie, Meteor Universal, WMT 2014, tasks `rank`,
`adq` and `hter`; that of METEOR: Banerjee and Lavie 2005, as in nltk.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from gitnotes import __version__
from gitnotes.errors import UsageError
from gitnotes.guard.text import show
from gitnotes.records import Signature

Weights = tuple[float, float, float]

CHOICES = {
    "identity": ("matched", "strict", "none"),
    "stems": ("again", "once"),
    "alignment": ("from-end", "fewest-chunks"),
    "synonyms": ("directed", "symmetric", "none"),
    "penalty": ("code", "equation-5"),
    "punctuation": ("removed", "kept"),
    "case": ("lower", "kept"),
}
"""Setting to what it can be, the authors' way first."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting of the metric; frozen, so that it can be the key of a cache."""

    alpha: float = 0.85
    beta: float = 2.35
    gamma: float = 0.45
    weights: Weights = (1.0, 0.8, 0.6)
    """Those of exact, stem and synonym matches."""
    identity: str = "matched"
    """Which texts pay no penalty: `matched` those of which all words are matched in any order,
    `strict` only equal ones, `none` none."""
    stems: str = "again"
    """Whether words matched by stem are offered to the synonym stage `again`, or matched `once`."""
    alignment: str = "from-end"
    """`from-end` gives each word the last free one; `fewest-chunks` looks for the least fragments."""
    synonyms: str = "directed"
    """`directed` wants the reference's word among the synonyms of the prediction's; `symmetric`
    takes the other way round as well; `none` leaves the stage out."""
    penalty: str = "code"
    """`code` is gamma frag ** beta; `equation-5` is beta frag ** gamma, as the paper prints it."""
    punctuation: str = "removed"
    case: str = "lower"

    @property
    def usual_matches(self) -> bool:
        """Whether words are matched the authors' way."""
        return (
            self.stems == "again"
            and self.alignment == "from-end"
            and self.synonyms == "directed"
            and self.case == "lower"
        )

    @property
    def usual(self) -> bool:
        """Whether texts are split and matched the authors' way, which has a fast path."""
        return self.usual_matches and self.punctuation == "removed"


DEFAULT = Settings()

SWITCHES: dict[str, dict[str, Any]] = {
    "strict-identity": {"identity": "strict"},
    "no-identity": {"identity": "none"},
    "stems-once": {"stems": "once"},
    "fewest-chunks": {"alignment": "fewest-chunks"},
    "symmetric-synonyms": {"synonyms": "symmetric"},
    "no-synonyms": {"synonyms": "none"},
    "equation-5": {"penalty": "equation-5"},
    "keep-punctuation": {"punctuation": "kept"},
    "keep-case": {"case": "kept"},
    "no-penalty": {"gamma": 0.0},
    "rank": {"alpha": 0.85, "beta": 0.2, "gamma": 0.6, "weights": (1.0, 0.6, 0.8)},
    "adq": {"alpha": 0.75, "beta": 1.4, "gamma": 0.45, "weights": (1.0, 1.0, 0.6)},
    "hter": {"alpha": 0.4, "beta": 1.5, "gamma": 0.35, "weights": (1.0, 0.2, 0.6)},
    "meteor": {"alpha": 0.9, "beta": 3.0, "gamma": 0.5, "weights": (1.0, 1.0, 1.0)},
}
"""What can follow the name of the metric: `log-mnext+strict-identity+stems-once`."""


def read_switches(switches: Sequence[str], start: Settings = DEFAULT) -> Settings:
    """The settings that these switches make of `start`, later ones winning.

    A switch is a name in SWITCHES, or a number: `alpha=0.5`, `weights=1/0.8/0.6`.
    Raises UsageError for any other and for a setting that makes no sense.
    """
    settings = start
    for switch in switches:
        name, sign, value = switch.partition("=")
        try:
            if not sign:
                changed = SWITCHES[name]
            elif name == "weights":
                changed = {name: tuple(float(part) for part in value.split("/"))}
            elif name in ("alpha", "beta", "gamma"):
                changed = {name: float(value)}
            else:
                raise KeyError(name)
        except (KeyError, ValueError):
            raise UsageError(
                f"'{show(switch)[:60]}' is no switch of log-mnext.",
                f"Known are: {', '.join(SWITCHES)}, alpha=N, beta=N, gamma=N, weights=N/N/N.",
            ) from None
        settings = replace(settings, **changed)
    check(settings)
    return settings


def check(settings: Settings) -> None:
    """Raises UsageError when a setting makes no sense."""
    alpha, weights = settings.alpha, settings.weights
    if not 0 <= alpha <= 1:
        raise UsageError(f"alpha is {alpha!r}, which is not between 0 and 1.", "The authors use 0.85.")
    if len(weights) != 3:
        raise UsageError(f"There are {len(weights)} weights.", "Give one each for exact, stem and synonym.")
    numbers = [("beta", settings.beta), ("gamma", settings.gamma)]
    for name, number in (*numbers, *(("a weight", weight) for weight in weights)):
        if not 0 <= number <= 1000:
            raise UsageError(
                f"{name} is {number!r}, which is not between 0 and 1000.", "Give another number."
            )
    for name, known in CHOICES.items():
        value = getattr(settings, name)
        if value not in known:
            raise UsageError(f"{name} is {show(str(value))[:60]!r}.", f"It can be {' or '.join(known)}.")


@functools.lru_cache(maxsize=64)
def sign(settings: Settings, references: int | None = None) -> Signature:
    """The signature of these settings; `references` is their number where it is known.

    Raises UsageError when a setting makes no sense.
    """
    check(settings)
    shown = {} if references is None else {"refs": str(references)}
    shown |= {
        "alpha": repr(settings.alpha),
        "beta": repr(settings.beta),
        "gamma": repr(settings.gamma),
        "weights": ",".join(map(repr, settings.weights)),
        "case": settings.case,
        "punctuation": settings.punctuation,
        "stem": "porter-nltk",
        "synonyms": "wordnet-3.0",
    }
    for item in fields(settings):
        value = getattr(settings, item.name)
        if item.name in CHOICES and value != item.default:
            plain = item.name not in ("synonyms", "case", "punctuation")
            shown[item.name] = value if plain else f"wordnet-3.0-{value}" if value != "none" else "none"
    for name in ("case", "punctuation"):
        shown[name] = getattr(settings, name)
    return Signature("log-mnext", __version__, shown)
