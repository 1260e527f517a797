#!/usr/bin/env python3
"""Measures the start of dtvr: start-benchmark.py [--check] [RUNS]

Runs `dtvr --version`, `dtvr tag` and a C program that does nothing in turn (default: 40 times each), and prints their
processor time and the number of shared libraries that they load. --check: the status is 1 if dtvr loads more libraries
than expected, or takes more than 30 times as long as the C program. Uses the tool at DTVR=PATH, or that of the release
build.
"""

import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
tool = os.environ.get("DTVR") or str(root / ".build/release/dtvr")
# Of the Swift runtime, libcrypto, SQLite, zstd and zlib with theirs; 7 in a package, which contains the runtime.
LIBRARIES = 25
RATIO = 30


def processor_time(command):
    """Returns the processor time of a command, in milliseconds."""
    with open(os.devnull, "r+b") as null:
        actions = [(os.POSIX_SPAWN_DUP2, null.fileno(), number) for number in (0, 1, 2)]
        process = os.posix_spawn(command[0], command, os.environ, file_actions=actions)
    _, status, usage = os.wait4(process, 0)
    if status:
        sys.exit(f"{' '.join(command)} failed")
    return (usage.ru_utime + usage.ru_stime) * 1000


def library_count(command):
    """Returns the number of shared libraries that a command loads, with those that it opens itself."""
    result = subprocess.run(
        command, env=os.environ | {"LD_DEBUG": "libs"}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True, check=True)
    return len(set(re.findall(r"calling init: (\S+)", result.stderr)))


arguments = sys.argv[1:]
is_check = "--check" in arguments
numbers = [argument for argument in arguments if argument != "--check"]
if len(numbers) > 1 or not all(number.isdigit() and int(number) > 0 for number in numbers):
    sys.exit(__doc__)
with tempfile.TemporaryDirectory() as folder:
    source, empty = folder + "/empty.c", folder + "/empty"
    pathlib.Path(source).write_text("int main(void) { return 0; }\n")
    subprocess.run(["clang", "-O2", "-o", empty, source], check=True)
    commands = {
        "a C program": [empty], "dtvr --version": [tool, "--version"],
        "dtvr tag": [tool, "tag", "www.nielsen.com/X"],
    }
    times = {name: [] for name in commands}
    for _ in range(int(numbers[0]) if numbers else 40):
        for name, command in commands.items():
            times[name].append(processor_time(command))
    medians = {name: statistics.median(values) for name, values in times.items()}
    failures = 0
    for name, command in commands.items():
        ratio, count = medians[name] / medians["a C program"], library_count(command)
        print(f"{name}: {medians[name]:.1f} ms of processor time, {ratio:.1f} times the C program, {count} libraries")
        failures += count > LIBRARIES or ratio > RATIO
sys.exit(1 if is_check and failures else 0)
