"""What is a metric, and which are there?

A metric compares a prediction with one or more references and gives a number, or None when the pair
cannot be scored. It names every setting that changes the number in its Signature.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from importlib import import_module
from typing import Protocol

from gitnotes.errors import UsageError
from gitnotes.guard.text import show
from gitnotes.records import Signature


class Metric(Protocol):
    """A way to compare texts; made once, used for many pairs."""

    @property
    def name(self) -> str:
        """The name in METRICS."""

    @property
    def signature(self) -> Signature:
        """Every setting that changes a score."""

    def score(self, prediction: str, references: Sequence[str]) -> float | None:
        """The score of one prediction against all its references; None when there is none.

        0 to 1 unless the metric says otherwise, and higher is better. Never raises for any text.
        """


METRICS = {
    "log-mnext": "gitnotes.grade.log_mnext:LogMnext",
    "mnext-f1": "gitnotes.grade.mnext_f1:MnextF1",
    "bleu": "gitnotes.grade.overlap:Bleu",
    "bleu-4": "gitnotes.grade.overlap:Bleu4",
    "bleu-norm": "gitnotes.grade.overlap:BleuNorm",
    "bleu-cc": "gitnotes.grade.overlap:BleuCc",
    "chrf": "gitnotes.grade.overlap:Chrf",
    "chrf++": "gitnotes.grade.overlap:ChrfWords",
    "ter": "gitnotes.grade.overlap:Ter",
    "rouge-1": "gitnotes.grade.overlap:Rouge1",
    "rouge-2": "gitnotes.grade.overlap:Rouge2",
    "rouge-l": "gitnotes.grade.overlap:RougeL",
    "meteor": "gitnotes.grade.overlap:Meteor",
    "edit": "gitnotes.grade.overlap:Edit",
    "edit-words": "gitnotes.grade.overlap:EditWords",
    "minilm": "gitnotes.grade.semantic:MiniLm",
    "bertscore": "gitnotes.grade.semantic:BertScore",
}
"""Name of a metric to `module:class`; the module is imported on first use."""


def make_metric(name: str) -> Metric:
    """The metric called `name`, with its published settings.

    Switches may follow the name, as in `log-mnext+strict-identity`.
    Raises UsageError when there is none, when it has no such switch, or when the packages that it
    needs are not installed.
    """
    # The only name with a plus of its own.
    base, *switches = name.replace("chrf++", "chrf\0").split("+")
    base = base.replace("\0", "++")
    if base not in METRICS:
        near = difflib.get_close_matches(base.lower(), METRICS, 1)
        hint = f"Did you mean '{near[0]}'?" if near else f"Known are: {', '.join(METRICS)}."
        raise UsageError(f"There is no metric '{show(base)[:60]}'.", hint)
    module, _, kind = METRICS[base].partition(":")
    metric: Metric = getattr(import_module(module), kind)(*switches)
    return metric
