"""Is a gitleaks that is installed used, and does everything go on without one that is not what it seems?"""

from __future__ import annotations

import base64
import json
import os
import sys
import time
from pathlib import Path

import pytest

from gitnotes.guard.gitleaks import find_gitleaks, mask_as_gitleaks
from tests.conftest import Repo
from tests.stub_server import Answer, serve

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the program here is a script")

SECRET = "zq7-Wd94kfLx02mmVt"
# The report of gitleaks 8 for a text on standard input, with the fields that it writes.
PROGRAM = f"""#!{sys.executable}
import json, os, pathlib, sys
told = sys.argv[1:]
if told[0] not in COMMANDS:
    sys.exit("Error: unknown command")
if os.listdir() or "GITLEAKS_CONFIG" in os.environ:
    sys.exit(0)  # a file of the clone could switch it off
text = sys.stdin.read()
found = [] if "gitleaks:allow" in text else [
    {{"RuleID": "acme-api-token", "Description": "Found an ACME token.", "StartLine": 1, "EndLine": 1,
     "StartColumn": 7, "EndColumn": 25, "Match": "token=" + secret, "Secret": secret, "File": "",
     "SymlinkFile": "", "Commit": "", "Entropy": 4.1, "Author": "", "Email": "", "Date": "", "Message": "",
     "Tags": [],
     "Fingerprint": ":acme-api-token:1"}}
    for secret in SECRETS if secret in text or ENCODED]
pathlib.Path(told[told.index("--report-path") + 1]).write_text(json.dumps(found))
sys.exit(int(told[told.index("--exit-code") + 1]) if found else 0)
"""


def write(
    folder: Path, text: str = PROGRAM, *, command: str = "stdin", secret: str = SECRET, encoded: bool = False
) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / "gitleaks"
    text = text.replace("COMMANDS", repr([command])).replace("SECRETS", repr([secret]))
    place.write_text(text.replace("ENCODED", repr(encoded)))
    place.chmod(0o755)
    return str(place)


@pytest.mark.parametrize("command", ["stdin", "detect"])
def test_what_it_finds_is_masked(tmp_path: Path, command: str) -> None:
    program = write(tmp_path, command=command)
    text, found = mask_as_gitleaks(f"+acme({SECRET})\n-acme({SECRET})\n", program) or ("", {})
    assert text == "+acme(<redacted:acme-api-token>)\n-acme(<redacted:acme-api-token>)\n"
    assert found == {"acme-api-token": 2}
    assert mask_as_gitleaks("+acme()\n", program) == ("+acme()\n", {})


def test_what_it_has_decoded_is_masked_as_it_is_written(tmp_path: Path) -> None:
    for written in (base64.b64encode(f"token={SECRET}".encode()).decode(), SECRET.encode().hex()):
        text, found = mask_as_gitleaks(f"data: {written}\n", write(tmp_path, encoded=True)) or ("", {})
        assert text == "data: <redacted:acme-api-token>\n" and found == {"acme-api-token": 1}


def test_no_text_and_no_file_of_a_clone_switches_it_off(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    program = write(repo.path.parent / "bin")
    for name in (".gitleaks.toml", ".gitleaksignore"):
        (repo.path / name).write_text("[allowlist]\nregexes = ['.*']\n")
    monkeypatch.setenv("GITLEAKS_CONFIG", str(repo.path / ".gitleaks.toml"))
    text, _ = mask_as_gitleaks(f"+acme({SECRET})  # gitleaks:allow\n", program) or ("", {})
    assert text == "+acme(<redacted:acme-api-token>)  # gitleaks:allow\n"


@pytest.mark.parametrize(
    "script",
    [
        "#!/bin/sh\nexit 3\n",
        "#!/bin/sh\nexit 0\n",
        "#!/nowhere/at/all\n",
        "\0\1garbage",
        "#!/bin/sh\necho '[{' > report.json\n",
        "#!/bin/sh\necho '{\"Secret\": 1}' > report.json\n",
        '#!/bin/sh\necho \'[{"RuleID": "x", "Secret": "REDACTED"}]\' > report.json\n',
        f"#!{sys.executable}\nopen('report.json', 'w').write('[' * 200_000)\n",
    ],
)
def test_one_that_is_none_is_done_without(tmp_path: Path, script: str) -> None:
    assert mask_as_gitleaks(f"+acme({SECRET})\n" * 10_000, write(tmp_path, script)) is None


def test_a_slow_one_is_ended_with_what_it_has_started(tmp_path: Path) -> None:
    program = write(tmp_path, f"#!/bin/sh\nsleep 30 &\necho $! > {tmp_path}/child\nwait\n")
    started = time.monotonic()
    assert mask_as_gitleaks("+x\n", program, seconds=0.5) is None
    assert time.monotonic() - started < 5
    child = int((tmp_path / "child").read_text())
    for _ in range(50):
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            break
        time.sleep(0.1)
        if b"Z" in Path(f"/proc/{child}/stat").read_bytes().split(b")")[-1][:3]:
            break
    else:
        pytest.fail("the child goes on")


def test_that_of_the_clone_is_never_started(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    outside = write(repo.path.parent / "bin")
    write(repo.path / "bin")
    write(repo.path)
    (repo.path / "deep").mkdir()
    monkeypatch.chdir(repo.path / "deep")
    for folders in (["bin"], ["."], [""], ["../bin"], [str(repo.path / "bin")], [f"{repo.path}/deep/../bin"]):
        monkeypatch.setenv("PATH", os.pathsep.join(folders))
        assert find_gitleaks() is None
        monkeypatch.setenv("PATH", os.pathsep.join([*folders, str(Path(outside).parent)]))
        assert find_gitleaks() == outside


def suggest(repo: Repo, url: str, folder: Path) -> tuple[str, str]:
    done = repo.run(
        sys.executable, "-m", "gitnotes", "suggest", "--model", "openai:stub",
        OPENAI_BASE_URL=url, GITNOTES_CACHE=str(repo.path.parent / "cache"),
        PATH=f"{folder}{os.pathsep}{os.environ['PATH']}",
    )  # fmt: skip
    return done.stdout.decode(), done.stderr.decode()


@pytest.mark.parametrize("works", [True, False])
def test_nothing_that_it_finds_is_sent(repo: Repo, works: bool) -> None:
    pytest.importorskip("openai")
    pytest.importorskip("detect_secrets")
    repo.commit("Add a client", {"client.py": "def fetch(url):\n    return get(url)\n"})
    repo.write("client.py", f"def fetch(url):\n    return get(url, '{SECRET}')\n")
    folder = repo.path.parent / "bin"
    write(folder, PROGRAM if works else "#!/bin/sh\nexit 1\n")
    with serve(Answer("Give the client a value to get with")) as stub:
        out, err = suggest(repo, stub.url, folder)
        sent = json.dumps(stub.calls)
    assert out
    assert (SECRET in sent) is not works and ("redacted:acme-api-token" in sent) is works
    assert ("masked by gitleaks before it was sent: 1 acme-api-token" in err) is works
    assert ("gave no answer, so secrets were masked without it" in err) is not works


REPORTS = {
    "too many": "import json; place.write_text(json.dumps([{'Secret': f'tok{n}'} for n in range(20_000)]))",
    "pipe": "os.mkfifo(place)",
    "endless": "os.symlink('/dev/zero', place)",
    "folder": "place.mkdir()",
}


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_that_would_take_forever_is_none(tmp_path: Path, name: str) -> None:
    program = tmp_path / "gitleaks"
    start = (
        f"#!{sys.executable}\nimport os, pathlib, sys\nsys.stdin.read()\nplace = pathlib.Path(sys.argv[-1])\n"
    )
    program.write_text(start + REPORTS[name] + "\n")
    program.chmod(0o755)
    before = time.monotonic()
    assert mask_as_gitleaks("a token of many words\n" * 2000, str(program), 20.0) is None
    assert time.monotonic() - before < 10
