#!/usr/bin/env python3
"""Drives headless Chromium with the DevTools protocol over a pipe.

Reads a JSON list of steps from standard input, and prints {"values": [...], "complaints": [...]}: the results of the
steps, and the errors and warnings in the browser's console and log. Steps:

    {"open": URL, "width": W, "height": H, "dark": false, "touch": false}    waits until the page is loaded
    {"wait": EXPRESSION, "within": SECONDS}      waits until the expression is true
    {"value": EXPRESSION}                        returns the value
    {"heap": true}                               returns the bytes of the JavaScript heap after garbage collection
    {"key": NAME}  {"type": TEXT}  {"tap": SELECTOR}  {"hover": SELECTOR}
    {"fetch": URL}                               requests the URL from this program, not from the page
    {"sleep": SECONDS}
    {"picture": PATH}                            saves a PNG screenshot
"""

import base64
import contextlib
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

LIMIT = 600


class Browser:
    def __init__(self, profile):
        to_read, self.to = os.pipe()
        self.back, to_write = os.pipe()
        # Chromium reads from descriptor 3 and writes to 4. Higher numbers avoid a conflict when duplicating.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 20) for end in (to_read, to_write)]

        def connect():
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        self.process = subprocess.Popen(
            ["/usr/bin/chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             "--hide-scrollbars", "--no-first-run", "--disable-background-networking", "--disable-component-update",
             f"--user-data-dir={profile}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=(3, 4),
            preexec_fn=connect)
        for end in [to_read, to_write, *ends]:
            os.close(end)
        self.rest, self.number, self.session, self.answers, self.events = b"", 0, None, {}, []
        self.complaints = []

    def read(self, limit):
        """Processes the messages that arrive within `limit` seconds."""
        if not select.select([self.back], [], [], max(0, limit))[0]:
            return
        block = os.read(self.back, 1 << 20)
        if not block:
            raise SystemExit("Chromium exited")
        *messages, self.rest = (self.rest + block).split(b"\0")
        for message in map(json.loads, messages):
            if "id" in message:
                self.answers[message["id"]] = message
            else:
                self.take(message["method"], message.get("params", {}))

    def take(self, method, params):
        self.events.append(method)
        if method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.complaints.append(" ".join(str(arg.get("value", arg.get("description"))) for arg in params["args"]))
        elif method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.complaints.append(f"{params['entry']['text']} {params['entry'].get('url', '')}".strip())

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + LIMIT
        while self.number not in self.answers:
            if time.monotonic() > end:
                raise SystemExit(f"no answer to {method}")
            self.read(1)
        answer = self.answers.pop(self.number)
        if "error" in answer:
            raise SystemExit(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def begin(self):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise SystemExit(f"{expression}: {result['exceptionDetails']['exception'].get('description')}")
        return result["result"].get("value")

    def middle(self, selector):
        return self.value(
            f"(() => {{ const box = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
            " return [box.left + box.width / 2, box.top + box.height / 2]; })()")

    def step(self, step):
        if "open" in step:
            width, height, touch = step.get("width", 1280), step.get("height", 800), step.get("touch", False)
            self.call(
                "Emulation.setDeviceMetricsOverride", width=width, height=height,
                deviceScaleFactor=step.get("scale", 1),
                mobile=touch)
            self.call("Emulation.setTouchEmulationEnabled", enabled=touch)
            self.call("Emulation.setEmulatedMedia", features=[
                {"name": "prefers-color-scheme", "value": "dark" if step.get("dark") else "light"}])
            self.events.clear()
            self.call("Page.navigate", url=step["open"])
            self.until(lambda: "Page.loadEventFired" in self.events, LIMIT, step["open"])
        elif "wait" in step:
            self.until(lambda: self.value(step["wait"]), step.get("within", LIMIT), step["wait"])
        elif "value" in step:
            return [self.value(step["value"])]
        elif "heap" in step:
            self.call("HeapProfiler.collectGarbage")
            return [self.call("Runtime.getHeapUsage")["usedSize"]]
        elif "key" in step:
            for kind in ("rawKeyDown", "keyUp"):
                codes = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Tab": 9, "Escape": 27,
                         "Home": 36, "End": 35, "Enter": 13}
                self.call("Input.dispatchKeyEvent", type=kind, key=step["key"], code=step["key"],
                          windowsVirtualKeyCode=codes.get(step["key"], ord(step["key"][0])))
        elif "type" in step:
            self.call("Input.insertText", text=step["type"])
        elif "hover" in step:
            x, y = self.middle(step["hover"])
            self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        elif "tap" in step:
            x, y = self.middle(step["tap"])
            self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
            self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        elif "fetch" in step:
            urllib.request.urlopen(step["fetch"], timeout=LIMIT).read()
        elif "sleep" in step:
            end = time.monotonic() + step["sleep"]
            while time.monotonic() < end:
                self.read(end - time.monotonic())
        elif "picture" in step:
            picture = self.call("Page.captureScreenshot", format="png")["data"]
            with open(step["picture"], "wb") as file:
                file.write(base64.b64decode(picture))
        return []

    def until(self, is_there, limit, what):
        end = time.monotonic() + limit
        while not is_there():
            if time.monotonic() > end:
                raise SystemExit(f"timed out waiting for {what}; {self.complaints}")
            self.read(0.05)


def run(steps):
    """Runs the steps; returns their results and the browser's console messages."""
    with browser() as it:
        values = [value for step in steps for value in it.step(step)]
        # Receives the last console messages.
        it.read(0.2)
        return {"values": values, "complaints": it.complaints}


@contextlib.contextmanager
def browser():
    """A browser that is killed at the end of the context."""
    profile = tempfile.mkdtemp()
    it = Browser(profile)
    try:
        it.begin()
        yield it
    finally:
        it.process.kill()
        it.process.wait()
        shutil.rmtree(profile, ignore_errors=True)


if __name__ == "__main__":
    print(json.dumps(run(json.load(sys.stdin))))
