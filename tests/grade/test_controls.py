"""Can the grade be talked up, and does it know whose message it reads?

The controls of `bench.grading.controls`, on made-up changes, so that they hold without any data.
"""

import pytest

from gitnotes.grade.consistency import AGAINST, FOR, load_fit
from gitnotes.grade.scale import grade_message
from gitnotes.read.diff import parse_patch

from .test_scale import GENERIC, PADDING, REQUESTS


def patch(path, text, heading=""):
    lines = text.strip("\n").split("\n")
    old, new = (sum(line[:1] in (sign, " ") for line in lines) for sign in "-+")
    head = f"diff --git a/{path} b/{path}\nindex 1111111..2222222 100644\n--- a/{path}\n+++ b/{path}\n"
    return head + f"@@ -1,{old} +1,{new} @@ {heading}\n" + "\n".join(lines) + "\n"


COMMITS = [
    (
        "Add a timeout to fetch_page\n\nA server that never answered kept the worker busy for ever.",
        patch("crawler/fetch.py", """
-def fetch_page(url):
-    return opener.open(url).read()
+def fetch_page(url, timeout=30):
+    return opener.open(url, timeout=timeout).read()
"""),
    ),
    (
        "Retry fetch_page when the connection is reset",
        patch("crawler/fetch.py", """
 def fetch_page(url, timeout=30):
-    return opener.open(url, timeout=timeout).read()
+    try:
+        return opener.open(url, timeout=timeout).read()
+    except ConnectionReset:
+        return retry_later(url)
"""),
    ),
    (
        "Drop the legacy robots parser\n\nThe standard library reads robots.txt since long.",
        patch("crawler/robots.py", """
-class LegacyRobotsParser:
-    def parse_rules(self, lines):
-        return [line.split(":") for line in lines]
+from urllib.robotparser import RobotFileParser
"""),
    ),
    (
        "Bump lxml from 5.2.1 to 5.3.0",
        patch("requirements.txt", "-lxml==5.2.1\n+lxml==5.3.0\n selectolax==0.3.21"),
    ),
    (
        "Bump lxml from 5.3.0 to 5.3.2",
        patch("requirements.txt", "-lxml==5.3.0\n+lxml==5.3.2\n selectolax==0.3.21"),
    ),
    (
        "Release 1.4.0",
        patch("crawler/__init__.py", '-__version__ = "1.4.0.dev0"\n+__version__ = "1.4.0"')
        + patch("CHANGES.md", "+## 1.4.0\n+\n+- Pages are fetched with a timeout (#212)."),
    ),
    (
        "Explain how to limit the depth of a crawl (#231)",
        patch("docs/usage.md", """
 ## Options
+A crawl follows every link. Pass `--max-depth 2` to stop two links away from
+the first page (#231).
"""),
    ),
    (
        "Test that redirects keep the query",
        patch("tests/test_redirect.py", """
+def test_redirect_keeps_query(server):
+    server.redirect("/a?page=2", "/b?page=2")
+    assert follow(server.url("/a?page=2")).query == "page=2"
"""),
    ),
    (
        "Rename seen_urls to visited",
        patch("crawler/queue.py", """
-        if url in self.seen_urls:
+        if url in self.visited:
             return
-        self.seen_urls.add(url)
+        self.visited.add(url)
"""),
    ),
    (
        "Add `normalize_host` so that hosts compare in lower case",
        patch("crawler/hosts.py", """
+def normalize_host(host):
+    return host.strip(".").lower()
+
 def same_host(one, other):
-    return one == other
+    return normalize_host(one) == normalize_host(other)
"""),
    ),
]  # fmt: skip
CASES = [(message, parse_patch(text)) for message, text in COMMITS]


def overall(message, change):
    return grade_message(message, change).overall


def consistency(message, change):
    return grade_message(message, change).scores["consistency"]


def test_own_message_beats_that_of_every_other_commit():
    above = pairs = 0
    for message, change in CASES:
        for other, _ in CASES:
            if other != message:
                assert consistency(message, change) > consistency(other, change), (message, other)
                above += overall(message, change) > overall(other, change)
                pairs += 1
    # A better text for another change may well win back what it loses.
    assert above >= 0.9 * pairs


TURNED = [
    ("Add a timeout to fetch_page", "Remove a timeout from fetch_page", 0),
    ("Drop the legacy robots parser", "Introduce the legacy robots parser", 2),
    ("Bump lxml from 5.2.1 to 5.3.0", "Downgrade lxml from 5.3.0 to 5.2.1", 3),
    ("Release 1.4.0", "Release 1.5.0", 5),
    ("Rename seen_urls to visited", "Rename visited_urls to seen", 8),
    ("Add `normalize_host` to compare hosts", "Delete `normalize_host` to compare hosts", 9),
]


@pytest.mark.parametrize(("right", "wrong", "at"), TURNED)
def test_the_opposite_falls_and_the_original_is_not_accused(right, wrong, at):
    change = CASES[at][1]
    assert consistency(right, change) > consistency(wrong, change) + 0.2
    assert overall(right, change) > overall(wrong, change)
    assert "direction" not in {finding.rule for finding in grade_message(right, change).findings}


@pytest.mark.parametrize(
    ("message", "name", "at"),
    [(COMMITS[0][0], "fetch_page", 0), (COMMITS[1][0], "fetch_page", 1), (COMMITS[8][0], "seen_urls", 8),
    (COMMITS[9][0], "normalize_host", 9)],
)  # fmt: skip
def test_a_name_of_another_change_falls(message, name, at):
    change = CASES[at][1]
    wrong = message.replace(name, "render_sitemap")
    assert consistency(message, change) > consistency(wrong, change)
    assert overall(message, change) > overall(wrong, change)


def with_text(message, text):
    subject, _, rest = message.partition("\n\n")
    return f"{subject}\n\n{text}" + (f"\n\n{rest}" if rest else "")


@pytest.mark.parametrize(("message", "change"), CASES)
def test_more_text_that_says_no_more_never_raises(message, change):
    before = overall(message, change)
    for longer in (
        f"{message}\n\n{message}",
        f"{message}\n\nSigned-off-by: A. Crawler <fetch@lxml.example>\n\n{message}",
        *(with_text(message, padding) for padding in PADDING),
    ):
        assert overall(longer, change) <= before


@pytest.mark.parametrize(("message", "change"), CASES)
def test_asking_for_a_score_moves_nothing_and_is_reported(message, change):
    for request in REQUESTS:
        grade = grade_message(with_text(message, request), change)
        assert grade.overall == overall(message, change)
        assert "instruction-text" in {finding.rule for finding in grade.findings}


@pytest.mark.parametrize(("message", "change"), CASES)
def test_messages_that_fit_any_commit_are_below_the_own_one(message, change):
    for generic in GENERIC:
        assert overall(generic, change) < min(35, overall(message, change))


def test_no_signal_counts_for_both_sides():
    coefficients = load_fit().coefficients
    assert coefficients.keys() <= {*FOR, *AGAINST}
    assert not set(FOR) & set(AGAINST)
    assert all(coefficients.get(name, 0) >= 0 for name in FOR)
    assert all(coefficients.get(name, 0) <= 0 for name in AGAINST)
    assert sum(1 for name in FOR if coefficients.get(name)) >= 10
