"""What are entries made from, and how does a template lay them out?"""

from __future__ import annotations

import pytest

from tests.conftest import Repo
from tests.test_cli import PARSER, RETRY, assert_sentence, run

TEMPLATE = """\
# {{ version }} ({{ commits }} commits)
{% for group in groups %}
{{ group.heading }}:
{% for entry in group.entries %}
* {{ entry.markdown }}{% for pull in entry.pulls %} {{ pull.name }}<{{ pull.url }}>{% endfor %}

{% endfor %}
{% endfor %}
Thanks to {{ contributors | join(", ") }}{% if newcomers %}, welcome {{ newcomers | join(", ") }}{% endif %}

{{ compare_url }}
"""


@pytest.fixture
def project(repo: Repo) -> Repo:
    """A pull request of two commits, and a commit whose subject says nothing."""
    repo.git("remote", "add", "origin", "https://github.com/o/p.git")
    repo.commit("Begin", {"src/parser.py": "x = 1\n", "src/client.py": "import time\n"})
    repo.tag("v1.0.0")
    repo.branch("topic")
    repo.commit("Write the first half", {"src/retry.py": RETRY})
    repo.commit("Write the rest", {"src/retry.py": RETRY + "\n\nLIMIT = 3\n"})
    repo.switch("main")
    repo.merge("topic", "Merge pull request #7 from a/topic\n\nRetry failed calls of `List<T>`")
    repo.commit("fix stuff", {"src/parser.py": PARSER})
    return repo


def test_the_tree_is_the_default_and_a_diff_speaks_where_a_subject_does_not(project: Repo) -> None:
    out = run("release").out
    assert "Retry failed calls of `List<T>` ([#7](https://github.com/o/p/pull/7))" in out
    assert "half" not in out and "stuff" not in out.lower()
    assert "parse" in out


def test_commits_alone_are_told_one_by_one(project: Repo) -> None:
    out = run("release", "--from", "commits", "--style", "titles").out
    assert "Write the first half" in out and "Write the rest" in out and "fix stuff" in out
    assert "Retry failed calls" not in out
    found = run("release", "--from", "commits", "--json").json()
    assert found["settings"]["from"] == "commits"
    assert [item["reason"] for item in found["omitted"]] == ["merge; only commits are told"]


def test_diffs_tell_what_was_done_whatever_the_titles_say(project: Repo) -> None:
    out = run("release", "--from", "diffs").out
    assert "fetch_with_retry" in out or "retry" in out.lower()
    assert "Retry failed calls" not in out and "stuff" not in out
    assert "(#7)" in out or "[#7]" in out
    assert run("release", "--from", "diffs", "--json").json()["settings"]["diffs"] == "2"


def test_another_source_is_refused(project: Repo) -> None:
    assert_sentence(run("release", "--from", "tea"), 2)


def test_a_template_lays_it_out(project: Repo) -> None:
    project.commit("Add a door", {"d.py": "1\n"}, "--author=Bo *New* <bo@example.org>")
    (project.path / "note.j2").write_text(TEMPLATE)
    out = run("release", "--as", "1.1.0", "--template", "note.j2").out
    assert out.startswith("# 1.1.0 (5 commits)\n")
    assert "* Retry failed calls of `List<T>` #7<https://github.com/o/p/pull/7>\n" in out
    assert "Features:\n" in out
    assert "Thanks to Ada Example, Bo \\*New\\*, welcome Bo \\*New\\*\n" in out
    assert out.endswith("https://github.com/o/p/compare/v1.0.0...v1.1.0\n")


@pytest.mark.parametrize(
    "template",
    [
        "{{ ''.__class__.__mro__ }}",
        "{{ entries.append(1) }}",
        "{% for x in y %}",
        "{{ nothing_like_it }}",
        "{{ 1 / 0 }}",
        "{% include '/etc/passwd' %}",
        "{% for a in range(9999) %}{% for b in range(9999) %}xxxxxxxxxx{% endfor %}{% endfor %}",
        "{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}",
        "{% macro again() %}{{ again() }}{% endmacro %}{{ again() }}",
        "{{ " + "(" * 20_000 + " }}",
        "{% for a in [1] %}" * 30 + "{% endfor %}" * 30,
        "{{ 'x' * 10**10 }}",
        "{{ [0] * 10**9 }}",
        "{{ 9 ** (9 ** 9) }}",
        "{{ 1 | dictsort }}",
    ],
)
def test_a_template_with_a_fault_or_a_wish_to_escape_is_refused(project: Repo, template: str) -> None:
    (project.path / "bad.j2").write_text(template)
    assert_sentence(run("release", "--template", "bad.j2"), 2)


def test_a_template_that_is_not_there(project: Repo) -> None:
    assert_sentence(run("release", "--template", "none.j2"), 3)


def test_nouns_alone_call_nothing_a_fix_where_all_is_new(repo: Repo) -> None:
    repo.commit("Begin", {"src/a.py": "x = 1\n"})
    repo.tag("v1.0.0")
    repo.commit("Lay the foundation: missing values, errors and wrong text", {"src/errors.py": "y = 1\n"})
    repo.commit("Weigh wrong errors and missing text anew", {"src/a.py": "x = 2\n"})
    found = {item["text"]: item["category"] for item in run("release", "--json").json()["entries"]}
    assert found["Lay the foundation: missing values, errors and wrong text"] == "Changes"
    assert found["Weigh wrong errors and missing text anew"] == "Fixes"


def test_what_is_only_likely_a_fix_is_a_change(repo: Repo) -> None:
    repo.commit("Begin", {"src/a.py": "x = 1\n"})
    repo.tag("v1.0.0")
    repo.commit("Weigh records, errors and text anew", {"src/a.py": "x = 2\n"})
    assert run("release", "--json").json()["entries"][0]["category"] == "Changes"


def test_the_same_empty_title_is_told_apart_by_its_diffs(repo: Repo) -> None:
    repo.commit("Begin", {"a.py": "x = 1\n"})
    repo.tag("v1.0.0")
    shas = [repo.commit("stuff", {f"{name}.bin": b"\0" + name.encode()}) for name in ("one", "two")]
    twice = [repo.commit("wip", {'a".x': b"\0" + mark}) for mark in (b"1", b"2")]
    entries = run("release", "--json").json()["entries"]
    assert [entry["text"] for entry in entries[:2]] == ["Add one.bin", "Add two.bin"]
    assert [entry["commits"] for entry in entries[:2]] == [[sha] for sha in shas]
    told = [sha for entry in entries for sha in entry["commits"]]
    assert sorted(told) == sorted([*shas, *twice]) and len({entry["text"] for entry in entries}) == len(
        entries
    )
