"""The faults around a fleet: a proxy that cuts connections, a disk that is full, and a sender of rubbish."""

import asyncio
import collections
import gzip
import http.client
import json
import random
import re
import socket
import subprocess
import threading
import time

from programs import demand, free_port


class CuttingProxy:
    """Forwards connections to nginx, and counts the answers by status and code. While it cuts, it resets a connection
    instead of forwarding a receipt, which a collector sends after the commit."""

    def __init__(self, target):
        self.target, self.isCutting = target, False
        self.answers = collections.Counter()
        self.port = free_port()
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        listen = asyncio.start_server(self.connect, "127.0.0.1", self.port)
        asyncio.run_coroutine_threadsafe(listen, self.loop).result(10)

    async def connect(self, reader, writer):
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self.target)
            await asyncio.gather(self.forward(reader, back), self.answer(there, writer))
        except OSError:
            pass
        finally:
            writer.close()

    async def forward(self, reader, writer):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        writer.close()

    async def answer(self, reader, writer):
        while data := await reader.read(65536):
            if status := re.match(rb"HTTP/1\.1 (\d+)", data):
                code = re.search(rb'"code":"(\w+)"', data)
                isCut = self.isCutting and status[1] == b"200"
                self.answers["cut" if isCut else (code or status)[1].decode()] += 1
                if isCut:
                    writer.transport.abort()
                    return
            writer.write(data)
            await writer.drain()
        writer.close()


class SmallDisk:
    """A small file system in memory for PostgreSQL; `isThere` is false if it cannot be mounted."""

    def __init__(self, database):
        self.path = database.folder / "small"
        self.path.mkdir()
        owner = self.path.parent.stat()
        facts = f"size=64m,mode=700,uid={owner.st_uid},gid={owner.st_gid}"
        mount = subprocess.run(["mount", "-t", "tmpfs", "-o", facts, "dtvr", self.path], capture_output=True, text=True)
        self.isThere, self.reason = mount.returncode == 0, mount.stderr.strip()
        if self.isThere:
            database.sql(f"CREATE TABLESPACE small LOCATION '{self.path}'")
            # The channels are live: around midnight, their tags may have either date.
            for day in (0, 1):
                name = time.strftime("tags_%Y%m%d", time.gmtime(time.time() + day * 86_400))
                database.sql(f"ALTER TABLE dtvr.{name} SET TABLESPACE small")

    def fill(self):
        with open(self.path / "filler", "wb", buffering=0) as file:
            try:
                while file.write(bytes(4096)) == 4096:
                    pass
            except OSError:
                pass

    def release(self):
        (self.path / "filler").unlink()

    def unmount(self):
        if self.isThere:
            subprocess.run(["umount", "-l", self.path], check=True)


class RubbishSender:
    """A sender whose batches are damaged, too large, refused by the database, or never complete. It goes on until it is
    stopped, and demands that no record of it is accepted."""

    TOKEN = "token-rubbish"

    def __init__(self, fleet, seed):
        self.fleet, self.chance = fleet, random.Random(seed)
        self.answers = collections.Counter()
        self.isStopped = threading.Event()
        self.threads = [threading.Thread(target=self.run, daemon=True) for _ in range(4)]
        self.open = []
        with open(fleet.work / "tokens", "a") as tokens:
            tokens.write(f"{self.TOKEN} rubbish\n")
        for collector in fleet.collectors:
            collector.reload()
        fleet.database.sql("ALTER TABLE dtvr.tags ADD CHECK (channel IS DISTINCT FROM 'rubbish')")

    def start(self):
        for thread in self.threads:
            thread.start()

    def stop(self):
        self.isStopped.set()
        for thread in self.threads:
            thread.join(90)
        demand(not any(thread.is_alive() for thread in self.threads), "a sender of rubbish waits for an answer")
        demand(self.answers["200"] and self.answers["400"] and self.answers["413"], f"answers: {dict(self.answers)}")

    def lines(self, count, end='"}'):
        """A header and records that the database refuses, unless their end spoils them before."""
        lines = ['{"store":"%032x","batch":"%032x","version":"0","first_seq":1,"last_seq":2,"losses":{}}' % (
            self.chance.randrange(1 << 128), self.chance.randrange(1 << 128))]
        for _ in range(count):
            lines.append(
                f'{{"id":"{self.chance.randrange(1 << 128):032x}","received":"2026-11-20T12:00:01Z",'
                f'"channel":"rubbish","kind":"data","owner":"www.nielsen.com/{end}')
        return ("\n".join(lines) + "\n").encode()

    def batch(self):
        """Returns a body, and its encoding or none."""
        count = self.chance.choice([1, 50, 100, 101, 2_000])
        return self.chance.choice([
            lambda: (self.lines(count), None),
            lambda: (gzip.compress(self.lines(count), 1), "gzip"),
            lambda: (gzip.compress(self.lines(count))[:-9], "gzip"),
            lambda: (self.lines(count), "gzip"),
            lambda: (self.lines(count), "zstd"),
            lambda: (self.lines(count)[:-5], None),
            lambda: (self.lines(count, r'\u0000"}'), None),
            lambda: (self.lines(count, '","sequence":1e131071}'), None),
            lambda: (self.chance.randbytes(10_000), None),
            lambda: (b"\n" * count, None),
            lambda: (gzip.compress(bytes(40 << 20), 1), "gzip"),
            lambda: (b"x" * (5 << 20), None),
            lambda: (gzip.compress(self.lines(20_001), 1), "gzip"),
        ])()

    def run(self):
        while not self.isStopped.wait(self.chance.uniform(0, 0.2)):
            try:
                self.chance.choice([self.send, self.send, self.send, self.leave_open])()
            except (OSError, http.client.HTTPException) as error:
                # The collector may be killed, and closes a connection whose body it does not want.
                self.answers[type(error).__name__] += 1

    def port(self):
        """A collector's, or that of nginx before it."""
        return self.chance.choice([self.fleet.port, *(each.port for each in self.fleet.collectors)])

    def send(self):
        body, encoding = self.batch()
        headers = {"Authorization": f"Bearer {self.TOKEN}", "Content-Type": "application/x-ndjson"}
        if encoding:
            headers["Content-Encoding"] = encoding
        connection = http.client.HTTPConnection("127.0.0.1", self.port(), timeout=60)
        try:
            connection.request("POST", "/", body, headers)
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        self.answers[str(answer.status)] += 1
        if answer.status == 200:
            receipt = json.loads(content)
            demand(receipt.get("accepted") == 0, f"rubbish was accepted: {content[:200]}")
        demand(answer.status != 500, f"rubbish was answered with 500: {content[:200]}")

    def leave_open(self):
        """Sends a part of a request, and keeps the connection."""
        opened = socket.create_connection(("127.0.0.1", self.port()), 10)
        head = f"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {self.TOKEN}\r\nContent-Length: 4000000"
        opened.sendall((head + self.chance.choice(["", "\r\n\r\n", "\r\n\r\n{"])).encode())
        self.open.append(opened)
        if len(self.open) > 200:
            self.open.pop(0).close()
