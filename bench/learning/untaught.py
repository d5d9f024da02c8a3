"""What does a model say to the question of an adapter that has learned nothing?

    python -m bench.learning.untaught ADAPTER OUT

OUT is the adapter with all of its weights 0: the base model, asked exactly as the tuned one is.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

_WEIGHTS = "adapter_model.safetensors"


def write_untaught(adapter: Path, out: Path) -> None:
    """Copies the adapter and empties its weights."""
    import torch
    from safetensors.torch import load_file, save_file

    shutil.copytree(adapter, out)
    weights = load_file(adapter / _WEIGHTS)
    save_file({name: torch.zeros_like(value) for name, value in weights.items()}, out / _WEIGHTS)


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes the folder that is named last."""
    adapter, out = arguments or sys.argv[1:]
    write_untaught(Path(adapter), Path(out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
