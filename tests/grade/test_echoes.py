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
