"""Is nltk's Porter stemmer had alone, whole, and without a trace?"""

from __future__ import annotations

import subprocess
import sys
import threading
from types import ModuleType

import pytest

from gitnotes.grade import porter
from gitnotes.grade.porter import Stemmer, load_stemmer

WORDS = [
    word
    for words in (
        "caresses ponies ties cats feed agreed plastered motoring sing conflated troubled sized hopping",
        "falling failing filing happy sky relational conditional rational digitizer conformably radically",
        "vileness vietnamization predication operator feudalism decisiveness formality sensibility",
        "triplicate formative electrical goodness revival allowance inference adjustable replacement",
        "effective bowdlerize probate rate cease controlling roll dying innings news proceed spied enjoy",
        "archaeology updating refactoring",
    )
    for word in words.split()
]


def run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_known_stems() -> None:
    stem = load_stemmer().stem
    assert [stem(word) for word in ("updating", "updated", "skies", "dying", "happy", "UPDATES")] == [
        "updat",
        "updat",
        "sky",
        "die",
        "happi",
        "updat",
    ]


def test_the_stems_are_those_of_nltk_imported_as_usual() -> None:
    stem = load_stemmer().stem
    code = f"import nltk.stem.porter as p; s = p.PorterStemmer(); print(*map(s.stem, {WORDS!r}))"
    assert run(code).split() == [stem(word) for word in WORDS]


def test_nltk_stays_out_of_sys_modules() -> None:
    code = (
        "import sys; from gitnotes.grade.porter import load_stemmer; load_stemmer().stem('updating');"
        "print([n for n in sys.modules if n.split('.')[0] in ('nltk', 'regex')])"
    )
    assert run(code) == "[]"


def test_a_real_nltk_that_is_there_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    class Known:
        def stem(self, word: str) -> str:
            return f"<{word}>"

    module = ModuleType("nltk.stem.porter")
    vars(module)["PorterStemmer"] = Known
    monkeypatch.setitem(sys.modules, "nltk.stem.porter", module)
    assert load_stemmer().stem("a") == "<a>"


def test_a_half_imported_nltk_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nltk.stem.porter", ModuleType("nltk.stem.porter"))
    assert load_stemmer().stem("updating") == "updat"


def test_another_layout_of_nltk_is_imported_as_usual(monkeypatch: pytest.MonkeyPatch) -> None:
    class Moved:
        def stem(self, word: str) -> str:
            return word[:1]

    moved = ModuleType("moved")
    vars(moved)["PorterStemmer"] = Moved

    def fail(self: object, name: str) -> ModuleType:
        raise ImportError(name)

    monkeypatch.delitem(sys.modules, "nltk.stem.porter", raising=False)  # another test may have it
    monkeypatch.setattr(porter._Loader, "module", fail)
    monkeypatch.setattr(porter, "import_module", lambda name: moved)
    assert load_stemmer().stem("updating") == "u"


def test_without_nltk_an_import_error_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> ModuleType:
        raise ImportError(f"no {name}")

    monkeypatch.delitem(sys.modules, "nltk.stem.porter", raising=False)
    monkeypatch.setattr(porter, "find_spec", lambda name: None)
    monkeypatch.setattr(porter, "import_module", fail)
    with pytest.raises(ImportError, match="nltk"):
        load_stemmer()


def test_what_stemming_does_not_need_is_imported_when_it_is_called() -> None:
    assert porter._Later("os.path").join("a", "b") == "a" + __import__("os").sep + "b"
    with pytest.raises(AttributeError):
        porter._Later("os").__path__  # noqa: B018


def test_threads_can_load_it_at_once() -> None:
    start = threading.Barrier(8)
    found: list[Stemmer] = []

    def load() -> None:
        start.wait()
        for _ in range(5):
            found.append(load_stemmer())

    threads = [threading.Thread(target=load) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [stemmer.stem("updating") for stemmer in found] == ["updat"] * 40
