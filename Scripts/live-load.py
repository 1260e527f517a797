#!/usr/bin/env python3
"""Reads live channels as a monitor does, with a separate connection for each, and measures the load on their server.

    live-load.py DTVR CHANNELS KBIT SECONDS

Starts `dtvr synth --live` with CHANNELS channels of KBIT kbit/s and follows them for SECONDS. Prints the segments per
second, the duration of requests, and the server's processor time and memory.
"""

import asyncio
import os
import resource
import signal
import subprocess
import sys
import time

dtvr, channels, kilobits, seconds = sys.argv[1], int(sys.argv[2]), sys.argv[3], float(sys.argv[4])
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
server = subprocess.Popen(
    [dtvr, "synth", "--live", "0", "--channels", str(channels), "--bitrate", kilobits],
    stdout=subprocess.PIPE, text=True)
urls = [server.stdout.readline().strip() for _ in range(channels)]
port = int(urls[0].split("/")[2].split(":")[1])
TARGET = 6.0


def processor_time():
    fields = open(f"/proc/{server.pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def status(name):
    return next(line.split()[1] for line in open(f"/proc/{server.pid}/status") if line.startswith(name))


class Channel:
    """One channel, followed over a persistent connection."""
    sizes, times, playlists, bad = [], [], 0, 0

    def __init__(self, url):
        self.folder = url[url.index("/", 8):].rsplit("/", 1)[0]
        self.seen = set()

    async def get(self, name):
        begin = time.monotonic()
        self.writer.write(f"GET {self.folder}/{name} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        head = await self.reader.readuntil(b"\r\n\r\n")
        length = next(int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
        body = await self.reader.readexactly(length)
        Channel.times.append(time.monotonic() - begin)
        if not head.startswith(b"HTTP/1.1 200"):
            Channel.bad += 1
        return body

    async def follow(self, end, delay):
        await asyncio.sleep(delay)
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
        while time.monotonic() < end:
            begin = time.monotonic()
            text = (await self.get("index.m3u8")).decode()
            Channel.playlists += 1
            names = [line for line in text.split("\n") if line and not line.startswith("#")]
            for name in names if self.seen else names[-1:]:
                if name not in self.seen:
                    Channel.sizes.append(len(await self.get(name)))
            self.seen = set(names)
            await asyncio.sleep(max(0, TARGET - (time.monotonic() - begin)))
        self.writer.close()


async def run():
    begin, cpu = time.monotonic(), processor_time()
    followers = [
        asyncio.create_task(Channel(url).follow(begin + seconds, TARGET * index / channels))
        for index, url in enumerate(urls)]
    await asyncio.sleep(seconds * 0.8)
    threads, memory = status("Threads"), status("VmRSS")
    await asyncio.gather(*followers)
    elapsed, cpu = time.monotonic() - begin, processor_time() - cpu
    count, times = len(Channel.sizes), sorted(Channel.times)
    print(
        f"{channels} channels, {sum(Channel.sizes) / count / 1000:.0f} kB per segment: {count / elapsed:.0f} segments/s and "
        f"{Channel.playlists / elapsed:.0f} playlists/s, {Channel.bad} refused\n"
        f"requests: median {times[len(times) // 2] * 1000:.1f} ms, 99th percentile {times[len(times) * 99 // 100] * 1000:.1f} ms\n"
        f"server: {cpu / elapsed * 100:.1f} % of a core, {cpu / count * 1000:.2f} ms per segment and its playlists, "
        f"{int(memory) / 1000:.0f} MB, {threads} threads")


try:
    asyncio.run(run())
finally:
    server.send_signal(signal.SIGTERM)
    sys.exit(server.wait())
