"use strict";
// The page of all channels. It shows the data of the monitor's event stream and loads nothing from other servers. Data
// from the network is inserted as text only, never as HTML.
(() => {
  // The states, worst first, with the letters of their cells.
  const states = {
    unreachable: "U", ended: "E", silent: "S", degraded: "D", connecting: "C", healthy: "·", paused: "P",
  };
  const rank = new Map(Object.keys(states).map((state, index) => [state, index]));
  const failing = ["unreachable", "ended", "silent"];
  const troubled = [...failing, "degraded"];
  /** Whether a channel has ended, as it may. */
  const isOver = (channel) => channel.state === "ended" && channel.may_end;
  const isTroubled = (channel) => troubled.includes(channel.state) && !isOver(channel);
  const rankOf = (channel) => (isOver(channel) ? rank.size : rank.get(channel.state) ?? 0);
  const collator = new Intl.Collator("en", { numeric: true });
  // Events arrive at least every ten seconds. After this time without one, contact counts as lost.
  const patience = 25_000;
  // Limits: cells with details, cells with names, and failing cells with names among many cells without.
  const [largeCount, mediumCount, namedCount] = [20, 160, 48];
  // If more channels change at once, no change is highlighted.
  const pointedOutCount = 12;

  const byId = (id) => document.getElementById(id);
  const [list, facts, overall, contact, matches] = ["channels", "facts", "overall", "contact", "matches"].map(byId);
  const [alertBox, alertList, alertCount, buffer, icon] = [
    byId("alerts"), byId("alert-list"), byId("alert-count"), byId("buffer"), document.querySelector("link[rel=icon]"),
  ];
  const delivery = byId("delivery");
  const allowsChanges = byId("handling") !== null;
  const form = document.querySelector(".filters");
  const search = form.elements.q;

  /** The channels by id, with their data and elements. */
  let channels = new Map();
  /** The visible channels, in order. */
  let shown = [];
  let alerts = [];
  /** The visible states; empty for all. */
  let chosenStates = new Set();
  /** The offset of the monitor's clock from the browser's, in milliseconds. */
  let clockDifference = 0;
  let lastContact = performance.now();
  let lastTime = null;
  /** Why nothing is delivered; null if it is. */
  let failure = null;
  let isLost = false;

  const number = (value) => value.toLocaleString("en").replaceAll(",", "\u202F");
  const plural = (count, one) => `${number(count)} ${one}${count === 1 ? "" : "s"}`;

  function element(name, text, attributes = {}) {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  /** Sets a text if it has changed, so that a screen reader does not repeat it. */
  function write(node, text) {
    if (node.textContent !== text) node.textContent = text;
  }

  const now = () => Date.now() + clockDifference;

  function age(time) {
    const seconds = Math.max(0, Math.round((now() - Date.parse(time)) / 1000));
    if (seconds < 100) return `${seconds} s`;
    if (seconds < 6000) return `${Math.round(seconds / 60)} min`;
    return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`;
  }

  const seconds = (value) => (value === null ? "–" : `${Math.round(value * 10) / 10} s`);

  // MARK: Channels

  function makeEntry(channel) {
    const item = element("li");
    const cell = element("a", undefined, { class: "cell", tabindex: "-1" });
    const entry = {
      item, cell, mark: element("span", "", { class: "mark", "aria-hidden": "true" }),
      name: element("bdi", "", { class: "name" }), last: element("span", "", { class: "last" }),
      why: element("bdi", "", { class: "why" }),
    };
    cell.append(entry.mark, entry.name, entry.last, entry.why);
    cell.href = "channels/" + encodeURIComponent(channel.id);
    cell.dataset.id = channel.id;
    item.append(cell);
    return entry;
  }

  const reasonOf = (channel) => (channel.state === "healthy" ? "" : channel.reason);

  function update(channel) {
    let entry = channels.get(channel.id);
    const before = entry?.channel;
    if (!entry) channels.set(channel.id, (entry = makeEntry(channel)));
    entry.channel = channel;
    const isOther = before?.state !== channel.state || before.may_end !== channel.may_end;
    if (isOther) entry.item.className = isTroubled(channel) ? "troubled" : "";
    if (isOther || before.alerts !== channel.alerts) {
      const known = rank.has(channel.state) ? channel.state : "connecting";
      entry.cell.className = "cell " + (isOver(channel) ? "over" : known);
      entry.cell.classList.toggle("alerted", channel.alerts > 0 && !isTroubled(channel));
      write(entry.mark, states[channel.state] ?? "?");
    }
    write(entry.name, channel.name);
    write(entry.why, reasonOf(channel));
    if (isOther || before.reason !== channel.reason || before.name !== channel.name) {
      const reason = reasonOf(channel);
      entry.cell.setAttribute("aria-label", `${channel.name}: ${channel.state}${reason ? ", " + reason : ""}`);
      entry.text = `${channel.id} ${channel.name} ${channel.reason}`.toLowerCase();
    }
    const isChanged = before !== undefined && isOther;
    const needsPlace = isOther || before.name !== channel.name || before.reason !== channel.reason;
    return { isChanged, needsPlace, entry };
  }

  function compare(a, b) {
    const [one, other] = [a.channel, b.channel];
    return rankOf(one) - rankOf(other) || collator.compare(one.id, other.id);
  }

  /** Shows the matching channels in order, without touching elements that are already in place. */
  function arrange() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    shown = [...channels.values()].filter(
      (entry) => (!chosenStates.size || chosenStates.has(entry.channel.state)) &&
        words.every((word) => entry.text.includes(word))).sort(compare);
    const focused = list.contains(document.activeElement) ? document.activeElement : null;
    const wanted = new Set(shown.map((entry) => entry.item));
    for (const item of [...list.children]) if (!wanted.has(item)) item.remove();
    shown.forEach((entry, index) => {
      const there = list.children[index];
      if (there !== entry.item) list.insertBefore(entry.item, there ?? null);
    });
    const badCount = shown.filter((entry) => isTroubled(entry.channel)).length;
    const size = shown.length <= largeCount ? "large" : shown.length <= mediumCount ? "medium" : "small";
    list.className = size === "small" && badCount <= namedCount ? "small few" : size;
    if (focused?.isConnected) focused.focus({ preventScroll: true });
    // Tab reaches one cell; the arrow keys reach the others.
    if (!list.querySelector("[tabindex='0']")) shown[0]?.cell.setAttribute("tabindex", "0");
    const isFiltered = words.length > 0 || chosenStates.size > 0;
    matches.hidden = !isFiltered;
    write(matches, isFiltered ? `${number(shown.length)} of ${plural(channels.size, "channel")}` : "");
    if (facts.dataset.id && !shown.some((entry) => entry.channel.id === facts.dataset.id)) hideFacts();
    showAges();
  }

  // MARK: Overall state

  function summarize() {
    const [all, counts] = [{}, {}];
    for (const { channel } of channels.values()) {
      all[channel.state] = (all[channel.state] ?? 0) + 1;
      if (!isOver(channel)) counts[channel.state] = (counts[channel.state] ?? 0) + 1;
    }
    for (const button of document.querySelectorAll(".states button")) {
      const count = all[button.value] ?? 0;
      write(button.querySelector("b"), number(count));
      button.classList.toggle("empty", count === 0);
    }
    const count = (names) => names.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
    const bad = count(troubled);
    const told = troubled.filter((state) => counts[state])
      .map((state) => `${number(counts[state])} ${state}`).join(", ");
    const worst = count(failing) ? "fail" : bad || failure ? "warn" : counts.healthy ? "pass" : "none";
    const signs = { fail: "✕", warn: "!", pass: "✓", none: "–" };
    let text = `${number(bad)} of ${plural(channels.size, "channel")} ${bad === 1 ? "needs" : "need"} attention`;
    if (!bad) {
      const healthy = counts.healthy ?? 0;
      text = !channels.size ? "No channels"
        : healthy === channels.size ? `All ${plural(healthy, "channel")} healthy`
        : `${number(healthy)} of ${plural(channels.size, "channel")} healthy`;
    }
    if (failure) text += ", nothing is delivered";
    overall.className = "overall " + worst;
    write(overall.querySelector(".sign"), signs[worst]);
    write(overall.querySelector(".text"), text);
    const title = isLost ? "no contact – dtvr monitor" : `${told || text} – dtvr monitor`;
    if (document.title !== title) document.title = title;
    setIcon(isLost ? "none" : worst);
  }

  /** Shows the overall state in the tab icon, by color and shape. */
  function setIcon(status) {
    const shapes = {
      fail: "<path d='M8 0 16 16H0Z' fill='#c2410c'/><path d='M7 6h2v5H7zm0 6h2v2H7z' fill='#fff'/>",
      warn: "<path d='M8 0 16 8 8 16 0 8Z' fill='#d99a00'/>",
      pass: "<circle cx='8' cy='8' r='7' fill='#2f8f78'/>"
        + "<path d='m4 8 3 3 5-6' stroke='#fff' stroke-width='2' fill='none'/>",
      none: "<circle cx='8' cy='8' r='6' fill='none' stroke='#8f97a3' stroke-width='3'/>",
    };
    const svg = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'>${shapes[status]}</svg>`;
    const address = "data:image/svg+xml," + encodeURIComponent(svg);
    if (icon.getAttribute("href") !== address) icon.setAttribute("href", address);
  }

  function showAlerts(count) {
    alertBox.hidden = alerts.length === 0;
    write(alertCount, count > alerts.length ? `${number(count)}, worst ${alerts.length} shown` : number(count));
    alertList.replaceChildren(...alerts.map((alert) => {
      const item = element("li", undefined, { class: alert.severity === "fail" ? "fail" : "warn" });
      const isFailure = alert.severity === "fail";
      const subject = element("span", undefined, { class: "subject" });
      if (alert.monitor) {
        subject.append("this monitor");
      } else if (alert.channel === null) {
        subject.append(element("bdi", alert.host), ` (${plural(alert.channels.length, "channel")})`);
      } else {
        const link = element("a", undefined, { href: "channels/" + encodeURIComponent(alert.channel) });
        link.append(element("bdi", channels.get(alert.channel)?.channel.name ?? alert.channel));
        subject.append(link);
      }
      const check = element("code");
      check.append(element("a", alert.check, { href: alert.docs ?? "checks/" + encodeURIComponent(alert.check) }));
      const what = element("bdi", detailOf(alert), { class: "what", title: alert.detail });
      what.alert = alert;
      item.append(
        element("span", isFailure ? "✕" : "!",
          { class: "sign", role: "img", "aria-label": isFailure ? "failure" : "warning" }),
        element("time", "", { datetime: alert.since }), subject, check, what);
      showHandling(alert, subject.textContent, item);
      return item;
    }));
  }

  /** Shows who looks after an alert, whether it is muted, and the buttons for both. */
  function showHandling(alert, subject, item) {
    const line = element("p", undefined, { class: "evidence" });
    const until = (word) => ` until ${word.until.slice(0, 16).replace("T", " ")} UTC `;
    if (alert.acknowledged) {
      line.append("Acknowledged by ", element("bdi", alert.acknowledged.by), until(alert.acknowledged));
    }
    if (alert.muted) line.append("Muted by ", element("bdi", alert.muted.by), until(alert.muted));
    if (allowsChanges) {
      const about = { "data-alert": alert.id, "data-check": alert.check, "data-subject": `${subject}: ${alert.check}` };
      if (alert.channel) about["data-channel"] = alert.channel;
      const button = (text, act) =>
        line.append(element("button", text, { type: "button", class: "act", "data-act": act, ...about }));
      button("Acknowledge", "acknowledge");
      if (alert.muted) {
        line.append(element(
          "button", "End the mute",
          { type: "button", class: "act", "data-act": "unmute", "data-mute": alert.muted.id }));
      } else if (alert.channel || alert.monitor) {
        button("Mute", "mute");
      }
    }
    if (line.childNodes.length) item.append(line);
  }

  function showDelivery() {
    delivery.hidden = failure === null;
    if (!failure) return;
    const wait = failure.until ? Math.max(0, Math.round((Date.parse(failure.until) - now()) / 1000)) : 0;
    const next = !failure.until ? "" : wait < 100 ? `; next attempt in ${wait} s`
      : `; next attempt in ${Math.round(wait / 60)} min`;
    write(delivery, `Nothing is delivered: ${failure.reason}${next}`);
  }

  /** Returns the detail of an alert; that of a silent channel with the current duration. */
  function detailOf(alert) {
    const time = alert.check === "presence.silent" ? channels.get(alert.channel)?.channel.last_data_tag : null;
    return time ? `No DATA tag since ${time.slice(11, 19)} UTC (${age(time)})` : alert.detail;
  }

  function showAges() {
    for (const what of alertList.querySelectorAll(".what")) write(what, detailOf(what.alert));
    showDelivery();
    for (const time of alertList.querySelectorAll("time")) write(time, age(time.dateTime) + " ago");
    if (list.className === "large") {
      for (const { channel, last } of shown) {
        write(last, channel.last_tag === null ? "no tag yet" : `tag ${age(channel.last_tag)} ago`);
      }
    }
    if (facts.dataset.id) showFacts(channels.get(facts.dataset.id));
  }

  // MARK: One channel

  function showFacts(entry, isTouched = facts.classList.contains("sheet")) {
    if (!entry) return hideFacts();
    facts.classList.toggle("sheet", isTouched);
    const { channel, cell } = entry;
    if (facts.dataset.id !== channel.id) {
      channels.get(facts.dataset.id)?.cell.classList.remove("chosen");
      cell.classList.add("chosen");
      facts.dataset.id = channel.id;
    }
    const rows = [
      ["Id", channel.id], ["Last tag", channel.last_tag === null ? "none yet" : `${age(channel.last_tag)} ago`],
      ["Spacing", seconds(channel.spacing)], ["Behind live", seconds(channel.behind_live)],
      ["Since the start", `${plural(channel.tags, "tag")}, ${plural(channel.findings, "finding")}`],
    ];
    if (channel.alerts) rows.push(["Active alerts", number(channel.alerts)]);
    const names = element("dl");
    for (const [key, value] of rows) names.append(element("dt", key), element("dd", value));
    const name = element("strong");
    name.append(element("bdi", channel.name));
    const state = element("p", `${channel.state} for ${age(channel.since)}`);
    const reason = reasonOf(channel);
    if (reason) state.append(": ", element("bdi", reason));
    facts.replaceChildren(name, state, names, element("a", "Open the channel", { href: cell.href }));
    facts.hidden = false;
    const box = cell.getBoundingClientRect();
    const below = box.bottom + 8 + facts.offsetHeight <= innerHeight;
    facts.style.top = `${Math.max(8, below ? box.bottom + 8 : box.top - 8 - facts.offsetHeight)}px`;
    facts.style.left = `${Math.max(12, Math.min(box.left, innerWidth - 12 - facts.offsetWidth))}px`;
  }

  function hideFacts() {
    channels.get(facts.dataset.id)?.cell.classList.remove("chosen");
    delete facts.dataset.id;
    facts.hidden = true;
  }

  const entryAt = (target) => channels.get(target.closest?.(".cell")?.dataset.id);

  list.addEventListener("pointerover", (event) => {
    if (event.pointerType !== "touch" && entryAt(event.target)) showFacts(entryAt(event.target), false);
  });
  list.addEventListener("pointerleave", (event) => { if (event.pointerType !== "touch") hideFacts(); });
  list.addEventListener("focusin", (event) => {
    list.querySelector("[tabindex='0']")?.setAttribute("tabindex", "-1");
    event.target.setAttribute("tabindex", "0");
    if (event.target.matches(":focus-visible")) showFacts(entryAt(event.target), false);
  });
  list.addEventListener("focusout", hideFacts);
  list.addEventListener("animationend", (event) => event.target.closest(".cell")?.classList.remove("changed"));
  // Touch cannot hover: the first tap shows the details of a channel, the second opens it.
  let touched = null;
  list.addEventListener("click", (event) => {
    const entry = entryAt(event.target);
    if (!entry || event.pointerType !== "touch" || list.className === "large") return;
    const isSecond = touched === entry.channel.id && !facts.hidden;
    touched = entry.channel.id;
    if (isSecond) return;
    event.preventDefault();
    showFacts(entry, true);
  });
  document.addEventListener("click", (event) => {
    if (!event.target.closest(".cell, .facts")) hideFacts();
  });

  // MARK: Keys

  /** Returns the index of the nearest cell in the row below or above. */
  function inNextRow(index, step) {
    const boxes = shown.map((entry) => entry.cell.getBoundingClientRect());
    const own = boxes[index];
    let row = index + step;
    while (boxes[row] && boxes[row].top === own.top) row += step;
    if (!boxes[row]) return undefined;
    let best = row;
    for (let next = row; boxes[next] && boxes[next].top === boxes[row].top; next += step) {
      if (Math.abs(boxes[next].left - own.left) < Math.abs(boxes[best].left - own.left)) best = next;
    }
    return best;
  }

  list.addEventListener("keydown", (event) => {
    const index = shown.findIndex((entry) => entry.cell === document.activeElement);
    if (index < 0) return;
    const target = {
      ArrowRight: index + 1, ArrowLeft: index - 1, ArrowDown: inNextRow(index, 1), ArrowUp: inNextRow(index, -1),
      Home: 0, End: shown.length - 1,
    }[event.key];
    if (event.key === "Escape") hideFacts();
    if (target === undefined) return;
    event.preventDefault();
    shown[target]?.cell.focus();
  });
  addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== search && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      search.focus();
    } else if (event.key === "Escape" && document.activeElement === search) {
      search.value = "";
      filtered();
    }
  });

  // MARK: Filters, stored in the URL fragment

  function filtered() {
    const state = new URLSearchParams();
    if (search.value) state.set("q", search.value);
    for (const name of chosenStates) state.append("state", name);
    history.replaceState(null, "", state.size ? "#" + state : location.pathname + location.search);
    arrange();
  }

  function follow() {
    const state = new URLSearchParams(location.hash.slice(1));
    search.value = state.get("q") ?? "";
    chosenStates = new Set(state.getAll("state").filter((name) => rank.has(name)));
    for (const button of document.querySelectorAll(".states button")) {
      button.setAttribute("aria-pressed", chosenStates.has(button.value));
    }
    arrange();
  }

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", filtered);
  for (const button of document.querySelectorAll(".states button")) {
    button.addEventListener("click", () => {
      if (!chosenStates.delete(button.value)) chosenStates.add(button.value);
      button.setAttribute("aria-pressed", chosenStates.has(button.value));
      filtered();
    });
  }
  addEventListener("hashchange", follow);

  // MARK: Events

  function heard(time) {
    lastContact = performance.now();
    if (time) {
      lastTime = time;
      clockDifference = Date.parse(time) - Date.now();
    }
    showContact(false);
  }

  function showContact(lost) {
    if (lost !== isLost) {
      isLost = lost;
      document.body.classList.toggle("lost-contact", lost);
      summarize();
    }
    const clock = lastTime ? new Date(lost ? Date.parse(lastTime) : now()).toISOString().slice(11, 19) + " UTC" : "";
    contact.className = "contact " + (lost ? "lost" : lastTime ? "live" : "");
    const silence = `no contact with the monitor${clock ? " since " + clock : ""}`;
    write(contact, lost ? silence : lastTime ? `live, ${clock}` : "connecting");
  }

  function received(event, isAll) {
    const data = JSON.parse(event.data);
    heard(data.at);
    if (isAll) {
      channels = new Map();
      list.replaceChildren();
      hideFacts();
    }
    const updates = data.channels.map(update);
    const changed = updates.filter((update) => update.isChanged);
    if (changed.length <= pointedOutCount) for (const { entry } of changed) entry.cell.classList.add("changed");
    const wasFailing = failure !== null;
    failure = data.delivery_failure ?? null;
    if (isAll || updates.some((update) => update.needsPlace)) {
      arrange();
      summarize();
    } else if (wasFailing !== (failure !== null)) {
      summarize();
    }
    if (data.alerts) {
      alerts = data.alerts;
      showAlerts(data.alert_count);
    }
    showAges();
    const [waiting, delivered, gone] = [data.waiting, data.delivered, data.lost].map(number);
    write(buffer, `Buffer: ${waiting} waiting, ${delivered} delivered, ${gone} lost`);
  }

  /** Reconnects after a delay; if the token is needed again, reloads to show the sign-in page. */
  async function comeBack() {
    try {
      if ((await fetch("events", { method: "HEAD" })).status === 401) return location.reload();
    } catch {
      // The monitor is still unreachable.
    }
    setTimeout(listen, 5_000);
  }

  function listen() {
    const source = new EventSource("events");
    source.addEventListener("all", (event) => received(event, true));
    source.addEventListener("changes", (event) => received(event, false));
    source.addEventListener("alive", () => heard(null));
    source.addEventListener("error", () => {
      showContact(true);
      // The browser does not reconnect a stream that was refused.
      if (source.readyState === EventSource.CLOSED) comeBack();
    });
  }

  follow();
  listen();
  setInterval(() => {
    showContact(isLost || performance.now() - lastContact > patience);
    showAges();
  }, 1_000);
})();
