"""Which rules of form are there, how serious is each, and what mends a breach?"""

from __future__ import annotations

from typing import NamedTuple, get_args

from gitnotes.findings import Level

LEVELS: tuple[Level, ...] = get_args(Level)


class Rule(NamedTuple):
    """What a rule asks of a message."""

    level: Level
    """How serious a breach is where nobody says otherwise."""
    question: str
    remedy: str


RULES: dict[str, Rule] = {
    "empty": Rule("error", "Does the message say anything at all?", "Say what the change does, and why."),
    "too-short": Rule(
        "warning", "Is there room in the subject to say what changed?", "Name what changed and where."
    ),
    "subject-length": Rule(
        "warning",
        "Does the subject fit its limit, counted in display columns? From 29 too many on it is an error.",
        "Shorten it and move the detail to the body.",
    ),
    "subject-cut": Rule(
        "warning",
        "Does the subject end where it ends, rather than go on in the body?",
        "Write a subject that fits the line.",
    ),
    "subject-pattern": Rule(
        "error",
        "Does the subject match the pattern that the repository's own configuration asks for?",
        "Write the subject in that form.",
    ),
    "blank-second-line": Rule(
        "warning",
        "Is the second line blank, so that git does not take it as part of the subject?",
        "Put a blank line after the subject.",
    ),
    "imperative": Rule(
        "warning",
        "Does the subject open in the imperative, not with a past, third-person or -ing form?",
        "Write what the commit does as an order: Add, Fix, Remove.",
    ),
    "trailing-stop": Rule("info", "Does the subject end without a full stop or the like?", "Drop it."),
    "capital": Rule(
        "info",
        "Does the subject start with a letter of the case that the repository uses?",
        "Begin as the other subjects do.",
    ),
    "type-missing": Rule(
        "error",
        "Does the subject have a type, where the repository uses Conventional Commits?",
        "Begin with one of the types.",
    ),
    "type-unknown": Rule(
        "error", "Is the type one that the repository uses?", "Use one that the repository uses."
    ),
    "type-case": Rule("warning", "Is the type in small letters?", "Write it in small letters."),
    "type-spacing": Rule(
        "error", "Is the type followed by a colon and one blank?", "Write `type: description`."
    ),
    "scope": Rule(
        "error",
        "Is the scope one that the repository uses, and not empty?",
        "Name a part of the project or drop the brackets.",
    ),
    "scope-missing": Rule(
        "off", "Is there a scope after the type?", "Name the part of the project, as in `fix(parser): ...`."
    ),
    "description-empty": Rule("error", "Does anything follow the type?", "Say what the change does."),
    "vague": Rule(
        "error",
        "Does the subject say something that would not fit any other commit?",
        "Name what changed and what is different now.",
    ),
    "default-text": Rule(
        "error",
        "Did somebody write the subject, rather than keep what git or a host put there?",
        "Say in one line what the commits do together.",
    ),
    "wip": Rule(
        "error", "Is the work done, with no mark such as WIP left?", "Finish it, then say what it does."
    ),
    "fixup-left": Rule(
        "error",
        "Was every fixup!, squash! and amend! commit squashed?",
        "Squash it with `git rebase -i --autosquash` before it is merged.",
    ),
    "body-missing": Rule(
        "off", "Is there a body below the subject?", "Say below the subject why the change is made."
    ),
    "body-width": Rule(
        "info",
        "Are the lines of the body, those that could be wrapped, within the limit?",
        "Wrap the body at the limit.",
    ),
    "leaked-model-text": Rule(
        "error",
        "Is the message free of what a language model writes around one: fences, thinking, chat, refusals?",
        "Keep the message alone.",
    ),
    "control-character": Rule(
        "error", "Is the message free of control and invisible characters?", "Remove what cannot be seen."
    ),
    "mixed-script": Rule(
        "warning",
        "Is every word written in one script, without look-alike letters of another?",
        "Type the word again in one script.",
    ),
    "instruction-text": Rule(
        "warning",
        "Does the message speak to its readers, not to whoever grades it? Such text changes no score.",
        "Remove it.",
    ),
    "ticket-missing": Rule(
        "error", "Is an issue named, where the repository wants one?", "Add a line such as `Refs: #123`."
    ),
    "sign-off-missing": Rule(
        "error", "Is the message signed off, where the repository wants that?", "Commit with `-s`."
    ),
    "trailer-missing": Rule(
        "error",
        "Are the trailers there that the repository wants?",
        "Add the line at the end of the message.",
    ),
    "attribution-forbidden": Rule(
        "error", "Is the message free of credits that the repository does not want?", "Remove the line."
    ),
    "attribution-missing": Rule(
        "error",
        "Does the message say who or what helped, where the repository wants that?",
        "Add a line such as `Co-authored-by: Name <email>`.",
    ),
    "rules-disabled": Rule(
        "info",
        "Do all rules apply, with none switched off by the message itself?",
        "Mend what the rule is about and drop the line.",
    ),
}
"""Rule id to what it asks; ids never change their meaning."""

PROTECTED = frozenset(
    ["empty", "leaked-model-text", "control-character", "mixed-script", "instruction-text", "rules-disabled"]
)
"""Rules that a message cannot switch off for itself."""


def near_rule(name: str) -> str:
    """What to say to somebody who named a rule that does not exist."""
    import difflib

    near = difflib.get_close_matches(name[:60], RULES, 1)
    return f"Did you mean '{near[0]}'?" if near else f"Known are: {', '.join(RULES)}."
