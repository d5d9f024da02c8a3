"""Is every pattern that is accepted quick on whatever text it meets, and are the usual ones accepted?"""

from __future__ import annotations

import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitnotes.guard.regexes import LONGEST_TEXT, Refused, compile_foreign


@pytest.mark.parametrize(
    "pattern",
    [
        r"^(feat|fix|docs)(\(.+\))?!?: .{1,72}$",
        r"(?s)(build|ci|docs|feat|fix|test|bump)(\(\S+\))?!?: ([^\n\r]+)((\n\n.*)|(\s*))?$",
        r"^(feat|fix)(\(.*\))?: .* \[[A-Z]+-\d+\]$",
        r"([a-z]+-)*[a-z]+: .+",
        r"^(?!.*WIP).{10,72}$",
        r"(\d{1,3}\.){3}\d+",
        r"(feat|fix)+: x",
        r"^[^:]+: \S.*[^.]$",
    ],
)
def test_usual_patterns(pattern: str) -> None:
    assert compile_foreign(pattern).pattern == pattern


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        (r"(a+)+$", "another choice"),
        (r"(a|a)*$", "another choice"),
        (r"(\w+\s?)*$", "another choice"),
        (r"(a*)*b", "another choice"),
        (r"(a{0,30}){0,30}$", "another choice"),
        (r".*.*.*x", "too many ways"),
        (r"(.*,){11}x", "too many ways"),
        ("a?" * 30 + "a" * 30, "too many ways"),
        (r"(x+)\1", "back to a group"),
        ("(" * 200, "no regular expression"),
        ("(?:" * 100 + "x" + ")" * 99, "no regular expression"),
        ("a{99999999999}", "no regular expression"),
        ("x" * 501, "longer"),
        ("[\\x00-\U0010ffff]", "too many characters"),
        ("*", "no regular expression"),
    ],
)
def test_refused(pattern: str, reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        compile_foreign(pattern)


def test_a_search_may_start_anywhere() -> None:
    assert compile_foreign(r"\b(PROJ|OPS)-\d+\b", search=True)
    compile_foreign(r".*a.*b")
    with pytest.raises(Refused):
        compile_foreign(r".*a.*b", search=True)


_ATOMS = st.sampled_from(["a", "b", "[ab]", ".", r"\w", "[^b]", "A", "(?i:a)"])


@given(
    st.recursive(
        _ATOMS,
        lambda inner: st.one_of(
            st.tuples(inner, st.sampled_from(["*", "+", "?", "{2,9}", "*?", "{0,30}"])).map(
                lambda pair: f"(?:{pair[0]}){pair[1]}"
            ),
            st.lists(inner, min_size=2, max_size=5).map("".join),
            st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"(?:{'|'.join(parts)})"),
        ),
        max_leaves=12,
    )
)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_what_is_accepted_is_quick(pattern: str) -> None:
    try:
        compiled = compile_foreign(f"{pattern}!$")
    except Refused:
        return
    for text in ("a" * LONGEST_TEXT, "ab" * (LONGEST_TEXT // 2), "b" * LONGEST_TEXT):
        start = time.process_time()
        compiled.match(text)
        assert time.process_time() - start < 1, pattern
