#!/usr/bin/env python3
"""Measures the rows per second of a collector with a ledger, beside psql with \\copy of the same batches.

    Scripts/ledger-benchmark.py [BATCHES]      default: 400 batches of 500 tags; DTVR=PATH uses an existing build

Four senders send the batches to one collector, each with gzip and over one connection. Then one psql copies the same
rows into the same empty table, with a transaction for each batch. PostgreSQL has its default settings, in a folder of
TMPDIR. Prints the rows per second of both, the time of a batch, and the bytes per row on disk. The exit status is 1 if
the collector has less than a third of the speed of psql, or a batch in a hundred takes 5.5 times as long as with
psql: four senders share the database.

Both are measured in a database that has run for a while. A new one creates the files of its log of 16 MB each while the
batches wait; later it reuses them. The four senders therefore send all batches once before, and these rows are deleted.
Prints the time of a batch in the new database, too, and that of batches with the same tags from four other senders,
such as the second copy of each monitor.
"""

import gzip
import http.client
import json
import pathlib
import shutil
import sys
import tempfile
import threading
import time
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Tests/System"))
from fleet import Database
from programs import Collector, built_tool, command_line, demand, report_violations, root, set_up, start

batches = command_line(__doc__, batches=400).batches
set_up("fleet")
dtvr = built_tool()
work = pathlib.Path(tempfile.mkdtemp(prefix="dtvr-ledger-benchmark-"))
work.chmod(0o755)
SENDERS, TAGS = 4, 500


def call(*operands):
    process = start(dtvr, *operands, work=work, errors=None)
    output = process.communicate()[0]
    if process.returncode:
        sys.exit(f"FAILED: dtvr {operands[0]} exited with {process.returncode}")
    return output


def make_bodies():
    """Returns the bodies of the batches of both copies of a fleet: the tags of media/demo as tags of many channels, at
    the times of a day."""
    call("run", root / "media/demo/index.m3u8", "--store", work / "store")
    call("store", "export", "--store", work / "store", "--output", work / "export")
    lines = (json.loads(line) for line in (work / "export").read_text().splitlines())
    examples = [line for line in lines if line.get("kind") == "data"]
    today = int(time.time()) // 86_400 * 86_400
    copies = [], []
    for batch in range(batches):
        rows = []
        for number in range(batch * TAGS, batch * TAGS + TAGS):
            tag = dict(examples[number % len(examples)])
            first = today + number * 10 // 2_000 % 86_400
            tag.update(id=uuid.uuid4().hex, channel=f"channel-{number % 2_000}", first=first, last=first + 9)
            tag["order"] = number
            rows.append(tag)
        for copy, bodies in enumerate(copies):
            header = {
                "store": f"{copy * SENDERS + batch % SENDERS:032x}", "batch": f"{copy * batches + batch:032x}",
                "version": "benchmark", "first_seq": batch * TAGS, "last_seq": batch * TAGS + TAGS - 1, "losses": {}}
            text = "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in [header, *rows])
            bodies.append(gzip.compress(text.encode(), 1))
    return copies


def send(port, bodies, times, outcome):
    """Sends batches one after the other, and records the seconds of each. Every tag must have the outcome."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    fields = {"Content-Type": "application/x-ndjson", "Content-Encoding": "gzip"}
    for body in bodies:
        began = time.monotonic()
        connection.request("POST", "/", body, fields)
        answer = connection.getresponse()
        receipt = json.loads(answer.read())
        times.append(time.monotonic() - began)
        demand(answer.status == 200 and receipt[outcome] == TAGS, f"unexpected answer {answer.status}: {receipt}")


def show(name, seconds, times):
    times = sorted(times)
    rate = batches * TAGS / seconds
    parts = f"median {times[len(times) // 2] * 1e3:.1f} ms, p99 {times[len(times) * 99 // 100] * 1e3:.1f} ms"
    print(f"{name:28} {rate:8.0f} rows/s; a batch of {TAGS}: {parts}", flush=True)
    return rate, times[len(times) * 99 // 100]


def send_all(name, bodies, outcome="accepted"):
    """Sends all batches with four senders at the same time, and prints the speed."""
    times = [[] for _ in range(SENDERS)]
    threads = [
        threading.Thread(target=send, args=(collector.port, bodies[sender::SENDERS], times[sender], outcome))
        for sender in range(SENDERS)]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return show(name, time.monotonic() - began, sum(times, []))


def empty_tables():
    """Deletes the rows. The checkpoint makes the files of the log available again."""
    database.sql("TRUNCATE dtvr.tags, dtvr.receipts")
    database.sql("CHECKPOINT")


bodies, second_bodies = make_bodies()
database = Database(work)
call("ledger", "init", "--ledger", database.uri())
collector = Collector(dtvr, work, storage=["--ledger", database.uri()])
send_all("dtvr collect, new database", bodies)
empty_tables()
rate, p99 = send_all("dtvr collect, four senders", bodies)
count = int(database.sql("SELECT count(*) FROM dtvr.tags")[0][0])
demand(count == batches * TAGS, f"the ledger has {count} tags of {batches * TAGS}")
for table in ("tags", "receipts"):
    size = sum(int(row[0]) for row in database.sql(
        f"SELECT pg_total_relation_size(inhrelid) FROM pg_inherits WHERE inhparent = 'dtvr.{table}'::regclass"))
    print(f"dtvr.{table:23} {size / count:8.0f} bytes per row with indexes")
send_all("dtvr collect, second copy", second_bodies, outcome="duplicate")
collector.end()

# The same rows, in the order of the batches.
columns = ", ".join(f'"{name}"' for name, in database.sql(
    "SELECT attname FROM pg_attribute WHERE attrelid = 'dtvr.tags'::regclass AND attnum > 0 AND NOT attisdropped"))
rows = "".join(
    "\t".join(row) + "\n"
    for row in database.sql(f"COPY (SELECT {columns} FROM dtvr.tags ORDER BY record_order) TO STDOUT")).splitlines(True)
script = ["\\timing on"]
for batch in range(batches):
    file = work / f"rows-{batch}"
    file.write_text("".join(rows[batch * TAGS:(batch + 1) * TAGS]))
    file.chmod(0o644)
    script.append(f"\\copy dtvr.tags ({columns}) FROM '{file}'")
(work / "copy.sql").write_text("\n".join(script) + "\n")
(work / "copy.sql").chmod(0o644)
empty_tables()
began = time.monotonic()
told = database.run_script(work / "copy.sql")
seconds = time.monotonic() - began
copied = [float(line.split()[1]) / 1e3 for line in told.splitlines() if line.startswith("Time:")]
demand(len(copied) == batches, f"psql copied {len(copied)} batches of {batches}")
peer, peer_p99 = show("psql, \\copy", seconds, copied)
print(f"{'dtvr collect / psql':28} {rate / peer:8.2f}; p99 {p99 / peer_p99:.1f}")
demand(rate >= peer / 3, f"the collector has {rate / peer:.2f} of the speed of psql, less than a third")
demand(p99 < peer_p99 * 5.5, f"a batch in a hundred takes {p99 / peer_p99:.1f} times as long as with psql")
report_violations(work)
shutil.rmtree(work)
