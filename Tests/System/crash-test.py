#!/usr/bin/env python3
"""Kills dtvr repeatedly with SIGKILL at random moments, and accounts for every tag and alert.

    Tests/System/crash-test.py run [ROUNDS [SEED]]         default: 200 rounds
    Tests/System/crash-test.py monitor [ROUNDS [SEED]]     default: 50 rounds

DTVR=PATH uses an existing build of the tool.

run: Each round reads media/demo under a unique path (tag ids depend on it) into the same store, with a real collector,
and kills the tool while it reads, while a batch is in flight, or while it uploads pending tags. The round counts only
if some of its tags were accepted and not yet delivered at the kill. The collector is killed, too. At the end everything
is uploaded. The tags in the collector's files are compared with the tags that the store accepted: every tag found in
the store after a kill, and every tag that `dtvr run` reported. The exit status is 1 if a tag is lost or duplicated, or
if the control, a collector that forgets its tags, gets no duplicates.

monitor: `dtvr monitor` follows twenty live channels. One of them loses its tags, another one cannot be loaded. Once
both have raised their alerts, the monitor is killed and restarted repeatedly, and the collector is killed occasionally.
At the end, every published tag must be at the collector exactly once, and the alerts must be open, raised once and
never cleared. Otherwise the exit status is 1.
"""

import collections
import itertools
import json
import pathlib
import random
import re
import shutil
import sys
import tempfile
import time

from programs import (
    Collector, Generator, Monitor, built_tool, command_line, demand, random_seed, report_violations, root, start)

options = command_line(
    __doc__, {"run": {"rounds": 200, "seed": random_seed()}, "monitor": {"rounds": 50, "seed": random_seed()}})
dtvr, rounds, seed = built_tool(), options.rounds, options.seed
chance = random.Random(seed)
work = pathlib.Path(tempfile.mkdtemp(prefix=f"dtvr-crash-{options.command}-"))


# ---- run ----

class Sender:
    """`dtvr run` or `dtvr upload`, which is killed."""

    def __init__(self, *arguments):
        (work / "started").touch()
        self.output = work / "output"
        with open(self.output, "w") as output:
            self.process = start(dtvr, *arguments, work=work, output=output)

    def kill(self):
        """Kills it, and returns whether it was still running."""
        self.process.kill()
        return self.process.wait() == -9

    def wait_for(self, condition):
        """Waits up to two minutes for a condition, while the sender is running."""
        end = time.monotonic() + 120
        while not condition() and self.process.poll() is None and time.monotonic() < end:
            time.sleep(0.003)


numbers = itertools.count(1)


def new_stream():
    """Returns a unique path of media/demo."""
    folder = work / f"in-{next(numbers)}"
    folder.symlink_to(root / "media/demo")
    return str(folder / "index.m3u8")


def call(*arguments):
    """Runs the tool to its end, and returns its output."""
    process = start(dtvr, *arguments, work=work)
    output = process.communicate()[0]
    if process.returncode:
        sys.exit(f"FAILED: dtvr {arguments[0]} exited with {process.returncode}; seed {seed}; see {work}")
    return output


def is_newer(path):
    """Whether the file was changed since the sender was started."""
    return path.exists() and path.stat().st_mtime_ns > (work / "started").stat().st_mtime_ns


def kill_in_flight(collector, store, fault):
    """Sends a batch that is not answered in time, and kills the sender up to 30 ms later. Returns the stream, and
    whether the sender was still running."""
    stream = new_stream()
    sender = Sender("run", stream, "--store", store, "--collector", collector.url)
    if "lost-answer" in fault:
        sender.wait_for(lambda: any(map(is_newer, collector.folder.glob("tags-*.ndjson"))))
    else:
        sender.wait_for(lambda: sender.output.stat().st_size > 0)
    time.sleep(chance.uniform(0, 0.03))
    return stream, sender.kill()


def crash_runs():
    store = work / "store"
    # The time windows of the kills, by kind of round, in seconds; the moment of a kill is random within its window. A
    # kill that came too late shrinks the window; any other kill widens it, also one that came before the first tag.
    begin = time.monotonic()
    call("run", new_stream(), "--store", store)
    took = time.monotonic() - begin
    windows = [took + 0.02, 0, took / 2 + 0.01]
    print(f"seed {seed}", flush=True)
    counted = tried = in_flight = 0
    # The tags that were in the store after a kill, and the number of tags that a run reported for its stream.
    kept, reported = set(), {}

    def note_reports(stream):
        for count in re.findall(r"^tags  *([0-9]+):", (work / "output").read_text(), re.MULTILINE):
            reported[stream] = int(count)

    collector = Collector(dtvr, work)
    collector.kill()
    start_time, slowest = time.monotonic(), 0
    while counted < rounds:
        if tried >= rounds * 5 + 20:
            sys.exit(f"Only {counted} of {tried} kills came while tags were accepted and not yet delivered.")
        tried += 1
        begin, kind = time.monotonic(), counted % 3
        if kind == 1:
            # Alternates between a batch that is stored but not answered, and a batch that the collector has read in
            # part. It alternates with every kill, whether it counts or not: an unacknowledged batch is resent first,
            # and while its answers are lost the collector receives nothing new.
            fault = "lost-answer" if tried % 2 else "slow=500"
            collector.start(fault)
            stream, was_killed = kill_in_flight(collector, store, fault)
        else:
            collector.start()
            stream = new_stream()
            if kind == 0:
                sender = Sender("run", stream, "--store", store, "--collector", collector.url)
                # Before the first commit of a run there is nothing to lose.
                sender.wait_for(lambda: is_newer(store / "high-water"))
            else:
                (work / "output").write_text(call("run", stream, "--store", store))
                note_reports(stream)
                sender = Sender("upload", "--store", store, "--collector", collector.url)
            time.sleep(chance.uniform(0, windows[kind]))
            was_killed = sender.kill()
        # The tags that it reported before the kill are on disk.
        note_reports(stream)
        collector.kill()
        # The store must open after every kill, and the tags in it must arrive.
        waiting = list(map(json.loads, call("store", "export", "--store", store).splitlines()))
        kept |= {tag["id"] for tag in waiting}
        counts = was_killed and any(tag["source"] == stream for tag in waiting)
        counted += counts
        in_flight += counts and kind == 1
        is_late = not counts and (not was_killed or collector.has_written(stream))
        windows[kind] = windows[kind] * 4 / 5 if is_late else windows[kind] * 9 / 8 + 0.001
        slowest = max(slowest, time.monotonic() - begin)
    elapsed = time.monotonic() - start_time

    collector.start()
    call("upload", "--store", store, "--collector", collector.url)
    collector.end()
    status = json.loads(call("store", "status", "--format", "json", "--store", store))
    log = (work / "collector.log").read_text()
    resent = ([0] + re.findall(r"accepted [0-9]+, duplicate ([0-9]+),", log))[-1]
    ids = collections.Counter(tag["id"] for tag in collector.tags())
    sources = collections.Counter(tag["source"] for tag in collector.tags())
    doubled = ids.total() - len(ids)
    # Lost tags: by the store's own count, of those seen in it after a kill, and of those that were reported.
    lost, kept_lost = status["accepted"] - len(ids), len(kept - set(ids))
    reported_lost = sum(count - sources[stream] for stream, count in reported.items())

    # The control: a collector that does not recognize duplicates must store a resent batch twice.
    forgetful = Collector(dtvr, work, "forgetful", "lost-answer forgetful")
    kill_in_flight(forgetful, work / "control", "lost-answer")
    forgetful.kill()
    forgetful.start("forgetful")
    call("upload", "--store", work / "control", "--collector", forgetful.url)
    forgetful.kill()
    twice = collections.Counter(tag["id"] for tag in forgetful.tags())
    control = twice.total() - len(twice)

    print(f"rounds     {counted} of {tried} kills, {in_flight} with a batch in flight; "
          f"{elapsed / tried * 1000:.0f} ms per kill, {slowest * 1000:.0f} ms at most")
    print(f"accepted   {status['accepted']} tags, {sum(reported.values())} of them reported before a kill")
    print(f"delivered  {len(ids)}; {resent} duplicates arrived and were recognized")
    print(f"waiting    {status['waiting']}")
    print(f"lost       {lost}; {kept_lost} of those in the store after a kill, {reported_lost} of those reported")
    print(f"doubled    {doubled}; {control} at the control, a collector that forgets")
    demand(status["waiting"] == 0, "tags are waiting")
    demand(lost == kept_lost == reported_lost == 0, "tags are lost")
    demand(doubled == 0, "tags are duplicated")
    demand(control > 0, "the control has no duplicates")


# ---- monitor ----

CHANNELS, SILENT, UNREACHABLE = 20, 19, 20


def crash_monitors():
    # The channel that cannot be loaded is not silent as well: one cause is one alert.
    expected = {(f"ch{SILENT}", "presence.silent"), (f"ch{UNREACHABLE}", "playlist.http")}
    generator = Generator(
        dtvr, work, CHANNELS,
        [f"at 15s channel {SILENT}: no-tags", f"at 15s channel {UNREACHABLE}: status 503 playlist"])
    collector = Collector(dtvr, work)
    alerts = []
    monitor = Monitor(dtvr, work, generator.urls, collector=collector)
    followed = generator.now
    deadline = time.monotonic() + 150
    while len([alert for alert in monitor.alerts if alert["check"] in ("presence.silent", "playlist.http")]) < len(
        expected
    ):
        if time.monotonic() > deadline:
            sys.exit(f"FAILED: timed out waiting for the alerts; got {monitor.alerts}")
        time.sleep(0.2)
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
    collector.end()

    found = collections.Counter(
        (alert["action"], alert["channel"], alert["check"])
        for alert in alerts
        if (alert["channel"], alert["check"]) in expected
    )
    for channel, check in sorted(expected):
        demand(
            found["raise", channel, check] == 1, f"{channel} {check} was raised {found['raise', channel, check]} times"
        )
        demand(
            found["clear", channel, check] == 0, f"{channel} {check} was cleared {found['clear', channel, check]} times"
        )
    others = [alert for alert in alerts if (alert["channel"], alert["check"]) not in expected]
    demand(not others, f"other alerts: {others[:3]}")
    kept = {
        (alert["channel"], alert["check"]) for alert in json.loads((work / "store/alerts.json").read_text())["active"]
    }
    demand(kept == expected, f"alerts open at the end: {kept}")

    numbers = {url: number for number, url in enumerate(generator.urls, 1)}
    got = collections.Counter((numbers.get(tag["source"]), tag["owner"]) for tag in collector.tags())
    published = delivered = doubled = 0
    for number in range(1, CHANNELS + 1):
        for segment in generator.published(number):
            # Listed while the monitor ran, and long before the end.
            is_due = followed - 25 < segment["end"] / 1000 < ended - 20 and number != UNREACHABLE
            for owner in segment["owners"]:
                count = got.pop((number, owner), 0)
                doubled += count > 1
                if is_due:
                    published += 1
                    delivered += count > 0
                    demand(count, f"ch{number} {segment['segment']}, at {segment['end'] / 1000:.1f} s: a tag is lost")
    demand(not doubled, f"{doubled} tags are duplicated at the collector")
    demand(not got, f"{len(got)} tags at the collector were never published")
    findings = collections.Counter(
        finding["check"]
        for finding in monitor.findings
        if finding["channel"] not in (f"ch{SILENT}", f"ch{UNREACHABLE}")
    )
    demand(not findings, f"findings of healthy channels: {findings}")

    print(
        f"rounds      {rounds} kills of the monitor, {collector_kills} of the collector, "
        f"within {ended - followed:.0f} s"
    )
    print(f"tags        {published} published, {delivered} delivered, {doubled} twice")
    print(f"alerts      {len(expected)} open throughout, {sum(found.values())} raised")


crash_runs() if options.command == "run" else crash_monitors()
report_violations(work, f"seed {seed}")
shutil.rmtree(work)
