"""The resources and counts of a running monitor, from /proc and its metrics."""

import os
import pathlib
import re
import time

from programs import get

# Segments of the generator last 6.4 s. This is the largest bucket limit of the metric below that.
IN_TIME = 5.0


def processor_time(process):
    """Returns the processor time of a process and its children in seconds."""
    pids = [
        process.pid, *map(int, pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split())]
    ticks = 0
    for pid in pids:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


class Sample:
    """The metrics at one moment."""

    def __init__(self, port):
        self.values = []
        for line in get(f"http://127.0.0.1:{port}/metrics").splitlines():
            if not line.startswith("#"):
                name, value = line.rsplit(" ", 1)
                self.values.append((name, float(value)))

    def all(self, pattern):
        return [value for name, value in self.values if re.match(pattern, name)]


class Interval:
    """The work of a monitor between two moments."""

    def __init__(self, monitor, port):
        self.monitor, self.port, self.cpu = monitor, port, processor_time(monitor.process)
        self.before, self.begin = Sample(port), time.monotonic()

    def end(self):
        self.after, self.elapsed = Sample(self.port), time.monotonic() - self.begin
        self.cpu = processor_time(self.monitor.process) - self.cpu
        self.memory = self.monitor.resources()[0] / 1000
        self.segments = self.grown(r'dtvr_fetch_seconds_count{kind="segment"}')
        self.late = self.segments - self.grown(
            rf'dtvr_fetch_seconds_bucket{{kind="segment",le="{IN_TIME:g}(\.0)?"}}')

    def grown(self, pattern):
        return sum(self.after.all(pattern)) - sum(self.before.all(pattern))

    @property
    def is_in_time(self):
        """Whether each segment was read within the segment's duration."""
        return self.late == 0 and self.grown(r'dtvr_segments_total{.*outcome="(failed|skipped)"}') == 0
