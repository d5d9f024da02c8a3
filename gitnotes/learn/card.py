"""What does an adapter say about itself: what it was made from, how good it is, how to use it?"""

from __future__ import annotations

from dataclasses import dataclass

from gitnotes.generation import Tuning
from gitnotes.guard.text import clean
from gitnotes.learn.dataset import Origin, day_of
from gitnotes.records import Signature


@dataclass(frozen=True, slots=True)
class Card:
    """The card of an adapter, kept as JSON in `gitnotes.generation.CARD` and as text in README.md."""

    tuning: Tuning
    origins: tuple[Origin, ...]
    examples: int
    """That it learned from."""
    loss_before: float
    """Nats a token on the held-out examples, of the model without it."""
    loss_after: float
    steps: int
    seconds: float
    memory: int
    """Bytes at the highest while it was trained."""
    size: int
    """Bytes of its weights."""
    signature: Signature
    base_hub: str = ""
    """Where the model can be fetched; empty where that is not known."""
    base_licence: str = ""
    made_with: str = ""
    """Versions of the packages that change the numbers."""


def card_text(card: Card) -> str:
    """The card for people, as Markdown."""
    licences = sorted({clean(item.licence) or "unknown" for item in card.origins})
    rows = [
        f"| {clean(item.name)} | {clean(item.licence) or 'unknown'} | {clean(item.head[:12]) or '-'} "
        f"| {day_of(item.first) or '?'} to {day_of(item.last) or '?'} | {item.examples:,} |"
        for item in card.origins
    ]
    base = f"{card.tuning.base} ({card.base_hub})" if card.base_hub else card.tuning.base
    return "\n".join(
        [
            "# An adapter for commit messages",
            "",
            f"A LoRA adapter for {clean(base)}, made by `gitnotes train`. It is asked by gitnotes alone:",
            "the question is a change of about "
            f"{card.tuning.budget} tokens with the subjects of similar earlier changes.",
            "",
            "    gitnotes suggest --model local:THIS_FOLDER",
            "",
            "| learned from | licence | up to | dates | examples |",
            "|---|---|---|---|---|",
            *rows,
            "",
            f"Licences of the data: {', '.join(licences)}. "
            f"Licence of the model: {card.base_licence or 'see the model'}.",
            "",
            f"Loss on held-out commits, nats a token: {card.loss_before:.3f} before, {card.loss_after:.3f} "
            f"after; {card.examples:,} examples, {card.steps:,} steps, {card.seconds / 60:.0f} minutes, "
            f"{card.memory / 1e9:.1f} GB.",
            "",
            f"Signature: `{clean(str(card.signature))}`; {card.made_with}.",
            "",
        ]
    )
