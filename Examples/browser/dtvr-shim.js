// The browser calls of the public guides (NOLBUNDLE.nlsQ and ggPM) for a page without a local session. Each call is
// sent, in order and once, to the bridge that served this script. The script contacts no other server, and throws
// nothing into the player.
//
// Load it before the connector: the snippets of the connectors keep an existing NOLBUNDLE.
(() => {
    "use strict";

    const address = new URL("calls", document.currentScript.src);
    // Identifies this page to the bridge, also after a lost connection.
    const random = crypto.getRandomValues(new Uint8Array(16));
    const page = Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("");
    // sendBeacon sends at most 64 KiB when the page is left.
    const longestBody = 60_000;
    const longestQueue = 4_096;

    // The JSON text of the unanswered calls, and the number of the first.
    let waiting = [];
    let first = 0;
    let dropped = 0;
    let isSending = false;
    let pause = 0;

    // Encodes bytes as one character each, U+0000 to U+00FF.
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
            // Encodes the call at once, because players may change the objects later.
            const text = JSON.stringify({ instance, call: name, arguments: given.map(plain) });
            if (waiting.length >= longestQueue || new Blob([text]).size > longestBody) {
                dropped += 1;
                return;
            }
            waiting.push(text);
        } catch {
            // The call cannot be encoded as JSON, for example because an object contains itself.
            dropped += 1;
            return;
        }
        send();
    }

    // Returns a request with the calls from an index on that fit into a body.
    function batch(from) {
        let end = from;
        for (let size = 2; end < waiting.length; end += 1) {
            size += new Blob([waiting[end]]).size + 1;
            if (end > from && size > longestBody) break;
        }
        const url = `${address}?page=${page}&first=${first + from}`;
        return { end, url, body: `[${waiting.slice(from, end).join(",")}]` };
    }

    async function send() {
        if (isSending) return;
        isSending = true;
        while (waiting.length > 0) {
            // Waits so that calls made together are sent together.
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

    // Sends unanswered calls when the page is left; the bridge ignores calls that it has already made.
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
        // The name in the older library.
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
        // The numbers of waiting and dropped calls.
        get waiting() { return waiting.length; },
        get dropped() { return dropped; },
    };
    window.NOLBUNDLE = bundle;
    // The entry point of the older library.
    window.NOLCMB = { getInstance: (name) => instance(String(name)) };
    // The entry point without a document: `await new BsdkInstance(…)`.
    window.BsdkInstance = function (appid, name, information) {
        return Promise.resolve(begin(appid, name, information));
    };
})();
