from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from gitnotes.errors import CannotJudge, UnknownRevision, UsageError
from gitnotes.read.git import open_git
from gitnotes.read.remotes import Remote, read_remote_url, remote_links
from gitnotes.read.versions import VersionRange, list_tags, package_paths, resolve_range
from gitnotes.versioning import (
    Version,
    is_unreleased,
    read_version,
    release_ranks,
    scheme_of,
    version_in_heading,
)
from tests.conftest import Repo


def span(repo: Repo, text: str) -> VersionRange:
    return resolve_range(open_git(repo.path), text)


@pytest.fixture
def tagged(repo: Repo) -> Repo:
    for name in ("v0.1.0", "v0.9.0", "v0.10.0"):
        repo.commit(f"feat: {name}")
        repo.tag(name)
    return repo


def test_a_range_names_both_ends(tagged: Repo) -> None:
    found = span(tagged, "v0.1.0..v0.10.0")
    assert (found.start, found.end, found.version) == ("v0.1.0", "v0.10.0", "0.10.0")
    assert found.start_sha == tagged.git("rev-parse", "v0.1.0")
    assert found.end_sha == tagged.git("rev-parse", "v0.10.0")
    assert found.date == "2023-11-14"
    assert found.start_is_ancestor


@pytest.mark.parametrize("text", ["v0.10.0", "..v0.10.0", "tags/v0.10.0", "..", " v0.10.0 "])
def test_the_version_before_is_found_in_version_order(tagged: Repo, text: str) -> None:
    if text == "..":
        with pytest.raises(UsageError):
            span(tagged, text)
        return
    assert span(tagged, text).start == "v0.9.0"


def test_three_dots_are_what_came_since_the_two_parted(tagged: Repo) -> None:
    assert span(tagged, "v0.9.0...v0.10.0") == span(tagged, "v0.9.0..v0.10.0")


def test_an_open_end_is_head(tagged: Repo) -> None:
    tagged.commit("fix: later")
    for text in ("v0.10.0..", "HEAD", "main"):
        found = span(tagged, text)
        assert (found.start, found.version) == ("v0.10.0", "Unreleased")
        assert found.end_sha == tagged.git("rev-parse", "HEAD")


def test_head_on_a_tag_has_its_version(tagged: Repo) -> None:
    found = span(tagged, "v0.9.0..HEAD")
    assert (found.end, found.version) == ("HEAD", "0.10.0")
    assert span(tagged, "HEAD").start == "v0.9.0"


def test_a_first_release_starts_at_the_root(repo: Repo) -> None:
    repo.commit("feat: first")
    repo.tag("v1.0.0")
    found = span(repo, "v1.0.0")
    assert (found.start, found.start_sha, found.start_is_ancestor) == (None, None, True)


def test_packages_keep_to_their_series(repo: Repo) -> None:
    for name in ("pkg/v1.0.0", "pkg/v1.1.0", "other/v1.0.5", "other/v1.1.0"):
        repo.commit(f"feat: {name}")
        repo.tag(name)
    found = span(repo, "pkg/v1.1.0")
    assert (found.start, found.version) == ("pkg/v1.0.0", "1.1.0")
    assert span(repo, "other/v1.1.0").start == "other/v1.0.5"
    assert span(repo, "pkg/v1.0.0..pkg/v1.1.0").version == "1.1.0"


def test_a_version_of_another_branch_is_not_before(repo: Repo) -> None:
    repo.commit("one")
    repo.tag("v1.0.0")
    repo.branch("1.x")
    repo.switch("main")
    repo.commit("two")
    repo.tag("v2.0.0")
    repo.switch("1.x")
    repo.commit("patch")
    repo.tag("v1.0.1")
    assert span(repo, "v2.0.0").start == "v1.0.0"
    assert span(repo, "v1.0.1").start == "v1.0.0"
    apart = span(repo, "v1.0.1..v2.0.0")
    assert not apart.start_is_ancestor


def test_release_candidates_belong_to_their_final(repo: Repo) -> None:
    for name in ("v1.0.0", "v1.1.0-rc.1", "v1.1.0-rc.2", "v1.1.0"):
        repo.commit(name)
        repo.tag(name)
    assert span(repo, "v1.1.0").start == "v1.0.0"
    assert span(repo, "v1.1.0-rc.2").start == "v1.1.0-rc.1"
    assert span(repo, "v1.1.0-rc.1").start == "v1.0.0"


def test_annotated_and_plain_tags_are_both_read(repo: Repo) -> None:
    repo.commit("one")
    repo.tag("v1.0.0", "-a", "-m", "one")
    repo.commit("two")
    repo.tag("v1.1.0")
    repo.commit("three")
    repo.tag("v1.2.0", "-a", "-m", "three")
    repo.git("tag", "-a", "-m", "twice", "v1.1.5", "v1.1.0")
    repo.git("tag", "-a", "-m", "nested", "v1.1.6", "v1.1.5")
    assert span(repo, "v1.1.0").start == "v1.0.0"
    assert span(repo, "v1.2.0").start == "v1.1.6"
    assert {tag.name for tag in list_tags(open_git(repo.path))} == {
        "v1.0.0",
        "v1.1.0",
        "v1.1.5",
        "v1.1.6",
        "v1.2.0",
    }


def test_the_date_is_that_of_the_annotated_tag_in_utc(repo: Repo) -> None:
    repo.commit("one")
    repo.git("tag", "-a", "-m", "x", "v1.0.0", GIT_COMMITTER_DATE="2024-03-01T00:30:00+02:00")
    assert span(repo, "v1.0.0").date == "2024-02-29"


def test_tags_of_files_and_branches_are_no_versions(repo: Repo) -> None:
    repo.commit("one", {"key": "data"})
    repo.git("tag", "v0.5.0", "HEAD:key")
    repo.git("tag", "v0.6.0", "HEAD^{tree}")
    repo.tag("2.3.x")
    repo.commit("two")
    repo.tag("v1.0.0")
    assert span(repo, "v1.0.0").start is None
    with pytest.raises(UnknownRevision):
        span(repo, "v0.5.0..v1.0.0")


@pytest.mark.parametrize(
    ("text", "hint"),
    [("v0.11.0..HEAD", "v0.10.0"), ("0.9.0", "v0.9.0"), ("v0.1.0..mian", "main"), ("zzz", "git tag")],
)
def test_an_unknown_name_gets_a_suggestion(tagged: Repo, text: str, hint: str) -> None:
    with pytest.raises(UnknownRevision) as caught:
        span(tagged, text)
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    "text", ["--output=/tmp/x", "-n1..HEAD", "HEAD..--all", "--", "^HEAD", "HEAD:x", "@{u}"]
)
def test_options_are_never_taken_for_revisions(tagged: Repo, text: str) -> None:
    with pytest.raises(UnknownRevision):
        span(tagged, text)


@pytest.mark.parametrize("text", ["", "  ", "..", "...", "a\nb", "v1\0"])
def test_an_empty_range_text_is_refused(tagged: Repo, text: str) -> None:
    with pytest.raises(UsageError):
        span(tagged, text)


def test_a_range_without_commits_cannot_be_judged(tagged: Repo) -> None:
    tagged.tag("v0.10.1")
    with pytest.raises(CannotJudge, match="both are commit"):
        span(tagged, "v0.10.0..v0.10.1")
    with pytest.raises(CannotJudge, match="both are commit"):
        span(tagged, "v0.10.1")
    with pytest.raises(CannotJudge) as caught:
        span(tagged, "v0.9.0..v0.1.0")
    assert "v0.1.0..v0.9.0" in caught.value.hint
    assert caught.value.exit_code == 3


def test_an_empty_repository_has_nothing(repo: Repo) -> None:
    with pytest.raises(CannotJudge, match="no commits"):
        span(repo, "HEAD")


def test_a_shallow_clone_is_noticed(tagged: Repo, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    source = f"file://{tagged.path}"
    subprocess.run(["git", "clone", "--quiet", "--depth", "2", source, str(clone)], check=True)
    git = open_git(clone)
    with pytest.raises(CannotJudge) as caught:
        resolve_range(git, "v0.9.0")
    assert "git fetch --unshallow --tags" in caught.value.hint
    with pytest.raises(UnknownRevision) as missing:
        resolve_range(git, "v0.1.0..v0.10.0")
    assert "--unshallow" in missing.value.hint
    assert resolve_range(git, "v0.10.0") == resolve_range(open_git(tagged.path), "v0.10.0")


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("v0.9.0", "v0.10.0"),
        ("24.1a1", "24.1.0"),
        ("1.0.0-alpha.2", "1.0.0-alpha.10"),
        ("1.0.0-alpha", "1.0.0-beta"),
        ("1.0.0-rc.1", "1.0.0"),
        ("1.0.dev3", "1.0a1"),
        ("1.0", "1.0.post1"),
        ("v4.0.0.pre.alpha1", "v4.0.0"),
        ("2024-04-30", "2024-05-01"),
        ("REL_9_6_24", "REL_15_2"),
    ],
)
def test_versions_are_ordered(older: str, newer: str) -> None:
    first, second = read_version(older), read_version(newer)
    assert first is not None and second is not None
    assert first.key < second.key
    assert first.series == second.series


@pytest.mark.parametrize(
    ("name", "series", "shown"),
    [
        ("pkg/v1.1.0", "pkg/", "1.1.0"),
        ("@scope/pkg@1.2.3", "@scope/pkg@", "1.2.3"),
        ("proj1-2.0.0", "proj1-", "2.0.0"),
        ("home-0.5.12", "home-", "0.5.12"),
        ("v1.2.3+build.5", "", "1.2.3+build.5"),
    ],
)
def test_series_and_shown_name(name: str, series: str, shown: str) -> None:
    version = read_version(name)
    assert version is not None
    assert (version.series, version.name) == (series, shown)


@pytest.mark.parametrize(
    "name", ["2.3.x", "junio-gpg-pub", "latest", "", "v", "main", "1" * 5000, "1." * 5000]
)
def test_what_is_no_version(name: str) -> None:
    assert read_version(name) is None


@pytest.mark.parametrize(
    ("heading", "shown"),
    [
        ("[1.1.0] - 2024-05-01", "1.1.0"),
        ("2.55.0 / 2024-10-22", "2.55.0"),
        ("Version 3.0.0", "3.0.0"),
        ("[1.2.0](https://x/y) (2024-01-01)", "1.2.0"),
        ("Flask 3.0.0", "3.0.0"),
        ("**v1.0**", "1.0"),
        ("Stable style", None),
        ("3 ideas", None),
        ("Unreleased", None),
    ],
)
def test_headings(heading: str, shown: str | None) -> None:
    version = version_in_heading(heading)
    assert (version.name if version else None) == shown
    assert is_unreleased(heading) == (heading == "Unreleased")


@pytest.mark.parametrize(
    "heading", ["Upcoming", "HEAD", "TBD", "Next - 2.0", "In development", "main / unreleased"]
)
def test_what_has_no_version_yet(heading: str) -> None:
    assert is_unreleased(heading)


@pytest.mark.parametrize("heading", ["Development Fixes", "Next steps", "Headers", "Upcoming removals"])
def test_headings_of_entries_are_no_versions(heading: str) -> None:
    assert not is_unreleased(heading)


GITHUB = Remote("github", "https://github.com/acme/proj")


@pytest.mark.parametrize(
    ("url", "remote"),
    [
        ("https://github.com/acme/proj.git", GITHUB),
        ("https://user:secret@github.com/acme/proj", GITHUB),
        ("git@github.com:acme/proj.git", GITHUB),
        ("github.com:acme/proj/", GITHUB),
        ("ssh://git@github.com:22/acme/proj.git", GITHUB),
        ("git://github.com/acme/proj.git", GITHUB),
        ("git+ssh://git@github.com/acme/proj.git", GITHUB),
        ("https://github.acme.org:8443/a/p.git", Remote("github", "https://github.acme.org:8443/a/p")),
        ("git@gitlab.com:group/sub/proj.git", Remote("gitlab", "https://gitlab.com/group/sub/proj")),
        ("git@bitbucket.org:team/proj.git", Remote("bitbucket", "https://bitbucket.org/team/proj")),
        ("https://codeberg.org/a/p.git", Remote("gitea", "https://codeberg.org/a/p")),
        ("ssh://git@gitea.acme.org:2222/a/p.git", Remote("gitea", "https://gitea.acme.org/a/p")),
        (
            "https://org@dev.azure.com/org/My%20Project/_git/repo",
            Remote("azure", "https://dev.azure.com/org/My%20Project/_git/repo"),
        ),
        (
            "git@ssh.dev.azure.com:v3/org/proj/repo",
            Remote("azure", "https://dev.azure.com/org/proj/_git/repo"),
        ),
        (
            "https://org.visualstudio.com/proj/_git/repo",
            Remote("azure", "https://dev.azure.com/org/proj/_git/repo"),
        ),
        ("https://notgithub.com/acme/proj", None),
        ("https://example.org/acme/proj.git", None),
        ("https://github.com/acme", None),
        ("https://github.com/acme/../etc", None),
        ("/srv/git/github.com/acme/proj", None),
        ("C:\\github\\proj", None),
        ("file:///github.com/acme/proj", None),
        ("ext::sh -c github.com:a/b", None),
        ("https://github.com:bad/acme/proj", None),
        ("", None),
    ],
)
def test_remote_urls(url: str, remote: Remote | None) -> None:
    assert read_remote_url(url) == remote


def test_a_hostile_path_cannot_leave_its_link() -> None:
    remote = read_remote_url("https://github.com/acme/p)<b>[x](y")
    assert remote is not None
    assert not set(remote.pull_url(1)) & set("()<>[] ")
    assert not set(GITHUB.compare_url("v1)", "v2<")) & set("()<>[] ")


def test_pages_by_host() -> None:
    assert GITHUB.pull_url(5) == "https://github.com/acme/proj/pull/5"
    assert GITHUB.issue_url(5) == "https://github.com/acme/proj/issues/5"
    assert GITHUB.commit_url("abc") == "https://github.com/acme/proj/commit/abc"
    assert GITHUB.compare_url("pkg/v1", "pkg/v2") == "https://github.com/acme/proj/compare/pkg/v1...pkg/v2"
    gitlab = Remote("gitlab", "https://gitlab.com/g/p")
    assert (gitlab.pull_mark, gitlab.pull_url(5)) == ("!", "https://gitlab.com/g/p/-/merge_requests/5")
    assert gitlab.compare_url("a", "b") == "https://gitlab.com/g/p/-/compare/a...b"
    bitbucket = Remote("bitbucket", "https://bitbucket.org/t/p")
    assert bitbucket.commit_url("abc") == "https://bitbucket.org/t/p/commits/abc"
    assert bitbucket.compare_url("a", "b") == "https://bitbucket.org/t/p/branches/compare/b%0Da"
    azure = Remote("azure", "https://dev.azure.com/o/p/_git/r")
    assert azure.pull_url(5) == "https://dev.azure.com/o/p/_git/r/pullrequest/5"
    assert azure.issue_url(5) == "https://dev.azure.com/o/p/_workitems/edit/5"


def test_the_remote_of_issues(repo: Repo, make_repo: Callable[..., Repo]) -> None:
    git = open_git(repo.path)
    assert remote_links(git) is None
    repo.git("remote", "add", "origin", "https://token:x@github.com/me/proj.git")
    assert remote_links(git) == Remote("github", "https://github.com/me/proj")
    repo.git("remote", "add", "upstream", "git@github.com:acme/proj.git")
    assert remote_links(git) == GITHUB
    other = make_repo("other")
    other.git("remote", "add", "elsewhere", "git@gitlab.com:a/b.git")
    assert remote_links(open_git(other.path)) == Remote("gitlab", "https://gitlab.com/a/b")


def test_latest_and_unreleased(tagged: Repo) -> None:
    latest = span(tagged, "latest")
    assert (latest.start, latest.end, latest.version) == ("v0.9.0", "v0.10.0", "0.10.0")
    with pytest.raises(CannotJudge, match="both are commit"):
        span(tagged, "unreleased")
    tagged.commit("Later")
    tagged.tag("v0.11.0-rc.1")
    later = tagged.commit("Last")
    assert span(tagged, "latest").end == "v0.10.0"
    for text in ("unreleased", "latest..", "latest..HEAD", "v0.10.0..unreleased"):
        found = span(tagged, text)
        assert (found.start, found.end, found.end_sha, found.version) == (
            "v0.10.0",
            "HEAD",
            later,
            "Unreleased",
        )
    assert span(tagged, "v0.1.0..latest").end == "v0.10.0"
    assert span(tagged, "..latest") == span(tagged, "latest")


def test_latest_is_what_the_branch_descends_from(tagged: Repo) -> None:
    tagged.git("checkout", "-q", "-b", "0.9.x", "v0.9.0")
    tagged.commit("Fix")
    tagged.tag("v0.9.1")
    assert (span(tagged, "latest").start, span(tagged, "latest").end) == ("v0.9.0", "v0.9.1")


def test_words_without_versions(repo: Repo) -> None:
    repo.commit("First")
    with pytest.raises(CannotJudge, match="no latest version"):
        span(repo, "latest")
    assert (span(repo, "unreleased").start, span(repo, "unreleased").version) == (None, "Unreleased")
    repo.tag("v1.0.0-alpha")
    assert span(repo, "latest").end == "v1.0.0-alpha"
    repo.git("tag", "latest")
    assert span(repo, "refs/tags/latest").end == "refs/tags/latest"


def test_words_of_packages(repo: Repo) -> None:
    for name in ("one@1.0.0", "@s/two@1.0.0", "one@1.1.0", "@s/two@2.0.0"):
        repo.commit(name)
        repo.tag(name)
    repo.commit("Later")
    assert (span(repo, "one@latest").start, span(repo, "one@latest").end) == ("one@1.0.0", "one@1.1.0")
    assert span(repo, "@s/two@unreleased").start == "@s/two@2.0.0"
    with pytest.raises(UsageError) as caught:
        span(repo, "latest")
    assert "one@latest" in caught.value.hint


def test_a_project_whose_tags_all_have_its_name(repo: Repo) -> None:
    for name in ("curl-7_9_1", "curl-7_10_0"):
        repo.commit(name)
        repo.tag(name)
    repo.commit("Later")
    assert span(repo, "latest").start == "curl-7_9_1"
    assert span(repo, "unreleased").start == "curl-7_10_0"
    assert span(repo, "HEAD").start == "curl-7_10_0"


def test_release_prefixes_are_the_main_series(repo: Repo) -> None:
    for name in ("v1.0.0", "release-1.1.0", "releases/1.2.0", "1.3.0"):
        repo.commit(name)
        repo.tag(name)
    assert span(repo, "1.3.0").start == "releases/1.2.0"
    assert span(repo, "release-1.1.0").start == "v1.0.0"
    assert span(repo, "release-1.1.0").version == "1.1.0"


def test_since_gives_another_start(tagged: Repo) -> None:
    git = open_git(tagged.path)
    assert resolve_range(git, "v0.10.0", since="v0.1.0") == resolve_range(git, "v0.1.0..v0.10.0")
    assert resolve_range(git, "HEAD", since="v0.1.0").start == "v0.1.0"
    with pytest.raises(UsageError):
        resolve_range(git, "v0.1.0..v0.9.0", since="v0.1.0")


def test_paths_of_a_package(repo: Repo) -> None:
    repo.commit("Root", {"packages/two/a": "1", "packages/one/a": "1", "x/deep/one/a": "1", "one/one/b": "1"})
    repo.tag("two@1.0.0")
    repo.commit("One", {"packages/one/a": "2"})
    git = open_git(repo.path)
    assert package_paths(git, "@s/two@") == ("packages/two",)
    assert package_paths(git, "two/v") == ("packages/two",)
    assert package_paths(git, "one@") == ("one",)
    assert package_paths(git, "a@") == package_paths(git, "") == ()
    assert resolve_range(git, "two@1.0.0..HEAD", paths=["packages/one"]).start == "two@1.0.0"
    with pytest.raises(CannotJudge, match="touches packages/two"):
        resolve_range(git, "two@1.0.0..HEAD", paths=["packages/two"])


def test_where_two_branches_parted(repo: Repo) -> None:
    base = repo.commit("one")
    repo.tag("v1.0.0")
    repo.branch("1.x")
    repo.commit("patch")
    repo.tag("v1.0.1")
    repo.switch("main")
    repo.commit("two")
    repo.tag("v2.0.0")
    apart = span(repo, "v1.0.1..v2.0.0")
    assert (apart.start_is_ancestor, apart.merge_base) == (False, base)
    assert span(repo, "v1.0.0..v2.0.0").merge_base is None


def ordered(*names: str) -> list[str]:
    versions = [version for name in names if (version := read_version(name)) is not None]
    ranks = release_ranks(versions)
    return sorted(ranks, key=ranks.__getitem__)


def test_each_scheme_has_its_own_order() -> None:
    # Letters go by the alphabet in one scheme, and mean something in the other.
    assert ordered("1.0.0-dev", "1.0.0-alpha", "1.0.0") == ["1.0.0-alpha", "1.0.0-dev", "1.0.0"]
    assert ordered("1.0a1", "1.0.dev1", "1.0") == ["1.0.dev1", "1.0a1", "1.0"]
    assert ordered("1.0.0-alpha.beta", "1.0.0-alpha.1", "1.0.0-alpha.11", "1.0.0-alpha.2") == [
        "1.0.0-alpha.1",
        "1.0.0-alpha.2",
        "1.0.0-alpha.11",
        "1.0.0-alpha.beta",
    ]
    assert ordered("2.0", "1!1.0", "1.0.post1", "1.0.post1.dev2", "1.0+local.2", "1.0") == [
        "1.0",
        "1.0+local.2",
        "1.0.post1.dev2",
        "1.0.post1",
        "2.0",
        "1!1.0",
    ]
    assert ordered("2024-05-01", "2023.12", "2024.04.30") == ["2023.12", "2024.04.30", "2024-05-01"]


def test_equal_versions_share_a_place() -> None:
    versions = [version for name in ("1.0", "1.0.0", "1.0.1") if (version := read_version(name))]
    assert release_ranks(versions) == {"1.0": 0, "1.0.0": 0, "1.0.1": 1}
    builds = [version for name in ("1.0.0+a", "1.0.0+b") if (version := read_version(name))]
    assert set(release_ranks(builds).values()) == {0}
    assert release_ranks([]) == {}


@pytest.mark.parametrize(
    ("names", "scheme"),
    [
        (["v1.0.0", "v1.0.1-rc.1"], "semver"),
        (["1.0", "1.1rc1"], "pep440"),
        (["2024.1", "2024-05-01"], "calendar"),
        (["1.0-nova", "1.0.0-rc.1.2a_b"], "mixed"),
        ([], "mixed"),
    ],
)
def test_schemes(names: list[str], scheme: str) -> None:
    versions: list[Version] = [version for name in names if (version := read_version(name))]
    assert len(versions) == len(names)
    assert scheme_of(versions) == scheme


def test_a_host_with_a_name_of_its_own(repo: Repo) -> None:
    repo.git("remote", "add", "origin", "git@code.example.org:team/sub/proj.git")
    assert remote_links(open_git(repo.path)) is None
    repo.git("config", "gitnotes.forge", "GitLab")
    found = remote_links(open_git(repo.path))
    assert found == Remote("gitlab", "https://code.example.org/team/sub/proj")
    repo.git("config", "gitnotes.forge", "nothing")
    assert remote_links(open_git(repo.path)) is None


def test_the_address_that_stands_in_place_of_another(repo: Repo) -> None:
    repo.git("remote", "add", "origin", "gh:team/proj")
    assert remote_links(open_git(repo.path)) is None
    repo.git("config", "url.https://github.com/.insteadOf", "gh:")
    assert remote_links(open_git(repo.path)) == Remote("github", "https://github.com/team/proj")


def test_the_first_address_of_several_counts(repo: Repo) -> None:
    repo.git("remote", "add", "origin", "https://github.com/team/first")
    repo.git("remote", "set-url", "--add", "origin", "https://github.com/team/second")
    assert remote_links(open_git(repo.path)) == Remote("github", "https://github.com/team/first")
