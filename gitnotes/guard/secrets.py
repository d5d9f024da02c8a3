"""Which parts of a text must not leave this process: keys, tokens, passwords, whole files of them?

detect-secrets finds most shapes; the table here holds those that it misses, or finds only in part.
Masked text keeps what a reader needs: that there was a secret, and of which kind.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

LONGEST_LINE = 4096
"""Characters of a line that are kept; a longer one is data, in which nothing can be searched for."""

_TOKENS: tuple[tuple[str, str], ...] = (
    ("github-token", r"gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_\w{20,255}"),
    ("gitlab-token", r"gl(?:pat|dt|rt|ptt|cbt|soat|ft|imt|agent|oas)-[\w-]{20,255}"),
    ("anthropic-key", r"sk-ant-[\w-]{16,255}"),
    ("openai-key", r"sk-(?:proj-|svcacct-|admin-)?[\w-]{20,255}"),
    ("google-key", r"AIza[\w-]{30,60}|ya29\.[\w-]{20,255}|GOCSPX-[\w-]{20,60}"),
    ("aws-access-key", r"(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z0-9]{12,20}"),
    ("slack-token", r"xox[abeoprs]-[\w-]{10,255}|xapp-\d-[\w-]{10,255}"),
    ("slack-webhook", r"hooks\.slack\.com/(?:services|workflows)/[\w/+-]{20,100}"),
    ("stripe-key", r"[sr]k_(?:live|test)_\w{16,255}|whsec_[\w+/=]{20,100}"),
    ("npm-token", r"npm_[A-Za-z0-9]{30,60}"),
    ("pypi-token", r"pypi-[\w-]{30,255}"),
    ("huggingface-token", r"hf_[A-Za-z0-9]{30,60}"),
    ("sendgrid-key", r"SG\.[\w-]{16,40}\.[\w-]{16,60}"),
    ("digitalocean-token", r"do[opr]_v1_[a-f0-9]{40,80}"),
    ("telegram-token", r"\d{8,10}:AA[\w-]{30,40}"),
    ("json-web-token", r"eyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}(?:\.[\w-]{0,2000})?"),
    ("age-key", r"AGE-SECRET-KEY-1[A-Z0-9]{50,60}"),
)
_TOKEN = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    + "|".join(f"(?P<{name.replace('-', '_')}>{pattern})" for name, pattern in _TOKENS)
    + ")"
)
_URL_PASSWORD = re.compile(r"(?<=://)(?P<user>[^\s:/@'\"]{0,100}):(?P<secret>[^\s:/@'\"]{1,200})(?=@)")
_BEARER = re.compile(r"(?i)\b(?:bearer|basic|token)[ \t]+(?P<secret>[A-Za-z0-9+/=._~-]{16,2000})")
_HEADER = re.compile(
    r"(?i)\b(?:proxy-)?authorization['\"]?[ \t]*[:=][ \t]*['\"]?"
    r"(?P<secret>(?:basic|bearer|digest|token|apikey|negotiate)[ \t]+[^\s'\"]{1,2000}|[\w+/=.~-]{16,2000})"
)
_NAMED = re.compile(
    r"(?i)(?:pass(?:word|wd|phrase)|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?"
    r"|client[_-]?secret|auth[_-]?key|encryption[_-]?key|signing[_-]?key)['\"\]]?"
    r"[ \t]*(?::[ \t]*[A-Za-z][\w.\[\]| ]{0,40}=[ \t]*(?=['\"])|:[ \t]+|=>?[ \t]*|:[ \t]*(?=['\"]))"
    r"(?P<quote>['\"]?)(?P<secret>[^\s'\",;(){}\[\]<>$%*]{6,400})"
)
# Passwords on a command line: `curl -u user:secret`, `mysql -psecret`, `sshpass -p secret`.
_ARGUMENT = re.compile(
    r"(?:\bcurl\b[^|;&]{0,300}?[ \t](?:-u|--user|--proxy-user)[ \t=]*['\"]?[^\s:'\"]{1,100}:"
    r"|\b(?:mysql\w*|mariadb\w*)\b[^|;&]{0,300}?[ \t]-p['\"]?|\bsshpass[ \t]+-p[ \t]*['\"]?"
    r"|\blogin\b[^|;&]{0,300}?[ \t]-p[ \t]+['\"]?)(?P<secret>[^\s'\"$]{4,200})"
)
# A value that is the name of something, a placeholder, or a plain word of code is no secret.
_NO_SECRET = re.compile(
    r"(?i)(?:[a-z_][\w]*(?:\.[a-z_]\w*)+|true|false|none|null|undefined|str(?:ing)?|optional\w*|bytes|int|xxx+"
    r"|\*+|\.{3}|(?:your|my|the|some|example|change|dummy|fake|test|placeholder|redacted|env|os)[\w-]*"
    r"|[a-z]+|[A-Z]+|[A-Z][a-z]+|[a-z_]+[a-z]|[A-Z_]+[A-Z]|[a-z]+(?:[A-Z][a-z]+)+|\d+)$"
)
_PEM = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_LONGEST_PEM = 400
# A line of a key whose beginning is not shown: nothing but base64, letters of both cases and digits.
_KEY_BODY = re.compile(
    r"[+ -]?[ \t'\"]*(?=[^a-z\n]{0,200}[a-z])(?=[^A-Z\n]{0,200}[A-Z])(?=[^0-9\n]{0,200}[0-9])"
    r"[A-Za-z0-9+/]{60,200}={0,2}(?:\\n)?['\",+ \t\\]*$"
)
_LAST_WORD = re.compile(r"[\w./+=~:@-]{1,500}$")
_NEVER = {"Base64HighEntropyString", "HexHighEntropyString", "IPPublicDetector"}
"""Detectors that fire on every line of a diff."""
# What the other detectors find is named, or has that many signs in a row; most lines are spared them.
_MAY_HOLD = re.compile(
    r"(?i)key|pass|pwd|secret|contrase|auth|token|://|(?:akc|ap[\da-f])[a-z0-9]{8}|[\w+/=.:-]{16}"
)

_SECRET_FILES = (
    ".env*", "*.env", "*.env.*", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx",
    "*.ppk", "*.asc", "*.gpg", "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", ".npmrc", ".pypirc",
    ".netrc", "_netrc", ".git-credentials", ".dockercfg", ".docker/config.json", "kubeconfig", "*.kubeconfig",
    ".kube/config", ".aws/credentials", ".pgpass", ".my.cnf", ".htpasswd", "credentials.json",
    "client_secret*.json", "service-account*.json", "secrets.y*ml", "secrets.json", "*.tfstate", "*.tfvars",
    "master.key", "credentials.yml.enc", "*.ovpn", ".vault-token", ".terraformrc", "terraform.rc",
)  # fmt: skip
_COPIES = re.compile(r"(?:\.(?:bak|old|orig|save|swp|tmp|txt|backup|copy|b64|enc|\d{1,3})|~)$")
"""Ends of the names of copies, which hold what the file held."""
_EXAMPLES = ("*.example", "*.sample", "*.template", "*.dist", "*.pub")


@lru_cache(maxsize=4096)
def is_secret_file(path: str) -> bool:
    """Whether a file holds secrets by its name; then its content is not sent, and its name is enough."""
    folded = path.casefold()
    if any(fnmatchcase(folded, pattern) for pattern in _EXAMPLES):
        return False
    without = _COPIES.sub("", folded)
    return _is_secret_name(folded) or (without != folded and is_secret_file(without))


def _is_secret_name(folded: str) -> bool:
    name = folded.rpartition("/")[2]
    return any(
        fnmatchcase(name, pattern) or (("/" in pattern) and f"/{folded}".endswith(f"/{pattern}"))
        for pattern in _SECRET_FILES
    )


def mask_lines(lines: Sequence[str]) -> tuple[list[str], Counter[str]]:
    """The lines with `<redacted:kind>` in the place of each secret, and how many of each kind there were.

    Lines may carry the sign of a diff. A block of a private key is masked from its first to its last
    line. Needs detect-secrets (extra `endpoint`); raises UsageError when it is not installed.
    """
    found: Counter[str] = Counter()
    masked: list[str] = []
    in_key = 0
    with _detectors() as detect:
        for line in lines:
            if in_key or _PEM.search(line):
                sign = line[:1] if line[:1] in "+- " and not line.startswith("-----") else ""
                if not in_key:
                    found["private-key"] += 1
                    masked.append(f"{sign}<redacted:private-key>")
                in_key = 0 if _PEM_END.search(line) or in_key >= _LONGEST_PEM else in_key + 1
                continue
            masked.append(_mask_line(line, found, detect))
    return masked, found


def mask_text(text: str) -> tuple[str, Counter[str]]:
    """`mask_lines` for a text of several lines."""
    lines, found = mask_lines(text.split("\n"))
    return "\n".join(lines), found


def mask_error(text: str, *secrets: str) -> str:
    """The text of an error without the given secrets, tokens and authorization headers.

    For what a server says: it may repeat the request. Works without detect-secrets.
    """
    for secret in secrets:
        if len(secret) >= 4:
            text = text.replace(secret, "<redacted>")
    return _mask_shapes(text, Counter())


def _mask_line(line: str, found: Counter[str], detect: _Detect) -> str:
    if len(line) > LONGEST_LINE:
        # Half a token at the cut would not be known for one.
        kept = _LAST_WORD.sub("", line[:LONGEST_LINE])
        line = f"{kept} ... {len(line) - len(kept)} characters more"
    if _KEY_BODY.match(line):
        found["base64"] += 1
        return f"{line[:1] if line[:1] in '+- ' else ''}<redacted:base64>"
    line = _mask_shapes(line, found)
    for kind, secret in detect(line):
        if "<redacted:" in secret or (kind == "secret-keyword" and _NO_SECRET.match(secret)):
            continue
        # Some detectors name only the beginning of what they found.
        whole = re.search(re.escape(secret) + r"[\w./+=~-]*", line)
        if whole and secret:
            found[kind] += 1
            line = line.replace(whole.group(), f"<redacted:{kind}>")
    return line


def _mask_shapes(line: str, found: Counter[str]) -> str:
    def token(match: re.Match[str]) -> str:
        kind = (match.lastgroup or "token").replace("_", "-")
        found[kind] += 1
        return f"<redacted:{kind}>"

    def password(match: re.Match[str]) -> str:
        found["url-password"] += 1
        return f"{match['user']}:<redacted:url-password>"

    def named(match: re.Match[str]) -> str:
        if "<redacted:" in match["secret"] or _NO_SECRET.match(match["secret"]):
            return match.group()
        found["password"] += 1
        return match.group()[: match.start("secret") - match.start()] + "<redacted:password>"

    def header(match: re.Match[str]) -> str:
        if "<redacted:" in match["secret"]:
            return match.group()
        found["authorization"] += 1
        return match.group()[: match.start("secret") - match.start()] + "<redacted:authorization>"

    line = _TOKEN.sub(token, line)
    line = _URL_PASSWORD.sub(password, line) if "://" in line else line
    line = _HEADER.sub(header, line)
    line = _BEARER.sub(header, line)
    line = _ARGUMENT.sub(named, line)
    return _NAMED.sub(named, line)


class _Detect:
    """detect-secrets for one line at a time: pairs of kind and secret. It is set up when a line needs it."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._scan: Callable[[str], Iterable[Any]] | None = None
        self._signs: tuple[re.Pattern[str], ...] = ()

    def __call__(self, line: str) -> Iterator[tuple[str, str]]:
        if not _MAY_HOLD.search(line):
            return
        scan = self._scan or self._set_up()
        line = line[1:] if line[:1] in "+-" else line
        # To scan a line costs ten times what it costs to see that no detector has anything to say.
        if self._signs and not any(sign.search(line) for sign in self._signs):
            return
        for item in scan(line):
            kind = re.sub(r"[^a-z0-9]+", "-", item.type.lower()).strip("-")
            yield kind, item.secret_value or ""

    def _set_up(self) -> Callable[[str], Iterable[Any]]:
        from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
        from detect_secrets.core.scan import scan_line
        from detect_secrets.settings import transient_settings

        plugins: dict[str, type] = get_mapping_from_secret_type_to_class()
        names = sorted(plugin.__name__ for plugin in plugins.values())
        wanted = [{"name": name} for name in names if name not in _NEVER]
        self._stack.enter_context(transient_settings({"plugins_used": wanted}))
        self._signs = _signs_of(plugin for plugin in plugins.values() if plugin.__name__ not in _NEVER)
        self._scan = scan_line
        return scan_line  # type: ignore[no-any-return]


def _signs_of(plugins: Iterable[Any]) -> tuple[re.Pattern[str], ...]:
    """What a line has in which one of the detectors finds a secret; empty when that cannot be told."""
    from detect_secrets.plugins import jwt, keyword
    from detect_secrets.plugins.base import BasePlugin, RegexBasedDetector

    found: list[re.Pattern[str]] = []
    for plugin in plugins:
        if plugin is keyword.KeywordDetector:
            # Each of its expressions needs one of these words.
            found.append(re.compile("|".join(keyword.DENYLIST), re.IGNORECASE))
        elif (
            issubclass(plugin, RegexBasedDetector)
            and plugin.analyze_line is BasePlugin.analyze_line
            and (plugin.analyze_string is RegexBasedDetector.analyze_string or plugin is jwt.JwtTokenDetector)
        ):  # what looks like a JWT is also decoded
            found += plugin.denylist
        else:
            return ()
    return tuple(found)


_shared: list[_Detect] = []


@contextmanager
def sharing_detectors() -> Iterator[None]:
    """Within it the detectors are set up once, not for every text: for thousands of texts in a row."""
    with _detectors() as detect:
        _shared.append(detect)
        try:
            yield
        finally:
            _shared.pop()


@contextmanager
def _detectors() -> Iterator[_Detect]:
    if _shared:
        yield _shared[-1]
        return
    if not _is_installed():
        from gitnotes.errors import UsageError

        raise UsageError(
            "The check for secrets is not installed, and no model is shown a change without it.",
            "Run: pip install 'gitnotes[endpoint]'",
        )
    with ExitStack() as stack:
        yield _Detect(stack)


def _is_installed() -> bool:
    try:
        import detect_secrets  # noqa: F401
    except ImportError:
        return False
    return True
