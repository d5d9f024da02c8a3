"""Is a value that became another one told with its name, and nothing else taken for one?"""

from __future__ import annotations

import pytest

from gitnotes.changes import add_parts, read_staged_change
from gitnotes.draft.evidence import gather
from gitnotes.draft.style import Style
from gitnotes.draft.values import say_value
from gitnotes.read.git import open_git
from tests.conftest import Repo

CLIENT = (
    "def fetch(url, retries=3, *, timeout: float = 1.0, cache=False):\n    return get(url, tries=4)\n\n\n"
    'MAX_SIZE = 10\nMODE = "fast"\nlimits = {"depth": 8}\n'
)


def told(repo: Repo, name: str, before: str, after: str) -> list[str]:
    repo.commit("Add it", {name: before})
    repo.write(name, after)
    git = open_git(repo.path)
    return list(say_value(gather(add_parts(git, read_staged_change(git))), Style()))


@pytest.mark.parametrize(
    ("old", "new", "subject"),
    [
        ("retries=3", "retries=5", "Change default of retries from 3 to 5 in fetch"),
        ("float = 1.0", "float = 2.5", "Change default of timeout from 1.0 to 2.5 in fetch"),
        ("cache=False", "cache=True", "Enable cache by default in fetch"),
        ("tries=4", "tries=2", "Reduce tries from 4 to 2"),
        ("MAX_SIZE = 10", "MAX_SIZE = 20", "Increase max size from 10 to 20"),
        ('"fast"', '"slow"', "Change MODE from fast to slow"),
        ('"depth": 8', '"depth": 9', "Increase depth from 8 to 9"),
    ],
)
def test_the_value_is_told(repo: Repo, old: str, new: str, subject: str) -> None:
    assert told(repo, "client.py", CLIENT, CLIENT.replace(old, new))[0] == subject


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("get(url", "post(url"),
        ("return", "yield"),
        ("retries=3", "attempts=3"),
        ("MAX_SIZE = 10", "MAX_SIZE = 20 + 1"),
        ("MAX_SIZE = 10\nMODE", "MAX_SIZE = 20\nSPEED"),
        ('"fast"', '"\\x1b[31mred"'),
    ],
)
def test_nothing_else_is_a_value(repo: Repo, old: str, new: str) -> None:
    assert told(repo, "client.py", CLIENT, CLIENT.replace(old, new)) == []


def test_switches_of_settings(repo: Repo) -> None:
    assert (
        told(repo, "app.yml", "colour: off\nsize: 3\n", "colour: on\nsize: 3\n")[0]
        == "Enable colour in app.yml"
    )
    assert told(repo, "b.yml", "cache:\n  enabled: true\n", "cache:\n  enabled: false\n")[0] == (
        "Change enabled from true to false"
    )


def test_tests_and_documents_may_follow(repo: Repo) -> None:
    repo.write("test_client.py", "def test_fetch():\n    assert fetch() == 3\n")
    repo.write("README.md", "It tries 3 times.\n")
    repo.commit("Add a test")
    repo.write(
        "test_client.py", "def test_fetch():\n    assert fetch() == 5\n\n\ndef test_more():\n    pass\n"
    )
    repo.write("README.md", "It tries 5 times.\n")
    assert told(repo, "client.py", CLIENT, CLIENT.replace("retries=3", "retries=5"))[0].startswith(
        "Change default"
    )
