"""Does `gitnotes config` tell the truth about every layer, and change no byte that it was not asked to?"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from gitnotes.config import TABLE, Settings, load_settings
from gitnotes.config.schema import json_schema
from tests.conftest import Repo
from tests.test_cli import run


@pytest.fixture
def user(repo: Repo) -> Path:
    path = Path(os.environ["XDG_CONFIG_HOME"]) / "gitnotes" / "config.toml"
    path.parent.mkdir(parents=True)
    return path


def layers_of(name: str) -> list[tuple[str, object, bool]]:
    found = json.loads(run("config", "explain", name, "--json").out)
    return [(item["layer"], item["value"], bool(item["refused"])) for item in found["said"]]


def test_every_layer_is_told_the_weakest_first(
    repo: Repo, user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user.write_text("subject_limit = 60\n")
    repo.write(".gitnotes.toml", "subject-limit = 61\n")
    repo.git("config", "gitnotes.subjectLimit", "62")
    assert run("config", "get", "subject-limit").out == "62\n"
    monkeypatch.setenv("GITNOTES_SUBJECT_LIMIT", "63")
    assert layers_of("subject_limit") == [
        ("user", 60, False), ("repository", 61, False), ("git", 62, False), ("variable", 63, False),
    ]  # fmt: skip
    listed = json.loads(run("config", "--json").out)
    entry = next(item for item in listed["settings"] if item["name"] == "subject_limit")
    assert (entry["value"], entry["layer"], entry["default"]) == (63, "variable", 72)
    text = run("config", "explain", "subject_limit").out
    assert "GITNOTES_SUBJECT_LIMIT: 63  <- holds" in text and text.count("<- holds") == 1
    assert "20 to 1000" in text
    assert len(listed["settings"]) == len(TABLE)


def test_git_configuration(repo: Repo) -> None:
    for key, value in (
        ("gitnotes.strict", "yes"), ("gitnotes.minScore", "55.5"), ("gitnotes.types", "feat, fix"),
        ("gitnotes.rules.vague", "off"), ("gitnotes.rules", "wip=info"), ("gitnotes.consent", "a.example"),
    ):  # fmt: skip
        repo.git("config", key, value)
    found = {item["name"]: item["value"] for item in json.loads(run("config", "--json").out)["settings"]}
    assert (found["strict"], found["min_score"], found["types"]) == (True, 55.5, ["feat", "fix"])
    assert (found["rules.vague"], found["rules.wip"]) == ("off", "info")
    assert run("config", "get", "rules.vague").out == "off\n"


def test_git_key_without_a_value_is_true(repo: Repo) -> None:
    with (repo.path / ".git" / "config").open("a") as file:
        file.write("[gitnotes]\n\tstrict\n")
    assert run("config", "get", "strict").out == "true\n"


@pytest.mark.parametrize(
    ("key", "value", "parts"),
    [
        ("gitnotes.subjectLimits", "60", ["gitnotes.subjectlimits", "subject_limit"]),
        ("gitnotes.strict", "maybe", ["gitnotes.strict", "true or false"]),
        ("gitnotes.rules.vagu", "off", ["no rule 'vagu'", "'vague'"]),
        ("gitnotes.types.x", "feat", ["gitnotes.types.x"]),
    ],
)
def test_mistakes_in_git_configuration(repo: Repo, key: str, value: str, parts: list[str]) -> None:
    repo.git("config", key, value)
    result = run("config")
    assert result.code == 2
    for part in parts:
        assert part in result.err


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["get", "subject_limitt"], ["Did you mean 'subject_limit'"]),
        (["get", "rules.vagu"], ["Did you mean 'vague'"]),
        (["get", "types.x"], ["no setting"]),
        (["get"], ["takes a name"]),
        (["set", "strict"], ["a name and a value"]),
        (["set", "strict", "true"], ["--user"]),
        (["set", "strict", "true", "--user", "--git"], ["--user"]),
        (["list", "--user"], ["goes with set"]),
        (["lst"], ["list, schema"]),
        (["set", "--user", "strict", "maybe"], ["true or false"]),
        (["set", "--user", "subject_limit", "5"], ["from 20"]),
        (["set", "--user", "overrides", "x"], ["[[overrides]]"]),
        (["set", "--repository", "trust_repository", "true"], ["--user"]),
    ],
)
def test_mistakes(repo: Repo, user: Path, arguments: list[str], parts: list[str]) -> None:
    result = run("config", *arguments)
    assert result.code == 2 and not user.exists()
    for part in parts:
        assert part in result.err


def test_set_keeps_everything_else(repo: Repo, user: Path) -> None:
    before = "# mine\nsubject-limit = 60 # short\n\n[rules]\nvague = 'off'\n"
    user.write_text(before)
    assert "subject_limit is 50 now" in run("config", "set", "--user", "subject_limit", "50").out
    assert user.read_text() == before.replace("60", "50")
    run("config", "set", "--user", "rules.trailing-stop", "error")
    run("config", "set", "--user", "types", "feat, fix")
    settings = load_settings()
    assert settings.rules == {"vague": "off", "trailing-stop": "error"}
    assert settings.types == ("feat", "fix") and "# short" in user.read_text()
    for name in ("types", "rules.trailing-stop"):
        assert run("config", "unset", "--user", name).code == 0
    assert load_settings().types == () and "# mine" in user.read_text()


def test_set_in_the_file_that_the_repository_has(repo: Repo) -> None:
    assert run("config", "set", "--repository", "strict", "true").code == 0
    assert (repo.path / ".gitnotes.toml").read_text() == "strict = true\n"
    (repo.path / ".gitnotes.toml").unlink()
    project = "[project]\nname = 'x' # keep\n\n[tool.gitnotes]\nstrict = false\n"
    repo.write("pyproject.toml", project)
    assert run("config", "set", "--repository", "strict", "true").code == 0
    assert (repo.path / "pyproject.toml").read_text() == project.replace("false", "true")
    assert not (repo.path / ".gitnotes.toml").exists()


def test_set_in_git_says_when_something_stronger_decides(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("config", "set", "--git", "min_score", "40").out.endswith("min_score is 40 now.\n")
    assert repo.git("config", "gitnotes.minScore") == "40"
    monkeypatch.setenv("GITNOTES_MIN_SCORE", "10")
    assert "GITNOTES_MIN_SCORE is stronger" in run("config", "set", "--git", "min_score", "45").out
    monkeypatch.delenv("GITNOTES_MIN_SCORE")
    assert "min_score is 30 (default)" in run("config", "unset", "--git", "min_score").out
    assert run("config", "set", "--git", "rules.vague", "off").code == 0
    assert run("config", "get", "rules.vague").out == "off\n"


def test_a_file_that_makes_no_sense_is_not_written(repo: Repo, user: Path) -> None:
    for text in ("strict = \n", "strictt = true\n"):
        user.write_text(text)
        assert run("config", "set", "--user", "history", "5").code == 2
        assert user.read_text() == text


def test_outside_of_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "subject_limit" in run("config").out
    assert run("config", "set", "--git", "strict", "true").code == 2
    assert run("config", "set", "--repository", "strict", "true").code == 2


GUARDED = "strict = false\nmin_score = 5\n[rules]\ncontrol-character = 'off'\nvague = 'off'\n"


def test_a_clone_cannot_lower_what_the_user_has_set(repo: Repo, user: Path) -> None:
    user.write_text("strict = true\nmin_score = 50\n[rules]\ncontrol-character = 'error'\nvague = 'error'\n")
    repo.write(
        ".gitnotes.toml", GUARDED + "[[overrides]]\npaths = ['*']\nrules = {control-character = 'info'}\n"
    )
    settings = load_settings(repo.path)
    assert settings.strict and settings.min_score == 50
    # What a project asks of the form is the project's to say.
    assert settings.rules == {"control-character": "error", "vague": "off"}
    assert settings.overrides[0].rules == {}
    assert len(settings.refused) == 4
    listed = run("config").out
    assert "strict = false in .gitnotes.toml does not count" in listed
    assert ("repository", False, True) in layers_of("strict")
    user.write_text(user.read_text().replace("strict", "trust_repository = true\nstrict", 1))
    trusting = load_settings(repo.path)
    assert (trusting.strict, trusting.min_score, trusting.refused) == (False, 5, ())
    assert trusting.rules["control-character"] == "off"


def test_a_clone_can_raise_what_the_user_has_set(repo: Repo, user: Path) -> None:
    user.write_text("min_score = 20\n")
    repo.write(".gitnotes.toml", "strict = true\nmin_score = 60\n[rules]\nempty = 'off'\n")
    settings = load_settings(repo.path)
    assert (settings.strict, settings.min_score, settings.refused) == (True, 60, ())
    # Where the user has said nothing the project decides.
    assert settings.rules == {"empty": "off"}


def test_a_clone_cannot_make_itself_trusted(repo: Repo, user: Path) -> None:
    user.write_text("strict = true\n")
    repo.write(".gitnotes.toml", "trust_repository = true\nstrict = false\n")
    settings = load_settings(repo.path)
    assert settings.strict and not settings.trust_repository
    assert "only you can say this" in run("config").out


@pytest.mark.parametrize(
    "line",
    [
        "base_url = 'https://a.example'", "consent = ['a.example']", "editor = 'sh'",
        "command = 'sh'", "judge = true", "network = true", "timeout = 0", "git = '/bin/sh'",
    ],
)  # fmt: skip
def test_no_file_can_name_a_program_or_a_server(repo: Repo, line: str) -> None:
    """There is no such setting, and the file that tries is refused whole, which no hook minds."""
    repo.write(".gitnotes.toml", f"{line}\n")
    assert run("config").code == 2
    repo.write("a.py", "x = 1\n")
    assert repo.run("git", "commit", "-q", "-m", "Add a").returncode == 0


@pytest.mark.parametrize("name", [name for name, setting in TABLE.items() if setting.guard == "personal"])
def test_personal_settings_do_not_count_in_a_clone(repo: Repo, name: str) -> None:
    """A model is one of them where there is such a setting: it could be one behind a server."""
    value = {bool: "true", str: "'openai:x'"}[TABLE[name].kind]
    repo.write(".gitnotes.toml", f"{name} = {value}\n")
    settings = load_settings(repo.path)
    assert getattr(settings, name) == TABLE[name].default
    assert [item.name for item in settings.refused] == [name]
    assert "model" not in TABLE or TABLE["model"].guard == "personal"


@pytest.mark.skipif(os.name != "posix", reason="variables of POSIX systems")
@pytest.mark.parametrize(
    "variables",
    [{"XDG_CONFIG_HOME": "."}, {"XDG_CONFIG_HOME": "sub/.."}, {"XDG_CONFIG_HOME": "", "HOME": "."}],
    ids=["here", "below", "home"],
)
def test_a_clone_is_never_the_users_own_folder(
    repo: Repo, variables: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("gitnotes", ".config/gitnotes"):
        repo.write(f"{folder}/config.toml", "model = 'openai:x'\n")
    (repo.path / "sub").mkdir(exist_ok=True)
    monkeypatch.chdir(repo.path)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert load_settings(repo.path).model == ""


def test_schema_is_that_of_the_table() -> None:
    schema = json.loads(run("config", "schema").out)
    assert schema == json_schema() and set(schema["properties"]) == set(TABLE)
    defaults = Settings()
    for name, item in schema["properties"].items():
        value = getattr(defaults, name)
        if "default" in item:
            assert item["default"] == (list(value) if isinstance(value, tuple) else value)
    assert schema["properties"]["body_limit"]["anyOf"][0] == {"const": 0}
    assert "subject_limit" in schema["properties"]["overrides"]["items"]["properties"]
    assert "min_score" not in schema["properties"]["overrides"]["items"]["properties"]


def test_hostile_values_do_nothing_to_a_terminal(repo: Repo) -> None:
    repo.write(".gitnotes.toml", "scopes = ['\\u001b[31mred', '\\u202e']\n")
    for arguments in ((), ("explain", "scopes"), ("get", "scopes"), ("--json",)):
        out = run("config", *arguments).out
        assert "\x1b" not in out and "\u202e" not in out
