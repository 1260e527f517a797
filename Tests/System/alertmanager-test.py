#!/usr/bin/env python3
"""Runs a pair of monitors with a real Prometheus and Alertmanager, and the packaged rules and configuration: alerts of
the monitors in Alertmanager's format, one message for a monitor that is down, and the queries of the dashboards. Takes
five minutes and uses only the loopback interface.

    Tests/System/alertmanager-test.py      DTVR=PATH uses an existing build of the tool
"""

import http.server
import json
import pathlib
import re
import shutil
import signal
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse

from programs import Generator, built_tool, command_line, free_port, get, root, set_up, start, wait_for

command_line(__doc__)
set_up("operation")
packaged = root / "Packaging"
dtvr = built_tool()
work = pathlib.Path(tempfile.mkdtemp(prefix="dtvr-alertmanager-"))
start_time = time.monotonic()
messages = []


def demand(holds, what):
    if not holds:
        sys.exit(f"FAILED: {what}; see {work}")


def say(text):
    print(f"{time.monotonic() - start_time:6.1f} s  {text}", flush=True)


class Receiver(http.server.BaseHTTPRequestHandler):
    """The webhook of Alertmanager."""

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        names = [
            f"{alert['labels']['alertname']} {alert['labels'].get('channel', '')} {alert['status']}"
            for alert in message["alerts"]]
        say(f"{self.path}: {', '.join(sorted(names))}")
        messages.append((self.path, message))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def sent(name, status="firing"):
    """Returns the messages with an alert of that name and status."""
    return [
        message for _, message in messages
        if any(alert["labels"]["alertname"] == name and alert["status"] == status for alert in message["alerts"])]


def start_service(name, *arguments):
    return start(*arguments, work=work, output=open(work / f"{name}.log", "w"), errors=open(work / f"{name}.err", "w"))


def dashboard_queries():
    for name in ("dashboard", "collectors"):
        for panel in json.loads((packaged / f"grafana/{name}.json").read_text())["panels"]:
            for target in panel.get("targets", []):
                query = target["expr"].replace("$__rate_interval", "1m")
                for variable, value in (("job", "dtvr"), ("instance", ".*"), ("channel", ".*")):
                    query = query.replace(f"${variable}", value)
                yield f"{name}: {panel['title']}", query


def documented_queries():
    """Returns the queries of docs/monitoring.md; a line that is indented further continues one."""
    text = (root / "docs/monitoring.md").read_text()
    text = text[text.index("The most common queries:"):text.index("### Prometheus and Grafana")]
    lines = [line[4:].split("#")[0].rstrip() for line in text.splitlines() if line.startswith("    ")]
    return [query for query in re.sub(r"\n +", " ", "\n".join(lines)).splitlines() if query]


def run():
    receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    generator = Generator(dtvr, work, 3, ["at 40s for 60s channel 2: no-tags"])
    (work / "channels").write_text("".join(
        f"[channel ch{number}]\nname = Channel <{number}> & more\nurl = {url}?token=secret\n"
        for number, url in enumerate(generator.urls, 1)))
    alertmanager_port, prometheus_port, *ports = (free_port() for _ in range(4))
    alertmanager = f"http://127.0.0.1:{alertmanager_port}"
    configuration = (packaged / "prometheus/alertmanager.yml").read_text()
    for old, new in (
            ("127.0.0.1:9095", f"127.0.0.1:{receiver.server_address[1]}"), ("group_wait: 30s", "group_wait: 2s"),
            ("group_interval: 5m", "group_interval: 5s")):
        demand(old in configuration, f"alertmanager.yml has no {old}, which this test replaces")
        configuration = configuration.replace(old, new)
    (work / "alertmanager.yml").write_text(configuration)
    for name in ("rules", "pairs"):
        rules = (packaged / f"prometheus/{name}.yml").read_text()
        # The alert of the monitor comes first, as with the packaged times.
        rules = rules.replace("for: 1m", "for: 4s").replace("for: 5m", "for: 12s").replace("[10m]", "[1h]")
        (work / f"{name}.yml").write_text(rules)
    targets = ", ".join(f"'127.0.0.1:{port}'" for port in ports)
    (work / "prometheus.yml").write_text(f"""
global: {{scrape_interval: 2s, evaluation_interval: 2s}}
scrape_configs: [{{job_name: dtvr, static_configs: [{{targets: [{targets}]}}]}}]
rule_files: [rules.yml, pairs.yml]
alerting: {{alertmanagers: [{{static_configs: [{{targets: ['127.0.0.1:{alertmanager_port}']}}]}}]}}
""")
    start_service(
        "alertmanager", "prometheus-alertmanager", f"--config.file={work}/alertmanager.yml",
        f"--storage.path={work}/alertmanager", f"--web.listen-address=127.0.0.1:{alertmanager_port}",
        "--cluster.listen-address=")
    monitors = [
        start_service(
            f"monitor-{port}", dtvr, "monitor", "--channels", work / "channels", "--store", work / f"store-{port}",
            "--listen", f"127.0.0.1:{port}", "--alert-format", "alertmanager",
            "--alert-webhook", f"{alertmanager}/api/v2/alerts", "--public-url", f"https://dtvr.example/{port}",
            "--limit-alert-hold", "1s")
        for port in ports]
    for port in ports:
        wait_for(
            work, "tags in the metrics",
            lambda: get(f"http://127.0.0.1:{port}/metrics").count('kind="data"} ') >= 3)
    start_service(
        "prometheus", "prometheus", f"--config.file={work}/prometheus.yml", f"--storage.tsdb.path={work}/prometheus",
        f"--web.listen-address=127.0.0.1:{prometheus_port}")

    wait_for(work, "Prometheus", lambda: get(f"http://127.0.0.1:{prometheus_port}/-/ready"))

    def query(expression):
        address = f"http://127.0.0.1:{prometheus_port}/api/v1/query?" + urllib.parse.urlencode({"query": expression})
        try:
            return json.loads(get(address))["data"]["result"]
        except urllib.error.HTTPError as error:
            demand(False, f"{expression}: {json.loads(error.read())['error']}")

    wait_for(work, "both copies", lambda: len(query('up{job="dtvr"} == 1')) == 2)

    def alerts():
        return json.loads(get(f"{alertmanager}/api/v2/alerts"))

    # An alert of both copies is one message.
    own = wait_for(
        work, "the alerts of both monitors in Alertmanager",
        lambda: (found := [each for each in alerts() if each["labels"]["alertname"] == "presence.silent"])
        and len(found) == 2 and found, 120)
    for alert in own:
        annotations = alert["annotations"]
        demand(annotations["name"] == "Channel <2> & more", "no name")
        demand(annotations["address"].startswith(generator.urls[1]) and "secret" not in str(alert), "the address")
        demand(annotations["page"].startswith("https://dtvr.example/") and annotations["what_to_do"], "no page")
    wait_for(work, "the message", lambda: sent("presence.silent"))
    names = [name for name, _ in dashboard_queries()]
    for name, expression in [*dashboard_queries(), *(("monitoring.md", each) for each in documented_queries())]:
        series = query(expression)
        known = [each["metric"].get("channel") for each in series]
        if "group_left (name)" in expression and "cause" not in expression and "check" not in expression:
            demand("instance" not in str(series), f"{name} has a series for each copy")
            demand(all("name" in each["metric"] for each in series), f"{name} has no names: {series}")
            if "state" not in expression and "outcome" not in expression:
                demand(len(set(known)) == len(known), f"{name} has several series for a channel: {series}")
    lasts = query(next(each for name, each in dashboard_queries() if name.endswith("Time since the last tag")))
    demand(sorted(each["metric"]["channel"] for each in lasts) == ["ch1", "ch2", "ch3"], f"the channels: {lasts}")
    say(f"{len(names)} queries of dashboards, {len(documented_queries())} of docs/monitoring.md")
    wait_for(work, "the clear", lambda: sent("presence.silent", "resolved"), 150)
    demand(len(sent("presence.silent")) <= 2, "an alert of both copies is more than one message")

    # One copy dies.
    wait_for(work, "healthy channels", lambda: len(query('dtvr_channel_state{state="healthy"} == 1')) == 6, 150)
    del messages[:]
    monitors[0].send_signal(signal.SIGKILL)
    wait_for(work, "DTVRMonitorDown", lambda: sent("DTVRMonitorDown"))
    copies = wait_for(
        work, "the channels with one copy in Alertmanager",
        lambda: (found := [each for each in alerts() if each["labels"]["alertname"] == "DTVRChannelHasOneCopy"])
        and len(found) == 3 and found)
    time.sleep(15)
    demand(all(each["status"]["inhibitedBy"] for each in copies), "DTVRChannelHasOneCopy is not inhibited")
    # The monitors of this test have no collector.
    others = [
        message for _, message in messages
        if any(alert["labels"]["alertname"] != "DTVRDeliveryStalled" for alert in message["alerts"])]
    demand(len(others) == 1, f"a dead copy is {len(others)} messages")
    # Both copies are dead: one message for the channels, and one for each monitor at most.
    monitors[1].send_signal(signal.SIGKILL)
    (message,) = wait_for(work, "the channels without a monitor", lambda: sent("DTVRChannelNotFollowed"), 200)
    demand(len(message["alerts"]) == 3, "the channels without a monitor are several messages")


run()
print("The alerts arrived, and one dead copy was one message.")
shutil.rmtree(work)
