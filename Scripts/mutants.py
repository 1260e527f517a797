#!/usr/bin/env python3
"""Changes the sources in small ways, and reports the changes that no test detects.

    Scripts/mutants.py [ID...]       tests these mutants; default: all of Tests/Mutants/mutants.toml
    Scripts/mutants.py --module ID3v2 --number 100 --seed 2
                                     other mutants of one module; --module may be repeated
    Scripts/mutants.py --part 2      the modules of the second part of Tests/Mutants/mutants.toml
    Scripts/mutants.py --list        lists the mutants, without building
    Scripts/mutants.py --check       finds mutants by hand whose text has moved, without building
    Scripts/mutants.py --self-test   tests this script with Tests/Mutants/Example.swift

Most mutants are generated: Tests/Mutants/Candidates.swift lists the places that can change, and the seed selects some
of each module. The others are written by hand, because they break a promise of the documentation. One build contains
all of them; the variable DTVR_MUTANT activates one by its number. Mutants that do not compile are removed. Each mutant
runs the suites of its module that reach it. Another call with the same files and mutants repeats no build.
"""

import argparse
import collections
import hashlib
import itertools
import json
import math
import os
import pathlib
import re
import resource
import select
import shutil
import subprocess
import sys
import time
import tomllib

root = pathlib.Path(__file__).resolve().parent.parent
folder, work = root / "Tests/Mutants", root / ".build-mutants"
# The time limit of suites with a mutant: LIMIT seconds plus LIMIT_FACTOR times the sum of their durations without one.
LIMIT, LIMIT_FACTOR = 30, 5
# A mutant that does not end may fill the memory.
MEMORY_LIMIT = 16 << 30
# The output of a test that fails.
FAILURE = b" recorded an issue"
# The switch of a module. With "reach:FILE", it marks the mutants that the tests reach in the bytes of FILE.
SWITCH = """internal import Glibc

private let setting = unsafe getenv("DTVR_MUTANT").map { unsafe String(cString: $0) } ?? ""
private let activeMutant = Int(setting)
nonisolated(unsafe) private let marks: UnsafeMutableRawPointer? = {
    guard setting.hasPrefix("reach:") else { return nil }
    let file = unsafe open(String(setting.dropFirst(6)), O_RDWR)
    guard file >= 0 else { return nil }
    return unsafe mmap(nil, 1 << 16, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
}()

/// Whether the mutant with this number is active.
func isMutant(_ number: Int) -> Bool {
    if let marks = unsafe marks { unsafe marks.storeBytes(of: 1, toByteOffset: number, as: UInt8.self) }
    return activeMutant == number
}
"""


# The mutants


def listed(files):
    """Returns the candidates and the declarations of the files, which the program in Candidates.swift finds."""
    sources = [folder / "Candidates.swift", folder / "Signatures.swift"]
    version = subprocess.run(["swiftc", "--version"], capture_output=True, check=True).stdout
    digest = hashlib.sha256(b"".join(source.read_bytes() for source in sources) + version).hexdigest()[:16]
    program = work / f"candidates-{digest}"
    if not program.exists():
        work.mkdir(exist_ok=True)
        target = json.loads(subprocess.run(["swiftc", "-print-target-info"], capture_output=True, check=True).stdout)
        libraries = f"{target['paths']['runtimeResourcePath']}/host"
        # Only a file of this name may have statements.
        main = shutil.copy(sources[0], work / "main.swift")
        subprocess.run(
            ["swiftc", "-O", "-swift-version", "6", "-I", libraries, "-L", libraries, "-Xlinker", "-rpath", "-Xlinker",
             libraries, "-lSwiftSyntax", "-lSwiftParser", "-lSwiftOperators", main, sources[1], "-o", program],
            check=True)
    output = subprocess.run([program, *files], cwd=root, text=True, stdout=subprocess.PIPE, check=True).stdout
    entries = [json.loads(line) for line in output.splitlines()]
    return [each for each in entries if "kind" in each], [each for each in entries if "region" in each]


def module(path):
    """Returns the module of a file at Sources/LAYER/MODULE."""
    return path.split("/")[2] if path.startswith("Sources/") else pathlib.Path(path).stem


def identify(candidates, seed):
    """Gives each candidate an id and its place in the order of the seed, which do not depend on other functions."""
    counts = collections.Counter()
    for each in candidates:
        text = "\n".join([module(each["file"]), each["place"], each["kind"], each["original"], each["mutated"]])
        counts[text] += 1
        text += f"\n{counts[text]}"
        each["module"], each["promise"], each["tests"] = module(each["file"]), None, []
        each["id"] = f"{each['module']}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
        each["order"] = hashlib.sha256(f"{seed}\n{text}".encode()).hexdigest()


def choose(candidates, number, chosen):
    """Adds up to `number` candidates to the chosen mutants, of each kind in turn, without overlaps."""
    kinds = collections.defaultdict(list)
    for each in sorted(candidates, key=lambda each: each["order"]):
        kinds[each["kind"]].append(each)
    added = 0
    for each in itertools.chain.from_iterable(itertools.zip_longest(*(kinds[kind] for kind in sorted(kinds)))):
        if each and added < number and not any(overlap(each, other) for other in chosen):
            chosen.append(each)
            added += 1


def overlap(one, other):
    return one["file"] == other["file"] and one["start"] < other["end"] and other["start"] < one["end"]


def locate(entry, regions):
    """Returns the mutant of an entry that is written by hand, or None if its text is not in its declaration."""
    original = entry.get("drop") or entry["original"]
    found = set()
    for region in regions:
        names = region["region"].split(".")
        if module(region["file"]) == entry["module"] and names[-entry["in"].count(".") - 1:] == entry["in"].split("."):
            body = (root / region["file"]).read_bytes()[region["start"]:region["end"]]
            for place in re.finditer(re.escape(original.encode()), body):
                found.add((region["file"], region["start"] + place.start()))
    if len(found) != 1:
        print(f"{entry['id']}: {entry['module']} has this text {len(found)} times in {entry['in']}: {original}")
        return None
    [(file, start)] = found
    return entry | {
        "file": file, "start": start, "end": start + len(original.encode()), "original": original, "place": entry["in"],
        "line": (root / file).read_bytes()[:start].count(b"\n") + 1, "lines": [], "kind": "by hand",
        "mutated": "" if "drop" in entry else entry["mutated"], "form": form(entry, original),
        "tests": entry.get("tests", [])}


def missing(entries):
    """Returns the ids of the mutants by hand whose text and declaration are in no file of their module together."""
    texts = collections.defaultdict(list)
    for name in repository():
        if re.match(r"Sources/.*\.swift$", name):
            texts[module(name)].append((root / name).read_text())

    def is_there(entry):
        original, declaration = entry.get("drop") or entry["original"], entry["in"].split(".")[-1]
        return any(original in text and declaration in text for text in texts[entry["module"]])

    return [entry["id"] for entry in entries if not is_there(entry)]


def form(entry, original):
    """Returns the text that replaces `original`."""
    if "drop" in entry:
        return f"if !isMutant(#) {{ {original} }}"
    if re.match(r"(return|guard|continue|throw)\b", original):
        # A statement: inserts the mutant before it.
        return f"if isMutant(#) {{ {entry['mutated']} }}; {original}"
    if "," in original and not re.search(r"[(\[]| && ", original):
        # The conditions of a guard or an if.
        original = original.replace(", ", " && ")
    # The label of an argument stays before its value.
    label = re.match(r"(\w+: )?", original)[0]
    return f"{label}(isMutant(#) ? ({entry['mutated'].removeprefix(label)}) : ({original.removeprefix(label)}))"


# The build


def insert(mutants, tree):
    """Writes the files with their mutants; sets the range of each in the new text."""
    for path in {each["file"] for each in mutants}:
        text, changed = (root / path).read_bytes(), bytearray()
        end = 0
        for each in sorted((each for each in mutants if each["file"] == path), key=lambda each: each["start"]):
            changed += text[end:each["start"]]
            each["begins"] = len(changed)
            if each["isKept"]:
                changed += each["form"].replace("isMutant(#)", f"isMutant({each['number']})").encode()
            else:
                changed += text[each["start"]:each["end"]]
            each["ends"], end = len(changed), each["end"]
        changed += text[end:]
        if (tree / path).read_bytes() != changed:
            (tree / path).write_bytes(changed)


def prune(mutants, output, tree):
    """Excludes the mutants with errors of the compiler; returns whether there are any."""
    kept = [each for each in mutants if each["isKept"]]
    for path, line, column in set(re.findall(r"^([^\s:][^:\n]*\.swift):(\d+):(\d+): error: ", output, re.MULTILINE)):
        near = [each for each in kept if (tree / path).absolute() == (tree / each["file"]).absolute()]
        if not near:
            continue
        before = (tree / path).read_bytes().split(b"\n")[:int(line) - 1]
        position = sum(len(each) + 1 for each in before) + int(column) - 1
        around = [each for each in near if each["lines"] and each["lines"][0] <= int(line) <= each["lines"][1]]
        # The cause may be elsewhere in the function: a variable may have no value without a statement.
        causes = [each for each in near if each["begins"] <= position < each["ends"]] \
            or [each for each in near if each["line"] == int(line)] \
            or [each for each in around if each["kind"] == "drop"] or around or near
        for each in causes:
            each["isKept"] = False
    return any(not each["isKept"] for each in kept)


def build(mutants, tree, command, environment={}):
    """Builds the tree without the mutants that do not compile."""
    for number, each in enumerate(mutants):
        each["number"], each["isKept"] = number, True
    while True:
        insert(mutants, tree)
        status, output = run(tree, command, environment)
        if status == 0:
            return [each for each in mutants if each["isKept"]]
        if not prune(mutants, output, tree):
            sys.exit(output[-4000:])
        print(f"{sum(not each['isKept'] for each in mutants)} mutants do not compile so far", file=sys.stderr)


def repository():
    """Returns the names of the files of the repository."""
    names = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root, text=True,
        stdout=subprocess.PIPE, check=True).stdout.split("\0")
    return [name for name in names if name and (root / name).is_file()]


def copy(tree):
    """Copies the files of the repository, without the rule that a warning is an error."""
    for name in ("Sources", "Tests"):
        shutil.rmtree(tree / name, ignore_errors=True)
    for name in repository():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(root / name, tree / name)
    manifest = tree / "Package.swift"
    manifest.write_text(manifest.read_text().replace("    .treatAllWarnings(as: .error),\n", ""))


def built(mutants, names, tree):
    """Returns the mutants that compile, after building the tree with the tests of the modules. Repeats no build."""
    names = sorted(names)
    digest = hashlib.sha256(json.dumps([names, mutants], sort_keys=True).encode())
    for name in repository():
        digest.update(name.encode() + (root / name).read_bytes())
    record = tree / "mutants.json"
    if record.exists() and (known := json.loads(record.read_text()))["digest"] == digest.hexdigest():
        return known["mutants"]
    record.unlink(missing_ok=True)
    copy(tree)
    for name in names:
        [path] = root.glob(f"Sources/*/{name}")
        (tree / path.relative_to(root) / "MutantSwitch.swift").write_text(SWITCH)
    targets = {f"{name}Tests" for name in names} | {test.split(".")[0] for each in mutants for test in each["tests"]}
    os.environ["DTVR_TESTS"] = ",".join(sorted(targets))
    # The tests of these modules run built programs.
    runs_programs = targets & {"dtvrTests", "PlayerSessionTests"}
    kept = build(
        mutants, tree,
        ["swift", "build", *(["--build-tests"] if runs_programs else ["--product", "DTVRKitPackageTests"])])
    record.write_text(json.dumps({"digest": digest.hexdigest(), "mutants": kept}))
    return kept


# The tests


def run(tree, command, environment={}, limit=math.inf, stops=False):
    """Runs a command in the tree; returns its status and output, or None if it exceeds `limit` seconds. With `stops`,
    the first failure of a test ends the command."""
    process = subprocess.Popen(
        command, cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT)) if stops else None,
        # A backtrace of the test program takes minutes.
        env=os.environ | {"SWIFT_BACKTRACE": "enable=no"} | environment)
    output, end = bytearray(), time.monotonic() + limit
    while True:
        ready = select.select([process.stdout], [], [], 1)[0]
        piece = os.read(process.stdout.fileno(), 1 << 16) if ready else b""
        output += piece
        # A child of the tests may keep the pipe open.
        if not piece and (ready or process.poll() is not None):
            return process.wait(), output.decode(errors="replace")
        is_late = time.monotonic() >= end
        if is_late or stops and FAILURE in output[-len(piece) - len(FAILURE):]:
            kill(process)
            return None if is_late else (process.returncode, output.decode(errors="replace"))


def kill(process):
    """Kills the program with its children."""
    try:
        os.killpg(process.pid, 9)
    except ProcessLookupError:
        pass
    process.wait()


def tests(tree, *arguments):
    # Runs the test program directly: `swift test` takes seconds to check that the build is current.
    [binary] = tree.glob(".build/debug/*PackageTests.xctest")
    return [binary.absolute(), "--testing-library", "swift-testing", *arguments]


def reach(tree, suites):
    """Runs each suite without a mutant; returns its duration and the mutants that it reaches. Leaves out the suites
    that fail."""
    marks, found = work / "marks", {}
    for suite in suites:
        marks.write_bytes(bytes(1 << 16))
        start = time.monotonic()
        status, output = run(tree, tests(tree, "--filter", pattern(suite)), {"DTVR_MUTANT": f"reach:{marks}"})
        if status == 0:
            reached = {number for number, mark in enumerate(marks.read_bytes()) if mark}
            found[suite] = time.monotonic() - start, reached
        else:
            failures = "\n".join(line for line in output.splitlines() if line.startswith("✘"))
            print(f"{suite} fails without a mutant and is left out\n{failures[-500:] or output[-500:]}", flush=True)
    return found


def pattern(suite):
    """Returns the filter of a suite, or of a test outside of suites."""
    return f"^{re.escape(suite)}" + ("" if suite.endswith(")") else "/")


def judge(tree, mutant, suites):
    """Runs the suites that reach the mutant, the quick ones first; returns the outcome."""
    chosen = {name: seconds for name, (seconds, reached) in suites.items() if mutant["number"] in reached}
    if not chosen:
        return "not reached"
    # Suites of a similar duration run at once: up to 4 s, 16 s, 64 s, and so on.
    groups = collections.defaultdict(list)
    for name, seconds in chosen.items():
        groups[int(math.log(max(seconds, 1), 4))].append(name)
    for _, group in sorted(groups.items()):
        limit = LIMIT + LIMIT_FACTOR * sum(chosen[name] for name in group)
        filters = "|".join(map(pattern, group))
        result = run(tree, tests(tree, "--filter", filters), {"DTVR_MUTANT": str(mutant["number"])}, limit, stops=True)
        if result is None:
            return "killed, no end"
        if result[0] != 0:
            return "killed"
    return "SURVIVED"


def describe(mutant):
    mutated = f" => {mutant['mutated']}" if mutant["mutated"] else ""
    change = re.sub(r"\s+", " ", f"{mutant['kind']}: {mutant['original']}{mutated}")
    return f"{mutant['id']}  {mutant['file']}:{mutant['line']}  {mutant['place']}\n{'':18}{change[:200]}"


def score(tree, mutants, modules):
    """Tests the mutants of the modules; returns whether the score of one is too low."""
    listing = subprocess.run(tests(tree, "--list-tests"), cwd=tree, text=True, stdout=subprocess.PIPE).stdout
    suites = sorted({line.split("/")[0] for line in listing.splitlines() if "Tests." in line})
    has_failed, rows = False, []
    for name in sorted({each["module"] for each in mutants}):
        start = time.monotonic()
        chosen = [each for each in mutants if each["module"] == name]
        wanted = [each for each in suites if each.startswith(f"{name}Tests.")]
        named = {suite for each in chosen for suite in each["tests"]}
        if unknown := named - set(suites):
            sys.exit(f"unknown suites: {', '.join(sorted(unknown))}")
        known = reach(tree, sorted({*wanted, *named}))
        killed = collections.Counter()
        for each in chosen:
            own = {suite: known[suite] for suite in each["tests"] or wanted if suite in known}
            outcome = judge(tree, each, own)
            killed[each["kind"] == "by hand"] += outcome.startswith("killed")
            print(f"{outcome:16}  {describe(each)}", flush=True)
        by_hand = sum(each["kind"] == "by hand" for each in chosen)
        count = len(chosen) - by_hand
        percent = 100 * killed[False] // count if count else 100
        least = modules.get(name, {}).get("least", 0)
        has_failed |= percent < least or killed[True] < by_hand
        rows.append(
            f"{name:20} {killed[False]:4} of {count:3}, {percent:3} %, at least {least:2} %"
            f"   by hand {killed[True]:3} of {by_hand:3}   {time.monotonic() - start:5.0f} s")
    print("\n" + "\n".join(rows))
    return has_failed


def self_test():
    """Compares the mutants of Example.swift with Example.txt, builds them, and runs the program with each."""
    tree = work / "example"
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir(parents=True)
    path = "Tests/Mutants/Example.swift"
    candidates, regions = listed([path])
    identify(candidates, 1)
    (tree / path).parent.mkdir(parents=True)
    (tree / path).write_text("")
    (tree / "Switch.swift").write_text(SWITCH)
    lines = []
    # A build for each kind, because most candidates overlap one of another kind.
    for kind in sorted({each["kind"] for each in candidates}):
        of_kind, mutants = [each for each in candidates if each["kind"] == kind], []
        choose(of_kind, len(of_kind), mutants)
        compiled = build(mutants, tree, ["swiftc", "-parse-as-library", "-o", "example", path, "Switch.swift"])
        for each in of_kind:
            note = "overlaps" if each not in mutants else "does not compile" if each not in compiled else run(
                tree, ["./example"], {"DTVR_MUTANT": str(each["number"])})[1].strip()
            change = re.sub(r"\s+", " ", f"{kind}: {each['original']} => {each['mutated']}")
            lines.append(f"{each['line']:3} {change} ({note})\n")
    by_hand = {"id": "by-hand", "module": "Example", "in": "isWide", "original": "width > 4", "mutated": "true"}
    found = locate(by_hand, regions)
    lines.append(f"{found['line']:3} {found['form']}\n")
    if "".join(lines) != (folder / "Example.txt").read_text():
        sys.exit("".join(lines) + "These mutants differ from Tests/Mutants/Example.txt.")
    print(f"{len(lines)} mutants as expected")


# The command


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ids", nargs="*", metavar="ID")
    parser.add_argument("--module", action="append", dest="modules")
    parser.add_argument("--number", type=int)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--part", metavar="N", type=int)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    with open(folder / "mutants.toml", "rb") as file:
        plan = tomllib.load(file)
    if options.check:
        sys.exit("".join(f"{each}: its text is not in its declaration\n" for each in missing(plan["mutant"])) or None)
    modules = plan["module"]
    names = options.modules or list(modules)
    if unknown := set(names) - set(modules):
        sys.exit(f"unknown modules: {', '.join(sorted(unknown))}")
    tested = [name for name in names if options.part in (None, modules[name]["part"])]
    if not tested:
        parser.error(f"no module is in part {options.part}")

    candidates, regions = listed(sorted(name for name in repository() if re.match(r"Sources/.*\.swift$", name)))
    identify(candidates, options.seed if options.seed is not None else plan["seed"])
    entries = [entry for entry in plan["mutant"] if entry["module"] in names]
    mutants = []
    for found in filter(None, (locate(entry, regions) for entry in entries)):
        if any(overlap(found, other) for other in mutants):
            print(f"{found['id']}: its text overlaps that of another mutant")
        else:
            mutants.append(found)
    for name in names:
        number = options.number if options.number is not None else modules[name]["number"]
        choose([each for each in candidates if each["module"] == name], number, mutants)
    if options.list:
        print("\n".join(map(describe, mutants)))
        return
    kept = built(mutants, names, work / "tree")
    ids = {each["id"] for each in kept}
    unusable = [each for each in mutants if each["id"] not in ids]
    print(f"{len(kept)} mutants; {len(unusable)} others do not compile", flush=True)
    for each in unusable:
        if each["kind"] == "by hand":
            print(f"{each['id']}: does not compile")
    is_lost = sum(each["kind"] == "by hand" for each in kept) < len(entries)
    mutants = [each for each in kept if each["module"] in tested]
    if options.ids:
        if unknown := set(options.ids) - {each["id"] for each in mutants}:
            sys.exit(f"unknown mutants: {', '.join(sorted(unknown))}")
        mutants = [each for each in mutants if each["id"] in options.ids]
        # A score of some of the mutants says nothing about the module.
        modules = {}
    sys.exit(1 if score(work / "tree", mutants, modules) or is_lost else 0)


if __name__ == "__main__":
    main()
