"""Does a LoRA adapter belong to this model, how is it put on, and how does it want to be asked?"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from gitnotes.codec import load_record
from gitnotes.errors import ModelError, UsageError
from gitnotes.generation import CARD, Tuning
from gitnotes.guard.text import shorten

_CARD = "adapter_config.json"
_WEIGHTS = "adapter_model.safetensors"
_MOST = 8192
"""Tokens of a change or of an answer."""
_MOST_DRAFTS = 5
_MOST_RANK = 4096
"""Of a LoRA matrix; memory for it is taken before the weights are looked at."""


def add_adapter(model: Any, folder: Path) -> Any:
    """The model with the adapter in `folder` merged into its weights.

    Raises UsageError when the folder holds none, or peft is missing; ModelError when it was made
    for another model.
    """
    try:
        from peft import PeftModel
        from safetensors import SafetensorError
    except ImportError:
        raise UsageError(
            "Adapters need peft, which is not installed.", "Run: pip install 'gitnotes[local]'"
        ) from None
    if not (folder / _CARD).is_file():
        raise UsageError(
            f"There is no adapter in '{shorten(str(folder))}'.", "Name the folder that training made."
        )
    if not (folder / _WEIGHTS).is_file():
        # peft would unpickle another file, or ask the hub for it.
        raise UsageError(
            f"The adapter '{shorten(folder.name)}' has no weights as safetensors.", "Get it from who made it."
        )
    tuning = read_tuning(folder)
    if tuning is not None and tuning.fingerprint != fingerprint(model):
        raise ModelError(
            f"The adapter '{shorten(folder.name)}' was made for another model, '{shorten(tuning.base)}'.",
            "Give that one, or train an adapter for this one with `gitnotes train`.",
        )
    try:
        card = json.loads((folder / _CARD).read_text(encoding="utf-8"))
        wanted = str(card.get("base_model_name_or_path", ""))
        if card.get("peft_type") != "LORA" or card.get("megatron_config"):
            raise ValueError("it is no plain LoRA adapter")
        if not isinstance(rank := card.get("r", 8), int) or rank > _MOST_RANK:
            raise ValueError(f"its rank is {rank!r:.40}")
        adapted = PeftModel.from_pretrained(model, str(folder), is_trainable=False)
        return adapted.merge_and_unload()
    except SafetensorError as problem:
        raise ModelError(
            f"The weights of the adapter '{shorten(folder.name)}' are damaged: {shorten(str(problem))}.",
            "Get it again from who made it, or train it again.",
        ) from None
    except (RuntimeError, ValueError, KeyError, TypeError, AttributeError, OSError) as problem:
        raise ModelError(
            f"The adapter '{shorten(folder.name)}' does not fit this model: "
            f"{shorten(' '.join(str(problem).split()))}.",
            f"It was made for '{shorten(wanted)}'." if "wanted" in locals() else "Train it again.",
        ) from None


def read_tuning(folder: Path) -> Tuning | None:
    """How the adapter in `folder` wants to be asked; None when it was not made by `gitnotes train`, or
    asks for what no training can have taught."""
    found = load_record(Tuning, folder / CARD, part="tuning")
    if found is None or not 0 < found.budget <= _MOST or not 0 < found.answer_tokens <= _MOST:
        return None
    return found if 0 <= found.drafts <= _MOST_DRAFTS else None


def fingerprint(model: Any) -> str:
    """16 hexadecimal digits that tell the weights of a model from those of others of the same shape.

    Made of the names and shapes of all weights and of the content of the norms, in bfloat16: neither
    the precision in which the model is loaded nor a quantisation, which leaves norms alone, changes it.
    """
    import torch

    found = hashlib.sha256()
    for name, weight in sorted(model.state_dict().items()):
        found.update(f"{name}{tuple(weight.shape)}".encode())
        if weight.dim() == 1:
            found.update(weight.detach().to("cpu", torch.bfloat16).view(torch.int16).numpy().tobytes())
    return found.hexdigest()[:16]
