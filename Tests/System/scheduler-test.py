#!/usr/bin/env python3
"""Tests the examples of Examples/fleet with the programs that they are for.

    Tests/System/scheduler-test.py        DTVR=PATH uses an existing build of the tool

Checks an archive with 16 shards by an array of Slurm, by GNU parallel over ssh to two names of this machine, and in the
environment of the Kubernetes Job: after sorting, all have the lines of one process. A shard that is killed and started
again has no line twice. The manifests are validated strictly, a monitor and a collector run in the environments that
they set, systemd verifies the units, and DuckDB runs the queries. Everything uses the loopback interface.
"""

import collections
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from fleet import Database, shard_of
from programs import (
    built_tool, command_line, demand, free_port, get, report_violations, root, set_up, start, wait_for)

command_line(__doc__)
set_up("fleet")
set_up("schedulers")
import yaml

dtvr = built_tool()
examples = root / "Examples/fleet"
work = pathlib.Path(tempfile.mkdtemp(prefix="dtvr-schedulers-"))
work.chmod(0o755)
SHARDS, INPUTS = 16, 200
(work / "bin").mkdir()
(work / "bin/dtvr").symlink_to(pathlib.Path(dtvr).resolve())
PATH = f"{work}/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def call(*command, statuses=(0,), **environment):
    """Runs a program to its end, and returns its output."""
    environment = {"PATH": PATH, "HOME": str(work), "LANG": "C.UTF-8", **environment}
    ended = subprocess.run(list(map(str, command)), cwd=work, text=True, capture_output=True, env=environment)
    if ended.returncode not in statuses:
        sys.exit(f"FAILED: {command[0]} exited with {ended.returncode}: {ended.stdout}{ended.stderr}; see {work}")
    return ended.stdout


def make_archive():
    """Makes an archive of links to media/demo, with damaged and unreadable inputs; returns the lines of one process."""
    names = []
    for number in range(INPUTS):
        link = work / f"archive/{number}"
        link.parent.mkdir(exist_ok=True)
        if number % 20 == 1:
            # Some segments are missing.
            for file in (root / "media/demo").rglob("*.*"):
                if file.name not in ("seg00002.ts", "seg00003.ts", "seg00004.ts"):
                    place = link / file.relative_to(root / "media/demo")
                    place.parent.mkdir(parents=True, exist_ok=True)
                    place.symlink_to(file)
        elif number % 20:
            link.symlink_to(root / "media/demo")
        names.append(f"{link}/index.m3u8")
    (work / "inputs").write_text("".join(name + "\n" for name in names))
    command = ["dtvr", "check", "--format", "jsonl", "--inputs", work / "inputs"]
    return sorted(call(*command, statuses=(1,)).splitlines())


def demand_lines(what, folder):
    lines = sorted(line for file in folder.glob("*.jsonl") for line in file.read_text().splitlines())
    files = len(list(folder.glob("*.jsonl")))
    demand(lines == expected, f"{what}: {len(lines)} lines in {files} files are not those of one process")
    print(f"{what}: {files} files, {len(lines)} lines, the same as of one process", flush=True)


def results(name):
    folder = work / name / "results"
    folder.mkdir(parents=True)
    return folder


# ---- Slurm ----

def run_slurm():
    """Starts munged, slurmctld and slurmd on the loopback interface, and submits the array."""
    host = socket.gethostname().split(".")[0]
    folder = work / "slurm"
    (folder / "spool").mkdir(parents=True)
    (folder / "state").mkdir()
    key = folder / "munge.key"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o400)
    socket_path = folder / "munge.socket"
    log = open(folder / "log", "w")
    files = {"key": key, "pid": folder / "munge.pid", "log": folder / "munge.log", "seed": folder / "munge.seed"}
    start(
        "munged", "--foreground", "--force", f"--socket={socket_path}",
        *(f"--{name}-file={file}" for name, file in files.items()), work=work, output=log, errors=log)
    wait_for(work, "munged", socket_path.exists)
    (folder / "slurm.conf").write_text(f"""
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={socket_path}
CredType=cred/munge
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MailProg=/bin/true
NodeName={host} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} State=UNKNOWN
PartitionName=test Nodes={host} Default=YES MaxTime=INFINITE State=UP
""")
    settings = {"SLURM_CONF": str(folder / "slurm.conf")}
    start("slurmctld", "-D", work=work, output=log, errors=log, **settings)
    start("slurmd", "-D", "-N", host, work=work, output=log, errors=log, **settings)
    state = lambda: call("sinfo", "-h", "-o", "%T", statuses=(0, 1), **settings).strip()
    wait_for(work, "a node of Slurm", lambda: state() == "idle")
    made = results("slurm-results")
    environment = {"PATH": PATH, "HOME": str(work), **settings}
    submitted = subprocess.run(
        ["sbatch", "--wait", "--output", made.parent / "%a.log", "slurm-array.sh", work / "inputs", made], cwd=examples,
        env=environment, text=True, capture_output=True)
    demand(submitted.returncode == 0, f"sbatch exited with {submitted.returncode}: {submitted.stderr}")
    demand_lines("Slurm", made)


# ---- GNU parallel ----

def run_parallel():
    """Starts sshd on the loopback interface, and runs the shards on two names of it."""
    folder = work / "ssh"
    folder.mkdir(mode=0o700)
    for name in ("host", "user"):
        call("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name)
    port = free_port()
    pathlib.Path("/run/sshd").mkdir(exist_ok=True)
    (folder / "sshd_config").write_text(f"""
ListenAddress 127.0.0.1:{port}
HostKey {folder}/host
PidFile none
AuthorizedKeysFile {folder}/user.pub
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
MaxStartups 100
SetEnv PATH={PATH}
""")
    known = f"[127.0.0.1]:{port} " + (folder / "host.pub").read_text()
    (folder / "known_hosts").write_text(known)
    (folder / "config").write_text(f"""
Host first second
    HostName 127.0.0.1
    Port {port}
    IdentityFile {folder}/user
    IdentitiesOnly yes
    UserKnownHostsFile {folder}/known_hosts
""")
    log = open(folder / "log", "w")
    start("/usr/sbin/sshd", "-D", "-e", "-f", folder / "sshd_config", work=work, output=log, errors=log)
    wait_for(work, "sshd", lambda: socket.create_connection(("127.0.0.1", port)).close() is None)
    made = results("parallel")
    call(
        examples / "parallel.sh", "first,second", work / "inputs", made, SHARDS,
        PARALLEL_SSH=f"ssh -F {folder}/config")
    hosts = {line.split("\t")[1] for line in (made / "joblog").read_text().splitlines()[1:]}
    demand(hosts == {"first", "second"}, f"GNU parallel used the hosts {hosts}")
    demand_lines("GNU parallel over ssh", made)


# ---- A kill ----

def run_killed():
    """Kills a shard in the middle, and starts it again."""
    made = results("killed")
    kills = 0
    for shard in range(SHARDS):
        environment = {"DTVR_SHARD": str(shard), "DTVR_SHARDS": str(SHARDS), "PATH": PATH}
        file = made / f"{shard}.jsonl"
        if shard < 4:
            process = start("dtvr", "check", "--format", "jsonl", "--inputs", work / "inputs", "--resume", file,
                            work=work, output=subprocess.DEVNULL, **environment)
            wait_for(work, "a line", lambda: file.exists() and file.stat().st_size > 0 or process.poll() is not None)
            process.kill()
            kills += process.wait() == -9
        call(examples / "check-shard.sh", work / "inputs", made, **environment)
    demand(kills, "every shard ended before it was killed")
    demand_lines(f"{kills} killed and resumed shards", made)


# ---- A million inputs ----

def peak(*operands):
    """Runs the tool to its end, and returns its exit status, the lines of its errors, and its peak memory in MB."""
    errors = work / "errors"
    with open(errors, "w") as log:
        process = start("dtvr", *operands, work=work, output=subprocess.DEVNULL, errors=log, PATH=PATH)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    with open(errors) as lines:
        return process.returncode, lines.readlines(), usage.ru_maxrss / 1000


def run_million():
    """Reads one of a thousand shards of a list with a million inputs, and continues a file of a million lines."""
    count = 1_000_000
    with open(work / "million", "w") as names, open(work / "million.jsonl", "w") as lines:
        for number in range(count):
            names.write(f"/archive/2026-11-01/channel-{number}/index.m3u8\n")
            lines.write(f'{{"source":"/archive/2026-11-01/channel-{number}/index.m3u8","verdict":"pass"}}\n')
    check = ["check", "--format", "jsonl", "--inputs", work / "million"]
    for what, operands in (
            ("shard", [*check, "--shard", "7/1000"]), ("continued file", [*check, "--resume", work / "million.jsonl"])):
        status, lines, megabytes = peak(*operands)
        print(f"a {what} of a million inputs: {megabytes:.0f} MB", flush=True)
        demand(megabytes < 100, f"a {what} of a million inputs takes {megabytes:.0f} MB")
        if what == "shard":
            demand(status == 3 and 800 < len(lines) < 1_200, f"{len(lines)} lines of a shard, status {status}")
        else:
            skipped = f"dtvr: skipped {count} inputs that were checked before\n"
            demand(status == 0 and lines == [skipped], f"the continued file exited with {status}: {lines[:2]}")
    (work / "million").unlink()
    (work / "million.jsonl").unlink()


# ---- Kubernetes ----

# The documented fields that the ServiceMonitors use, of the Prometheus Operator's API reference. `*` is a map.
SERVICE_MONITOR = {
    "apiVersion": "monitoring.coreos.com/v1", "kind": "ServiceMonitor",
    "metadata": {"name": str, "namespace": str, "labels": {"*": str}},
    "spec": {
        "jobLabel": str, "targetLabels": [str], "selector": {"matchLabels": {"*": str}},
        "namespaceSelector": {"any": bool, "matchNames": [str]},
        "endpoints": [{
            "port": str, "path": str, "scheme": str, "interval": str, "scrapeTimeout": str, "honorLabels": bool,
            "authorization": {"type": str, "credentials": {"name": str, "key": str}},
            "relabelings": [{
                "action": str, "sourceLabels": [str], "targetLabel": str, "regex": str, "replacement": str}]}]}}


def compare(value, form, place):
    """Compares a value of a manifest with the documented fields."""
    if isinstance(form, dict):
        demand(isinstance(value, dict), f"{place} is not an object")
        for key, each in value.items():
            part = form.get(key, form.get("*"))
            demand(part is not None, f"{place} has the undocumented field {key}")
            if part is not None:
                compare(each, part, f"{place}.{key}")
    elif isinstance(form, list):
        for number, each in enumerate(value):
            compare(each, form[0], f"{place}[{number}]")
    else:
        demand(value == form if isinstance(form, str) else isinstance(value, form), f"{place} is {value!r}")


def manifests(name):
    return list(yaml.safe_load_all((examples / "kubernetes" / name).read_text()))


def container(name, kind):
    """Returns a workload and its container."""
    workload, = (each for each in manifests(name) if each["kind"] == kind)
    only, = workload["spec"]["template"]["spec"]["containers"]
    return workload["spec"], only


def environment(container, index, places):
    """Returns the environment that Kubernetes sets in the pod of an index, with other places."""
    index_fields = {
        "metadata.annotations['batch.kubernetes.io/job-completion-index']",
        "metadata.labels['apps.kubernetes.io/pod-index']"}
    values = {}
    for variable in container["env"]:
        if source := variable.get("valueFrom"):
            demand(source["fieldRef"]["fieldPath"] in index_fields, f"unknown field {source}")
            value = str(index)
        else:
            value = variable["value"]
        values[variable["name"]] = places.get(value, value)
    return values


def validate(python):
    for name in ("check-archive.yml", "monitors.yml", "collectors.yml"):
        told = call(
            sys.executable, "-m", "kubernetes_validate", "--strict", examples / "kubernetes" / name,
            PYTHONPATH=str(python))
        lines = told.splitlines()
        demand(lines and all(line.startswith("INFO ") for line in lines), f"{name}: {told}")
        print("\n".join(lines))
    for manifest in manifests("service-monitors.yml"):
        compare(manifest, SERVICE_MONITOR, manifest["metadata"]["name"])
    services = [
        each for name in ("monitors.yml", "collectors.yml") for each in manifests(name) if each["kind"] == "Service"]
    for manifest in manifests("service-monitors.yml"):
        wanted = manifest["spec"]["selector"]["matchLabels"].items()
        found = [each for each in services if wanted <= each["metadata"]["labels"].items()]
        ports = {endpoint["port"] for endpoint in manifest["spec"]["endpoints"]}
        demand(
            len(found) == 1 and ports <= {port["name"] for port in found[0]["spec"]["ports"]},
            f"{manifest['metadata']['name']} selects no port of a Service")


def run_job():
    """Runs the container of the Job for each index."""
    spec, only = container("check-archive.yml", "Job")
    made = results("job")
    demand(spec["completions"] == SHARDS, "the Job has another number of completions")
    demand(spec["completionMode"] == "Indexed", "the Job is not indexed")
    text, = only["args"]
    text = text.replace("/archive/inputs", str(work / "inputs")).replace("/results/", f"{made}/")
    for index in range(SHARDS):
        values = environment(only, index, {})
        demand(values["DTVR_SHARDS"] == str(spec["completions"]), "DTVR_SHARDS differs from the completions")
        call(*only["command"], text, **values)
    demand_lines("the container of the Job", made)


def answers(url):
    """Returns the status of an answer."""
    try:
        get(url)
        return 200
    except urllib.error.HTTPError as error:
        return error.code


def run_stateful_set():
    """Runs the container of the StatefulSet for each index, and compares the channels that it follows."""
    spec, only = container("monitors.yml", "StatefulSet")
    names = [f"channel-{number}" for number in range(40)]
    lines = (f"[channel {name}]\nurl = http://127.0.0.1:9/{name}.m3u8\n" for name in names)
    (work / "channels").write_text("".join(lines))
    token = "token-of-the-scheduler-test"
    (work / "listen-token").write_text(token + "\n")
    (work / "collector-token").write_text("collector\n")
    for index in range(spec["replicas"]):
        port = free_port()
        values = environment(only, index, {
            "/etc/dtvr/channels": str(work / "channels"), "/etc/dtvr-secrets/listen-token": str(work / "listen-token"),
            "/etc/dtvr-secrets/collector-token": str(work / "collector-token"), "0.0.0.0:9464": f"127.0.0.1:{port}",
            "/var/lib/dtvr/store": str(work / f"store-{index}"), "http://dtvr-collector:8271/": "http://127.0.0.1:9/"})
        demand(values["DTVR_SHARDS"] == str(spec["replicas"]), "DTVR_SHARDS differs from the replicas")
        log = open(work / f"monitor-{index}.log", "w")
        monitor = start("dtvr", *only["args"], work=work, errors=log, **{**values, "PATH": PATH})
        base = f"http://127.0.0.1:{port}"
        for probe in ("livenessProbe", "readinessProbe"):
            wait_for(work, probe, lambda: answers(base + only[probe]["httpGet"]["path"]) == 200)
        request = urllib.request.Request(base + "/metrics", headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            told = answer.read().decode()
        followed = {name for name in names if f'dtvr_channel_state{{channel="{name}",' in told}
        demand(
            followed == {name for name in names if shard_of(name, spec["replicas"]) == index},
            f"monitor {index} follows {sorted(followed)}")
        monitor.terminate()
        demand(monitor.wait(30) == 0, f"monitor {index} did not exit with 0")
    print("the containers of the StatefulSet: each follows its channels", flush=True)


def run_deployment():
    """Runs the container of the Deployment, with a database."""
    _, only = container("collectors.yml", "Deployment")
    database = Database(work)
    (work / "tokens").write_text("abc one\n")
    (work / "pgpass").write_text("*:*:*:*:right\n")
    (work / "pgpass").chmod(0o600)
    port = free_port()
    values = environment(only, 0, {
        "postgres://collector@dtvr-database/dtvr": database.uri("collector"), "0.0.0.0:8271": f"127.0.0.1:{port}",
        "/etc/dtvr-secrets/tokens": str(work / "tokens"), "/etc/dtvr-secrets/pgpass": str(work / "pgpass")})
    call("dtvr", "ledger", "init", "--ledger", database.uri())
    database.sql("CREATE ROLE collector LOGIN PASSWORD 'right' IN ROLE dtvr_insert")
    log = open(work / "collector.log", "w")
    collector = start("dtvr", *only["args"], work=work, errors=log, **{**values, "PATH": PATH})
    base = f"http://127.0.0.1:{port}"
    for probe in ("livenessProbe", "readinessProbe"):
        wait_for(work, probe, lambda: answers(base + only[probe]["httpGet"]["path"]) == 200)
    database.stop("immediate")
    wait_for(work, "a collector that is not ready", lambda: answers(base + "/readyz") == 503)
    demand(answers(base + "/healthz") == 200, "a collector without a database is not alive")
    database.start()
    wait_for(work, "a collector that is ready again", lambda: answers(base + "/readyz") == 200)
    collector.terminate()
    demand(collector.wait(30) == 0, "the collector did not exit with 0")
    database.stop("fast")
    print("the container of the Deployment: ready while the database is there", flush=True)


# ---- systemd and DuckDB ----

def verify_units():
    text = (examples / "dtvr-monitor@.service").read_text()
    packaged = (root / "Packaging/systemd/dtvr-monitor.service").read_text()
    hardening = packaged[packaged.index("AmbientCapabilities="):]
    demand(text.endswith(hardening), "the hardening differs from that of the packaged unit")
    for line in ("DTVR_SHARD=%i", "Environment=DTVR_SHARDS=4", "StateDirectory=dtvr/%i"):
        demand(line in text, f"the unit has no {line}")
    units = work / "units"
    units.mkdir()
    (units / "dtvr-monitor@.service").write_text(text.replace("/usr/bin/dtvr", f"{work}/bin/dtvr"))
    told = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", units / "dtvr-monitor@0.service"], text=True, capture_output=True)
    demand(told.returncode == 0 and not told.stderr, f"systemd-analyze verify: {told.returncode} {told.stderr}")
    print("systemd-analyze verify: no warnings")


def run_queries(python):
    sys.path.insert(0, str(python))
    import duckdb
    os.chdir(work / "job")
    connection = duckdb.connect()
    statements = connection.extract_statements((examples / "results.sql").read_text())
    tables = [connection.execute(each).fetchall() for each in statements]
    expected_verdicts = {}
    for line in map(json.loads, expected):
        verdict = "unreadable" if "error" in line else line["verdict"]
        expected_verdicts[verdict] = expected_verdicts.get(verdict, 0) + 1
    demand(dict(tables[1]) == expected_verdicts, f"DuckDB counts {tables[1]}, not {expected_verdicts}")
    failures = collections.Counter(
        check["id"] for line in map(json.loads, expected) for check in line.get("checks", [])
        if check["status"] == "fail")
    found = {id: inputs for id, inputs, _ in tables[2]}
    demand(failures and found == failures, f"DuckDB finds the failures {found}, not {failures}")
    demand(len(tables[3]) == INPUTS // 20, f"DuckDB finds {len(tables[3])} unreadable inputs")
    print(f"DuckDB: {tables[1]}")


expected = make_archive()
demand(len(expected) == INPUTS, f"one process has {len(expected)} lines")
python = work / "python"
pip = [sys.executable, "-m", "pip", "install", "-q", "--root-user-action", "ignore", "--target", python]
subprocess.run([*pip, "kubernetes-validate", "duckdb"], check=True)
validate(python)
verify_units()
run_killed()
run_million()
run_job()
run_queries(python)
run_stateful_set()
run_deployment()
run_parallel()
run_slurm()
report_violations(work)
shutil.rmtree(work)
