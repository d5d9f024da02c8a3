"""Does every shape of a secret stay here, and does ordinary code leave as it is?

The secrets are made up, and put together here so that no scanner takes this file for a leak.
"""

from __future__ import annotations

import re

import pytest

pytest.importorskip("detect_secrets")

from gitnotes.guard.secrets import is_secret_file, mask_error, mask_lines, mask_text, sharing_detectors

LETTERS = "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z" * 3


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ('+aws_access_key_id = "AKIA' + 'IOSFODNN7EXAMPLE"', "aws-access-key"),
        ('+aws_secret_access_key = "wJalrXUtnFEMI/K7MDENG/' + 'bPxRfiCYEXAMPLEKEY"', "password"),
        ("+TOKEN=gh" + "p_" + LETTERS[:36], "github-token"),
        ("-TOKEN=gh" + "p_" + LETTERS[:36], "github-token"),
        (' t = "github_' + "pat_" + LETTERS[:22] + "_" + LETTERS[:59] + '"', "github-token"),
        ("+key: gl" + "pat-" + LETTERS[:20], "gitlab-token"),
        ("+k = 'sk-" + "ant-api03-" + LETTERS + "'", "anthropic-key"),
        ("+k = 'sk-" + "proj-" + LETTERS + "'", "openai-key"),
        ('+const k = "AI' + "za" + LETTERS[:35] + '"', "google-key"),
        ("+xox" + "b-123456789012-" + LETTERS[:24], "slack-token"),
        ("+STRIPE=sk_" + "live_" + LETTERS[:24], "stripe-key"),
        ("+npm_" + LETTERS[:36], "npm-token"),
        ("+hf_" + LETTERS[:34], "huggingface-token"),
        ("+t=eyJ" + LETTERS[:20] + ".eyJ" + LETTERS[:40] + "." + LETTERS[:30], "json-web-token"),
        ("+url = postgres://admin:" + "s3cr3t-pw@db.example.com/x", "url-password"),
        ('+headers = {"Authorization": "Bearer ' + LETTERS[:30] + '"}', "authorization"),
        ("+  password: correct-horse-battery", "password"),
        ('+password = "' + 'hunter2hunter2"', "password"),
        ("+DB_PASSWORD=pa55-" + "word99", "password"),
        ('+API_KEY: str = "Zx81' + 'Kq0pLmN4"', "password"),
        ("+curl -sS -u admin:" + "hunter2Hunter https://example.com", "password"),
        ("+mysqldump -u root -p" + "hunter2Hunter db", "password"),
        ("+sshpass -p " + "hunter2Hunter ssh host", "password"),
        ("+    '" + LETTERS[:64] + "\\n'", "base64"),
        ('+  "client_secret": "' + LETTERS[:20] + '",', "password"),
    ],
)
def test_masked(line: str, kind: str) -> None:
    masked, found = mask_lines([line])
    assert f"<redacted:{kind}>" in masked[0]
    assert found[kind] == 1
    assert masked[0][0] == line[0]
    assert LETTERS[:16] not in masked[0] and "hunter2" not in masked[0] and "horse" not in masked[0]


@pytest.mark.parametrize(
    "line",
    [
        "index 945b151e60be..a526609a01fb 100644",
        "+    rev: 3f786850e387550fdab836ed7e6dc881de23001b",
        "+sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        '+password = os.environ["PASSWORD"]',
        "+    password: str | None = None,",
        "+token = request.headers.get('token')",
        "+def get_token(self, token: Token) -> str:",
        "+            secret=settings.SECRET_KEY,",
        "+PASSWORD = getpass()",
        "+password: ${{ secrets.PYPI_TOKEN }}",
        "+token: $TOKEN",
        "+password: <your password>",
        "+See https://example.com/a:b@c for more",
        "+task-runner-sk-and-more",
        "+if token == expected_token:",
        "+Authorization: &config_util.Authorization{",
    ],
)
def test_ordinary_code_is_left(line: str) -> None:
    assert mask_lines([line]) == ([line], {})


def test_private_key_goes_as_a_whole() -> None:
    lines = ["+a = 1", "+-----BEGIN RSA PRI" + "VATE KEY-----", "+" + LETTERS, "+" + LETTERS]
    lines += ["+-----END RSA PRI" + "VATE KEY-----", "+b = 2"]
    masked, found = mask_lines(lines)
    assert masked == ["+a = 1", "+<redacted:private-key>", "+b = 2"]
    assert found == {"private-key": 1}


def test_an_unfinished_private_key_hides_the_rest() -> None:
    masked, _ = mask_text("-----BEGIN PRI" + "VATE KEY-----\n" + LETTERS)
    assert masked == "<redacted:private-key>"


def test_a_long_line_is_cut() -> None:
    masked, _ = mask_lines(["+" + "a" * 5_000_000])
    assert len(masked[0]) < 5000
    assert "characters more" in masked[0]


@pytest.mark.parametrize(
    "path",
    [".env", "a/.env.local", "x.pem", "deploy/id_rsa", ".npmrc", "kubeconfig", "home/.kube/config",
     "config/MASTER.KEY"],
)  # fmt: skip
def test_secret_files(path: str) -> None:
    assert is_secret_file(path)


@pytest.mark.parametrize(
    "path", [".env.example", "id_rsa.pub", "src/secrets.py", "keyboard.py", "env.py", "docs/config"]
)
def test_other_files(path: str) -> None:
    assert not is_secret_file(path)


def test_errors_do_not_repeat_the_key() -> None:
    text = 'HTTP 401: {"headers": {"Authorization": "Bearer my-own-key"}}, key my-own-key'
    assert "my-own-key" not in mask_error(text, "my-own-key")
    assert "sk-" not in mask_error("Incorrect API key provided: sk-" + LETTERS)


SHAPES = [
    "AK" + "C" + LETTERS[:10],
    "AP" + "A" + LETTERS[:8],
    "AC" + "0a1b2c3d4e5f" * 3,
    "sq0csp-" + LETTERS[:43],
    "0123456789abcdef" * 2 + "-us1",
    "M" + LETTERS[:23] + "." + LETTERS[:6] + "." + LETTERS[:27],
    "12345678:" + LETTERS[:35],
    "//registry.example.org/:_auth" + "Token=" + LETTERS[:20],
    "SG." + LETTERS[:22] + "." + LETTERS[:43],
    "AccountKey=" + LETTERS[:43] * 2 + "==",
    "cloudant_pw = " + "0123456789abcdef" * 4,
    "https://bob:" + "hunter2@example.org",
]


@pytest.mark.parametrize("shape", SHAPES)
def test_lines_that_are_spared_the_detectors_would_not_interest_them(
    shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [f'+x = "{shape}"', f"+{shape}", "+for name in names:", "+    x += 1"]
    told = mask_lines(lines)
    monkeypatch.setattr("gitnotes.guard.secrets._MAY_HOLD", re.compile(""))
    assert mask_lines(lines) == told


@pytest.mark.parametrize("shape", SHAPES)
def test_lines_that_no_detector_would_speak_of_are_not_scanned(
    shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [f'+x = "{shape}"', f"+{shape}", "+the token of https://example.org/a/long/path", "+key = value"]
    told = mask_lines(lines)
    monkeypatch.setattr("gitnotes.guard.secrets._signs_of", lambda plugins: ())
    assert mask_lines(lines) == told


def test_the_signs_of_all_detectors_are_known() -> None:
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class

    from gitnotes.guard.secrets import _NEVER, _signs_of

    plugins = get_mapping_from_secret_type_to_class().values()
    assert len(_signs_of(item for item in plugins if item.__name__ not in _NEVER)) > 40
    assert _signs_of(plugins) == ()  # by entropy nothing can be told beforehand


def test_many_texts_share_the_detectors() -> None:
    text = "+x = AC" + "0a1b2c3d4e5f" * 3
    alone = mask_text(text)
    with sharing_detectors():
        assert mask_text(text) == mask_text(text) == alone
    assert mask_text(text) == alone


@pytest.mark.parametrize(
    "path", [".env-prod", "a/.env_backup", "server.key.txt", "id_rsa.old", "tls.pem.bak", ".npmrc~"]
)
def test_a_copy_of_a_secret_file_is_one(path: str) -> None:
    assert is_secret_file(path)
    assert not is_secret_file(f"{path}.example")


def test_half_a_token_at_the_cut_of_a_long_line() -> None:
    token = "gh" + "p_" + LETTERS[:36]
    masked, _ = mask_text("b " * 2040 + token)
    assert LETTERS[:6] not in masked
