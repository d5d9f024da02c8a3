"""With which words does a repository make a release, and open the next version?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

_VERSION = re.compile(r"\b(v?)\d+\.\d+[\w.+-]*")
_STARTING = re.compile(r"\b(?:start|begin|open|next|dev|development|bump)\b", re.IGNORECASE)
_RELEASING = re.compile(r"\b(?:release|prepare|cut|publish|version|bump|tag)\b", re.IGNORECASE)
_PACKAGE = re.compile(r"[A-Za-z][\w.+]*(?:-[A-Za-z_][\w.+]*)*([-@/]v?\{version\})")
"""A package and its version alone: `parser-{version}`."""


def release_habits(rests: Iterable[str]) -> tuple[str, str]:
    """Of subjects without their prefix the most usual short ones that name one version.

    The first is for a release, the second for opening the next version; empty for none. `{version}`
    stands for the version, `{name}` for a package where nothing but the two is told.
    """
    releases: Counter[str] = Counter()
    starts: Counter[str] = Counter()
    for rest in rests:
        if len(_VERSION.findall(rest)) != 1 or len(rest.split()) > 6:
            continue
        template = _VERSION.sub(r"\1{version}", rest)
        if template in ("{version}", "v{version}"):
            releases[template] += 1
            continue
        if not re.fullmatch(r"[A-Za-z{}':@/ .-]{9,60}", template):
            continue
        package = _PACKAGE.fullmatch(template)
        if package and not _RELEASING.search(template.replace("{version}", "")):
            releases["{name}" + package[1]] += 1
            continue
        if not _RELEASING.search(rest + " start" * bool(_STARTING.search(rest))):
            continue
        if re.search(r"\b(?:start|begin|open|next|dev|development)\b", template, re.IGNORECASE):
            starts[template] += 1
        elif re.search(
            r"\b(?:release|prepare|cut|publish|bump version|version|tag)\b|^bump to", template, re.IGNORECASE
        ):
            releases[template] += 1
    release = next((key for key, count in releases.most_common(1) if count >= 2), "")
    return release, next((key for key, count in starts.most_common(1) if count >= 2), "")
