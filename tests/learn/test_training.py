"""Does a history become an adapter that drafts, says what it is, and refuses another model?"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("peft")
pytest.importorskip("detect_secrets")

from gitnotes.__main__ import run
from gitnotes.codec import from_json
from gitnotes.draft.models.adapters import read_tuning
from gitnotes.draft.models.local import LocalModel
from gitnotes.draft.models.short import ask_briefly
from gitnotes.draft.models.warm import WarmModel
from gitnotes.errors import CannotJudge, InputError, ModelError, UsageError
from gitnotes.generation import CARD, Completion, Request, Turn
from gitnotes.learn.dataset import Example, Report
from gitnotes.learn.finetune import Point
from gitnotes.learn.sizing import Estimate, Plan
from gitnotes.recipes.catalogue import list_registered, resolve
from gitnotes.recipes.learning import DataSet
from gitnotes.recipes.models import find_local
from gitnotes.recipes.training import Job, find_data, place_for, some_of, train_adapter
from gitnotes.records import Signature
from tests.conftest import Repo
from tests.learn.tiny import save_model

PLAN = Plan(epochs=0.5, batch=4, at_a_time=2, rank=4, looks=2, tokens=128)


@pytest.fixture
def data() -> DataSet:
    examples = [
        Example("r", str(n), n, f"Add step {n}", f"added s{n}.py +1 -0", ("Add it",), licence="MIT")
        for n in range(40)
    ]
    held = [Example("r", str(n), n, f"Add step {n}", "added s.py", split="valid") for n in range(4)]
    signature = Signature("dataset", "1", {"budget": "128", "answer": "subject"})
    return DataSet((*examples, *held), Report((), {}, {}, signature))


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GITNOTES_CACHE", str(tmp_path / "cache"))
    return save_model(tmp_path / "base")


@pytest.mark.parametrize("setting", ["budget", "drafts"])
def test_a_card_that_says_no_number_is_told_before_training(
    setting: str, data: DataSet, base: Path, tmp_path: Path
) -> None:
    report = replace(data.report, signature=Signature("dataset", "1", {setting: "many\x1b[31m"}))
    with pytest.raises(InputError, match=f"'{setting}' was 'many"):
        train_adapter(replace(data, report=report), Job(str(base), tmp_path / "mine", PLAN, threads=1))
    assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize(
    "wrong", [{"budget": -1}, {"budget": 10**9}, {"answer_tokens": 0}, {"drafts": 10**6}, {"drafts": "3"}]
)
def test_an_adapter_cannot_ask_for_anything(wrong: dict[str, object], tmp_path: Path) -> None:
    asked = {"base": "b", "fingerprint": "f", "budget": 256, "answer_tokens": 64, "drafts": 0}
    (tmp_path / CARD).write_text(json.dumps({"tuning": asked}))
    assert read_tuning(tmp_path) is not None
    (tmp_path / CARD).write_text(json.dumps({"tuning": {**asked, **wrong}}))
    assert read_tuning(tmp_path) is None


@pytest.mark.parametrize("written", [True, False])
def test_ctrl_c_says_how_to_go_on(
    written: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("gitnotes.recipes.training.train_adapter", stop)
    row = {"repository": "r", "id": "1", "time": 1, "message": "Fix it", "change": "x"}
    (tmp_path / "set.jsonl").write_text(json.dumps(row) + "\n")
    if written:
        checkpoint = tmp_path / "mine" / "checkpoints" / "checkpoint-4"
        checkpoint.mkdir(parents=True)
        (checkpoint / "trainer_state.json").write_text("{}")
    code = run(["train", str(tmp_path / "set.jsonl"), "--out", str(tmp_path / "mine")])
    assert code == 130
    assert ("--resume goes on" in capsys.readouterr().err) is written


def test_a_model_that_is_not_here_is_named(data: DataSet, base: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="'no-such-model' is not on this machine") as problem:
        train_adapter(data, Job("no-such-model", tmp_path / "mine", PLAN, threads=1))
    assert "gitnotes models" in problem.value.hint


def test_an_adapter_is_made_described_and_used(data: DataSet, base: Path, tmp_path: Path) -> None:
    told: list[tuple[Plan, Estimate, int]] = []
    job = Job(str(base), tmp_path / "mine", PLAN, name="mine", threads=1)
    outcome = train_adapter(data, job, told=lambda *what: told.append(what))
    assert outcome is not None and told[0][2] == 40 and told[0][1].steps == 5
    assert not (tmp_path / "mine" / "checkpoints").exists()

    tuning = read_tuning(tmp_path / "mine")
    assert tuning is not None and (tuning.base, tuning.budget) == ("base", 128)
    card = json.loads((tmp_path / "mine" / CARD).read_text())
    assert card["examples"] == 20 and card["kind"] == "adapter" and "torch" in card["made_with"]
    assert str(tmp_path) not in json.dumps(card)  # what is shared says nothing about this machine
    assert "gitnotes suggest" in (tmp_path / "mine" / "README.md").read_text()

    model = LocalModel(str(base), adapter=tmp_path / "mine", threads=1)
    assert model.tuning == tuning
    answer = model.complete(Request(ask_briefly("added s.py", ["Add it"]), max_tokens=5))[0]
    assert answer.completion_tokens is not None and 0 < answer.completion_tokens <= 5
    found = resolve("mine")
    assert (found.source, found.adapter) == (str(base), (tmp_path / "mine").resolve())
    assert [item.kind for item in list_registered()] == ["adapter"]

    other = save_model(tmp_path / "other", seed=7)
    wider = save_model(tmp_path / "wider", layers=3)
    for wrong in (other, wider):
        with pytest.raises(ModelError, match="was made for another model, 'base'"):
            LocalModel(str(wrong), adapter=tmp_path / "mine", threads=1)


def test_a_run_that_goes_on_keeps_its_plan(
    data: DataSet, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(Exception):
        pass

    def kill(point: Point) -> None:
        if point.step == 4:
            raise Killed

    plan = replace(PLAN, epochs=1.0)
    whole = train_adapter(data, Job(str(base), tmp_path / "whole", plan, threads=1))
    assert whole is not None
    job = Job(str(base), tmp_path / "mine", plan, threads=1)
    with pytest.raises(UsageError, match="no checkpoint"):
        train_adapter(data, replace(job, resume=True))
    told: list[tuple[Plan, Estimate, int]] = []
    job = replace(job, plan=replace(plan, looks=5))
    with pytest.raises(Killed):
        train_adapter(data, job, watch=kill)
    # Another plan, as a busier machine would make it with --minutes.
    other = replace(job, plan=replace(PLAN, epochs=0.2, batch=2), resume=True, minutes=1e-6)
    outcome = train_adapter(data, other, told=lambda *what: told.append(what))
    assert outcome is not None and told[0][0] == replace(job.plan, rate=5e-4)
    assert outcome.trained.steps == whole.trained.steps == 10
    assert not (tmp_path / "mine" / "plan.json").exists()


def test_some_are_taken_evenly() -> None:
    examples = [Example("r", str(n), n, "Add it", "x") for n in range(10)]
    assert [item.time for item in some_of(examples, 4)] == [0, 2, 5, 7]
    assert some_of(examples, 20) == examples
    assert Plan(looks=8).looked_at(10_000) == 200 and Plan(epochs=0.1, looks=8).looked_at(100) == 32


def test_a_dry_run_and_a_limit_of_time(data: DataSet, base: Path, tmp_path: Path) -> None:
    told: list[tuple[Plan, Estimate, int]] = []
    job = Job(str(base), tmp_path / "mine", PLAN, minutes=1e-6, dry=True, threads=1)
    assert train_adapter(data, job, told=lambda *what: told.append(what)) is None
    assert told[0][1].steps == 1
    assert not (tmp_path / "mine").exists()


def test_what_cannot_be_trained(data: DataSet, base: Path, tmp_path: Path) -> None:
    nothing = DataSet((), data.report)
    with pytest.raises(UsageError, match="no examples"):
        train_adapter(nothing, Job(str(base), tmp_path / "mine", PLAN, threads=1))
    (tmp_path / "adapter").mkdir()
    (tmp_path / "adapter" / "adapter_config.json").write_text("{}")
    with pytest.raises(UsageError):
        train_adapter(data, Job(str(tmp_path / "adapter"), tmp_path / "mine", PLAN))
    with pytest.raises(UsageError, match="no checkpoint"):
        train_adapter(data, Job("./nowhere", tmp_path / "mine", PLAN, resume=True))
    assert not (tmp_path / "mine").exists()
    with pytest.raises(UsageError, match="no model folder"):
        train_adapter(data, Job("./nowhere", tmp_path / "mine", PLAN))


def test_where_an_adapter_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITNOTES_CACHE", str(tmp_path))
    assert place_for(None, "", "/some/project") == (
        tmp_path / "models" / "adapters" / "project-adapter",
        "project-adapter",
    )
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is a file"):
        place_for(tmp_path / "file", "", ".")


@pytest.mark.parametrize("name", ["../../x", "a b", "", "-x", "x" * 65])
def test_a_name_is_refused_before_anything_is_trained(
    name: str, data: DataSet, base: Path, tmp_path: Path
) -> None:
    if name:
        with pytest.raises(UsageError, match="cannot be a name"):
            place_for(None, name, ".")
        with pytest.raises(UsageError, match="cannot be a name"):
            train_adapter(data, Job(str(base), tmp_path / "mine", PLAN, name=name))
    assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize(
    ("folder", "name"), [("my adapter", "my-adapter"), ("über", "ber"), ("日本", "model"), ("+x", "x")]
)
def test_a_folder_gives_a_name_that_can_stand_in_a_command(folder: str, name: str, tmp_path: Path) -> None:
    assert place_for(tmp_path / folder, "", ".") == (tmp_path / folder, name)


@pytest.mark.parametrize(
    "names", [["README.md"], ["checkpoints"], ["plan.json", "a.py"], [CARD, "notes.txt"]]
)
def test_a_folder_with_other_files_is_left_alone(
    names: list[str], data: DataSet, base: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    for name in names:
        (folder / name).write_text("mine")
    with pytest.raises(UsageError, match="holds other files"):
        train_adapter(data, Job(str(base), folder, PLAN, threads=1))
    assert {path.name: path.read_text() for path in folder.iterdir()} == dict.fromkeys(names, "mine")


def test_two_runs_in_one_folder(data: DataSet, base: Path, tmp_path: Path) -> None:
    job = Job(str(base), tmp_path / "mine", PLAN, threads=1)
    refused: list[str] = []

    def start_another(point: Point) -> None:
        if not refused:
            with pytest.raises(InputError, match="Another gitnotes run is writing") as problem:
                train_adapter(data, job)
            refused.append(problem.value.message)

    outcome = train_adapter(data, job, watch=start_another)
    assert refused and outcome is not None
    assert not [path.name for path in job.folder.iterdir() if path.name.startswith(".")]
    assert train_adapter(data, job) is not None  # an adapter of ours may be replaced


def test_data_of_feedback_needs_feedback(repo: Repo) -> None:
    repo.commit("Add it all", {"a.py": "a = 1\n"})
    with pytest.raises(CannotJudge, match=r"git config gitnotes\.feedback true"):
        find_data(None, [str(repo.path)], from_feedback=True)


def test_reports_survive_json(data: DataSet) -> None:
    from gitnotes.codec import to_json

    assert from_json(Report, json.loads(json.dumps(to_json(data.report)))) == data.report


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot fork here")
class Bomb:
    """Makes a file when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self.mark),)


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.safetensors"])
def test_weights_of_a_model_are_never_unpickled(name: str, base: Path, tmp_path: Path) -> None:
    (base / "model.safetensors").unlink()
    (base / name).write_bytes(pickle.dumps(Bomb(tmp_path / "boom")))
    with pytest.raises(ModelError):
        LocalModel(str(base), threads=1)
    assert not (tmp_path / "boom").exists()


@pytest.mark.parametrize("rank", [10**9, "many", None])
def test_a_rank_that_no_memory_holds(rank: object, base: Path, tmp_path: Path) -> None:
    folder = tmp_path / "adapter"
    folder.mkdir()
    (folder / "adapter_config.json").write_text(json.dumps({"peft_type": "LORA", "r": rank}))
    (folder / "adapter_model.safetensors").write_bytes(b"")
    with pytest.raises(ModelError, match="'adapter' does not fit this model: its rank is"):
        LocalModel(str(base), adapter=folder, threads=1)


def test_weights_that_are_torn_are_the_adapters_fault(data: DataSet, base: Path, tmp_path: Path) -> None:
    train_adapter(data, Job(str(base), tmp_path / "mine", PLAN, threads=1))
    weights = tmp_path / "mine" / "adapter_model.safetensors"
    weights.write_bytes(weights.read_bytes()[:500])
    with pytest.raises(ModelError, match="weights of the adapter 'mine' are damaged"):
        LocalModel(str(base), adapter=tmp_path / "mine", threads=1)


@pytest.mark.parametrize("name", ["adapter_model.bin", "adapter_model.safetensors"])
@pytest.mark.parametrize(
    "config", [{"peft_type": "LORA"}, {"peft_type": "MISS"}, [], {"megatron_config": {"a": 1}}]
)
def test_weights_of_an_adapter_are_never_unpickled(
    name: str, config: object, base: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "adapter"
    folder.mkdir()
    (folder / "adapter_config.json").write_text(json.dumps(config))
    (folder / name).write_bytes(pickle.dumps(Bomb(tmp_path / "boom")))
    with pytest.raises((ModelError, UsageError), match="adapter"):
        LocalModel(str(base), adapter=folder, threads=1)
    assert not (tmp_path / "boom").exists()


def test_a_model_goes_on_in_the_background_and_is_stopped(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITNOTES_RUNTIME", str(tmp_path))

    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "gitnotes", "models", *arguments],
            capture_output=True,
            text=True,
            timeout=300,
        )

    assert call("pull", str(base), "--name", "tiny").returncode == 0
    failed = call("warm", str(tmp_path / "nothing"), "--background")
    assert failed.returncode == 4 and "no model folder" in failed.stderr
    started = call("warm", "tiny", "--background", "--minutes", "5")
    assert started.returncode == 0, started.stderr
    try:
        found = find_local("tiny")
        assert isinstance(found, WarmModel)
        assert found.count_tokens("abc") == 3
    finally:
        assert call("stop", "tiny").stdout == "Stopped.\n"
    assert call("stop", "tiny").stdout == "It was not warm.\n"


def test_an_answer_ends_where_the_model_ends_it(base: Path) -> None:
    """What a tokenizer that was read from a GGUF file says of the end is at times what begins a turn."""
    place = base / "tokenizer_config.json"
    told = json.loads(place.read_text("utf-8"))
    place.write_text(json.dumps({**told, "eos_token": "<|start|>"}), "utf-8")
    model = LocalModel(str(base))
    assert model.encode_answer("Add it")[-1] == model.network.generation_config.eos_token_id == 2
    import torch

    def answer_of(token: int) -> Completion:
        head = torch.nn.Linear(32, model.network.config.vocab_size)
        with torch.no_grad():  # whatever is asked, that token comes
            head.weight.zero_()
            head.bias.zero_()
            head.bias[token] = 9.0
        model.network.lm_head = head.to(next(model.network.parameters()).dtype)
        (found,) = model.complete(Request((Turn("user", "Say it"),), max_tokens=8))
        return found

    for end in (1, 2):  # that of adapters which were taught the other one, too
        found = answer_of(end)
        assert (found.text, found.finish) == ("", "stop")
    assert answer_of(40).finish == "length" and len(answer_of(40).text) == 8
