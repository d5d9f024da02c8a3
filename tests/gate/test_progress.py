"""Does progress appear where it helps, and leave the results alone?"""

from __future__ import annotations

import io
import sys

import pytest

from gitnotes.show import console


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("total", [None, 3])
def test_results_go_where_they_went(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], total: int | None
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(console, "PATIENCE", -1.0)
    for item in console.track(iter("abc"), "Grading", total):
        console.write(item)
    assert capsys.readouterr().out == "a\nb\nc\n"
    assert "Grading" in terminal.getvalue()


def test_no_progress_over_results_on_the_same_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.setattr(console, "PATIENCE", -1.0)
    assert list(console.track("abc", "Grading")) == ["a", "b", "c"]
    assert terminal.getvalue() == ""


def test_no_progress_in_a_log(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(console, "PATIENCE", -1.0)
    assert list(console.track("abc", "Grading", 3)) == ["a", "b", "c"]
    assert capsys.readouterr().err == ""
