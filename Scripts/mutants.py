#!/usr/bin/env python3
"""Puts the mutants of Tests/Mutants into a copy of the tree, or runs the tests with each; see Scripts/mutants.sh.

    mutants.py apply TREE            changes TREE, which is a copy
    mutants.py run TREE [ID...]      runs the tests in TREE, which is built, with each mutant or those named
    mutants.py list                  prints their ids
"""

import os
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
SWITCH = """@usableFromInline
func isMutant(_ name: StaticString) -> Bool {
    activeMutant.withContents { $0 == name.description }
}

private let activeMutant = ActiveMutant()

private struct ActiveMutant: Sendable {
    let name: String
    init() { name = unsafe getenv("MUTANT").map { unsafe String(cString: $0) } ?? "" }
    func withContents(_ body: (String) -> Bool) -> Bool { body(name) }
}
"""


class Mutant:
    def __init__(self, text):
        self.id, _, rest = text.partition("\n")
        self.fields = dict(re.split(r" +", line, maxsplit=1) for line in rest.splitlines() if line.strip())
        self.path = self.fields["file"]
        # Sources/Floor/Module/...
        self.module = self.path.split("/")[2]

    def change(self, text):
        """The file's text with the mutant in it, off unless it is switched on."""
        line = self.fields.get("old") or self.fields["drop"]
        places = [at for at in text.splitlines() if at.strip() == line]
        if len(places) != 1:
            sys.exit(f"{self.id}: {len(places)} lines of {self.path} are '{line}'")
        if "drop" in self.fields:
            return f'if !isMutant("{self.id}") {{ {line} }}', line
        part = self.fields.get("part") or line.partition(" = ")[2]
        if line.count(part) != 1:
            sys.exit(f"{self.id}: '{part}' is not once in '{line}'")
        return line.replace(part, f'(isMutant("{self.id}") ? ({self.fields["new"]}) : ({part}))'), line


def mutants():
    found = []
    for page in sorted((root / "Tests/Mutants").glob("*.mutants")):
        found += [Mutant(text) for text in re.split(r"^== ", page.read_text(), flags=re.M)[1:]]
    ids = [mutant.id for mutant in found]
    if len(set(ids)) != len(ids):
        sys.exit("two mutants have one id")
    return found


def apply(tree):
    changes = {}
    for mutant in mutants():
        text = (root / mutant.path).read_text()
        new, old = mutant.change(text)
        changes.setdefault((mutant.path, old), []).append((mutant, new))
    for path in {path for path, _ in changes}:
        text = (root / path).read_text()
        for (_, old), entries in ((key, value) for key, value in changes.items() if key[0] == path):
            new = entries[0][1]
            # Several mutants of one line: each has a part of its own, or the same, and they are nested.
            for mutant, _ in entries[1:]:
                part = mutant.fields.get("part") or old.partition(" = ")[2]
                new = new.replace(f"({part})", f'(isMutant("{mutant.id}") ? ({mutant.fields["new"]}) : ({part}))', 1) \
                    if f"({part})" in new else new.replace(part, f'(isMutant("{mutant.id}") ? ({mutant.fields["new"]}) : ({part}))', 1)
            text = re.sub(r"(?m)^( *)" + re.escape(old) + r"$", lambda match: match[1] + new, text, count=1)
        (tree / path).write_text(text)
    for module in {"/".join(mutant.path.split("/")[:3]) for mutant in mutants()}:
        (tree / module / "ActiveMutant.swift").write_text("import Glibc\n\n" + SWITCH)
    # The tool runs with the mutant of its test.
    child = tree / "Tests/TestSupport/ChildProcess.swift"
    text = child.read_text()
    plain = "(environment ?? ProcessInfo.processInfo.environment)"
    if plain not in text:
        sys.exit("Tests/TestSupport/ChildProcess.swift gives its environment in another way")
    mutant = '["MUTANT": ProcessInfo.processInfo.environment["MUTANT"] ?? ""]'
    child.write_text(text.replace(plain, plain + f".merging({mutant}) {{ $1 }}"))


def notices(tree, mutant, tests):
    """Whether tests fail with the mutant."""
    command = ["swift", "test", "--skip-build", "--disable-xctest", "--filter", tests]
    try:
        return subprocess.run(
            command, cwd=tree, env=os.environ | {"MUTANT": mutant.id}, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, timeout=900).returncode != 0
    except subprocess.TimeoutExpired:
        return True


def run(tree, ids):
    chosen = [mutant for mutant in mutants() if not ids or mutant.id in ids]
    survivors = []
    for mutant in chosen:
        wide = f"{mutant.module}Tests|dtvrTests"
        killed = notices(tree, mutant, mutant.fields["tests"]) or notices(tree, mutant, wide)
        print(f"{'killed  ' if killed else 'SURVIVED'}  {mutant.id}", flush=True)
        if not killed:
            survivors.append(mutant.id)
    print(f"{len(chosen) - len(survivors)} of {len(chosen)} mutants were noticed")
    sys.exit(1 if survivors else 0)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["apply", tree]: apply(pathlib.Path(tree))
        case ["run", tree, *ids]: run(pathlib.Path(tree), ids)
        case ["list"]: print("\n".join(mutant.id for mutant in mutants()))
        case _: sys.exit(__doc__)
