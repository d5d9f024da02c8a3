"""Which actions, hooks and images do the files around the code ask for?

GitHub workflows and actions, .pre-commit-config.yaml, Dockerfile, Compose files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gitnotes.guard.patterns import late
from gitnotes.read.manifests.entries import Entry, Format, items, load_yaml, table, text_of

_WORKFLOW = late(r"(?:^|/)\.(?:github|gitea|forgejo)/(?:workflows|actions)/.{1,400}\.ya?ml$")
_COMPOSE = late(r"(?:docker-)?compose[\w.-]{0,60}\.ya?ml")
# The version that people and bots note behind a pinned object id.
_NOTED = late(
    r"^[ \t-]{0,200}(?:uses|rev):\s{0,9}[\"']?(?:[\w./-]{1,300}@)?([0-9a-f]{40,64})[\"']?\s{1,9}#\s{0,9}"
    r"(?:frozen:\s{0,9}|tag=|ratchet:\S{0,200}@)?(v?\d[\w.+-]{0,60})",
    re.M,
)
_PINNED = late(r"(@?[A-Za-z][\w./-]{0,200}?)(?:\[[\w,-]{0,100}\])?(?:==|>=|~=|@)(v?\d[\w.+*-]{0,100})")
_ARGUMENT = late(r"\$(?:(\w{1,100})|\{(\w{1,100})(?::?-([^}]{0,200}))?\})")


def format_of(path: str, name: str) -> Format | None:
    """How the file is read, judged by its lower-case path and name."""
    if name in ("action.yml", "action.yaml"):
        return Format("ci", _workflow, fold=str.lower)
    if name == ".pre-commit-config.yaml":
        return Format("hooks", _hooks, fold=str.lower)
    if name.startswith(("dockerfile", "containerfile")) or name.endswith((".dockerfile", ".containerfile")):
        return Format("images", _dockerfile)
    if name.endswith((".yml", ".yaml")):
        if _WORKFLOW().search(path):
            return Format("ci", _workflow, fold=str.lower)
        if _COMPOSE().fullmatch(name):
            return Format("images", _compose)
    return None


def _workflow(text: str) -> Iterator[Entry]:
    data = table(load_yaml(text))
    noted = dict(_NOTED().findall(text))
    jobs = [table(job) for job in table(data, "jobs").values()]
    for part in (*jobs, table(data, "runs")):
        for step in (part, *map(table, items(part.get("steps")))):
            yield from _uses(text_of(step.get("uses")), noted)
        for place in (part.get("container"), *table(part, "services").values()):
            yield from _image(text_of(place) or text_of(table(place).get("image")))
    yield from _image(text_of(table(data, "runs").get("image")).removeprefix("docker://"))


def _uses(value: str, noted: dict[str, str]) -> Iterator[Entry]:
    if value.startswith("docker://"):
        yield from _image(value[9:])
    elif "@" in value and not value.startswith("."):
        path, _, version = value.partition("@")
        # An action or workflow in a folder has the version of its repository.
        name = "/".join(path.split("/")[:2])
        yield Entry(name, noted.get(version, version), "action", pin=version)


def _hooks(text: str) -> Iterator[Entry]:
    noted = dict(_NOTED().findall(text))
    for repository in map(table, items(table(load_yaml(text)).get("repos"))):
        address, version = text_of(repository.get("repo")), text_of(repository.get("rev"))
        if version:
            name = address.rstrip("/").removesuffix(".git").rpartition("/")[2]
            yield Entry(name, noted.get(version, version), "hook", pin=version)
        for hook in map(table, items(repository.get("hooks"))):
            for extra in items(hook.get("additional_dependencies")):
                if match := _PINNED().fullmatch(text_of(extra).strip()):
                    yield Entry(match[1], match[2], "hook")


def _image(value: str) -> Iterator[Entry]:
    """The image without its digest, which nobody can read; a tag stands behind the last `:`."""
    value, _, digest = value.strip().partition("@")
    head, slash, last = value.rpartition("/")
    name, _, tag = last.partition(":")
    if name and "$" not in name:
        yield Entry(f"{head}{slash}{name}", tag or digest[:19], "image", pin=digest)


def _dockerfile(text: str) -> Iterator[Entry]:
    arguments: dict[str, str] = {}
    stages: set[str] = set()
    for line in text.replace("\\\n", " ").replace("`\n", " ").split("\n"):
        words = line[:1000].split()
        verb = words[0].upper() if words else ""
        if verb == "ARG":
            for word in words[1:]:
                name, _, value = word.partition("=")
                arguments.setdefault(name, value.strip("\"'"))
        elif verb in ("FROM", "COPY"):
            values = [word for word in words[1:] if not word.startswith("--")]
            if verb == "COPY":
                values = [word[7:] for word in words[1:] if word.startswith("--from=")]
            image = _fill(values[0], arguments) if values else ""
            known = image.lower() in stages or image == "scratch" or (verb == "COPY" and image.isdigit())
            if image and not known and (verb == "FROM" or ":" in image or "/" in image):
                yield from _image(image)
            if verb == "FROM" and len(values) > 2 and values[1].upper() == "AS":
                stages.add(values[2].lower())


def _fill(value: str, arguments: dict[str, str]) -> str:
    """The value with the defaults of `ARG` put in; unknown ones stay."""

    def one(match: re.Match[str]) -> str:
        return (arguments.get(match[1] or match[2]) or match[3] or match[0])[:300]

    return _ARGUMENT().sub(one, value[:600])


def _compose(text: str) -> Iterator[Entry]:
    data: Any = load_yaml(text)
    for service in table(data, "services").values():
        yield from _image(_fill(text_of(table(service).get("image")), {}))
