#!/usr/bin/env python3
"""Finds phrases in comments, texts and documentation that the project does not use: prose.py [PATH...]

Reads the Swift, C, shell and Python comments, the string literals of at least four words, and the Markdown outside code
blocks below the paths (by default all of the project). Prints FILE:LINE: PHRASE (WHAT TO WRITE). A doc comment must
start with a verb or a noun, and a line of Markdown has at most 100 characters. The status is 1 if there is a finding.
"""

import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
DEFAULT = [
    "Sources", "Tests", "Benchmarks", "docs", "Examples", "Packaging", "Scripts", "media", ".github", "README.md",
    "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md",
]
PHRASES = [
    (r"\b(?:nobody|somebody|whoever|no one)\b", "name the caller, the process or the user"),
    (r"\b(?:anew|for ever|once more|all the same|thereby|whereby|wherein|hitherto)\b", "again, permanently, anyway"),
    (r"\b(?:is|are|was|were|be|been)\s+(?:not\s+|never\s+)?told\b", "reported, sent, notified"),
    (r"\btakes? (?:nothing|no more)\b", "is full, is read-only, is stalled"),
    (r"\b(?:of|by|for|with|from) (?:which|whom)\b", "two sentences, or 'whose'"),
    (r"\b(?:goes|go|went) (?:by|on)\b", "depends on, continues"),
    (r"\b(?:stands|lies) (?:in|on|at|there|beside|before)\b", "is in, is at"),
    (r"\b(?:mends?|mended|heeds?|lets? go of|begun)\b", "fixes, obeys, releases, started"),
]
PHRASES = [(re.compile(phrase, re.IGNORECASE), instead) for phrase, instead in PHRASES]
OPENING = re.compile(r"^(?:What|How|Who|Where|Of|Whatever|That)\b")
CODE = re.compile(r"`[^`]*`")
# Rows of tables and definitions of links cannot be wrapped.
WIDE = re.compile(r"(?!\||\[[^\]]+\]: ).{101}")
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')


def lines_of_prose(path):
    """Yields (line number, text, whether it starts a doc comment)."""
    lines = path.read_text(errors="replace").split("\n")
    is_code = is_doc = is_literal = False
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if path.suffix == ".md":
            if text.startswith("```"):
                is_code = not is_code
            elif not is_code and not line.startswith("    "):
                yield number, line, False
            continue
        if path.suffix == ".swift" and text.count('"""') % 2:
            is_literal = not is_literal
            continue
        if is_literal:
            yield number, text, False
            continue
        comment = re.match(r"(#|///?|/?\*+(?!/)) ?(.*)", text)
        if comment and (path.suffix in (".sh", ".py")) == (comment[1] == "#"):
            yield number, CODE.sub("x", comment[2]), comment[1] == "///" and not is_doc
            is_doc = comment[1] == "///"
            continue
        is_doc = False
        for literal in LITERAL.findall(line):
            if len(literal.split()) >= 4:
                yield number, literal, False


paths = sys.argv[1:] or DEFAULT
files = subprocess.run(
    ["git", "ls-files", "-z", "--", *paths], cwd=root, text=True, stdout=subprocess.PIPE, check=True).stdout.split("\0")
count = 0
for name in files:
    path = root / name
    if path.suffix not in (".swift", ".h", ".c", ".md", ".sh", ".py") or path == pathlib.Path(__file__).resolve():
        continue
    for number, text, is_opening in lines_of_prose(path):
        found = []
        if path.suffix == ".md":
            if WIDE.match(text):
                found.append((f"{len(text)} characters", "lines of at most 100"))
            text = CODE.sub("x", text)
        found += [(match[0], instead) for phrase, instead in PHRASES for match in phrase.finditer(text)]
        if is_opening and OPENING.match(text):
            found.append((text.split()[0], "start with a verb or a noun"))
        for phrase, instead in found:
            count += 1
            print(f"{name}:{number}: {phrase} (write: {instead}): {text.strip()[:100]}")
sys.exit(1 if count else 0)
