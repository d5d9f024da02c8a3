"""What the change echoes of a message, signal by signal."""

import pytest

from gitnotes.grade.consistency import AGAINST, FOR, read_signals, score_consistency
from gitnotes.grade.evidence import read_text, weigh_text
from gitnotes.grade.footprint import read_footprint

from .test_evidence import RETRY, lines_change

BUMP = lines_change("requirements.txt", ["werkzeug==3.0.2"], ["werkzeug==3.0.1"])


def signals(message, change):
    text = read_text(message)
    return read_signals(text, weigh_text(text, read_footprint(change)))


def score(message, change):
    text = read_text(message)
    return score_consistency(text, weigh_text(text, read_footprint(change)))


@pytest.mark.parametrize(
    ("message", "right", "wrong"),
    [
        ("Bump werkzeug from 3.0.1 to 3.0.2", 1.0, 0.0),
        ("Bump werkzeug to 3.0.2", 0.5, 0.0),
        ("Bump werkzeug from 3.0.2 to 3.0.1", 0.0, 1.0),
        ("Bump werkzeug from 2.9.0 to 3.0.1", 0.0, 1.0),
        ("werkzeug-3.0.2", 0.5, 0.0),
        ('Revert "Bump werkzeug from 3.0.2 to 3.0.1"', 1.0, 0.0),
        ('Revert "Bump werkzeug from 3.0.1 to 3.0.2"', 0.0, 1.0),
        ("Drop werkzeug 3.0.1", 0.5, 0.0),
        ("Bump werkzeug", 0.0, 0.0),
    ],
)
def test_a_change_goes_from_one_version_to_the_other(message, right, wrong):
    found = signals(message, BUMP)
    assert (found.get("version_right", 0.0), found.get("version_wrong", 0.0)) == (right, wrong)


def test_a_version_behind_a_pinned_commit_is_not_missing():
    old, new = "a" * 40, "b" * 40
    pinned = lines_change("ci.yml", [f"uses: actions/checkout@{new}"], [f"uses: actions/checkout@{old}"])
    assert signals("Bump actions/checkout from 3.5.3 to 3.6.0", pinned)["version_missing"] == 0
    assert score("Bump actions/checkout from 3.5.3 to 3.6.0", pinned) > 2
    stated = lines_change("ci.yml", ["uses: actions/checkout@4.2.0"], ["uses: actions/checkout@4.1.0"])
    assert signals("Bump actions/checkout from 3.5.3 to 3.6.0", stated)["version_missing"] > 0.5


@pytest.mark.parametrize("name", ["sibling_maps", "siblingMap", "sibling map", "SIBLING_MAPS"])
def test_phrases_meet_however_they_are_joined(name):
    change = lines_change("tree.py", [f"    self.{name} = None"])
    assert signals("Invalidate sibling maps", change)["phrase_share"] > 0.2
    apart = lines_change("tree.py", ["    sibling = None", "    maps = None"])
    assert signals("Invalidate sibling maps", apart)["phrase_share"] == 0


def test_the_number_of_an_issue_counts_wherever_the_message_has_it():
    change = lines_change("CHANGES.rst", ["-   Retry on resets. :pr:`5928`"])
    for message in ("Retry (#5928)", "Retry\n\nSee #5928 for more.", "Retry\n\nCloses: #5928"):
        assert signals(message, change)["reference"] == 1
    assert signals("Retry (#5929)", change)["reference"] == 0
    assert score("Retry (#5928)", change) > score("Retry (#5929)", change)


def test_telling_words_are_those_that_changed():
    change = lines_change("a.py", ["spool(queue, depth=4)"], ["spool(queue)"])
    assert signals("Limit the depth of the queue", change)["salient"] > signals("Spool", change)["salient"]


def test_signatures_in_a_body_are_no_words_of_it():
    squashed = "Retry once\n\nCo-authored-by: Retry Request <transport@session.example>\n\nIt was lost."
    assert read_text(squashed).sentences == ("It was lost.",)


@pytest.mark.parametrize(
    "message", ["Retry once", "Add x 1.2.3 (#123)\n\n`a_b` and 4.5.6.", 'Revert "Add a"']
)
def test_every_signal_is_known_and_between_0_and_1(message):
    found = signals(message, RETRY)
    assert found.keys() <= {*FOR, *AGAINST}
    assert all(0 <= value <= 1 for value in found.values())


@pytest.mark.parametrize(
    "message",
    ["Replace cgi, deprecated in Python 3.11", "Test on urllib3 1.26.x", "Pin it for Python 3.9"],
)
def test_a_version_in_passing_is_neither_right_nor_wrong(message):
    bump = signals(message, lines_change("req.txt", ["cgi==9.2.1"], ["cgi==9.2.0"]))
    assert bump["version_wrong"] == bump["version_missing"] == 0 < bump["version_passing"]
    named = signals("Bump cgi to 3.11", lines_change("req.txt", ["cgi==9.2.1"], ["cgi==9.2.0"]))
    assert named["version_wrong"] > 0


def test_a_version_may_be_written_without_its_dot():
    change = lines_change("lint", ["black --target-version=py37"], ["black --target-version=py36"])
    found = signals("Move black from 3.6 to 3.7", change)
    assert found["version_right"] == 1.0 and found["version_missing"] == 0
    assert signals("Move black from 3.7 to 3.6", change)["version_wrong"] == 1.0


def test_where_there_is_hardly_a_word_those_of_the_message_may_be_missing():
    small = lines_change("site.css", removed=["  x {y: 1}"])
    large = lines_change(
        "site.css", removed=[f"  heading{word} {{width: {word}}}" for word in "abcdefghijkl"]
    )
    message = "Let visitors see the way around on phones"
    assert score(message, small) > score(message, large)
    assert signals(message, small)["missing_little"] > signals(message, large)["missing_little"]


@pytest.mark.parametrize(
    ("message", "added", "removed"),
    [
        ("Prefer a mapping to a loop", ["names = {x: 1}"], ["for x in names:", "    names[x] = 1"]),
        ("Fix the missing space in the text", ['    f"Invalid, or "'], ['    f"Invalid, or"']),
        ("Use a secure link", ['    f"Perhaps https://{url}?"'], ['    f"Perhaps http://{url}?"']),
        ("Handle the failure", ["except ValueError:", "    value = 0"], []),
    ],
)  # fmt: skip
def test_what_people_call_the_constructs_of_a_program_is_found(message, added, removed):
    other = lines_change("a.py", ["value = count + 1"], ["value = count"])
    change = lines_change("a.py", added, removed)
    assert signals(message, change)["missing_share"] < signals(message, other)["missing_share"]
    assert score(message, change) > score(message, other)
