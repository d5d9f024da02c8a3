"""From which commit was this gitnotes made, as far as that can be known?

In a clone git says so. A wheel that pip made of a repository has it in its direct_url.json (PEP 610).
"""

from __future__ import annotations

import json
import re
from pathlib import Path

_OBJECT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SHORT = 12


def built_from() -> str:
    """The short id of the commit, with `+` where the clone has changes since; empty when unknown."""
    root = Path(__file__).resolve().parents[2]
    return _from_clone(root) if (root / ".git").exists() else _from_installation()


def _from_clone(root: Path) -> str:
    from gitnotes.errors import GitnotesError
    from gitnotes.read.git import open_git

    # A `.git` above an installation may belong to somebody else's project.
    if not (root / "gitnotes" / "recipes" / "build.py").is_file():
        return ""
    try:
        git = open_git(root, light=True)
        commit = git.head()
        changed = git.run("status", "--porcelain", "--untracked-files=no", "--", "gitnotes", "hooks")
    except GitnotesError:
        return ""
    return f"{commit[:_SHORT]}{'+' if changed else ''}" if commit else ""


def _from_installation() -> str:
    from importlib import metadata

    try:
        found = metadata.distribution("gitnotes").read_text("direct_url.json")
        commit = json.loads(found or "{}")["vcs_info"]["commit_id"]
    except (metadata.PackageNotFoundError, ValueError, KeyError, TypeError, OSError):
        return ""
    return commit[:_SHORT] if isinstance(commit, str) and _OBJECT_ID.fullmatch(commit) else ""
