"""Is a change told by what happened to its definitions?"""

from __future__ import annotations

import pytest

from gitnotes.read import languages
from gitnotes.read.definitions import add_definitions, definitions_from_hunks
from gitnotes.read.diff import parse_patch, read_commit, read_staged, read_work_tree
from gitnotes.read.git import open_git
from gitnotes.read.languages import parser_of
from gitnotes.records import Change, DefinitionChange
from tests.conftest import Repo

SHOP = """class Shop:
    def open(self, day):
        for door in self.doors:
            door.unlock(day)
        self.is_open = True
        return self

    def close(self):
        for door in self.doors:
            door.lock()
        self.is_open = False
        return self


def count(items):
    total = 0
    for item in items:
        total += item.number
    return total
"""


def told(change: Change) -> list[str]:
    return [say(item) for item in change.definitions]


def say(item: DefinitionChange) -> str:
    name = f"{item.owner}.{item.name}" if item.owner else item.name
    more = [f"was {item.old_name}"] if item.old_name else []
    more += [f"from {item.old_path}"] if item.old_path else []
    more += [f"+{name}" for name in item.added_parameters] + [f"-{name}" for name in item.removed_parameters]
    return " ".join([item.action, item.kind, name, *more])


def staged() -> Change:
    git = open_git()
    return add_definitions(git, read_staged(git))


def edit(repo: Repo, **replacements: str) -> Change:
    """The staged change that the replacements make in shop.py."""
    text = SHOP
    for old, new in replacements.items():
        old = {"open": "def open(self, day):", "close": "def close(self):", "count": "def count(items):"}[old]
        assert old in text
        text = text.replace(old, new)
    repo.commit("First", {"shop.py": SHOP})
    repo.write("shop.py", text)
    return staged()


def test_the_innermost_definition_is_told(repo: Repo) -> None:
    repo.commit("First", {"shop.py": SHOP})
    repo.write("shop.py", SHOP.replace("unlock(day)", "unlock(day, now)").replace("= 0\n", "= 1\n"))
    assert told(staged()) == ["changed method Shop.open", "changed function count"]
    assert [item.lines for item in staged().definitions] == [2, 2]


def test_parameters_that_come_and_go(repo: Repo) -> None:
    change = edit(repo, open="def open(self, when, *, quietly=False):", close="def close(self, /):")
    assert told(change) == ["changed method Shop.open +when +quietly -day", "changed method Shop.close"]


def test_renamed_and_moved_out_of_the_class(repo: Repo) -> None:
    assert told(edit(repo, close="def shut(self):")) == ["renamed method Shop.shut was close"]
    repo.commit("Second")
    head, tail = SHOP.split("    def close(self):\n")
    body, rest = tail.split("\n\n\n", 1)
    function = "def close(self):\n" + "\n".join(line[4:] for line in body.split("\n"))
    repo.commit("Third", {"shop.py": SHOP})
    repo.write("shop.py", f"{head}\n\n{function}\n\n\n{rest}")
    assert told(staged()) == ["moved function close was Shop.close from shop.py"]


def test_moved_to_another_file(repo: Repo) -> None:
    repo.commit("First", {"shop.py": SHOP, "tools.py": "import os\n"})
    head, tail = SHOP.split("\n\ndef count")
    repo.write("shop.py", head)
    repo.write("tools.py", "import os\n\n\ndef count" + tail)
    assert told(staged()) == ["moved function count from shop.py"]


def test_a_renamed_class_keeps_its_methods(repo: Repo) -> None:
    repo.commit("First", {"shop.py": SHOP})
    repo.write("shop.py", SHOP.replace("class Shop:", "class Store:").replace("= True", "= bool(1)"))
    assert told(staged()) == ["renamed class Store was Shop", "changed method Store.open"]


def test_added_and_removed(repo: Repo) -> None:
    repo.commit("First", {"shop.py": SHOP})
    repo.write(
        "shop.py", "class Till(Box):\n    def ring(self):\n        pass\n\n\n" + SHOP.split("\n\ndef")[0]
    )
    change = staged()
    assert sorted(told(change)) == ["added class Till", "added method Till.ring", "removed function count"]
    till = next(item for item in change.definitions if item.name == "Till")
    assert (till.base, till.lines) == ("Box", 3)


def test_a_neighbour_whose_lines_git_shows_is_not_changed(repo: Repo) -> None:
    twin = "def a():\n    x = 1\n    return x\n\n\n"
    repo.commit("First", {"a.py": twin + twin.replace("a()", "c()")})
    repo.write("a.py", twin + twin.replace("a()", "b()") + twin.replace("a()", "c()"))
    assert told(staged()) == ["added function b"]


def test_overloads_are_told_apart(repo: Repo) -> None:
    source = """class A {
  void f(int a) { one(); }
  void f(int a, int b) { two(); }
  void f(String c) { three(); }
}
"""
    repo.commit("First", {"A.java": source})
    repo.write("A.java", source.replace("two()", "zwei()").replace("  void f(String c) { three(); }\n", ""))
    assert sorted(told(staged())) == ["changed method A.f", "removed method A.f"]


def test_keys_of_a_new_section_are_told_once(repo: Repo) -> None:
    repo.commit("First", {"a.toml": "[project]\nname = 'x'\nversion = '1'\n"})
    repo.write("a.toml", "[project]\nname = 'x'\nversion = '2'\n\n[tool.ruff]\nline = 1\nfix = true\n")
    assert told(staged()) == ["added key tool.ruff", "changed key project.version"]


def test_the_sum_of_a_commit_and_of_the_work_tree(repo: Repo) -> None:
    repo.commit("First", {"shop.py": SHOP})
    (repo.path / "shop.py").write_text(SHOP.replace("def close(self):", "def close(self, late):"))
    git = open_git()
    assert told(add_definitions(git, read_work_tree(git))) == ["changed method Shop.close +late"]
    sha = repo.commit("Second", {"shop.py": SHOP.replace("count(items)", "count(items, start)")})
    assert told(add_definitions(git, read_commit(git, sha))) == ["changed function count +start"]


def test_a_bare_diff_is_judged_by_its_lines_and_a_new_file_parsed(repo: Repo) -> None:
    repo.commit("First", {"shop.py": SHOP})
    repo.write("shop.py", SHOP.replace("def count(items):", "def count(items, start):"))
    repo.write("new.py", "def outer():\n    def inner():\n        pass\n    return inner\n")
    patch = repo.git("diff", "--cached")
    change = add_definitions(None, parse_patch(patch))
    assert sorted(told(change)) == ["added function outer", "changed function count +start"]
    assert "added function outer" in map(say, definitions_from_hunks(parse_patch(patch)))


def test_hunks_that_lie_about_their_file_are_not_trusted(repo: Repo) -> None:
    repo.commit("First", {"shop.py": SHOP})
    repo.write("shop.py", SHOP.replace("def count(items):", "def count(items, start):"))
    patch = repo.git("diff", "--cached", "--full-index")
    for lie in (
        patch.replace("@@ -1", "@@ -99991"),
        patch.replace(" def count", " def other"),
        patch.replace("+def count(items, start):", "+def count(items, other):"),
        patch.replace("@@ -", "@@ -9"),
    ):
        change = add_definitions(open_git(), parse_patch(lie))
        assert {item.path for item in change.definitions} <= {"shop.py"}


def test_crlf_counts_as_nothing(repo: Repo) -> None:
    repo.git("config", "core.autocrlf", "false")
    repo.commit("First", {"shop.py": SHOP})
    repo.write("shop.py", SHOP.replace("= 0\n", "= 1\n").replace("\n", "\r\n"))
    assert told(staged()) == ["changed function count"]


def test_code_that_is_broken_falls_back_to_its_lines(repo: Repo) -> None:
    repo.commit("First", {"a.py": "def good():\n    pass\n"})
    repo.write("a.py", "def good():\n    pass\n\ndef bad(:\n    x = (\n\ndef fine(a):\n    pass\n")
    assert "added function fine" in told(staged())


@pytest.mark.parametrize("broken", ["missing", "slow"])
def test_without_a_parser_the_lines_tell(repo: Repo, monkeypatch: pytest.MonkeyPatch, broken: str) -> None:
    repo.commit("First", {"shop.py": SHOP})
    repo.write("shop.py", SHOP + "\n\ndef late(x):\n    pass\n")
    if broken == "slow":
        monkeypatch.setattr("gitnotes.read.definitions.SECONDS", -1.0)
    else:
        monkeypatch.setitem(languages._GRAMMARS, "python", ("no_such_grammar_here", "language"))
        parser_of.cache_clear()
    try:
        change = staged()
    finally:
        parser_of.cache_clear()
    assert "added function late" in told(change)
    assert change.omitted == ()


def test_what_nobody_wrote_is_left_out_with_the_reason(repo: Repo) -> None:
    repo.write("app.js", "function a(){return 1};" * 1000 + "\n")
    repo.write("api.go", "// Code generated by tool. DO NOT EDIT.\npackage a\nfunc F() {}\n")
    repo.write("vendor/x.py", "def f(): ...\n")
    repo.write("deps.lock", "a = 1\n")
    change = staged()
    assert change.definitions == ()
    reasons = {item.path: item.reason for item in change.omitted}
    assert "minified" in reasons["app.js"]
    assert "generated" in reasons["api.go"]
    assert "vendored" in reasons["vendor/x.py"]
    assert len(reasons) - ("app.js" not in reasons) <= 4


def test_options_are_found_beside_definitions(repo: Repo) -> None:
    source = 'def main(parser):\n    parser.add_argument("--loud")\n'
    repo.commit("First", {"cli.py": source})
    repo.write("cli.py", source + '    parser.add_argument("--fast")\n')
    assert sorted(told(staged())) == ["added option --fast", "changed function main"]


def test_a_wide_change_is_read_within_bounds(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"m{number}.py" for number in range(30)]
    repo.commit("First", dict.fromkeys(names, SHOP))
    for number, name in enumerate(names):
        repo.write(name, SHOP.replace("number", "n") + f"# {number}\n")
    assert told(staged()) == ["changed function count"] * 30
    # Beyond the bound the lines of the hunks tell, and they know only the heading.
    monkeypatch.setattr("gitnotes.read.definitions.MAX_TOTAL", 4 * len(SHOP))
    assert len(staged().definitions) >= 30


@pytest.mark.parametrize(
    ("written", "name"),
    [
        (b"caf\xe9_menu", None),
        ("menu\u202ecip".encode(), None),
        ("menu\u200bcip".encode(), None),
        ("cafe\u0301_menu".encode(), "cafe\u0301_menu"),
        ("caf\u00e9_menu".encode(), "caf\u00e9_menu"),
    ],
    ids=["latin-1", "bidi", "invisible", "decomposed", "composed"],
)
def test_no_name_is_cut_in_half(repo: Repo, written: bytes, name: str | None) -> None:
    repo.commit("Begin", {"a.py": "x = 1\n"})
    source = b"x = 1\n\n\ndef " + written + b"(day):\n    return day\n\n\ndef menu2(day):\n    return day\n"
    (repo.path / "a.py").write_bytes(source)
    repo.git("add", "a.py")
    git = open_git()
    change = read_staged(git)
    wanted = {"menu2"} | ({name} if name else set())
    assert {item.name for item in add_definitions(git, change).definitions} == wanted
    # By lines alone an accent of its own ends the word, so that nothing is known rather than half of it.
    names = {item.name for item in definitions_from_hunks(change)}
    assert names == wanted - ({name} if name == "cafe\u0301_menu" else set())
