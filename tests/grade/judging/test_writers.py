"""Is it noticed when a judge is shown what it wrote itself?"""

from __future__ import annotations

import pytest

from gitnotes.grade.judging.writers import credited_writers, wrote_it_itself

MESSAGE = "Add a cache\n\nAssisted-by: Helper (small-model-2)\nSigned-off-by: Ann <ann@example.com>"


def test_credits_are_read_from_the_trailers_alone() -> None:
    assert credited_writers(MESSAGE) == ["Helper (small-model-2)"]
    assert credited_writers("Add a cache\n\nAssisted-by: in the text\n\nAnd it goes on.") == []


@pytest.mark.parametrize(
    ("model", "writer", "same"),
    [
        ("small-model-2", "Helper (small-model-2)", True),
        ("owner/small-model-2", "endpoint|model:small-model-2|host:x", True),
        ("/models/Small-Model-2.gguf", "local:small-model-2", True),
        ("small-model-2", "small-model-2.5", False),
        ("small-model-2", "small-model-2-mini", False),
        ("model-2", "small-model-2", False),
        ("m", "m", False),
        ("small-model-2", "", False),
    ],
)
def test_the_same_model(model: str, writer: str, same: bool) -> None:
    assert bool(wrote_it_itself(["", model], [writer])) is same
