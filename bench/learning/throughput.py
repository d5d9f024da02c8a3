"""Does training cost more than a bare loop of transformers' Trainer on the same examples?

    python -m bench.learning.throughput DATA --base MODEL --steps 12

The bare loop pads on the right and has the model compute its own loss, as the documentation of
transformers shows it.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from gitnotes.draft.models.local import LocalModel
from gitnotes.learn import finetune
from gitnotes.learn.sizing import Plan, Row, fit_plan, free_memory, peak_memory
from gitnotes.recipes.catalogue import resolve
from gitnotes.recipes.learning import load_dataset
from gitnotes.recipes.training import encode_examples


def collate_right(rows: Sequence[Row], pad: int) -> dict[str, Any]:
    """A batch as a tutorial makes it."""
    import torch

    width = max(len(row.tokens) for row in rows)
    ids = torch.full((len(rows), width), pad)
    mask = torch.zeros_like(ids)
    labels = torch.full_like(ids, -100)
    for place, row in enumerate(rows):
        ids[place, : len(row.tokens)] = torch.tensor(row.tokens)
        mask[place, : len(row.tokens)] = 1
        labels[place, row.start : len(row.tokens)] = torch.tensor(row.tokens[row.start :])
    return {"input_ids": ids, "attention_mask": mask, "labels": labels}


def run_bare(network: Any, rows: Sequence[Row], plan: Plan, pad: int, folder: str) -> float:
    """Seconds of the bare loop."""
    from transformers import Trainer, TrainingArguments

    arguments = TrainingArguments(
        output_dir=folder,
        max_steps=plan.steps(len(rows)),
        per_device_train_batch_size=plan.at_a_time,
        gradient_accumulation_steps=plan.turns,
        learning_rate=plan.rate,
        remove_unused_columns=False,
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
        use_cpu=next(network.parameters()).device.type == "cpu",
        dataloader_pin_memory=False,
        logging_strategy="no",
        seed=plan.seed,
    )
    trainer = Trainer(
        model=network,
        args=arguments,
        train_dataset=list(rows),
        data_collator=lambda some: collate_right(some, pad),
    )
    started = time.perf_counter()
    trainer.train()
    return time.perf_counter() - started


def tell(name: str, examples: int, seconds: float, used: float) -> None:
    """Prints the speed on the clock, and by the processor's time, which others do not change as much."""
    print(f"{name:12} {examples / seconds:.3f} examples a second, {examples / used:.3f} a CPU-second")


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints examples a second of both, and the peak of memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--base", required=True)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--only", choices=("ours", "bare"), help="so that each has a process of its own")
    chosen = parser.parse_args(arguments)
    model = LocalModel(resolve(chosen.base).source, threads=chosen.threads or None)
    weights = sum(item.numel() for item in model.network.parameters())
    plan = fit_plan(Plan(looks=1), weights, device="cpu", memory=free_memory())
    count = chosen.steps * plan.batch
    examples = [item for item in load_dataset(chosen.data).examples if item.split == "train"][:count]
    rows = encode_examples(model, examples, plan)
    plan = replace(plan, epochs=1.0)
    network = finetune.put_adapter_on(model.network, plan)
    tokens = sum(len(row.tokens) for row in rows) / len(rows)
    print(f"{len(rows)} examples, {tokens:.0f} tokens on average, {plan.at_a_time} at a time")
    if chosen.only != "bare":
        used = time.process_time()
        with tempfile.TemporaryDirectory() as folder:
            trained = finetune.train(network, rows, rows[:1], plan, Path(folder), pad=model.pad)
        tell("gitnotes", len(rows), trained.seconds, time.process_time() - used)
    if chosen.only != "ours":
        used = time.process_time()
        with tempfile.TemporaryDirectory() as folder:
            seconds = run_bare(network, rows, plan, model.pad, folder)
        tell("bare Trainer", len(rows), seconds, time.process_time() - used)
    print(f"peak memory of the process {peak_memory() / 1e9:.2f} GB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
