#!/usr/bin/env python3
"""Changes the sources in the small ways that Tests/Mutants/mutants.toml lists, and says which changes no test notices.

    Scripts/mutants.py [ID...]      all, or those named; builds a copy of the tree, which takes some minutes
    Scripts/mutants.py --part 2/3   the second of three parts, which together are all

One build has all of them: the variable DTVR_MUTANT says which one acts. --tree DIR takes the copy at DIR as it is, where
it has been built before.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import tomllib

root = pathlib.Path(__file__).resolve().parent.parent
# How long tests may take with a change: so many seconds, and so many times what they take without one.
LIMIT, LIMIT_FACTOR = 60, 10
SWITCH = """
/// Whether the change with this id acts.
private func isMutant(_ id: String) -> Bool { activeMutant == id }

private let activeMutant = unsafe getenv("DTVR_MUTANT").map { unsafe String(cString: $0) } ?? ""
"""


def apply(mutants, tree):
    """Puts all changes into the sources, each behind its switch."""
    for path in sorted({mutant["file"] for mutant in mutants}):
        file = tree / path
        text = file.read_text()
        changes = {}
        for mutant in (each for each in mutants if each["file"] == path):
            original, name = mutant.get("drop") or mutant["original"], mutant["id"]
            if text.count(original) != 1:
                sys.exit(f"{name}: {path} has the text {text.count(original)} times: {original}")
            is_active = f'isMutant("{name}")'
            rest = changes.get(original, original)
            if "drop" in mutant:
                change = f"if !{is_active} {{ {rest} }}"
            elif re.match(r"(return|guard|continue)\b", original):
                # A statement: the change goes before it.
                change = f"if {is_active} {{ {mutant['mutated']} }}\n{rest}"
            else:
                if rest == original and "," in original and " && " not in original and "(" not in original:
                    # Conditions of a guard or an if.
                    rest = original.replace(", ", " && ")
                change = f"({is_active} ? ({mutant['mutated']}) : ({rest}))"
            changes[original] = change
        text = re.sub("|".join(re.escape(original) for original in changes), lambda found: changes[found[0]], text)
        for mutant in mutants:
            if mutant["file"] == path and f'isMutant("{mutant["id"]}")' not in text:
                sys.exit(f"{mutant['id']}: its text overlaps that of another")
        if not re.search(r"^(package |public |internal )?import (Glibc|Foundation)$", text, re.MULTILINE):
            text = "internal import Glibc\n" + text
        file.write_text(text + SWITCH)


def run(tree, command, mutant="", limit=None):
    """Runs a command in the tree; nothing where it does not end within so many seconds."""
    process = subprocess.Popen(
        command, cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env=os.environ | {"DTVR_MUTANT": mutant}, start_new_session=True)
    try:
        output = process.communicate(timeout=limit)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.wait()
        return None
    return process.returncode, output


def noticed(tree, mutant, tests, limit=None):
    """How the tests notice that a change acts: they fail, or do not end; nothing where they do not notice."""
    # `swift test` takes seconds to find out that it need not build.
    [binary] = tree.glob(".build/debug/*PackageTests.xctest")
    result = run(tree, [binary.absolute(), "--testing-library", "swift-testing", "--filter", tests], mutant, limit)
    if result is None:
        return "no end"
    status, output = result
    if status == 0 and not re.search(r"Test run with [1-9]\d* tests? .* passed", output):
        sys.exit(f"{mutant}: no tests were run by the filter {tests}")
    return "failed" if status != 0 else None


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("ids", nargs="*", metavar="ID")
parser.add_argument("--tree", type=pathlib.Path)
parser.add_argument("--part", metavar="N/COUNT", type=lambda text: tuple(map(int, text.split("/"))))
options = parser.parse_args()
if options.part and (len(options.part) != 2 or not 1 <= options.part[0] <= options.part[1]):
    parser.error("--part takes a number and how many parts there are, such as 2/3")
with open(root / "Tests/Mutants/mutants.toml", "rb") as file:
    mutants = tomllib.load(file)["mutant"]
if len({mutant["id"] for mutant in mutants}) != len(mutants):
    sys.exit("two mutants have one id")
tree = options.tree
if tree is None:
    tree = root / ".build-mutants/tree"
    tree.mkdir(parents=True, exist_ok=True)
    for name in ("Sources", "Tests"):
        shutil.rmtree(tree / name, ignore_errors=True)
    files = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root, text=True,
        stdout=subprocess.PIPE, check=True).stdout
    for name in files.split("\0"):
        if name and (root / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, tree / name)
    apply(mutants, tree)
    status, output = run(tree, ["swift", "build", "--build-tests"])
    if status != 0:
        sys.exit(output[-4000:])
chosen = [mutant for mutant in mutants if not options.ids or mutant["id"] in options.ids]
if options.ids and len(chosen) != len(set(options.ids)):
    sys.exit("there is no mutant of that id")
if options.part:
    # One after the other rather than in pieces, so that each part has of the long suites.
    chosen = chosen[options.part[0] - 1::options.part[1]]
limits = {}
for tests in sorted({mutant["tests"] for mutant in chosen}):
    start = time.monotonic()
    if noticed(tree, "", tests):
        sys.exit(f"the tests {tests} fail without a change")
    limits[tests] = LIMIT + LIMIT_FACTOR * (time.monotonic() - start)
survived = 0
for mutant in chosen:
    how = noticed(tree, mutant["id"], mutant["tests"], limits[mutant["tests"]])
    survived += how is None
    print(f"{f'killed, {how}' if how else 'SURVIVED':14}  {mutant['id']}  ({mutant['file']})", flush=True)
print(f"{len(chosen) - survived} of {len(chosen)} killed")
sys.exit(1 if survived else 0)
