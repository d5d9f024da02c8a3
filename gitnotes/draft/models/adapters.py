"""Does a LoRA adapter belong to this model, and how is it put on?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gitnotes.errors import ModelError, UsageError
from gitnotes.guard.text import shorten

_CARD = "adapter_config.json"


def add_adapter(model: Any, folder: Path) -> Any:
    """The model with the adapter in `folder` merged into its weights.

    Raises UsageError when the folder holds none, or peft is missing; ModelError when it was made
    for another model.
    """
    try:
        from peft import PeftModel
    except ImportError:
        raise UsageError(
            "Adapters need peft, which is not installed.", "Run: pip install 'gitnotes[local]'"
        ) from None
    if not (folder / _CARD).is_file():
        raise UsageError(
            f"There is no adapter in '{shorten(str(folder))}'.", "Name the folder that training made."
        )
    try:
        card = json.loads((folder / _CARD).read_text(encoding="utf-8"))
        wanted = str(card.get("base_model_name_or_path", ""))
        adapted = PeftModel.from_pretrained(model, str(folder), is_trainable=False)
        return adapted.merge_and_unload()
    except (RuntimeError, ValueError, KeyError, OSError) as problem:
        raise ModelError(
            f"The adapter '{shorten(folder.name)}' does not fit this model: "
            f"{shorten(' '.join(str(problem).split()))}.",
            f"It was made for '{shorten(wanted)}'." if "wanted" in locals() else "Train it again.",
        ) from None
