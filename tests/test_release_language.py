"""Does a note speak the language of the project's notes, or the one that is asked for?"""

from __future__ import annotations

from typing import get_args

import pytest

from gitnotes.draft.models.note_words import word_entry
from gitnotes.draft.notes.categories import Category
from gitnotes.draft.notes.note_style import learn_note_style
from gitnotes.generation import Completion, Request
from gitnotes.note_items import category_of_heading
from gitnotes.note_languages import find_language, languages
from gitnotes.read.git import open_git
from gitnotes.recipes.release_writing import Targets, write_release
from gitnotes.recipes.releasing import NoteOptions, Release, draft_release
from gitnotes.records import Signature
from tests.conftest import Repo

GERMAN = (
    "# Änderungen\n\n## [Unveröffentlicht]\n\n## [1.0.0] - 2023-01-02\n\n### Hinzugefügt\n\n- Ein Anfang.\n"
)


def project(repo: Repo, **files: str) -> None:
    repo.commit(
        "Begin", {"a.py": "x = 1\n", **{name.replace("_", "."): text for name, text in files.items()}}
    )
    repo.tag("v1.0.0")
    repo.commit("feat: add a key", {"a.py": "x = 2\n"})
    repo.commit("fix: repair the lock", {"a.py": "x = 3\n"})
    repo.tag("v1.1.0")


def draft(repo: Repo, **options: object) -> Release:
    return draft_release(open_git(repo.path), "v1.0.0..v1.1.0", NoteOptions(**options))  # type: ignore[arg-type]


def test_a_german_changelog_goes_on_in_german(repo: Repo) -> None:
    project(repo, CHANGELOG_md=GERMAN)
    release = draft(repo, contributors=True, highlights=True)
    text = release.note.text
    assert "### Hinzugefügt\n\n- Add a key." in text
    assert "### Behoben\n\n- Repair the lock." in text and "### Mitwirkende" in text
    assert "Hinzugefügt: 1, Behoben: 1. Das Wichtigste: add a key." in text
    path = repo.path / "CHANGELOG.md"
    write_release(open_git(repo.path), release, Targets(changelog=path))
    lines = [line for line in path.read_text().split("\n") if line.startswith("## ")]
    assert lines == ["## [Unveröffentlicht]", "## [1.1.0] - 2023-11-14", "## [1.0.0] - 2023-01-02"]


@pytest.mark.parametrize(
    ("titles", "code", "fixes"),
    [
        (["新功能", "文档"], "zh", "问题修复"),
        (["新增", "🐛 修复"], "zh", "🐛 修复"),
        (["新機能"], "ja", "不具合の修正"),
        (["Ajouté", "Documentation"], "fr", "Corrigé"),
        (["Novedades", "Correcciones"], "es", "Correcciones"),
        (["Adicionado"], "pt", "Corrigido"),
        (["Documentation", "Performance"], "", "Fixes"),
        (["Added"], "", "Fixed"),
    ],
)
def test_headings_tell_the_language(titles: list[str], code: str, fixes: str) -> None:
    body = "\n\n".join(f"### {title}\n\n- One." for title in titles)
    style = learn_note_style(f"# Log\n\n## 1.0.0\n\n{body}\n")
    assert (style.language, style.name_of("Fixes")) == (code, fixes)


def test_a_language_is_asked_for(repo: Repo) -> None:
    project(repo)
    for name in ("de", "de_DE.UTF-8", "German", "deutsch"):
        assert "### Fehlerbehebungen\n\n- Repair the lock" in draft(repo, language=name).note.text
    assert "### 新功能" in draft(repo, language="zh", style="conventional").note.text
    release = draft(repo, language="tlh")
    assert "### Fixes" in release.note.text or "### Fixed" in release.note.text
    assert "'tlh'" in release.material.told[0]


def test_english_can_be_asked_for_too(repo: Repo) -> None:
    project(repo, CHANGELOG_md=GERMAN)
    assert "### Features\n\n- Add a key." in draft(repo, language="en").note.text


def test_the_table_is_whole() -> None:
    phrases = set(languages()["en"].phrases)
    for code, language in languages().items():
        assert set(language.phrases) == phrases
        assert language.phrases["already_in"].count("{}") == 1
        assert find_language(language.names[0]) is language
        if code != "en":
            assert set(language.headings) == set(get_args(Category))
            for kind, names in language.headings.items():
                assert {category_of_heading(name) for name in names} == {kind}


class Listening:
    """A model that remembers what it was asked."""

    signature = Signature("listening", "1")

    def __init__(self) -> None:
        self.asked = ""

    def complete(self, request: Request) -> list[Completion]:
        self.asked = request.turns[-1].text
        return [Completion("Schlüssel ergänzen", "x")]


def test_a_model_is_asked_for_the_language() -> None:
    model = Listening()
    found = word_entry(["add a key"], "its users", model, 5, must_share="add a key", language="German")  # type: ignore[arg-type]
    assert "Write in German." in model.asked and found.text == "Schlüssel ergänzen"
