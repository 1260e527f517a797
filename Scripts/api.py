#!/usr/bin/env python3
"""Writes the public declarations of a symbol graph as text, and compares them with the committed text.

    api.py GRAPH TEXT             fails if TEXT differs from the graph, if a declaration has no documentation, or if a
                                  commit removed a line from TEXT without changing CHANGELOG.md; a later entry there
                                  counts if it has the declaration, with its type, in backquotes. Also fails if a
                                  comment or an article of the library names a declaration that is not public
    api.py GRAPH TEXT --update    writes TEXT first
"""

import difflib
import json
import pathlib
import re
import subprocess
import sys


def declarations(graph):
    """Returns one line for each declaration, sorted by name, with members indented below their type; and the names of
    the declarations without documentation."""
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


# Conformances of every type, and members that are synthesized for a conformance.
IMPLIED = {"Copyable", "Escapable", "SendableMetatype"}
IMPLICIT = {"init(rawValue:)": True, "rawValue": True, "==(_:_:)": True, "hash(into:)": True}


def type_name(line):
    """Returns the kind and name of a type, without its conformances; None for other declarations."""
    words = line.split(":")[0].split()
    return tuple(words) if words and words[0] in ("struct", "class", "enum", "protocol") else None


def readable(line):
    """Returns a line with a constant written as a computed property, which callers read in the same way."""
    return re.sub(r"\blet (\w+: .+)", r"var \1 { get }", line)


def member_name(line):
    """Returns the name of a declaration, without its kind and parameters."""
    found = re.search(
        r"\b(?:case|func|var|let|struct|class|enum|protocol|typealias|associatedtype)\s+`?(\w+)|\b(init|subscript)\b",
        line)
    return found and (found[1] or found[2])


def qualified_names(lines):
    """Returns a map from each line of a text to the qualified names of its declarations."""
    names, path = {}, []
    for line in lines:
        path[(len(line) - len(line.lstrip())) // 4:] = [member_name(line) or ""]
        names.setdefault(line, set()).add(".".join(path))
    return names


def silent_removals(text):
    """Returns the commits that removed a line from the text without changing CHANGELOG.md, if the removed declaration
    is not named there today."""
    with open("CHANGELOG.md") as file:
        named = set(re.findall(r"`([\w.]+)", file.read()))
    def git(*arguments):
        return subprocess.run(["git", *arguments], capture_output=True, text=True).stdout
    found = []
    for commit in git("log", "--no-merges", "--format=%h", "--", text).split():
        diff = git("show", "--format=", "--unified=0", commit, "--", text).splitlines()
        # A type whose conformances change was not removed.
        kept = {type_name(line[1:]) for line in diff if line.startswith("+") and not line.startswith("+++")} - {None}
        removed = [line[1:] for line in diff if line.startswith("-") and not line.startswith("---")]
        changed = git("show", "--name-only", "--format=", commit).split()
        names = qualified_names(git("show", f"{commit}^:{text}").splitlines())
        added = {readable(line[1:]) for line in diff if line.startswith("+") and not line.startswith("+++")}
        gone = [line for line in removed
                if type_name(line) not in kept and readable(line) not in added and not names[line] <= named]
        if gone and "CHANGELOG.md" not in changed:
            found.append(commit)
    return found


def hidden_names(graph, library):
    """Returns the code in comments and articles that names a type or a function of the sources that is not public, each
    with its place."""
    sources = "\n".join(path.read_text() for path in pathlib.Path("Sources").rglob("*.swift"))
    types = set(re.findall(r"\b(?:struct|class|enum|protocol|actor|typealias)\s+([A-Z]\w+)", sources))
    functions = set(re.findall(r"\bfunc\s+(\w+)", sources))
    public = {name for symbol in graph["symbols"] for name in symbol["pathComponents"]}
    # Other products have public declarations, too.
    for path in pathlib.Path("docs").glob("*api.txt"):
        public |= set(re.findall(r"\b(?:struct|class|enum|protocol|typealias) (\w+)", path.read_text()))
    texts = {".".join(symbol["pathComponents"]): "\n".join(line["text"] for line in symbol["docComment"]["lines"])
             for symbol in graph["symbols"] if symbol.get("docComment")}
    for path in pathlib.Path(f"Sources/Products/{library}").rglob("*.docc/*.md"):
        texts[str(path)] = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
    found = []
    for place, text in texts.items():
        for code in re.findall(r"(?<!`)`([^`\n]+)`(?!`)", text):
            names = re.fullmatch(r"(?:\w+\.)*(\w+)(\([\w:]*\))?", code)
            if not names:
                continue
            is_type = any(name in types and name not in public for name in code.split(".") if name[0].isupper())
            is_function = names[2] and ":" in names[2] and names[1] in functions and \
                names[1] + names[2] not in public
            if is_type or is_function:
                found.append(f"{place}: `{code}`")
    return sorted(found)


def main():
    graph_path, text_path, *options = sys.argv[1:]
    with open(graph_path) as file:
        graph = json.load(file)
    lines, undocumented = declarations(graph)
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
        print(f"{text_path} differs from the code; update it with Scripts/documentation.sh --update", file=sys.stderr)
        failed = True
    for name in undocumented:
        print(f"{name} is public and has no documentation", file=sys.stderr)
        failed = True
    for name in hidden_names(graph, pathlib.Path(graph_path).name.split(".")[0]):
        print(f"{name} is not public", file=sys.stderr)
        failed = True
    for commit in silent_removals(text_path):
        print(f"{commit} removes a declaration from {text_path} without an entry in CHANGELOG.md", file=sys.stderr)
        failed = True
    print(f"{len(lines)} public declarations")
    return 1 if failed else 0


sys.exit(main())
