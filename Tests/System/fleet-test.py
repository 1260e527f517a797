#!/usr/bin/env python3
"""Monitors live channels twice into one ledger, with random faults, and accounts for every tag.

    Tests/System/fleet-test.py [SEEDS [CHANNELS [SEED]]]      default: one seed, 200 channels; DTVR=PATH uses an
                                                              existing build of the tool

Two copies of four shards of `dtvr monitor` follow the channels of `dtvr synth --live`. Three collectors behind nginx
store their tags in PostgreSQL. The clock of one copy is an hour off, and another sender sends only rubbish. Each of
these faults happens in a random order: monitors, a collector and the database are killed; a collector and the database
hang; a tablespace is full; a proxy cuts connections after the commit, before the receipt; the schema is migrated, and
partitions are created; overdue days are pruned, also by a machine with a wrong clock. A fault ends once a sender
has met it.

At the end, every tag that a copy could read must be in the ledger exactly once, the ledger must have a receipt of each
delivered tag of each buffer and no other, and no sender may have lost a tag. Otherwise the exit status is 1, and the
message has the seed. After each run, copies of its data are damaged, each in one way, and the judge must report it.
"""

import collections
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from fleet import Fleet, shard_of
from fleet_faults import CuttingProxy, RubbishSender, SmallDisk
from programs import (
    built_tool, command_line, demand, kill_all, random_seed, report_violations, root, running, set_up)

options = command_line(__doc__, seeds=1, channels=200, seed=random_seed())
set_up("fleet")
dtvr = built_tool()
SHARDS, COPIES, COLLECTORS = 4, 2, 3
# The duration of a segment, and of its listing; see docs/live-channels.md.
SEGMENT, LISTED = 6.4, 6 * 6.4
# A monitor that runs for this many seconds while a segment is listed must read it: two loads, with their retries.
AMPLE = 14
# The longest time until a sender meets a fault: all of them may wait for a minute, as a collector asked them to.
LONGEST_FAULT = 120


class Run:
    """One seed."""

    def __init__(self, seed):
        self.seed, self.chance = seed, random.Random(seed)
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="dtvr-fleet-"))
        self.fleet = Fleet(dtvr, self.work, options.channels, SHARDS, COPIES, COLLECTORS, seed)
        self.disk = SmallDisk(self.fleet.database)
        self.proxy = CuttingProxy(self.fleet.port)
        self.fleet.url = f"http://127.0.0.1:{self.proxy.port}/"
        self.rubbish = RubbishSender(self.fleet, self.chance.randrange(1 << 30))
        self.clock = self.work / "clock.so"
        source = root / "Tests/Products/CDTVRTests/Fuzz/faults.c"
        subprocess.run(["gcc", "-shared", "-fPIC", source, "-o", self.clock, "-ldl"], check=True)
        self.step = self.chance.choice([-3600, 3600])
        wrong = self.chance.randrange(COPIES)
        self.fleet.environments[wrong].update(self.wrong_clock(self.step))

    def wrong_clock(self, seconds):
        """The environment of a program whose clock is wrong."""
        return {"LD_PRELOAD": str(self.clock), "DTVR_FUZZ_CLOCK_STEP": str(seconds)}

    # The faults.

    def pause(self, shortest, longest):
        time.sleep(self.chance.uniform(shortest, longest))

    def wait_for(self, *answers):
        """Waits until a sender gets one of the answers."""
        before = sum(self.proxy.answers[answer] for answer in answers)
        end = time.monotonic() + LONGEST_FAULT
        while time.monotonic() < end:
            if sum(self.proxy.answers[answer] for answer in answers) > before:
                return
            time.sleep(0.05)
        demand(False, f"no sender got the answer {answers} within {LONGEST_FAULT} s: {dict(self.proxy.answers)}")

    def kill_monitors(self):
        """Kills a monitor, or all of a copy, as if its machine had died."""
        copy, shard = self.chance.randrange(COPIES), self.chance.choice([None, *range(SHARDS)])
        shards = range(SHARDS) if shard is None else [shard]
        for shard in shards:
            self.fleet.kill_monitor(copy, shard)
        self.pause(0, 6)
        for shard in shards:
            self.fleet.start_monitor(copy, shard)

    def kill_collector(self):
        collector = self.chance.choice(self.fleet.collectors)
        collector.kill()
        self.pause(0, 4)
        port = collector.port
        collector.start()
        demand(collector.port == port, "a collector could not listen on its port again")

    def kill_database(self):
        self.fleet.database.stop("immediate")
        self.wait_for("unreachable", "503")
        self.pause(0, 2)
        self.fleet.database.start()

    def pause_collector(self):
        """A collector hangs, with all its connections."""
        process = self.chance.choice(self.fleet.collectors).process
        process.send_signal(signal.SIGSTOP)
        self.pause(1, 15)
        process.send_signal(signal.SIGCONT)

    def pause_database(self):
        """The database acknowledges bytes and does not answer, for longer than a collector waits for it."""
        self.fleet.database.pause()
        self.wait_for("unreachable", "busy", "503", "504")
        self.pause(0, 5)
        self.fleet.database.resume()

    def fill_tablespace(self):
        self.disk.fill()
        self.wait_for("disk_full")
        self.pause(0, 2)
        self.disk.release()

    def cut_receipts(self):
        self.proxy.isCutting = True
        self.wait_for("cut")
        self.pause(0, 4)
        self.proxy.isCutting = False

    def migrate(self):
        """Applies what the next version of the program might, and takes it back, as the collectors do not have it."""
        owner = "SET ROLE dtvr_owner; BEGIN; LOCK TABLE dtvr.migrations IN ACCESS EXCLUSIVE MODE;"
        self.fleet.database.sql(
            f"{owner} ALTER TABLE dtvr.tags ADD COLUMN next text; ALTER TABLE dtvr.receipts ADD COLUMN next text;"
            f" SELECT pg_sleep({self.chance.uniform(0, 1)}); INSERT INTO dtvr.migrations SELECT max(version) + 1"
            " FROM dtvr.migrations; COMMIT")
        self.wait_for("schema")
        self.fleet.database.sql(
            f"{owner} ALTER TABLE dtvr.receipts DROP COLUMN next; ALTER TABLE dtvr.tags DROP COLUMN next;"
            " DELETE FROM dtvr.migrations WHERE version = (SELECT max(version) FROM dtvr.migrations); COMMIT")

    def add_partitions(self):
        """Removes the partitions of later days, and lets `dtvr ledger migrate` create them."""
        self.fleet.database.sql("""
            DO $$ DECLARE name text; BEGIN
                FOR name IN SELECT partition FROM dtvr.partitions WHERE day > current_date + 2 LOOP
                    EXECUTE format('DROP TABLE dtvr.%I', name);
                END LOOP;
            END $$""")
        self.keep("migrate", "partitions created")

    def prune_late(self):
        """Prunes days that are overdue for months. A machine whose clock is years off must not prune anything."""
        database, count = self.fleet.database, self.chance.randint(60, 120)
        # One transaction for each day, and a tag of each fifth day.
        database.sql(f"""
            DO $$ DECLARE wanted date; BEGIN
                FOR number IN 1..{count} LOOP
                    wanted := current_date - 401 - number;
                    PERFORM dtvr.add_partitions(wanted);
                    INSERT INTO dtvr.tags (id, at, day, channel, owner)
                    SELECT gen_random_uuid(), wanted, wanted, 'old', 'old' WHERE number % 5 = 0;
                    COMMIT;
                END LOOP;
            END $$""", database="dbname=dtvr options='-c role=dtvr_owner'")
        query = "SELECT count(DISTINCT day) FROM dtvr.partitions WHERE day < current_date - 400"
        before = database.sql(query)
        years = self.chance.choice([-2, 2]) * 365 * 86_400
        self.fleet.call(
            "ledger", "prune", "--retention", "400d", "--ledger", database.uri("owner"), fails=True,
            **self.wrong_clock(years))
        demand(database.sql(query) == before, "a machine with a wrong clock has pruned")
        hour = self.chance.choice([-3_600, 0, 3_600])
        self.keep("prune", "partitions dropped", "--retention", "400d", **self.wrong_clock(hour))
        demand(database.sql(query) == [["0"]], "late days are not pruned")

    def keep(self, action, expected, *operands, **environment):
        """Runs an action of `dtvr ledger`, again if it gives up because it would block the collectors for long."""
        for _ in range(5):
            output = self.fleet.call(
                "ledger", action, *operands, "--ledger", self.fleet.database.uri("owner"), fails=True, **environment)
            if expected in output:
                return
        demand(False, f"dtvr ledger {action} failed five times")

    def run(self):
        faults = [
            self.kill_monitors, self.kill_collector, self.kill_database, self.pause_collector, self.pause_database,
            self.cut_receipts, self.migrate, self.add_partitions, self.prune_late]
        if self.disk.isThere:
            faults.append(self.fill_tablespace)
        self.chance.shuffle(faults)
        self.fleet.start_monitors()
        self.wait_for("200")
        self.rubbish.start()
        for fault in faults:
            self.pause(1, 3)
            began = self.fleet.generator.now
            fault()
            print(f"  {began:6.1f} s  {fault.__name__}: {self.fleet.generator.now - began:.1f} s", flush=True)
        time.sleep(AMPLE)
        for monitor in list(self.fleet.monitors):
            code, summary = self.fleet.end_monitor(*monitor)
            demand(code == 0, f"the monitor {monitor} exited with {code}")
            demand(summary and summary["lost"] == 0, f"the monitor {monitor} lost tags: {summary}")
        self.rubbish.stop()
        self.judge()
        self.disk.unmount()

    # The evaluation.

    def could_read(self, copy, shard, end):
        """Whether a copy ran for long enough while the segment that ended at that time was listed."""
        return any(
            min(stop, end + LISTED) - max(begin, end) >= AMPLE for begin, stop in self.fleet.runs[copy, shard])

    def collect_evidence(self):
        """Delivers what waits in the buffers, and returns the state of the senders, the ledger and the generator."""
        buffers = {}
        for copy, shard in self.fleet.runs:
            status = self.fleet.deliver(copy, shard)
            isClean = not any(status["losses"].values()) and not status["waiting"] and not status["dead_letters"]
            demand(isClean, f"the buffer {copy}/{shard} has losses: {status}")
            buffers[status["store_id"]] = status["delivered"]
        database = self.fleet.database
        rows = database.sql("""
            SELECT tags.channel, tags.owner, copies.copies FROM dtvr.tags LEFT JOIN dtvr.copies USING (id, day)""")
        published = []
        for number in range(1, options.channels + 1):
            channel = f"ch{number}"
            shard = shard_of(channel, SHARDS)
            for segment in self.fleet.generator.published(number):
                readers = sum(self.could_read(copy, shard, segment["end"] / 1000) for copy in range(COPIES))
                place = f"{channel} {segment['segment']}, at {segment['end'] / 1000:.1f} s"
                published += [Published(channel, owner, readers, place) for owner in segment["owners"]]
        return Evidence(
            buffers, published, [(channel, owner, int(copies or 0)) for channel, owner, copies in rows],
            {store.replace("-", ""): int(count) for store, count in database.sql(
                "SELECT store, sum(records) FROM dtvr.sender_totals GROUP BY store")},
            int(database.sql("SELECT sum(copies) FROM dtvr.copies")[0][0]),
            [name for name, in database.sql("SELECT DISTINCT name FROM dtvr.sender_totals ORDER BY 1")])

    def judge(self):
        evidence = self.collect_evidence()
        problems, summary = judge(evidence)
        for problem in problems:
            demand(False, problem)
        control(evidence, problems)
        print(f"  {summary}; answers {dict(self.proxy.answers)}, to rubbish"
              f" {dict(self.rubbish.answers)}", flush=True)


# A tag that the generator published, with the number of copies that could read it.
Published = collections.namedtuple("Published", "channel owner readers place")
# The delivered tags of each buffer; the published tags; the rows of the ledger as (channel, owner, copies); the
# receipts of each buffer; the sum of the copies; the names of the senders.
Evidence = collections.namedtuple("Evidence", "buffers published rows receipts total names")


def judge(evidence):
    """Returns the problems in the evidence, and a summary of it."""
    problems = []

    def require(holds, problem):
        if not holds:
            problems.append(problem)

    found = collections.defaultdict(list)
    for channel, owner, copies in evidence.rows:
        found[channel, owner].append(copies)
    readable = once = twice = 0
    for tag in evidence.published:
        copies = found.pop((tag.channel, tag.owner), [])
        readable += tag.readers > 0
        once += tag.readers > 0 and len(copies) == 1
        twice += copies == [COPIES]
        require(len(copies) < 2, f"{tag.place}: the ledger has a tag {len(copies)} times")
        require(copies or not tag.readers, f"{tag.place}: a tag is lost")
        require(
            not copies or tag.readers <= copies[0] <= COPIES,
            f"{tag.place}: {copies} copies of a tag, but {tag.readers} could read it")
    require(not found, f"{len(found)} tags were never published: {list(found)[:3]}")
    delivered, total = sum(evidence.buffers.values()), evidence.total
    require(
        evidence.receipts == evidence.buffers,
        f"the receipts of the buffers are {evidence.receipts}, but they delivered {evidence.buffers}")
    require(total == delivered, f"the copies add up to {total}, not to {delivered}")
    require(readable and twice, "no tags were published")
    require(evidence.names == [f"copy-{copy}" for copy in range(COPIES)], f"unexpected senders: {evidence.names}")
    return problems, (
        f"{readable} tags that a copy could read, {once} once in the ledger, {twice} of {len(evidence.rows)} from both"
        f" copies; {total} receipts")


def control(evidence, problems):
    """Damages copies of the evidence, each in one way, and demands that the judge reports each damage."""
    index = next(
        index for index, (channel, owner, _) in enumerate(evidence.rows)
        if any(tag.readers == COPIES and (tag.channel, tag.owner) == (channel, owner) for tag in evidence.published))
    channel, owner, copies = evidence.rows[index]
    store = next(iter(evidence.receipts))
    others = evidence.rows[:index] + evidence.rows[index + 1:]
    place = next(tag.place for tag in evidence.published if (tag.channel, tag.owner) == (channel, owner))
    damages = {
        f"{place}: a tag is lost": evidence._replace(rows=others),
        f"{place}: the ledger has a tag 2 times": evidence._replace(rows=evidence.rows + [evidence.rows[index]]),
        f"{place}: [1] copies": evidence._replace(rows=others + [(channel, owner, 1)]),
        "1 tags were never published": evidence._replace(rows=evidence.rows + [(channel, "never published", 1)]),
        "the receipts of the buffers": evidence._replace(
            receipts=evidence.receipts | {store: evidence.receipts[store] - 1}),
        "the copies add up": evidence._replace(total=evidence.total - 1),
        "unexpected senders": evidence._replace(names=evidence.names[1:]),
    }
    for expected, damaged in damages.items():
        reported = [problem for problem in judge(damaged)[0] if problem not in problems]
        demand(
            any(problem.startswith(expected) for problem in reported),
            f"the judge overlooked a deliberate damage: {expected}")
    print(f"  {len(damages)} deliberate damages of this data judged", flush=True)


for seed in range(options.seed, options.seed + options.seeds):
    print(f"seed {seed}: {options.channels} channels", flush=True)
    began = time.monotonic()
    run = None
    try:
        run = Run(seed)
        run.run()
    except SystemExit as error:
        sys.exit(f"{error}; seed {seed}")
    finally:
        kill_all()
        running.clear()
        if run:
            run.disk.isThere and subprocess.run(["umount", "-l", run.disk.path], capture_output=True)
    report_violations(run.work, f"seed {seed}")
    if not run.disk.isThere:
        print(f"  skipped: a full tablespace, because no file system can be mounted ({run.disk.reason})")
    print(f"  clock of one copy {run.step:+d} s; {time.monotonic() - began:.0f} s", flush=True)
    shutil.rmtree(run.work)
print(f"{options.seeds} seeds: every tag is in the ledger once, and the copies add up.")
