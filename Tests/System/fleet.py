"""A fleet for the scripts in this folder: PostgreSQL in a temporary folder, collectors behind nginx, and copies of the
shards of monitors."""

import contextlib
import hashlib
import json
import os
import pathlib
import pwd
import signal
import subprocess
import sys
import time

from programs import Collector, Generator, Monitor, free_port, nginx_folders, start


class Database:
    """A PostgreSQL server with the superuser `admin`, reachable only through a socket in its folder. A server refuses
    to run as root, which starts it as `postgres`."""

    def __init__(self, work):
        self.work, self.folder = work, work / "database"
        self.folder.mkdir()
        found = pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb")
        self.programs = max(found, key=lambda path: int(path.parts[-3])).parent
        self.user = []
        if os.geteuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            self.user = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
        self.data = self.folder / "data"
        self.call("initdb", "-D", self.data, "-A", "trust", "-U", "admin", "-E", "UTF8", "--locale=C")
        self.start()
        self.sql("CREATE DATABASE dtvr", database="postgres")

    def call(self, program, *operands):
        """Runs one of PostgreSQL's programs to its end, and returns its output."""
        command = [*self.user, self.programs / program, *operands]
        ended = subprocess.run(list(map(str, command)), cwd="/", text=True, capture_output=True)
        if ended.returncode:
            sys.exit(f"FAILED: {program} exited with {ended.returncode}: {ended.stderr}")
        return ended.stdout

    def start(self):
        """Starts the server, and waits until it accepts connections."""
        with open(self.work / "database.log", "a") as log:
            self.process = start(
                *self.user, self.programs / "postgres", "-D", self.data, "-c", "listen_addresses=", "-c",
                f"unix_socket_directories={self.folder}", work=self.work, output=log, errors=log)
        end = time.monotonic() + 60
        ready = [self.programs / "pg_isready", "-q", "-h", self.folder]
        while subprocess.run(ready).returncode:
            if self.process.poll() is not None or time.monotonic() > end:
                sys.exit(f"FAILED: PostgreSQL did not start; see {self.work}/database.log")
            time.sleep(0.05)

    def stop(self, mode):
        self.call("pg_ctl", "stop", "-s", "-m", mode, "-D", self.data)
        self.process.wait(30)

    def pause(self):
        """Stops all processes of the server: its system acknowledges bytes, and nothing answers."""
        self.process.send_signal(signal.SIGSTOP)
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        self.paused = [self.process.pid, *map(int, children.split())]
        self.signal_paused(signal.SIGSTOP)

    def resume(self):
        self.signal_paused(signal.SIGCONT)

    def signal_paused(self, number):
        for process in self.paused:
            # A session may have ended meanwhile.
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)

    def command(self, user="admin", database="dtvr"):
        """Returns the command line of psql, which prints rows with tabs between their columns."""
        return [
            *self.user, self.programs / "psql", "-XAtq", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-h", self.folder,
            "-U", user, "-d", database]

    def sql(self, text, **to):
        """Runs SQL, and returns the rows as lists of texts."""
        ended = subprocess.run(
            list(map(str, [*self.command(**to), "-c", text])), cwd="/", text=True, capture_output=True)
        if ended.returncode:
            sys.exit(f"FAILED: psql exited with {ended.returncode}: {ended.stderr}")
        return [line.split("\t") for line in ended.stdout.splitlines()]

    def run_script(self, file):
        """Runs a file of psql's commands, and returns what it prints."""
        return self.call(self.programs / "psql", *self.command()[len(self.user) + 1:], "-f", file)

    def uri(self, user="admin"):
        return f"postgres://{user}@/dtvr?host={self.folder}"


def shard_of(name, count):
    """Returns the number of the shard of a channel, as docs/scaling.md defines it."""
    mask = (1 << 64) - 1
    state = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
    weights = []
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) & mask
        weight = state
        weight = (weight ^ weight >> 30) * 0xBF58476D1CE4E5B9 & mask
        weight = (weight ^ weight >> 27) * 0x94D049BB133111EB & mask
        weights.append(weight ^ weight >> 31)
    return weights.index(max(weights))


class Fleet:
    """A ledger, collectors behind nginx, generated channels, and monitors: `copies` of each of `shards`."""

    def __init__(self, dtvr, work, channels, shards, copies, collectors, seed=0):
        self.dtvr, self.work, self.shards, self.copies = dtvr, work, shards, copies
        # PostgreSQL and the workers of nginx run as other users.
        work.chmod(0o755)
        self.database = Database(work)
        self.call("ledger", "init", "--ledger", self.database.uri())
        for name in ("insert", "owner", "read"):
            self.database.sql(f"CREATE ROLE {name} LOGIN IN ROLE dtvr_{name}")
        (work / "tokens").write_text("".join(f"token-{copy} copy-{copy}\n" for copy in range(copies)))
        self.generator = Generator(
            dtvr, work, channels, [], "--bitrate", "125", "--seed", seed & 0x7FFF_FFFF)
        self.collectors = [self.make_collector(number) for number in range(collectors)]
        self.port = free_port()
        self.start_nginx()
        self.url = f"http://127.0.0.1:{self.port}/"
        # What other users' settings would be: the environment of the monitors of a copy, and who starts them.
        self.environments = [{"DTVR_TOKEN": f"token-{copy}"} for copy in range(copies)]
        self.monitors = {}
        # The times in which a monitor ran, in seconds of the generator's clock; the last end is None.
        self.runs = {(copy, shard): [] for copy in range(copies) for shard in range(shards)}

    def call(self, *operands, fails=False, **environment):
        """Runs the tool to its end, and returns its output."""
        with open(self.work / "calls.log", "a") as log:
            process = start(self.dtvr, *operands, work=self.work, errors=log, **environment)
        output = process.communicate()[0]
        if process.returncode and not fails:
            sys.exit(f"FAILED: dtvr {' '.join(map(str, operands))} exited with {process.returncode}; see {self.work}")
        return output

    def make_collector(self, number):
        folder = self.work / f"collector-{number}"
        folder.mkdir()
        return Collector(
            self.dtvr, folder, storage=["--ledger", self.database.uri("insert"), "--token-file", self.work / "tokens"])

    def start_nginx(self):
        servers = "".join(f"server 127.0.0.1:{each.port} max_fails=1 fail_timeout=1s; " for each in self.collectors)
        (self.work / "nginx.conf").write_text(f"""
daemon off; worker_processes 1; pid {self.work}/nginx.pid; error_log {self.work}/nginx.log;
events {{ worker_connections 1024; }}
http {{
    access_log off; client_max_body_size 64m;
    {nginx_folders(self.work)}
    upstream collectors {{ {servers} keepalive 16; }}
    server {{
        listen 127.0.0.1:{self.port};
        location / {{ proxy_pass http://collectors; proxy_http_version 1.1; proxy_set_header Connection ""; }}
    }}
}}
""")
        start("nginx", "-c", self.work / "nginx.conf", "-e", self.work / "nginx.log", work=self.work)

    def folder(self, copy, shard):
        return self.work / f"copy-{copy}" / str(shard)

    def start_monitor(self, copy, shard):
        """Starts the monitor of a shard, which continues with its buffer."""
        folder = self.folder(copy, shard)
        folder.mkdir(parents=True, exist_ok=True)
        self.runs[copy, shard].append([self.generator.now, None])
        self.monitors[copy, shard] = Monitor(
            self.dtvr, folder, self.generator.urls, "--shard", f"{shard}/{self.shards}", collector=self,
            **self.environments[copy])

    def start_monitors(self):
        for copy, shard in self.runs:
            self.start_monitor(copy, shard)

    def kill_monitor(self, copy, shard):
        self.runs[copy, shard][-1][1] = self.generator.now
        self.monitors.pop((copy, shard)).kill()

    def end_monitor(self, copy, shard):
        """Stops a monitor as a service manager does, and returns its exit status and summary."""
        monitor = self.monitors.pop((copy, shard))
        self.runs[copy, shard][-1][1] = self.generator.now
        return monitor.end()[0], monitor.summary

    def deliver(self, copy, shard):
        """Sends the tags that wait in the buffer of a monitor that has ended, and returns the state of the buffer."""
        store = self.folder(copy, shard) / "store"
        self.call("upload", "--store", store, "--collector", self.url, **self.environments[copy])
        return json.loads(self.call("store", "status", "--format", "json", "--store", store))
