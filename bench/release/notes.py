"""How near does our note come to the one that a project wrote for a version, beside lists of subjects?

A row is a version pair: `repo`, `from`, `to`, the `commits` of the range (`sha`, `parents`, `subject`,
and of merges `merge_body`) and the `note`. What a row lacks (authors, files, bodies of plain commits) our
drafter does without. It learns the voice from the notes of the same project that stand before in the
file; for the first of a project the commits alone choose the layout.

All is 0 to 100 and compares texts without marks, links and numbers (`texts.read_items`). `bleu-4` and
`meteor` as in ReleaseEval; `rouge-l` over the whole text and `rouge-lsum` over its lines, words of
`a-z0-9`; `mnext` is the harmonic mean of two: over the project's entries the Log-MNEXT of the nearest of
ours, and over ours that of the nearest of the project's; `told` is the share of the project's entries
that one of ours tells too (the same number of an issue, or half of the words), and `asked` the share of
ours that the project's note has.
"""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.release import tools
from bench.release.echoes import ECHOES
from bench.release.measures import bleu_4, word_tokens
from bench.release.texts import Item, read_items
from gitnotes.draft.notes.entries import read_entries
from gitnotes.draft.notes.note import draft_note
from gitnotes.draft.notes.note_style import learn_note_style
from gitnotes.errors import UsageError
from gitnotes.grade.metric import make_metric
from gitnotes.grade.overlap import load, meteor
from gitnotes.guard.text import show
from gitnotes.records import Commit, CommitTree, Draft

COLUMNS = ("bleu-4", "rouge-l", "meteor", "rouge-lsum", "mnext", "told", "asked", "length")
_NAMES = re.compile(r"#\d+\b|(?<![\w/`.])@\w[\w-]*|https?://[^\s)>`\\]+")
Scores = dict[str, float | None]
_MOST_CELLS = 1_500_000
"""Words of both texts, multiplied, up to which rouge-lsum is computed; it takes seconds beyond."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A version of a project and its own note."""

    repo: str
    tree: CommitTree
    note: str
    earlier: tuple[tuple[str, str], ...]
    """Versions and notes that came before, newest first."""


def read_pairs(path: Path) -> list[Pair]:
    """The version pairs of a JSON Lines file; raises UsageError for a line that is none."""
    pairs: list[Pair] = []
    earlier: dict[str, list[tuple[str, str]]] = {}
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise UsageError(f"Cannot read {show(str(path))}.", "Give a JSON Lines file in UTF-8.") from problem
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            tree = CommitTree(row["from"], row["to"], tuple(_commit(item) for item in row["commits"]))
            known = earlier.setdefault(row["repo"], [])
            pairs.append(Pair(row["repo"], tree, row["note"], tuple(known[::-1])))
            known.append((row["to"], row["note"]))
        except (ValueError, KeyError, TypeError) as problem:
            raise UsageError(
                f"Line {number} of {show(str(path))} is no version pair.",
                "Each line has repo, from, to, commits and note.",
            ) from problem
    return pairs


def _commit(item: dict[str, Any]) -> Commit:
    body = item.get("merge_body") or ""
    return Commit(item["sha"], tuple(item["parents"]), "", "", 0, item["subject"], body)


def draft(pair: Pair) -> Draft:
    """Our note, in the voice of the project's earlier ones."""
    style = learn_note_style("\n\n".join(f"# {version}\n\n{note}" for version, note in pair.earlier))
    return draft_note(pair.tree, version="", date="", style=style if pair.earlier else "auto", heading=False)


def _as_list(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def measure(path: Path, repos: Path | None = None) -> dict[str, Any]:
    """The means over the pairs of every measure, for our note and for the echoes."""
    pairs = read_pairs(path)
    if not pairs:
        raise UsageError(f"{show(str(path))} has no rows.", "Give version pairs, one a line.")
    systems: dict[str, Callable[[Pair], str]] = {"gitnotes": lambda pair: draft(pair).text}
    for name, echo in ECHOES.items():
        systems[name] = lambda pair, echo=echo: _as_list(echo(pair.tree))  # type: ignore[misc]
    found = {name: [compare(system(pair), pair.note) for pair in pairs] for name, system in systems.items()}
    beside, skipped = _measure_tools(pairs, repos, found)
    return {
        "rows": len(pairs),
        "systems": {name: means(scores) for name, scores in found.items()},
        "projects": {
            repo: {
                name: means([row for row, pair in zip(scores, pairs, strict=True) if pair.repo == repo])
                for name, scores in found.items()
            }
            for repo in dict.fromkeys(pair.repo for pair in pairs)
        },
        "tools": beside,
        "skipped": skipped,
        "accounted": _accounted(pairs),
        "invented": [name for pair in pairs for name in invented(draft(pair).text, pair.tree)],
    }


def _accounted(pairs: Sequence[Pair]) -> float:
    """The percentage of all commits that are in exactly one entry, or left out with a reason."""
    once = total = 0
    for pair in pairs:
        entries, omitted = read_entries(pair.tree)
        places = Counter(sha for entry in entries for sha in entry.commits)
        places.update(item.path for item in omitted if item.reason)
        once += sum(places[commit.sha] == 1 for commit in pair.tree.commits)
        total += len(pair.tree.commits)
    return 100 * once / total if total else 100.0


def invented(note: str, tree: CommitTree) -> list[str]:
    """Mentions, addresses, and numbers of issues in a note that no commit of the tree has."""
    said = "\n".join(f"{commit.sha} {commit.message}" for commit in tree.commits)
    return [name for name in dict.fromkeys(_NAMES.findall(note)) if name not in said]


def _measure_tools(
    pairs: Sequence[Pair], repos: Path | None, found: dict[str, list[Scores]]
) -> tuple[dict[str, Any], list[str]]:
    """The tools that are here, and all else on the same rows; a line for what was skipped."""
    skipped = tools.missing()
    here = {name: tool for name, tool in tools.TOOLS.items() if shutil.which(tool.program)}
    if repos is None or not here:
        reason = "--repos was not given" if repos is None else "none of the programs is here"
        return {}, [*skipped, f"other tools: {reason}"]
    scores: dict[str, list[Scores]] = {name: [] for name in (*found, *here)}
    failed: Counter[str] = Counter()
    for at, pair in enumerate(pairs):
        source = tools.find_repository(repos, pair.repo)
        if source is None or pair.tree.start is None:
            skipped.append(f"{pair.repo} {pair.tree.end}: its repository is not in {repos.name}")
            continue
        with tools.clone(source, pair.tree.start, pair.tree.end) as folder:
            if folder is None:
                skipped.append(f"{pair.repo} {pair.tree.end}: its tags are not in the repository")
                continue
            for name in found:
                scores[name].append(found[name][at])
            for name, tool in here.items():
                text = tool.write(folder, pair.tree.start, pair.tree.end)
                failed[name] += text is None
                if text is not None:
                    scores[name].append(compare(text, pair.note))
    skipped += [f"{name}: it failed on {count} of the ranges" for name, count in failed.items() if count]
    systems = {name: means(rows) for name, rows in scores.items() if rows}
    return {"rows": len(scores["gitnotes"]), "systems": systems}, skipped


def means(scores: Sequence[Scores]) -> Scores:
    """Column by column; rows without a value do not count."""
    result: Scores = {}
    for column in COLUMNS:
        values = [value for row in scores if (value := row[column]) is not None]
        result[column] = sum(values) / len(values) if values else None
    return result


def compare(note: str, reference: str) -> Scores:
    """Every measure for one pair of notes."""
    ours, theirs = read_items(note), read_items(reference)
    text, wanted_text = ("\n".join(item.text for item in items) for items in (ours, theirs))
    words, wanted = word_tokens(text), word_tokens(wanted_text)
    told, near = _told(theirs, ours)
    asked, back = _told(ours, theirs)
    return {
        "bleu-4": 100 * bleu_4(words, wanted),
        "rouge-l": 100 * _rouge_l(text, wanted_text),
        "meteor": 100 * meteor(words, wanted) if words and wanted else 0.0,
        "rouge-lsum": _rouge_lsum(text, wanted_text),
        "mnext": 100 * 2 * near * back / (near + back) if near and back else 0.0,
        "told": told,
        "asked": asked,
        "length": 100 * len(words) / len(wanted) if wanted else None,
    }


def _rouge_words(text: str) -> list[str]:
    found: list[str] = load("rouge-score", "rouge_score.tokenize").tokenize(text, None)
    return found


def _rouge_l(text: str, reference: str) -> float:
    """F1 of the longest common subsequence, as rouge-score has it."""
    words, wanted = _rouge_words(text), _rouge_words(reference)
    common = load("rapidfuzz", "rapidfuzz.distance.LCSseq").similarity(words, wanted)
    return 2 * common / (len(words) + len(wanted)) if common else 0.0


def _rouge_lsum(text: str, reference: str) -> float | None:
    if len(text.split()) * len(reference.split()) > _MOST_CELLS:
        return None
    scorer = load("rouge-score", "rouge_score.rouge_scorer").RougeScorer(["rougeLsum"])
    return 100 * float(scorer.score(reference, text)["rougeLsum"].fmeasure)


def _told(wanted: Sequence[Item], offered: Sequence[Item]) -> tuple[float | None, float]:
    """Percent of the wanted entries that are among those offered, and how near the nearest is (Log-MNEXT)."""
    metric = make_metric("log-mnext")
    entries = [item for item in wanted if item.is_entry]
    bags = [(item, frozenset(_rouge_words(item.text))) for item in offered if item.is_entry]
    if not entries:
        return None, 0.0
    told, near = 0, 0.0
    for entry in entries:
        words = frozenset(_rouge_words(entry.text))
        ranked = sorted(bags, key=lambda bag: -_shared(words, bag[1]))[:3]
        linked = any(entry.numbers & item.numbers for item, _ in bags)
        told += linked or any(_shared(words, bag) >= 0.5 for _, bag in ranked)
        near += max((metric.score(item.text, [entry.text]) or 0.0 for item, _ in ranked), default=0.0)
    return 100 * told / len(entries), near / len(entries)


def _shared(one: frozenset[str], other: frozenset[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other)) if one and other else 0.0
