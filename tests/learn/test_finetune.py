"""Does training learn from answers alone, stop in time, go on where it was killed, and fail in words?"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("peft")
pytest.importorskip("transformers")

import torch
from safetensors import SafetensorError

from gitnotes.errors import InputError, ModelError, UsageError
from gitnotes.learn import batches, finetune
from gitnotes.learn.batches import give_back_memory
from gitnotes.learn.finetune import (
    Point,
    estimate,
    newest_checkpoint,
    put_adapter_on,
    save_adapter,
    train,
)
from gitnotes.learn.sizing import Plan, Row, check_memory, encode, fit_plan, free_memory
from tests.learn.tiny import PAD, make_model, make_rows

PLAN = Plan(epochs=1, batch=4, at_a_time=2, rate=1e-2, rank=4, looks=5)


@pytest.fixture(autouse=True)
def one_thread() -> None:
    # Threads that wait for one another on a shared machine take ten times as long.
    torch.set_num_threads(1)


def run(
    folder: Path, plan: Plan = PLAN, count: int = 40, resume: bool = False, watch: Any = None
) -> tuple[Any, finetune.Trained]:
    network = put_adapter_on(make_model(), plan)
    return network, train(
        network, make_rows(count), make_rows(8, 1), plan, folder, pad=PAD, resume=resume, watch=watch
    )


def test_rows_keep_the_answer_and_lose_the_middle_of_a_long_question() -> None:
    assert encode([1, 2, 3], [4, 5], 10) == Row((1, 2, 3, 4, 5), 3)
    row = encode(list(range(100)), [200, 201], 32)
    assert len(row.tokens) == 32 and row.tokens[-2:] == (200, 201) and row.start == 30
    assert row.tokens[:20] == tuple(range(20)) and row.tokens[20:30] == tuple(range(90, 100))
    row = encode([1] * 9, [2] * 100, 32)
    assert len(row.tokens) == 32 and row.start == 8


def test_the_loss_is_that_of_the_answers_alone() -> None:
    network = make_model().eval()
    rows = make_rows(3)
    with torch.no_grad():
        found = float(batches.answer_loss(network, batches.collate(rows, PAD)))
        total = 0.0
        for row in rows:
            logits = network(input_ids=torch.tensor([row.tokens])).logits[0].log_softmax(-1)
            for place in range(row.start, len(row.tokens)):
                total -= float(logits[place - 1, row.tokens[place]])
    assert found == pytest.approx(total / sum(len(row.tokens) - row.start for row in rows), abs=1e-4)


def test_groups_hold_every_row_once_and_little_to_fill() -> None:
    rows = make_rows(203)
    groups = batches.group_rows(rows, 4, 1)
    assert sorted(row.tokens for group in groups for row in group) == sorted(row.tokens for row in rows)
    assert [len(group) for group in groups].count(4) == 50 and len(groups) == 51
    filled = sum(max(len(row.tokens) for row in group) * len(group) for group in groups)
    assert filled < 1.1 * sum(len(row.tokens) for row in rows)
    assert batches.group_rows(rows, 4, 1) == groups != batches.group_rows(rows, 4, 2)


def test_training_learns_and_tells_how_far_it_is(tmp_path: Path) -> None:
    seen: list[Point] = []
    _, found = run(tmp_path, replace(PLAN, epochs=4, patience=9), watch=seen.append)
    assert found.after < found.before - 0.05
    assert found.steps == 40 and found.memory > 0
    assert [point.step for point in seen if point.loss is not None] == list(range(1, 41))
    assert len([point for point in found.curve if point.held_out is not None]) == 5


def test_the_same_seed_gives_the_same_adapter(tmp_path: Path) -> None:
    one, first = run(tmp_path / "one")
    other, second = run(tmp_path / "other")
    assert first.after == second.after
    for (name, weight), (_, same) in zip(one.named_parameters(), other.named_parameters(), strict=True):
        assert torch.equal(weight, same), name


class Killed(Exception):
    """Stands for what ends a run."""


@pytest.mark.parametrize("step", [1, 5, 9])
def test_a_killed_run_goes_on_to_the_same_end(step: int, tmp_path: Path) -> None:
    def kill(point: Point) -> None:
        if point.step == step and point.loss is not None:
            raise Killed

    _, whole = run(tmp_path / "whole")
    with pytest.raises(Killed):
        run(tmp_path / "killed", watch=kill)
    if step == 1:  # nothing was written yet
        with pytest.raises(UsageError, match="no checkpoint"):
            run(tmp_path / "killed", resume=True)
        return
    _, resumed = run(tmp_path / "killed", resume=True)
    assert resumed.after == pytest.approx(whole.after, abs=1e-3)
    assert resumed.before == whole.before and resumed.steps == whole.steps


def test_a_half_written_checkpoint_is_left_out(tmp_path: Path) -> None:
    assert newest_checkpoint(tmp_path) is None
    for step, state in ((2, "{}"), (10, '{"step": '), (4, "{}")):
        (tmp_path / f"checkpoint-{step}").mkdir()
        (tmp_path / f"checkpoint-{step}" / "trainer_state.json").write_text(state)
    (tmp_path / "checkpoint-12").mkdir()
    found = newest_checkpoint(tmp_path)
    assert found is not None and found.name == "checkpoint-4"


def test_it_stops_when_what_is_held_out_gains_nothing(tmp_path: Path) -> None:
    plan = replace(PLAN, epochs=6, rate=1.0, looks=10)  # far too fast, so that it gets worse
    _, found = run(tmp_path, plan)
    assert found.stopped_early and found.steps < 60
    assert found.after <= found.before or found.best_step <= found.steps


def test_the_estimate_changes_no_weight() -> None:
    network = put_adapter_on(make_model(), PLAN)
    before = {name: weight.clone() for name, weight in network.named_parameters()}
    found = estimate(network, make_rows(20), PLAN, pad=PAD)
    assert all(torch.equal(before[name], weight) for name, weight in network.named_parameters())
    assert found.steps == 5 and found.seconds > 0 and found.trained < found.weights
    assert found.memory > 50e6  # that of the process


def test_what_does_not_fit_is_refused_with_what_to_do() -> None:
    network = put_adapter_on(make_model(), PLAN)
    found = estimate(network, make_rows(4), PLAN, pad=PAD)
    check_memory(found, free_memory(), PLAN)
    with pytest.raises(ModelError, match="--at-a-time 1"):
        check_memory(found, 10_000_000, PLAN)
    with pytest.raises(ModelError, match="--tokens 192"):
        check_memory(found, 10_000_000, replace(PLAN, at_a_time=1))


def test_the_machine_sets_what_was_left_open() -> None:
    small = fit_plan(Plan(), 135_000_000, device="cpu", memory=16 << 30)
    assert (small.rate, small.at_a_time, small.turns) == (5e-4, 4, 4)
    assert fit_plan(Plan(), 135_000_000, device="cpu", memory=2 << 30).at_a_time == 1
    assert fit_plan(Plan(), 135_000_000, device="cuda", memory=80 << 30).at_a_time == 16
    assert fit_plan(Plan(), 1_500_000_000, device="cpu", memory=64 << 30).rate == 2e-4
    assert fit_plan(Plan(rate=1e-3, at_a_time=2), 135_000_000, device="cpu", memory=0).at_a_time == 2


@pytest.mark.parametrize(
    ("problem", "kind", "words"),
    [
        (MemoryError(), ModelError, "--at-a-time 1"),
        (RuntimeError("CUDA out of memory. Tried"), ModelError, "does not fit into memory"),
        (RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory"), ModelError, "memory"),
        (OSError(28, "No space left on device"), InputError, "--resume"),
        (RuntimeError("PytorchStreamWriter failed writing file: file write failed"), InputError, "full"),
        (SafetensorError("I/O error: File too large (os error 27)"), InputError, "may not be so large"),
        (RuntimeError("shapes do not match"), RuntimeError, "shapes"),
        (UsageError("no space for it"), UsageError, "no space for it"),
    ],
)
def test_failures_are_told_in_words(problem: Exception, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words), batches.explained(PLAN):
        raise problem


def test_a_full_disk_ends_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("torch.save", fail)
    with pytest.raises(InputError, match="disk is full"):
        run(tmp_path)


def test_an_adapter_is_small_and_fits_its_model_alone(tmp_path: Path) -> None:
    from peft import PeftModel

    network, found = run(tmp_path)
    size = save_adapter(network, tmp_path / "adapter", base="tiny")
    trained = sum(item.numel() for item in network.parameters() if item.requires_grad)
    assert size < 2.6 * trained + 8000
    told = json.loads((tmp_path / "adapter" / "adapter_config.json").read_text())
    assert told["base_model_name_or_path"] == "tiny"
    loaded = PeftModel.from_pretrained(make_model(), str(tmp_path / "adapter")).merge_and_unload().eval()
    with torch.no_grad():
        held = float(batches.answer_loss(loaded, batches.collate(make_rows(8, 1), PAD)))
    assert held == pytest.approx(found.after, abs=0.02)


@pytest.mark.slow
def test_sigkill_at_any_moment(tmp_path: Path) -> None:
    program = (
        "import sys, torch; torch.set_num_threads(1)\n"
        "from pathlib import Path\n"
        "from tests.learn.test_finetune import PLAN, run\n"
        "import dataclasses\n"
        "_, found = run(Path(sys.argv[1]), dataclasses.replace(PLAN, epochs=4), resume=len(sys.argv) > 2)\n"
        "print(repr(found.after))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent.parent)}

    def start(*arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-c", program, *arguments], stdout=subprocess.PIPE, env=environment
        )

    whole = float(start(str(tmp_path / "whole")).communicate(timeout=600)[0])
    process = start(str(tmp_path / "killed"))
    deadline = time.monotonic() + 600
    while newest_checkpoint(tmp_path / "killed" / "checkpoints") is None and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    resumed = float(start(str(tmp_path / "killed"), "again").communicate(timeout=600)[0])
    assert resumed == pytest.approx(whole, abs=1e-3)


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")
def test_memory_that_lies_between_what_is_kept_is_given_back() -> None:
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * 4096

    blocks = [bytearray(100_000) for _ in range(2000)]  # too small for maps of their own
    kept = blocks[::50]
    del blocks
    held = resident()
    give_back_memory()
    assert len(kept) == 40
    assert held - resident() > 100_000_000
