"""Which numbers of the papers can be had again, and what differs?

    python -m bench.papers table1 table2 table3 --data DIR [--json DIR]

Each prints published, measured and difference, or says which data it needs and where they come
from. Exits 1 when a cell is further than 0.01 from the published one, 3 when there was nothing
to measure.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from bench.papers import coderpe, improve, table1, table2, table3

TABLES = {
    "table1": table1.run,
    "table2": table2.run,
    "table3": table3.run,
    "improve": improve.run,
    "coderpe": coderpe.run,
}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.papers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("tables", nargs="+", choices=TABLES, metavar="TABLE", help=", ".join(TABLES))
    parser.add_argument("--data", type=Path, required=True, help="folder with the clones")
    parser.add_argument("--json", type=Path, help="write TABLE.json to this folder as well")
    options = parser.parse_args(arguments)
    if options.json is not None:
        options.json.mkdir(parents=True, exist_ok=True)
    codes = []
    for number, name in enumerate(options.tables):
        if number:
            print()
        output = None if options.json is None else options.json / f"{name}.json"
        codes.append(TABLES[name](options.data, output))
    return max(codes)


if __name__ == "__main__":
    raise SystemExit(main())
