"""Are models found by name, fetched whole, and deleted only when gitnotes has put them there?"""

from __future__ import annotations

import json
import sys
import types
from pathlib import Path

import pytest

from gitnotes.__main__ import run
from gitnotes.errors import InputError, ModelError, UsageError
from gitnotes.learn.catalogue import ENTRIES, find_entry
from gitnotes.recipes import catalogue
from gitnotes.recipes.catalogue import Registered, list_registered, path_of, pull, register, remove, resolve


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GITNOTES_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    return tmp_path / "cache"


def make_model(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(b"x")
    return folder


class Hub(types.ModuleType):
    """Stands for huggingface_hub."""

    def __init__(self, problem: Exception | None = None, weights: bool = True) -> None:
        super().__init__("huggingface_hub")
        self.problem, self.weights = problem, weights
        self.asked: list[tuple[str, list[str]]] = []

    def snapshot_download(self, name: str, *, local_dir: str, allow_patterns: list[str]) -> str:
        self.asked.append((name, allow_patterns))
        if self.problem is not None:
            raise self.problem
        Path(local_dir).mkdir(parents=True)
        (Path(local_dir) / "config.json").write_text("{}")
        if self.weights:
            (Path(local_dir) / "model.safetensors").write_bytes(b"x")
        return local_dir


def test_entries_are_permissive_and_ordered_by_size() -> None:
    assert {entry.licence for entry in ENTRIES} == {"Apache-2.0"}
    assert [entry.parameters for entry in ENTRIES] == sorted(entry.parameters for entry in ENTRIES)
    assert find_entry("HuggingFaceTB/SmolLM2-135M-Instruct") is find_entry("smollm2-135m") is ENTRIES[0]
    assert find_entry("gpt") is None
    for entry in ENTRIES:  # two bytes a weight
        assert entry.disk == pytest.approx(2 * entry.parameters, rel=0.01)


def test_a_fetched_model_is_found_and_deleted(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    hub = Hub()
    monkeypatch.setitem(sys.modules, "huggingface_hub", hub)
    item = pull("smollm2-135m")
    assert hub.asked[0][0] == "HuggingFaceTB/SmolLM2-135M-Instruct"
    assert not any(pattern.endswith((".py", ".bin", ".pt")) for pattern in hub.asked[0][1])
    assert (item.name, item.own, item.licence) == ("smollm2-135m", True, "Apache-2.0")
    assert resolve("smollm2-135m").source == str(path_of("smollm2-135m")) == item.path
    assert remove("smollm2-135m") == (item, True)
    assert not Path(item.path).exists() and not list_registered()
    assert resolve("smollm2-135m").source == "HuggingFaceTB/SmolLM2-135M-Instruct"


def test_what_is_the_users_own_is_only_forgotten(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "My Model")
    assert pull(str(folder)).name == "my-model"
    assert remove("my-model")[1] is False and (folder / "config.json").exists()
    gguf = tmp_path / "small.gguf"
    gguf.write_bytes(b"GGUF....")
    assert pull(str(gguf), called="tiny").path == str(gguf)
    assert resolve("tiny").source == str(gguf)


def test_a_registry_cannot_make_us_delete_elsewhere(tmp_path: Path, cache: Path) -> None:
    folder = make_model(tmp_path / "precious")
    register(Registered("precious", "model", str(folder), own=True))
    assert remove("precious")[1] is False and (folder / "config.json").exists()
    register(Registered("dots", "model", str(cache / "models" / ".." / ".." / "precious"), own=True))
    assert remove("dots")[1] is False and (folder / "config.json").exists()


def test_a_link_to_an_adapter_is_forgotten_and_what_it_leads_to_stays(tmp_path: Path, cache: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "adapter_config.json").write_text("{}")
    link = cache / "models" / "adapters" / "link"
    link.parent.mkdir(parents=True)
    link.symlink_to(mine)
    register(Registered("link", "adapter", str(link), own=True))
    assert remove("link")[1] is False and (mine / "adapter_config.json").is_file()
    with pytest.raises(UsageError, match="no model or adapter"):
        remove("../../mine")


def test_offline_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setitem(sys.modules, "huggingface_hub", Hub(AssertionError()))
    with pytest.raises(UsageError, match="nothing is fetched"):
        pull("smollm2-135m")


@pytest.mark.parametrize(
    ("problem", "kind", "words"),
    [
        (ConnectionError("broken off"), ModelError, "goes on where it stopped"),
        (OSError(28, "No space left on device"), InputError, "disk is full"),
        (ValueError("404 \x1b[31m"), ModelError, "could not be fetched"),
    ],
)
def test_a_fetch_that_fails(
    problem: Exception, kind: type[Exception], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", Hub(problem))
    with pytest.raises(kind, match=words):
        pull("smollm2-135m")
    assert not list_registered()


def test_weights_that_could_hold_code_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", Hub(weights=False))
    with pytest.raises(UsageError, match="safetensors"):
        pull("someone/model")


@pytest.mark.parametrize(
    "name", ["nobody", "/nowhere/at/all", "x" * 500, "../../x", "a/../b", "a/b/c", "a/b c"]
)
def test_there_is_no_such_model(name: str) -> None:
    with pytest.raises(UsageError, match="There is no model"):
        pull(name)
    with pytest.raises(UsageError):
        path_of("nobody")
    with pytest.raises(UsageError):
        remove("nobody")


def test_a_folder_that_holds_no_model(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no model"):
        pull(str(tmp_path))
    (tmp_path / "a.gguf").write_bytes(b"PK")
    with pytest.raises(UsageError, match="no GGUF"):
        pull(str(tmp_path / "a.gguf"))


@pytest.mark.parametrize("name", ["", "-x", "a b", "\x1b[31m", "a/b"])
def test_names_that_cannot_stand_in_a_command(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be a name"):
        register(Registered(name, "model", str(tmp_path), own=False))


def test_an_adapter_brings_its_model(tmp_path: Path) -> None:
    base = make_model(tmp_path / "base")
    adapter = tmp_path / "mine"
    adapter.mkdir()
    (adapter / "adapter_config.json").write_text("{}")
    with pytest.raises(UsageError, match="needs the model"):
        resolve(str(adapter))
    register(Registered("mine", "adapter", str(adapter), own=False, base=str(base)))
    assert resolve("mine") == catalogue.Resolved(str(base), adapter)
    told = {"tuning": {"base": "smollm2-135m", "fingerprint": "0", "budget": 9, "answer_tokens": 9}}
    (adapter / "gitnotes.json").write_text(json.dumps(told))
    assert resolve(str(adapter)).source == "HuggingFaceTB/SmolLM2-135M-Instruct"


def test_a_damaged_registry_is_begun_anew(cache: Path, tmp_path: Path) -> None:
    (cache / "models").mkdir(parents=True)
    (cache / "models" / "registry.json").write_text('{"items": [3')
    assert list_registered() == []
    pull(str(make_model(tmp_path / "m")))
    assert [item.name for item in list_registered()] == ["m"]


def test_one_damaged_entry_leaves_the_others(cache: Path, tmp_path: Path) -> None:
    """What cannot be read, as of a later version, is passed over, and still there after a change."""
    file = cache / "models" / "registry.json"
    pull(str(make_model(tmp_path / "one")))
    told = json.loads(file.read_text())
    good = told["items"][0]
    odd = [
        3,
        {"name": "a"},
        {**good, "name": ["x"]},
        {**good, "name": "later", "size": 3},
        {**good, "name": "nul", "path": "/tmp/\0"},
        {**good, "name": "nowhere", "path": ""},
        {**good, "name": "\x1b[31m"},
    ]
    file.write_text(json.dumps({"items": [*odd, *told["items"]]}))
    assert [item.name for item in list_registered()] == ["one"] and path_of("one").is_dir()
    pull(str(make_model(tmp_path / "two")))
    assert {item.name for item in list_registered()} == {"one", "two"}
    assert all(entry in json.loads(file.read_text())["items"] for entry in odd)
    for name in ("a", "nul", "nowhere", "later"):
        assert run(["models", "remove", name]) == 2


@pytest.mark.parametrize(
    "content", ["", "[", "null", "[1]", '{"items": {"a": 1}}', "[" * 100_000, '{"items": ' + "[" * 100_000]
)
def test_a_file_that_is_no_registry_is_set_aside(content: str, cache: Path, tmp_path: Path) -> None:
    file = cache / "models" / "registry.json"
    file.parent.mkdir(parents=True)
    file.write_text(content)
    assert list_registered() == []
    pull(str(make_model(tmp_path / "m")))
    assert [item.name for item in list_registered()] == ["m"]
    assert file.with_suffix(".damaged").read_text() == content


def test_two_runs_write_down_both(cache: Path, tmp_path: Path) -> None:
    from threading import Thread

    models = [make_model(tmp_path / f"m{number}") for number in range(8)]
    runs = [Thread(target=pull, args=(str(model),)) for model in models]
    for one in runs:
        one.start()
    for one in runs:
        one.join()
    assert {item.name for item in list_registered()} == {model.name for model in models}


def test_a_cache_that_is_a_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "in the way").write_text("")
    monkeypatch.setenv("GITNOTES_CACHE", str(tmp_path / "in the way"))
    model = make_model(tmp_path / "m")
    with pytest.raises(InputError, match="in the way"):
        pull(str(model))
    assert list_registered() == []


def test_the_home_of_nobody(capsys: pytest.CaptureFixture[str]) -> None:
    for action in ("path", "pull", "remove"):
        assert run(["models", action, "~nobody-of-that-name/model"]) == 2
    assert "should not happen" not in capsys.readouterr().err


def test_the_verb(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = make_model(tmp_path / "mine")
    assert run(["models", "pull", str(folder)]) == 0
    assert run(["models"]) == 0
    out = capsys.readouterr().out
    assert str(folder) in out and "smollm2-135m" in out and "Apache-2.0" in out
    assert run(["models", "path", "mine"]) == 0
    assert capsys.readouterr().out.strip() == str(folder)
    assert run(["models", "list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["here"][0]["name"] == "mine"
    assert run(["models", "remove", "mine"]) == 0
    assert "stay" in capsys.readouterr().out
    assert run(["models", "stop", "mine"]) == 0
    for wrong in (["models", "melt"], ["models", "pull"], ["models", "list", "x"], ["models", "remove", "x"]):
        assert run(wrong) == 2
