"""How is the synonym table of gitnotes made from the files of WordNet 3.0?

    python -m bench.build_synonyms /usr/share/wordnet gitnotes/data/synonyms.zlib

The folder is that of Debian's package wordnet-base, or of any copy of WordNet 3.0 with
`index.*`, `data.*` and `*.exc`. gitnotes/data/README.md describes the format of the result.
"""

from __future__ import annotations

import re
import sys
import zlib
from pathlib import Path

FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
HEADER = "synonyms of WordNet 3.0, format 1"

# An adjective may carry its position in the sentence: "galore(ip)".
_MARKER = re.compile(r"\([a-z]+\)$")


def read_synsets(path: Path) -> dict[str, list[str]]:
    """Offset of each synset in a `data.*` file, to the names of its lemmas."""
    synsets = {}
    for line in path.read_text(encoding="ascii").splitlines():
        if line.startswith(" "):
            continue  # the licence
        fields = line.split(" ")
        count = int(fields[3], 16)
        synsets[fields[0]] = [_MARKER.sub("", name) for name in fields[4 : 4 + 2 * count : 2]]
    return synsets


def read_index(path: Path) -> dict[str, list[str]]:
    """Each lemma of an `index.*` file, to the offsets of its synsets, the commonest first."""
    index = {}
    for line in path.read_text(encoding="ascii").splitlines():
        if line.startswith(" "):
            continue
        fields = line.split()
        index[fields[0]] = fields[-int(fields[2]) :]
    return index


def read_exceptions(path: Path) -> dict[str, list[str]]:
    """Each irregular form of an `*.exc` file, to its base forms; the last line of a form counts."""
    return {form: bases for form, *bases in map(str.split, path.read_text(encoding="ascii").splitlines())}


def build_table(folder: Path) -> str:
    """The whole table as text; gitnotes/data/README.md says what is in it."""
    rank: dict[frozenset[str], tuple[str, str]] = {}
    names: dict[frozenset[str], list[str]] = {}
    lemmas: dict[str, dict[str, frozenset[str]]] = {}
    irregular: dict[str, list[str]] = {}
    for letter, file in FILES.items():
        exceptions = {
            form: bases for form, bases in read_exceptions(folder / f"{file}.exc").items() if "_" not in form
        }
        # No word of a text has an underscore, but "comics" leads to "comic_strip".
        reached = {base for bases in exceptions.values() for base in bases}
        synsets = read_synsets(folder / f"data.{file}")
        for lemma, offsets in read_index(folder / f"index.{file}").items():
            # Texts are compared in lower case, so a name with a capital can never be met.
            found = [
                name
                for name in dict.fromkeys(name for offset in offsets for name in synsets[offset])
                if "_" not in name and name == name.lower()
            ]
            if not found or ("_" in lemma and lemma not in reached):
                continue
            group = frozenset(found)
            lemmas.setdefault(lemma, {})[letter] = group
            # Groups of neighbouring synsets share words, which makes the file a tenth smaller.
            rank.setdefault(group, (letter, offsets[0]))
            names.setdefault(group, found)
        for form, bases in exceptions.items():
            irregular.setdefault(form[0], []).append(f"{letter}{form}:{','.join(bases)}")
    wanted = {group for lemma, groups in lemmas.items() for group in groups.values() if group != {lemma}}
    order = sorted(wanted, key=lambda group: (rank[group], names[group]))
    number = {group: str(position) for position, group in enumerate(order)}
    sections: dict[str, tuple[list[str], list[str]]] = {letter: ([], []) for letter in irregular}
    for lemma, groups in sorted(lemmas.items()):
        keys, values = sections.setdefault(lemma[0], ([], []))
        keys.append(lemma)
        values.append(
            "".join(
                letter if group == {lemma} else letter + number[group] for letter, group in groups.items()
            )
        )
    parts = [HEADER, "\n".join(" ".join(names[group]) for group in order)]
    for letter, (keys, values) in sorted(sections.items()):
        forms = sorted(irregular.get(letter, []))
        parts.append("\n".join([letter, " ".join(keys), " ".join(values), " ".join(forms)]))
    return "\f".join(parts)


def main(arguments: list[str]) -> int:
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    table = build_table(Path(arguments[0])).encode("ascii")
    packed = zlib.compress(table, 9)
    Path(arguments[1]).write_bytes(packed)
    print(f"{len(table):,} bytes of text, {len(packed):,} compressed")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
