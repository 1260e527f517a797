#!/usr/bin/env python3
"""Measures a monitor with many live channels, and the generator of these channels, on one machine.

    Scripts/live-benchmark.py channels [CHANNELS...]      default: 1000 2000 4000
    Scripts/live-benchmark.py growth [CHANNELS [FACTOR]]  default: 10000 channels, 1.25
    Scripts/live-benchmark.py memory [CHANNELS [SETTLING [MINUTES [GROWTH]]]]    default: 1000 channels, 65 and 30
                                                          minutes, 0.01
    Scripts/live-benchmark.py shards [CHANNELS]           default: 1000 channels
    Scripts/live-benchmark.py load CHANNELS KBIT SECONDS

DTVR=PATH uses an existing build of the tool.

channels: Finds how many live channels a monitor follows if it must read every segment within the segment's duration.
Uses segments of 100 kB and of 500 kB, over plain HTTP and over TLS, which nginx terminates in front of the generator.
For each combination, it raises the number of channels until the monitor falls behind. After a minute for the start, in
which the monitor reads the whole window of each channel, it measures for a minute. Takes half an hour on an idle
machine.

growth: Follows a tenth of the channels, and then all of them, with segments of 100 kB over plain HTTP. It measures for
a minute, after two and a half minutes for the start, in which a monitor starts about a hundred channels a second. The
exit status is 1 if a channel of the larger number takes more than FACTOR times the processor time, if a segment was
late, if a channel was not healthy at the end, or if the monitor did not exit with status 0 within 5 s of SIGTERM. Takes
eight minutes. The generator and the monitor need about 12,000 open files each.

memory: Checks that the memory of a monitor does not grow. The generator serves the channels with segments of 100 kB,
and a collector receives the tags. The monitor keeps up to an hour of data for each channel. This data accumulates
during the SETTLING minutes; then memory is measured for MINUTES. Prints a row every five minutes. The exit status is 1
if memory grew by more than GROWTH from the first half of the measured time to the second, or exceeded 300 MB.

shards: Follows the channels, with segments of 100 kB, by one process, by two and by four, each with a shard. After a
minute for the start, it measures for a minute. The exit status is 1 if a channel has no process, or several, or if a
segment was late.

load: Reads live channels as a monitor does, with a separate connection for each, and measures the load on their server,
`dtvr synth --live` with CHANNELS channels of KBIT kbit/s. Follows them for SECONDS, and prints the segments per second,
the duration of requests, and the server's processor time and memory.
"""

import asyncio
import collections
import os
import pathlib
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "Tests/System"))
from measurements import Interval, processor_time
from programs import (
    Collector, Generator, Monitor, built_tool, command_line, free_port, nginx_folders, set_up, start)

options = command_line(__doc__, {
    "channels": {"channels": [1000, 2000, 4000]},
    "growth": {"channels": 10000, "factor": 1.25},
    "memory": {"channels": 1000, "settling": 65, "minutes": 30, "growth": 0.01},
    "shards": {"channels": 1000},
    "load": {"channels": int, "kbit": int, "seconds": float}})
if options.command != "load":
    set_up("operation")
dtvr = built_tool()


# ---- channels ----

SETTLING, MEASURED = 60, 60
# The settling time of thousands of channels, which start one after the other.
LONG_SETTLING = 150


def start_tls(work, origin, port):
    """Starts nginx with a self-signed certificate in front of the generator."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext",
         "subjectAltName=IP:127.0.0.1", "-keyout", work / "key.pem", "-out", work / "cert.pem"],
        check=True, stderr=subprocess.DEVNULL)
    (work / "nginx.conf").write_text(f"""
daemon off; worker_processes 2; pid {work}/nginx.pid; error_log {work}/nginx.log;
events {{ worker_connections 16384; }}
http {{
    access_log off; keepalive_requests 1000000;
    {nginx_folders(work)}
    upstream generator {{ server {origin}; keepalive 512; }}
    server {{
        listen 127.0.0.1:{port} ssl;
        ssl_certificate {work}/cert.pem; ssl_certificate_key {work}/key.pem; ssl_session_cache shared:tls:10m;
        location / {{
            proxy_pass http://generator; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffers 16 64k;
        }}
    }}
}}
""")
    return start("nginx", "-c", work / "nginx.conf", "-e", work / "nginx.log", work=work)


def measure(channels, kilobits, has_tls, settling=SETTLING):
    """Follows the channels, and prints a row of results. Returns whether all segments were read in time, the
    microseconds of processor time that a channel takes each second, the number of healthy channels, and the exit status
    of the monitor with the seconds that its end took."""
    work = pathlib.Path(tempfile.mkdtemp(prefix="dtvr-live-"))
    work.chmod(0o755)
    load = os.getloadavg()[0]
    generator = Generator(dtvr, work, channels, [], "--bitrate", kilobits)
    urls, more = generator.urls, []
    if has_tls:
        origin, port = urls[0].split("/")[2], free_port()
        nginx = start_tls(work, origin, port)
        urls = [url.replace(f"http://{origin}", f"https://127.0.0.1:{port}") for url in urls]
        more = ["--cacert", work / "cert.pem"]
    port = free_port()
    monitor = Monitor(dtvr, work, urls, "--listen", f"127.0.0.1:{port}", *more)
    time.sleep(settling)
    others = [generator.process] + ([nginx] if has_tls else [])
    interval, cpu = Interval(monitor, port), [processor_time(process) for process in others]
    time.sleep(MEASURED)
    interval.end()
    cpu = [processor_time(process) - earlier for process, earlier in zip(others, cpu)]
    elapsed, segments = interval.elapsed, interval.segments
    requests = segments + interval.grown(r'dtvr_fetch_seconds_count{kind="playlist"}')
    behind = max(interval.after.all("dtvr_behind_live_seconds"))
    early, late = sum(interval.before.all("dtvr_findings_total")), interval.grown("dtvr_findings_total")
    healthy = sum(interval.after.all(r'dtvr_channel_state{.*state="healthy"'))
    code, seconds = monitor.end()
    for process in others:
        process.send_signal(signal.SIGTERM)
        process.wait(30)
    expected = channels * elapsed / 6.4
    holds = interval.is_in_time and segments > expected * 0.95 and late == 0 and behind < 13
    cost = interval.cpu / elapsed / channels * 1e6
    row = [
        channels, kilobits * 8 // 10, "TLS" if has_tls else "plain", f"{interval.cpu / elapsed * 100:.0f} %",
        f"{cost:.0f} µs", f"{sum(cpu) / elapsed * 100:.0f} %",
        f"{requests / elapsed:.0f}", f"{interval.memory:.0f} MB", f"{interval.late:.0f}", f"{behind:.0f} s",
        f"{early:.0f}, {late:.0f}", f"{healthy:.0f}", f"{code} in {seconds:.1f} s", f"{load:.1f}",
        "yes" if holds else "no"]
    print("| " + " | ".join(map(str, row)) + " |", flush=True)
    shutil.rmtree(work)
    return holds, cost, healthy, code, seconds


def print_head():
    print("| channels | kB | | monitor, of a core | per channel and second | generator and nginx | requests/s | memory "
          "| late segments | behind | findings at the start, later | healthy | exit | load before | in time |")
    print("| --: | --: | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --- | --: | --- |", flush=True)


def measure_channels(ladder):
    print_head()
    for kilobits in (125, 625):
        for has_tls in (False, True):
            for channels in ladder:
                if not measure(channels, kilobits, has_tls)[0]:
                    break


def measure_growth(channels, factor):
    print_head()
    few, many = (measure(count, 125, False, LONG_SETTLING) for count in (channels // 10, channels))
    holds, cost, healthy, code, seconds = many
    violations = []
    if not holds:
        violations.append("segments were late")
    if cost > few[1] * factor:
        violations.append(f"a channel takes {cost / few[1]:.2f} times as much among many")
    if healthy < channels:
        violations.append(f"{channels - healthy:.0f} channels are not healthy")
    if code or seconds > 5:
        violations.append(f"exit status {code} after {seconds:.1f} s")
    if violations:
        sys.exit(f"FAILED: {'; '.join(violations)}")


# ---- shards ----


def measure_shards(channels):
    work = pathlib.Path(tempfile.mkdtemp(prefix="dtvr-shards-"))
    generator = Generator(dtvr, work, channels, [], "--bitrate", 125)
    print("| shards | channels of a shard | monitors, of a core | per channel and second | memory, all | segments/s "
          "| late segments |")
    print("| --: | --- | --: | --: | --: | --: | --: |", flush=True)
    violations = []
    for count in (1, 2, 4):
        monitors = []
        for shard in range(count):
            folder, port = work / f"{shard}-of-{count}", free_port()
            folder.mkdir()
            operands = ["--shard", f"{shard}/{count}", "--listen", f"127.0.0.1:{port}"]
            monitors.append((Monitor(dtvr, folder, generator.urls, *operands), port))
        time.sleep(SETTLING)
        intervals = [Interval(*each) for each in monitors]
        time.sleep(MEASURED)
        for interval in intervals:
            interval.end()
        for monitor, _ in monitors:
            monitor.end()
        sizes = sorted(len(interval.after.all("dtvr_behind_live_seconds")) for interval in intervals)
        load = sum(interval.cpu / interval.elapsed for interval in intervals)
        total = lambda name: sum(getattr(interval, name) for interval in intervals)
        row = [
            count, f"{sizes[0]} to {sizes[-1]}", f"{load * 100:.0f} %", f"{load / channels * 1e6:.0f} µs",
            f"{total('memory'):.0f} MB", f"{total('segments') / intervals[0].elapsed:.0f}", f"{total('late'):.0f}"]
        print("| " + " | ".join(map(str, row)) + " |", flush=True)
        if sum(sizes) != channels:
            violations.append(f"{count} shards: {sum(sizes)} channels of {channels}")
        if not all(interval.is_in_time for interval in intervals):
            violations.append(f"{count} shards: segments were late, failed or skipped")
    generator.process.terminate()
    if violations:
        sys.exit(f"FAILED: {'; '.join(violations)}; see {work}")
    shutil.rmtree(work)


# ---- memory ----

LIMIT_MB = 300


def measure_memory(channels, settling, minutes, growth):
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
            print(
                f"| {minute} | {memory / 1000:.1f} MB | {files} | {monitor.tag_count} | {len(monitor.findings)} |",
                flush=True)
    code, _ = monitor.end()
    generator.process.terminate()
    collector.end()
    halves = samples[:len(samples) // 2], samples[len(samples) // 2:]
    first, second = (statistics.median(memory for memory, _ in half) / 1000 for half in halves)
    most = max(memory for memory, _ in samples) / 1000
    print(
        f"\n{channels} channels, minutes {settling} to {settling + minutes}: {first:.1f} MB, then {second:.1f} MB; "
        f"at most {most:.1f} MB")
    late = len(monitor.findings) - early
    if monitor.findings:
        print(
            "findings: "
            + ", ".join(
                f"{check} {count}"
                for check, count in collections.Counter(each["check"] for each in monitor.findings).items()
            )
        )
    if code or second > first * (1 + growth) or most > LIMIT_MB or late:
        sys.exit(f"FAILED: exit status {code}, {late} findings during the measurement; see {work}")
    shutil.rmtree(work)


# ---- load ----

# The seconds from one load of a playlist to the next.
TARGET = 6.0


class Channel:
    """One channel, followed over a persistent connection."""
    sizes, times, playlists, bad = [], [], 0, 0

    def __init__(self, url):
        self.address, folder = url.split("/", 3)[2:]
        self.folder = "/" + folder.rsplit("/", 1)[0]
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
        self.reader, self.writer = await asyncio.open_connection(*self.address.split(":"), limit=1 << 20)
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


def status(process, name):
    return next(line.split()[1] for line in open(f"/proc/{process.pid}/status") if line.startswith(name))


async def measure_load(generator, channels, seconds):
    server = generator.process
    begin, cpu = time.monotonic(), processor_time(server)
    followers = [
        asyncio.create_task(Channel(url).follow(begin + seconds, TARGET * index / channels))
        for index, url in enumerate(generator.urls)]
    await asyncio.sleep(seconds * 0.8)
    threads, memory = status(server, "Threads"), status(server, "VmRSS")
    await asyncio.gather(*followers)
    elapsed, cpu = time.monotonic() - begin, processor_time(server) - cpu
    count, times = len(Channel.sizes), sorted(Channel.times)
    print(
        f"{channels} channels, {sum(Channel.sizes) / count / 1000:.0f} kB per segment: "
        f"{count / elapsed:.0f} segments/s and "
        f"{Channel.playlists / elapsed:.0f} playlists/s, {Channel.bad} refused\n"
        f"requests: median {times[len(times) // 2] * 1000:.1f} ms, "
        f"99th percentile {times[len(times) * 99 // 100] * 1000:.1f} ms\n"
        f"server: {cpu / elapsed * 100:.1f} % of a core, {cpu / count * 1000:.2f} ms per segment and its playlists, "
        f"{int(memory) / 1000:.0f} MB, {threads} threads"
    )


if options.command == "channels":
    measure_channels(options.channels)
elif options.command == "growth":
    measure_growth(options.channels, options.factor)
elif options.command == "shards":
    measure_shards(options.channels)
elif options.command == "memory":
    measure_memory(options.channels, options.settling, options.minutes, options.growth)
else:
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    with tempfile.TemporaryDirectory() as work:
        generator = Generator(dtvr, pathlib.Path(work), options.channels, [], "--bitrate", options.kbit)
        asyncio.run(measure_load(generator, options.channels, options.seconds))
        generator.process.send_signal(signal.SIGTERM)
        sys.exit(generator.process.wait())
