#!/usr/bin/env python3
"""Monitors channels through third-party programs: FFmpeg's HLS muxer, nginx, Varnish, and a bad network.

    Tests/System/live-servers-test.py [SECONDS]        default: 180; DTVR=PATH uses an existing build of the tool

The channels of `dtvr synth --live` are served through nginx as a proxy, Varnish in front of it, and a TCP proxy with
delays, slow transfers, stalls and resets: every tag must be found, without false findings. FFmpeg repackages such a
channel as transport streams and as fragmented MP4, which nginx serves from files: the damage that FFmpeg does to the
tags must be found.
"""

import asyncio
import collections
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from programs import (
    Collector, Generator, Monitor, built_tool, command_line, demand, free_port, get, nginx_folders, report_violations,
    set_up, start, wait_for)

seconds = command_line(__doc__, seconds=180.0).seconds
set_up("operation")
dtvr = built_tool()
work = pathlib.Path(tempfile.mkdtemp(prefix="dtvr-live-servers-"))
# The workers of nginx run as another user.
work.chmod(0o755)


def make_certificate():
    """Creates a certificate for the loopback address, and its key."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=dtvr test", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", work / "key.pem",
         "-out", work / "certificate.pem"], check=True, capture_output=True)


def start_nginx(port, secure_port, origin):
    """Starts nginx, which serves FFmpeg's files, and caches the generator's channels as a proxy, also over HTTP/2."""
    channels = """
        location / {
            proxy_pass %s; proxy_http_version 1.1; proxy_set_header Connection "";
            proxy_cache live; proxy_cache_valid 200 1s; proxy_cache_lock on;
        }""" % origin
    (work / "nginx.conf").write_text(f"""
daemon off; worker_processes 1; pid {work}/nginx.pid; error_log {work}/nginx.log;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    log_format versions "$server_protocol $uri";
    types {{ application/vnd.apple.mpegurl m3u8; video/mp2t ts; video/mp4 mp4 m4s; }}
    {nginx_folders(work)}
    proxy_cache_path {work}/nginx-cache keys_zone=live:1m;
    server {{
        listen 127.0.0.1:{port};
        gzip on; gzip_types application/vnd.apple.mpegurl; gzip_min_length 100;
        location /files/ {{ alias {work}/files/; add_header Cache-Control "max-age=1"; }}
        {channels}
    }}
    server {{
        listen 127.0.0.1:{secure_port} ssl http2;
        ssl_certificate {work}/certificate.pem; ssl_certificate_key {work}/key.pem;
        access_log {work}/versions.log versions;
        {channels}
    }}
}}
""")
    start("nginx", "-c", work / "nginx.conf", "-e", work / "nginx.log", work=work)


def start_varnish(port, nginx_port):
    (work / "live.vcl").write_text(f"""
vcl 4.1;
backend nginx {{ .host = "127.0.0.1"; .port = "{nginx_port}"; }}
sub vcl_backend_response {{
    if (bereq.url ~ "\\.m3u8$") {{ set beresp.ttl = 1s; set beresp.grace = 0s; }} else {{ set beresp.ttl = 60s; }}
}}
""")
    start(
        "varnishd", "-F", "-j", "none", "-n", work / "varnish", "-a", f"127.0.0.1:{port}", "-f", work / "live.vcl",
        "-s", "malloc,64m", work=work, errors=open(work / "varnish.log", "w"))


def start_ffmpeg(name, url, *more):
    """Starts FFmpeg, which repackages one of the generator's channels from its oldest segment on, in real time."""
    folder = work / "files" / name
    folder.mkdir(parents=True)
    start(
        "ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "warning", "-re", "-live_start_index", "0", "-i", url,
        "-c", "copy", *more, "-f", "hls", "-hls_time", "6", "-hls_list_size", "6", "-hls_flags",
        "delete_segments+program_date_time", folder / "index.m3u8", work=work, errors=open(work / f"{name}.log", "w"))


class BadNetwork:
    """Forwards connections to a port; each port of the proxy has a different fault."""

    def __init__(self, target):
        self.target = target
        self.resets = self.stalls = 0
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()

    def port(self, behave):
        async def listen():
            server = await asyncio.start_server(lambda *ends: self.connect(behave, *ends), "127.0.0.1", 0)
            return server.sockets[0].getsockname()[1]

        return asyncio.run_coroutine_threadsafe(listen(), self.loop).result(10)

    async def connect(self, behave, reader, writer):
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self.target)
            await asyncio.gather(self.copy(reader, back), behave(self, there, writer))
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def copy(self, reader, writer):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        writer.close()

    async def delay(self, reader, writer):
        """Delays all data by 150 ms."""
        while data := await reader.read(65536):
            await asyncio.sleep(0.15)
            writer.write(data)
            await writer.drain()

    async def drip(self, reader, writer):
        """Sends 40 kB/s in pieces of 800 bytes: a segment of 6.4 s takes 2.5 s."""
        while data := await reader.read(800):
            writer.write(data)
            await writer.drain()
            await asyncio.sleep(0.02)

    async def lose(self, reader, writer):
        """Stalls for two seconds every 200 kB, and resets each connection after 700 kB, as a restarting router does."""
        count = 0
        while data := await reader.read(10_000):
            if (count + len(data)) // 200_000 > count // 200_000:
                self.stalls += 1
                await asyncio.sleep(2)
            count += len(data)
            if count > 700_000:
                self.resets += 1
                writer.transport.abort()
                return
            writer.write(data)
            await writer.drain()


class Channel:
    """A channel of the monitor: the number of the generator's channel, and the findings that must and may occur."""

    def __init__(self, name, url, number, must=(), may=(), hasTags=True):
        self.name, self.url, self.number, self.hasTags = name, url, number, hasTags
        self.must, self.may = set(must), set(must) | set(may)


generator = Generator(dtvr, work, 7, [], "--bitrate", "125")
origin = generator.urls[0].rsplit("/", 2)[0]
nginx_port, secure_port, varnish_port = free_port(), free_port(), free_port()
make_certificate()
start_nginx(nginx_port, secure_port, origin)
start_varnish(varnish_port, nginx_port)
nginx, varnish = f"http://127.0.0.1:{nginx_port}", f"http://127.0.0.1:{varnish_port}"
# Without -max_interleave_delta, FFmpeg holds video and audio back for up to ten seconds to wait for the next tag, and
# segments appear in pairs.
start_ffmpeg("ts", generator.urls[5], "-map", "0", "-max_interleave_delta", "500k", "-hls_segment_type", "mpegts")
# FFmpeg's fragmented MP4 muxer rejects timed ID3, so only video and audio are mapped.
start_ffmpeg(
    "fmp4", generator.urls[5], "-map", "0:v", "-map", "0:a", "-bsf:a", "aac_adtstoasc", "-hls_segment_type", "fmp4"
)
network = BadNetwork(nginx_port)
NO_TAGS = {"presence.silent", "carriage.owner-present"}
channels = [
    Channel("nginx", f"{nginx}/ch1/index.m3u8", 1),
    Channel("nginx-tls", f"https://127.0.0.1:{secure_port}/ch7/index.m3u8", 7),
    Channel("varnish", f"{varnish}/ch2/index.m3u8", 2),
    Channel("delay", f"http://127.0.0.1:{network.port(BadNetwork.delay)}/ch3/index.m3u8", 3),
    Channel("drip", f"http://127.0.0.1:{network.port(BadNetwork.drip)}/ch4/index.m3u8", 4),
    Channel("lose", f"http://127.0.0.1:{network.port(BadNetwork.lose)}/ch5/index.m3u8", 5, may={"playlist.http"}),
    # FFmpeg writes no descriptor 0x25, and versions up to 5.1 remove the first five bytes of each tag.
    Channel(
        "ffmpeg-ts", f"{varnish}/files/ts/index.m3u8", 6, must={"carriage.pmt-descriptors"},
        may=NO_TAGS | {"id3.malformed"}),
    Channel("ffmpeg-fmp4", f"{varnish}/files/fmp4/index.m3u8", 6, must=NO_TAGS, hasTags=False),
]
for channel in channels:
    plain = channel.url.replace(f"https://127.0.0.1:{secure_port}", nginx)
    wait_for(work, plain, lambda: get(plain).count("#EXTINF") >= 2)
tags = collections.defaultdict(set)
collector = Collector(dtvr, work)
monitor = Monitor(
    dtvr, work, [channel.url for channel in channels], defaults=f"ca-file = {work}/certificate.pem",
    collector=collector, take_tag=lambda event: tags[event["channel"]].add(event["tag"]["owner"]))
followed = generator.now
time.sleep(seconds)
ended = generator.now
code, took = monitor.end()
demand(code == 0 and took < 5, f"the monitor exited with {code} after {took:.1f} s")
collector.end()
collected = collections.Counter((tag["source"], tag["owner"]) for tag in collector.tags())

print(f"{'':12} {'tags':>5} {'found':>6} {'once':>10}  findings")
for number, channel in enumerate(channels, 1):
    id = f"ch{number}"
    published = {
        owner for segment in generator.published(channel.number)
        if followed < segment["end"] / 1000 < ended - 40 for owner in segment["owners"]}
    found = published & tags[id]
    once = sum(collected[channel.url, owner] == 1 for owner in published)
    checks = collections.Counter(finding["check"] for finding in monitor.findings if finding["channel"] == id)
    print(f"{channel.name:12} {len(published):5} {len(found):6} {once:10}  {dict(checks) or 'none'}")
    demand(published, f"{channel.name}: no tags were published")
    demand(channel.must <= set(checks), f"{channel.name}: missing findings {channel.must - set(checks)}")
    for finding in monitor.findings:
        if finding["channel"] == id and finding["check"] not in channel.may:
            demand(False, f"{channel.name}: unexpected finding {finding['check']}: {finding['detail']}")
    if checks["id3.malformed"]:
        details = [finding["detail"] for finding in monitor.findings if finding["check"] == "id3.malformed"]
        demand(not found and all("five bytes" in detail for detail in details), f"{channel.name}: {details[0]}")
    elif channel.hasTags:
        demand(
            found == published and once == len(published), f"{channel.name}: {len(published) - once} tags are missing"
        )
    else:
        demand(not tags[id], f"{channel.name}: has unexpected tags")
versions = collections.Counter(
    (line.split()[0], line.rsplit(".", 1)[-1]) for line in (work / "versions.log").read_text().splitlines())
# Only the first load of the playlist, which might be a segment, uses HTTP/1.1.
demand(
    versions["HTTP/2.0", "m3u8"] > versions["HTTP/1.1", "m3u8"] and versions["HTTP/1.1", "m3u8"] <= 1
    and versions["HTTP/1.1", "ts"] and not versions["HTTP/2.0", "ts"],
    f"unexpected HTTP versions over TLS: {dict(versions)}")
print(f"HTTP versions over TLS: {dict(versions)}")
demand(network.resets and network.stalls, "the network had no faults")
print(f"the network stalled {network.stalls} times and reset {network.resets} connections")
report_violations(work)
shutil.rmtree(work)
