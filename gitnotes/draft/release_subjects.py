"""With which words does a repository make a release, and open the next version?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

_VERSION = re.compile(r"\bv?\d+\.\d+[\w.+-]*")
_STARTING = re.compile(r"\b(?:start|begin|open|next|dev|development|bump)\b", re.IGNORECASE)
_RELEASING = re.compile(r"\b(?:release|prepare|cut|publish|version|bump|tag)\b", re.IGNORECASE)


def release_habits(rests: Iterable[str]) -> tuple[str, str]:
    """Of subjects without their prefix the most usual short ones that name one version.

    The first is for a release, the second for opening the next version; empty for none.
    """
    releases: Counter[str] = Counter()
    starts: Counter[str] = Counter()
    for rest in rests:
        found = _VERSION.findall(rest)
        if (
            len(found) != 1
            or len(rest.split()) > 6
            or not _RELEASING.search(rest + " start" * bool(_STARTING.search(rest)))
        ):
            continue
        template = _VERSION.sub("{version}", rest)
        if not re.fullmatch(r"[A-Za-z{}' .-]{9,60}", template):
            continue
        if re.search(r"\b(?:start|begin|open|next|dev|development)\b", template, re.IGNORECASE):
            starts[template] += 1
        elif re.search(
            r"\b(?:release|prepare|cut|publish|bump version|version|tag)\b|^bump to", template, re.IGNORECASE
        ):
            releases[template] += 1
    release = next((key for key, count in releases.most_common(1) if count >= 2), "")
    return release, next((key for key, count in starts.most_common(1) if count >= 2), "")
