#!/usr/bin/env python3
"""Whether the memory of a monitor of many live channels stays where it is, hour after hour.

    live-memory.py DTVR [CHANNELS [SETTLING [MINUTES [GROWTH]]]]    1000 channels, 65 and 30 minutes, 0.01 unless given

The generator serves the channels, segments of 100 kB, and a collector takes the tags. What the monitor keeps of each
channel is bounded by time, an hour at most, and fills while it settles; then it is watched. Prints a row for every five
minutes. Ends with 1 where the memory grew by more than GROWTH from one half of the time watched to the other, or was over
300 MB.
"""

import collections
import pathlib
import shutil
import statistics
import sys
import tempfile
import time

from programs import Collector, Generator, Monitor

dtvr = sys.argv[1]
channels, settling, minutes = (list(map(int, sys.argv[2:5])) + [1000, 65, 30][len(sys.argv) - 2:])[:3]
LIMIT_MB, GROWTH = 300, float(sys.argv[5]) if len(sys.argv) > 5 else 0.01
work = pathlib.Path(tempfile.mkdtemp(prefix="dtvr-memory-"))

generator = Generator(dtvr, work, channels, [], "--bitrate", "125")
collector = Collector(dtvr, work)
monitor = Monitor(dtvr, work, generator.urls, collector=collector)
print("| minute | memory | open files | tags told | findings |")
print("| --: | --: | --: | --: | --: |", flush=True)
samples, early, begin = [], 0, time.monotonic()
for minute in range(1, settling + minutes + 1):
    while time.monotonic() - begin < minute * 60:
        time.sleep(5)
        if monitor.process.poll() is not None:
            sys.exit(f"FAILED: the monitor ended by itself with {monitor.process.returncode}; {work} is kept")
        if minute > settling:
            samples.append(monitor.resources())
    if minute == settling:
        early = len(monitor.findings)
    if minute % 5 == 0:
        memory, files = monitor.resources()
        print(f"| {minute} | {memory / 1000:.1f} MB | {files} | {monitor.tag_count} | {len(monitor.findings)} |", flush=True)
code, _ = monitor.end()
generator.process.terminate()
collector.process.terminate()
halves = samples[:len(samples) // 2], samples[len(samples) // 2:]
first, second = (statistics.median(memory for memory, _ in half) / 1000 for half in halves)
most = max(memory for memory, _ in samples) / 1000
print(f"\n{channels} channels, minutes {settling} to {settling + minutes}: {first:.1f} MB, then {second:.1f} MB; at most {most:.1f} MB")
late = len(monitor.findings) - early
if monitor.findings:
    print("findings: " + ", ".join(
        f"{check} {count}" for check, count in collections.Counter(each["check"] for each in monitor.findings).items()))
if code or second > first * (1 + GROWTH) or most > LIMIT_MB or late:
    sys.exit(f"FAILED: status {code}, {late} findings while it was watched; {work} is kept")
shutil.rmtree(work)
