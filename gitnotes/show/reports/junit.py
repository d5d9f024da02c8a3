"""How do grades look as JUnit XML, which every build server draws as test results?

Each message is a test: it fails by what the gate does not let pass, errs when it cannot be judged,
and is skipped when there is nothing to grade.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gitnotes.recipes.gate import Judged, Tally
from gitnotes.show.reports import Shape
from gitnotes.show.reports.escaping import xml


def report(judged: Iterable[Judged], tally: Tally, shape: Shape) -> Iterator[str]:
    """One suite with a case for each message; its head has the counts, so it is written at the end."""
    cases: list[str] = []
    failed = errors = skipped = 0
    for one in judged:
        failed += bool(one.faults)
        errors += bool(one.item.unreadable) and not one.faults
        skipped += one.item.grade.overall is None and not one.faults and not one.item.unreadable
        cases.append(_write_case(one))
    counts = f'tests="{len(cases)}" failures="{failed}" errors="{errors}"'
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f'<testsuites name="gitnotes" {counts}>'
    yield f'<testsuite name="gitnotes grade" {counts} skipped="{skipped}" time="0">'
    yield from cases
    yield "</testsuite>"
    yield "</testsuites>"


def _write_case(one: Judged) -> str:
    item = one.item
    overall = item.grade.overall
    name = f"{item.sha[:9]} {item.subject or '(empty)'}".lstrip()
    start = f'<testcase classname="gitnotes.commit" name="{xml(name)}" time="0"'
    if one.faults:
        head = "; ".join(f"{fault.rule}: {fault.message}" for fault in one.faults)
        rules = ", ".join(dict.fromkeys(fault.rule for fault in one.faults))
        lines = "\n".join(
            xml(f"{finding.rule}: {finding.message} {finding.remedy}".rstrip())
            for finding in dict.fromkeys((*one.faults, *item.grade.findings))
            if finding in one.faults or finding.severity != "info"
        )
        return f'{start}><failure type="{xml(rules)}" message="{xml(head)}">{lines}</failure></testcase>'
    if item.unreadable:
        return f'{start}><error type="cannot-judge" message="{xml(item.unreadable)}"/></testcase>'
    if overall is None:
        reason = item.grade.unscored.get("overall", "")
        return f'{start}><skipped message="{xml(reason)}"/></testcase>'
    notes = "\n".join(
        xml(f"{finding.severity}: {finding.rule}: {finding.message} {finding.remedy}".rstrip())
        for finding in item.grade.findings
    )
    return f"{start}><system-out>{xml(f'score {overall:.0f} of 100')}\n{notes}</system-out></testcase>"
