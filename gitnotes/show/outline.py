"""How does something that branches look: as a tree on a terminal, as indented lines elsewhere?"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

from gitnotes.show import console


@dataclass(frozen=True, slots=True)
class Item:
    """One line, safe to print, with what hangs on it."""

    label: str
    style: str = ""
    items: list[Item] = field(default_factory=list)


def outline_text(items: list[Item]) -> str:
    """One line each, two blanks a level."""
    return "\n".join(line for item in items for line in _indented(item, 0))


def write_outline(items: list[Item]) -> None:
    """Prints the items: trees with colours on a terminal, indented lines elsewhere."""
    if not console.wants_colour(sys.stdout):
        console.write(outline_text(items))
        return
    from rich.text import Text
    from rich.tree import Tree

    def grow(item: Item) -> Tree:
        tree = Tree(Text(item.label, style=item.style), guide_style="dim")
        tree.children.extend(grow(inner) for inner in item.items)
        return tree

    screen = console.make_console(sys.stdout)
    for item in items:
        screen.print(grow(item))


def _indented(item: Item, depth: int) -> Iterator[str]:
    yield "  " * depth + item.label
    for inner in item.items:
        yield from _indented(inner, depth + 1)
