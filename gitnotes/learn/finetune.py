"""How does a model on this machine learn from rows of questions and answers?

LoRA (Hu et al. 2021) by peft on transformers' Trainer, so that the same call runs on a CPU, on one
GPU, or on many under `accelerate launch`. The loss is that of the answers alone, and only for them
are the probabilities of all words computed, which would else take most of the memory.
"""

from __future__ import annotations

import json
import math
import shutil
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gitnotes.errors import UsageError
from gitnotes.guard.text import shorten
from gitnotes.learn.batches import (
    answer_loss,
    collate,
    explained,
    give_back_memory,
    group_rows,
    peak_of,
    quiet,
)
from gitnotes.learn.sizing import Estimate, Plan, Row

_CHECKPOINTS = "checkpoints"
_HOLES = 1.35
"""What a long run takes of main memory, as a multiple of what its largest pass takes alone: tensors of
one pass leave holes that its others do not fill. Measured over 78 steps."""


@dataclass(frozen=True, slots=True)
class Point:
    """How far training is; losses are nats a token, None where not looked at."""

    step: int
    steps: int
    seconds: float
    """Since the start of this run."""
    loss: float | None = None
    held_out: float | None = None
    begun: int = 0
    """The step at which this run began; more than 0 when it goes on with another."""


@dataclass(frozen=True, slots=True)
class Trained:
    """What came of training."""

    before: float
    """Loss on the held-out examples, in nats a token, before the first step."""
    after: float
    """The same at the best look."""
    best_step: int
    steps: int
    seconds: float
    """Of this run alone, without loading."""
    memory: int
    """Bytes at the highest, of main memory, or of the GPU."""
    curve: tuple[Point, ...]
    stopped_early: bool


def put_adapter_on(network: Any, plan: Plan) -> Any:
    """The model with low-rank matrices beside all of its linear layers, which alone are trained.

    Raises UsageError when peft is missing or the model is no causal one.
    """
    try:
        from peft import LoraConfig, get_peft_model
    except ImportError:
        raise UsageError(
            "Training needs peft, which is not installed.", "Run: pip install 'gitnotes[local]'"
        ) from None
    if getattr(network.config, "is_encoder_decoder", False):
        raise UsageError("Only causal models can be trained.", "Choose one: gitnotes models list")
    from transformers import set_seed

    set_seed(plan.seed)
    config = LoraConfig(
        task_type="CAUSAL_LM",
        r=plan.rank,
        lora_alpha=2 * plan.rank,
        lora_dropout=plan.dropout,
        target_modules="all-linear",
    )
    with explained(plan):
        return get_peft_model(network, config)


def estimate(network: Any, rows: Sequence[Row], plan: Plan, *, pad: int) -> Estimate:
    """What training on `rows` will cost: the memory of a pass with the longest of them, the time of
    passes with those in the middle. No weight is changed."""
    ordered = sorted(rows, key=lambda row: -len(row.tokens))
    middle = max(len(rows) // 2 - plan.at_a_time // 2, 0)
    typical = ordered[middle : middle + plan.at_a_time]
    device = next(network.parameters()).device
    took = 0.0
    with explained(plan):
        network.train()
        for some in (ordered[: plan.at_a_time], typical, typical):
            batch = {key: value.to(device) for key, value in collate(some, pad).items()}
            started = time.monotonic()
            give_back_memory()
            answer_loss(network, batch).backward()
            took = time.monotonic() - started
            network.zero_grad(set_to_none=True)
    trained = sum(item.numel() for item in network.parameters() if item.requires_grad)
    mean = sum(len(row.tokens) for row in rows) / len(rows)
    share = mean * len(typical) / sum(len(row.tokens) for row in typical)
    steps = plan.steps(len(rows))
    holes = _HOLES if device.type == "cpu" else 1.0
    return Estimate(
        steps=steps,
        seconds=took * share * steps * plan.turns * 1.1,  # the looks at what is held out
        memory=int(peak_of(device) * holes) + 16 * trained,  # what the optimizer and the best look keep
        weights=sum(item.numel() for item in network.parameters()) - trained,
        trained=trained,
        device=device.type,
    )


def train(
    network: Any,
    rows: Sequence[Row],
    held_out: Sequence[Row],
    plan: Plan,
    folder: Path,
    *,
    pad: int,
    resume: bool = False,
    watch: Callable[[Point], None] | None = None,
) -> Trained:
    """Trains what `put_adapter_on` gave, and leaves it with the weights of the best look.

    Checkpoints go to `folder`; with `resume` training goes on with the newest whole one, and comes
    to the same end as if it had never stopped. Raises ModelError: out of memory; InputError: the
    disk is full; UsageError: nothing to resume.
    """
    from transformers import Trainer, TrainingArguments, set_seed

    place = folder / _CHECKPOINTS
    found = find_checkpoint(folder) if resume else None
    if not resume:
        shutil.rmtree(place, ignore_errors=True)
    steps = plan.steps(len(rows))
    every = max(1, math.ceil(steps / plan.looks))
    device = next(network.parameters()).device
    arguments = TrainingArguments(
        output_dir=str(place),
        max_steps=steps,
        per_device_train_batch_size=1,  # group of `at_a_time` rows
        per_device_eval_batch_size=1,
        gradient_accumulation_steps=plan.turns,
        learning_rate=plan.rate,
        warmup_steps=max(1, steps // 20),
        lr_scheduler_type="linear",
        max_grad_norm=1.0,
        eval_strategy="steps",
        eval_steps=every,
        save_strategy="steps",
        save_steps=every,
        save_total_limit=2,
        load_best_model_at_end=True,
        metric_for_best_model="eval_loss",
        greater_is_better=False,
        logging_steps=1,
        prediction_loss_only=True,
        remove_unused_columns=False,
        dataloader_pin_memory=False,
        label_names=["labels"],
        report_to="none",
        disable_tqdm=True,
        use_cpu=device.type == "cpu",
        seed=plan.seed,
    )

    class AnswerTrainer(Trainer):  # type: ignore[misc]
        """Counts the loss of answers alone."""

        def compute_loss(self, model: Any, inputs: Any, return_outputs: bool = False, **_: Any) -> Any:
            give_back_memory()
            loss = answer_loss(model, inputs)
            return (loss, {"loss": loss}) if return_outputs else loss

    following = _follower(plan, steps, watch)
    set_seed(plan.seed)
    with explained(plan), quiet():
        trainer = AnswerTrainer(
            model=network,
            args=arguments,
            train_dataset=group_rows(rows, plan.at_a_time, plan.seed),
            eval_dataset=group_rows(held_out, 2 * plan.at_a_time, plan.seed),
            data_collator=lambda groups: collate([row for group in groups for row in group], pad),
            callbacks=[following],
        )
        # Each pass is its own mean, so that passes must be averaged, not added.
        trainer.model_accepts_loss_kwargs = False
        for printer in ("PrinterCallback", "ProgressCallback"):
            _remove(trainer, printer)
        before = _first_loss(trainer, place, found)
        trainer.train(resume_from_checkpoint=None if found is None else str(found))
    state = trainer.state
    return Trained(
        before=before,
        after=float(state.best_metric if state.best_metric is not None else before),
        best_step=int(getattr(state, "best_global_step", None) or state.global_step),
        steps=int(state.global_step),
        seconds=following.seconds,
        memory=peak_of(device),
        curve=_curve(state.log_history, steps),
        stopped_early=state.global_step < steps,
    )


def save_adapter(network: Any, folder: Path, *, base: str) -> int:
    """Writes the adapter to `folder` in half precision, as it is merged anyway; its size in bytes.

    Raises InputError when the disk is full.
    """
    import torch

    folder.mkdir(parents=True, exist_ok=True)
    network.peft_config["default"].base_model_name_or_path = base
    for name, weight in network.named_parameters():
        if weight.requires_grad and "lora_" in name:
            weight.data = weight.data.to(torch.float16)
    with explained(None), quiet():
        network.save_pretrained(str(folder), safe_serialization=True)
    # peft's own card is a form to be filled in; ours says what is known.
    with suppress(OSError):
        (folder / "README.md").unlink()
    return sum(path.stat().st_size for path in folder.glob("*.safetensors"))


def drop_checkpoints(folder: Path) -> None:
    """Removes what only a resumed run would need."""
    shutil.rmtree(folder / _CHECKPOINTS, ignore_errors=True)


def find_checkpoint(folder: Path) -> Path:
    """The checkpoint with which a run in `folder` goes on. Raises UsageError when there is none."""
    found = newest_checkpoint(folder / _CHECKPOINTS)
    if found is None:
        raise UsageError(
            f"There is no checkpoint in '{shorten(str(folder))}'.", "Leave --resume out to begin anew."
        )
    return found


def newest_checkpoint(place: Path) -> Path | None:
    """The newest checkpoint that was written to its end."""
    numbered: list[tuple[int, Path]] = []
    for path in place.glob("checkpoint-*"):
        number = path.name.rpartition("-")[2]
        if number.isdigit():
            numbered.append((int(number), path))
    for _, path in sorted(numbered, reverse=True):
        # The Trainer writes this file last.
        with suppress(OSError, ValueError):
            json.loads((path / "trainer_state.json").read_text("utf-8"))
            return path
    return None


def _first_loss(trainer: Any, place: Path, found: Path | None) -> float:
    """The loss before the first step, which a resumed run takes from the one before."""
    file = place / "before.json"
    if found is not None:
        with suppress(OSError, ValueError, KeyError):
            return float(json.loads(file.read_text("utf-8"))["loss"])
    loss = float(trainer.evaluate()["eval_loss"])
    trainer.state.log_history.clear()
    place.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"loss": loss}), "utf-8")
    return loss


def _follower(plan: Plan, steps: int, watch: Callable[[Point], None] | None) -> Any:
    from transformers import TrainerCallback

    class Follower(TrainerCallback):  # type: ignore[misc]
        """Reports, and stops when the held-out loss has not fallen for `patience` looks.

        It keeps no count of its own, so that a resumed run stops where the whole one would.
        """

        def __init__(self) -> None:
            self.started = time.monotonic()
            self.seconds = 0.0
            self.begun = 0

        def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            self.started = time.monotonic()
            self.begun = state.global_step

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
            self.seconds = time.monotonic() - self.started
            told = logs or {}
            if watch is not None and state.is_world_process_zero and ("loss" in told or "eval_loss" in told):
                watch(
                    Point(
                        state.global_step,
                        steps,
                        self.seconds,
                        told.get("loss"),
                        told.get("eval_loss"),
                        self.begun,
                    )
                )

        def on_evaluate(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            losses = [row["eval_loss"] for row in state.log_history if "eval_loss" in row]
            if losses and len(losses) - 1 - losses.index(min(losses)) >= plan.patience:
                control.should_training_stop = True

    return Follower()


def _curve(history: Sequence[dict[str, Any]], steps: int) -> tuple[Point, ...]:
    return tuple(
        Point(int(row["step"]), steps, 0.0, row.get("loss"), row.get("eval_loss"))
        for row in history
        if "loss" in row or "eval_loss" in row
    )


def _remove(trainer: Any, name: str) -> None:
    import transformers.trainer_callback as known

    if hasattr(known, name):
        trainer.remove_callback(getattr(known, name))
