"""What goes through a model together, what is its loss, and what becomes of the failures of torch?"""

from __future__ import annotations

import ctypes
import inspect
import os
import random
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from gitnotes.errors import GitnotesError, InputError, ModelError
from gitnotes.learn.sizing import Plan, Row, peak_memory, smaller_hint

_WINDOW = 32
"""Groups whose rows are sorted together."""
_FULL = ("no space", "disk quota", "file too large", "unexpected pos", "file write")
"""What a failure to write says."""
_IGNORED = -100
"""Label of what is no part of an answer."""


def collate(rows: Sequence[Row], pad: int) -> dict[str, Any]:
    """A batch: `input_ids`, `attention_mask`, `position_ids` (rows, tokens), filled on the left so
    that all answers end together, and `labels` (rows, tokens of the longest answer)."""
    import torch

    width = max(len(row.tokens) for row in rows)
    answer = max(len(row.tokens) - row.start for row in rows)
    ids = torch.full((len(rows), width), pad)
    mask = torch.zeros((len(rows), width), dtype=torch.long)
    labels = torch.full((len(rows), answer), _IGNORED)
    for place, row in enumerate(rows):
        tokens = torch.tensor(row.tokens)
        ids[place, width - len(tokens) :] = tokens
        mask[place, width - len(tokens) :] = 1
        own = len(row.tokens) - row.start
        labels[place, answer - own :] = tokens[row.start :]
    positions = (mask.cumsum(-1) - 1).clamp(min=0)
    return {"input_ids": ids, "attention_mask": mask, "position_ids": positions, "labels": labels}


def group_rows(rows: Sequence[Row], size: int, seed: int) -> list[tuple[Row, ...]]:
    """The rows in groups of `size` that are about equally long, so that little is filled up.

    Drawn by `seed`, and sorted only among some rows at a time, so that the groups are not the same
    whatever the draw; rows that are left over fill a smaller group.
    """
    drawn = list(rows)
    random.Random(seed).shuffle(drawn)
    window = size * _WINDOW
    ordered = [
        row
        for at in range(0, len(drawn), window)
        for row in sorted(drawn[at : at + window], key=lambda row: len(row.tokens))
    ]
    return [tuple(ordered[at : at + size]) for at in range(0, len(ordered), size)]


def answer_loss(network: Any, batch: dict[str, Any]) -> Any:
    """The mean of -ln p over the tokens of the answers of a batch."""
    import torch

    labels = batch["labels"]
    given = {key: value for key, value in batch.items() if key != "labels"}
    size = labels.shape[1] + 1
    inner = network
    while hasattr(inner, "module"):
        inner = inner.module
    base = inner.get_base_model() if hasattr(inner, "get_base_model") else inner
    known = inspect.signature(base.forward).parameters
    keep = next((name for name in ("logits_to_keep", "num_logits_to_keep") if name in known), None)
    if keep is not None:
        given[keep] = size
    if "position_ids" not in known:
        del given["position_ids"]
    logits = network(**given, use_cache=False).logits[:, -size:-1]
    return torch.nn.functional.cross_entropy(
        logits.reshape(-1, logits.shape[-1]).float(), labels.reshape(-1), ignore_index=_IGNORED
    )


def give_back_memory() -> None:
    """Returns to the system what glibc keeps of freed memory, before a pass of another shape.

    Tensors of the last shape leave holes that those of the next do not fill, so that a process grows
    with each new length: by a half within ten steps, and to three times in half an hour.
    """
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # another C library has no such call
            ctypes.CDLL(None).malloc_trim(0)


def peak_of(device: Any) -> int:
    """Bytes at the highest, of the GPU, or of main memory."""
    import torch

    return int(torch.cuda.max_memory_allocated(device)) if device.type == "cuda" else peak_memory()


@contextmanager
def quiet() -> Iterator[None]:
    """Without what the libraries write."""
    from transformers.utils import logging

    logging.set_verbosity_error()
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextmanager
def explained(plan: Plan | None) -> Iterator[None]:
    """Turns a lack of memory or of space, as torch and its friends tell it, into a sentence."""
    try:
        yield
    except GitnotesError:
        raise
    except Exception as problem:  # safetensors has a class of its own for a full disk
        told = str(problem).lower()
        if isinstance(problem, MemoryError) or "out of memory" in told or "allocate memory" in told:
            hint = smaller_hint(plan) if plan else "Use a smaller model."
            raise ModelError("Training does not fit into memory.", hint) from None
        if any(sign in told for sign in _FULL):
            raise InputError(
                "The disk is full, or files may not be so large.",
                "Free some space; --resume goes on with the last checkpoint.",
            ) from None
        raise
