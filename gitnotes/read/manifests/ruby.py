"""What do Ruby's manifests and Gemfile.lock ask for?

Gemfile and gemspec are programs: their lines are matched by patterns, which see literal versions
only. Gemfile.lock is read by its indentation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gitnotes.guard.patterns import late
from gitnotes.read.manifests.entries import Entry, Format

_GEM = late(r"\s*gem[\s(]{1,4}[\"']([\w.-]{1,200})[\"'](.{0,300})")
_ADD = late(
    r"\s*\w{1,40}\.add_(?:(?:runtime|development)_)?dependency[\s(]{1,4}(?:%q)?[\"'<(]([\w.-]{1,200})[\"'>)](.{0,300})"
)
_QUOTED = late(r"\s*,\s*\[?\s*[\"']([^\"']{1,100})[\"']")
_RUBY = late(r"\s*ruby[\s(]{1,4}[\"']([^\"']{1,100})[\"']")
_OWN = late(r"\s*\w{1,40}\.version\s*=\s*[\"']([^\"']{1,100})[\"']")
_OWN_NAME = late(r"^[ \t]{0,40}\w{1,40}\.name\s*=\s*[\"']([\w.-]{1,200})[\"']", re.M)
_REQUIRED = late(r"\s*\w{1,40}\.required_ruby_version\s*=\s*[\"']([^\"']{1,100})[\"']")
_SPEC = late(r"    ([\w.-]{1,200}) \(([^()\s]{1,100})\)")
_WANTED = late(r"  ([\w.-]{1,200})!?(?: \(.{0,200}\))?!?$")


def format_of(path: str, name: str) -> Format | None:
    """How the file is read, judged by its lower-case path and name."""
    if name in ("gemfile", "gems.rb"):
        return Format("ruby", _gemfile)
    if name.endswith(".gemspec"):
        return Format("ruby", _gemspec)
    if name in ("gemfile.lock", "gems.locked"):
        return Format("ruby", _lock, lock=True)
    return None


def _gemfile(text: str) -> Iterator[Entry]:
    for line in text.split("\n"):
        if match := _GEM().match(line):
            yield Entry(match[1], _versions(match[2]))
        elif match := _RUBY().match(line):
            yield Entry("ruby", match[1], "language")


def _versions(rest: str) -> str:
    """The quoted demands right behind the name: `, "~> 1.0", ">= 1.0.2"`."""
    found: list[str] = []
    position = 0
    while match := _QUOTED().match(rest, position):
        found.append(match[1])
        position = match.end()
    return ", ".join(found)


def _gemspec(text: str) -> Iterator[Entry]:
    name = _OWN_NAME().search(text)
    for line in text.split("\n"):
        if match := _ADD().match(line):
            yield Entry(match[1], _versions(match[2]))
        elif match := _OWN().match(line):
            yield Entry(name[1] if name else "", match[1], project=True)
        elif match := _REQUIRED().match(line):
            yield Entry("ruby", match[1], "language")


def _lock(text: str) -> Iterator[Entry]:
    section = ""
    specs: list[tuple[str, str, bool]] = []
    wanted: set[str] = set()
    for line in text.split("\n"):
        if line and line[0] != " ":
            section = line.strip()
        elif section in ("GEM", "GIT", "PATH", "PLUGIN SOURCE") and (match := _SPEC().fullmatch(line)):
            specs.append((match[1], match[2], section == "PATH"))
        elif section == "DEPENDENCIES" and (match := _WANTED().match(line)):
            wanted.add(match[1])
        elif section == "RUBY VERSION" and line.strip().startswith("ruby "):
            yield Entry("ruby", line.strip()[5:], "language")
        elif section == "BUNDLED WITH" and line.strip():
            yield Entry("bundler", line.strip(), direct=False)
    for name, version, own in specs:
        yield Entry(name, version, direct=name in wanted, project=own)
