#!/usr/bin/env python3
"""Applies the mutations of Tests/Mutants/mutants.toml to the sources, and reports the mutants that no test detects.

    Scripts/mutants.py [ID...]      tests these mutants; default: all. Builds a copy of the tree, which takes minutes
    Scripts/mutants.py --part 2/3   tests the second of three parts

One build contains all mutants; the variable DTVR_MUTANT activates one of them. --tree DIR uses the copy at DIR, which
must have been built before.
"""

import argparse
import math
import os
import pathlib
import re
import select
import shutil
import subprocess
import sys
import time
import tomllib

root = pathlib.Path(__file__).resolve().parent.parent
# The time limit of tests with a mutant: LIMIT seconds plus LIMIT_FACTOR times the duration without one.
LIMIT, LIMIT_FACTOR = 60, 10
# The output of a test that fails.
FAILURE = b" recorded an issue"
SWITCH = """
/// Whether the mutant with this id is active.
private func isMutant(_ id: String) -> Bool { activeMutant == id }

private let activeMutant = unsafe getenv("DTVR_MUTANT").map { unsafe String(cString: $0) } ?? ""
"""


def apply(mutants, tree):
    """Inserts all mutants into the sources, each behind its switch."""
    for path in sorted({mutant["file"] for mutant in mutants}):
        file = tree / path
        text = file.read_text()
        changes = {}
        for mutant in (each for each in mutants if each["file"] == path):
            original, name = mutant.get("drop") or mutant["original"], mutant["id"]
            if text.count(original) != 1:
                sys.exit(f"{name}: {path} contains the text {text.count(original)} times instead of once: {original}")
            is_active = f'isMutant("{name}")'
            rest = changes.get(original, original)
            if "drop" in mutant:
                change = f"if !{is_active} {{ {rest} }}"
            elif re.match(r"(return|guard|continue)\b", original):
                # A statement: inserts the mutant before it.
                change = f"if {is_active} {{ {mutant['mutated']} }}\n{rest}"
            else:
                has_conditions = "," in original and not re.search(r"[(\[]| && ", original)
                if rest == original and has_conditions:
                    # The conditions of a guard or an if.
                    rest = original.replace(", ", " && ")
                # The label of an argument stays before its value.
                label = re.match(r"(\w+: )?", rest)[0] if rest == original else ""
                mutated = mutant["mutated"].removeprefix(label)
                change = f"{label}({is_active} ? ({mutated}) : ({rest.removeprefix(label)}))"
            changes[original] = change
        text = re.sub("|".join(re.escape(original) for original in changes), lambda found: changes[found[0]], text)
        for mutant in mutants:
            if mutant["file"] == path and f'isMutant("{mutant["id"]}")' not in text:
                sys.exit(f"{mutant['id']}: its text overlaps the text of another mutant")
        if not re.search(r"^(package |public |internal )?import (Glibc|Foundation)$", text, re.MULTILINE):
            text = "internal import Glibc\n" + text
        file.write_text(text + SWITCH)


def run(tree, command, mutant="", limit=math.inf):
    """Runs a command in the tree; returns its status and output, or None if it exceeds `limit` seconds. With a mutant,
    the first failure of a test ends the command."""
    process = subprocess.Popen(
        command, cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        # A backtrace of the test program takes minutes.
        env=os.environ | {"DTVR_MUTANT": mutant, "SWIFT_BACKTRACE": "enable=no"})
    output, end = bytearray(), time.monotonic() + limit
    while True:
        ready = select.select([process.stdout], [], [], 1)[0]
        piece = os.read(process.stdout.fileno(), 1 << 16) if ready else b""
        output += piece
        # A child of the tests may keep the pipe open.
        if not piece and (ready or process.poll() is not None):
            return process.wait(), output.decode(errors="replace")
        is_late = time.monotonic() >= end
        if is_late or mutant and FAILURE in output[-len(piece) - len(FAILURE):]:
            kill(process)
            return None if is_late else (process.returncode, output.decode(errors="replace"))


def kill(process):
    """Kills the program with its children."""
    try:
        os.killpg(process.pid, 9)
    except ProcessLookupError:
        pass
    process.wait()


def noticed(tree, mutant, tests, limit=math.inf):
    """Runs the tests with a mutant; returns how they detect it, by failing or not ending, or None if they do not."""
    # Runs the test binary directly: `swift test` takes seconds to check that the build is current.
    [binary] = tree.glob(".build/debug/*PackageTests.xctest")
    result = run(tree, [binary.absolute(), "--testing-library", "swift-testing", "--filter", tests], mutant, limit)
    if result is None:
        return "no end"
    status, output = result
    if status != 0 and not mutant:
        failures = "\n".join(line for line in output.splitlines() if line.startswith("✘"))
        print(f"exit status {status}\n{failures[-4000:] or output[-4000:]}")
    if status == 0 and not re.search(r"Test run with [1-9]\d* tests? .* passed", output):
        sys.exit(f"{mutant}: the filter {tests} matches no tests")
    return "failed" if status != 0 else None


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("ids", nargs="*", metavar="ID")
parser.add_argument("--tree", type=pathlib.Path)
parser.add_argument("--part", metavar="N/COUNT", type=lambda text: tuple(map(int, text.split("/"))))
options = parser.parse_args()
if options.part and (len(options.part) != 2 or not 1 <= options.part[0] <= options.part[1]):
    parser.error("--part takes the number of the part and the count of parts, such as 2/3")
with open(root / "Tests/Mutants/mutants.toml", "rb") as file:
    mutants = tomllib.load(file)["mutant"]
if len({mutant["id"] for mutant in mutants}) != len(mutants):
    sys.exit("duplicate mutant id")
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
    sys.exit("unknown mutant id")
if options.part:
    # Interleaves the parts, so that each gets a share of the long suites.
    chosen = chosen[options.part[0] - 1::options.part[1]]
limits = {}
for tests in sorted({mutant["tests"] for mutant in chosen}):
    start = time.monotonic()
    if noticed(tree, "", tests):
        sys.exit(f"the tests {tests} fail without a mutant")
    limits[tests] = LIMIT + LIMIT_FACTOR * (time.monotonic() - start)
survived = 0
for mutant in chosen:
    how = noticed(tree, mutant["id"], mutant["tests"], limits[mutant["tests"]])
    survived += how is None
    print(f"{f'killed, {how}' if how else 'SURVIVED':14}  {mutant['id']}  ({mutant['file']})", flush=True)
print(f"{len(chosen) - survived} of {len(chosen)} killed")
sys.exit(1 if survived else 0)
