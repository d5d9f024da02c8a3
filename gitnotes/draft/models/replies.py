"""Which message does the reply of a language model hold, if it holds one at all?

A reply is text from outside: it may reason aloud, chat, quote, number its suggestions, answer in
JSON, refuse, break off, or be the error page of a proxy. What is no message is never passed on.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from gitnotes.conventional import is_conventional, read_gitmoji
from gitnotes.draft.clean import BODY_WIDTH, squeeze, wrap
from gitnotes.draft.models.inventions import without_inventions
from gitnotes.draft.models.reply_phrases import ANNOUNCEMENT, CLOSING, FAILURE, GREETING, REFUSAL
from gitnotes.draft.words import LIMIT, shorten
from gitnotes.guard.text import clean
from gitnotes.guard.width import columns
from gitnotes.verbs import forms

MAX_REPLY = 64 * 1024
"""Characters of a reply that are read."""
_MAX_LINES = 60
_MAX_DEPTH = 20

_THOUGHTS = r"(?:think|thinking|thoughts?|reasoning|reflection|analysis|scratchpad)"
_OPENED = re.compile(rf"<(?:\w{{1,12}}:)?{_THOUGHTS}>", re.I)
_CLOSED = re.compile(rf"</(?:\w{{1,12}}:)?{_THOUGHTS}>", re.I)
_ANSWER = re.compile(
    r"<(answer|output|response|result|message|commit|commit[_-]message)>(.*?)(?:</\1>|$)", re.I | re.S
)
# The channels of the harmony format: only the last, final one is for the reader.
_FINAL = re.compile(r"<\|channel\|>final[^<]{0,40}<\|message\|>", re.I)
# What follows the end of a turn is the next one, which the model made up as well.
_TURN_END = re.compile(r"<\|(?:im_end|eot_id|endoftext|end|return|end_of_text)\|>|</s>|<end_of_turn>", re.I)
_TOKEN = re.compile(r"<\|[^|<>\n]{1,40}\|>|</?s>|\[/?INST\]|<(?:end|start)_of_turn>(?:model|user)?")
_FENCE = re.compile(r"^\s*(?:```+|~~~+)[\w+-]*\s*$")
_COMMAND = re.compile(r"^\$?\s*git\s+commit\s")

_LABEL = re.compile(
    r"(?:\*\*|__|#{1,6} )?(?:(?:final |suggested |proposed |generated |new |git )?commit(?: message)?|message"
    r"|subject(?: line)?|title|summary|answer|final answer|response|output|option \d|suggestion(?: \d)?)"
    r"(?:\*\*|__)?\s*:\s*(?:\*\*|__)?\s*(?P<rest>.*)$",
    re.I,
)
_OPTION = re.compile(r"(?:\*\*|#{1,6} )?(?:option|suggestion|alternative)(?:ly)?[ \d]{0,3}:", re.I)
_BODY_LABEL = re.compile(r"(?:\*\*|__)?(?:body|description|details)(?:\*\*|__)?\s*:(?:\*\*|__)?\s*", re.I)
_ITEM = re.compile(r"(?:\d{1,2}[.)]|[-*•])\s+(?=\S)")
_BREAKS = re.compile(r"(?:\\r)?\\n(?:\\r)?\\n|(?<=\S)(?:\\r)?\\n(?=[-*•]|[A-Z\d])")
_QUOTES = {'"': '"', "'": "'", "“": "”", "«": "»", "‘": "’", "「": "」", "„": "“"}
_SUBJECTS = ("subject", "title", "header", "summary")
_WHOLE = (
    "message",
    "commit_message",
    "commitmessage",
    "commit",
    "text",
    "content",
    "answer",
    "response",
    "output",
)
_BODIES = ("body", "description", "details")


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of a reply: the message, or why there is none."""

    text: str | None
    reason: str = ""
    """Why there is no message; empty when there is one."""
    removed: tuple[str, ...] = ()
    """What the model made up, or cut off, and the message therefore lacks; one phrase each."""


def read_reply(
    reply: str, *, known: str = "", said: str = "", trailers: Collection[str] = (), subject_limit: int = LIMIT
) -> Reply:
    """The commit message in `reply`, or a refusal to use it.

    `known` is the text that the model was given: links, mentions and issue numbers that are not in
    it are made up, and leave the message. `said` are the user's own words, and so may ask for trailers
    and `[skip ci]`. `trailers` are whole lines that may stay. The subject has
    at most `subject_limit` display columns. Never raises for any text.
    """
    text = _without_thoughts(clean(reply[:MAX_REPLY]))
    if text is None:
        return Reply(None, "it breaks off while the model reasons")
    text = text.strip()
    if not text:
        return Reply(None, "it is empty")
    reason = _why_useless(text)
    if reason:
        return Reply(None, reason)
    unpacked = _unpack_json(text)
    if unpacked is not None:
        text = unpacked
    elif text[:1] == "{" or text[:2] in ('["', "[{", "[["):
        return Reply(None, "it is JSON that holds no message, or is broken")
    lines = _unwrap(text)
    reason = _why_useless("\n".join(lines)) if lines else "it holds no message"
    if reason:
        return Reply(None, reason)
    lines, removed = without_inventions(lines, known=known, said=said, trailers=trailers)
    subject, body = _split(lines)
    subject = _trim_subject(subject)
    if not re.search(r"\w\w", subject):
        return Reply(None, "it holds no message")
    if columns(subject) > subject_limit:
        subject = shorten(subject, subject_limit)
        removed = [*removed, "the end of a subject that was too long"]
    body = squeeze([part for line in body[:_MAX_LINES] for part in wrap(line, BODY_WIDTH)])
    return Reply(subject + "\n\n" + "\n".join(body) if body else subject, removed=tuple(removed))


def _without_thoughts(text: str) -> str | None:
    """The part that is for the reader; None when the reasoning never ends."""
    final = list(_FINAL.finditer(text))
    if final:
        text = text[final[-1].end() :]
    opened = _OPENED.search(text)
    closed = list(_CLOSED.finditer(text))
    if closed:
        before = text[: opened.start()] if opened else ""
        after = text[closed[-1].end() :]
        # A message may stand before the reasoning as well as after it.
        text = after if after.strip() else before
        opened = _OPENED.search(text)
    if opened:
        text = text[: opened.start()]
        if not text.strip():
            return None
    # A stream that was cut may end within a tag.
    text = re.sub(r"</?[a-z_]{0,12}$", "", text.rstrip())
    text = next((part for part in _TURN_END.split(text) if _TOKEN.sub("", part).strip()), "")
    return _TOKEN.sub("\n", text)


def _why_useless(text: str) -> str:
    """Why `text` is no message: a refusal, a question, or the text of an error."""
    first = next((line.strip() for line in text.split("\n") if line.strip()), "").strip("\"'`*_#> ")
    if REFUSAL.match(first):
        return "the model refuses or asks back"
    if FAILURE.match(first):
        return "it is the text of an error"
    return ""


def _unpack_json(text: str) -> str | None:
    """The message in a JSON reply, fenced or not; None when there is none."""
    lines = text.split("\n")
    if _FENCE.match(lines[0]):
        end = next((at for at, line in enumerate(lines[1:], 1) if _FENCE.match(line)), len(lines))
        text = "\n".join(lines[1:end]).strip()
    if text[:1] not in '{["' or not _is_shallow(text):
        return None
    try:
        return _message_of(json.loads(text, strict=False))
    except (ValueError, RecursionError):
        return None


def _is_shallow(text: str) -> bool:
    depth = deepest = 0
    for character in text:
        if character in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "]}":
            depth -= 1
    return deepest <= _MAX_DEPTH


def _message_of(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return _message_of(value[0]) if value else None
    if not isinstance(value, dict):
        return None
    fields = {str(key).lower().replace("-", "_"): item for key, item in value.items()}
    if "error" in fields and not any(name in fields for name in (*_WHOLE, *_SUBJECTS)):
        return None
    kind, scope = fields.get("type"), fields.get("scope")
    subject = next((fields[name] for name in _SUBJECTS if isinstance(fields.get(name), str)), None)
    if subject is None and isinstance(kind, str) and isinstance(fields.get("description"), str):
        subject = fields.pop("description")
    if subject is None:
        for name in (*_WHOLE, "commits", "messages", "choices", "suggestions"):
            if name in fields and (found := _message_of(fields[name])):
                return found
        return None
    if isinstance(kind, str) and kind and not is_conventional(subject):
        area = f"({scope})" if isinstance(scope, str) and scope else ""
        subject = f"{kind}{area}: {subject}"
    body = next((fields[name] for name in _BODIES if fields.get(name)), "")
    if isinstance(body, list):
        body = "\n".join(f"- {item}" for item in body if isinstance(item, str))
    return f"{subject}\n\n{body}" if isinstance(body, str) and body else subject


def _unwrap(text: str) -> list[str]:
    """The lines of the message without tags, fences, quotes, labels and what was said around it."""
    answer = _ANSWER.search(text)
    if answer and answer[2].strip():
        text = answer[2]
    if "\n" not in text.strip() or text.count("\n") < len(_BREAKS.findall(text)):
        text = _BREAKS.sub(lambda match: "\n" * match.group().count("\\n"), text)
    lines = [line.rstrip() for line in text.replace("\t", " ").split("\n")]
    lines = _drop_chat(lines)
    if lines and _FENCE.match(lines[0]):
        end = next((at for at, line in enumerate(lines[1:], 1) if _FENCE.match(line)), len(lines))
        lines = _drop_chat(lines[1:end])
    if lines and _COMMAND.match(lines[0]):
        lines = _read_command("\n".join(lines))
    lines = _unquote(lines)
    lines = list(_unlabel(lines))
    end = next(
        (at for at, line in enumerate(lines) if at and not lines[at - 1].strip() and CLOSING.match(line)),
        len(lines),
    )
    lines = lines[:end]
    if sum(1 for line in lines if _FENCE.match(line)) % 2:
        lines = [line for line in lines if not _FENCE.match(line)]
    return squeeze(lines)


def _drop_chat(lines: list[str]) -> list[str]:
    """Without what is said before the message: a greeting, an announcement, a rule."""
    start = 0
    last = max((at for at, line in enumerate(lines) if line.strip()), default=0)
    while start < len(lines):
        line = lines[start].strip().strip("*_")
        more = start < last
        is_chat = ANNOUNCEMENT.match(line) or (GREETING.match(line) and not is_conventional(line))
        label = _LABEL.match(line)
        if line and line.strip("-=") and not (is_chat and more) and not (label and not label["rest"]):
            break
        start += 1
    return lines[start:]


def _read_command(text: str) -> list[str]:
    """The message of `git commit -m "..." -m "..."`, which is read and never run."""
    try:
        words = shlex.split(text.lstrip("$ "))
    except ValueError:
        return []
    parts = [words[at + 1] for at, word in enumerate(words[:-1]) if word in ("-m", "--message", "-am")]
    return "\n\n".join(parts).split("\n")


def _unquote(lines: list[str]) -> list[str]:
    """Without quotes or backticks around the whole, or around the first line."""
    text = "\n".join(lines).strip()
    for candidate in (text, text.partition("\n")[0]):
        inner = _inside(candidate)
        if inner is not None:
            return (inner + text[len(candidate) :]).split("\n")
    return text.split("\n") if text else []


def _inside(text: str) -> str | None:
    for marks in ("**", "__", "``", "`"):
        if len(text) > 2 * len(marks) and text.startswith(marks) and text.endswith(marks):
            inner = text[len(marks) : -len(marks)]
            if marks not in inner:
                return inner.strip()
    closing = _QUOTES.get(text[:1])
    if (
        closing
        and len(text) > 2
        and text.endswith(closing)
        and closing not in text[1:-1].replace("\\" + closing, "")
    ):
        return text[1:-1].replace("\\" + closing, closing).strip()
    return None


def _unlabel(lines: list[str]) -> Iterator[str]:
    for at, line in enumerate(lines):
        label = _LABEL.match(line.strip()) if at == 0 else None
        if label and label["rest"] and not is_conventional(line):
            inner = _inside(label["rest"].strip())
            yield label["rest"].strip() if inner is None else inner
        elif at and (match := _BODY_LABEL.match(line)):
            yield line[match.end() :]
        elif at == 0 and re.match(r"#{1,6} +(?=\D)", line):
            yield line.lstrip("# ")
        else:
            yield line


def _split(lines: list[str]) -> tuple[str, list[str]]:
    """The subject and the lines of the body; of several subjects only the first."""
    if not lines:
        return "", []
    first, rest = lines[0].strip(), lines[1:]
    item = _ITEM.match(first)
    if item:
        first = first[item.end() :]
        first = _inside(first) or first
        # A list of suggestions; what follows are others, or their explanation.
        if any(_ITEM.match(line.strip()) for line in rest):
            return first, []
    if any(_OPTION.match(line.strip()) for line in rest):
        return first, []
    if rest and rest[0].strip():
        following = rest[0].strip()
        if (is_conventional(first) and is_conventional(following)) or _are_subjects(lines):
            return first, []
    return first, rest


def _are_subjects(lines: list[str]) -> bool:
    """Whether the lines are several subjects under each other rather than prose."""
    said = [line.strip() for line in lines if line.strip()]
    return (
        len(said) == len(lines) > 1
        and all(columns(line) <= LIMIT and line[-1:] not in ".;,:" for line in said)
        and all(_opens_with_verb(line) for line in said)
    )


def _opens_with_verb(line: str) -> bool:
    form = forms().get(line.partition(" ")[0].lower())
    return form is not None and line[:1].isupper()


def _trim_subject(subject: str) -> str:
    subject = " ".join(subject.split())
    if not read_gitmoji(subject)[0]:
        subject = subject.lstrip("> *•-")
    inner = _inside(subject)
    subject = subject if inner is None else inner
    if subject.endswith((".", "。")) and not subject.endswith(("..", "etc.", "e.g.", "i.e.")):
        subject = subject[:-1].rstrip()
    return subject
