"""Is the configuration of other tools read as they mean it, without running or trusting it?"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from gitnotes.conventional import TYPES
from gitnotes.read.conventions import MAX_FILE, read_conventions
from gitnotes.records import Conventions

NOTHING = Conventions(())


def read(folder: Path, **files: str) -> Conventions:
    """The conventions of a folder with these files; `__` in a name stands for a dot."""
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    return read_conventions(folder) or NOTHING


def test_no_configuration(tmp_path: Path) -> None:
    assert read_conventions(tmp_path) is None
    (tmp_path / "package.json").write_text('{"name": "x"}')
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'commitizen-free'\n")
    assert read_conventions(tmp_path) is None
    assert read_conventions(tmp_path / "missing") is None


PRESET = "extends: ['@commitlint/config-conventional']"
OWN = """rules: {
  'type-enum': [2, 'always', ['feat', "fix"]], 'scope-enum': [1, 'always', ['core', `ui`]],
  'header-max-length': [1, 'always', 80], 'body-max-line-length': [0, 'always', Infinity],
  'scope-empty': [2, 'never'], // 'type-enum': [0]
}"""
SCRIPTS = {
    "commitlint__config__js": f"module.exports = {{ {PRESET}, {OWN} }};",
    "commitlint__config__cjs": f"const config = {{ {PRESET}, {OWN} }};\nmodule.exports = config;",
    "commitlint__config__mjs": f"import x from 'y';\nexport default defineConfig({{ {PRESET}, {OWN} }});",
    "commitlint__config__ts": "import type { UserConfig } from '@commitlint/types';\n"
    f"const own = {{ {OWN} }} as const;\nconst c: UserConfig = {{ {PRESET}, ...own }} satisfies UserConfig;\n"
    "export default c;",
    "__commitlintrc__js": f"/* c */ module.exports = ({{ {PRESET}, {OWN} }})",
    "__commitlintrc": '{"extends": "@commitlint/config-conventional", "rules": {'
    '"type-enum": [2, "always", ["feat", "fix"]], "scope-enum": [1, "always", ["core", "ui"]],'
    '"header-max-length": [1, "always", 80], "body-max-line-length": [0], "scope-empty": [2, "never"]}}',
    "__commitlintrc__yaml": "extends:\n  - '@commitlint/config-conventional'\nrules:\n"
    "  type-enum: [2, always, [feat, fix]]\n  scope-enum: [1, always, [core, ui]]\n"
    "  header-max-length: [1, always, 80]\n  body-max-line-length: [0]\n  scope-empty: [2, never]\n",
}
SCRIPTS["__commitlintrc__json"] = SCRIPTS["__commitlintrc"]
SCRIPTS["package__json"] = '{"name": "x", "commitlint": ' + SCRIPTS["__commitlintrc"] + "}"


@pytest.mark.parametrize("name", SCRIPTS)
def test_every_file_of_commitlint(tmp_path: Path, name: str) -> None:
    found = read(tmp_path, **{name: SCRIPTS[name]})
    assert found.notes == ()
    assert found.sources == (name.replace("__", "."),)
    assert (found.conventional, found.types, found.scopes) == (True, ("feat", "fix"), ("core", "ui"))
    assert (found.subject_limit, found.subject_case) == (80, "lower")
    expected = {
        "subject-length": "warning",
        "body-width": "off",
        "scope": "warning",
        "scope-missing": "error",
    }
    assert expected.items() <= found.levels.items()


def test_presets(tmp_path: Path) -> None:
    found = read(tmp_path, __commitlintrc__json='{"extends": ["@commitlint/config-angular"]}')
    assert (found.subject_limit, found.body_limit) == (72, None)
    assert set(found.types) == set(TYPES) - {"chore"}
    found = read(tmp_path, __commitlintrc__json='{"extends": ["@commitlint/config-conventional"]}')
    assert (found.subject_limit, found.body_limit, found.types) == (100, 100, TYPES)


RULES = [
    ("'type-empty': [0], 'type-enum': [0]", {"conventional": None, "types": ()}),
    ("'type-empty': [0], 'type-enum': [2, 'always', ['a']]", {"conventional": True, "types": ("a",)}),
    ("'subject-case': [2, 'always', 'sentence-case']", {"subject_case": "upper"}),
    ("'subject-case': [2, 'always', ['lower-case']]", {"subject_case": "lower"}),
    ("'header-min-length': [2, 'always', 12]", {"subject_min": 12}),
    ("'signed-off-by': [2, 'always', 'Signed-off-by:']", {"trailers": ("Signed-off-by",)}),
    ("'trailer-exists': [1, 'always', 'Reviewed-by:']", {"trailers": ("Reviewed-by",)}),
    ("'references-empty': [2, 'never']", {"ticket": "any"}),
    ("'body-max-line-length': [RuleConfigSeverity.Error, 'always', 90]", {"body_limit": 90}),
    ("'type-enum': RuleConfigSeverity.Disabled", {"types": ()}),
]


@pytest.mark.parametrize(("rules", "expected"), RULES)
def test_rules_of_commitlint(tmp_path: Path, rules: str, expected: dict[str, object]) -> None:
    found = read(tmp_path, commitlint__config__js=f"module.exports = {{rules: {{ {rules} }}}}")
    assert found.notes == ()
    assert {name: getattr(found, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("config", "note"),
    [
        (
            "rules: {'type-enum': () => [2, 'always', scopes()]}",
            "type-enum is not taken over, it is computed",
        ),
        ("rules: {'type-enum': [2, 'always', [...load(), 'x']]}", "type-enum is not taken over"),
        ("rules: {'type-enum': [2, 'never', ['x']]}", "it has never for always"),
        ("rules: {'body-max-length': [2, 'always', 5]}", "there is no rule like it here"),
        ("rules: {'header-max-length': [2, 'always', '${n}']}", "it is no plain number"),
        ("rules: {...more.rules}", "...more.rules is not taken over"),
        ("rules: load()", "rules is not taken over, it is computed"),
        ("extends: ['./own']", "extends ./own is not taken over"),
        ("extends: base", "extends is not taken over"),
        ("ignores: [(m) => m.includes('x')]", "ignores is not taken over"),
        ("defaultIgnores: false", "defaultIgnores is not taken over"),
        ("parserPreset: {parserOpts: {headerPattern: /x/}}", "headerPattern is not taken over"),
        ("parserPreset: require('x')", "parserPreset is not taken over"),
    ],
)
def test_what_is_computed_is_said_and_refuses_nothing(tmp_path: Path, config: str, note: str) -> None:
    found = read(tmp_path, commitlint__config__js=f"module.exports = {{ {config} }}")
    assert len(found.notes) == 1 and note in found.notes[0]
    assert found.notes[0].startswith("commitlint.config.js: ")
    assert not found.types and found.levels.get("type-unknown", "off") == "off"


def test_prefixes_of_issues(tmp_path: Path) -> None:
    text = "module.exports = {rules: {'references-empty': [2, 'never']},"
    text += " parserPreset: {parserOpts: {issuePrefixes: ['PROJ-', 'OPS-']}}}"
    assert read(tmp_path, commitlint__config__js=text).ticket == r"(?:PROJ\-|OPS\-)\d+"


@pytest.mark.parametrize(
    "text",
    [
        "console.log('x')", "module.exports = () => ({})", "module.exports = load()", "export const x = {}",
        "{{{",
        "const a = b, b = a;\nmodule.exports = a", "module.exports = " + "[" * 5000, "",
        "const a = [1, 1];\n" + "\n".join(f"const a{'a' * n} = [...a{'a' * (n - 1)}, ...a{'a' * (n - 1)}];"
        for n in range(1, 40)) + "\nmodule.exports = {rules: a" + "a" * 39 + "}",
    ],
)  # fmt: skip
def test_scripts_that_tell_nothing(tmp_path: Path, text: str) -> None:
    start = time.process_time()
    found = read(tmp_path, commitlint__config__js=text)
    assert time.process_time() - start < 3
    assert found.notes and not found.types and found.conventional is None


def test_nothing_is_run(tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    text = f"require('fs').writeFileSync('{trap}', '');\nmodule.exports = {{rules: {{}}}};"
    assert read(tmp_path, commitlint__config__js=text).notes == ()
    assert not trap.exists()


CUSTOM = """
name = "cz_customize"
message_length_limit = 60
[tool.commitizen.customize]
schema_pattern = '(feature|bug fix)(\\(\\w+\\))?: \\S.*'
example = "feature: read nested arrays"
[[tool.commitizen.customize.questions]]
type = "list"
name = "change_type"
choices = [{ value = "feature", name = "x" }, { value = "bug fix", name = "y" }]
"""


def test_commitizen(tmp_path: Path) -> None:
    found = read(tmp_path, pyproject__toml='[tool.commitizen]\nversion = "1.0"\n')
    assert (found.conventional, found.types) == (True, (*TYPES, "bump"))
    found = read(tmp_path, __cz__toml=f"[tool.commitizen]{CUSTOM}")
    assert found.sources == (".cz.toml",)
    assert (found.types, found.subject_limit) == (("feature", "bug fix"), 60)
    assert found.conventional and found.subject_pattern.startswith("(feature") and not found.notes


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("__cz__json", '{"commitizen": {"name": "cz_jira"}}', {"conventional": False, "types": ()}),
        ("cz__yaml", "commitizen:\n  name: cz_conventional_commits\n  message_length_limit: 0\n",
         {"conventional": True, "subject_limit": None}),
    ],
)  # fmt: skip
def test_other_files_of_commitizen(tmp_path: Path, name: str, text: str, expected: dict[str, object]) -> None:
    found = read(tmp_path, **{name: text})
    assert {key: getattr(found, key) for key in expected} == expected
    assert bool(found.ticket) == ("jira" in text)


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ('name = "cz_own"', "a package that is not run"),
        ('name = "cz_customize"', "no table `customize`"),
        ('name = "cz_customize"\ncustomize.schema_pattern = "(a+)+$"', "too many ways"),
        ('name = "cz_customize"\ncustomize.schema_pattern = "a\\\\n\\\\nb"', "more than the subject"),
        ('allowed_prefixes = ["x"]', "allowed_prefixes is not taken over"),
        ('message_length_limit = "x"', "no plain number"),
    ],
)
def test_notes_about_commitizen(tmp_path: Path, text: str, note: str) -> None:
    found = read(tmp_path, __cz__toml=f"[tool.commitizen]\n{text}\n")
    assert len(found.notes) == 1 and note in found.notes[0]
    assert not found.subject_pattern


def test_gitlint(tmp_path: Path) -> None:
    text = (
        "# comment\n[general]\nignore=body-is-missing, T3\ncontrib=contrib-title-conventional-commits,CC1\n"
        "[title-max-length]\nline-length=50\n[title-match-regex]\nregex=^[a-zA-Z]\n"
        "[contrib-title-conventional-commits]\ntypes=feat,Fix\n"
    )
    found = read(tmp_path, __gitlint=text)
    assert (found.subject_limit, found.subject_min, found.body_limit) == (50, 5, 80)
    assert (found.conventional, found.types, found.trailers) == (True, ("feat", "Fix"), ("Signed-off-by",))
    assert found.subject_pattern == "^[a-zA-Z]" and not found.notes
    assert (found.levels["body-missing"], found.levels["trailing-stop"], found.levels["wip"]) == (
        "off", "off", "error",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("[ignore-by-title]\nregex=^Release", "[ignore-by-title] is not taken over"),
        ("[general]\nignore-merge-commits=false", "told by their structure"),
        ("[general]\nextra-path=./rules", "no code of others is run"),
        ("[general]\ncontrib=CC3", "contrib cc3 is not taken over"),
        ("[general]\nregex-style-search=true\n[title-match-regex]\nregex=x", "match anywhere"),
        ("[title-match-regex]\nregex=(", "no regular expression"),
        ("[title-max-length]\nline-length=x", "no plain number"),
        ("no section", "no INI file"),
    ],
)
def test_notes_about_gitlint(tmp_path: Path, text: str, note: str) -> None:
    found = read(tmp_path, __gitlint=text)
    assert len(found.notes) == 1 and note in found.notes[0]


def test_all_of_gitlint_ignored(tmp_path: Path) -> None:
    found = read(tmp_path, __gitlint="[general]\nignore=all\n")
    assert found.subject_limit is None and set(found.levels.values()) == {"off"}


def test_tools_fill_each_others_gaps(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        __commitlintrc__json='{"rules": {"header-max-length": [2, "always", 90]}}',
        __gitlint="[general]\nignore=title-max-length\n",
        pyproject__toml="[tool.commitizen]\nname = 'cz_jira'\n",
    )
    assert found.sources == (".commitlintrc.json", "pyproject.toml", ".gitlint")
    assert (found.subject_limit, found.body_limit, found.conventional) == (90, 80, False)
    assert found.levels["subject-length"] == "error"


@pytest.mark.parametrize(
    "name", ["__commitlintrc__yml", "__commitlintrc__json", "__cz__toml", "package__json"]
)
def test_damaged_files_give_a_note(tmp_path: Path, name: str) -> None:
    for text in ("{]" + '"commitlint"', "[" * 3000 + '"commitlint"', "\x00", "- [", "&a [*a, *a]"):
        found = read(tmp_path, **{name: text})
        is_another_tools = name == "package__json" and "commitlint" not in text
        assert bool(found.notes) != is_another_tools, text


def test_odd_files(tmp_path: Path) -> None:
    (tmp_path / ".gitlint").mkdir()
    assert read_conventions(tmp_path) is None
    found = read(tmp_path, __commitlintrc__json=" " * (MAX_FILE + 1))
    assert found.notes == (".commitlintrc.json is not read: it is too large.",)
    (tmp_path / "commitlint.config.js").symlink_to("/dev/zero")
    assert read_conventions(tmp_path) == found
