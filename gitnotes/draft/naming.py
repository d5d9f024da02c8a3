"""What are the files, places and definitions of a change called in a sentence?"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gitnotes.draft.evidence import Evidence, is_safe, is_safe_path
from gitnotes.draft.quotes import is_quotable
from gitnotes.draft.words import (
    bag,
    join_names,
    names_predicate,
    say_count,
    say_name,
    split_name,
    starts_with_verb,
)
from gitnotes.guard.patterns import late
from gitnotes.kinds import common_folder, kind_of, main_paths, stem_of
from gitnotes.records import DefinitionChange, FileChange
from gitnotes.verbs import forms, inflect

_LINKS = bag(
    "a an and as at by for from if in into of on or the then to when where with without after before not no"
    " was were be been being do did had could would may might only while that which using out off up down"
    " based across"
)
_SHORT = 8
"""Letters of a file name up to which its folder is told with it."""
_TINY = 2
"""Letters up to which a file is not told by its name without suffix."""
_PLAIN = late(r"\w[\w.+-]{0,30}(?: [\w.+-]{1,30}){1,5}")
_ROOTS = frozenset({"src", "lib", "app", "pkg", "internal", "cmd", "source", "main", "packages"})


def place(paths: Sequence[str]) -> str:
    """Where the change is, in a word: the file, the folder, or a count."""
    chosen = main_paths(paths)
    if len(chosen) == 1:
        return name_of(chosen[0])
    stems: set[str] = set()
    for path in chosen:  # of thousands the first two tell
        if is_safe_path(path):
            stems.add(stem_of(path).partition(".")[0])
        if len(stems) > 1:
            break
    if len(stems) == 1 and "" not in stems:
        return stems.pop()
    last = common_folder(chosen).rpartition("/")[2]
    if last and is_safe_path(last) and last not in _ROOTS:
        return last
    if 2 <= len(chosen) <= 3 and all(map(is_safe_path, chosen)):
        return join_names([name_of(path) for path in chosen])
    return say_count(len(paths), "file")


def name_of(path: str) -> str:
    """What to call a file in a sentence; a hostile name is not repeated."""
    name = path.rpartition("/")[2]
    if not is_safe_path(name) or not is_safe_path(stem_of(path)):
        return f'"{name}"' if is_plain(name) else "one file"
    return stem_of(path) if kind_of(path) == "code" and len(stem_of(path)) > _TINY else name


def is_plain(name: str) -> bool:
    """Whether a name with blanks may be repeated in quotes: words, and none that speak to a reader."""
    return len(name) <= 40 and bool(_PLAIN().fullmatch(name)) and is_quotable(name)


def subject_of(paths: Sequence[str]) -> str:
    """What the tests or documents at these paths are about, in words."""
    where = place(paths)
    if where.startswith("."):
        return where
    where = where.partition(".")[0] if "/" not in where and " and " not in where else where
    where = re.sub(r"^test_|_test$|_spec$", "", where)
    return split_name(where) if re.fullmatch(r"[a-z_-]+", where) else where


def say_files(files: Sequence[FileChange], link: str = "in") -> str:
    """The names of up to three files, else how many there are and where; `link` goes before a folder."""
    bases = [item.path.rpartition("/")[2] for item in files]
    names = [
        name if is_safe_path(name) else f'"{name}"' for name in bases if is_safe_path(name) or is_plain(name)
    ]
    folder = common_folder(item.path for item in files)
    if len(names) == len(files) <= 3 and len(set(names)) == len(names):
        short = max(map(len, bases)) <= _SHORT and len(files) == 1 and folder and is_safe_path(folder)
        return join_names(names) + (f" {link} {folder}" if short else "")
    if len(files) == 1:
        return "one file" + (f" {link} {folder}" if folder and is_safe_path(folder) else "")
    suffixes = {item.path.rpartition(".")[2] for item in files if "." in item.path}
    noun = "file"
    if len(suffixes) == 1 and (suffix := suffixes.pop()).isalnum() and len(suffix) < 6:
        noun = f"{suffix} file"
    return say_count(len(files), noun) + (f" {link} {folder}" if folder and is_safe_path(folder) else "")


def inside(evidence: Evidence) -> str:
    """The one definition that every changed line is in; empty when there are several or none."""
    found = [item for item in evidence.change.definitions if item.action == "changed"]
    if len(found) != 1 or len(found) != len(evidence.change.definitions) or not is_safe(found[0].name):
        return ""
    changed = sum(
        line[:1] in "+-" and bool(line[1:].strip()) for hunk in evidence.change.hunks for line in hunk.lines
    )
    if found[0].kind == "key" or found[0].lines < changed:
        return ""
    return found[0].name if found[0].kind == "test" else say_name(found[0].name)


def outer(items: Sequence[DefinitionChange]) -> list[DefinitionChange]:
    """The definitions without those that came or went with the class around them."""
    whole = {
        (item.path, item.name)
        for item in items
        if item.action in {"added", "removed"} and item.kind in {"class", "type"}
    }
    return [item for item in items if (item.path, item.owner) not in whole]


def full_name(item: DefinitionChange) -> str:
    """The definition's name in words, a method with its class in front."""
    if item.kind == "method" and is_safe(item.owner) and len(item.owner) < 25:
        return f"{item.owner} {say_name(item.name)}"
    return say_name(item.name)


def say_definition(item: DefinitionChange) -> str:
    """What happened to a definition, as an imperative sentence."""
    name = full_name(item)
    if item.kind == "test":
        name = say_test(item.name)
    if item.action == "renamed":
        return _say_rename(item)
    if item.action == "moved":
        old, new = name_of(item.old_path), name_of(item.path)
        if item.old_path == item.path:
            return f"Move {name} within {new}"
        if old == new and is_safe_path(item.old_path) and is_safe_path(item.path):
            old, new = item.old_path, item.path
        return f"Move {name} from {old} to {new}"
    if item.action == "removed":
        return f"Remove {name}"
    if item.action == "added":
        where = name_of(item.path)
        known = where.lower() in item.name.lower() or item.kind in {"test", "option"} or where == item.owner
        return f"Add {name}" + ("" if known else f" to {where}")
    return f"Update {name}"


def _say_rename(item: DefinitionChange) -> str:
    if item.path.endswith(".go") and item.name[1:] == item.old_name[1:]:
        return f"Export {item.old_name}" if item.name[:1].isupper() else f"Unexport {item.old_name}"
    if item.kind == "test" and " " in item.name:
        return f'Rename test to "{item.name}"'
    if item.name == "_" + item.old_name:
        return f"Make {item.old_name} private"
    return f"Rename {item.old_name} to {item.name}"


def say_parameters(item: DefinitionChange) -> str:
    """Which parameters a definition gained or lost, as an imperative sentence."""
    name = full_name(item)
    gained, lost = item.added_parameters, item.removed_parameters
    if len(gained) == len(lost) == 1:
        return f"Rename {lost[0]} parameter of {name} to {gained[0]}"
    if gained:
        return f"Add {join_names(gained[:3])} parameter{'s' if len(gained) > 1 else ''} to {name}"
    return f"Remove {join_names(lost[:3])} parameter{'s' if len(lost) > 1 else ''} from {name}"


def say_test(name: str) -> str:
    """`test for config dry run`, or `test that it does not block` when the name is a statement."""
    words = test_target(name)
    if " " in name:  # a title: `should not block`, `keep the order`
        words = _as_statement(words)
    return f"test {'that it' if ' ' in words and starts_with_verb(words) else 'for'} {words}"


def _as_statement(title: str) -> str:
    first, space, rest = title.partition(" ")
    if first == "not":
        return f"does {title}"
    form = forms().get(first)
    is_order = form is not None and form.tense == "imperative" and not form.is_noun
    return inflect(first, "third") + space + rest if is_order else title


def first_phrase(words: str) -> str:
    """The name of a thing with which the words begin, up to a verb or to what hangs on it."""
    pieces = words.split()
    end = next((at for at in range(len(pieces)) if _ends_name(pieces, at)), len(pieces))
    # Before such a word a plural is more often a verb: `refresh times out`.
    form = forms().get(pieces[end - 1]) if 0 < end < len(pieces) else None
    return " ".join(pieces[: end - (form is not None and form.tense in ("third", "past"))])


def _ends_name(pieces: list[str], at: int) -> bool:
    if pieces[at] in _LINKS or starts_with_verb(pieces[at]):
        return True
    form = forms().get(pieces[at])
    return form is not None and form.tense == "third" and 0 < at < len(pieces) - 1


def test_target(name: str) -> str:
    """As `test_words`, but the name itself where it is that of a predicate: `test_is_prime` -> `is_prime`."""
    words = test_words(name)
    return _without_test(name) if " " not in name and names_predicate(words) else words


def test_words(name: str) -> str:
    """What a test's name says: `test_config_dry_run` -> `config dry run`."""
    if " " in name:
        return name.removeprefix("should ")
    return split_name(_without_test(name)) or name


def _without_test(name: str) -> str:
    return re.sub(r"^(?:test|Test|Benchmark|Fuzz)_?(?=[A-Z_a-z])", "", name)
