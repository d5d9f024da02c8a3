"""Do the parts of the documents that are made from the code agree with it?

    python -m bench.documents [--write]

Without `--write` nothing is changed, and the exit code is 1 when something is out of date.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

from gitnotes.config.schema import json_schema, rules_table, settings_table

ROOT = Path(__file__).resolve().parents[1]
PARTS: dict[str, Callable[[], str]] = {"settings": settings_table, "rules": rules_table}
"""Name in `<!-- generated: NAME -->` to what makes the part."""


def documents() -> dict[Path, str]:
    """Every file with a generated part, or generated whole, as it ought to be."""
    found = {ROOT / "docs" / "gitnotes.schema.json": json.dumps(json_schema(), indent=2) + "\n"}
    for path in sorted((ROOT / "docs").glob("*.md")):
        text = path.read_text("utf-8")
        if "<!-- generated: " in text:
            found[path] = fill_in(text)
    return found


def fill_in(text: str) -> str:
    """`text` with every generated part made anew. Raises KeyError for a part that nothing makes."""

    def fill(match: re.Match[str]) -> str:
        return f"{match[1]}\n{PARTS[match[2]]()}\n<!-- end -->"

    return re.sub(r"(<!-- generated: (\w+) -->)\n.*?<!-- end -->", fill, text, flags=re.DOTALL)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--write", action="store_true", help="bring them up to date")
    options = parser.parse_args()
    code = 0
    for path, text in documents().items():
        if path.exists() and path.read_text("utf-8") == text:
            continue
        if options.write:
            path.write_text(text, "utf-8")
        else:
            code = 1
        print(f"{path.relative_to(ROOT)}: {'written' if options.write else 'out of date'}")
    return code


if __name__ == "__main__":
    sys.exit(main())
