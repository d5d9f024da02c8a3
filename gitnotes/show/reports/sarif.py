"""How do findings look as SARIF 2.1.0 (OASIS), for code scanning and editors?

A commit message is no file of the tree. GitHub takes only results with a physical location, so
each has the stand-in path `COMMIT_EDITMSG` with the line of the message, and a logical location
that is the commit. The fingerprints name the message by author, date and text, so that an alert
keeps its identity through a rebase.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from gitnotes import __version__
from gitnotes.recipes.gate import Judged, Tally
from gitnotes.recipes.rule_list import list_rules
from gitnotes.records import Finding
from gitnotes.show.reports import Shape
from gitnotes.show.reports.escaping import as_json, plain

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
_PATH = "COMMIT_EDITMSG"


def report(judged: Iterable[Judged], tally: Tally, shape: Shape) -> Iterator[str]:
    """One run: the table of rules, a result for each finding as it comes, then how the run went."""
    rules = list_rules()
    places = {name: place for place, name in enumerate(rules)}
    driver = {
        "name": "gitnotes",
        "version": __version__,
        "rules": [_describe(name, question) for name, question in rules.items()],
    }
    yield f'{{"$schema": "{_SCHEMA}", "version": "2.1.0", "runs": [{{'
    yield f'"tool": {as_json({"driver": driver})},'
    yield '"columnKind": "unicodeCodePoints", "results": ['
    comma = ""
    troubles: dict[str, int] = {}
    for one in judged:
        if one.item.unreadable:
            troubles[one.item.unreadable] = troubles.get(one.item.unreadable, 0) + 1
        for result in _list_results(one, places):
            yield comma + as_json(result)
            comma = ","
    notices = [
        {"level": "error", "message": {"text": f"{count} commits could not be judged: {plain(reason)}"}}
        for reason, count in troubles.items()
    ]
    invocation: dict[str, Any] = {
        "executionSuccessful": not tally.unreadable,
        "exitCode": tally.exit_code,
        **({"toolExecutionNotifications": notices} if notices else {}),
    }
    yield f'], "invocations": {as_json([invocation])}}}]}}'


def _describe(name: str, question: str) -> dict[str, Any]:
    words = "".join(part.capitalize() for part in name.split("-"))
    return {
        "id": name,
        "name": words,
        "shortDescription": {"text": question},
        "fullDescription": {"text": question},
        "help": {"text": f"{question} `gitnotes grade REV` says what to do about it."},
    }


def _list_results(one: Judged, places: dict[str, int]) -> Iterator[dict[str, Any]]:
    findings = list(dict.fromkeys((*one.item.grade.findings, *one.faults, *one.known)))
    seen: dict[str, int] = {}
    for finding in findings:
        count = seen[finding.rule] = seen.get(finding.rule, 0) + 1
        yield _to_result(one, finding, places, count)


def _to_result(one: Judged, finding: Finding, places: dict[str, int], count: int) -> dict[str, Any]:
    item = one.item
    name = item.sha or "message"
    where = f"Commit {item.sha[:9]}" if item.sha else "The message"
    text = f"{finding.message} {finding.remedy}".rstrip()
    fingerprint = f"{item.key}:{finding.rule}:{count}"
    level = "error" if finding in one.faults else _LEVELS[finding.severity]
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        **({"ruleIndex": places[finding.rule]} if finding.rule in places else {}),
        "level": level,
        "message": {"text": f"{where} “{plain(item.subject)}”: {plain(text)}"},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": _PATH},
                    "region": {"startLine": finding.line or 1},
                },
                "logicalLocations": [
                    {"name": name, "fullyQualifiedName": f"commit/{name}", "kind": "commit"}
                ],
            }
        ],
        "partialFingerprints": {"primaryLocationLineHash": fingerprint, "gitnotes/v1": fingerprint},
        "properties": {"score": item.grade.overall, "failed": finding in one.faults},
    }
    if finding in one.known:
        result["baselineState"] = "unchanged"
    elif finding in one.faults:
        result["baselineState"] = "new"
    return result
