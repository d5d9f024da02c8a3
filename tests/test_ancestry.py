"""Which commits does a graph of numbers say that a commit reaches?"""

import pytest

from gitnotes.ancestry import Graph


def drawn() -> Graph:
    """1 - 2 - 4 (merges 3) - 6 (merges 4, 3 and 5); 5 changed nothing."""
    graph = Graph()
    for parents, size in (([], 1), ([1], 1), ([1], 2), ([2, 3], 0), ([1], 0), ([4, 3, 5], 1), ([5], 3)):
        graph.add(parents, 1_700_000_000, 1.5, size)
    return graph


def test_every_parent_is_followed_and_what_changed_nothing_is_left_out() -> None:
    graph = drawn()

    assert graph.ancestors(6) == [1, 2, 3, 6]
    assert graph.ancestors(4) == [1, 2, 3]
    assert graph.ancestors(7) == [1, 7]
    assert len(graph) == 7


def test_parents_after_the_second_are_followed() -> None:
    graph = Graph()
    for parents in ([], [], [], [], [1, 2, 3, 4]):
        graph.add(parents, 0, 0.0, 1)

    assert graph.ancestors(5) == [1, 2, 3, 4, 5]


def test_a_parent_that_is_not_known_ends_the_line() -> None:
    graph = Graph()
    graph.add([0], 0, 0.0, 1)
    graph.add([0, 1], 0, 0.0, 1)

    assert graph.ancestors(2) == [1, 2]


def test_its_columns_make_it_again() -> None:
    graph = drawn()
    again = Graph(graph.columns())

    assert again.columns() == graph.columns()
    assert again.ancestors(6) == graph.ancestors(6)


@pytest.mark.parametrize("place", [0, 1, 3, 4, 5])
def test_columns_of_unequal_length_are_no_graph(place: int) -> None:
    columns = drawn().columns()
    columns[place] = columns[place][:-8]

    with pytest.raises(ValueError, match="unequal"):
        Graph(columns)


def test_a_parent_beyond_the_end_is_told() -> None:
    graph = Graph()
    graph.add([9], 0, 0.0, 1)

    with pytest.raises(IndexError):
        graph.ancestors(1)
