"""Compares what a program of random calls said of its tags with what is in the buffers.

    judge.py FOLDER     has `said` of calls.c, and `tags-N` and `status-N` of the tool for each folder
"""

import collections
import json
import sys

work = sys.argv[1]
kept = collections.defaultdict(set)
handed = collections.defaultdict(set)
with open(f"{work}/said") as file:
    for line in file:
        what, folder, tag = line.split()
        handed[folder].add(tag)
        if what == "kept":
            kept[folder].add(tag)

failures = []
found_count = kept_count = 0
for folder in "012":
    with open(f"{work}/status-{folder}") as file:
        losses = {cause: count for cause, count in json.load(file)["losses"].items() if count}
    # Tags lost from memory were not reported as stored, and a full disk evicts the oldest. No other cause is possible.
    for cause in losses.keys() - {"memory_lost", "evicted"}:
        failures.append(f"folder {folder}: {losses[cause]} tags were lost as {cause}")
    with open(f"{work}/tags-{folder}") as file:
        # The records of assets without tags have no owner.
        found = collections.Counter(
            owner for owner in (json.loads(line).get("owner") for line in file) if owner
        )
    missing = kept[folder] - set(found)
    strange = set(found) - handed[folder]
    twice = [tag for tag, count in found.items() if count > 1]
    if len(missing) <= losses.get("evicted", 0):
        missing = set()
    for what, tags in [("missing", missing), ("of nobody", strange), ("there twice", twice)]:
        if tags:
            failures.append(
                f"folder {folder}: {len(tags)} tags are {what}, such as {sorted(tags)[:3]}; counted as lost: {losses}"
            )
    found_count += sum(found.values())
    kept_count += len(kept[folder])
print(f"{sum(map(len, handed.values()))} handed over, {kept_count} called stored, {found_count} in the buffers")
if not kept_count:
    failures.append("no tag was called stored: the round shows nothing")
for failure in failures:
    print(failure, file=sys.stderr)
sys.exit(1 if failures else 0)
