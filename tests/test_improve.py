"""gitnotes improve, as a person meets it: a draft mended, a range with better messages, a plan applied."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.test_cli import PARSER, RETRY, assert_sentence, run
from tests.write.test_reword import shape

OLD = "def fetch(client, url):\n    return client.get(url)\n"
NEW = "def fetch(client, url):\n    client.open()\n    return client.get(url, timeout=30)\n"
TRAILERS = (
    "Refs: #12\nCo-authored-by: Grace <grace@example.org>\nSigned-off-by: Ada Example <ada@example.org>"
)
REASON = "The server drops idle connections, so that a fetch fails once in a while."


@pytest.fixture
def project(repo: Repo) -> Repo:
    """A history in good style, and poor commits on top of `good`."""
    repo.commit("Start the project with a readme", {"README.md": "# Project\n"})
    repo.commit("Add a parser for comma separated text", {"src/parser.py": PARSER})
    repo.commit("Add fetch to the client", {"src/client.py": OLD})
    repo.tag("good")
    return repo


@pytest.fixture
def poor(project: Repo) -> Repo:
    project.commit("fix bug (#7)", {"src/client.py": NEW}, "--author=Grace <grace@example.org>")
    project.branch("side")
    project.commit(f"wip\n\n{REASON}\n\n{TRAILERS}", {"src/retry.py": RETRY})
    project.switch("main")
    project.commit("update", {"src/parser.py": PARSER.replace(",", ";")})
    project.merge("side", "Merge branch 'side'")
    project.commit(
        "Split text at tabs as well, since exports of spreadsheets have them", {"src/tabs.py": PARSER}
    )
    return project


@pytest.fixture
def staged(project: Repo) -> Repo:
    project.write("src/client.py", NEW)
    return project


# A text of one's own


def test_what_is_said_in_other_words_is_not_replaced_by_a_draft(staged: Repo) -> None:
    """The author may be right about the purpose, or in the wrong commit; no draft can tell."""
    result = run("improve", "-m", "Let mirror_pool outlive each satellite_link", "--min", "90")
    assert result.code == 0
    assert result.out == "Let mirror_pool outlive each satellite_link\n"
    assert "words that the change does not hold" in result.err


def test_form_is_mended_and_words_stay(staged: Repo) -> None:
    result = run("improve", "-m", f"fixed a timeout of the client.\n{REASON}\n{TRAILERS}")
    assert result.code == 0
    subject, _, rest = result.out.partition("\n\n")
    assert subject.startswith("Fix a timeout of the client")
    assert not subject.endswith(".")
    assert rest == f"{REASON}\n\n{TRAILERS}\n"
    before, after = result.err.split(" of 100")[0].split(" -> ")
    assert float(after) > float(before)


def test_object_is_named(staged: Repo) -> None:
    result = run("improve", "-m", "Fix timeout")
    assert result.out in ("Fix timeout in fetch\n", "Fix timeout in client\n")


def test_text_that_says_nothing_is_drafted(staged: Repo) -> None:
    result = run("improve", "-m", f"wip (#12)\n\n{REASON}\n\n{TRAILERS}")
    subject, _, rest = result.out.partition("\n\n")
    assert "fetch" in subject.lower() and subject.endswith("(#12)") and "wip" not in subject.lower()
    assert REASON in rest and rest.endswith(f"{TRAILERS}\n")


def test_good_text_stays(staged: Repo) -> None:
    good = f"Give fetch a timeout\n\n{REASON}"
    result = run("improve", "-m", good)
    assert result.out == good + "\n"
    assert "nothing to mend" in result.err


def test_sources_of_the_text(staged: Repo, tmp_path: Path) -> None:
    file = tmp_path / "MESSAGE"
    file.write_text("Fix timeout\n# a comment of git\n")
    wanted = run("improve", "-m", "Fix timeout").out
    assert run("improve", "--message-file", str(file)).out == wanted
    assert run("improve", "--stdin", data=b"Fix timeout").out == wanted
    found = run("improve", "-m", "Fix timeout", "--json").json()
    assert found["kind"] == "improvement" and found["sha"] is None
    assert found["better"] + "\n" == wanted and found["better_overall"] > found["overall"]


def test_type_that_the_repository_wants(repo: Repo) -> None:
    for number in range(4):
        repo.commit(f"feat: add part {number}", {f"part{number}.py": PARSER})
    repo.write("part0.py", NEW)
    found = run("improve", "-m", "Added a timeout to fetch.").out
    assert found.split(":")[0] in ("feat", "fix", "refactor")
    assert found.split(": ")[1].startswith("add a timeout to fetch")
    assert run("improve", "-m", "feat!:stuff").out.startswith("feat!: ")


def test_revert_is_left_alone(staged: Repo) -> None:
    text = 'Revert "Add fetch to the client"'
    result = run("improve", "-m", text)
    assert result.out == text + "\n" and "only a person knows" in result.err


@pytest.mark.parametrize("text", ["Merge branch 'side'", "Merge commit from fork"])
def test_the_subject_of_a_merge_is_left_alone(staged: Repo, text: str) -> None:
    result = run("improve", "-m", text, "--min", "99")
    assert result.out == text + "\n" and "unchanged: " in result.err


@pytest.mark.parametrize("text", ["fix: fix bug", "Fix some minor issues", "bugfix", "fix the error."])
def test_a_place_makes_no_empty_phrase_better(staged: Repo, text: str) -> None:
    result = run("improve", "-m", text, "--min", "90", "--json").json()
    subject = (result["better"] or "").partition("\n")[0].lower()
    assert not any(word in subject.split() for word in ("bug", "bugfix", "issues", "error"))


def test_nothing_staged(project: Repo) -> None:
    assert_sentence(run("improve", "-m", "Fix timeout"), 3)


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("-m", "x", "--stdin"),
        ("HEAD~1..HEAD", "-m", "x"),
        ("-m", "x", "--output", "y"),
        ("--min", "nan", "-m", "x"),
    ],
)
def test_usage(staged: Repo, arguments: tuple[str, ...]) -> None:
    assert_sentence(run("improve", *arguments), 2)


@pytest.mark.parametrize("text", ["", "\n\n", "\x1b[31m", "#", "🎉", "a" * 100_000, "x\n" * 10_000, "\udcff"])
def test_odd_texts(staged: Repo, text: str) -> None:
    result = run("improve", "--stdin", data=text.encode("utf-8", "surrogateescape"))
    assert result.code == 0, result.err
    assert "\x1b" not in result.out


# A range


def test_range_is_shown_with_better_messages(poor: Repo) -> None:
    old = poor.git("rev-parse", "HEAD")
    result = run("improve", "good..HEAD", "--min", "40")
    assert result.code == 0
    assert poor.git("rev-parse", "HEAD") == old
    assert result.out.count("  -> ") == 3
    assert "5 commits, 3 below 40: 3 with a better message, 0 for a person." in result.out
    assert REASON in result.out and "(#7)" in result.out
    assert "Split text at tabs" not in result.out


def test_json_of_a_range(poor: Repo) -> None:
    found = run("improve", "good..HEAD", "--min", "40", "--json").json()
    assert (found["kind"], found["graded"], found["min"], found["plan"]) == ("improvements", 5, 40.0, None)
    assert len(found["commits"]) == 3
    for commit in found["commits"]:
        assert commit["better_overall"] > commit["overall"] and commit["reason"] is None
    (wip,) = [item for item in found["commits"] if item["message"].startswith("wip")]
    assert wip["better"].endswith(f"{REASON}\n\n{TRAILERS}")


def test_what_needs_a_person(project: Repo) -> None:
    sha = project.commit("nothing")
    project.commit("fixup! Add fetch to the client", {"src/client.py": NEW})
    project.commit("x", {"a.txt": "1\n"}, "--author=dependabot[bot] <bot@example.org>")
    project.git(
        "-c", "i18n.commitEncoding=x", "commit", "-q", "--allow-empty", "-m", "bad \udcff", check=False
    )
    result = run("improve", "good..HEAD", "--min", "99", "--json").json()
    reasons = {item["sha"]: item["reason"] for item in result["commits"]}
    assert "changes no file" in reasons[sha]
    assert any("squash" in reason for reason in reasons.values())
    assert any("a program wrote it" in reason for reason in reasons.values())
    assert all(item["better"] is None for item in result["commits"] if item["reason"])


def test_plan_is_applied(poor: Repo, tmp_path: Path) -> None:
    old = poor.git("rev-parse", "HEAD")
    folder = tmp_path / "the plan"
    found = run("improve", "good..HEAD", "--min", "40", "--output", str(folder), "--json").json()
    plan = found["plan"]
    assert (plan["reworded"], plan["made_again"]) == (3, 5)
    assert poor.git("rev-parse", "HEAD") == old and poor.git("status", "--porcelain") == ""
    done = poor.run("sh", "-c", plan["command"])
    assert done.returncode == 0, done.stderr
    assert poor.git("diff", old, "HEAD") == ""
    assert shape(poor, "HEAD") == shape(poor, old)
    stored = poor.run("git", "log", "-z", "--format=%B", "good..HEAD").stdout.decode().split("\0")
    for commit in found["commits"]:
        assert commit["better"] + "\n" in stored
    again = run("grade", "good..HEAD", "--min", "40")
    assert again.code == 0, again.out
    assert run("improve", "good..HEAD", "--min", "40").out == "5 commits, none below 40.\n"


def test_warnings_before_a_plan_is_applied(poor: Repo, tmp_path: Path) -> None:
    poor.git("update-ref", "refs/remotes/origin/main", "HEAD~1")
    poor.tag("v1")
    (poor.path / "README.md").write_text("changed\n")
    result = run("improve", "good..HEAD", "--min", "40", "--output", str(tmp_path / "plan"))
    assert result.code == 0
    for words in ("4 of these commits are on a remote branch", "not committed", "side, v1"):
        assert words in result.err
    assert "signed" not in result.err and "rebase is going on" not in result.err
    assert "rebase -i --rebase-merges" in result.err


def test_plan_for_what_is_checked_out_only(poor: Repo, tmp_path: Path) -> None:
    poor.git("checkout", "-q", "good")
    folder = str(tmp_path / "plan")
    assert_sentence(run("improve", "good..main", "--min", "40", "--output", folder, "--json"), 2)
    poor.git("checkout", "-q", "main")
    assert not (tmp_path / "plan").exists()


def test_no_plan_where_nothing_is_poor(poor: Repo, tmp_path: Path) -> None:
    folder = str(tmp_path / "plan")
    result = run("improve", "good..main", "--min", "1", "--output", folder)
    assert result.code == 0 and "no plan to write" in result.err
    assert run("improve", "good..main", "--min", "1", "--output", folder, "--json").json()["plan"] is None
    assert not (tmp_path / "plan").exists()


def test_range_that_ends_before_the_tip(poor: Repo, tmp_path: Path) -> None:
    old = poor.git("rev-parse", "HEAD")
    plan = run("improve", "good..HEAD~2", "--min", "40", "--output", str(tmp_path / "p"), "--json").json()[
        "plan"
    ]
    assert plan["reworded"] < plan["made_again"]
    assert poor.run("sh", "-c", plan["command"]).returncode == 0
    assert shape(poor, "HEAD") == shape(poor, old)


def test_shallow_clone_cannot_be_judged(poor: Repo, tmp_path: Path) -> None:
    poor.git("clone", "-q", "--depth=2", poor.path.as_uri(), str(tmp_path / "clone"))
    result = run("-C", str(tmp_path / "clone"), "improve", "HEAD", "--output", str(tmp_path / "plan"))
    assert_sentence(result, 3)
    assert not (tmp_path / "plan").exists()


def test_bare_repository_has_no_plan(poor: Repo, tmp_path: Path) -> None:
    poor.git("clone", "-q", "--bare", ".", str(tmp_path / "bare"))
    bare = ("-C", str(tmp_path / "bare"), "improve", "HEAD~1..HEAD", "--min", "99")
    assert run(*bare).code == 0
    result = run(*bare, "--output", str(tmp_path / "plan"))
    assert result.code == 3 and not (tmp_path / "plan").exists()
