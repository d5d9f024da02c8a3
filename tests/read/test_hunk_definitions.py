"""Are definitions found in the languages people write, and told apart by what happened to them?"""

from __future__ import annotations

import pytest

from gitnotes.read.definitions import definitions_from_hunks
from gitnotes.read.hunk_definitions import enclosing_definition
from gitnotes.records import Hunk
from tests.draft.patches import add, change, edit


@pytest.mark.parametrize(
    ("path", "line", "kind", "name"),
    [
        ("a.py", "async def fetch_all(self, url):", "function", "fetch_all"),
        ("a.py", "class Parser(Base):", "class", "Parser"),
        ("a.py", "MAX_SIZE: int = 4", "constant", "MAX_SIZE"),
        ("a.ts", "export async function loadUser(id: string) {", "function", "loadUser"),
        ("a.js", "export const toList = (value) => [value];", "function", "toList"),
        ("a.tsx", "export default class App extends Component {", "class", "App"),
        ("a.ts", "export interface Options {", "type", "Options"),
        ("a.go", "func (h *Head) Truncate(mint int64) error {", "method", "Truncate"),
        ("a.go", "func NewHead(opts Options) *Head {", "function", "NewHead"),
        ("a.go", "type Appender interface {", "type", "Appender"),
        ("a.rs", "pub(crate) async fn parse_line<'a>(input: &'a str) -> Line {", "function", "parse_line"),
        ("a.rs", "pub struct Lexer {", "type", "Lexer"),
        ("A.java", "    public static <T> List<T> sorted(List<T> items) {", "method", "sorted"),
        ("A.java", "public final class Cache implements Store {", "class", "Cache"),
        ("a.c", "static int read_block(struct file *f, size_t n)", "function", "read_block"),
        ("a.h", "#define BLOCK_SIZE 512", "constant", "BLOCK_SIZE"),
        ("a.cpp", "std::string Token::text() const {", "function", "Token::text"),
        ("A.cs", "    public async Task<int> CountAsync(string name)", "method", "CountAsync"),
        ("A.cs", "public interface IStore", "type", "IStore"),
        ("a.rb", "  def self.build(options = {})", "function", "build"),
        ("a.rb", "class Worker < Base", "class", "Worker"),
        ("a.php", "    public function handle(Request $request)", "function", "handle"),
        ("a.sh", "install_hook() {", "function", "install_hook"),
        ("a.kt", "    suspend fun load(id: Int): User {", "function", "load"),
    ],
)
def test_a_new_definition_is_found(path: str, line: str, kind: str, name: str) -> None:
    found = definitions_from_hunks(change(edit(path, f" \n+{line}\n+    body\n ")))
    assert [(item.action, item.kind, item.name) for item in found] == [("added", kind, name)]


@pytest.mark.parametrize(
    "line", ["    if (ready) {", "    return call(1)", "    for (;;) {", "x = defer()", "} else if (a) {"]
)
@pytest.mark.parametrize("suffix", ["py", "js", "go", "java", "c"])
def test_a_statement_is_no_definition(line: str, suffix: str) -> None:
    assert definitions_from_hunks(change(edit(f"a.{suffix}", f" a\n+{line}\n b"))) == ()


def test_the_parameter_that_came_is_named() -> None:
    (item,) = definitions_from_hunks(
        change(edit("a.py", "-def open(path, mode):\n+def open(path, mode, encoding=None):\n     pass"))
    )
    assert (item.action, item.added_parameters, item.removed_parameters) == ("changed", ("encoding",), ())


def test_a_parameter_on_its_own_line_is_named() -> None:
    text = " def open(\n     path: str,\n+    encoding: str | None = None,\n ) -> None:\n+    use(encoding)"
    (item,) = definitions_from_hunks(change(edit("a.py", text)))
    assert (item.name, item.added_parameters) == ("open", ("encoding",))


def test_go_parameters_are_compared_by_name() -> None:
    text = "-func Open(dir string, opts *Options) error {\n+func Open(dir string, o *Options) error {"
    (item,) = definitions_from_hunks(change(edit("a.go", text)))
    assert (item.added_parameters, item.removed_parameters) == (("o",), ("opts",))


def test_a_rename_is_one_event() -> None:
    (item,) = definitions_from_hunks(
        change(edit("a.py", "-def read_file(path):\n+def read_text(path):\n     pass"))
    )
    assert (item.action, item.old_name, item.name) == ("renamed", "read_file", "read_text")


def test_unlike_definitions_are_no_rename() -> None:
    text = "-def connect(host):\n-    x\n+def parse(text, flags):\n+    y"
    assert {item.action for item in definitions_from_hunks(change(edit("a.py", text)))} == {
        "added",
        "removed",
    }


def test_a_move_between_files_is_one_event() -> None:
    found = definitions_from_hunks(
        change(
            edit("old.py", "-def helper(x):\n-    return x"), edit("new.py", "+def helper(x):\n+    return x")
        )
    )
    assert [(item.action, item.old_path, item.path) for item in found] == [("moved", "old.py", "new.py")]


def test_methods_know_their_class_and_options_their_name() -> None:
    found = definitions_from_hunks(
        change(
            edit(
                "cli.py",
                ' class App:\n+    def run(self):\n+        parser.add_argument("-q", "--quiet", help="x")',
            )
        )
    )
    assert {(item.kind, item.name, item.owner) for item in found} == {
        ("method", "run", "App"),
        ("option", "--quiet", ""),
    }


def test_a_body_change_names_the_definition_from_the_heading() -> None:
    (item,) = definitions_from_hunks(
        change(edit("a.go", " x\n-y\n+z", heading="func (h *Head) Close() error {"))
    )
    assert (item.action, item.name, item.owner, item.lines) == ("changed", "Close", "Head", 2)


def test_an_inner_function_belongs_to_the_outer_one() -> None:
    (item,) = definitions_from_hunks(
        change(edit("a.py", " def outer():\n     def inner():\n-        x\n+        y"))
    )
    assert item.name == "outer"


def test_the_enclosing_definition_comes_from_context_first() -> None:
    hunk = Hunk("a.py", 1, 2, 1, 3, "def before():", (" def here():", "+    x", " y"))
    assert enclosing_definition(hunk) == ("function", "here")


def test_heaviest_first_and_lock_files_ignored() -> None:
    found = definitions_from_hunks(
        change(
            add("a.py", "def small():\n    x"),
            add("b.py", "def big():\n    x\n    y\n    z"),
            add("uv.lock", "name = 'x'"),
        )
    )
    assert [item.name for item in found] == ["big", "small"]


def test_an_endless_line_costs_nothing() -> None:
    assert definitions_from_hunks(change(edit("a.js", "+" + "function (" * 200_000))) == ()
