#!/usr/bin/env python3
"""Finds how many live channels a monitor follows if it must read every segment within the segment's duration. The
generator runs on the same machine.

    live-benchmark.py DTVR [CHANNELS...]        default: 1000 2000 4000

Uses segments of 100 kB and of 500 kB, over plain HTTP and over TLS, which nginx terminates in front of the generator.
For each combination, it raises the number of channels until the monitor falls behind. After a minute for the start, in
which the monitor reads the whole window of each channel, it measures for a minute.
"""

import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from programs import Generator, Monitor, get, start

dtvr, ladder = sys.argv[1], list(map(int, sys.argv[2:])) or [1000, 2000, 4000]
SETTLING, MEASURED = 60, 60
# Segments last 6.4 s. This is the largest bucket limit of the metric below that.
IN_TIME = 5.0


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def processor_time(process):
    """Returns the processor time of a process and its children in seconds."""
    pids = [process.pid, *map(int, pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split())]
    ticks = 0
    for pid in pids:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


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
    {" ".join(f"{kind}_temp_path {work}/nginx-{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))}
    upstream generator {{ server {origin}; keepalive 512; }}
    server {{
        listen 127.0.0.1:{port} ssl;
        ssl_certificate {work}/cert.pem; ssl_certificate_key {work}/key.pem; ssl_session_cache shared:tls:10m;
        location / {{ proxy_pass http://generator; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffers 16 64k; }}
    }}
}}
""")
    return start("nginx", "-c", work / "nginx.conf", "-e", work / "nginx.log", work=work)


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


def measure(channels, kilobits, has_tls):
    """Follows the channels, prints a row of results, and returns whether all segments were read in time."""
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
    time.sleep(SETTLING)
    processes = [monitor.process, generator.process] + ([nginx] if has_tls else [])
    before, cpu, begin = Sample(port), [processor_time(process) for process in processes], time.monotonic()
    time.sleep(MEASURED)
    after, elapsed = Sample(port), time.monotonic() - begin
    cpu = [processor_time(process) - earlier for process, earlier in zip(processes, cpu)]
    memory, files = monitor.resources()
    grown = lambda pattern: sum(after.all(pattern)) - sum(before.all(pattern))
    segments = grown(r'dtvr_fetch_seconds_count{kind="segment"}')
    requests = segments + grown(r'dtvr_fetch_seconds_count{kind="playlist"}')
    in_time = grown(rf'dtvr_fetch_seconds_bucket{{kind="segment",le="{IN_TIME:g}(\.0)?"}}')
    failed = grown(r'dtvr_segments_total{.*outcome="(failed|skipped)"}')
    behind = max(after.all("dtvr_behind_live_seconds"))
    early, late = sum(before.all("dtvr_findings_total")), grown("dtvr_findings_total")
    monitor.end()
    for process in processes[1:]:
        process.send_signal(signal.SIGTERM)
        process.wait(30)
    expected = channels * elapsed / 6.4
    holds = in_time == segments > expected * 0.95 and failed == 0 and late == 0 and behind < 13
    row = [
        channels, kilobits * 8 // 10, "TLS" if has_tls else "plain", f"{cpu[0] / elapsed * 100:.0f} %",
        f"{cpu[0] / elapsed / channels * 1e6:.0f} µs", f"{sum(cpu[1:]) / elapsed * 100:.0f} %", f"{requests / elapsed:.0f}",
        f"{memory / 1000:.0f} MB", f"{segments - in_time:.0f}", f"{behind:.0f} s", f"{early:.0f}, {late:.0f}", f"{load:.1f}", "yes" if holds else "no"]
    print("| " + " | ".join(map(str, row)) + " |", flush=True)
    shutil.rmtree(work)
    return holds


print("| channels | kB | | monitor, of a core | per channel and second | generator and nginx | requests/s | memory "
      "| late segments | behind | findings at the start, later | load before | in time |")
print("| --: | --: | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --- |", flush=True)
for kilobits in (125, 625):
    for has_tls in (False, True):
        for channels in ladder:
            if not measure(channels, kilobits, has_tls):
                break
