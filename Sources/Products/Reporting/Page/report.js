// Makes the tag table interactive: search, filters, sorting and paging. It reads the data in the page, writes text
// only, and makes no requests.
(() => {
  const pageLength = 100;
  // The controls that select rows, and all that the address records.
  const filters = ["q", "kind", "problem", "rendition"];
  const fields = [...filters, "cids"];
  const collator = new Intl.Collator("en", { numeric: true });

  /** Returns the whole CID and its offset, for a cell that shows only its first characters. */
  function titleOfCID(data, index, offset) {
    return index === null ? undefined : `${data.cids[index]}, offset ${known(offset, (v) => v + " s")}`;
  }

  function textOfCID(data, index, isFull) {
    return isFull && index !== null ? data.cids[index] : shortCID(data, index);
  }

  // The columns of the table: the text of a cell and its sort key.
  const columns = {
    rendition: { text: (d) => String(d.number), value: (d) => d.number, title: (d) => d.name ?? undefined },
    index: { text: (d, i) => String(i + 1), value: (d, i) => i },
    position: { text: (d, i) => known(d.position[i], (v) => clock(v / 1000)), value: (d, i) => d.position[i] },
    seconds: { text: (d, i) => known(d.seconds[i], (v) => (v / 1000).toFixed(3)), value: (d, i) => d.seconds[i] },
    kind: { text: (d, i) => d.kinds[d.kind[i]], value: (d, i) => d.kinds[d.kind[i]] },
    sequence: { text: (d, i) => known(d.sequence[i]), value: (d, i) => d.sequence[i] },
    first: { text: (d, i) => known(d.first[i], date), value: (d, i) => d.first[i] },
    span: { text: (d, i) => known(span(d, i), (v) => v + " s"), value: span },
    pc: {
      text: (d, i, isFull) => textOfCID(d, d.pc[i], isFull), value: (d, i) => d.cids[d.pc[i]] ?? null,
      title: (d, i) => titleOfCID(d, d.pc[i], d.pcOffset[i]),
    },
    fd: {
      text: (d, i, isFull) => textOfCID(d, d.fd[i], isFull), value: (d, i) => d.cids[d.fd[i]] ?? null,
      title: (d, i) => titleOfCID(d, d.fd[i], d.fdOffset[i]),
    },
    segment: {
      text: (d, i) => (d.segment[i] === null ? "–" : d.segments[d.segment[i]]),
      value: (d, i) => d.segments[d.segment[i]] ?? null, title: (d, i) => d.segments[d.segment[i]],
    },
    problems: {
      text: (d, i) => d.problemSets[d.problems[i]].join(" "),
      value: (d, i) => Number(d.severity[i]),
    },
  };

  // MARK: The table

  class TagTable {
    constructor(section) {
      this.section = section;
      this.input = section.dataset.input;
      this.form = section.querySelector("form");
      this.body = section.querySelector("tbody");
      this.matches = section.querySelector(".matches");
      this.pages = section.querySelector(".pages");
      this.leftOut = section.querySelector(".left-out");
      this.headings = [...section.querySelectorAll("th")];
      this.tracks = [];
      for (let i = 0, data; (data = track(`${this.input}-${i}`)); i++) this.tracks.push(data);
      this.sort = "";
      this.page = 0;
      this.chosen = null;
      if (!this.tracks.length) return;
      this.form.hidden = false;
      this.form.addEventListener("input", (event) => {
        if (event.target.name === "cids") this.record();
        else this.changed();
      });
      this.form.addEventListener("submit", (event) => event.preventDefault());
      this.form.addEventListener("reset", () => setTimeout(() => { this.sort = ""; this.changed(); }));
      for (const heading of this.headings) {
        const button = heading.querySelector("button");
        button.disabled = false;
        button.addEventListener("click", () => {
          const key = heading.dataset.key;
          this.sort = this.sort === key ? "-" + key : this.sort === "-" + key ? "" : key;
          this.changed();
        });
      }
      this.makePages();
    }

    makePages() {
      const button = (text, label, act) => {
        const made = element("button", text, { type: "button", "aria-label": label });
        made.addEventListener("click", () => { act(); this.show(); });
        this.pages.append(made);
        return made;
      };
      this.first = button("«", "First page", () => { this.page = 0; });
      this.previous = button("‹ Back", "Previous page", () => { this.page -= 1; });
      this.where = element("span");
      this.pages.append(this.where);
      this.next = button("Next ›", "Next page", () => { this.page += 1; });
      this.last = button("»", "Last page", () => { this.page = this.pageCount - 1; });
    }

    get pageCount() { return Math.max(1, Math.ceil(this.rows.length / pageLength)); }

    field(name) { return this.form.elements[name]?.value ?? ""; }

    changed() {
      this.page = 0;
      this.chosen = null;
      this.select();
      this.record();
    }

    /** Shows the page, and records the controls in the address. */
    record() {
      this.show();
      const state = new URLSearchParams();
      if (this.input !== "0") state.set("input", this.input);
      for (const name of fields) {
        if (this.field(name)) state.set(name, this.field(name));
      }
      if (this.sort) state.set("sort", this.sort);
      try {
        history.replaceState(null, "", "#" + state);
      } catch {
        // Filters also work where changing the history is forbidden.
      }
    }

    /** Selects and sorts the rows, which are pairs of rendition and tag. */
    select() {
      const words = this.field("q").toLowerCase().split(/\s+/).filter(Boolean);
      const [kind, problem, rendition] = [this.field("kind"), this.field("problem"), this.field("rendition")];
      this.rows = [];
      this.tracks.forEach((data, t) => {
        if (rendition !== "" && Number(rendition) !== t) return;
        const isSelected = (set) =>
          problem === "any" ? set.length > 0 : problem === "none" ? !set.length : set.includes(problem);
        const sets = data.problemSets.map((set) => problem === "" || isSelected(set));
        const finders = words.map((word) => this.finder(data, word));
        for (let i = 0; i < data.count; i++) {
          if (kind !== "" && data.kinds[data.kind[i]] !== kind) continue;
          if (!sets[data.problems[i]]) continue;
          if (!finders.every((finds) => finds(i))) continue;
          this.rows.push([t, i]);
        }
      });
      if (this.sort) this.order();
      for (const heading of this.headings) {
        const key = heading.dataset.key;
        if (this.sort === key) heading.setAttribute("aria-sort", "ascending");
        else if (this.sort === "-" + key) heading.setAttribute("aria-sort", "descending");
        else heading.removeAttribute("aria-sort");
      }
    }

    /** Returns a predicate for tags that contain the word as one of their numbers or within one of their texts. */
    finder(data, word) {
      // Each text is tested once, even if many tags share it.
      const look = (texts) => texts.map((text) => text.toLowerCase().includes(word));
      const [cids, segments, carriages] = [look(data.cids), look(data.segments), look(data.carriages)];
      const [kinds, problems] = [look(data.kinds), look(data.problemSets.map((set) => set.join(" ")))];
      const isTime = /^\d[\d:-]*[:-][\d:-]*$/.test(word);
      const number = /^\d+$/.test(word) ? Number(word) : null;
      return (i) =>
        segments[data.segment[i]] || cids[data.pc[i]] || cids[data.fd[i]] || kinds[data.kind[i]] ||
        problems[data.problems[i]] || carriages[data.carriage[i]] ||
        (number !== null && (data.sequence[i] === number || data.pts[i] === number || data.first[i] === number)) ||
        (isTime && (columns.first.text(data, i).includes(word) || columns.position.text(data, i) === word));
    }

    order() {
      const column = columns[this.sort.replace(/^-/, "")];
      if (!column) return;
      const sign = this.sort.startsWith("-") ? -1 : 1;
      const keyed = this.rows.map((row) => [column.value(this.tracks[row[0]], row[1]), row]);
      keyed.sort(([a], [b]) => {
        // Unknown values come last in either order.
        if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
        return sign * (typeof a === "string" ? collator.compare(a, b) : a - b);
      });
      this.rows = keyed.map(([, row]) => row);
    }

    show() {
      this.page = Math.min(Math.max(0, this.page), this.pageCount - 1);
      const start = this.page * pageLength;
      const rows = this.rows.slice(start, start + pageLength);
      this.body.replaceChildren(...rows.map(([t, i]) => this.row(t, i)));
      const total = this.tracks.reduce((sum, data) => sum + data.count, 0);
      const count = this.rows.length.toLocaleString("en").replaceAll(",", "\u202F");
      const all = total.toLocaleString("en").replaceAll(",", "\u202F");
      this.matches.textContent = this.rows.length === total ? `${all} tags` : `${count} of ${all} tags`;
      this.pages.hidden = this.rows.length <= pageLength;
      const rest = this.rows.length - rows.length;
      const restText = rest.toLocaleString("en").replaceAll(",", "\u202F");
      this.leftOut.textContent =
        rest > 0 ? `Not printed: ${restText} ${rest === 1 ? "row" : "rows"} of this table.` : "";
      this.where.textContent = `${start + 1} to ${start + rows.length} of ${count}`;
      this.first.disabled = this.previous.disabled = this.page === 0;
      this.next.disabled = this.last.disabled = this.page >= this.pageCount - 1;
    }

    row(t, i) {
      const data = this.tracks[t];
      const isFull = this.field("cids") === "full";
      const row = element("tr");
      row.className = ["", "warn", "fail"][data.severity[i]] ?? "";
      if (this.chosen && this.chosen[0] === t && this.chosen[1] === i) row.classList.add("chosen");
      for (const heading of this.headings) {
        const column = columns[heading.dataset.key];
        const cell = element("td", column.text(data, i, isFull), { "data-label": heading.textContent });
        if (heading.className) cell.className = heading.className;
        const title = column.title?.(data, i);
        if (title) cell.title = title;
        row.append(cell);
      }
      return row;
    }

    /** Clears all filters and shows one tag in the full table. */
    reveal(t, i) {
      for (const name of filters) {
        if (this.form.elements[name]) this.form.elements[name].value = "";
      }
      this.sort = "";
      this.select();
      this.chosen = [t, i];
      this.page = Math.floor(this.rows.findIndex((row) => row[0] === t && row[1] === i) / pageLength);
      this.show();
      const row = this.body.querySelector(".chosen");
      if (!row) return;
      row.tabIndex = -1;
      row.scrollIntoView({ block: "center" });
      row.focus({ preventScroll: true });
    }
  }

  const tables = [...document.querySelectorAll(".tags")].map((section) => new TagTable(section));

  /** Applies the URL fragment: a filter, or a tag to show. */
  function follow() {
    const hash = location.hash.slice(1);
    const state = new URLSearchParams(hash.includes("=") ? hash : "");
    const target = Number(state.get("input") ?? 0);
    tables.forEach((table, index) => {
      if (!table.tracks.length) return;
      const isMeant = index === target;
      if (isMeant && state.has("tag")) {
        table.reveal(Number(state.get("rendition") ?? 0), Number(state.get("tag")));
        return;
      }
      if (isMeant) {
        for (const name of fields) {
          if (state.has(name) && table.form.elements[name]) table.form.elements[name].value = state.get(name);
        }
        table.sort = state.get("sort") ?? "";
      }
      table.page = isMeant ? Number(state.get("page") ?? 1) - 1 : 0;
      table.select();
      table.show();
    });
    const check = hash.startsWith("check-") && document.getElementById(hash);
    if (check && check.tagName === "DETAILS") check.open = true;
  }

  follow();
  addEventListener("hashchange", follow);
  for (const link of document.querySelectorAll(".goto")) {
    link.hidden = false;
    // A second click on the same link does not change the address.
    link.addEventListener("click", () => setTimeout(follow));
  }

  bindPlots(document, (input, rendition, tag) => tables[input]?.reveal(rendition, tag));

  // Findings cannot be expanded on paper.
  addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details.check.fail, details.check.warn")) details.open = true;
  });
})();
