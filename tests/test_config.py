"""Are settings taken from every layer in its order, and is every mistake named with its place?"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitnotes.config import Override, load_settings
from gitnotes.errors import UsageError


def write(folder: Path, text: str, name: str = ".gitnotes.toml") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    return folder


def test_every_layer_in_its_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user = Path(os.environ["XDG_CONFIG_HOME"]) / "gitnotes"
    write(
        user,
        "ticket = 'any'\ntypes = ['a']\n[rules]\nvague = 'off'\nwip = 'off'\ncapital = 'info'",
        "config.toml",
    )
    text = "[tool.gitnotes]\ntypes = ['b', 'c']\nscopes = ['x']\n[tool.gitnotes.rules]\nwip = 'info'"
    write(tmp_path, text, "pyproject.toml")
    monkeypatch.setenv("GITNOTES_SCOPES", "core, docs")
    monkeypatch.setenv("GITNOTES_RULES", "capital=error, too_short=off")
    settings = load_settings(tmp_path, sign_off=True, attribution=None, rules={"empty": "error"})
    assert (settings.ticket, settings.types, settings.scopes) == ("any", ("b", "c"), ("core", "docs"))
    assert settings.rules == {
        "vague": "off", "wip": "info", "capital": "error", "too-short": "off", "empty": "error",
    }  # fmt: skip
    origins = {name: origin.replace(str(user), "U") for name, origin in settings.origins.items()}
    assert origins["ticket"] == origins["rules.vague"] == os.path.join("U", "config.toml")  # noqa: PTH118
    assert origins["types"] == origins["rules.wip"] == "[tool.gitnotes] in pyproject.toml"
    assert origins["scopes"] == "GITNOTES_SCOPES" and origins["rules.capital"] == "GITNOTES_RULES"
    assert origins["sign_off"] == "a flag" and "attribution" not in origins


def test_overrides_of_both_files(tmp_path: Path) -> None:
    user = Path(os.environ["XDG_CONFIG_HOME"]) / "gitnotes"
    write(user, "[[overrides]]\nauthors = ['x']\nsign-off = true", "config.toml")
    write(tmp_path, "[[overrides]]\npaths = ['docs/']\nrules = {vague = 'off'}")
    assert load_settings(tmp_path).overrides == (
        Override((), ("x",), {"sign_off": True}, {}),
        Override(("docs/",), (), {}, {"vague": "off"}),
    )


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("[rules]\nimperativ = 'off'", ["no rule 'imperativ' (.gitnotes.toml)", "'imperative'"]),
        ("[rules]\nvague = 'fatal'", ["'vague'", "'fatal'", "error, warning, info, off"]),
        ("[rules]\nvague = 1", ["'vague'", "error, warning, info, off"]),
        ("rules = 'off'", ["'rules'", "a table"]),
        ("type = ['feat']", ["no setting 'type'", "'types'"]),
        ("types = 'feat'", ["'types'", "a list of texts"]),
        ("scopes = [1]", ["'scopes'", "a list of texts"]),
        ("attribution = 'never'", ["'attribution'", "no-tools"]),
        ("capital = true", ["'capital'", "a text"]),
        ("ticket = '('", ["'ticket'", "no regular expression"]),
        ("ticket = '(a+)+$'", ["'ticket'", "cannot be run"]),
        ("sign_off = 'yes'", ["'sign_off'", "true or false"]),
        ("body_limit = 5", ["'body_limit'", "from 20"]),
        ("overrides = 1", ["'overrides'", "a list of tables"]),
        ("[[overrides]]\nsubject_limit = 50", ["without paths and authors"]),
        ("[[overrides]]\npaths = ['a']\nmin_score = 50", ["no setting 'min_score' (an override in"]),
        ("[[overrides]]\npath = ['a']", ["no setting 'path'", "'paths'"]),
        ("[[overrides]]\npaths = 'a'", ["'paths' (an override", "a list of texts"]),
        ("[[overrides]]\npaths = ['a']\nrules = {x = 'off'}", ["no rule 'x' (an override"]),
        ("[[overrides]]\npaths = ['a']\nsubject_limit = 5", ["an override", "from 20"]),
    ],
)  # fmt: skip
def test_mistakes(tmp_path: Path, text: str, parts: list[str]) -> None:
    with pytest.raises(UsageError) as caught:
        load_settings(write(tmp_path, text))
    for part in parts:
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("variable", "value"),
    [("GITNOTES_RULES", "vague"), ("GITNOTES_RULES", "vague=x"), ("GITNOTES_BODY_LIMIT", "x"),
     ("GITNOTES_SIGN_OFF", "maybe")],
)  # fmt: skip
def test_mistakes_in_variables(monkeypatch: pytest.MonkeyPatch, variable: str, value: str) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(UsageError, match=variable):
        load_settings()


def test_no_limit() -> None:
    assert load_settings(body_limit=0).body_limit == 0


def test_hostile_values_stay_short(tmp_path: Path) -> None:
    for text in (f"x{'y' * 5000} = 1", f"ticket = '{'(' * 5000}'", f"[rules]\n{'z' * 5000} = 'off'",
                 f"types = {['a'] * 2000}", f"attribution = '{'q' * 9000}'"):  # fmt: skip
        with pytest.raises(UsageError) as caught:
            load_settings(write(tmp_path, text))
        assert len(str(caught.value)) < 800
