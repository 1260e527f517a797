"""The command line of the scripts in this folder, and the programs that they run: the built tool, the generator of live
channels, the collector, and the monitor. The programs are killed when the script exits, even after an error."""

import argparse
import atexit
import datetime
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request

root = pathlib.Path(__file__).resolve().parents[2]
running = []
violations = []


def command_line(documentation, commands=None, **operands):
    """Returns the values of a script's operands by name, or the `command` and its operands. Each operand has its
    default value, a type if it is required, or a list of default values if it may be repeated. The documentation is the
    help."""
    form = {"description": documentation, "formatter_class": argparse.RawDescriptionHelpFormatter}
    parser = argparse.ArgumentParser(**form)
    parts = [(parser, operands)]
    if commands:
        parsers = parser.add_subparsers(dest="command", required=True)
        parts = [(parsers.add_parser(name, **form), each) for name, each in commands.items()]
    for part, each in parts:
        for name, value in each.items():
            if isinstance(value, type):
                part.add_argument(name, metavar=name.upper(), type=value)
            elif isinstance(value, list):
                kind = type(value[0]) if value else str
                part.add_argument(name, metavar=name.upper(), nargs="*", type=kind, default=value)
            else:
                part.add_argument(name, metavar=name.upper(), nargs="?", type=type(value), default=value)
    return parser.parse_args()


def random_seed():
    return random.SystemRandom().randrange(1 << 31)


def set_up(task):
    """Installs the missing packages for a task of Scripts/setup.sh."""
    subprocess.run([root / "Scripts/setup.sh", task], check=True, stdout=sys.stderr)


def built_tool():
    """Returns the path of the tool: DTVR from the environment, or a release build."""
    if path := os.environ.get("DTVR"):
        return path
    build = ["swift", "build", "-c", "release"]
    subprocess.run([*build, "--product", "dtvr"], cwd=root, check=True, stdout=sys.stderr)
    folder = subprocess.run([*build, "--show-bin-path"], cwd=root, check=True, text=True, stdout=subprocess.PIPE).stdout
    return folder.strip() + "/dtvr"


def demand(holds, what):
    """Records a violation unless the condition holds."""
    if not holds:
        violations.append(what)


def report_violations(work, *details):
    """Prints the recorded violations and exits with 1 if there are any."""
    for violation in violations[:50]:
        print(f"FAILED: {violation}", file=sys.stderr)
    if violations:
        sys.exit("; ".join([f"FAILED: {len(violations)} violations", *details, f"see {work}"]))


def wait_for(work, what, condition, seconds=60):
    """Waits until a condition holds, and returns its result; ends the test if it takes too long. A condition that fails
    to connect does not hold yet."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if result := condition():
                return result
        except OSError:
            pass
        time.sleep(0.1)
    sys.exit(f"FAILED: timed out after {seconds} s waiting for {what}; see {work}")


def nginx_folders(work):
    """Returns the lines of a configuration of nginx that keep its temporary files in a folder."""
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    return " ".join(f"{kind}_temp_path {work}/nginx-{kind};" for kind in kinds)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@atexit.register
def kill_all():
    for process in reversed(running):
        if process.poll() is None:
            process.kill()
            process.wait()


def start(*arguments, work, output=subprocess.PIPE, errors=subprocess.DEVNULL, **environment):
    """Starts a program without the user's settings."""
    process = subprocess.Popen(
        list(map(str, arguments)), text=True, stdout=output, stderr=errors,
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(work), "LANG": "C.UTF-8", **environment})
    running.append(process)
    return process


def unix(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def get(url):
    with urllib.request.urlopen(url, timeout=60) as answer:
        return answer.read().decode()


class Generator:
    """`dtvr synth --live`, with the addresses of its channels and the segments that they publish."""

    def __init__(self, dtvr, work, channels, script, *more):
        (work / "script").write_text("".join(line + "\n" for line in script))
        self.process = start(
            dtvr, "synth", "--live", "0", "--channels", channels, "--script", work / "script", *more, work=work,
            errors=None)
        self.urls = [self.process.stdout.readline().strip() for _ in range(channels)]
        first = self.published(1)[0]
        self.began = unix(first["date"]) - first["begin"] / 1000

    def published(self, number):
        """Returns the segments of a channel with their tags, and `begin` and `end` in milliseconds since the start."""
        return list(map(json.loads, get(self.urls[number - 1].replace("index.m3u8", "published.jsonl")).splitlines()))

    @property
    def now(self):
        """The seconds since the start."""
        return time.time() - self.began


class Collector:
    """`dtvr collect`, which keeps its port when it is restarted. Its messages are in `work`/collector.log. It writes
    files into a folder, unless other operands say where it stores tags."""

    def __init__(self, dtvr, work, folder="collected", fault=None, storage=None):
        self.dtvr, self.work, self.folder, self.port = dtvr, work, work / folder, 0
        self.storage = storage or ["--dir", self.folder]
        self.start(fault)

    def start(self, fault=None):
        for port in (self.port, 0):
            with open(self.work / "collector.log", "a") as log:
                self.process = start(
                    self.dtvr, "collect", "--listen", f"127.0.0.1:{port}", *self.storage,
                    *(["--fault", fault] if fault else []), work=self.work, errors=log)
            if line := self.process.stdout.readline():
                break
            # Another program may have taken the port.
            self.process.wait()
        else:
            sys.exit(f"The collector did not start; see {self.work}/collector.log")
        self.url = line.split()[-1]
        self.port = int(self.url.split("/")[2].split(":")[1])

    def reload(self):
        """Lets it read its tokens again."""
        self.process.send_signal(signal.SIGHUP)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        """Stops it as a service manager does, and returns its exit status."""
        self.process.terminate()
        return self.process.wait(30)

    def tags(self):
        for page in sorted(self.folder.glob("tags-*")):
            with open(page) as lines:
                yield from map(json.loads, lines)

    def has_written(self, source):
        """Whether a tag of a source is in the files; also after a kill, which may cut the last line."""
        return any(json.dumps(source) in page.read_text(errors="replace") for page in self.folder.glob("tags-*"))


class Monitor:
    """`dtvr monitor`, with the events that it prints. Tags are counted and passed to `take_tag`."""

    def __init__(
            self, dtvr, work, urls, *more, defaults="", collector=None, take_tag=lambda event: None, **environment):
        (work / "channels").write_text(
            f"[defaults]\n{defaults}\n"
            + "".join(f"[channel ch{number}]\nurl = {url}\n" for number, url in enumerate(urls, 1))
        )
        self.findings, self.alerts, self.tag_count, self.summary = [], [], 0, None
        self.states = {}
        self.take_tag = take_tag
        self.began = time.time()
        self.process = start(
            dtvr, "monitor", "--channels", work / "channels", "--store", work / "store", "--format", "jsonl",
            *(["--collector", collector.url] if collector else []), *more, work=work,
            errors=open(work / "monitor.log", "a"), **environment)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            # A killed monitor may leave an incomplete line.
            if not line.endswith("\n"):
                break
            event = json.loads(line)
            match event["type"]:
                case "tag":
                    self.tag_count += 1
                    self.take_tag(event)
                case "finding": self.findings.append(event)
                case "alert": self.alerts.append(event)
                case "state": self.states[event["channel"]] = event["to"] + ": " + event["reason"]
                case "summary": self.summary = event

    def resources(self):
        """Returns its memory in kilobytes and its number of open files."""
        folder = f"/proc/{self.process.pid}"
        memory = next(line.split()[1] for line in open(folder + "/status") if line.startswith("VmRSS"))
        return int(memory), len(os.listdir(folder + "/fd"))

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.reader.join(30)

    def end(self):
        """Stops it as a service manager does; returns its exit status and the seconds that it took."""
        begin = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(30)
        self.reader.join(30)
        return code, time.monotonic() - begin
