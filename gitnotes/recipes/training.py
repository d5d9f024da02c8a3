"""How is a model tuned on a data set? Load, encode, estimate, train, describe."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gitnotes.codec import SCHEMA, load_record, to_json
from gitnotes.errors import InputError, UsageError
from gitnotes.generation import CARD, Tuning
from gitnotes.guard.text import shorten
from gitnotes.learn.card import Card, card_text
from gitnotes.learn.sizing import Estimate, Plan, Row
from gitnotes.read.git import open_git
from gitnotes.recipes.learning import DataSet

if TYPE_CHECKING:
    from gitnotes.draft.models.local import LocalModel
    from gitnotes.learn.dataset import Example
    from gitnotes.learn.finetune import Point, Trained


_PLAN = "plan.json"
"""The plan of a run that has begun, in the folder of its adapter."""
_WRITTEN = frozenset(
    [CARD, _PLAN, "README.md", "adapter_config.json", "adapter_model.safetensors", "checkpoints"]
)
"""What training writes to the folder of an adapter, and so may replace there."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """An adapter that was made."""

    folder: Path
    card: Card
    trained: Trained


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be trained, on what, and where it goes."""

    base: str
    """A folder, a GGUF file, a name of the catalogue or of the hub."""
    folder: Path
    plan: Plan
    name: str = ""
    """By which `gitnotes models` finds it; empty for none."""
    minutes: float = 0.0
    """That training may take by the estimate; 0 for no limit."""
    resume: bool = False
    dry: bool = False
    """Whether to stop after the estimate."""
    threads: int = 0
    """0 for half of the cores."""
    device: str = "auto"


def train_adapter(
    data: DataSet,
    job: Job,
    *,
    told: Callable[[Plan, Estimate, int], None] | None = None,
    watch: Callable[[Point], None] | None = None,
) -> Outcome | None:
    """Tunes a model on the examples of `data`; None for a dry run.

    `told` is given the plan, what it will cost and how many examples there are before it starts.
    Raises UsageError, ModelError and InputError; see `learn.finetune`, `check_folder` and
    `recipes.catalogue.check_name`.
    """
    from gitnotes.draft.models.adapters import fingerprint
    from gitnotes.draft.models.local import LocalModel
    from gitnotes.learn import finetune
    from gitnotes.learn.sizing import check_memory, fit_plan, free_memory
    from gitnotes.recipes.catalogue import check_name, resolve

    check_folder(job.folder)
    how_to_ask(data)
    if job.name:
        check_name(job.name)
    if job.resume:
        finetune.find_checkpoint(job.folder)
    source = resolve(job.base)
    if source.adapter is not None:
        raise UsageError("An adapter is put on a model, not on an adapter.", "Name the model with --base.")
    free = free_memory()
    model = LocalModel(source.source, device=job.device, threads=job.threads or None)
    weights = sum(item.numel() for item in model.network.parameters())
    plan = load_record(Plan, job.folder / _PLAN) if job.resume else None
    began = plan is not None
    plan = plan or fit_plan(job.plan, weights, device=model.signature.settings["device"], memory=free)
    mark = fingerprint(model.network)
    rows = encode_examples(model, [item for item in data.examples if item.split == "train"], plan)
    held = [item for item in data.examples if item.split == "valid"]
    if not rows or not held:
        raise UsageError(
            "The data set has no examples to learn from, or none held out.", "Make a larger one."
        )
    network = finetune.put_adapter_on(model.network, plan)
    cost = finetune.estimate(network, rows, plan, pad=model.pad)
    if job.minutes and not began and cost.seconds > job.minutes * 60:
        plan = replace(plan, epochs=plan.epochs * job.minutes * 60 / cost.seconds)
        share = plan.steps(len(rows)) / cost.steps
        cost = replace(cost, steps=plan.steps(len(rows)), seconds=cost.seconds * share)
    if told is not None:
        told(plan, cost, len(rows))
    if cost.device == "cpu":
        check_memory(cost, free, plan)
    if job.dry:
        return None
    with _alone(job.folder):
        if not began:  # what goes on must go on with the same plan, whatever the machine says next time
            _write_json(job.folder / _PLAN, to_json(plan))
        some = some_of(held, plan.looked_at(len(rows)))
        held_rows = encode_examples(model, some, plan)
        # Drawn anew, so that the estimate and its step leave no trace.
        trained = finetune.train(
            network, rows, held_rows, plan, job.folder, pad=model.pad, resume=job.resume, watch=watch
        )
        if _rank():  # the first of several processes writes
            return None
        size = finetune.save_adapter(network, job.folder, base=_name_of(job.base))
        seen = min(len(rows), trained.steps * plan.at_a_time * plan.turns)
        card = _describe(data, job, plan, trained, mark, size, seen)
        _write_card(job.folder, card)
        if job.name:
            _register(job, source.source)
        finetune.drop_checkpoints(job.folder)
        (job.folder / _PLAN).unlink(missing_ok=True)
    return Outcome(job.folder, card, trained)


def can_go_on(folder: Path) -> bool:
    """Whether a run that was stopped in `folder` has left what it can go on from."""
    from gitnotes.learn.finetune import find_checkpoint

    with suppress(UsageError):
        return find_checkpoint(folder).is_dir()
    return False


def check_folder(folder: Path) -> None:
    """Raises UsageError when `folder` holds what no training has written, since it would be replaced."""
    try:
        names = {item.name for item in folder.iterdir() if not item.name.startswith(".gitnotes-")}
    except OSError:  # not there, or told when it is written to
        return
    if names and (not names <= _WRITTEN or names.isdisjoint((CARD, _PLAN))):
        other = min(names - _WRITTEN, default=min(names))
        raise UsageError(
            f"The folder '{shorten(str(folder))}' holds other files, '{shorten(other)}' for one.",
            "Name one with --out that is empty, new, or an adapter's that may be replaced.",
        )


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keeps other runs away from the folder of an adapter; of several processes of a run the first does.

    Raises InputError when another run is at work there.
    """
    from gitnotes.write.atomic import explained, lock

    if _rank():
        yield
        return
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with lock(folder / _PLAN, seconds=0.0, name=folder):
        yield


def _rank() -> int:
    """The number of this process among those that `accelerate launch` has started."""
    return int(os.environ.get("RANK", "0"))


def some_of(examples: Sequence[Example], most: int) -> list[Example]:
    """At most that many examples, evenly from all of them."""
    step = max(len(examples) / most, 1.0)
    return [examples[int(place * step)] for place in range(min(len(examples), most))]


def place_for(out: Path | None, name: str, repository: str) -> tuple[Path, str]:
    """The folder of a new adapter and its name.

    Raises InputError when the folder is a file, UsageError for a name that cannot stand in a command.
    """
    from gitnotes.recipes.catalogue import as_name, check_name, models_folder

    called = name or as_name(out.resolve().name if out else f"{Path(repository).resolve().name}-adapter")
    check_name(called)
    folder = out if out is not None else models_folder() / "adapters" / called
    if folder.exists() and not folder.is_dir():
        raise InputError(f"'{shorten(str(folder))}' is a file.", "Name a folder with --out.")
    return folder, called


def find_data(
    path: Path | None,
    places: Sequence[str],
    *,
    from_feedback: bool = False,
    watch: Callable[[str, int], None] | None = None,
) -> DataSet:
    """The data set at `path`, else one of the histories at `places`.

    Raises CannotJudge when there is too little in them, and what the readers raise.
    """
    from gitnotes.recipes.collecting import Wanted
    from gitnotes.recipes.learning import load_dataset, make_dataset

    if path is not None:
        return load_dataset(path)
    only = None
    if from_feedback:
        from gitnotes.recipes.feedback import suggested_commits

        only = frozenset(sha for place in places for sha in suggested_commits(open_git(place)))
    return make_dataset(places, [], Wanted(only=only), watch=watch)


def encode_examples(model: LocalModel, examples: Sequence[Example], plan: Plan) -> list[Row]:
    """The rows of examples: the question that is asked when a message is drafted, and the answer."""
    from gitnotes.draft.models.short import ask_briefly
    from gitnotes.learn.sizing import encode

    return [
        encode(
            model.encode_question(ask_briefly(item.change, item.similar, item.drafts)),
            model.encode_answer(item.message),
            plan.tokens,
        )
        for item in examples
    ]


def _register(job: Job, source: str) -> None:
    from gitnotes.recipes.catalogue import Registered, models_folder, register

    folder = job.folder.resolve()
    own = models_folder().resolve() in folder.parents
    register(Registered(job.name, "adapter", str(folder), own, base=source))


def _describe(
    data: DataSet, job: Job, plan: Plan, trained: Trained, mark: str, size: int, examples: int
) -> Card:
    from gitnotes import __version__
    from gitnotes.learn.catalogue import find_entry
    from gitnotes.records import Signature

    entry = find_entry(job.base)
    settings = {name: f"{value:g}" for name, value in to_json(plan).items()}
    settings["data"] = str(data.report.signature)
    return Card(
        tuning=replace(how_to_ask(data), base=_name_of(job.base), fingerprint=mark),
        origins=data.report.origins,
        examples=examples,
        loss_before=trained.before,
        loss_after=trained.after,
        steps=trained.steps,
        seconds=trained.seconds,
        memory=trained.memory,
        size=size,
        signature=Signature("train", __version__, settings),
        base_hub=entry.hub if entry is not None else "",
        base_licence=entry.licence if entry is not None else "",
        made_with=", ".join(f"{name} {version}" for name, version in _versions()),
    )


def how_to_ask(data: DataSet) -> Tuning:
    """How an adapter that learns from `data` will have to be asked, by the settings that made it.

    Raises InputError where the card of the data set says what no setting can be.
    """
    settings = data.report.signature.settings
    numbers = {name: str(settings.get(name, usual)) for name, usual in (("budget", "256"), ("drafts", "0"))}
    for name, value in numbers.items():
        if not (value.isdecimal() and len(value) < 6):
            raise InputError(
                f"The card of the data set says that '{name}' was '{shorten(value)}', which is no number.",
                "Make the data set again, or remove its card.",
            )
    whole = settings.get("answer") == "message"
    return Tuning("", "", int(numbers["budget"]), 256 if whole else 64, int(numbers["drafts"]))


def _versions() -> list[tuple[str, str]]:
    from importlib.metadata import version

    return [(name, version(name)) for name in ("torch", "transformers", "peft")]


def _write_json(path: Path, content: dict[str, Any]) -> None:
    from gitnotes.write.atomic import explained, replace_file

    with explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, (json.dumps(content, indent=2) + "\n").encode())


def _write_card(folder: Path, card: Card) -> None:
    from gitnotes.write.atomic import replace_file

    _write_json(folder / CARD, {"schema": SCHEMA, "kind": "adapter", **to_json(card)})
    replace_file(folder / "README.md", card_text(card).encode())


def read_card(folder: Path) -> Card | None:
    """The card of the adapter in `folder`; None when it has none that can be read."""
    return load_record(Card, folder / CARD)


def _name_of(base: str) -> str:
    """What a card may say of a model: its name, not where it lies on this machine."""
    from gitnotes.recipes.catalogue import place_of

    path = place_of(base)
    if not path.exists():
        return base
    return path.stem if path.is_file() else path.resolve().name
