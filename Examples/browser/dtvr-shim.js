// The browser's calls of the public guides (NOLBUNDLE.nlsQ and ggPM) for a page whose session is elsewhere: each call goes, in
// order and once, to the bridge that served this script. Nothing is asked of or sent to anybody else, and nothing is thrown
// into the player.
//
// It has to come before the connector: the connectors' own snippets leave a NOLBUNDLE alone that is there already.
(() => {
    "use strict";

    const address = new URL("calls", document.currentScript.src);
    // What the bridge tells pages apart by, and this one's calls after a connection that broke.
    const page = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
    // A browser sends no more than 64 KiB for a page that is being left.
    const longestBody = 60_000;
    const longestQueue = 4_096;

    // The text of each call that the bridge has not answered yet, and the number of the first.
    let waiting = [];
    let first = 0;
    let dropped = 0;
    let isSending = false;
    let pause = 0;

    // Bytes go as one character each, U+0000 to U+00FF.
    function plain(value) {
        if (value instanceof ArrayBuffer) value = new Uint8Array(value);
        if (!ArrayBuffer.isView(value)) return value;
        const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
        return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
    }

    function call(instance, name, values) {
        try {
            const given = Array.from(values);
            while (given.length > 0 && given[given.length - 1] === undefined) given.pop();
            // As text at once: players go on to change the objects that they hand over.
            const text = JSON.stringify({ instance, call: name, arguments: given.map(plain) });
            if (waiting.length >= longestQueue || new Blob([text]).size > longestBody) {
                dropped += 1;
                return;
            }
            waiting.push(text);
        } catch {
            // Nothing that JSON can say, such as an object that contains itself.
            dropped += 1;
            return;
        }
        send();
    }

    // The next calls that fit into a body, from a place on.
    function batch(from) {
        let end = from;
        for (let size = 2; end < waiting.length; end += 1) {
            size += new Blob([waiting[end]]).size + 1;
            if (end > from && size > longestBody) break;
        }
        return { end, url: `${address}?page=${page}&first=${first + from}`, body: `[${waiting.slice(from, end).join(",")}]` };
    }

    async function send() {
        if (isSending) return;
        isSending = true;
        while (waiting.length > 0) {
            // Calls that are made in one go travel together.
            await new Promise((resolve) => setTimeout(resolve, pause));
            const { end, url, body } = batch(0);
            try {
                const answer = await fetch(url, { method: "POST", body, credentials: "omit" });
                if (answer.status >= 500) throw new Error(answer.statusText);
                if (!answer.ok) dropped += end;
                waiting.splice(0, end);
                first += end;
                pause = 0;
            } catch {
                pause = Math.min(30_000, 2 * pause + 250);
            }
        }
        isSending = false;
    }

    // What is unanswered goes along when the page is left; the bridge passes over the calls that it has made already.
    addEventListener("pagehide", () => {
        for (let from = 0; from < waiting.length;) {
            const { end, url, body } = batch(from);
            if (!navigator.sendBeacon(url, body)) break;
            from = end;
        }
    });

    const instances = new Map();

    function instance(name) {
        const known = instances.get(name);
        if (known) return known;
        const made = {};
        for (const method of ["ggPM", "processEvent", "trackEvent"]) {
            made[method] = (...values) => call(name, method, values);
        }
        // The name that the older library had for it.
        made.ggInitialize = (information) => call(name, "init", [information]);
        instances.set(name, made);
        return made;
    }

    function begin(appid, name, information) {
        name = String(name);
        const isNew = !instances.has(name);
        const made = instance(name);
        if (isNew) call(name, "init", [{ instanceName: name, ...information, appid }]);
        if (!(name in bundle)) bundle[name] = made;
        return made;
    }

    const bundle = {
        nlsQ: begin,
        // How many calls wait for the bridge, and how many were given up.
        get waiting() { return waiting.length; },
        get dropped() { return dropped; },
    };
    window.NOLBUNDLE = bundle;
    // The older library's door.
    window.NOLCMB = { getInstance: (name) => instance(String(name)) };
    // The door of pages without a document: `await new BsdkInstance(…)`.
    window.BsdkInstance = function (appid, name, information) {
        return Promise.resolve(begin(appid, name, information));
    };
})();
