#!/usr/bin/env python3
"""Takes screenshots of dtvr's pages in desktop and phone sizes, light and dark.

    Scripts/screenshots.py report DIR [PAGE.html...]
    Scripts/screenshots.py monitor DIR [CHANNELS [SECONDS]]     default: 1000 channels, and a page open for 60 s

DTVR=PATH uses an existing build of the tool.

report: HTML reports, as PAGE-1280-light.png and so on. Without a page, it creates a report of a synthetic stream with a
fault.

monitor: Follows synthetic live channels, five of them with faults, and takes screenshots of the monitor's pages:
monitor-1280-light.png, channel-390-dark.png and so on. The exit status is 1 if a page logs errors to the console, is
wider than the window, shows problems only below the fold, or leaks memory.
"""

import pathlib
import resource
import subprocess
import sys
import tempfile
import time

root = pathlib.Path(__file__).resolve().parent.parent
sys.path += [str(root / "Tests/Peers"), str(root / "Tests/System")]
from browse import run
from programs import Generator, built_tool, command_line, start

SIZES = [(width, scheme) for width in (1280, 390) for scheme in ("light", "dark")]


def report(pictures, pages):
    with tempfile.TemporaryDirectory() as work:
        if not pages:
            dtvr, stream = built_tool(), f"{work}/stream"
            subprocess.run([dtvr, "synth", stream, "--duration", "600", "--fault", "time.rate"], check=True)
            pages = [pictures / "report.html"]
            with open(pages[0], "w") as page:
                check = subprocess.run([dtvr, "check", f"{stream}/index.m3u8", "--format", "html"], stdout=page)
            # The exit status for a stream with a fault is 1.
            if check.returncode != 1:
                sys.exit(f"dtvr check exited with {check.returncode}")
    steps = []
    for page in map(pathlib.Path, pages):
        for width, scheme in SIZES:
            height = 5200 if width == 390 else 4000
            steps += [
                {"open": page.resolve().as_uri(), "width": width, "height": height, "dark": scheme == "dark"},
                {"sleep": 1}, {"picture": f"{pictures}/{page.stem}-{width}-{scheme}.png"}]
    run(steps)


FAULTS = [
    "at 30s for 3600s channel 17: status 503", "at 35s for 3600s channel 4: status 503",
    "at 20s for 3600s channel 7: no-tags", "at 25s for 3600s channel 12: no-tags", "at 60s for 20s channel 3: no-tags"]


def monitor(pictures, channels, seconds):
    # Each channel has a connection on both sides.
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    with tempfile.TemporaryDirectory() as folder:
        work, dtvr = pathlib.Path(folder), built_tool()
        generator = Generator(dtvr, work, channels, FAULTS, "--bitrate", "64")
        (work / "channels").write_text("".join(
            f"[channel station-{number:04}]\nname = Station {number} HD\nurl = {url}\n"
            for number, url in enumerate(generator.urls, 1)))
        with open(work / "log", "w") as log:
            server = start(
                dtvr, "monitor", "--channels", work / "channels", "--store", work / "store", "--listen", "127.0.0.1:0",
                "--format", "jsonl", work=work, output=subprocess.DEVNULL, errors=log)
        while not (site := (work / "log").read_text().partition("listening on ")[2]).endswith("\n"):
            if server.poll() is not None:
                sys.exit((work / "log").read_text())
            time.sleep(0.2)
        # Until the faults have raised alerts.
        time.sleep(90)
        problems = visit(site.splitlines()[0], pictures, channels, seconds)
        for process in (server, generator.process):
            process.terminate()
            process.wait()
    if problems:
        sys.exit("\n".join(problems))


def visit(site, pictures, channels, seconds):
    """Takes the pictures, and returns the problems of the pages."""
    there = {"wait": f"document.querySelectorAll('#channels li').length === {channels}"}
    overflow = {"value": "document.documentElement.scrollWidth - innerWidth"}
    seen = {"value": "['#overall', '#alerts li', '#channels .unreachable'].every((name) => "
                     "document.querySelector(name).getBoundingClientRect().bottom <= innerHeight)"}
    steps, wanted = [], []
    for width, scheme in SIZES:
        window = {
            "width": width,
            "height": 800 if width == 1280 else 844,
            "dark": scheme == "dark",
            "touch": width < 720,
        }
        steps += [{"open": site, **window}, there, {"wait": "!document.getElementById('alerts').hidden"}, {"sleep": 3},
                  {"picture": f"{pictures}/monitor-{width}-{scheme}.png"}, overflow, seen]
        steps += [{"open": f"{site}channels/station-0003", **window, "height": 1600}, {"sleep": 1},
                  {"picture": f"{pictures}/channel-{width}-{scheme}.png"}, overflow]
        wanted += [0, True, 0]
    count = 5
    steps += [{"open": site}, there, {"sleep": 5}]
    for _ in range(count):
        steps += [{"heap": True}, {"sleep": seconds / count}]
    visit = run([*steps, {"heap": True}])
    values, heaps = visit["values"][:len(wanted)], visit["values"][len(wanted):]
    print("memory of the page:", ", ".join(f"{heap / 1e6:.2f} MB" for heap in heaps), file=sys.stderr)
    problems = visit["complaints"]
    if values != wanted:
        problems.append(f"the pages gave {values}, expected {wanted}")
    if heaps[-1] > 1.2 * heaps[0]:
        problems.append("the page's memory grows")
    return problems


options = command_line(
    __doc__,
    {"report": {"dir": pathlib.Path, "page": []}, "monitor": {"dir": pathlib.Path, "channels": 1000, "seconds": 60.0}})
if not pathlib.Path("/usr/bin/chromium").exists():
    sys.exit("Chromium is missing; as root: apt-get install chromium")
options.dir.mkdir(parents=True, exist_ok=True)
if options.command == "report":
    report(options.dir.resolve(), options.page)
else:
    monitor(options.dir.resolve(), options.channels, options.seconds)
print("\n".join(map(str, sorted(options.dir.glob("*.png")))))
