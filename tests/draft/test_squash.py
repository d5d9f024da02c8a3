"""Do the messages of squashed commits become one that keeps what they say?"""

from __future__ import annotations

import pytest

from gitnotes.draft.squash import PARTS, merge_messages
from gitnotes.relations import SquashedCommit


def parts(*messages: str) -> list[SquashedCommit]:
    """The commits with these messages, oldest first, as git lists them."""
    told = [message.partition("\n\n") for message in messages]
    return [SquashedCommit(subject, body) for subject, _, body in reversed(told)]


def test_each_subject_may_stand_for_all() -> None:
    given = parts("Add a cache\n\nIt is asked often.", "fixup! Add a cache", "Document it\n\nRefs: #7")
    assert list(merge_messages(given, ["Change two files"])) == [
        "Add a cache\n\nIt is asked often.\n\n- Document it\n\nRefs: #7",
        "Document it\n\n- Add a cache\n  It is asked often.\n\nRefs: #7",
        "Change two files\n\n- Add a cache\n  It is asked often.\n- Document it\n\nRefs: #7",
    ]


@pytest.mark.parametrize(
    ("more", "told"), [(0, ""), (1, "- 1 later commit"), (1950, "- 1,950 later commits")]
)
def test_what_is_not_listed_is_counted(more: int, told: str) -> None:
    given = parts(*(f"Add part {number}" for number in range(PARTS + more)))
    for message in merge_messages(given, ["Change the parts"]):
        last = message.rsplit("\n", 1)[1]
        assert last == told if told else last.startswith("- Add part")
        assert message.count("Add part") == PARTS


def test_a_list_that_says_nothing_gives_nothing() -> None:
    assert list(merge_messages(parts("fixup! x", "Merge branch 'a' into b"), ["Change it"])) == []
