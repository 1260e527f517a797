#!/usr/bin/env python3
"""Writes the public declarations of a symbol graph as text, and compares them with a committed one.

    api.py GRAPH TEXT             fails where TEXT differs from the graph, where a declaration has no documentation,
                                  and where a commit took a line out of TEXT without a line in CHANGELOG.md, which
                                  may also come later: then it has the declaration with its type in backquotes
    api.py GRAPH TEXT --update    writes TEXT first
"""

import difflib
import json
import re
import subprocess
import sys


def declarations(graph):
    """A line a declaration, members under their type, sorted by name; and the names of those without documentation."""
    conformances = {}
    for relationship in graph["relationships"]:
        if relationship["kind"] == "conformsTo":
            name = relationship.get("targetFallback", relationship["target"]).split(".")[-1]
            conformances.setdefault(relationship["source"], set()).add(name)
    lines, undocumented = [], []
    for symbol in graph["symbols"]:
        path = symbol["pathComponents"]
        text = "".join(fragment["spelling"] for fragment in symbol["declarationFragments"])
        text = " ".join(text.split())
        if symbol["kind"]["identifier"].split(".")[-1] in ("struct", "class", "enum", "protocol"):
            names = sorted(conformances.get(symbol["identifier"]["precise"], set()) - IMPLIED)
            if names:
                text += ": " + ", ".join(names)
        lines.append((path, "    " * (len(path) - 1) + text))
        if not symbol.get("docComment") and not IMPLICIT.get(path[-1]):
            undocumented.append(".".join(path))
    return [text for _, text in sorted(lines)], sorted(undocumented)


# Conformances that every type has, and members that a conformance makes by itself.
IMPLIED = {"Copyable", "Escapable", "SendableMetatype"}
IMPLICIT = {"init(rawValue:)": True, "rawValue": True, "==(_:_:)": True, "hash(into:)": True}


def type_name(line):
    """The kind and name of a type, without its conformances; None for another declaration."""
    words = line.split(":")[0].split()
    return tuple(words) if words and words[0] in ("struct", "class", "enum", "protocol") else None


def member_name(line):
    """The name that a declaration has, without its kind and its parameters."""
    found = re.search(r"\b(?:case|func|var|let|struct|class|enum|protocol|typealias|associatedtype)\s+`?(\w+)|\b(init|subscript)\b", line)
    return found and (found[1] or found[2])


def qualified_names(lines):
    """The lines of a text, each with its name behind those of the types that it stands in."""
    names, path = {}, []
    for line in lines:
        path[(len(line) - len(line.lstrip())) // 4:] = [member_name(line) or ""]
        names.setdefault(line, set()).add(".".join(path))
    return names


def silent_removals(text):
    """The commits that took a line out of the text and left CHANGELOG.md as it was, which does not name it now either."""
    with open("CHANGELOG.md") as file:
        named = set(re.findall(r"`([\w.]+)", file.read()))
    def git(*arguments):
        return subprocess.run(["git", *arguments], capture_output=True, text=True).stdout
    found = []
    for commit in git("log", "--no-merges", "--format=%h", "--", text).split():
        diff = git("show", "--format=", "--unified=0", commit, "--", text).splitlines()
        # A type whose conformances change is still there.
        kept = {type_name(line[1:]) for line in diff if line.startswith("+") and not line.startswith("+++")} - {None}
        removed = [line[1:] for line in diff if line.startswith("-") and not line.startswith("---")]
        changed = git("show", "--name-only", "--format=", commit).split()
        names = qualified_names(git("show", f"{commit}^:{text}").splitlines())
        gone = [line for line in removed if type_name(line) not in kept and not names[line] <= named]
        if gone and "CHANGELOG.md" not in changed:
            found.append(commit)
    return found


def main():
    graph_path, text_path, *options = sys.argv[1:]
    with open(graph_path) as file:
        lines, undocumented = declarations(json.load(file))
    text = "".join(line + "\n" for line in lines)
    if options == ["--update"]:
        with open(text_path, "w") as file:
            file.write(text)
    with open(text_path) as file:
        committed = file.read()
    failed = False
    if committed != text:
        sys.stderr.writelines(difflib.unified_diff(
            committed.splitlines(True), text.splitlines(True), text_path, "the code"))
        print(f"{text_path} is not what the code declares: Scripts/documentation.sh --update", file=sys.stderr)
        failed = True
    for name in undocumented:
        print(f"{name} is public and has no documentation", file=sys.stderr)
        failed = True
    for commit in silent_removals(text_path):
        print(f"{commit} takes a declaration out of {text_path} and says nothing in CHANGELOG.md", file=sys.stderr)
        failed = True
    print(f"{len(lines)} public declarations")
    return 1 if failed else 0


sys.exit(main())
