"""Is a package's name the scope where the repository names its packages, and only there?"""

from __future__ import annotations

import pytest

from gitnotes.draft.scopes import package_of
from gitnotes.read.workspaces import read_workspaces
from gitnotes.recipes.drafting import suggest
from tests.conftest import Repo

FILES = {
    "package.json": '{"workspaces": ["packages/*"]}',
    "pnpm-workspace.yaml": "packages:\n  - 'packages/*'\n  - '!packages/old'\n",
    "lerna.json": '{"packages": ["packages/*"]}',
    "Cargo.toml": '[workspace]\nmembers = ["packages/*"]\n',
    "pyproject.toml": '[tool.uv.workspace]\nmembers = ["./packages/*/"]\n',
    "go.work": "go 1.22\n\nuse (\n\t./packages/core\n\t./packages/web\n\t./packages/server\n)\n",
}


@pytest.mark.parametrize("name", FILES)
def test_a_new_package_gives_its_name(repo: Repo, name: str) -> None:
    repo.commit("chore: list the packages", {name: FILES[name]})
    for number in range(6):
        for package in ("core", "web"):
            repo.commit(
                f"feat({package}): add part {number}",
                {f"packages/{package}/part{number}.py": f"def part{number}(): ...\n"},
            )
    repo.write("packages/server/main.py", "def listen(port):\n    return port\n")
    assert suggest(repo=repo.path).text.startswith("feat(server): ")


def test_who_names_no_packages_gets_none(repo: Repo) -> None:
    repo.commit("chore: list the packages", {"package.json": FILES["package.json"]})
    for number in range(12):
        repo.commit(
            f"feat: add part {number}", {f"packages/core/part{number}.py": f"def part{number}(): ...\n"}
        )
    repo.write("packages/server/main.py", "def listen(port):\n    return port\n")
    assert suggest(repo=repo.path).text.startswith("feat: ")


@pytest.mark.parametrize("text", ["", "{", "[]", "\x00", '{"workspaces": 3}', '{"workspaces": [1, null]}'])
def test_a_list_that_is_none(repo: Repo, text: str) -> None:
    for name in FILES:
        (repo.path / name).write_text(text)
    assert read_workspaces(repo.path) == ()


def test_the_folder_of_a_package() -> None:
    assert package_of(["packages/*", "apps/web"], "packages/a/b.js") == "packages/a"
    assert package_of(["packages/*", "apps/web"], "apps/web/b.js") == "apps/web"
    assert package_of(["packages/*", "apps/web"], "packages/b.js") == ""
    assert package_of(["packages/*", "apps/web"], "apps/other/b.js") == ""
