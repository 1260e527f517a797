#!/usr/bin/env python3
"""Has the monitor follow healthy channels beside some that drip; see Scripts/drip-test.sh.

    drip-test.py DTVR SECONDS HEALTHY DRIPPING
"""

import collections
import json
import pathlib
import shutil
import socket
import sys
import tempfile
import time

from programs import Generator, Monitor, get, unix

dtvr, seconds, healthy, dripping = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
work = pathlib.Path(tempfile.mkdtemp(prefix="dtvr-drip-"))
# Of the generator; and the monitor loads a playlist each target duration.
SEGMENT, TARGET = 6.4, 6
violations = []


def demand(holds, what):
    if not holds:
        violations.append(what)


with socket.socket() as listener:
    listener.bind(("127.0.0.1", 0))
    port = listener.getsockname()[1]
# 100 kB at 5 kB/s: 20 s for 6.4 s of media.
generator = Generator(
    dtvr, work, healthy + dripping, [f"at 0 channel {healthy + 1}-{healthy + dripping}: slow-drip 5000"], "--bitrate", "125")
told = []
monitor = Monitor(
    dtvr, work, generator.urls, "--listen", f"127.0.0.1:{port}",
    take_tag=lambda event: told.append((event["channel"], event["tag"]["segment"], event["at"])))
time.sleep(seconds)
followed = seconds - 15
channels = {channel["id"]: channel for channel in json.loads(get(f"http://127.0.0.1:{port}/api/channels"))["channels"]}
code, took = monitor.end()
demand(code == 0 and took < 5, f"the monitor ended with {code} after {took:.1f} s")

ids = {f"ch{number}": number for number in range(1, healthy + 1)}
ends = {}
for id, number in ids.items():
    for segment in generator.published(number):
        ends[id, segment["segment"]] = unix(segment["date"]) + SEGMENT
# The segments of the first playlist are older than the monitor.
delays = sorted(
    unix(at) - ends[id, name.split(".")[0]] for id, name, at in told
    if id in ids and ends[id, name.split(".")[0]] > monitor.began + 10)
demand(len(delays) > healthy * (seconds - 30) / 12, f"only {len(delays)} tags were told")
# Listed at once, loaded with the next playlist, and read within its own duration.
demand(delays[-1] < TARGET + SEGMENT, f"a tag came {delays[-1]:.1f} s after its segment was listed")
findings = collections.Counter(finding["check"] for finding in monitor.findings if finding["channel"] in ids)
demand(not findings, f"findings of healthy channels: {dict(findings)}")
fewest = min(channels[id]["segments_read"] for id in ids)
demand(fewest >= int(followed / SEGMENT), f"a channel had {fewest} segments in {followed:.0f} s")
ill = [id for id in ids if channels[id]["state"] != "healthy"]
demand(not ill, f"not healthy: {ill[:10]}")
slow = {finding["channel"] for finding in monitor.findings if finding["check"] in ("segment.slow", "segment.http")}
demand(slow == {f"ch{number}" for number in range(healthy + 1, healthy + dripping + 1)}, f"found to be slow: {slow}")

print(
    f"{healthy} healthy channels beside {dripping} that drip: {len(delays)} tags, after their segment was listed "
    f"{delays[len(delays) // 2]:.1f} s in the median and {delays[-1]:.1f} s at most; {fewest} segments each at least; no finding")
for violation in violations[:20]:
    print(f"FAILED: {violation}", file=sys.stderr)
if violations:
    sys.exit(f"FAILED: {len(violations)} violations; {work} is kept")
shutil.rmtree(work)
