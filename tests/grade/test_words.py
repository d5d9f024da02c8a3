"""Are words split, stemmed and related to synonyms as nltk and WordNet 3.0 have it?"""

from __future__ import annotations

import json
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from bench import build_synonyms
from gitnotes.grade import words
from gitnotes.grade.words import (
    STEMS,
    SYNONYMS,
    SynonymTable,
    split_words,
    stem,
    strip_punctuation,
    synonyms,
)

FIXTURES = Path(__file__).parent.parent / "fixtures"
EXPECTED: dict[str, str] = json.loads((FIXTURES / "synonyms.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \t\n", []),
        ("...!?", []),
        ("fix(core): foo_bar", ["fixcore", "foobar"]),
        ("a + b = c | `d`", ["a", "+", "b", "=", "c", "|", "`d`"]),
        ("C:\\Temp don't", ["ctemp", "dont"]),
        ("Fix\u00a0TYPO", ["fix", "typo"]),
        ("\x1cA\x1dB\x85c", ["a", "b", "c"]),
        ("İ ΑΣ “quoted” naïve", ["i̇", "ας", "“quoted”", "naïve"]),
        ("\ud800x \udcff", ["\ud800x", "\udcff"]),
    ],
)
def test_words_lose_ascii_punctuation_and_case_only(text: str, expected: list[str]) -> None:
    assert split_words(text) == expected


def test_the_short_way_for_ascii_equals_the_long_one() -> None:
    for code in range(128):
        text = f"Aa{chr(code)}Zz {chr(code)}"
        assert split_words(text) == strip_punctuation(text).lower().split()


def test_synonyms_are_those_of_nltk_on_wordnet() -> None:
    assert {word: " ".join(sorted(synonyms(word))) for word in EXPECTED} == EXPECTED
    assert sum(len(names.split()) > 1 for names in EXPECTED.values()) > 120


def test_synonyms_have_a_direction() -> None:
    assert "delete" in synonyms("erased")
    assert "erased" not in synonyms("delete")


@pytest.mark.parametrize("word", ["", "\ud800", "é", "🙂", "_", "zzqx", "x" * 100_000])
def test_a_word_that_wordnet_does_not_know_has_itself(word: str) -> None:
    assert synonyms(word) == {word}


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "MEMO_SIZE", 10)
    STEMS.clear()
    SYNONYMS.clear()
    for number in range(25):
        assert stem(f"wa{number}ness") == f"wa{number}"
        assert synonyms(f"w{number}") == {f"w{number}"}
        assert SYNONYMS[f"w{number}"] == frozenset()
        assert len(STEMS) <= 10
        assert len(SYNONYMS) <= 10
    stem("y" * 65)
    synonyms("y" * 65)
    assert "y" * 65 not in STEMS
    assert "y" * 65 not in SYNONYMS


WORDNET = {
    "data.noun": """\
  1 licence
00000001 04 n 03 dog 0 domestic_dog 0 Canis 0 001 @ 00000009 n 0000 | a dog
00000002 04 n 02 dog 0 frump 0 000 | a woman
00000003 04 n 01 comic_strip 0 000 | drawn
00000004 04 n 02 comic_strip 0 strip 0 000 | drawn
00000005 04 n 01 cat 0 000 | alone
00000006 04 n 01 London 0 000 | a town
""",
    "index.noun": """\
  1 licence
canis n 1 1 @ 1 0 00000001
cat n 1 0 1 0 00000005
comic_strip n 2 0 2 0 00000003 00000004
dog n 2 1 @ 2 1 00000001 00000002
domestic_dog n 1 1 @ 1 1 00000001
frump n 1 0 1 0 00000002
london n 1 0 1 0 00000006
strip n 1 0 1 0 00000004
""",
    "noun.exc": "comics comic_strip comic\ndogges dog\nmen_of_war man_of_war\n",
    "data.verb": "00000007 29 v 02 dog 0 chase 0 01 + 01 00 | follow\n",
    "index.verb": "chase v 1 0 1 1 00000007\ndog v 1 0 1 1 00000007\n",
    "verb.exc": "",
    "data.adj": "00000008 00 a 02 galore(ip) 0 plenty(p) 0 000 | many\n",
    "index.adj": "galore a 1 0 1 0 00000008\nplenty a 1 0 1 0 00000008\n",
    "adj.exc": "",
    "data.adv": "",
    "index.adv": "",
    "adv.exc": "",
}


@pytest.fixture
def wordnet(tmp_path: Path) -> Path:
    for name, text in WORDNET.items():
        (tmp_path / name).write_text(text, encoding="ascii")
    return tmp_path


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("dog", "chase dog frump"),
        ("dogs", "chase dog dogs frump"),
        ("dogges", "dog dogges frump"),
        ("dogged", "dogged"),
        ("doged", "chase dog doged"),
        ("cats", "cat cats"),
        ("comics", "comics strip"),
        ("canis", "canis dog"),
        ("london", "london"),
        ("plenty", "galore plenty"),
        ("domestic", "domestic"),
    ],
)
def test_the_table_is_built_from_the_files_of_wordnet(wordnet: Path, word: str, expected: str) -> None:
    target = wordnet / "table"
    assert build_synonyms.main([str(wordnet), str(target)]) == 0
    assert " ".join(sorted(SynonymTable(target.read_bytes()).synonyms(word))) == expected


def test_building_twice_gives_the_same_text(wordnet: Path) -> None:
    assert build_synonyms.build_table(wordnet) == build_synonyms.build_table(wordnet)
    assert build_synonyms.main([]) == 2


def test_the_shipped_table_is_small_and_has_its_licence() -> None:
    folder = Path(words.__file__).parent.parent / "data"
    packed = (folder / "synonyms.zlib").read_bytes()
    assert len(packed) <= 800_000
    assert zlib.decompress(packed).startswith(build_synonyms.HEADER.encode())
    assert "WordNet 3.0 Copyright 2006" in (folder / "WORDNET-LICENSE.txt").read_text(encoding="utf-8")


def test_no_table_is_read_until_a_word_needs_it() -> None:
    code = (
        "import gitnotes.grade.log_mnext as m, gitnotes.grade.words as w, sys;"
        "assert m.log_mnext('Fix it', 'fix it.').value == 1.0;"
        "assert w.SYNONYMS.table is None;"
        "m.log_mnext('deleted it', 'erase that');"
        "assert w.SYNONYMS.table is not None;"
        "print([n for n in sys.modules if n.split('.')[0] in ('nltk', 'numpy', 'regex', 'lzma', 'pickle')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_words_are_forgotten_and_the_table_is_kept() -> None:
    assert stem("updates") == "updat"
    assert "erase" in synonyms("delete")
    words.forget()
    assert not STEMS and not SYNONYMS
    assert SYNONYMS.table is not None
