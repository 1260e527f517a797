#!/usr/bin/env python3
"""Compares records with docs/records.schema.json.

    Scripts/record-schema.py [FILE...]

A FILE has one record on each line, as `dtvr store export` and the files of `dtvr collect`; without one, standard input.
Exit status: 0 if all records conform, 1 if not, 2 for usage.
"""
import json
import os
import sys

import jsonschema

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KINDS = {"app": "app", "asset": "asset", "session": "playback", "run": "run", "period": "period"}


def validators():
    """Returns a validator for each kind, whose messages are shorter than those of the alternatives."""
    with open(os.path.join(ROOT, "docs", "records.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    return {
        name: jsonschema.Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": schema["$defs"]})
        for name in ("tag", *KINDS.values())
    }


def main(paths):
    if any(path.startswith("-") for path in paths):
        print(__doc__, file=sys.stderr)
        return 2
    known = validators()
    count = failed = 0
    for path in paths or ["-"]:
        file = sys.stdin if path == "-" else open(path, encoding="utf-8")
        with file:
            for number, line in enumerate(file, 1):
                count += 1
                record = json.loads(line)
                name = "tag" if "owner" in record else KINDS.get(record.get("kind"), "tag")
                for error in known[name].iter_errors(record):
                    failed += 1
                    print(f"{path}:{number}: {error.json_path}: {error.message[:300]}")
    print(f"{count} records, {failed} errors")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
