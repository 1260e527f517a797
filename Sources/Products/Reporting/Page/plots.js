"use strict";
// Makes plots interactive: shows the tag under the pointer. It reads the data in the page, writes text only, and makes
// no requests.

// MARK: The data

/** Decodes numbers from differences to the last known one; null stays null. */
function undiffer(list) {
  let last = 0;
  return list.map((step) => (step === null ? null : (last += step)));
}

const differences = [
  "position", "seconds", "audio", "segment", "carriage", "sequence", "first", "last", "pc", "fd", "pcOffset",
  "fdOffset", "breakout", "pts",
];
const trackOf = new Map();

/** Returns the track with the id `input-rendition`, which is parsed on first use. */
function track(id) {
  if (!trackOf.has(id)) {
    const element = document.getElementById("data-" + id);
    if (!element) return null;
    const data = JSON.parse(element.textContent);
    for (const key of differences) data[key] = undiffer(data[key]);
    data.count = data.position.length;
    data.number = Number(id.split("-")[1]) + 1;
    trackOf.set(id, data);
  }
  return trackOf.get(id);
}

const pad = (number, width = 2) => String(number).padStart(width, "0");

function clock(seconds) {
  const whole = Math.round(seconds);
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return h > 0 ? `${h}:${pad(m)}:${pad(s)}` : `${m}:${pad(s)}`;
}

/** Formats a position as on the plot's axis: media time, or time of day if the track has an origin. */
function clockOf(data, seconds) {
  return data.origin === null ? clock(seconds) : date(data.origin + Math.round(seconds)).slice(11) + " UTC";
}

function date(seconds) {
  return new Date(seconds * 1000).toISOString().slice(0, 19).replace("T", " ");
}

const known = (value, form = String) => (value === null ? "–" : form(value));
const nullCID = "X100zdCIGeIlgZnkYj6UvQ==";

function shortCID(data, index) {
  if (index === null) return "–";
  return data.cids[index] === nullCID ? "none" : data.cids[index].slice(0, 8) + "…";
}

function span(data, i) {
  return data.first[i] === null || data.last[i] === null ? null : data.last[i] - data.first[i];
}

function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// MARK: The tag under the pointer

const spoken = element("div", "", { class: "unseen", role: "status" });
document.body.append(spoken);

function nearest(positions, value) {
  let [low, high] = [0, positions.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (positions[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low > 0 && value - positions[low - 1] < positions[low] - value ? low - 1 : low;
}

function facts(data, i) {
  const kind = data.kinds[data.kind[i]];
  const sequence = data.sequence[i] === null ? "" : " " + data.sequence[i];
  const head = `${kind}${sequence} at ${clockOf(data, data.position[i] / 1000)}`;
  const lines = [];
  if (data.first[i] !== null) lines.push(`${date(data.first[i])} UTC, ${known(span(data, i), (v) => v + " s")}`);
  if (data.pts[i] !== null) {
    lines.push(`time ${data.pts[i]} ticks, ${known(data.seconds[i], (v) => (v / 1000).toFixed(3) + " s")}`);
  }
  if (data.audio[i] !== null) lines.push(`${(data.audio[i] / 1000).toFixed(3)} s from the audio`);
  if (data.pc[i] !== null) {
    const content = (name, id, offset) => `${name} ${shortCID(data, id)} +${known(offset)} s`;
    lines.push(`${content("PC", data.pc[i], data.pcOffset[i])}, ${content("FD", data.fd[i], data.fdOffset[i])}`);
  }
  if (data.segment[i] !== null) lines.push(data.segments[data.segment[i]]);
  const problems = data.problemSets[data.problems[i]].join(" ");
  if (problems) lines.push(problems);
  return { head, lines };
}

/** Makes every plot in an element show its tags; the optional `show` displays a selected tag. */
function bindPlots(root, show) {
  for (const area of root.querySelectorAll(".area")) bindPlot(area, show);
}

function bindPlot(area, showTag) {
  const [input, rendition] = area.dataset.track.split("-").map(Number);
  const end = Number(area.dataset.end) * 1000;
  const cursor = area.querySelector(".cursor");
  const tip = element("div", undefined, { class: "tip", hidden: "" });
  area.parentElement.append(tip);
  // Titles serve pages without scripts: with the readout they would be redundant.
  for (const title of area.querySelectorAll("title")) {
    const parent = title.parentElement;
    if (/^(rect|use)$/.test(parent.tagName) && parent.closest(".lane, .values")) title.remove();
  }
  let current = -1;

  const point = (i, speaks) => {
    const data = track(area.dataset.track);
    if (!data || !data.count) return;
    current = Math.min(Math.max(0, i), data.count - 1);
    const share = Math.min(1, data.position[current] / end);
    cursor.setAttribute("x1", share * 100 + "%");
    cursor.setAttribute("x2", share * 100 + "%");
    cursor.setAttribute("visibility", "visible");
    const { head, lines } = facts(data, current);
    tip.replaceChildren(element("b", head), ...lines.flatMap((line, n) => (n ? [element("br"), line] : [line])));
    tip.hidden = false;
    const box = area.getBoundingClientRect();
    const left = box.left - area.parentElement.getBoundingClientRect().left + share * box.width;
    const room = area.parentElement.clientWidth;
    tip.style.left = Math.max(0, left + 14 + tip.offsetWidth > room ? left - 14 - tip.offsetWidth : left + 14) + "px";
    if (speaks) spoken.textContent = head + ". " + lines.join(". ");
  };
  const leave = () => {
    tip.hidden = true;
    cursor.setAttribute("visibility", "hidden");
  };
  area.addEventListener("pointermove", (event) => {
    const box = area.getBoundingClientRect();
    const data = track(area.dataset.track);
    if (data) point(nearest(data.position, ((event.clientX - box.left) / box.width) * end), false);
  });
  area.addEventListener("pointerleave", leave);
  area.addEventListener("blur", leave);
  area.addEventListener("focus", () => { if (area.matches(":focus-visible")) point(Math.max(0, current), true); });
  const show = () => { if (current >= 0) showTag?.(input, rendition, current); };
  area.addEventListener("click", show);
  area.addEventListener("keydown", (event) => {
    const data = track(area.dataset.track);
    if (!data) return;
    const steps = { ArrowRight: 1, ArrowLeft: -1, PageDown: 10, PageUp: -10, Home: -data.count, End: data.count };
    if (event.key in steps) point(current + steps[event.key], true);
    else if (event.key === "Enter") show();
    else if (event.key === "Escape") leave();
    else return;
    event.preventDefault();
  });
}
