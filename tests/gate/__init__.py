"""Tests of `gitnotes grade` as a gate: targets, verdicts, reports."""
