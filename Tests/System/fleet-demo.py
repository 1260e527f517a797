#!/usr/bin/env python3
"""Shows two copies of two shards that fill one ledger, while one copy is killed. Scripts/demo-fleet.sh builds the tool
and runs this.

    Tests/System/fleet-demo.py [SECONDS]        default: 60; DTVR=PATH uses an existing build of the tool
"""

import pathlib
import shutil
import tempfile
import time

from fleet import Fleet
from programs import built_tool, command_line, demand, report_violations, set_up

seconds = command_line(__doc__, seconds=60.0).seconds
set_up("fleet")
dtvr = built_tool()
CHANNELS, SHARDS, COPIES, COLLECTORS = 40, 2, 2, 2
work = pathlib.Path(tempfile.mkdtemp(prefix="dtvr-fleet-demo-"))

print("Starting PostgreSQL, two collectors behind nginx, and 40 generated channels ...", flush=True)
fleet = Fleet(dtvr, work, CHANNELS, SHARDS, COPIES, COLLECTORS)
print("Starting two copies of two shards of dtvr monitor ...", flush=True)
fleet.start_monitors()
time.sleep(seconds / 2)
print("Killing all monitors of one copy ...", flush=True)
for shard in range(SHARDS):
    fleet.kill_monitor(0, shard)
killed = time.strftime("%H:%M:%S", time.gmtime())
time.sleep(seconds / 2)
for shard in range(SHARDS):
    code, _ = fleet.end_monitor(1, shard)
    demand(code == 0, f"the monitor of shard {shard} exited with {code}")
    fleet.deliver(1, shard)


def show(title, query):
    print(f"\n{title}\n\n    {' '.join(query.split())}\n")
    rows = fleet.database.sql(query, user="read")
    for row in rows:
        print("    " + "  ".join(f"{value:20}" for value in row).rstrip())
    return rows


shown = show("Tags per channel and minute, of five channels:", """
    SELECT minute, channel, tags FROM dtvr.tags_per_minute
    WHERE channel IN ('ch1', 'ch2', 'ch3', 'ch4', 'ch5') ORDER BY channel, minute""")
copies = show(f"Copies of each tag; one copy was killed at {killed} UTC:", """
    SELECT copies, count(*) AS tags, min(at) AS first, max(at) AS last FROM dtvr.tags
    JOIN dtvr.copies USING (id, day) GROUP BY copies ORDER BY copies""")
show("Records of each sender:", "SELECT name, sum(records) FROM dtvr.sender_totals GROUP BY name ORDER BY name")
(channels, repeated), = fleet.database.sql("""
    SELECT count(DISTINCT channel), (SELECT count(*) FROM (
        SELECT FROM dtvr.tags GROUP BY channel, owner HAVING count(*) > 1) repeated) FROM dtvr.tags""")
demand(channels == str(CHANNELS), f"the ledger has tags of {channels} of {CHANNELS} channels")
demand(repeated == "0", f"{repeated} tags are in the ledger more than once")
demand(shown and {row[0] for row in copies} == {"1", "2"}, f"unexpected copies: {copies}")
report_violations(work)
shutil.rmtree(work)
print(f"\nTags of {channels} channels, none of them twice.")
