// The item explorer: filters, and a list that renders only its visible rows.

const ROW = 64;

class Explorer {
  constructor(data, parts, shownRuns, chosen) {
    this.data = data;
    this.shownRuns = shownRuns;
    this.items = data.items;
    this.parts = parts;
    this.filters = new Filters(data.items);
    this.chosen = chosen;
    // Causes that are the most likely one of some response.
    this.mainCauses = data.items.causes.filter((_, cause) => data.items.runs.some((run) => run.cause.includes(cause)));
    this.found = [];
    this.at = 0;
    this.round = 0;
    this.open = null;
    this.controls = make("div", { class: "controls filters", role: "search", "aria-label": "Filter items" });
    this.status = make("p", { class: "status", role: "status" });
    this.rows = make("div", { class: "rows" });
    this.frame = make("div", {
      class: "list", role: "listbox", tabindex: "0", "aria-label": "Items",
      on: { scroll: () => this.lay(), keydown: (event) => this.keyed(event) },
    }, this.rows);
    this.laid = new Map();
    this.drawControls();
    addEventListener("resize", () => this.lay());
  }

  drawControls() {
    const { items, chosen } = this;
    const set = (name, number) => (value) => {
      this.chosen[name] = number ? Number(value) : value;
      this.apply();
    };
    const any = ["", "any"];
    let waiting = 0;
    this.search = make("input", {
      type: "search", id: "search", placeholder: "Questions, keys, responses", value: chosen.words, "aria-label": "Search",
      on: { input: () => {
        clearTimeout(waiting);
        waiting = setTimeout(() => set("words")(this.search.value.trim()), 160);
      } },
    });
    const tags = items.tags.filter(([, values]) => values.length > 1 && values.length <= 200);
    put(this.controls,
      make("label", { class: "choose wide" }, make("span", null, "Search"), this.search),
      items.bench && choose("Bench", [[-1, "any bench"], ...this.data.benches.map(([name], bench) => [bench, name])], chosen.bench, set("bench", true), { id: "filter-bench" }),
      items.runs.length > 1 && choose("Run", [[-1, "any run"], ...this.data.runs.map(([name], run) => [run, name])], chosen.run, set("run", true), { id: "filter-run" }),
      choose("Outcome", [any, ...OUTCOMES.map(([sign, name]) => [sign, name]), ...(items.runs.length > 1 ? ACROSS : [])], chosen.outcome, set("outcome"), { id: "filter-outcome" }),
      items.patterns.length > 0 && choose("Pattern", [any, ...items.patterns.map((name) => [name, name])], chosen.pattern, set("pattern"), { id: "filter-pattern" }),
      items.causes.length > 0 && choose("Likely cause", [any, ...this.mainCauses.map((name) => [name, name])], chosen.cause, set("cause"), { id: "filter-cause" }),
      items.stages.length > 0 && choose("Failed at", [any, ...items.stages.map((name) => [name, name])], chosen.stage, set("stage"), { id: "filter-stage" }),
      tags.map(([name, values]) => {
        // A tag may have an empty value, so options are numbered. Values come in their own order: easy, medium, hard.
        const ordered = values.map((value, place) => [place, value || "(none)"]);
        const now = chosen.tags[name] === undefined ? "" : values.indexOf(chosen.tags[name]);
        return choose(name, [any, ...ordered], now, (value) => {
          this.chosen.tags[name] = value === "" ? undefined : values[Number(value)];
          this.apply();
        }, { "data-tag": name });
      }),
      button("Clear", () => this.show({}), { class: "quiet-button clear" }));
  }

  // Replaces the filter and shows the matching items.
  show(chosen) {
    this.chosen = { ...noFilter(), ...chosen, tags: { ...(chosen.tags || {}) } };
    this.drawControls();
    document.getElementById("explorer").scrollIntoView();
    return this.apply();
  }

  async apply() {
    this.round += 1;
    const round = this.round;
    let found = this.filters.matching(this.chosen, this.shownRuns.numbers());
    this.recordView();
    if (this.chosen.words) {
      this.status.textContent = "Searching…";
      try {
        found = await search(this.chosen.words, found, this.parts, this.items.part, () => round === this.round,
          (done, all) => { if (done < all) this.status.textContent = `Searching… ${counted(done)} of ${plural(all, "part")}`; });
      } catch (error) {
        this.status.textContent = error.message;
        return;
      }
      if (found === null) return;
    }
    this.found = found;
    this.at = 0;
    this.status.textContent = found.length === this.items.count
      ? `All ${plural(found.length, "item")}` : `${counted(found.length)} of ${plural(this.items.count, "item")}`;
    this.frame.scrollTop = 0;
    this.clear();
    this.lay();
  }

  // Writes the filter, the hidden runs and the open item to the page's address.
  recordView() {
    const query = queryOf(this.chosen, this.shownRuns.hidden, this.data);
    const { place } = readAddress();
    if (this.open !== null) writeAddress(`item-${this.open + 1}`, query);
    else if (place || query.size) writeAddress(!place || place.startsWith("item-") ? "explorer" : place, query);
  }

  clear() {
    this.laid.clear();
    put(this.rows);
    // Browsers limit the height of elements; a very long list is compressed.
    this.squeeze = Math.max(1, (this.found.length * ROW) / 12e6);
    this.rows.style.height = `${(this.found.length * ROW) / this.squeeze}px`;
  }

  lay() {
    const height = this.frame.clientHeight;
    const top = this.frame.scrollTop * this.squeeze;
    const first = Math.max(0, Math.floor(top / ROW) - 4);
    const last = Math.min(this.found.length - 1, Math.ceil((top + height) / ROW) + 4);
    for (const [place, row] of this.laid) {
      if (place < first || place > last) {
        row.remove();
        this.laid.delete(place);
      }
    }
    for (let place = first; place <= last; place += 1) {
      if (!this.laid.has(place)) {
        const row = this.row(place);
        this.laid.set(place, row);
        this.rows.append(row);
      }
      this.laid.get(place).style.top = `${this.frame.scrollTop + place * ROW - top}px`;
    }
    this.mark();
  }

  mark() {
    for (const [place, row] of this.laid) row.setAttribute("aria-selected", String(place === this.at));
    this.frame.setAttribute("aria-activedescendant", `row-${this.at}`);
  }

  row(place) {
    const { items } = this;
    const item = this.found[place];
    const words = make("span", { class: "row-words" }, "…");
    const tags = items.tags.filter(([name, values]) => values.length > 1 && name !== "split")
      .slice(0, 4).map(([, values, column]) => values[column[item]]).filter(Boolean);
    const signs = items.runs.map((run, number) => outcomeSign(run.outcome[item], this.data.runs[number][0], run.few.includes(item), number));
    const row = make("div", { class: "row", role: "option", id: `row-${place}`, on: { click: () => this.openAt(place) } },
      make("span", { class: "row-number" }, counted(item + 1)),
      make("span", { class: "row-main" }, words, make("span", { class: "under" }, tags.join(" · "))),
      make("span", { class: "row-signs" }, signs));
    this.details(item).then(({ part, place: at }) => { words.textContent = part.items[at][1]; },
      (error) => { words.textContent = error.message; });
    return row;
  }

  async details(item) {
    const part = await this.parts.at(Math.floor(item / this.items.part));
    return { part, place: item - part.start };
  }

  move(by) {
    if (!this.found.length) return;
    this.at = Math.max(0, Math.min(this.found.length - 1, this.at + by));
    const top = this.at * ROW;
    const from = this.frame.scrollTop * this.squeeze;
    if (top < from) this.frame.scrollTop = top / this.squeeze;
    else if (top + ROW > from + this.frame.clientHeight) this.frame.scrollTop = (top + ROW - this.frame.clientHeight) / this.squeeze;
    this.lay();
    if (this.open !== null) this.openAt(this.at);
  }

  openAt(place) {
    if (place < 0 || place >= this.found.length) return;
    this.at = place;
    this.mark();
    showItem(this, this.found[place]);
  }

  keyed(event) {
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8, Home: -1e9, End: 1e9 };
    if (event.key in steps) {
      event.preventDefault();
      this.move(steps[event.key]);
    } else if (event.key === "Enter") {
      event.preventDefault();
      this.openAt(this.at);
    }
  }

  section() {
    return make("section", { id: "explorer", "aria-labelledby": "title-explorer" },
      make("h2", { id: "title-explorer" }, "Items"),
      make("p", { class: "introduction" }, "Filter the list and open an item to see its question, key, program, responses and needed passages. ",
        make("span", { class: "keys-hint" }, make("kbd", null, "/"), " search ", make("kbd", null, "j"), " ", make("kbd", null, "k"), " move ", make("kbd", null, "Enter"), " open ", make("kbd", null, "?"), " all keys")),
      this.controls, this.status, this.head(), this.frame);
  }

  // The columns of the list: the marks have the colors of their runs.
  head() {
    const { runs } = this.data;
    return make("div", { class: "list-head" }, runs.length > 1 && legendOf(runs), make("div", { class: "row-head" },
      make("span", { class: "row-number" }, "Item"), make("span", null, "Question"),
      make("span", { class: "row-signs", role: "img", "aria-label": `Marks of the runs, in this order: ${runs.map(([name]) => name).join(", ")}` },
        runs.map(([name], run) => make("span", { class: "sign-head", "data-run": String(run), "data-tip": name }, dot(run))))));
  }
}

function outcomeSign(sign, run, few, number) {
  const known = OUTCOME[sign];
  if (!known) return make("span", { class: "sign away", "data-run": String(number), "data-tip": `${run}: not asked` });
  return make("span", { "data-run": String(number), class: `sign ${known.name.replaceAll(" ", "-")}`, "data-tip": `${run}: ${known.name}${few ? ". † Fewer passages were retrieved than documents are needed" : ""}`, role: "img", "aria-label": `${run}: ${known.name}${few ? ", too few passages" : ""}` }, known.glyph, few && make("sup", null, "†"));
}
