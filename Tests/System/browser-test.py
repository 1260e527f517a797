#!/usr/bin/env python3
"""Tests Examples/browser: runs hls.js and the calls of public connectors against libdtvr.so, in a headless Chromium.
Takes a minute.

    Tests/System/browser-test.py [PREFIX]     uses libdtvr.so from PREFIX (see Scripts/install.sh); default: installs it
                                              to a temporary folder. DTVR=PATH uses an existing build of the tool

hls.js plays streams of `dtvr synth`, as transport streams and as fragmented MP4, with a change of quality, a pause, a
jump back and a jump forward. The tags at `dtvr collect` must match the tags that `dtvr scan` finds in the stream. The
call logs of web connectors (DTVR_TRACES) and of this project are replayed through dtvr-shim.js; each must give the
results in its file of expectations. If hls.js cannot be downloaded (Examples/browser/hls-js.sh), its part is skipped
with a message.
"""

import concurrent.futures
import http.server
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

from programs import Collector, built_tool, command_line, get, root, set_up, start

sys.path.append(str(root / "Tests/Peers"))
from browse import browser

prefix = command_line(__doc__, prefix="").prefix
traces = os.environ.get("DTVR_TRACES", root / "../shared/traces")
# The call logs of web connectors.
WEB = re.compile(r"(segweb|segdcr|theoweb|ooyala|bitmovin|mock)-")
work = pathlib.Path(tempfile.mkdtemp(prefix="dtvr-browser-"))
set_up("browser")
dtvr = built_tool()
if not prefix:
    prefix = work / "dtvr"
    subprocess.run([root / "Scripts/install.sh", "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
library = pathlib.Path(prefix).resolve() / "lib/libdtvr.so.1"
# Its exit status is 69 if the download failed.
found = subprocess.run([root / "Examples/browser/hls-js.sh"], text=True, stdout=subprocess.PIPE, check=False)
hls = found.stdout.strip()
if found.returncode not in (0, 69):
    sys.exit(found.returncode)
# Ends a run that hangs.
signal.signal(signal.SIGALRM, lambda *_: sys.exit(f"FAILED: timed out after ten minutes; see {work}"))
signal.alarm(600)


def demand(holds, what):
    if not holds:
        sys.exit(f"FAILED: {what}; see {work}")


def equal(found, wanted, what):
    demand(found == wanted, f"{what}: {found}, expected {wanted}")


def wait_for(what, condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        demand(time.monotonic() < end, f"timed out after {seconds} s waiting for {what}")
        time.sleep(0.05)


class Bench:
    """A bridge with its collector, in a separate folder."""

    def __init__(self, name, stream, *more):
        self.folder = work / name
        self.folder.mkdir()
        self.collector, self.stream = Collector(dtvr, self.folder), stream
        self.begin(*more)

    def begin(self, *more):
        errors = open(self.folder / "bridge.log", "a")
        self.process = start(
            sys.executable, root / "Examples/browser/bridge.py", "--library", library, "--hls", hls or "none",
            "--stream", self.stream, "--store", self.folder / "store", "--collector", self.collector.url,
            "--log", self.folder / "calls.jsonl", *more, work=self.folder, errors=errors)
        self.url = self.process.stdout.readline().strip()
        demand(self.url, f"the bridge did not start; see {self.folder}/bridge.log")

    def answers(self, instance):
        """Returns the counts and the findings of a session, without the details."""
        found = json.loads(get(f"{self.url}counts?instance={instance}"))
        findings = {name: count for name, count in found["findings"].items() if name != "details"}
        return found["counts"], findings

    def calls(self):
        """Returns the calls in the log of the sessions, which a thread of the library writes."""
        log = self.folder / "calls.jsonl"
        lines = log.read_text().split("\n")[:-1] if log.exists() else []
        return [json.loads(line) for line in lines if not line.startswith("#")]

    def records(self, count):
        """Waits until the collector has `count` tags, stops the bridge, and returns all tags, without other records."""

        def tags():
            return [record for record in self.collector.tags() if "owner" in record]

        wait_for(f"{count} tags at the collector of {self.folder.name}", lambda: len(tags()) >= count)
        self.process.terminate()
        equal(self.process.wait(20), 0, "the bridge's exit status")
        self.collector.kill()
        return tags()


def check_conservation(counts):
    handed = sum(counts[name] for name in ("stored", "repeats", "ignored", "invalid", "discarded"))
    equal(counts["handed"], handed, "tags handed over")
    equal(counts["stored"], counts["accepted"] + counts["queued"], "tags stored")
    equal(counts["lost"], 0, "tags lost")


# ---- The bridge and the shim ----

def post(bench, first, body, **headers):
    """Posts calls; returns the status and the body of the answer."""
    if not isinstance(body, bytes):
        body = json.dumps(body).encode()
    headers = {"Origin": bench.url.rstrip("/"), **headers}
    request = urllib.request.Request(f"{bench.url}calls?page=test&first={first}", body, headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, None


def check_bridge():
    """Tests which requests are refused, and that calls are made in order even if they arrive out of order."""
    bench = Bench("bridge", work)
    call = [{"instance": "a", "call": "getMeterVersion", "arguments": []}]
    equal(post(bench, 0, call, Origin="http://example.com")[0], 403, "a page of another origin")
    equal(post(bench, 0, call, Host="example.com")[0], 403, "another name for this machine")
    for body in (b"", b"[", {}, [1], [{"call": "play"}], [{**call[0], "arguments": 1}], b"[" * 200_000):
        equal(post(bench, 0, body)[0], 400, f"an invalid list of calls: {str(body)[:20]}")
    equal(post(bench, 0, b"", **{"Content-Length": str(1 << 21)})[0], 413, "a body over the limit")
    equal(post(bench, 100_000, call)[0], 400, "a call number far ahead of the others")
    for path in ("stream/../../etc/passwd", "stream/%2e%2e/%2e%2e/etc/passwd", "stream//etc/passwd", "bridge.py"):
        status = subprocess.run(
            ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "--path-as-is", bench.url + path],
            capture_output=True, text=True)
        equal(status.stdout, "404", path)
    equal(bench.calls(), [], "calls made by refused requests")

    def calls(*numbers):
        return [{"instance": "a", "call": "setVolume", "arguments": [number]} for number in numbers]

    with concurrent.futures.ThreadPoolExecutor() as pool:
        # Later calls wait for earlier ones, repeated calls are not made again, and the wait for missing ones times out.
        late = pool.submit(post, bench, 2, calls(2, 3))
        time.sleep(0.3)
        equal(
            [answer and answer["outcome"] for answer in post(bench, 0, calls(0, 1))[1]], ["done"] * 2, "the first calls"
        )
        equal(late.result()[0], 200, "the later calls")
    equal(
        [answer and answer["outcome"] for answer in post(bench, 3, calls(3, 4))[1]], [None, "done"], "a repeated call"
    )
    equal(post(bench, 6, calls(6))[0], 200, "a call after a missing one")
    equal(post(bench, 5, calls(5, 6))[1][1], None, "the missing call and a repeated one")
    wait_for("the log of the calls", lambda: len(bench.calls()) >= 7)
    equal([call["arguments"][0] for call in bench.calls()], [0, 1, 2, 3, 4, 6, 5], "the calls that were made")
    bench.records(0)
    print("bridge.py: makes the calls of the pages that it served, in order, each once", flush=True)


class OtherServer(http.server.BaseHTTPRequestHandler):
    """A server other than the stream's, which counts its requests."""

    requests = 0

    def do_GET(self):
        type(self).requests += 1
        body = b"hls.stopLoad()"
        self.send_response(200)
        self.send_header("Content-Type", "text/javascript")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class StreamServer(OtherServer):
    """The stream's server, which also redirects and has other files."""

    paths = []
    targets = {}

    def do_GET(self):
        StreamServer.paths.append(self.path)
        target = self.targets.get(self.path)
        if target is None:
            return super().do_GET()
        self.send_response(302)
        self.send_header("Location", target)
        self.send_header("Content-Length", "0")
        self.end_headers()


def check_stream_origin():
    """Tests that files come only from the stream's folder, and never as documents or scripts of the bridge's origin."""
    servers = [http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) for handler in (StreamServer, OtherServer)]
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    own, other = (f"127.0.0.1:{server.server_address[1]}" for server in servers)
    targets = {
        "moved": f"http://{other}/x.ts", "outside": "/secret", "sibling": "/live2/x", "dots": "/live/../secret",
        "encoded": "/live/%2e%2e/secret", "slash": "/live/..%2fsecret", "inside": "/live/x.ts"}
    StreamServer.targets = {f"/live/{name}.ts": target for name, target in targets.items()}
    bench = Bench("stream-origin", f"http://{own}/live/")

    def fetched(path):
        answer = subprocess.run(
            ["curl", "-s", "-i", "--path-as-is", f"{bench.url}stream/{path}"], capture_output=True, text=True,
            check=True).stdout
        head = answer.split("\n\n")[0].lower().splitlines()
        return head[0].split()[1], dict(line.split(": ", 1) for line in head[1:])

    for path in (
        f"//{other}/x", f"%2f%2f{other}/x", f"/{other}/x", f"%5c%5c{other}/x", f"http://{other}/x", "../secret",
        "/secret", "a/../../secret", "%2e%2e/secret", "..%2fsecret", "%2fsecret", "..%5csecret", "%252e%252e/secret",
        "../live2/x", *(f"{name}.ts" for name in targets)):
        status = fetched(path)[0]
        equal(OtherServer.requests, 0, f"requests to another server for {path}")
        # These are names in the folder.
        if not path.startswith(("inside", "%5c", "http:", "%25")):
            demand(status != "200", f"{path} was answered")
    outside = [path for path in StreamServer.paths if not path.startswith("/live/") or "/../" in path]
    equal(outside, [], "requests outside of the stream's folder")
    equal(fetched(f"//{other}/x")[0], "404", "a file of another server")
    equal(fetched("moved.ts")[0], "502", "a redirect to another server")
    equal(fetched("inside.ts")[0], "200", "a redirect within the folder")
    for name in ("x.js", "x.mjs", "x.html", "x.svg", "x.ts", "x"):
        status, headers = fetched(name)
        equal(status, "200", name)
        equal(
            headers["content-type"], "video/mp2t" if name == "x.ts" else "application/octet-stream",
            f"the type of {name}")
        equal(headers["content-security-policy"], "sandbox; default-src 'none'", f"the policy of {name}")
        equal(headers["x-content-type-options"], "nosniff", f"the sniffing of {name}")
    bench.records(0)
    for server in servers:
        server.shutdown()
    print("bridge.py: serves files only from the stream's folder, none of them as a page or a script", flush=True)


def check_shim():
    """Tests that the shim throws nothing into the player, and loses no calls while the bridge is down."""
    bench = Bench("shim", work)
    port = bench.url.split(":")[2].rstrip("/")
    with browser() as it:
        load_shim(it, bench)
        thrown = it.step({"value": """(() => {
            const own = {}, sdk = NOLBUNDLE.nlsQ("T1", "trace", { sfcode: "us" });
            own.own = own;
            let count = 0;
            const odd = [own, 10n, { get now() { throw new Error("now"); } }, "x".repeat(100_000)];
            for (const value of odd) {
                try {
                    sdk.ggPM("loadMetadata", value); sdk.processEvent(value); sdk.trackEvent(value);
                } catch { count += 1; }
            }
            try {
                NOLBUNDLE.nlsQ(); NOLBUNDLE.nlsQ(null, null, null);
                sdk.ggPM(); sdk.ggPM(undefined, Symbol()); sdk.ggPM(() => 0);
                NOLBUNDLE.nlsQ("T1", "nlsQ").ggPM("play");
                NOLBUNDLE.nlsQ("T1", "trace").ggPM("sendID3", new Uint8Array([0, 65, 255]));
            } catch { count += 1; }
            return [count, NOLBUNDLE.dropped, NOLBUNDLE.nlsQ("T1", "trace") === sdk, NOLBUNDLE.trace === sdk];
        })()"""})[0]
        equal(thrown, [0, 12, True, True], "exceptions, calls that cannot be encoded, the same instance twice")
        it.step({"wait": "NOLBUNDLE.waiting === 0", "within": 30})
        wait_for("bytes as characters", lambda: bench.calls()[-1]["arguments"] == ["sendID3", "\0A\u00ff"])
        bench.process.kill()
        bench.process.wait()
        it.step({"value": "(() => { for (let n = 0; n < 5_000; n += 1) NOLBUNDLE.trace.ggPM(49, n); })()"})
        equal(
            it.step({"value": "[NOLBUNDLE.waiting, NOLBUNDLE.dropped]"})[0], [4096, 12 + 904],
            "waiting and dropped calls")
        it.complaints.clear()
        bench.begin("--port", port)
        it.step({"wait": "NOLBUNDLE.waiting === 0", "within": 60})
        # The log begins with each launch.
        wait_for("the calls after the bridge was restarted", lambda: len(bench.calls()) >= 4_096)
        made = [call["arguments"] for call in bench.calls()]
        equal(made, [[49, number] for number in range(4_096)], "the calls after the bridge was restarted")
        # The user leaves the page before it has an answer. Its request may have reached the bridge or not.
        for request in ("", "ask(...values);"):
            before = len(bench.calls())
            load_shim(it, bench)
            it.step({"value": f"""(() => {{
                const ask = fetch;
                window.fetch = (...values) => {{ {request} return new Promise(() => {{}}); }};
                const sdk = NOLBUNDLE.nlsQ("T1", "left");
                for (let n = 0; n < 200; n += 1) sdk.ggPM(49, n);
            }})()"""})
            if request:
                wait_for("a request", lambda: len(bench.calls()) > before)
            it.step({"value": "NOLBUNDLE.left.ggPM(49, 200)"})
            it.step({"open": "about:blank"})
            wait_for("the calls of a closed page", lambda: len(bench.calls()) >= before + 202)
            made = [call["arguments"] for call in bench.calls()[before + 1:]]
            equal(made, [[49, number] for number in range(201)], "the calls of a closed page")
    bench.records(0)
    print(
        "dtvr-shim.js: throws nothing; loses no calls while the bridge is down or when the page is closed", flush=True
    )


# ---- hls.js ----

def play(container):
    """Plays a stream with hls.js to its end: changes the rendition, pauses, and jumps back and forward."""
    stream = work / f"stream-{container}"
    subprocess.run(
        [dtvr, "synth", "--container", container, "--duration", "44s", stream], check=True, stdout=subprocess.DEVNULL
    )
    if container == "fmp4":
        # hls.js appends each segment unchanged to the buffer of its kind, so it cannot play an audio rendition beside
        # segments that contain audio.
        playlist = (stream / "index.m3u8").read_text()
        playlist = re.sub(r"#EXT-X-MEDIA:.*\n", "", playlist).replace(',AUDIO="audio"', "")
        (stream / "index.m3u8").write_text(playlist)
    scan = subprocess.run(
        [dtvr, "scan", "--format", "jsonl", stream / "index.m3u8"], check=True, capture_output=True, text=True
    )
    # The stream's clock starts at ten seconds, the video's at zero.
    there = [(tag["seconds"] - 10, tag["owner"]) for tag in map(json.loads, scan.stdout.splitlines())]
    equal([round(time) for time, _ in there], [0, 10, 20, 30, 40], "the times of the stream's tags")

    # The page removes duplicates itself, and sends tags again after a jump.
    bench = Bench(f"hls-{container}", stream, "--keep-repeats")
    video = "document.querySelector('video')"
    # The positions that the jumps start from and go to.
    turns = [(14, 4), (17, 34)]
    with browser() as it:
        it.step({"open": bench.url})
        it.step({"wait": f"{video}.currentTime > 0.2", "within": 60})
        it.step({"value": f"{video}.playbackRate = 4"})
        # The other rendition's segments contain the same tags.
        it.step({"wait": f"{video}.currentTime > 5", "within": 60})
        it.step({"value": "(hls.currentLevel = 1 - hls.currentLevel, 0)"})
        it.step({"wait": f"{video}.currentTime > 8", "within": 60})
        # Held tags stay held during a pause.
        it.step({"value": f"{video}.pause()"})
        it.step({"sleep": 1.5})
        it.step({"value": f"{video}.play().then(() => 0)"})
        left = []
        for at, to in turns:
            it.step({"wait": f"{video}.currentTime >= {at}", "within": 60})
            left += it.step(
                {"value": f"(() => {{ const at = {video}.currentTime; {video}.currentTime = {to}; return at; }})()"}
            )
            it.step({"wait": f"!{video}.seeking", "within": 60})
        it.step({"wait": f"{video}.ended && NOLBUNDLE.waiting === 0", "within": 90})
        equal(it.step({"value": "NOLBUNDLE.dropped"}), [0], "dropped calls")
        length = it.step({"value": f"{video}.duration"})[0]
        equal(it.complaints, [], "the browser's console messages")
    # The parts of the stream that were played.
    parts = list(zip([0, *(to for _, to in turns)], [*left, length]))
    presented = [owner for begin, end in parts for time, owner in there if begin - 0.5 <= time <= end]

    # The tags that the page sent, with the part in which it sent them.
    handed, part, names = [], 0, []
    wait_for("the end in the log", lambda: "end" in (bench.calls()[-1]["call"], *bench.calls()[-1]["arguments"]))
    for call in bench.calls():
        names.append(call["arguments"][0] if call["call"] == "ggPM" else call["call"])
        name, values = names[-1], call["arguments"][1:]
        if name == "stop":
            part += 1
        elif name == "sendID3":
            handed.append((values[1], re.search(r"www\.nielsen\.com/[^\0]*", values[0])[0], part))
    others = [name for name in names if name not in ("setPlayheadPosition", "sendID3")]
    equal(
        others,
        ["init", "loadMetadata", "pause", "loadMetadata", "stop", "loadMetadata", "stop", "loadMetadata", "end"],
        "the calls other than tags and playheads")
    demand(names.count("setPlayheadPosition") >= 10, "the playhead is not sent every second")
    for at, owner, _ in handed:
        nearest = min(there, key=lambda tag: abs(tag[0] - at))
        demand(nearest[1] == owner and abs(nearest[0] - at) < 0.2,
               f"the tag at {at} s is not the stream's tag at {nearest[0]} s")
    wanted = [(owner, parts[part][0] - 0.5 <= at <= parts[part][1]) for at, owner, part in handed]
    equal([owner for owner, was in wanted if was], presented, "the presented tags that the page sent")
    demand(any(not was for _, was in wanted), "no tag was sent early and not presented")

    counts, findings = bench.answers("player")
    check_conservation(counts)
    equal((counts["handed"], counts["stored"], counts["held"]), (len(handed), len(handed), 0), "handed, stored, held")
    equal(counts["flushed"], sum(not was for _, was in wanted), "tags not presented")
    records = sorted(bench.records(len(handed)), key=lambda record: record["order"])
    equal(len({record["session"] for record in records}), counts["sessions"], "viewing sessions")
    equal([(record["owner"], record["presented"]) for record in records], wanted, "the records")
    equal(set(findings), {"playhead.backwards", "tag.not-presented"}, "the findings")
    print(
        f"hls.js, {container}: {len(handed)} tags sent, {len(presented)} presented, all {len(records)} delivered",
        flush=True)


# ---- Call logs of connectors ----

# Makes the calls of a log in the way of its connector.
MAKE = """(async (log, kind) => {
    let instance = null;
    const early = [];
    for (const { call, arguments: values } of log) {
        if (call === "init") {
            const { appid, instanceName, ...information } = values[0];
            if (kind === "ooyala") {
                instance = NOLCMB.getInstance(appid);
                instance.ggInitialize(values[0]);
            } else if (kind === "mock") {
                instance = await new BsdkInstance(appid, "trace", information, { Log: console });
            } else {
                instance = NOLBUNDLE.nlsQ(appid, "trace", information);
            }
            for (const [method, values] of early) instance[method](...values);
        } else if (instance) {
            instance[call](...values);
        } else {
            early.push([call, values]);
        }
    }
})(%s, "%s")"""


def objections(expected, counts, findings, records, calls, answers):
    """Returns the differences between a trace and its expectations; the rules are those of ExpectedTrace.swift."""
    found, owners = [], [record["owner"] for record in records]

    def of(expected):
        found = []
        for key in ("handed", "stored", "repeats", "ignored", "invalid", "discarded", "sessions", "held", "flushed"):
            wanted = expected.get(key)
            if wanted is not None and counts[key] not in (wanted if isinstance(wanted, list) else [wanted]):
                found.append(f"{key} is {counts[key]}, not {wanted}")
        for total, wanted in expected.get("sums", {}).items():
            if sum(counts[part] for part in total.split("+")) != wanted:
                found.append(f"{total} is not {wanted}")
        wanted, perhaps = expected.get("owners", []), expected.get("owners_maybe", [])
        rest = [owner for owner in owners if owner not in perhaps or owner in wanted]
        order = sorted if expected.get("unordered") else list
        if order(rest) != order(wanted):
            found.append("the collector has other owners, or has them in another order")
        return found

    ways = [of({**expected, **way}) for way in expected.get("either", [{}])]
    if all(ways):
        found += sum(ways, [])
    rules = expected.get("findings", {})
    must, groups = set(rules.get("must", [])), rules.get("any", [])
    found += [f"no {name}" for name in must - set(findings)]
    found += [f"none of {group}" for group in groups if not set(group) & set(findings)]
    if isinstance(rules.get("may"), list):
        other = set(findings) - must - set(rules["may"]) - set().union(*groups)
        found += [f"an unexpected {name}" for name in other]
    if "calls" in expected and len(calls) != expected["calls"]:
        found.append(f"{len(calls)} calls, not {expected['calls']}")
    for line, rule in expected.get("lines", {}).items():
        answer = answers[int(line)]
        for key in ("outcome", "state"):
            if key in rule and answer[key] not in rule[key]:
                found.append(f"line {line}: {key} is {answer[key]}, not {rule[key]}")
        if "code" in rule and answer.get("code") != rule["code"]:
            found.append(f"line {line}: code is {answer.get('code')}, not {rule['code']}")
    for wanted, record in zip(expected.get("records", []), records):
        found += [f"{key} is {record.get(key)}" for key, value in wanted.items() if record.get(key) != value]
    if "records" in expected and len(expected["records"]) != len(records):
        found.append(f"{len(records)} records")
    return found


def load_shim(it, bench):
    """Opens a document of the bridge's origin without a session, and loads the shim into it."""
    it.step({"open": f"{bench.url}dtvr-shim.js"})
    it.step({"value": """new Promise((resolve, reject) => {
        const script = document.createElement("script");
        Object.assign(script, { src: "/dtvr-shim.js", onload: () => resolve(0), onerror: reject });
        document.head.append(script);
    })"""})


def make(it, path, leaves):
    """Makes the calls of a log through the shim; with `leaves`, the page is closed at once. Returns a function that
    checks the results."""
    lines = {number: json.loads(line) for number, line in enumerate(path.read_text().splitlines(), 1) if line[0] != "#"}
    expected = json.loads(path.with_suffix("").with_suffix(".expected.json").read_text())
    kind = path.name.split("-")[0]
    bench = Bench(path.stem, work)
    load_shim(it, bench)
    it.step({"value": f"{MAKE % (json.dumps(list(lines.values())), kind)}.then(() => 0)"})
    if leaves:
        it.step({"open": "about:blank"})
    wait_for(f"{len(lines)} calls of {path.stem}", lambda: len(bench.calls()) >= len(lines))
    if not leaves:
        it.step({"wait": "NOLBUNDLE.waiting === 0", "within": 30})
        equal(it.step({"value": "NOLBUNDLE.dropped"}), [0], f"dropped calls of {path.stem}")
    # Calls from before the library was loaded are made after `init`.
    order = sorted(lines, key=lambda number: lines[number]["call"] != "init")
    calls = bench.calls()
    made = [[call["call"], call["arguments"][:2] if call["call"] == "ggPM" else []] for call in calls]
    logged = [lines[number] for number in order]
    equal(made, [[call["call"], call["arguments"][:2] if call["call"] == "ggPM" else []] for call in logged],
          f"the calls of {path.stem}")
    equal(it.complaints, [], f"the browser's console messages for {path.stem}")
    counts, findings = bench.answers("trace" if kind != "ooyala" else logged[0]["arguments"][0]["appid"])
    check_conservation(counts)
    answers = dict(zip(order, calls))

    def check():
        found = objections(expected, counts, findings, bench.records(counts["stored"]), calls, answers)
        demand(not found, f"{path.stem}: {'; '.join(found)}")
        return counts["handed"]

    return check


def make_all():
    ours = sorted((root / "Tests/Products/PlayerSessionTests/Traces").glob("browser-*.jsonl"))
    theirs = sorted(path for path in pathlib.Path(traces).glob("*.jsonl") if WEB.match(path.name))
    demand(ours, "no call logs of this project found")
    if not theirs:
        print(f"No call logs of connectors in {traces}: skipped.", flush=True)
    tags, checks = 0, []
    with browser() as it:
        for place, path in enumerate(ours + theirs):
            checks.append(make(it, path, leaves=place % 2 == 0))
            # Delivery takes a second; starts the next logs meanwhile.
            if len(checks) > 4:
                tags += checks.pop(0)()
    tags += sum(check() for check in checks)
    print(f"dtvr-shim.js: {len(ours + theirs)} call logs with {tags} tags, all as expected", flush=True)


check_bridge()
check_stream_origin()
check_shim()
make_all()
if hls:
    for container in ("ts", "fmp4"):
        play(container)
else:
    print("hls.js could not be downloaded: skipped.", flush=True)
shutil.rmtree(work)
