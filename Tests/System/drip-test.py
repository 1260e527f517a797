#!/usr/bin/env python3
"""Monitors healthy channels together with channels whose segments arrive slowly, and checks that the healthy ones are
not affected.

    Tests/System/drip-test.py [SECONDS [HEALTHY [DRIPPING]]]     default: 180 200 1; DTVR=PATH uses an existing build
"""

import collections
import json
import pathlib
import shutil
import tempfile
import time

from programs import Generator, Monitor, built_tool, command_line, demand, free_port, get, report_violations, unix

options = command_line(__doc__, seconds=180.0, healthy=200, dripping=1)
dtvr, seconds, healthy, dripping = built_tool(), options.seconds, options.healthy, options.dripping
work = pathlib.Path(tempfile.mkdtemp(prefix="dtvr-drip-"))
# The durations of the generator's segments. The monitor loads a playlist once per target duration.
SEGMENT, TARGET = 6.4, 6

port = free_port()
# Segments of 100 kB at 5 kB/s: 20 s for 6.4 s of media.
generator = Generator(
    dtvr, work, healthy + dripping, [f"at 0 channel {healthy + 1}-{healthy + dripping}: slow-drip 5000"], "--bitrate",
    "125")
told = []
monitor = Monitor(
    dtvr, work, generator.urls, "--listen", f"127.0.0.1:{port}",
    take_tag=lambda event: told.append((event["channel"], event["tag"]["segment"], event["at"])))
time.sleep(seconds)
followed = seconds - 15
channels = {channel["id"]: channel for channel in json.loads(get(f"http://127.0.0.1:{port}/api/channels"))["channels"]}
code, took = monitor.end()
demand(code == 0 and took < 5, f"the monitor exited with {code} after {took:.1f} s")

ids = {f"ch{number}": number for number in range(1, healthy + 1)}
ends = {}
for id, number in ids.items():
    for segment in generator.published(number):
        ends[id, segment["segment"]] = unix(segment["date"]) + SEGMENT
# Excludes the segments of the first playlist, which are older than the monitor.
delays = sorted(
    unix(at) - ends[id, name.split(".")[0]] for id, name, at in told
    if id in ids and ends[id, name.split(".")[0]] > monitor.began + 10)
demand(len(delays) > healthy * (seconds - 30) / 12, f"only {len(delays)} tags were printed")
# A segment is listed at once, found with the next load of the playlist, and read within its own duration.
demand(delays[-1] < TARGET + SEGMENT, f"a tag was read {delays[-1]:.1f} s after its segment was listed")
findings = collections.Counter(finding["check"] for finding in monitor.findings if finding["channel"] in ids)
demand(not findings, f"findings of healthy channels: {dict(findings)}")
fewest = min(channels[id]["segments_read"] for id in ids)
demand(fewest >= int(followed / SEGMENT), f"only {fewest} segments of a channel were read in {followed:.0f} s")
ill = [id for id in ids if channels[id]["state"] != "healthy"]
demand(not ill, f"not healthy: {ill[:10]}")
slow = {finding["channel"] for finding in monitor.findings if finding["check"] in ("segment.slow", "segment.http")}
demand(slow == {f"ch{number}" for number in range(healthy + 1, healthy + dripping + 1)}, f"channels found slow: {slow}")

print(
    f"{healthy} healthy and {dripping} slow channels: {len(delays)} tags; delay after the segment was listed: median "
    f"{delays[len(delays) // 2]:.1f} s, maximum {delays[-1]:.1f} s; at least {fewest} segments per channel; no findings"
)
report_violations(work)
shutil.rmtree(work)
