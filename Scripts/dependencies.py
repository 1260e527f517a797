#!/usr/bin/env python3
"""Compares the imports of each Swift target with the dependencies that Package.swift declares for it: dependencies.py

Covers the modules, the tests, the fuzz targets and the benchmarks. The status is 1 if a target imports a target of the
package that it does not declare, or declares one that it does not import.
"""

import json
import os
import pathlib
import re
import subprocess
import sys

# Modules of declarations, with the target that implements them and must be linked.
IMPLEMENTATIONS = {"CDTVRHeader": "CDTVR"}
root = pathlib.Path(__file__).resolve().parent.parent
IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\(\w+\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?"
    r"import\s+(?:(?:struct|class|enum|protocol|typealias|func|let|var)\s+)?(\w+)", re.MULTILINE)


def imports(target):
    """Returns the names of the modules that the Swift files of the target import."""
    # Texts, such as the example of a manual, may contain lines that look like imports.
    text = re.compile(r'^\s*//.*$|"""[\s\S]*?"""', re.MULTILINE)
    return {
        name for path in (root / target["path"]).rglob("*.swift")
        if not any(parent.suffix == ".docc" for parent in path.parents)
        for name in IMPORT.findall(text.sub("", path.read_text()))}


manifest = json.loads(subprocess.run(
    ["swift", "package", "dump-package"], cwd=root, check=True, stdout=subprocess.PIPE,
    env={name: value for name, value in os.environ.items() if name != "DTVR_TESTS"}
    | {"DTVR_FUZZ": "1", "DTVR_BENCHMARKS": "1"}).stdout)
targets = {target["name"]: target for target in manifest["targets"]}
# C targets use libraries with #include.
is_swift = {name: any((root / target["path"]).rglob("*.swift")) for name, target in targets.items()}
count = 0
for name, target in targets.items():
    if not is_swift[name]:
        continue
    imported = imports(target)
    imported |= {IMPLEMENTATIONS[other] for other in imported & set(IMPLEMENTATIONS)}
    imported &= set(targets) - {name}
    declared = {dependency["byName"][0] for dependency in target["dependencies"]}
    for other in sorted(imported - declared):
        count += 1
        print(f"Package.swift: {name} imports {other} and does not declare it")
    for other in sorted(declared - imported):
        # Tests run programs that they do not import.
        if target["type"] == "test" and targets[other]["type"] == "executable":
            continue
        count += 1
        print(f"Package.swift: {name} declares {other} and does not import it")
sys.exit(1 if count else 0)
