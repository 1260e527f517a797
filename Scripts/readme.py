#!/usr/bin/env python3
"""Runs the commands that a page shows, and writes what they print today into it.

    Scripts/readme.py [PAGE...]      README.md unless said otherwise; needs a release build of dtvr

A block of code after a line `<!-- run -->` is run: its lines that begin with `$ ` are the commands, in one shell, in an
empty folder where `media` is the project's. All other lines of the block are replaced by what the commands print.
"""

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
        # A command in the background may print a moment later.
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


for name in sys.argv[1:] or ["README.md"]:
    page = root / name
    text = page.read_text()
    page.write_text(BLOCK.sub(run, text))
    print(f"{name}: {len(BLOCK.findall(text))} blocks")
