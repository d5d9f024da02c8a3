"""Where are the attributes that tell git how a definition looks in each language?"""

from __future__ import annotations

from pathlib import Path

_FILE = Path(__file__).parent.parent / "data" / "gitattributes"


def attributes_file() -> str:
    """The path of the attributes file to pass to git as core.attributesFile.

    It maps suffixes to git's own patterns for headings. The attributes of the repository win over
    it. It stands in for the user's own file, so an attribute such as `* -diff` in there no longer
    hides a change; so it must not be given to a command that reads the work tree, where `text` and
    `filter` in the user's file tell what the files contain.
    """
    return str(_FILE)
