import pytest

from gitnotes.kinds import kind_of, theme_of


@pytest.mark.parametrize(
    ("path", "kind"),
    [("src/a.py", "code"), ("tests/test_a.py", "test"), ("pkg/a_test.go", "test"), ("docs/a.rst", "docs"),
    ("README.md", "docs"),
     ("poetry.lock", "lock"), ("go.sum", "lock"), ("pyproject.toml", "manifest"),
     (".github/workflows/x.yml", "ci"),
     ("CHANGES.rst", "changelog"), ("logo.png", "image"), ("src/contest.py", "code")],
)  # fmt: skip
def test_kind_of_a_path(path, kind):
    assert kind_of(path) == kind


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("vendor/lib/a.go", "vendored"), ("uv.lock", "lock"), ("deps/clock.json", "config"),
        (".go-version", "manifest"), ("requirements/dev.in", "manifest"), ("LICENSE", "licence"),
        ("api/x.pb.go", "generated"), ("docs/logo.png", "docs"), ("specs/a.rb", "test"),
        (".github/CODEOWNERS", "other"), ("Makefile", "config"),
    ],
)  # fmt: skip
def test_finer_kinds(path, kind):
    assert kind_of(path) == kind


def test_the_kinds_of_a_large_change_are_worked_out_once() -> None:
    paths = [f"src/part{number}.py" for number in range(20_000)]
    kind_of.cache_clear()
    for _ in range(3):
        theme_of(paths)
    assert kind_of.cache_info().misses == len(paths)
