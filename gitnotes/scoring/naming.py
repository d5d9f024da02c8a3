"""Which metrics and columns does a person name in a list, and does one switch undo another?"""

from __future__ import annotations

import csv
from collections.abc import Iterable

from gitnotes.errors import UsageError
from gitnotes.grade.variants import SWITCHES
from gitnotes.guard.text import show


def split_names(texts: Iterable[str]) -> list[str]:
    """The names in lists separated by commas; one with a comma stands in double quotes.

    Raises UsageError for a name that is there twice, and for a quote that is not closed.
    """
    names: list[str] = []
    try:
        for text in texts:
            for cells in csv.reader([text], skipinitialspace=True, strict=True):
                names += [name.strip() for name in cells if name.strip()]
    except csv.Error as problem:
        raise UsageError(
            "A list of names has a quote that does not end one.",
            "Put a whole name into double quotes: '\"clarity, 1 to 5\",fluency'.",
        ) from problem
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"'{show(twice)[:60]}' is named twice.", "Name it once.")
    return names


def read_metrics(texts: Iterable[str]) -> tuple[str, ...]:
    """The names of metrics. Raises UsageError when there is none, or its switches make no sense together."""
    names = split_names(texts)
    if not names:
        raise UsageError("There is no metric to score by.", "Name one with --metric.")
    for name in names:
        _check_switches(name)
    return tuple(names)


def _check_switches(name: str) -> None:
    switches = [switch for switch in name.split("+")[1:] if switch]
    for place, switch in enumerate(switches):
        later = switches[place + 1 :]
        if switch in later:
            raise UsageError(f"'{show(name)[:60]}' has a switch twice.", f"Say +{show(switch)[:40]} once.")
        undone = {setting for other in later for setting in _settings(other)}
        if _settings(switch) and _settings(switch) <= undone:
            raise UsageError(
                f"In '{show(name)[:60]}' the switch {show(switch)[:40]} is undone by what follows it.",
                "Leave one of them out.",
            )


def _settings(switch: str) -> set[str]:
    """What a switch sets; nothing known for a switch of other metrics."""
    key, sign, _ = switch.partition("=")
    return {key} if sign else set(SWITCHES.get(key, ()))
