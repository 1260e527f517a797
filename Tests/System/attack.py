#!/usr/bin/env python3
"""Attacks dtvr from outside (damaged files, a full disk, gateways, kills, signals) and accounts for every tag.

    Tests/System/attack.py [SECONDS [SEED [ATTACK...]]]      default: 300 seconds, a random seed, all attacks

Attacks: damage, gateway, signals, 'full disk', kills. DTVR=PATH uses an existing build of the tool.

Small disks are mounted in a separate mount namespace. Without permission for that, the attacks that need them are
skipped with a message.
"""

import contextlib
import ctypes
import http.server
import json
import os
import pathlib
import random
import shutil
import signal
import socketserver
import subprocess
import sys
import tempfile
import threading
import time

from programs import Collector, built_tool, command_line, random_seed

options = command_line(__doc__, seconds=300.0, seed=random_seed(), attack=[])
dtvr, seconds, seed = built_tool(), options.seconds, options.seed
chance = random.Random(seed)
# A shell's background processes ignore SIGINT, and the tool would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
work = pathlib.Path(tempfile.mkdtemp(prefix="dtvr-attack-"))
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": str(work), "LANG": "C.UTF-8"}


def call(*arguments, **more):
    return subprocess.run(
        [dtvr, *map(str, arguments)], env=ENVIRONMENT, text=True, timeout=300, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, **more)


def demand(holds, what, *details):
    if not holds:
        for detail in details:
            print(detail, file=sys.stderr)
        sys.exit(f"FAILED (seed {seed}): {what}")


def packed_audio(path, count, start):
    """Writes packed audio with `count` tags at different times, with the owner identifier of a published sample."""
    owner = (
        b"www.nielsen.com/065H2g6E7ZyQ5UdmMAbbpg==/_EMc37zfVgq_8KB7baUYfg==/ADQCAmgV1Xyvnynyg60kZO_Ejkcn2KLSrTzyJpZZ"
        b"-QeRn8GpMGTWI7-HrEKzghxyzCyBEoIDv2kA2g1QJmeYOl5GnwfrLDVK2bNLTbQxr1z9VBfxahBcQP5tqbjhyMzdVqrMKuvvJO1jhtSXa9Aro"
        b"Chb11ZUnG1WVJx2O4M=/33648/22847/00"
    )
    tag = bytes.fromhex("49443304002000000205505249560000017b0000") + owner + b"\0A"
    clock = b"com.apple.streaming.transportStreamTimestamp\0" + (start % (1 << 33)).to_bytes(8, "big")
    frame = b"PRIV" + bytes([0, 0, 0, len(clock)]) + b"\0\0" + clock
    front = b"ID3\4\0\0" + bytes([0, 0, 0, len(frame)]) + frame
    # An ADTS frame of AAC, 48 kHz, stereo, of nine bytes.
    audio = bytes([0xFF, 0xF1, 0x4C, 0x80, 0x01, 0x3F, 0xFC, 0x21, 0x00])
    path.write_bytes(front + (tag + audio) * count)


def status(store):
    result = call("store", "status", "--format", "json", "--store", store)
    demand(result.returncode == 0, "the store has a status", result.stderr)
    return json.loads(result.stdout)


def check_sums(now, what):
    losses = now["losses"]
    gone = sum(losses[key] for key in ("evicted", "expired", "dead", "pruned", "damaged"))
    demand(
        now["accepted"] == now["delivered"] + now["waiting"] + gone,
        f"the sums hold {what}", json.dumps(now))


def exported(store):
    """Returns the exported line of each waiting tag by id, and the exit status."""
    result = call("store", "export", "--store", store)
    return {json.loads(line)["id"]: line for line in result.stdout.splitlines()}, result.returncode


class Disk:
    """A separate small disk, which can be filled with a file."""

    def __init__(self, megabytes):
        self.folder = work / f"disk{chance.randrange(1 << 30)}"
        self.folder.mkdir()
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", self.folder], check=True)

    def fill(self, keep=0):
        try:
            with open(self.folder / "filler", "ab", buffering=0) as filler:
                free = os.statvfs(self.folder)
                filler.write(b"\0" * max(0, free.f_bavail * free.f_frsize - keep))
        except OSError:
            pass

    def empty(self):
        (self.folder / "filler").unlink(missing_ok=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(["umount", "-l", self.folder], check=False)


class Gateway(socketserver.ThreadingMixIn, http.server.HTTPServer):
    """A server that gives every request the same answer."""

    daemon_threads = True

    def __init__(self, code, body=b"", headers=()):
        gateway = self
        self.count = 0

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                gateway.count += 1
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                if code is None:
                    self.wfile.write(body)
                    return
                self.send_response(code)
                for name, value in headers:
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/"


@contextlib.contextmanager
def collecting(folder):
    """Runs `dtvr collect` into a new folder."""
    shutil.rmtree(work / folder, ignore_errors=True)
    collector = Collector(dtvr, work, folder)
    yield collector
    demand(collector.end() == 0, "the collector exits with 0 after SIGTERM")


def has_own_mounts():
    """Moves this process into a separate mount namespace, and returns whether that is permitted."""
    is_new = ctypes.CDLL(None).unshare(0x20000) == 0
    return is_new and subprocess.run(["mount", "--make-rprivate", "/"], check=False).returncode == 0


# The attacks. Each function runs one round, and ends the program if an expectation fails.

def damage(template, tags):
    store = work / "damaged"
    shutil.rmtree(store, ignore_errors=True)
    shutil.copytree(template, store)
    name = chance.choice([page.name for page in store.iterdir() if page.stat().st_size and page.name != "lock"])
    content = bytearray((store / name).read_bytes())
    pages = max(1, len(content) // 4096)
    kind = chance.choice(["flip", "truncate", "zero", "copy", "swap"])
    at, to = chance.randrange(pages) * 4096, chance.randrange(pages) * 4096
    if kind == "flip":
        for _ in range(chance.randint(1, 8)):
            content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    elif kind == "truncate":
        del content[chance.randrange(len(content)):]
    elif kind == "zero":
        length = chance.randint(1, 8192)
        content[at:at + length] = bytes(len(content[at:at + length]))
    elif kind == "copy":
        content[to:to + 4096] = content[at:at + 4096]
    else:
        content[to:to + 4096], content[at:at + 4096] = content[at:at + 4096], content[to:to + 4096]
    (store / name).write_bytes(content)
    what = f"after {kind} in {name}"
    check_sums(status(store), what)
    left, code = exported(store)
    demand(code in (0, 4), f"the store can be exported {what}")
    demand(all(tags.get(id) == line for id, line in left.items()), f"no exported tag is changed {what}")
    fresh = work / "fresh.aac"
    packed_audio(fresh, 5, chance.randrange(1 << 32))
    run = call("run", fresh, "--store", store)
    demand(run.returncode == 0, f"the store accepts tags {what}", run.stdout, run.stderr)
    check_sums(status(store), f"{what} and five more tags")


def full_disk():
    with Disk(chance.choice([3, 4, 6])) as disk:
        store = disk.folder / "store"
        policy = chance.choice(["evict-oldest", "refuse-newest"])
        source = work / "many.aac"
        packed_audio(source, chance.choice([500, 2_000, 4_000]), chance.randrange(1 << 32))
        count = (source.stat().st_size - 82) // 280
        if chance.random() < 0.5:
            call("run", work / "fresh.aac", "--store", store)
            disk.fill(keep=chance.choice([0, 0, 4_096, 65_536]))
        run = call("run", source, "--store", store, "--when-full", policy)
        demand(run.returncode in (0, 4), "a run on a full disk exits with 0 or 4", run.stdout, run.stderr)
        if not (store / "tags.sqlite").exists():
            demand(run.returncode == 4, "a run without a store exits with 4")
            return
        now = status(store)
        check_sums(now, "on a full disk")
        offered = now["accepted"] + now["refused"] + now["losses"]["memory_lost"]
        demand(offered >= count, f"each of {count} tags is accepted, refused or lost", json.dumps(now), run.stdout)
        if now["losses"]["memory_lost"]:
            demand(run.returncode == 4, "a run that loses tags from memory exits with 4", json.dumps(now))
        before = now["waiting"]
        with collecting("collected-full") as collector:
            sent = call("upload", "--store", store, "--collector", collector.url)
        demand(sent.returncode == 0, "a full disk does not stop an upload", sent.stdout, sent.stderr)
        demand(len(list(collector.tags())) == before, "an upload from a full disk delivers all waiting tags")
        disk.empty()
        check_sums(status(store), "after the disk has space again")


def gateway(template, tags):
    store = work / "sent"
    shutil.rmtree(store, ignore_errors=True)
    shutil.copytree(template, store)
    answers = [
        (413, b"<html>too large</html>"), (400, b'{"error":{"code":"blocked","message":"no"}}'),
        (400, b'{"error":{}}'), (422, b"{}"), (403, b""), (404, b"nothing"),
        (302, b"", [("Location", "http://127.0.0.1:1/")]), (200, b"<html>log in</html>"),
        (200, b'{"accepted":1,"duplicate":0,"rejected":[]}'), (204, b""), (503, b""),
        (429, b"", [("Retry-After", "99999999")]), (None, b"SSH-2.0-OpenSSH\r\n"), (None, b"")]
    server = Gateway(*chance.choice(answers))
    sent = call("upload", "--store", store, "--collector", server.url)
    server.shutdown()
    now = status(store)
    check_sums(now, "after a gateway")
    demand(sent.returncode == 5, "an upload that delivers nothing exits with 5", sent.stdout, sent.stderr)
    demand(
        now["waiting"] == len(tags) and now["losses"]["dead"] == 0, "an answer of a gateway removes no tag",
        json.dumps(now))
    demand(server.count < 100, f"a gateway gets fewer than 100 requests, not {server.count}")


def kills():
    """Kills the tool on a disk that fills and empties, then delivers: every loss is counted, no tag is duplicated."""
    with Disk(8) as disk:
        store, count = disk.folder / "store", 0
        with collecting("collected-kills") as collector:
            for _ in range(10):
                source = work / "kill.aac"
                packed_audio(source, chance.choice([100, 400, 1_000]), chance.randrange(1 << 32))
                arguments = ["run", source, "--store", store, "--max-bytes", "5MB"]
                if chance.random() < 0.6:
                    arguments += ["--collector", collector.url]
                process = subprocess.Popen(
                    [dtvr, *map(str, arguments)], env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                time.sleep(chance.uniform(0.01, 0.3))
                disk.fill() if chance.random() < 0.4 else disk.empty()
                if process.poll() is None:
                    count += 1
                    process.kill()
                process.wait()
            disk.empty()
            before = call("run", work / "fresh.aac", "--store", store)
            demand(before.returncode == 0, "the store opens after kills", before.stderr)
            check_sums(status(store), "after kills")
            sent = call("upload", "--store", store, "--collector", collector.url)
            demand(sent.returncode == 0, "all tags are delivered after kills", sent.stdout, sent.stderr)
        ids, now = [tag["id"] for tag in collector.tags()], status(store)
        demand(len(ids) == len(set(ids)), "no tag is delivered twice")
        demand(now["waiting"] == 0 and len(ids) >= now["delivered"], "all delivered tags arrived", json.dumps(now))
        check_sums(now, "after kills and an upload")
    return count


def signals():
    """The first signal ends a waiting command, with 130."""
    pipe = work / "pipe"
    if not pipe.exists():
        os.mkfifo(pipe)
    command = chance.choice([["scan", pipe], ["check", pipe], ["run", pipe, "--store", work / "signalled"], ["tag"]])
    end = None if command[0] == "tag" else os.open(pipe, os.O_RDWR)
    process = subprocess.Popen(
        [dtvr, *map(str, command)], env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    time.sleep(chance.uniform(0, 0.5))
    process.send_signal(chance.choice([signal.SIGINT, signal.SIGTERM]))
    start = time.monotonic()
    try:
        code = process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        code = "a timeout"
    if end is not None:
        os.close(end)
    # A signal that arrives before the process has set up its handlers may terminate it.
    demand(code in (130, -2, -15), f"'{command[0]}' exits with 130 after a signal, not with {code}")
    demand(time.monotonic() - start < 10, f"'{command[0]}' exits soon after a signal")


def main():
    print(f"seed {seed}, {seconds:.0f} s", flush=True)
    template, source = work / "template", work / "template.aac"
    packed_audio(source, 400, 900_000)
    packed_audio(work / "fresh.aac", 5, 5_000_000)
    demand(call("run", source, "--store", template).returncode == 0, "a run into a new store exits with 0")
    tags, _ = exported(template)
    demand(len(tags) == 400, f"400 tags are stored, not {len(tags)}")
    attacks = [
        ("damage", lambda: damage(template, tags)), ("gateway", lambda: gateway(template, tags)), ("signals", signals)]
    if has_own_mounts():
        attacks += [("full disk", full_disk), ("kills", kills)]
    else:
        print("full disk and kills: skipped, not permitted to mount a small disk", flush=True)
    attacks = [attack for attack in attacks if attack[0] in options.attack or not options.attack]
    share = seconds / len(attacks)
    for name, attack in attacks:
        end, rounds, extra = time.monotonic() + share, 0, 0
        while time.monotonic() < end or rounds == 0:
            extra += attack() or 0
            rounds += 1
        print(f"{name:<10} {rounds:6} rounds" + (f", {extra} kills" if extra else ""), flush=True)
    print("Every tag was delivered, is waiting, or was counted as lost.")


try:
    main()
finally:
    shutil.rmtree(work, ignore_errors=True)
