#!/usr/bin/env python3
"""Writes a Swift package with the code blocks of the README, docs and DocC articles, to be compiled.

    Scripts/snippets.py FOLDER

The blocks of the README are one program, and each block of docs is one, exactly as printed. The blocks of DocC articles
are functions that take the names of the text around them as given.
"""

import argparse
import pathlib
import re
import textwrap

root = pathlib.Path(__file__).resolve().parent.parent
# The pages with code blocks.
shared = ["README.md"]
separate = ["docs/players.md"]
articles = sorted(str(page.relative_to(root)) for page in root.glob("Sources/*/*/*.docc/*.md"))
# The names that the text around a block of an article takes as given.
given = """
    address: String, buffer: TagBuffer, bytes: [UInt8], client: HTTPClient, collector: String, fetcher: ResourceFetcher,
    folder: String, path: String, presentation: Presentation, session: MeasurementSession, tag: {tag}
"""
modules = ["DTVRKit", "PlayerCertification", "PlayerSession", "StreamMonitor"]


def blocks(page):
    """The Swift code of a page that is not part of a manifest."""
    text = (root / page).read_text()
    found = re.findall(r"^```swift\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [code for code in found if ".package(" not in code]


def function(name, code, page):
    statements = "".join(line for line in code.splitlines(keepends=True) if not line.startswith("import "))
    names = given.format(tag="[UInt8]" if "Player" in page else "NielsenTag")
    return f"func {name}({names}) async throws {{\n{textwrap.indent(statements, '    ')}}}\n"


options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
options.add_argument("folder", type=pathlib.Path, metavar="FOLDER")
folder = options.parse_args().folder
sources = folder / "Sources/Snippets"
sources.mkdir(parents=True)
count = 0
programs = []
for page in shared + separate + articles:
    codes = blocks(page)
    if page in shared:
        codes = ["".join(codes)]
    for number, code in enumerate(codes, 1):
        name = re.sub(r"\W", "_", page.rsplit("/", 1)[-1].removesuffix(".md")) + f"_{number}"
        count += 1
        if page in articles:
            imports = "".join(f"import {module}\n" for module in modules)
            (sources / f"{name}.swift").write_text(f"{imports}\n// {page}\n{function(name, code, page)}")
            continue
        programs.append(name)
        (folder / "Sources" / name).mkdir()
        (folder / "Sources" / name / "main.swift").write_text(code)
if count < 10 or len(programs) < 2:
    raise SystemExit(f"only {count} code blocks and {len(programs)} programs were found")
products = ", ".join(f'.product(name: "{module}", package: "DTVRKit")' for module in modules)
executables = ", ".join(f'.executableTarget(name: "{name}", dependencies: [{products}])' for name in programs)
(folder / "Package.swift").write_text(f"""// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Snippets",
    dependencies: [.package(name: "DTVRKit", path: "{root}")],
    targets: [.target(name: "Snippets", dependencies: [{products}]), {executables}])
""")
