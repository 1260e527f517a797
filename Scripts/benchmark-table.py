#!/usr/bin/env python3
"""Prints the ratios and counts that show whether a release has become slower.

    Scripts/benchmark-table.py [--check]

Reads the ratios from Benchmarks/results.json, which Scripts/benchmark.sh has written, and counts instructions with
callgrind, of the same input. Beside each value is the last one in Benchmarks/RESULTS.md. --check: the exit status is 1
if a count is more than 5 % higher than the last one, which is compared only on the same kind of processor. Ratios of
times are not checked: they vary by a tenth from run to run. DTVR=PATH uses an existing build of the tool.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
folder = tempfile.TemporaryDirectory()
# valgrind cannot read the debugging information of the tool.
tool = folder.name + "/dtvr"
data = root / "Benchmarks/data"
HEAD = "| measurement | value | last | goal |"
TOLERANCE = 1.05


def instructions(*command):
    """Returns the number of instructions of a command in user mode."""
    result = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *map(str, command)],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", result.stderr).group(1))


def instructions_per_packet():
    """Returns those of a scan, without its start and its first segment."""
    files = sorted((data / "made/bulk").glob("*.ts"))[:20]
    if len(files) < 20:
        sys.exit("the segments are missing: run Scripts/benchmark.sh scan")
    scan = [tool, "scan", "--jobs", "1", "--format", "jsonl"]
    more = instructions(*scan, *files) - instructions(*scan, files[0])
    return more / (sum(file.stat().st_size for file in files[1:]) / 188)


def instructions_relative_to_jq():
    """Returns the ratio of `dtvr certify` and `jq -c .` for 10,000 lines of a log."""
    log, start = data / "certify/calls.jsonl", data / "certify/start.jsonl"
    if not log.exists():
        sys.exit("the log of calls is missing: run Scripts/benchmark.sh certify")
    start.write_text("".join(log.read_text().splitlines(keepends=True)[:10_000]))
    return instructions(tool, "certify", start) / instructions("jq", "-c", ".", start)


def ratio(group, name, other):
    """Returns the time of a benchmark as a multiple of that of another one of the group; None if one did not run."""
    times = {(each["group"], each["name"]): each["median"] for each in results}
    if (group, name) in times and (group, other) in times:
        return times[group, name] / times[group, other]


def last_values():
    """Returns the values in RESULTS.md by name, and the processor they were measured on."""
    text = (root / "Benchmarks/RESULTS.md").read_text()
    section = text.partition("\n## Ratios and counts\n")[2].partition("\n## ")[0]
    processor = re.search(r"^Processor: (.*)\.$", section, re.MULTILINE)
    rows = re.findall(r"^\| ([^|]+?) \| ([\d.]+) \|", section, re.MULTILINE)
    return {name: float(value) for name, value in rows}, processor and processor.group(1)


if sys.argv[1:] not in ([], ["--check"]):
    sys.exit(__doc__)
built = os.environ.get("DTVR") or str(root / ".build/release/dtvr")
subprocess.run(["strip", "-o", tool, built], check=True)
report = root / "Benchmarks/results.json"
if not report.exists():
    sys.exit("Benchmarks/results.json is missing: run Scripts/benchmark.sh")
report = json.loads(report.read_text())
results, processor = report["measurements"], report["machine"]
last, last_processor = last_values()
ratios = [
    ("speed of `dtvr scan`, one job, relative to `cat`", ratio("scan", "cat", "dtvr"), "0.85"),
    ("the same, files written in small pieces", ratio("scan-small-pieces", "cat", "dtvr"), "0.85"),
    ("speed of two jobs relative to one", ratio("scan", "dtvr", "dtvr-2-jobs"), "1.8"),
    ("speed of `dtvr certify` relative to `jq -c .`", ratio("certify", "jq", "dtvr-certify"), "0.8"),
    *((f"speed of appends of {size} relative to SQLite", ratio(f"store-{size}", "sqlite", "store"), "0.8")
      for size in (1, 50, 500)),
]
counts = [
    ("instructions of a scan per packet", instructions_per_packet(), ""),
    ("instructions of `dtvr certify` relative to `jq -c .`", instructions_relative_to_jq(), ""),
    ("millions of instructions of `dtvr --version`", instructions(tool, "--version") / 1e6, ""),
]
print(f"Processor: {processor}.\n\n{HEAD}\n| --- | --: | --: | --: |")
for name, value, goal in ratios + counts:
    if value is not None:
        print(f"| {name} | {value:.2f} | {last.get(name, '')} | {goal} |")
worse = [name for name, value, _ in counts if name in last and value > last[name] * TOLERANCE]
if sys.argv[1:] and worse and processor == last_processor:
    sys.exit(f"FAILED: more than 5 % above the last value: {', '.join(worse)}")
