"""Are the definitions of a file found in each language, whatever the file is like?"""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitnotes.read import languages
from gitnotes.read.languages import language_of, parser_of
from gitnotes.read.syntax import Definition, Edit, definitions_in, innermost, parse

SOURCES: dict[str, tuple[str, str]] = {
    "a.py": (
        """LIMIT: int = 3
small = 1

@wraps(f)
class Shop(base.Store, metaclass=Meta):
    SIZE = 2

    @property
    async def open(self, a, *, b: int = 1, **rest): ...

if True:
    def late(x=1):
        def inside(): ...
""",
        """constant . LIMIT
class . Shop < base.Store
method Shop open (a b rest)
function . late (x)""",
    ),
    "test_a.py": ("def test_x(app): ...\ndef helper(): ...\n", "test . test_x (app)\nfunction . helper ()"),
    "a.js": (
        """export const f = async (a, {b, c: d}, ...e) => 1;
const TOP = 1, low = 2;
export default class A extends B.C { static x = 1; get y() {} z = (q) => q; }
res.send = function send(body) {};
Foo.prototype.bar = function (x) {};
exports.go = y => y;
(function () { function hidden(z) {} })();
""",
        """function . f (a b d e)
constant . TOP
class . A < B.C
method A y ()
method A z (q)
method res send (body)
method Foo bar (x)
function . go (y)
function . hidden (z)""",
    ),
    "a.test.js": (
        "describe('shop', () => {\n  it(`opens`, function () {});\n});\n",
        "test . shop\ntest shop opens",
    ),
    "a.ts": (
        """interface I { m(a: string): void }
type T = { a: 1 };
enum E { A }
abstract class Q<T> extends P<T> implements I {
  constructor(private a: string, b?: number) { super(); }
  abstract foo(c: T): void;
}
declare namespace N { function f(d: number): void }
""",
        """type . I
type . T
type . E
class . Q < P
method Q constructor (a b)
method Q foo (c)
function . f (d)""",
    ),
    "a.tsx": ("export function App({ x }: Props) { return <p>{x}</p>; }\n", "function . App (x)"),
    "a.go": (
        """package a

const (
	A = 1
	B, C = 2, 3
)

type S[T any] struct{ X int }

func (s *S[T]) M(a, b int, _ error, c ...string) error { return nil }

func F[T any](a T, f func(int) error) {}
""",
        """constant . A
constant . B
constant . C
type . S
method S M (a b c)
function . F (a f)""",
    ),
    "a_test.go": (
        "package a\nfunc TestX(t *T) {}\nfunc Testify() {}\n", "test . TestX (t)\nfunction . Testify ()",
    ),
    "a.rs": (
        """pub struct S { a: i32 }
impl<T> Show for S<T> { const X: i32 = 1; fn show(&mut self, mut w: W) {} }
pub trait T { fn a(&self); }
static LIMIT: i32 = 1;
macro_rules! m { () => {} }
#[cfg(test)]
mod tests {
    #[test]
    fn works() {}
}
""",
        """type . S
method S show (w)
type . T
method T a ()
constant . LIMIT
function . m ()
test . works ()""",
    ),
    "A.java": (
        """public class C<T> extends D<E> {
  public static final int X = 1;
  private int y;
  @Test public void m(int a, String... b) {}
  C(int a) {}
}
interface I { void f(); }
enum E { A }
""",
        """class . C < D
constant C X
test C m (a b)
method C C (a)
type . I
method I f ()
type . E""",
    ),
    "a.c": (
        """#define GUARD
#define TOP 1
static const int *f(int a, char **b, void (*cb)(int)) { return 0; }
int later(void);
struct s { int a; };
typedef struct { int x; } t;
#ifdef X
int h(void) { return 1; }
#endif
""",
        """constant . TOP
function . f (a b cb)
type . s
type . t
function . h ()""",
    ),
    "a.hpp": (
        """namespace a::b {
template <typename T> class C : public D<T> { public: int m(const int &x = 1) const; };
int f(int a);
}
int a::b::C::m2(int y) { return y; }
""",
        """class . C < D
method C m (x)
function . f (a)
method C m2 (y)""",
    ),
    "A.cs": (
        """namespace N;
public sealed class C : D, IE {
  const int X = 1;
  [Fact] public async Task<int> M(int a, params string[] b) { }
}
namespace Q { interface I { void F(); } struct S {} delegate void E(int a); }
""",
        """class . C < D
constant C X
test C M (a b)
type . I
method I F ()
type . S
type . E (a)""",
    ),
    "a.rb": (
        """module A
  class C < D::E
    TOP = 1
    def m(a, b = 1, *c, d:, **f, &g); end
    private def z; end
    class << self
      def q; end
    end
  end
end
""",
        """type . A
class A C < D::E
constant C TOP
method C m (a b c d f g)
method C z ()
method C q ()""",
    ),
    "a_spec.rb": (
        "RSpec.describe Shop do\n  it 'opens' do\n  end\nend\n",
        "test . Shop\ntest Shop opens",
    ),
    "a.php": (
        """<?php
namespace A\\B;
const X = 1;
abstract class C extends D { const Y = 2; public function m(private int $q, &...$r): void {} }
interface I { function g(); }
""",
        """constant . X
class . C < D
constant C Y
method C m (q r)
type . I
method I g ()""",
    ),
    "a.sh": ("TOP=1\nexport OTHER=2\nlow=3\nfoo() { :; }\nfunction bar { :; }\n",
             "constant . TOP\nconstant . OTHER\nfunction . foo ()\nfunction . bar ()"),
    "a.json": (
        '{"a": {"b": [1, {"c": 2}], "d": {"e": {"f": 1}}}}\n',
        "key . a\nkey a b\nkey a d\nkey a.d e",
    ),
    "a.yaml": ("a:\n  'b': 1\n  c:\n    - d: 1\n", "key . a\nkey a b\nkey a c"),
    "a.toml": (
        'x = 1\n[tool."my app".z]\nb = [1]\n',
        "key . x\nkey tool.my app z\nkey tool.my app.z b",
    ),
}  # fmt: skip


def read(path: str, source: bytes | str) -> tuple[Definition, ...] | None:
    data = source.encode() if isinstance(source, str) else source
    deadline = time.monotonic() + 20
    tree = parse(data, language_of(path), deadline=deadline)
    return definitions_in(tree, data, language_of(path), path, deadline=deadline) if tree else None


def told(item: Definition) -> str:
    line = f"{item.kind} {item.owner or '.'} {item.name}"
    if item.parameters is not None:
        line += f" ({' '.join(item.parameters)})"
    return line + (f" < {item.base}" if item.base else "")


@pytest.mark.parametrize("path", SOURCES)
def test_each_language(path: str) -> None:
    source, wanted = SOURCES[path]
    found = read(path, source)
    assert found is not None
    assert sorted(map(told, found)) == sorted(wanted.splitlines())


def test_every_grammar_is_installed_and_tried() -> None:
    tried = {language_of(path) for path in SOURCES}
    assert tried == set(languages._GRAMMARS)
    assert all(parser_of(language) for language in tried)


def test_lines_take_in_decorators_and_the_comment_above() -> None:
    source = "x = 1  # not mine\n# why\n@decorator\ndef f():\n    pass\n\n\n# far away\n\ndef g(): ...\n"
    first, second = read("a.py", source) or ()
    assert (first.first, first.start, first.last) == (1, 2, 4)
    assert (second.first, second.last) == (9, 9)


def test_innermost_definition() -> None:
    found = read("a.py", "class A:\n    x = 1\n    def f(self):\n        pass\n    y = 2\n\nz = 1\n") or ()
    names = [[found[index].name for index in row] for row in innermost(found, [0, 1, 2, 3, 4, 6])]
    assert names == [["A"], ["A"], ["f"], ["f"], ["A"], []]


def test_broken_code_gives_what_can_be_read() -> None:
    found = read("a.py", "def good():\n    pass\n\nx = = 1\n\ndef fine(a):\n    pass\n") or ()
    assert {"good", "fine"} <= {item.name for item in found}
    found = read("a.js", "function good() {}\n}}\nfunction fine(a) {}\n") or ()
    assert {"good", "fine"} <= {item.name for item in found}
    assert read("a.json", "}}}} not json at all {{{") is None


def test_both_sides_of_a_merge_conflict_are_read() -> None:
    source = """def before(): ...
<<<<<<< HEAD
def ours(): ...
=======
def theirs(): ...
>>>>>>> topic
def after(): ...
"""
    assert [item.name for item in read("a.py", source) or ()] == ["before", "ours", "theirs", "after"]


def test_hostile_files_end_soon() -> None:
    start = time.monotonic()
    for path, source in (
        ("a.py", "class A:\n" + "".join(" " * depth + "class A:\n" for depth in range(1, 400))),
        ("a.json", "[" * 100_000),
        ("a.json", '{"a":' * 50_000),
        ("a.js", "(function(){" * 20_000),
        ("a.c", "#if 1\n" * 20_000),
        ("a.yaml", "".join(" " * depth + "a:\n" for depth in range(500))),
        ("a.py", "\0\xff" * 10_000),
    ):
        read(path, source)
    assert time.monotonic() - start < 15


def test_the_parser_stops_at_the_deadline() -> None:
    source = b"def f(a):\n    return [a for a in range(3)]\n" * 20_000
    assert parse(source, "python", deadline=time.monotonic() - 1) is None
    # It starts anew afterwards, and does not go on where it was stopped.
    tree = parse(b"def g(): ...\n", "python", deadline=time.monotonic() + 20)
    assert tree is not None
    assert tree.root_node.named_child_count == 1


def test_a_missing_grammar_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    parser_of.cache_clear()
    monkeypatch.setitem(languages._GRAMMARS, "python", ("no_such_grammar_here", "language"))
    try:
        assert parse(b"x = 1\n", "python", deadline=time.monotonic() + 20) is None
    finally:
        parser_of.cache_clear()
    assert parse(b"x", "no such language", deadline=time.monotonic() + 20) is None


LINES = {
    "python": [
        "def f(a):\n",
        "class A:\n",
        "    def g(self, b): pass\n",
        "    x = 1\n",
        "# c\n",
        "\n",
        "'''\n",
    ],
    "go": [
        "package a\n",
        "func f(a int) {\n",
        "}\n",
        "type S struct {\n",
        "\tx int\n",
        "// c\n",
        "const A = `\n",
    ],
    "yaml": ["a:\n", "  b: 1\n", "  c:\n", "    - d\n", "# e\n", "f: |\n", "\n"],
}


@settings(max_examples=120, deadline=None)
@given(st.sampled_from(sorted(LINES)), st.data())
def test_parsing_again_gives_what_parsing_anew_gives(language: str, data: st.DataObject) -> None:
    lines = st.lists(st.sampled_from(LINES[language]), max_size=6)
    old: list[str] = []
    new: list[str] = []
    edits: list[Edit] = []
    for _ in range(data.draw(st.integers(1, 4))):
        kept, gone, come = data.draw(lines), data.draw(lines), data.draw(lines)
        old += kept
        new += kept
        edits.append((len(old), len(gone), len(come)))
        old += gone
        new += come
    before, after = "".join(old).encode(), "".join(new).encode()
    deadline = time.monotonic() + 20
    tree = parse(before, language, deadline=deadline)
    assert tree is not None
    again = parse(after, language, deadline=deadline, before=(tree, before), edits=edits)
    anew = parse(after, language, deadline=deadline)
    assert again is not None
    assert anew is not None
    path = {"python": "a.py", "go": "a.go", "yaml": "a.yaml"}[language]
    assert definitions_in(again, after, language, path, deadline=deadline) == definitions_in(
        anew, after, language, path, deadline=deadline
    )


def test_edits_that_do_not_fit_are_not_used() -> None:
    before, after = b"def f(): ...\ndef g(): ...\n", b"def h(): ...\n"
    deadline = time.monotonic() + 20
    tree = parse(before, "python", deadline=deadline)
    assert tree is not None
    edits: list[Edit]
    for edits in ([], [(0, 1, 1)], [(1, 99, 0)], [(99, 1, 1)], [(0, 0, 99)], [(1, 1, 0), (0, 1, 1)]):
        again = parse(after, "python", deadline=deadline, before=(tree, before), edits=edits)
        assert again is not None
        found = definitions_in(again, after, "python", "a.py", deadline=deadline)
        assert [item.name for item in found or ()] == ["h"]
