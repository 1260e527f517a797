#!/usr/bin/env python3
"""Runs the commands in a Markdown page and updates their output in the page.

    Scripts/readme.py [PAGE...]              default: README.md; requires a release build of dtvr
    Scripts/readme.py --check [PAGE...]      changes nothing, and fails if the output in a page is outdated

Runs the code blocks that follow a line `<!-- run -->`. Lines that begin with `$ ` are commands; they run in one shell,
in an empty folder with a link `media` to the project's media. All other lines are replaced by the output.
"""

import argparse
import difflib
import pathlib
import re
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"(<!-- run -->\n```\n)(.*?)(```\n)", re.DOTALL)
MARK = "@@ next command @@"


def run(match):
    commands = [line[2:] for line in match[2].splitlines() if line.startswith("$ ")]
    script = ["exec 2>&1"]
    for command in commands:
        # A background command may print a moment later.
        script += [f"s=$?; echo '{MARK}'; (exit $s)", command + ("\nsleep 1" if command.endswith("&") else "")]
    script += [f"echo '{MARK}'", "kill $(jobs -p) 2>/dev/null", "wait 2>/dev/null"]
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "media").symlink_to(root / "media")
        path = f"{root}/.build/release:/usr/local/bin:/usr/bin:/bin"
        output = subprocess.run(
            ["bash", "-c", "\n".join(script)], cwd=folder, text=True, stdout=subprocess.PIPE,
            env={"PATH": path, "HOME": folder, "LANG": "C.UTF-8"}).stdout
    parts = output.split(MARK + "\n")[1:]
    text = "".join(f"$ {command}\n{part}" for command, part in zip(commands, parts))
    return match[1] + text + match[3]


# The parts that differ from run to run: ids, current times, durations and sizes.
VARYING = re.compile(
    r"(?<= id )[0-9a-f]{32}|(?<=est from )\S+ \S+(?= UTC)|\d+(?= s ago)|(?<=after )\d+(?= ms)|"
    r"(?<=status )\d+(?= B)|(?<=other )\d+(?= B)")

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("pages", nargs="*", metavar="PAGE", default=["README.md"])
parser.add_argument("--check", action="store_true")
options = parser.parse_args()
differs = False
for name in options.pages:
    page = root / name
    text = page.read_text()
    count = len(BLOCK.findall(text))
    if count == 0:
        sys.exit(f"{name}: no block is marked with <!-- run -->")
    new = BLOCK.sub(run, text)
    if not options.check:
        page.write_text(new)
    else:
        old, new = (VARYING.sub("…", each).splitlines() for each in (text, new))
        difference = list(difflib.unified_diff(old, new, name, "current output", lineterm=""))
        differs |= bool(difference)
        print("\n".join(difference), end="\n" if difference else "")
    print(f"{name}: {count} blocks")
sys.exit(1 if differs else 0)
