"""Do the kinds of changes that were told badly once come out right?"""

from __future__ import annotations

import pytest

from gitnotes.draft.condense import condense, to_order
from gitnotes.draft.evidence import haystack, unknown_names
from gitnotes.draft.structure import draft_from_structure
from gitnotes.draft.style import Style
from gitnotes.guard.width import columns
from tests.draft.patches import Part, add, bare, change, edit

CODE = edit("src/net.py", "-    y\n+    z(1)", heading="def fetch_lambda(url):")


def draft(*parts: Part) -> str:
    return draft_from_structure(change(*parts), Style())[0]


def subject(*parts: Part) -> str:
    return draft(*parts).split("\n")[0]


def test_an_entry_of_several_lines_is_never_cut_at_a_line_end() -> None:
    entry = (
        " - Older entry\n"
        "+- Collapse redundant nested parentheses around a lambda or conditional expression used\n"
        "+  as the iterable of a comprehension down to a single pair (#12)\n \n"
    )
    text = draft(edit("CHANGES.md", entry), CODE)
    assert not text.split("\n")[0].startswith("Collapse")
    assert "down to a single pair." in " ".join(text.split())


def test_an_entry_goes_on_in_lines_that_were_there_before() -> None:
    entry = "+- Fix the lambda of\n   the `fetch` helper. (#3)\n \n"
    assert subject(edit("CHANGES.md", entry), CODE) == "Fix the lambda of the `fetch` helper"


def test_an_entry_that_leaves_the_hunk_is_not_quoted() -> None:
    entry = "+- Fix the lambda of\n   the helper that\n   is not"
    assert "lambda of" not in subject(edit("CHANGES.md", entry), CODE)


def test_a_reworded_entry_is_not_the_news() -> None:
    entry = "-- Fix the lambda of the jinja helper\n+- Fix the lambda of the Jinja helper\n \n"
    assert "Fix" not in subject(edit("CHANGES.md", entry), CODE)


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        (
            "Fix bug where the cache was shared (for example `a (b) c`)",
            "Fix bug where the cache was shared (for example `a (b) c`)",
        ),
        (
            "Keep the parentheses around the target of an annotated assignment (for example `(x): int = 5`)",
            "Keep the parentheses around the target of an annotated assignment",
        ),
        (
            "Reduce the size of the standalone binaries by stripping debug symbols during the release build",
            "Reduce the size of the standalone binaries by stripping debug symbols",
        ),
        (
            "Ignore empty cache files like other malformed cache files instead of raising an `EOFError`",
            "Ignore empty cache files like other malformed cache files",
        ),
        ("In stub files, enforce a blank line", "Enforce a blank line in stub files"),
        ("`redirect` returns a `303` by default", "Make `redirect` return a `303` by default"),
        ("`--line-ranges` no longer inserts a line", "Stop `--line-ranges` from inserting a line"),
        ("Black no longer supports Python 3.9", "Drop support for Python 3.9"),
        ("Decorators can be used without parentheses", "Allow Decorators to be used without parentheses"),
        ("No spurious warning at the start", "Avoid spurious warning at the start"),
        ("`x=True` can be used to enable it for a view", ""),
        ("The final state of `session` is correct", ""),
        ("Many methods involved in request dispatch now take the current context as the first one", ""),
        (
            "Don't open the file unless the user asked for that on the command line or in the settings file",
            "",
        ),
    ],
)
def test_a_sentence_is_told_whole_or_up_to_a_clause(sentence: str, told: str) -> None:
    assert condense(sentence) == told
    assert columns(condense(sentence, 40)) <= 40


def test_a_statement_is_no_order() -> None:
    assert to_order("The cache is the same for all") == ""
    assert to_order("Fix a crash") == "Fix a crash"


def test_a_rule_is_named_where_no_dependency_changed() -> None:
    text = '-ignore = [\n-    "UP038",  # keep\n-]'
    assert (
        subject(edit("pyproject.toml", " select = []\n" + text))
        == "Remove UP038 from ignore in pyproject.toml"
    )
    assert (
        subject(edit("pyproject.toml", "+[tool.x]\n+line-length = 3")) == "Add line-length to pyproject.toml"
    )


def test_imports_that_have_nothing_to_do_with_each_other_are_not_paired() -> None:
    text = (
        " import re\n+import importlib.metadata\n-import warnings\n \n-    warnings.warn(text)\n"
        "+version = importlib.metadata.version(name) >= (3, 2)"
    )
    assert "instead of" not in subject(edit("src/a.py", text))
    moved = "-from os.path import join\n+from pathlib import join\n \n-x\n+y(z)"
    assert subject(edit("src/a.py", moved)) == "Use pathlib instead of os.path"


def test_alerts_are_no_documents() -> None:
    part = edit("documentation/mixin/alerts.libsonnet", "-  rate(a[5m])\n+  sum without(type) (rate(a[5m]))")
    assert subject(part) == "Update alerts.libsonnet"


def test_a_range_is_named_as_it_is_written() -> None:
    part = edit("pyproject.toml", '-requires = ["flit_core<4"]\n+requires = ["flit_core>=3.11,<4"]')
    moved = edit("requirements.txt", "-pytest >= 6.1.1\n+pytest >= 6.1.1, <9.0")
    assert subject(moved) == "Update pytest to >= 6.1.1, <9.0"
    assert unknown_names(draft(part), haystack(change(part))) == []


def test_names_are_not_strung_together() -> None:
    source = edit(
        "rules/manager.go", " a\n+b()\n-c()\n+d()", heading="func NewManager(o *Options) *Manager {"
    )
    test = edit(
        "rules/manager_test.go", "+func TestManager_LoadGroups_WithoutLogger(t *testing.T) {\n+\tx()\n+}"
    )
    assert subject(source, test) == "Update NewManager"
    test = edit("rules/manager_test.go", "+func TestUnixSocketPaths(t *testing.T) {\n+\tx()\n+}")
    assert subject(source, test) == "Update NewManager for unix socket paths"


def test_a_renamed_test_keeps_its_new_name() -> None:
    text = "-func Test{0}_ActiveAppenders(t *T) {{\n+func Test{0}_AppendersMetrics(t *T) {{\n \tx()"
    name = "HeadAppenderOfTheSecondVersion"
    body = draft(edit("tsdb/a_test.go", text.format(name)), edit("tsdb/b_test.go", text.format("Head")))
    assert f"Rename Test{name}_ActiveAppenders to Test{name}_AppendersMetrics" in " ".join(body.split())
    assert all(columns(line) <= 72 for line in body.split("\n"))


def test_one_bump_in_many_workflows_is_named_once() -> None:
    text = "-      - uses: actions/checkout@v7.0.0\n+      - uses: actions/checkout@v7.0.1"
    parts = [edit(f".github/workflows/w{number}.yml", text) for number in range(5)]
    assert draft(*parts) == "Update actions/checkout to v7.0.1"


def test_a_bump_next_to_documents_is_named() -> None:
    text = "-myst-parser==5.0.0\n+myst-parser==5.1.0"
    docs = edit("docs/a.md", "-some old words here\n+other words, not the same\n+and more of them")
    assert subject(edit("requirements.txt", text), docs) == "Update myst-parser to 5.1.0"


def test_a_release_does_not_quote_older_entries() -> None:
    parts = [
        edit("CHANGES.md", "+- Fix the version of the lambda helper that was given away and lost again\n \n"),
        edit("pyproject.toml", ' name = "x"\n-version = "1.2.3"\n+version = "1.3.0"'),
        edit("docs/a.md", "-1.2.3 of the lambda\n+1.3.0 of the lambda"),
    ]
    assert draft(*parts).split("\n")[0] == "Release version 1.3.0"
    assert "given away" not in draft(*parts)


def test_a_call_that_went_is_named() -> None:
    part = edit(
        "src/disk.go", " a\n-\th.mapper.CutNewFile()\n+\n b", heading="func (h *Head) Close() error {"
    )
    assert subject(part) == "Remove call to CutNewFile from Close"


def test_the_body_does_not_repeat_the_subject() -> None:
    parts = [add(f"src/z{number}.py", f"def z{number}():\n    return 1") for number in (3, 4, 5)]
    assert draft(*parts) == "Add z3.py, z4.py and z5.py"
    text = draft(
        edit("src/net.py", "+def fetch_all():\n+    x\n+    y"), edit("docs/a.md", "+one word\n+two")
    )
    assert text.count("fetch_all") <= 1


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ([bare("data/q.txt", "A")], "Add q.txt to data"),
        ([add("data/q.txt", "x")], "Add q.txt to data"),
        ([bare("q.bin", "A")], "Add q.bin"),
        ([bare("my notes.bin", "A")], 'Add "my notes.bin"'),
        ([add("a b.txt", "x"), add("c.txt", "y")], 'Add "a b.txt" and c.txt'),
        ([bare("x/a.bin", "D"), bare("y/b.bin", "D")], "Remove a.bin and b.bin"),
    ],
)
def test_small_files_are_named_with_suffix_and_folder(parts: list[Part], words: str) -> None:
    assert subject(*parts) == words


def test_a_wrapped_line_is_formatting() -> None:
    text = "-    return call(first, second)\n+    return call(\n+        first,\n+        second,\n+    )"
    assert subject(edit("src/words.py", text, heading="def to_words(text):")) == "Reformat words.py"
    text = "-    if a:\n-        b()\n+    if a: pass\n+    b()\n+    c()"
    assert "ormat" not in subject(edit("src/words.py", text, heading="def to_words(text):"))


def test_a_name_that_begins_with_a_preposition_is_not_said() -> None:
    part = edit("src/words.py", " a\n-b\n+c(1)\n+d", heading="def to_imperative(sentence):")
    assert subject(part) == "Update to_imperative in words"
