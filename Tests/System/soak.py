#!/usr/bin/env python3
"""Monitors live channels with random faults for hours, and compares the findings with the faults.

    Tests/System/soak.py HOURS [CHANNELS [SEED]]       default: 200 channels; DTVR=PATH uses an existing build

`dtvr synth --live` serves the channels, with a script of faults that is generated from the seed. `dtvr monitor` follows
them, and `dtvr collect` receives the tags; it is killed and restarted during the run. At the end, every tag that was
available must be at the collector exactly once, every fault must have its finding and every finding its fault, every
alert must have been raised once and cleared once, every channel must be healthy, and open files and memory must not
have grown. Otherwise the exit status is 1.
"""

import collections
import json
import pathlib
import random
import shutil
import statistics
import tempfile
import time

from programs import (
    Collector, Generator, Monitor, built_tool, command_line, demand, random_seed, report_violations, unix)

options = command_line(__doc__, hours=float, channels=200, seed=random_seed())
dtvr, seconds, channels, seed = built_tool(), options.hours * 3600, options.channels, options.seed
chance = random.Random(seed)
work = pathlib.Path(tempfile.mkdtemp(prefix="dtvr-soak-"))

# The parameters of `dtvr synth --live`; see docs/live-channels.md.
SEGMENT, LISTED, SEGMENT_BYTES = 6.4, 6 * 6.4, 100_000
# Seconds before the first fault, after the last one, and between two faults of a channel: findings about a minute of
# media come late. A lost INFO tag stays missing until the next one, five minutes later. The alert of a stale playlist
# is held for two minutes, which is the maximum here.
LEAD, TAIL, PAUSE = 60, min(450, max(180, seconds / 5)), 140
# Seconds after a fault in which its consequences may still be found. A lost INFO tag may stay missing until the next
# one and ten seconds longer, because the media without INFO tags may be counted from the end of an earlier fault.
AFTERMATH, INFO_AFTERMATH = 130, 310
# A segment that is available for this many seconds without interruption must be read: two loads, with their retries.
AMPLE = 14

MISSING_TAGS = {"sequence.step", "time.gap", "tag.count", "info.late", "presence.silent"}


class Fault:
    """One line of the script: a fault, and the findings that must and may follow."""

    def __init__(self, channel, start, kind):
        self.channel, self.start, self.kind = channel, start, kind
        self.must, self.may, self.found, self.length = [], set(), collections.Counter(), None
        self.playlist_fails = self.segments_fail = self.stands = False
        self.delay = 0
        getattr(self, "make_" + kind.replace("-", "_"))()
        self.may |= set().union(*self.must) if self.must else set()

    @property
    def end(self):
        return self.start + (self.length or 0)

    @property
    def line(self):
        lasts = f" for {self.length:.3f}s" if self.length else ""
        return f"at {self.start:.3f}s{lasts} channel {self.channel}: {self.words}"

    def covers(self, time):
        return self.start <= time < self.end

    def make_late_playlist(self):
        self.delay = chance.randint(12, 18)
        self.length = chance.randint(40, 90)
        self.words = f"late-playlist {self.delay}s"
        self.must, self.may = [{"playlist.stale"}], {"presence.silent"}

    def make_stalled_playlist(self):
        self.length = chance.choice([chance.randint(15, 30), chance.randint(60, 100)])
        self.words, self.stands = "stalled-playlist", True
        # A playlist that cannot be read is one finding. The silence that it causes is not another one.
        self.must = [{"playlist.stale"}]
        if self.length > LISTED + 2 * SEGMENT:
            self.must += [{"playlist.sequence-gap"}]
            self.may = MISSING_TAGS - {"presence.silent"}

    def make_status_playlist(self):
        self.length = chance.choice([chance.randint(10, 25), chance.randint(70, 110)])
        self.words = f"status {chance.choice([403, 404, 410, 500, 502, 503])} playlist"
        self.playlist_fails = True
        self.must = [{"playlist.http"}]
        if self.length > LISTED + 4 * SEGMENT:
            self.must += [{"playlist.sequence-gap"}]
            self.may = MISSING_TAGS - {"presence.silent"}

    def make_status_segment(self):
        self.length = chance.choice([chance.randint(4, 12), chance.randint(45, 80)])
        self.words = f"status {chance.choice([404, 500, 503])} segment"
        self.segments_fail = True
        self.may = MISSING_TAGS | {"segment.http", "segment.late", "segment.slow"}
        if self.length > 40:
            # The segments that are still listed at the end are read then.
            self.must = [{"segment.http"}, {"segment.late"}, {"presence.silent"}]

    def make_status(self):
        self.length = chance.randint(15, 110)
        self.words = f"status {chance.choice([404, 503])}"
        self.playlist_fails = self.segments_fail = True
        self.must = [{"playlist.http"}]
        self.may = MISSING_TAGS | {"segment.http", "segment.slow", "playlist.sequence-gap"}

    def make_slow_drip(self):
        self.length = chance.randint(25, 40)
        takes = chance.choice([3, 9, 11])
        self.words = f"slow-drip {SEGMENT_BYTES // takes}"
        if takes > SEGMENT:
            self.must, self.may = [{"segment.slow"}], {"presence.silent"}

    def make_slow_drip_playlist(self):
        self.length = chance.randint(25, 60)
        self.words = "slow-drip 700 playlist"

    def make_redirect(self):
        self.length = chance.randint(30, 90)
        self.words = chance.choice(["redirect", "redirect 20s"])

    def make_expired_session(self):
        self.words = "expired-session"

    def make_sequence_reset(self):
        self.words, self.must = "sequence-reset", [{"playlist.sequence-back"}]

    def make_changed_key(self):
        self.length = chance.randint(30, 90)
        self.words = chance.choice(["changed-key", "changed-key 20s"])

    def make_no_tags(self):
        self.length = chance.choice([chance.randint(12, 25), chance.randint(50, 80)])
        self.words, self.may = "no-tags", set(MISSING_TAGS)
        self.must = [{"presence.silent"} if self.length > 45 else {"sequence.step", "time.gap"}]

    def make_ad_break(self):
        self.length = chance.randint(20, 70)
        self.words = "ad-break " + chance.choice(["cue", "daterange", "unmarked"])


KINDS = sorted(name[5:].replace("_", "-") for name in vars(Fault) if name.startswith("make_"))


def make_faults():
    """Returns the faults of each channel, in order; every tenth channel has none. All kinds are equally frequent."""
    faults, kinds = collections.defaultdict(list), []
    times = {
        number: LEAD + chance.uniform(0, max(60, seconds / 10)) for number in range(1, channels + 1) if number % 10
    }
    while times:
        number = min(times, key=times.get)
        if not kinds:
            kinds = chance.sample(KINDS, len(KINDS))
        fault = Fault(number, times[number], kinds.pop())
        if fault.end + TAIL > seconds:
            del times[number]
            continue
        faults[number].append(fault)
        times[number] = fault.end + PAUSE + chance.expovariate(1 / 240)
    return faults


# Availability.
def playlist_time(faults, now):
    for fault in faults:
        if fault.stands and fault.covers(now):
            return fault.start
        if fault.delay and fault.covers(now):
            return max(fault.start, now - fault.delay)
    return now


def can_be_had(segment, faults, began, ended):
    """Returns whether a segment was listed and loadable for long enough that the monitor must have read it."""
    end = segment["end"] / 1000
    near = [fault for fault in faults if fault.start < end + LISTED + 30 and fault.end > end - SEGMENT]
    if any(fault.segments_fail and fault.end > end and fault.start < end + LISTED for fault in near):
        return False
    resets = [fault.start for fault in near if fault.kind == "sequence-reset"]
    # After a reset, only segments that began after it are listed.
    gone = min((end + LISTED, *(reset + 2 * SEGMENT for reset in resets if reset > end - SEGMENT)))
    longest = run = 0
    step = 0.25
    now = max(end, began)
    while now < min(gone + 120, ended):
        listed = end <= playlist_time(near, now) < gone
        run = run + step if listed and not any(fault.playlist_fails and fault.covers(now) for fault in near) else 0
        longest = max(longest, run)
        if longest >= AMPLE:
            return True
        now += step
    return False


# Evaluation.
def judge_tags(generator, faults, collector, began, ended):
    """Compares the published tags with the tags at the collector."""
    numbers = {url: number for number, url in enumerate(generator.urls, 1)}
    got = collections.Counter((numbers.get(tag["source"]), tag["owner"]) for tag in collector.tags())
    published = delivered = excused = lost = 0
    for number in range(1, channels + 1):
        for segment in generator.published(number):
            for owner in segment["owners"]:
                count = got.pop((number, owner), 0)
                demand(count < 2, f"ch{number} {segment['segment']}: the collector has a tag {count} times")
                if segment["end"] / 1000 + LISTED < began + AMPLE or segment["end"] / 1000 > ended - 2 * AMPLE:
                    continue
                published += 1
                delivered += count > 0
                if count == 0 and can_be_had(segment, faults[number], began, ended):
                    lost += 1
                    demand(False, f"ch{number} {segment['segment']}, at {segment['end'] / 1000:.1f} s: a tag is lost")
                elif count == 0:
                    excused += 1
    demand(not got, f"{len(got)} tags at the collector were never published: {list(got)[:3]}")
    print(f"tags        {published} published, {delivered} delivered once each, {excused} not available, {lost} lost")


def judge_findings(faults, monitor, start):
    """Checks that every finding has a fault, and every fault its findings."""
    for finding in monitor.findings:
        number, at, check = int(finding["channel"][2:]), unix(finding["at"]) - start, finding["check"]
        aftermath = INFO_AFTERMATH if check == "info.late" else AFTERMATH
        causes = [
            fault for fault in faults[number] if fault.start - 1 <= at <= fault.end + aftermath and check in fault.may
        ]
        for fault in causes:
            fault.found[check] += 1
        demand(causes, f"ch{number}, at {at:.1f} s: unexpected finding {check}: {finding['detail']}")
    rows = collections.defaultdict(lambda: [0, 0, collections.Counter()])
    for fault in sum(faults.values(), []):
        row = rows[fault.kind]
        missed = [group for group in fault.must if not group & set(fault.found)]
        row[0] += 1
        row[1] += not missed
        row[2] += fault.found
        for group in missed:
            demand(False, f"{fault.line}: missing finding {' or '.join(sorted(group))}; found {dict(fault.found)}")
    for kind, (count, met, found) in sorted(rows.items()):
        findings = ", ".join(f"{check} {number}" for check, number in sorted(found.items())) or "none"
        print(f"  {kind:20} {count:5} times, {met:5} as expected: {findings}")
    print(f"faults      {sum(map(len, faults.values()))}, {len(monitor.findings)} findings")


def judge_alerts(monitor):
    opened, raised = {}, set()
    for alert in monitor.alerts:
        id = alert["id"]
        if alert["action"] == "raise":
            demand(id not in raised, f"alert {id} was raised twice")
            raised.add(id)
            opened[id] = alert
        else:
            demand(opened.pop(id, None), f"alert {id} was cleared without being open")
    for alert in opened.values():
        demand(False, f"{alert['channel'] or alert['host']}: {alert['check']} is still open: {alert['detail']}")
    print(f"alerts      {len(raised)} raised, {len(raised) - len(opened)} cleared")


def judge_growth(samples):
    """Checks that memory and open files do not grow: compares the two halves of the time after the first quarter, in
    which caches fill."""
    later = samples[len(samples) // 4:]
    halves = later[:len(later) // 2], later[len(later) // 2:]
    memory = [statistics.median(sample[0] for sample in half) / 1000 for half in halves]
    files = [statistics.median(sample[1] for sample in half) for half in halves]
    print(
        f"memory      {memory[0]:.1f} MB, then {memory[1]:.1f} MB; at most {max(s[0] for s in samples) / 1000:.1f} MB"
    )
    print(f"open files  {files[0]:.0f}, then {files[1]:.0f}; at most {max(s[1] for s in samples)}")
    demand(memory[1] <= memory[0] * 1.05 + 5, "the monitor's memory grows")
    demand(files[1] <= files[0] * 1.05 + 5, "the monitor's open files grow")


def run():
    faults = make_faults()
    lines = [fault.line for fault in sum(faults.values(), [])]
    print(f"seed {seed}: {channels} channels, {seconds / 60:.0f} minutes, {len(lines)} faults", flush=True)
    generator = Generator(dtvr, work, channels, lines, "--bitrate", "125", "--seed", seed & 0x7FFF_FFFF)
    collector = Collector(dtvr, work)
    monitor = Monitor(
        dtvr, work, generator.urls, defaults="limit-alert-hold-maximum = 120s", collector=collector)
    outages, restart, next_sample, samples = 0, None, 0, []
    next_outage = chance.uniform(60, max(90, min(600, seconds / 3)))
    while (now := generator.now) < seconds and monitor.process.poll() is None:
        if now >= next_sample:
            samples.append(monitor.resources())
            next_sample = now + 5
        if restart and now >= restart:
            collector.start()
            restart = None
        elif not restart and next_outage <= now < seconds - TAIL:
            collector.kill()
            outages += 1
            restart, next_outage = now + chance.uniform(5, 60), now + chance.uniform(120, 900)
        time.sleep(0.2)
    ended = generator.now
    demand(monitor.process.poll() is None, f"the monitor exited by itself: {monitor.process.poll()}")
    code, took = monitor.end()
    demand(code == 0 and took < 5, f"the monitor exited with {code} after {took:.1f} s")
    collector.end()
    # For the analysis of a failure.
    told = {"start": generator.began, "findings": monitor.findings, "alerts": monitor.alerts, "samples": samples}
    (work / "told.json").write_text(json.dumps(told))
    judge_findings(faults, monitor, generator.began)
    judge_tags(generator, faults, collector, monitor.began - generator.began, ended)
    judge_alerts(monitor)
    judge_growth(samples)
    ill = {channel: state for channel, state in monitor.states.items() if not state.startswith("healthy")}
    demand(len(monitor.states) == channels and not ill, f"not all channels are healthy at the end: {ill}")
    demand(monitor.summary and monitor.summary["lost"] == 0, f"the summary has losses: {monitor.summary}")
    print(f"collector   killed {outages} times; {monitor.summary['waiting']} tags waiting at the end")
    notes = (work / "monitor.log").read_text().splitlines()
    print(
        f"monitor     {monitor.tag_count} tags; {len(notes)} log lines" + "".join(f"\n    {note}" for note in notes[:8])
    )


run()
report_violations(work, f"seed {seed}")
print("Every tag was delivered once, every fault was found, and there were no other findings.")
shutil.rmtree(work)
