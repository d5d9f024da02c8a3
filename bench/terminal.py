"""How does gitnotes look in a terminal? Runs it in a small repository and draws what it prints.

    python -m bench.terminal [--write]

The picture is docs/terminal.svg. Commands and output are real; only the prompt and the colours of
commands are drawn by rich. Without `--write` the exit code is 1 when the picture is out of date.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "terminal.svg"
WIDTH = 88
BEFORE = '''def fetch(url):
    """The body at `url`."""
    return open_url(url).read()
'''
AFTER = '''def fetch_with_retry(url, attempts=3):
    """The body at `url`; the server drops idle connections, so the first try may fail."""
    for attempt in range(attempts):
        try:
            return open_url(url).read()
        except ConnectionError:
            if attempt == attempts - 1:
                raise
'''
COMMANDS = [
    ["suggest"],
    ["grade", "-m", "fix: fix bug"],
    ["grade", "-m", "Retry fetch when the server drops an idle connection"],
    ["improve", "-m", "renamed fetch to fetch_with_retry, closes #12."],
]


def record() -> list[tuple[str, str]]:
    """What was typed, and what gitnotes printed on both streams, in colour."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "GITNOTES_"))},
            "HOME": folder,
            "XDG_CONFIG_HOME": folder,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            "GIT_AUTHOR_NAME": "Ada",
            "GIT_AUTHOR_EMAIL": "ada@example.org",
            "GIT_COMMITTER_NAME": "Ada",
            "GIT_COMMITTER_EMAIL": "ada@example.org",
            "PYTHONPATH": str(ROOT),
            "COLUMNS": str(WIDTH),
            "FORCE_COLOR": "1",
            "TERM": "xterm-256color",
        }
        environment.pop("NO_COLOR", None)
        place = Path(folder) / "client"
        place.mkdir()

        def run(*command: str) -> str:
            done = subprocess.run(
                command, cwd=place, env=environment, text=True, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
            )  # fmt: skip
            return done.stdout

        run("git", "init", "-q", "-b", "main")
        (place / "client.py").write_text(BEFORE)
        run("git", "add", ".")
        run("git", "commit", "-q", "-m", "Add the client")
        (place / "client.py").write_text(AFTER)
        run("git", "add", ".")
        return [(_typed(words), run(sys.executable, "-m", "gitnotes", *words)) for words in COMMANDS]


def draw(recorded: list[tuple[str, str]]) -> str:
    """The picture as SVG, the same for the same texts."""
    from rich.console import Console
    from rich.text import Text

    console = Console(
        record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor"
    )
    for number, (typed, printed) in enumerate(recorded):
        if number:
            console.print()
        console.print(Text("$ ", style="green") + Text(typed, style="bold"))
        console.print(Text.from_ansi(printed.rstrip("\n")))
    # The fonts of the reader: the usual template fetches one from elsewhere.
    svg = console.export_svg(title="gitnotes", unique_id="gitnotes")
    return re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)


def _typed(words: list[str]) -> str:
    shown = [f'"{word}"' if " " in word else word for word in words]
    return " ".join(["gitnotes", *shown])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--write", action="store_true", help="draw it anew")
    options = parser.parse_args()
    svg = draw(record())
    if PICTURE.exists() and PICTURE.read_text("utf-8") == svg:
        return 0
    if options.write:
        PICTURE.write_text(svg, "utf-8")
    print(f"{PICTURE.relative_to(ROOT)}: {'drawn' if options.write else 'out of date'}")
    return 0 if options.write else 1


if __name__ == "__main__":
    sys.exit(main())
