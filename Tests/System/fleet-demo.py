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
# The seconds between two DATA tags of a channel.
INTERVAL = 10
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


def show(title, query, *columns):
    print(f"\n{title}\n\n    {' '.join(query.split())}\n")
    rows = fleet.database.sql(query, user="read")
    widths = [max(map(len, column)) for column in zip(columns, *rows)]
    for row in [columns, *rows]:
        print("    " + "  ".join(f"{value:{width}}" for value, width in zip(row, widths)).rstrip())
    return rows


show("Tags per channel and minute; the first and the last minute are incomplete:", """
    SELECT to_char(minute, 'HH24:MI'), count(*), min(tags), max(tags), sum(tags) FROM dtvr.tags_per_minute
    GROUP BY minute ORDER BY minute""", "minute", "channels", "fewest", "most", "all")
each = show("Each channel: its tags in each minute, and the longest time between two DATA tags:", """
    SELECT channel, string_agg(tags::text, ' ' ORDER BY minute), sum(tags),
    (SELECT extract(epoch FROM max(gap))::int FROM dtvr.tag_gaps WHERE tag_gaps.channel = minutes.channel)
    FROM dtvr.tags_per_minute minutes GROUP BY channel ORDER BY length(channel), channel""",
    "channel", "tags", "all", "longest gap (s)")
copies = show(f"Copies of each tag; one copy was killed at {killed} UTC:", """
    SELECT copies, count(*) AS tags, min(at) AS first, max(at) AS last FROM dtvr.tags
    JOIN dtvr.copies USING (id, day) GROUP BY copies ORDER BY copies""", "copies", "tags", "first", "last")
show("Records of each sender:", "SELECT name, sum(records) FROM dtvr.sender_totals GROUP BY name ORDER BY name",
     "sender", "records")
(channels, repeated), = fleet.database.sql("""
    SELECT count(DISTINCT channel), (SELECT count(*) FROM (
        SELECT FROM dtvr.tags GROUP BY channel, owner HAVING count(*) > 1) repeated) FROM dtvr.tags""")
demand(channels == str(CHANNELS), f"the ledger has tags of {channels} of {CHANNELS} channels")
demand(repeated == "0", f"{repeated} tags are in the ledger more than once")
for channel, _, _, gap in each:
    demand(gap and int(gap) <= INTERVAL, f"{channel} has a gap of {gap} s")
demand({row[0] for row in copies} == {"1", "2"}, f"unexpected copies: {copies}")
report_violations(work)
shutil.rmtree(work)
print(f"\nTags of {channels} channels: none of them twice, and none more than {INTERVAL} s after the previous one.")
