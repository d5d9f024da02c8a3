"""Are small edits told from real ones?"""

from __future__ import annotations

import pytest

from gitnotes.draft.edits import Edits, find_edits
from tests.draft.patches import Part, change, edit


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (edit("a.js", "-f( a,b )\n+f(a, b)"), Edits(formatting_only=True)),
        (edit("a.js", "-f(a,\n-  b)\n+f(a, b)"), Edits(formatting_only=True)),
        (edit("a.py", "-    return x\n+return x"), Edits()),
        (edit("a.js", '-f("a  b")\n+f("a b")'), Edits()),
        (edit("a.md", "-It ocurred twice\n+It occurred twice"), Edits(typo=(("ocurred", "occurred"),))),
        (
            edit("a.py", "-# It ocurred\n+# It occurred"),
            Edits(comments_only=True, typo=(("ocurred", "occurred"),)),
        ),
        (edit("a.py", "-x = enabled\n+x = disabled"), Edits(swap=("enabled", "disabled"), swaps=1)),
        (edit("LICENSE", "-(c) 2023 A\n+(c) 2024 A"), Edits(years_only=("2023", "2024"))),
        (edit("a.go", "-// old\n+// quite new words"), Edits(comments_only=True)),
        (edit("a.go", "-call()\n+call(1)"), Edits()),
        (edit("a.yml", "-a: on\n-b: on\n+a: off\n+b: off"), Edits(swap=("on", "off"), swaps=2)),
    ],
)
def test_edit(part: Part, expected: Edits) -> None:
    assert find_edits(change(part)) == expected


def test_a_docstring_is_text() -> None:
    part = edit(
        "a.py", ' def f():\n     """Does it.\n \n-    Old way.\n+    New way.\n     """\n     return 1'
    )
    assert find_edits(change(part)).text_only


def test_code_below_a_docstring_is_not() -> None:
    part = edit("a.py", ' def f():\n     """Does it."""\n-    run(1)\n+    run(2, 3)')
    assert not find_edits(change(part)).text_only
