#!/usr/bin/env python3
"""Gives the example's pages access to measurement sessions. Serves the pages and a stream on the loopback interface,
and makes the calls that the pages post with libdtvr.so.

    bridge.py --library libdtvr.so --hls hls.mjs --stream DIR|URL --store DIR [--collector URL] [--port N] [--log FILE]

POST /calls?page=ID&first=N accepts a JSON list of {"instance", "call", "arguments"}: the calls of a page from number N
on. It makes them in order, once each, and returns a list with the outcome of each. GET /counts?instance=NAME returns
the counts and the findings of a session. With --log, the sessions write a log of their calls, which `dtvr certify` and
`dtvr replay` read.
"""

import argparse
import collections
import ctypes
import http.server
import json
import pathlib
import signal
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
LONGEST_BODY = 1 << 20
LONGEST_FILE = 1 << 28
MOST_PAGES, MOST_SESSIONS = 1_000, 100
# The maximum number of missing calls before a call, and the seconds that it waits for them.
MOST_AHEAD, LONGEST_WAIT = 10_000, 5
PATIENCE = ctypes.c_uint64(10_000)
PAGE_TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".mjs": "text/javascript"}
# The content types of stream files. None of them lets a file act as a page or script of this origin.
STREAM_TYPES = {".m3u8": "application/vnd.apple.mpegurl", ".ts": "video/mp2t", ".mp4": "video/mp4", ".m4s": "video/mp4"}
PAGE_POLICY = "default-src 'self'; media-src 'self' blob:; worker-src 'self' blob:; img-src data:"
STREAM_POLICY = "sandbox; default-src 'none'"


class Text(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_char_p), ("length", ctypes.c_size_t)]

    @classmethod
    def of(cls, value):
        value = str(value).encode()
        return cls(value, len(value))


class Options(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t), ("directory", Text), ("configuration_file", Text), ("configuration_url", Text),
        ("authorities_file", Text), ("maximum_bytes", ctypes.c_uint64), ("maximum_age_seconds", ctypes.c_uint64),
        ("notify", ctypes.c_void_p), ("context", ctypes.c_void_p), ("keeps_repeats", ctypes.c_bool), ("log", Text)]


class Counts(ctypes.Structure):
    NAMES = "handed stored repeats ignored invalid discarded held flushed sessions queued accepted lost".split()
    _fields_ = [("size", ctypes.c_size_t)] + [(name, ctypes.c_uint64) for name in NAMES]


class Session:
    """A session of the library."""

    def __init__(self, library, settings):
        self.library, self.pointer = library, ctypes.c_void_p()
        configuration = settings.store / "bridge.json"
        options = Options(
            size=ctypes.sizeof(Options), directory=Text.of(settings.store), configuration_file=Text.of(configuration),
            keeps_repeats=settings.keep_repeats)
        if settings.log:
            options.log = Text.of(settings.log)
        status = library.dtvr_create(ctypes.byref(options), None, ctypes.c_size_t(0), ctypes.byref(self.pointer))
        if status < 0:
            raise OSError(f"cannot create a session: {self.reason(status)}")
        self.settle()

    def reason(self, status):
        return self.library.dtvr_status_text(status).decode()

    def settle(self):
        """Waits until the session has processed all calls."""
        self.library.dtvr_settle(self.pointer, PATIENCE)

    def call(self, name, arguments):
        """Makes a call and returns its outcome."""
        name, arguments = name.encode(), json.dumps(arguments).encode()
        status, answer = self.answer(
            "dtvr_call", name, ctypes.c_size_t(len(name)), arguments, ctypes.c_size_t(len(arguments)))
        return answer if status >= 0 else {"outcome": "error", "reason": self.reason(status)}

    def answer(self, function, *arguments):
        buffer, length = ctypes.create_string_buffer(1 << 16), ctypes.c_size_t()
        status = getattr(self.library, function)(
            self.pointer, *arguments, buffer, ctypes.c_size_t(len(buffer)), ctypes.byref(length))
        return status, json.loads(buffer.raw[:length.value]) if status >= 0 else None

    def counts(self):
        counts = Counts(size=ctypes.sizeof(Counts))
        self.library.dtvr_get_counts(self.pointer, ctypes.byref(counts))
        return {name: getattr(counts, name) for name in Counts.NAMES}

    def end(self):
        self.library.dtvr_destroy(self.pointer, PATIENCE)


class Page:
    """The numbers of a page's calls that were made."""

    def __init__(self):
        self.next, self.missing = 0, set()


class Bridge:
    """The sessions of all pages, and the order of their calls."""

    def __init__(self, settings):
        self.settings = settings
        self.library = ctypes.CDLL(settings.library)
        self.library.dtvr_status_text.restype = ctypes.c_char_p
        settings.store.mkdir(parents=True, exist_ok=True)
        collectors = {"default": settings.collector} if settings.collector else {}
        (settings.store / "bridge.json").write_text(json.dumps({"collectors": collectors, "uploadInterval": 1}))
        self.sessions, self.pages = {}, collections.OrderedDict()
        self.turn = threading.Condition()

    def session(self, instance):
        if instance not in self.sessions:
            if len(self.sessions) >= MOST_SESSIONS:
                raise ValueError(f"{MOST_SESSIONS} sessions are open")
            self.sessions[instance] = Session(self.library, self.settings)
        return self.sessions[instance]

    def make(self, page, first, calls):
        """Makes the calls of a page in order, except those made before. Returns their outcomes, None for the latter."""
        with self.turn:
            known = self.pages.setdefault(page, Page())
            self.pages.move_to_end(page)
            if len(self.pages) > MOST_PAGES:
                self.pages.popitem(last=False)
            if first > known.next + MOST_AHEAD:
                raise ValueError("too many earlier calls are missing")
            # When a page is left, its last request may arrive before an earlier, aborted one.
            self.turn.wait_for(lambda: known.next >= first, LONGEST_WAIT)
            known.missing.update(range(known.next, first))
            known.next = max(known.next, first)
            answers = []
            for number, call in enumerate(calls, first):
                if number < known.next and number not in known.missing:
                    answers.append(None)
                    continue
                known.missing.discard(number)
                known.next = max(known.next, number + 1)
                answers.append(self.make_one(**call))
            self.turn.notify_all()
            return answers

    def make_one(self, instance, call, arguments):
        session = self.session(instance)
        answer = session.call(call, arguments)
        # The session is reading its configuration; until it has, calls are queued and return no outcome.
        if call == "init":
            session.settle()
        return answer

    def end(self):
        with self.turn:
            for session in self.sessions.values():
                session.end()
            self.sessions.clear()


def checked(calls):
    """Returns the calls of a body; raises ValueError for anything else."""
    if not isinstance(calls, list):
        raise ValueError("the body is not a list")
    for call in calls:
        if not isinstance(call, dict) or set(call) != {"instance", "call", "arguments"}:
            raise ValueError('each call must be an object with "instance", "call" and "arguments"')
        kinds = {"instance": str, "call": str, "arguments": list}
        if not all(isinstance(call[key], kind) for key, kind in kinds.items()):
            raise ValueError("a call has a value of the wrong type")
    return calls


def origin(address):
    """Returns the scheme, host and port of an address."""
    url = urllib.parse.urlsplit(address)
    return url.scheme, url.hostname, url.port


def is_in_folder(address, folder):
    """Whether an address is in a folder of a server."""
    path = urllib.parse.unquote(urllib.parse.urlsplit(address).path).replace("\\", "/")
    root = urllib.parse.unquote(urllib.parse.urlsplit(folder).path)
    return origin(address) == origin(folder) and path.startswith(root) and ".." not in path.split("/")


class StreamRedirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects within the stream's folder only."""

    def __init__(self, folder):
        self.folder = folder

    def redirect_request(self, request, body, code, reason, headers, address):
        if not is_in_folder(address, self.folder):
            raise urllib.error.URLError("a redirect out of the stream's folder")
        return super().redirect_request(request, body, code, reason, headers, address)


def opened(address, folder):
    """Requests a file of the stream from its server, whatever proxies the environment names."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), StreamRedirects(folder))
    return opener.open(address, timeout=30)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30

    def answer(self, status, body, type="text/plain; charset=utf-8", policy=PAGE_POLICY):
        self.send_response(status)
        self.send_header("Content-Type", type)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        # Scripts of a page may connect only to this server. A stream file opened as a document may do nothing.
        self.send_header("Content-Security-Policy", policy)
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, status, reason):
        self.close_connection = True
        self.answer(status, f"{reason}\n".encode())

    def is_ours(self):
        """Whether the request names this server as its host. Prevents DNS rebinding by pages of other sites."""
        return self.headers.get("Host") in self.server.names

    def do_GET(self):
        if not self.is_ours():
            return self.refuse(403, "unknown host name")
        url = urllib.parse.urlsplit(self.path)
        path = urllib.parse.unquote(url.path)
        if path == "/counts":
            return self.answer_counts(urllib.parse.parse_qs(url.query))
        settings = self.server.bridge.settings
        if path.startswith("/stream/"):
            return self.answer_stream(path.removeprefix("/stream/"))
        files = {"/": HERE / "index.html", "/hls.js": settings.hls}
        files |= {f"/{name}": HERE / name for name in ("player.js", "dtvr-shim.js")}
        self.answer_file(files.get(path))

    def answer_file(self, path, types=PAGE_TYPES, policy=PAGE_POLICY):
        try:
            if path is None or path.stat().st_size > LONGEST_FILE:
                return self.refuse(404, "file not found")
            self.answer(200, path.read_bytes(), types.get(path.suffix, "application/octet-stream"), policy)
        except (OSError, ValueError):
            self.refuse(404, "file not found")

    def answer_stream(self, rest):
        stream = self.server.bridge.settings.stream
        if not stream.startswith("http:"):
            try:
                root = pathlib.Path(stream).resolve()
                path = (root / rest).resolve()
                is_file = path.is_relative_to(root) and path.is_file()
            except (OSError, ValueError):
                is_file = False
            return self.answer_file(path if is_file else None, STREAM_TYPES, STREAM_POLICY)
        # Forwards a live stream of `dtvr synth`, because the page may load it only from its own origin.
        address = urllib.parse.urljoin(stream, urllib.parse.quote(rest))
        if not is_in_folder(address, stream):
            return self.refuse(404, "file not found")
        try:
            with opened(address, stream) as answer:
                body = answer.read(LONGEST_FILE)
            type = STREAM_TYPES.get(pathlib.PurePath(rest).suffix, "application/octet-stream")
            self.answer(200, body, type, STREAM_POLICY)
        except urllib.error.HTTPError as error:
            self.refuse(error.code, "the stream's server refused the request")
        except OSError:
            self.refuse(502, "the stream's server does not answer")

    def answer_counts(self, query):
        bridge = self.server.bridge
        with bridge.turn:
            session = bridge.sessions.get(query.get("instance", [""])[0])
            if session is None:
                return self.refuse(404, "session not found")
            session.settle()
            counts = {"counts": session.counts(), "findings": session.answer("dtvr_findings")[1]}
        self.answer(200, json.dumps(counts).encode(), "application/json")

    def do_POST(self):
        url = urllib.parse.urlsplit(self.path)
        if not self.is_ours() or self.headers.get("Origin") not in self.server.origins:
            return self.refuse(403, "calls are accepted only from this server's pages")
        if url.path != "/calls":
            return self.refuse(404, "not found")
        try:
            length = int(self.headers.get("Content-Length", ""))
            if not 0 <= length <= LONGEST_BODY:
                return self.refuse(413, "the body is too long")
            query = urllib.parse.parse_qs(url.query)
            page, first = query["page"][0][:64], int(query["first"][0])
            if first < 0:
                raise ValueError("the number of the first call is negative")
            calls = checked(json.loads(self.rfile.read(length)))
            answers = self.server.bridge.make(page, first, calls)
        except (ValueError, KeyError, RecursionError) as error:
            return self.refuse(400, f"invalid list of calls: {error}")
        except OSError as error:
            return self.refuse(500, str(error))
        self.answer(200, json.dumps(answers).encode(), "application/json")

    def log_message(self, *_):
        pass


def settings():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--library", required=True, help="libdtvr.so")
    parser.add_argument("--hls", type=pathlib.Path, required=True, help="hls.js as an ES module")
    parser.add_argument("--stream", required=True, help="the folder with index.m3u8, or its URL")
    folder = lambda path: pathlib.Path(path).resolve()
    parser.add_argument("--store", type=folder, required=True, help="the buffer's folder")
    parser.add_argument("--collector", help="the URL to deliver tags to; without it they stay in the buffer")
    parser.add_argument("--keep-repeats", action="store_true", help="also store tags that repeat the previous one")
    parser.add_argument("--port", type=int, default=0, help="the port on 127.0.0.1; default: a free one")
    parser.add_argument("--log", help="a file for the log of all calls")
    found = parser.parse_args()
    if found.stream.startswith("http:"):
        if urllib.parse.urlsplit(found.stream).hostname not in ("127.0.0.1", "localhost"):
            parser.error("--stream: the stream must be on this machine")
        found.stream = found.stream.rstrip("/") + "/"
    return found


def main():
    bridge = Bridge(settings())
    server = http.server.ThreadingHTTPServer(("127.0.0.1", bridge.settings.port), Handler)
    server.daemon_threads = True
    server.bridge = bridge
    port = server.server_address[1]
    server.names = {f"127.0.0.1:{port}", f"localhost:{port}"}
    server.origins = {f"http://{name}" for name in server.names}
    # Signals arrive on the thread of the server's loop, and shutdown() would deadlock on that thread.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: threading.Thread(target=server.shutdown).start())
    print(f"http://127.0.0.1:{port}/", flush=True)
    server.serve_forever()
    server.server_close()
    bridge.end()


if __name__ == "__main__":
    main()
