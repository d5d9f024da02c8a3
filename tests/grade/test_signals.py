import pytest

from gitnotes.grade.case import read_case
from gitnotes.grade.evidence import read_text
from gitnotes.grade.fitted import load_scale
from gitnotes.grade.shares import move_by_head

from .test_evidence import RETRY

SUBJECT = "Retry idempotent requests after a connection reset"
BODY = "The server closes idle connections, so the first request failed."


def case(message, change=None):
    return read_case(read_text(message), change)


def test_signals_are_named_and_bounded():
    for message in (SUBJECT, f"{SUBJECT}\n\n{BODY}", "fix: x", "wip", "because " * 500, "#12 " * 500):
        for change in (None, RETRY):
            signals = case(message, change).signals
            assert all(-1 <= value <= 1.6 for value in signals.values())
    assert "found" not in case(SUBJECT).signals and case(SUBJECT, RETRY).signals["found"] > 0.5


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("Add the parser", "imperative"),
        ("Fixed the parser", "repair"),
        ("Change x to avoid a lock", "purpose"),
        ("Call parse_all twice", "identifier"),
        ("Bump ruff to 0.5.2", "version"),
        ("Remove the unused import", "subject_waste"),
        ("Correct a typo", "subject_spelling"),
        (f"{SUBJECT}\n\n{BODY}", "body_trouble"),
        ("Add the parser\n\nFixes #12", "closes"),
        ("Add the parser (#12)", "ticket"),
        ("CACHE-12: Add the parser", "ticket"),
    ],
)
def test_each_signal_is_found_where_it_stands_and_not_elsewhere(message, name):
    assert case(message).signals[name] == 1
    assert case("parser").signals[name] == 0


def test_repetition_and_sentences_about_nothing_give_no_signal():
    once, twice = case(f"{SUBJECT}\n\n{BODY}"), case(f"{SUBJECT} {SUBJECT}\n\n{BODY} {BODY}")
    assert twice.signals["body"] == once.signals["body"]
    assert twice.signals["length"] == once.signals["length"]
    padded = case(f"{SUBJECT}\n\nThe moon is far away, because mice like to travel.", RETRY)
    assert padded.signals["body"] == 0
    assert padded.stems == case(SUBJECT, RETRY).stems


def test_stems_leave_out_names_and_verbs_of_direction():
    added, removed = case("Add parseAll to foo_bar"), case("Remove parseAll from foo_bar")
    assert not {"add", "remov", "parseal", "foobar", "foo_bar"} & (added.stems | removed.stems)
    assert "typo" in case("Correct a typo").stems


def test_shares_of_a_head_add_up_and_references_have_a_limit():
    scale = load_scale()
    for message in (SUBJECT, f"{SUBJECT}\n\n{BODY}\n\nFixes #12, see https://example.org/issues/12"):
        for head in scale.heads.values():
            moves = move_by_head(head, case(message, RETRY), scale)
            assert 0 <= moves.score <= 4
            assert 0 <= moves.typical <= 4
            assert moves.typical == pytest.approx(move_by_head(head, case("x", RETRY), scale).typical)
    tight = scale._replace(most_reference=0.5)
    linked = case(f"{SUBJECT}\n\nFixes #12")
    bare = move_by_head(scale.heads["why"], case(SUBJECT), scale).score
    assert bare < move_by_head(scale.heads["why"], linked, tight).score
    assert (
        move_by_head(scale.heads["why"], linked, tight).score
        < move_by_head(scale.heads["why"], linked, scale).score
    )
