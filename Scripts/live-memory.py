#!/usr/bin/env python3
"""Checks that the memory of a monitor with many live channels does not grow.

    live-memory.py DTVR [CHANNELS [SETTLING [MINUTES [GROWTH]]]]    default: 1000 channels, 65 and 30 minutes, 0.01

The generator serves the channels with segments of 100 kB, and a collector receives the tags. The monitor keeps up to an
hour of data for each channel. This data accumulates during the SETTLING minutes; then memory is measured for MINUTES.
Prints a row every five minutes. The exit status is 1 if memory grew by more than GROWTH from the first half of the
measured time to the second, or exceeded 300 MB.
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
print("| minute | memory | open files | tags | findings |")
print("| --: | --: | --: | --: | --: |", flush=True)
samples, early, begin = [], 0, time.monotonic()
for minute in range(1, settling + minutes + 1):
    while time.monotonic() - begin < minute * 60:
        time.sleep(5)
        if monitor.process.poll() is not None:
            sys.exit(f"FAILED: the monitor exited unexpectedly with {monitor.process.returncode}; see {work}")
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
print(
    f"\n{channels} channels, minutes {settling} to {settling + minutes}: {first:.1f} MB, then {second:.1f} MB; "
    f"at most {most:.1f} MB")
late = len(monitor.findings) - early
if monitor.findings:
    print("findings: " + ", ".join(
        f"{check} {count}" for check, count in collections.Counter(each["check"] for each in monitor.findings).items()))
if code or second > first * (1 + GROWTH) or most > LIMIT_MB or late:
    sys.exit(f"FAILED: exit status {code}, {late} findings during the measurement; see {work}")
shutil.rmtree(work)
