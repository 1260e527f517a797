#!/usr/bin/env python3
"""Kills dtvr monitor at random moments, and accounts for every tag and alert; see Scripts/monitor-crash-test.sh.

    monitor-crash-test.py DTVR ROUNDS SEED
"""

import collections
import json
import pathlib
import random
import shutil
import sys
import tempfile
import time

from programs import Collector, Generator, Monitor

dtvr, rounds, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
chance = random.Random(seed)
work = pathlib.Path(tempfile.mkdtemp(prefix="dtvr-monitor-crash-"))
CHANNELS, SILENT, UNREACHABLE = 20, 19, 20
EXPECTED = {(f"ch{SILENT}", "presence.silent"), (f"ch{UNREACHABLE}", "playlist.http")}
violations = []


def demand(holds, what):
    if not holds:
        violations.append(what)


generator = Generator(
    dtvr, work, CHANNELS, [f"at 15s channel {SILENT}: no-tags", f"at 15s channel {UNREACHABLE}: status 503 playlist"])
collector = Collector(dtvr, work)
alerts = []
monitor = Monitor(dtvr, work, generator.urls, collector=collector)
followed = generator.now
deadline = time.monotonic() + 150
while len([alert for alert in monitor.alerts if alert["check"] in ("presence.silent", "playlist.http")]) < 3:
    # The channel that cannot be loaded becomes silent, too.
    if time.monotonic() > deadline:
        sys.exit(f"FAILED: timed out waiting for the alerts; got {monitor.alerts}")
    time.sleep(0.2)
EXPECTED.add((f"ch{UNREACHABLE}", "presence.silent"))
print(f"seed {seed}; the alerts are open after {generator.now:.0f} s", flush=True)

collector_kills = 0
for round in range(rounds):
    # Anywhere from opening the store to having loaded all channels again.
    time.sleep(chance.choice([chance.uniform(0, 0.5), chance.uniform(0.5, 9)]))
    if round % 5 == 4:
        collector.kill()
        collector_kills += 1
    monitor.kill()
    alerts += monitor.alerts
    demand(monitor.process.returncode == -9, f"round {round}: the monitor exited with {monitor.process.returncode}")
    if collector.process.poll() is not None:
        collector.start()
    monitor = Monitor(dtvr, work, generator.urls, collector=collector)
time.sleep(30)
ended = generator.now
code, took = monitor.end()
demand(code == 0, f"the monitor exited with {code}")
alerts += monitor.alerts
collector.process.terminate()
collector.process.wait(30)

found = collections.Counter(
    (alert["action"], alert["channel"], alert["check"]) for alert in alerts if (alert["channel"], alert["check"]) in EXPECTED)
for channel, check in sorted(EXPECTED):
    demand(found["raise", channel, check] == 1, f"{channel} {check} was raised {found['raise', channel, check]} times")
    demand(found["clear", channel, check] == 0, f"{channel} {check} was cleared {found['clear', channel, check]} times")
others = [alert for alert in alerts if (alert["channel"], alert["check"]) not in EXPECTED]
demand(not others, f"other alerts: {others[:3]}")
kept = {(alert["channel"], alert["check"]) for alert in json.loads((work / "store/alerts.json").read_text())["active"]}
demand(kept == EXPECTED, f"alerts open at the end: {kept}")

numbers = {url: number for number, url in enumerate(generator.urls, 1)}
got = collections.Counter((numbers.get(tag["source"]), tag["owner"]) for tag in collector.tags())
published = delivered = doubled = 0
for number in range(1, CHANNELS + 1):
    for segment in generator.published(number):
        # Listed while the monitor ran, and long before the end.
        isDue = followed - 25 < segment["end"] / 1000 < ended - 20 and number != UNREACHABLE
        for owner in segment["owners"]:
            count = got.pop((number, owner), 0)
            doubled += count > 1
            if isDue:
                published += 1
                delivered += count > 0
                demand(count, f"ch{number} {segment['segment']}, at {segment['end'] / 1000:.1f} s: a tag is lost")
demand(not doubled, f"{doubled} tags are duplicated at the collector")
demand(not got, f"{len(got)} tags at the collector were never published")
findings = collections.Counter(finding["check"] for finding in monitor.findings if finding["channel"] not in (f"ch{SILENT}", f"ch{UNREACHABLE}"))
demand(not findings, f"findings of healthy channels: {findings}")

print(f"rounds      {rounds} kills of the monitor, {collector_kills} of the collector, within {ended - followed:.0f} s")
print(f"tags        {published} published, {delivered} delivered, {doubled} twice")
print(f"alerts      {len(EXPECTED)} open throughout, {sum(found.values())} raised")
for violation in violations[:20]:
    print(f"FAILED: {violation}", file=sys.stderr)
if violations:
    sys.exit(f"FAILED: {len(violations)} violations; seed {seed}; see {work}")
shutil.rmtree(work)
