"""What does one commit or merge say about itself: title, kind of change, pull request, breaking text?"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache

from gitnotes.conventional import TYPES as USUAL_TYPES
from gitnotes.conventional import Head, gitmoji_types, read_gitmoji, read_head
from gitnotes.draft.notes.categories import QUIET, TYPES, Category
from gitnotes.guard.patterns import late
from gitnotes.guard.text import clean
from gitnotes.messages import is_trailer
from gitnotes.records import Commit

_LONGEST_TITLE = 400
_LONGEST_BODY = 100_000
_SAID = 0.75
"""The share of the words of a part above which the title says the same."""
_LINE_ENDS = late("[\x85\u2028\u2029]")

_LABEL = late(r"^\[([A-Za-z][A-Za-z /_-]{1,20})\][ :]*(?=\S)")
# `[Release 2.55]`, `[release-1.30]`, `[3.12]`, `[backport v8.x]`: where a change was ported to.
_PORT = late(
    r"^\[(?:(?:release|backport|branch|stable|cherry-?pick)[^\]]{0,40}|v?\d+(?:\.[\dx]+)+)\][ :-]*(?=\S)",
    re.I,
)
_SKIPS = late(r"[ \t]*\[(?:skip[ -](?:ci|actions|travis|azp)|(?:ci|actions)[ -]skip|no[ -]ci)\]", re.I)
_LIST = late(r"(?<=\w): [-*] (?=\S)")
_NUMBER = late(r"[ \t]*\(((?:PR |MR |pull request )?[#!]\d{1,9}(?:, ?[#!]\d{1,9})*)\)[ .]*$", re.I)
_GITHUB = late(r"Merge pull request #(\d{1,9}) (?:from|in) ")
_FROM_BRANCH = late(r"^Merge pull request #\d{1,9} from [^/\s]{1,100}/(\S{1,200})$")
_INTO_MAIN = late(r"\binto (?:the )?(?:main|master|trunk|develop)\b", re.I)
_SYNC_BRANCH = late(
    r"(?:^|[-_/.])(?:main|master|trunk|develop|merge|sync|release|rel|backport|port|stable|hotfix)(?:[-_/.]|$)"
    r"|\d\.\d|(?:^|[-_/.])v?\d+(?:[-_/.]|$)",
    re.I,
)
_BITBUCKET = late(r"Merged in .+ \(pull request #(\d{1,9})\)$")
_AZURE = late(r"Merged PR (\d{1,9}): *(?=\S)")
_GITEA = late(r"Merge pull request ['\"](.+)['\"] \(#(\d{1,9})\) from ")
_BORS = late(r"(?:Auto merge of|Rollup merge of|Merge) #(\d{1,9})\b")
_BORS_LINE = late(r"(\d{1,9}): (.+?)(?: r=\S.*)?$")
_GITLAB = late(r"^See merge request (?:\S*?)!(\d{1,9})[ \t]*$", re.M)
_PLAIN_MERGE = late(
    r"Merge(?:d)? (?:remote-tracking )?(?:branch|branches|tag|commit|\S+ into \S+$|\S+/)", re.I
)
_TOPIC = late(r"Merge branch(?:es)? '([^']+)'(?: (?:into|of) .*)?$")
_SYNC = late(
    r"(?:back-?|forward-?)?(?:merge|merging|sync)\w*\b.*\b(?:into|from|with|to|back|branch|main|master|upstream)\b"
    r"|(?:add|include|pick|cherry-?pick|backport|port) [#!]\d+ (?:in)?to\b"
    r"|(?:[\w.-]{1,40} ){0,2}(?:main|master|trunk|develop|upstream)[ -]sync\b",
    re.I,
)
_MAIN_LIKE = late(
    r"(?:.*/)?(?:main|master|trunk|develop|development|dev|next|stable|release\S*|v?\d+(?:[.-][\dx]+)*)$",
    re.I,
)

_TYPED = rf"(?:{'|'.join(USUAL_TYPES)})(?:\([^()\n]{{1,60}}\))?!?: (?=[^\W\d])(?!https?:)"
_TYPED_LINE = late(_TYPED)
_TYPED_INSIDE = late(rf"(?<=[^:\s]) (?={_TYPED})")
_STEP = late(
    r"(?:minor |small )?(?:tweak|typo|nit|format|clean-? ?up|lint|wip|update|change|fix|improvement)\w*"
    r"|(?:apply|address|incorporate|implement) .{0,40}(?:suggestion|review|comment|feedback)s?\b.{0,60}"
    r"|(?:update|edit|change|fix) [\w./-]+\.\w{1,10}"
    r"|(?:fix|update|add|adjust|correct)\w* (?:(?:the|some|failing|broken|more|a|unit|e2e) ){0,3}"
    r"(?:tests?|fixtures?|lint\w*|ci|build|format\w*|clippy|typos?|types?|comments?)",
    re.I,
)
_BREAKING = late(r"^(?:BREAKING[ -]CHANGES?|BREAKING):[ \t]*", re.M)


@dataclass(frozen=True, slots=True)
class Title:
    """What a commit or merge says in its first line, taken apart."""

    text: str
    """Cleaned, on one line, without type, emoji and pull request number."""
    category: Category | None = None
    """None when nothing says."""
    scope: str = ""
    breaking: bool = False
    pulls: tuple[str, ...] = ()
    """Pull or merge requests as `#12` or `!12`."""
    prefix: str = field(default="", compare=False)
    """What stood before the text: type, scope, emoji."""


# Each step of a note asks again for the titles of its commits, which are those of one version at a time.
@lru_cache(maxsize=8192)
def one_line(text: str) -> str:
    """`text` cleaned, on one line, cut after 400 characters."""
    part = text[: 4 * _LONGEST_TITLE]
    if not part.isascii():
        part = _LINE_ENDS().sub(" ", part)  # cleaning would join the words on both sides
    # What is printable ASCII, as most subjects are, has nothing to clean.
    line = " ".join((part if part.isascii() and part.isprintable() else clean(part)).split())
    return line if len(line) <= _LONGEST_TITLE else line[: _LONGEST_TITLE - 1].rstrip() + "…"


@lru_cache(maxsize=4096)
def read_title(subject: str) -> Title:
    """The subject of a commit (or the title of a pull request) taken apart."""
    text = _SKIPS().sub("", one_line(subject)).strip() or one_line(subject)
    # git joins the lines below a subject to it; what they list is more than a title.
    text = _LIST().split(text, maxsplit=1)[0]
    pulls: list[str] = []
    while match := _NUMBER().search(text):
        pulls[:0] = re.findall(r"[#!]\d+", match[1])
        text = text[: match.start()]
    whole = text
    category: Category | None = None
    scope, breaking = "", False
    for _ in range(4):  # emoji, label and type may follow each other
        text = _PORT().sub("", text, count=1)
        sign, rest = read_gitmoji(text)
        if sign:
            kind = gitmoji_types().get(sign, "")
            if not kind:
                break
            breaking = breaking or kind.endswith("!")
        elif head := _read_type(text):
            kind, rest = head.type.lower(), head.description
            # `promql: fix x` names an area: part of the sentence unless something marks it as a type.
            if kind not in TYPES and not head.breaking:
                break
            if kind in ("build", "chore") and head.scope.lower().startswith("dep"):
                kind = "deps"
            elif head.scope:
                scope = head.scope
            breaking = breaking or head.breaking
        elif match := _LABEL().match(text):
            kind, rest = match[1].lower(), text[match.end() :]
            if kind not in TYPES:
                break
        else:
            break
        category = category or TYPES.get(kind.rstrip("!"))
        if not rest:
            break
        text = rest
    prefix = whole.removesuffix(text) if whole.endswith(text) else ""
    return Title(text, category, scope, breaking, tuple(dict.fromkeys(pulls)), prefix)


def _read_type(text: str) -> Head | None:
    """The head of a title when one word stands before the colon; a title may lack the blank after it."""
    head = read_head(text)
    if head is None or not head.description or head.has_space_before or head.has_empty_scope:
        return None
    return head if 2 <= len(head.type) <= 21 and head.type.replace("-", "").isalpha() else None


def read_merge(commit: Commit) -> Title | None:
    """The pull request or topic that a merge brought in; None when the merge has no title of its own.

    Also reads a commit with one parent whose subject is that of a merge (a squashed or picked one).
    """
    subject, body = one_line(commit.subject), commit.body[:_LONGEST_BODY]
    number, title = "", ""
    if match := _GITEA().match(subject):
        number, title = f"#{match[2]}", match[1]
    elif (match := _GITHUB().match(subject)) or (match := _BITBUCKET().match(subject)):
        number, title = f"#{match[1]}", _first_prose_line(body)
    elif match := _AZURE().match(subject):
        number, title = f"!{match[1]}", subject[match.end() :]
    elif match := _BORS().match(subject):
        number, title = f"#{match[1]}", _first_prose_line(body)
        if bors := _BORS_LINE().match(title):
            number, title = f"#{bors[1]}", bors[2]
    elif match := _GITLAB().search(body):
        number, title = f"!{match[1]}", _first_prose_line(body)
    elif topic := _TOPIC().match(subject):
        title = "" if _MAIN_LIKE().match(topic[1]) else _first_paragraph(body)
    elif commit.is_merge and not _PLAIN_MERGE().match(subject):
        title = subject
    if not title or (_SYNC().match(_PORT().sub("", title)) and not _brings_topic(subject, title)):
        return None
    found = read_title(title)
    if number:
        found = replace(found, pulls=tuple(dict.fromkeys((number, *found.pulls))))
    return found


def _brings_topic(subject: str, title: str) -> bool:
    """Whether `Merge the new parser into main` is the title of work from a branch of its own."""
    branch = _FROM_BRANCH().search(subject)
    if branch is None or _SYNC_BRANCH().search(branch[1]):
        return False
    return _INTO_MAIN().search(title) is not None


def pull_of_merge(commit: Commit) -> str:
    """The number of the pull request of a merge that has no title, as `#12`; empty when none."""
    subject = one_line(commit.subject)
    match = _GITHUB().match(subject) or _BITBUCKET().match(subject)
    return f"#{match[1]}" if match else ""


@lru_cache(maxsize=1024)
def breaking_notes(body: str) -> tuple[str, ...]:
    """The text of each BREAKING CHANGE footer, whole paragraphs on one line, in order."""
    if "BREAKING" not in body:
        return ()
    notes: list[str] = []
    body = clean(body[:_LONGEST_BODY])
    for match in _BREAKING().finditer(body):
        lines: list[str] = []
        for line in body[match.end() : match.end() + 4000].split("\n"):
            if lines and (not line.strip() or is_trailer(line) or line.startswith("---")):
                break
            if line.strip():
                lines.append(line.strip())
        if lines:
            notes.append(" ".join(" ".join(lines).split()))
    return tuple(dict.fromkeys(notes))


def squashed_parts(body: str) -> tuple[str, ...]:
    """The two to six typed bullets (`* feat: ...`) of a squashed body, as they stand."""
    bullets = re.findall(r"^[*-][ ]+(\S.{0,399})$", body[:_LONGEST_BODY], re.M)
    typed = [one_line(text) for text in bullets if (head := _read_type(text)) and head.type.lower() in TYPES]
    # Long lists are the history of the work, not parts of the change.
    return tuple(dict.fromkeys(typed)) if 1 < len(typed) <= 6 else ()


def is_step(part: Title, title: str = "") -> bool:
    """Whether what a squashed pull request lists is a step of the work on it, and no news to a reader;
    what its title says already is none either."""
    if part.breaking:
        return False
    words, said = set(part.text.casefold().split()), set(title.casefold().split())
    if said and len(words & said) > _SAID * len(words):
        return True
    return part.category in QUIET or _STEP().fullmatch(part.text) is not None


def further_subjects(subject: str, body: str) -> tuple[str, tuple[str, ...]]:
    """The first typed line of a message, and those (`fix: ...`) that stand below it like subjects.

    Each is a change of its own. They begin a paragraph, or follow one another; git joins those that
    stand directly below the subject to it.
    """
    subject = one_line(subject)
    joined = _TYPED_INSIDE().split(subject) if _TYPED_LINE().match(subject) else [subject]
    found = joined[1:]
    may_begin, fenced = True, False
    for line in body[:_LONGEST_BODY].split("\n"):
        fenced ^= line.startswith("```")
        is_typed = may_begin and not fenced and _TYPED_LINE().match(line) is not None
        if is_typed:
            found.append(one_line(line))
        may_begin = is_typed or not line.strip()
    further = [text for text in dict.fromkeys(found) if text != joined[0]]
    # More than a few is a list of the types, or the history of the work.
    if not _TYPED_LINE().match(joined[0]) or len(further) > 6:
        return subject, ()
    return joined[0], tuple(further)


def _first_prose_line(body: str) -> str:
    for line in body.split("\n", 20)[:20]:
        bare = line.strip()
        if not bare or bare.startswith("See merge request "):
            continue
        # Bitbucket Server lists the commits instead of a title.
        if re.match(r"\* commit '|Approved-by: |[A-Z][a-z-]+-by: |Closes #|#", bare):
            return ""
        return bare
    return ""


def _first_paragraph(body: str) -> str:
    paragraph = body.strip().split("\n\n", 1)[0]
    first = paragraph.lstrip()
    if not first or re.match(
        r"[*#]|Conflicts:|[A-Za-z-]+-by: |\(cherry picked|See merge request|git-svn-id", first
    ):
        return ""
    return paragraph
