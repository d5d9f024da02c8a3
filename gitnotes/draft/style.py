"""How does this repository write its subjects, and how does a new one take that shape?"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from gitnotes.conventional import USED_TYPES, Head, gitmoji_for, keep_conventional, read_gitmoji, read_head
from gitnotes.draft.release_subjects import release_habits
from gitnotes.draft.scopes import scope_of
from gitnotes.draft.words import LIMIT, bag, shorten
from gitnotes.guard.text import clean
from gitnotes.kinds import common_folder, kind_of, main_paths, theme_of
from gitnotes.messages import is_fixup, is_merge_subject, is_revert_subject, leading_tracker
from gitnotes.records import Commit
from gitnotes.verbs import Tense, forms, inflect

_TAG = re.compile(r"^\[([\w ./-]{1,20})\]:?\s+")
_SAFE_SCOPE = re.compile(r"[\w./*+, @-]{1,40}")
_SAFE_LABEL = re.compile(r"[\w./-]{2,30}")
_REFERENCE = re.compile(r"\s*\(#\d+\)\s*$")
_ECHO = re.compile(r"^(\w+?)\(\1s?\): ")
"""A scope that is the type once more, as in `docs(docs): `."""
_PHRASE = re.compile(r"[A-Za-z][A-Za-z' -]{3,40}")
# Tags that judge the change cannot be learned as the habit of a folder.
_JUDGING = bag("feature bugfix bug fix enhancement change perf security breaking wip hotfix")
_ENOUGH = 3
"""Commits of one folder or kind that make a habit."""
_MANY = 50
"""Commits after which a type that was never used is no type of this repository."""
_KINDS = frozenset({"ci", "docs", "test", "dependencies", "changelog", "manifest"})


@dataclass(frozen=True, slots=True)
class Style:
    """What the subjects of a repository have in common; the defaults are git's own habits."""

    commits: int = 0
    """How many subjects it was learned from."""
    conventional: bool = False
    types: dict[str, int] = field(default_factory=dict)
    scopes: dict[str, int] = field(default_factory=dict)
    folder_prefixes: dict[str, str] = field(default_factory=dict)
    """Folder to the prefix its commits carry; `{type}` stands for a conventional type, '' for no prefix."""
    kind_prefixes: dict[str, str] = field(default_factory=dict)
    """Theme of the change (ci, docs, test, dependencies) to the prefix."""
    label_from: Literal["", "folder", "path"] = ""
    """Whether labels such as `tsdb:` are the last folder or the whole path of the change."""
    phrases: dict[str, str] = field(default_factory=dict)
    """Theme to a whole subject that keeps coming back for it."""
    release: str = ""
    """Subject of a release with `{version}` in it; `start` is the one that opens the next version."""
    start: str = ""
    case: Literal["upper", "lower"] = "upper"
    case_after_prefix: Literal["upper", "lower"] = "lower"
    tense: Tense = "imperative"
    length: int = 50
    """Median display columns."""
    stop: bool = False
    code_marks: bool = True
    emoji: Literal["", "sign", "code"] = ""
    ticket: str = ""
    """Key of the tracker that subjects begin with, such as `ABC`, or `#`."""
    reference: bool = False
    """Whether subjects end in `(#123)`."""
    body: float = 0.0
    """Share of commits that have a body."""
    members: tuple[str, ...] = ()
    """Patterns of the folders that are packages of their own, such as `packages/*`."""
    nearest: str | None = None
    """The prefix that most earlier commits of the very files of a change carry, where it is known."""


def learn_style(commits: Sequence[Commit]) -> Style:
    """The style of the given commits, newest first; merges, reverts and fixups are left out.

    Folders and themes are learned only from commits that carry their `files`.
    """
    known = [item for item in commits if _counts(item)]
    if not known:
        return Style()
    splits = [split_prefix(item.subject) for item in known]
    rests = [rest for _, _, _, rest in splits]
    types = Counter(kind for _, kind, _, _ in splits if kind)
    scopes = Counter(scope for _, kind, scope, _ in splits if scope and kind)
    conventional = keep_conventional(item.subject for item in commits if not item.is_merge)
    if len(known) < _ENOUGH:  # one or two subjects are no habit
        return Style(len(known), conventional, dict(types), dict(scopes))
    tenses: Counter[Tense] = Counter()
    for rest in rests:
        form = forms().get(rest.partition(" ")[0].lower())
        if form and form.tense != "gerund":
            tenses[form.tense] += 1
    bare = [rest for (prefix, _, _, rest) in splits if not prefix]
    prefixed = [rest for (prefix, _, _, rest) in splits if prefix]
    emoji = [sign for item in known if (sign := read_gitmoji(item.subject)[0])]
    tickets = Counter(key for item in known if (key := leading_tracker(item.subject)))
    labels = Counter(
        _label_source(item, prefix) for item, (prefix, _, _, _) in zip(known, splits, strict=True)
    )
    folders, kinds = _habits(known, [prefix for prefix, _, _, _ in splits])
    release, start = release_habits(rests)
    total = len(known)
    case = _case(bare or rests, "upper")
    return Style(
        commits=total,
        conventional=conventional,
        types=dict(types.most_common(20)),
        scopes=dict(scopes.most_common(50)),
        folder_prefixes=folders,
        kind_prefixes=kinds,
        label_from=_label_habit(labels, total),
        phrases=_phrases(known, rests),
        release=release,
        start=start,
        case=case,
        case_after_prefix=_case(prefixed, "lower") if prefixed else case,
        tense=tenses.most_common(1)[0][0] if tenses else "imperative",
        length=_median([len(_REFERENCE.sub("", item.subject)) for item in known]),
        stop=sum(rest.endswith(".") for rest in rests) * 2 > total,
        code_marks=sum("`" in rest for rest in rests) * 16 >= total,
        emoji=("code" if emoji[0][0] == ":" else "sign") if len(emoji) * 2 > total else "",
        ticket=next((key for key, count in tickets.most_common(1) if count * 2 > total), ""),
        reference=sum(bool(_REFERENCE.search(item.subject)) for item in known) * 2 > total,
        body=sum(bool(item.body.strip()) for item in known) / total,
    )


def _median(lengths: list[int]) -> int:
    # The module `statistics` loads fractions and decimals, which takes longer than all that is done here.
    lengths.sort()
    return (lengths[(len(lengths) - 1) // 2] + lengths[len(lengths) // 2]) // 2


def apply(style: Style, subject: str, *, paths: Iterable[str] = (), kind: str = "") -> str:
    """`subject`, written in the imperative, in the shape of the repository; at most 72 display columns.

    `kind` is the conventional type that follows from the change; it is used where the habit of the
    folder or theme of `paths` has a type in it.
    """
    text = change_tense(subject, style.tense)
    if not style.code_marks:
        text = text.replace("`", "")
    prefix = prefix_for(style, list(paths), kind)
    if prefix and text.lower().startswith(prefix.lower()):
        text = text[len(prefix) :]
    text = change_case(text, style.case_after_prefix if prefix else style.case)
    room = LIMIT - len(prefix) - style.stop
    text = shorten(text, room) if len(prefix) < LIMIT // 2 else shorten(text, LIMIT)
    if len(prefix) < LIMIT // 2:
        text = prefix + text
    return text + "." if style.stop and not text.endswith(".") else text


def room_for(style: Style, paths: Iterable[str] = (), kind: str = "") -> int:
    """Display columns that `apply` leaves for a subject in the imperative of any verb."""
    prefix = prefix_for(style, list(paths), kind)
    return LIMIT - len(prefix) * (len(prefix) < LIMIT // 2) - style.stop - 3 * (style.tense != "imperative")


def change_tense(subject: str, tense: Tense) -> str:
    """`subject` with its first word in the given tense; untouched when that is no known verb."""
    word, space, rest = subject.partition(" ")
    form = forms().get(word.lower())
    if form is None or form.tense in (tense, "gerund") or not space:
        return subject
    verb = inflect(form.verb, tense)
    return (verb.capitalize() if word[:1].isupper() else verb) + space + rest


def change_case(subject: str, case: Literal["upper", "lower"]) -> str:
    """`subject` with its first letter in the given case; names and acronyms are left alone."""
    word = subject.partition(" ")[0]
    if not word[:1].isalpha():
        return subject
    if case == "upper":
        named = any(mark in word for mark in "_./`()=") or any(letter.isupper() for letter in word[1:])
        return subject if named else subject[:1].upper() + subject[1:]
    plain = word[1:].islower() or not word[1:]
    return (
        subject[:1].lower() + subject[1:]
        if plain and (word.lower() in forms() or word in _COMMON)
        else subject
    )


_COMMON = bag(
    "A An The All Do Don't No Not Only When If Two Three Tests Typo Use This That Some New Old More Also"
)


def prefix_for(style: Style, paths: Sequence[str], kind: str) -> str:
    """The prefix that the repository puts before a change of these paths; '' for none."""
    form = _form_for(style, paths) if style.nearest is None else style.nearest
    if style.conventional and "{type}" not in form:
        form = "{type}: "
    if form == "{type}: " and style.nearest is None and style.members:
        scope = package_for(style, paths)
        form = f"{{type}}({scope}): " if scope else form
    if "{type}" in form:
        form = form.replace("{type}", type_in_use(style, kind or "chore"))
        form = _ECHO.sub(r"\1: ", form)
    if style.emoji:
        form = f"{gitmoji_for(kind, code=style.emoji == 'code')} {form}"
    return form


def package_for(style: Style, paths: Sequence[str]) -> str:
    """The package whose name is the scope of a change of these paths; '' where none would be named."""
    return scope_of(style.members, paths, style.folder_prefixes, style.scopes, sum(style.types.values()))


def _form_for(style: Style, paths: Sequence[str]) -> str:
    folder = home = common_folder(main_paths(paths))
    while folder:
        form = style.folder_prefixes.get(folder)
        if form is not None and (not form or belongs(form, paths)):
            return form
        folder = folder.rpartition("/")[0]
    theme = theme_of(paths)
    if theme in style.kind_prefixes and belongs(style.kind_prefixes[theme], paths):
        return style.kind_prefixes[theme]
    if style.label_from and home and home.count("/") < 2 and _SAFE_LABEL.fullmatch(home):
        return (home.rpartition("/")[2] if style.label_from == "folder" else home) + ": "
    return style.folder_prefixes.get("", "") if "{type}" in style.folder_prefixes.get("", "") else ""


def belongs(form: str, paths: Sequence[str]) -> bool:
    """Whether every part of the project that the prefix names is in the paths."""
    shown = "\n".join(paths).lower()
    label = form.replace("{type}", "")
    words = re.findall(r"[\w.-]+", label.lower())
    return all(word in shown for word in words if word not in USED_TYPES)


def type_in_use(style: Style, kind: str) -> str:
    """The repository's own word for the type: `tests` for `test`, `chore` or `deps` for `build`."""
    families = {
        "test": ("test", "tests"),
        "docs": ("docs", "doc"),
        "build": ("build", "chore", "deps"),
        "release": ("release", "chore", "build"),
    }
    if style.commits >= _MANY:
        families |= {
            "ci": ("ci", "build", "chore"),
            "style": ("style", "chore", "refactor"),
            "refactor": ("refactor", "chore"),
        }
    choices = families.get(kind, (kind,))
    used = [(style.types.get(name, 0), -place, name) for place, name in enumerate(choices)]
    best = max(used)
    return best[2] if best[0] else choices[0] if kind != "release" else "chore"


def _case(texts: Sequence[str], default: Literal["upper", "lower"]) -> Literal["upper", "lower"]:
    """The case of most first letters; names and acronyms do not count."""
    first = [text.partition(" ")[0] for text in texts]
    upper = sum(word[:1].isupper() and word[1:].islower() for word in first)
    lower = sum(word.isalpha() and word.islower() for word in first)
    return default if upper == lower else "upper" if upper > lower else "lower"


def _counts(commit: Commit) -> bool:
    subject = commit.subject
    own = commit.is_merge or is_merge_subject(subject) or is_revert_subject(subject)
    return bool(subject.strip()) and not own and not is_fixup(subject)


def split_prefix(subject: str) -> tuple[str, str, str, str]:
    """Prefix with `{type}` in it, type, scope and the rest of a subject."""
    text = _REFERENCE.sub("", clean(subject[:300])).strip()
    text = read_gitmoji(text)[1]
    tag = _TAG.match(text)
    if tag:
        judging = tag[1].lower() in _JUDGING or tag[1].isdigit()
        return "" if judging else f"[{tag[1]}] ", "", "", text[tag.end() :]
    head = read_head(text)
    if head is None or not head.is_strict or not _is_label(head):
        return "", "", "", text
    scope = f"({head.scope})" if head.scope else ""
    if head.is_usual:
        return f"{{type}}{scope}: ", head.type.lower(), head.scope, head.description
    return f"{head.type}{scope}: ", "", head.scope, head.description


def _is_label(head: Head) -> bool:
    """Whether the words before the colon may be repeated: short, plain, and no sentence."""
    plain = len(head.type) <= 40 and (not head.scope or _SAFE_SCOPE.fullmatch(head.scope) is not None)
    return plain and (" " not in head.type or "," in head.type) and not head.description.startswith(":")


def _label_source(commit: Commit, prefix: str) -> Literal["", "folder", "path", "other"]:
    """Where the label of a subject comes from; '' when it has none or only a type."""
    if not prefix or "{type}" in prefix:
        return ""
    folder = common_folder(main_paths(item.path for item in commit.files or ()))
    label = prefix.rstrip(": ")
    return (
        "path"
        if label == folder and "/" in folder
        else "folder"
        if label == folder.rpartition("/")[2]
        else "other"
    )


def _label_habit(
    labels: Counter[Literal["", "folder", "path", "other"]], total: int
) -> Literal["", "folder", "path"]:
    """Needs a label on most subjects, and most labels to be folders."""
    named = total - labels[""]
    if named * 2 < total or (labels["path"] + labels["folder"]) * 2 < named:
        return ""
    return "path" if labels["path"] * 2 > labels["folder"] else "folder"


def _habits(commits: Sequence[Commit], prefixes: Sequence[str]) -> tuple[dict[str, str], dict[str, str]]:
    by_folder: dict[str, Counter[str]] = defaultdict(Counter)
    by_kind: dict[str, Counter[str]] = defaultdict(Counter)
    for commit, prefix in zip(commits, prefixes, strict=True):
        paths = [item.path for item in commit.files or ()]
        if not paths:
            by_folder[""][prefix] += 1
            continue
        theme = theme_of(paths)
        if theme in _KINDS:
            by_kind[theme][prefix] += 1
        folder = common_folder(main_paths(paths))
        by_folder[folder][prefix] += 1
        while folder:
            folder = folder.rpartition("/")[0]
            by_folder[folder][prefix] += 1
    return _most(by_folder), _most(by_kind)


def _most(counters: dict[str, Counter[str]]) -> dict[str, str]:
    """The prefix of at least half of the commits, scope and all; else the type alone; else none."""
    habits: dict[str, str] = {}
    for key, counter in counters.items():
        total = sum(counter.values())
        if total < _ENOUGH and key:
            continue
        form, count = counter.most_common(1)[0]
        if count * 2 >= total:
            habits[key] = form
        elif sum(number for text, number in counter.items() if "{type}" in text) * 2 > total:
            habits[key] = "{type}: "
        elif sum(number for text, number in counter.items() if text) * 2 > total:
            named = Counter({text: number for text, number in counter.items() if text})
            if key and named.most_common(1)[0][1] * 3 >= total:
                habits[key] = named.most_common(1)[0][0]
        else:
            habits[key] = ""
    return habits


def _phrases(commits: Sequence[Commit], rests: Sequence[str]) -> dict[str, str]:
    """Whole subjects without any name that keep coming back for one theme: `Update dependencies`."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    totals: Counter[str] = Counter()
    for commit, rest in zip(commits, rests, strict=True):
        paths = [item.path for item in commit.files or ()]
        theme = theme_of(paths)
        if theme not in {"dependencies", "changelog", "ci"}:
            continue
        key = phrase_key(paths)
        totals[key] += 1
        if _PHRASE.fullmatch(rest) and rest.partition(" ")[0].lower() in forms():
            found[key][rest] += 1
    result: dict[str, str] = {}
    for key, counter in found.items():
        phrase, count = counter.most_common(1)[0]
        if count >= _ENOUGH and count * 4 >= totals[key]:
            result[key] = phrase
    return result


def phrase_key(paths: Sequence[str]) -> str:
    """The theme, narrowed to the file when there is only one."""
    theme = theme_of(paths)
    names = {path.rpartition("/")[2] for path in paths if kind_of(path) != "lock"}
    return f"{theme}:{names.pop()}" if len(names) == 1 else theme
