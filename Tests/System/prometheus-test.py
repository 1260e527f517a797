#!/usr/bin/env python3
"""Checks Packaging/prometheus with promtool, and tests an alert end to end: a channel goes silent, Prometheus scrapes
the monitor, and Alertmanager notifies a receiver. Meanwhile, the queries of the README are made. Takes three minutes
and uses only the loopback interface.

    Tests/System/prometheus-test.py        DTVR=PATH uses an existing build of the tool
"""

import http.server
import json
import pathlib
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import urllib.parse

from programs import Generator, built_tool, command_line, free_port, get, root, set_up, start, wait_for

command_line(__doc__)
set_up("operation")
packaged = root / "Packaging/prometheus"
for action, file in (
        ("check", "rules.yml"), ("check", "pairs.yml"), ("check", "collector.yml"), ("test", "rules.test.yml"),
        ("test", "fleet.test.yml")):
    subprocess.run(["promtool", action, "rules", packaged / file], check=True)
subprocess.run(["amtool", "check-config", packaged / "alertmanager.yml"], check=True)
dtvr = built_tool()
work = pathlib.Path(tempfile.mkdtemp(prefix="dtvr-prometheus-"))
notifications = queue.Queue()


def demand(holds, what):
    if not holds:
        sys.exit(f"FAILED: {what}; see {work}")


def start_service(*arguments):
    """Starts a program with its output in a log file."""
    log = open(work / f"{pathlib.Path(str(arguments[0])).name}.log", "w")
    return start(*arguments, work=work, output=log, errors=log)


class Receiver(http.server.BaseHTTPRequestHandler):
    """The webhook for Alertmanager."""

    def do_POST(self):
        notifications.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def notification(status, name, seconds, channel=None):
    """Waits for an alert of that name, status and channel, and returns it; prints all alerts that arrive."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        try:
            message = notifications.get(timeout=left)
        except queue.Empty:
            break
        for alert in message["alerts"]:
            labels = alert["labels"]
            print(
                f"{time.monotonic() - start_time:6.1f} s  {alert['status']} {labels['alertname']} "
                f"{labels.get('channel', '')}",
                flush=True)
            if alert["status"] == status and labels["alertname"] == name and labels.get("channel") == channel:
                return alert
    demand(False, f"no {name} with status {status} within {seconds} s")


def readme_queries():
    """Returns the three queries of the README. One of them continues on a second line."""
    block = re.search(r"Three metrics answer.*?\n\n((?:    .*\n)+)", (root / "README.md").read_text()).group(1)
    lines = [line.split("#")[0].rstrip() for line in textwrap.dedent(block).splitlines()]
    return re.sub(r"\n +", " ", "\n".join(lines)).splitlines()


def run():
    receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    # Channel 2 loses its tags for a while; channel 1 is healthy, and channel 3 never has a tag.
    generator = Generator(dtvr, work, 3, ["at 20s for 100s channel 2: no-tags", "at 0s channel 3: no-tags"])
    (work / "channels").write_text(
        "".join(f"[channel ch{number}]\nurl = {url}\n" for number, url in enumerate(generator.urls, 1)))
    port = free_port()
    monitor = start_service(
        dtvr, "monitor", "--channels", work / "channels", "--store", work / "store", "--listen", f"127.0.0.1:{port}")
    metrics = f"http://127.0.0.1:{port}/metrics"
    wait_for(work, "tag in the metrics", lambda: 'dtvr_tags_total{channel="ch1",kind="data"} ' in get(metrics))
    lint = subprocess.run(["promtool", "check", "metrics"], input=get(metrics), text=True, capture_output=True)
    print(f"promtool check metrics: {lint.returncode} {lint.stdout}{lint.stderr}", flush=True)
    demand(lint.returncode == 0 and not lint.stderr, "promtool check metrics reports problems")

    # The packaged rules, with ten seconds instead of a minute.
    rules = (packaged / "rules.yml").read_text()
    demand(rules.count("for: 1m") == 4, "the rules do not have the four `for: 1m` that this test shortens")
    (work / "rules.yml").write_text(rules.replace("for: 1m", "for: 10s"))
    alertmanager_port, prometheus_port = free_port(), free_port()
    (work / "alertmanager.yml").write_text(f"""
route: {{receiver: test, group_by: [alertname, channel], group_wait: 1s, group_interval: 2s, repeat_interval: 1h}}
receivers:
  - name: test
    webhook_configs: [{{url: 'http://127.0.0.1:{receiver.server_address[1]}/'}}]
""")
    (work / "prometheus.yml").write_text(f"""
global: {{scrape_interval: 2s, evaluation_interval: 2s}}
scrape_configs: [{{job_name: dtvr, static_configs: [{{targets: ['127.0.0.1:{port}']}}]}}]
rule_files: [rules.yml]
alerting: {{alertmanagers: [{{static_configs: [{{targets: ['127.0.0.1:{alertmanager_port}']}}]}}]}}
""")
    start_service(
        "prometheus-alertmanager", f"--config.file={work}/alertmanager.yml", f"--storage.path={work}/alertmanager",
        f"--web.listen-address=127.0.0.1:{alertmanager_port}", "--cluster.listen-address=")
    start_service(
        "prometheus", f"--config.file={work}/prometheus.yml", f"--storage.tsdb.path={work}/prometheus",
        f"--web.listen-address=127.0.0.1:{prometheus_port}")

    fired = notification("firing", "DTVRChannelSilent", 120, "ch2")
    demand(fired["labels"]["severity"] == "critical", "wrong labels in the alert")
    demand("ch2" in fired["annotations"]["summary"] and fired["annotations"]["description"], "wrong annotations")

    def query(expression):
        address = f"http://127.0.0.1:{prometheus_port}/api/v1/query?" + urllib.parse.urlencode({"query": expression})
        return json.loads(get(address))["data"]["result"]

    answer = query("count(dtvr_channel_state==1)")
    demand(answer[0]["value"][1] == "3", "a channel is not in exactly one state")
    silent, late, alerts = readme_queries()
    for expression in (silent, late):
        # The second one has a limit of its own, which may be reached later.
        wait_for(
            work, f"answer of channels 2 and 3 to {expression}",
            lambda: sorted(series["metric"]["channel"] for series in query(expression)) == ["ch2", "ch3"])
        print(f"{time.monotonic() - start_time:6.1f} s  ch2 and ch3: {expression}", flush=True)
    demand(
        [(series["metric"]["check"], series["value"][1]) for series in query(alerts)] == [("presence.silent", "2")],
        f"{alerts} does not have the two silent channels: {query(alerts)}")
    notification("resolved", "DTVRChannelSilent", 180, "ch2")

    monitor.send_signal(signal.SIGTERM)
    demand(monitor.wait(10) == 0, "the monitor's exit status is not 0")
    notification("firing", "DTVRMonitorDown", 60)


start_time = time.monotonic()
run()
print("The alerts arrived and were resolved.")
shutil.rmtree(work)
