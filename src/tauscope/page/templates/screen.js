"use strict";
// Folds, linked marks, the board's search and columns, and the topics that decide a pair. Names only ever become text.
// A page calls it once; whoever shows another screen in its place ends the listeners of the last one by their signal.
const firstScreen = (signal) => {
  const make = (tag, text, parent) => { const e = document.createElement(tag); if (text !== undefined) e.textContent = text; if (parent) parent.append(e); return e; };
  const data = (id) => { const e = document.getElementById(id); return e ? JSON.parse(e.textContent) : null; };
  const systems = data("systems-data") || [], known = new Set(systems);

  // Folds: a link opens what it leads to, and paper has everything.
  const open = () => { const to = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1))); const fold = to && (to.closest("details") || to.querySelector("details.fold")); if (fold) { fold.open = true; to.scrollIntoView(); } };
  addEventListener("hashchange", open, { signal });
  for (const link of document.querySelectorAll('.slim a[href^="#"]')) link.addEventListener("click", () => setTimeout(open));
  open();
  let closed = [];
  addEventListener("beforeprint", () => { closed = [...document.querySelectorAll("details:not([open])")]; for (const fold of closed) fold.open = true; }, { signal });
  addEventListener("afterprint", () => { for (const fold of closed) fold.open = false; }, { signal });

  // Linked marks: a system under the pointer is marked in every chart and table.
  let marked = [];
  const mark = (name, place) => {
    for (const e of marked) e.classList.remove("picked", "faded");
    marked = [];
    if (place === undefined) place = systems.indexOf(name);
    if (place < 0 || place === undefined) return;
    const own = systems[place];
    marked = [...document.querySelectorAll(`[data-s="${place}"]`)];
    for (const e of marked) e.classList.add("picked");
    for (const e of document.querySelectorAll("details[open] .chart svg .role-mark > path, details[open] .chart svg .role-mark > line")) {
      // A mark is of one system, or a cell of two; charts that have neither stay as they are.
      const datum = (e.__data__ && e.__data__.datum) || {}, of = [datum.label, datum.item, datum.row, datum.column].filter((name) => name !== undefined);
      if (of.some((name) => known.has(name)) && !of.includes(own)) { e.classList.add("faded"); marked.push(e); }
    }
  };
  document.addEventListener("pointerover", (event) => {
    const e = event.target.closest && event.target.closest("[data-s]");
    if (e) return mark(null, Number(e.dataset.s));
    const drawn = event.target.__data__ && event.target.__data__.datum;
    mark(drawn && (drawn.label ?? drawn.item ?? drawn.row));
  }, { signal });
  document.addEventListener("focusin", (event) => { const e = event.target.closest("[data-s]"); if (e) mark(null, Number(e.dataset.s)); }, { signal });

  // Tips of our own pictures.
  const tip = document.getElementById("tip");
  document.addEventListener("pointermove", (event) => {
    const e = event.target.closest && event.target.closest("[data-tip]");
    if (!e) { if (tip.dataset.own) { tip.hidden = true; delete tip.dataset.own; } return; }
    tip.textContent = e.dataset.tip; tip.hidden = false; tip.dataset.own = "yes";
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 6))}px`;
    tip.style.top = `${Math.max(4, Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 6))}px`;
  }, { signal });

  // A pair: which topics decide between two systems, on both sides.
  const scores = data("pair-data");
  const screen = document.getElementById("answer");
  const chosen = [];
  const number = (value) => (value < 0 ? "−" : "+") + Math.abs(value).toFixed(3);
  const show = (a, b) => {
    document.getElementById("pair")?.remove();
    const i = scores.systems.indexOf(a), j = scores.systems.indexOf(b);
    if (i < 0 || j < 0 || i === j) return;
    const box = make("div"); box.id = "pair"; box.tabIndex = -1;
    box.setAttribute("role", "region"); box.setAttribute("aria-label", `The ${scores.called[1]} that decide the pair`);
    const head = make("h2", undefined, box); make("bdi", a, head); head.append(" and "); make("bdi", b, head);
    const gaps = scores.values.map((side) => side[i].map((value, t) => value - side[j][t]));
    const means = gaps.map((side) => side.reduce((sum, g) => sum + g, 0) / side.length);
    const line = make("p", undefined, box);
    scores.sides.forEach((side, k) => { make("b", side, line); line.append(`: ${means[k] === 0 ? "a tie" : `${means[k] > 0 ? "the first" : "the second"} is better by ${Math.abs(means[k]).toFixed(4)}`}${k ? "." : "; "}`); });
    const turned = gaps[0].map((g, t) => gaps[1][t] - g);
    const order = turned.map((_, t) => t).sort((s, t) => Math.abs(turned[t]) - Math.abs(turned[s])).slice(0, 10);
    const table = make("table", undefined, box), cap = make("caption", `The ${scores.called[1]} on which the two sides differ most about this pair: first minus second.`, table);
    cap.id = "pair-caption";
    const row = make("tr", undefined, make("thead", undefined, table));
    for (const [k, text] of [scores.called[0], ...scores.sides, "difference of the sides"].entries()) { const th = make("th", text, row); th.scope = "col"; if (k) th.className = "number"; }
    const body = make("tbody", undefined, table);
    for (const t of order) { const tr = make("tr", undefined, body); const td = make("td", undefined, tr); td.className = "name"; make("bdi", scores.topics[t], td); for (const value of [gaps[0][t], gaps[1][t], turned[t]]) make("td", number(value), tr).className = "number"; }
    const close = make("button", "Close", make("div", undefined, box)); close.type = "button"; close.parentElement.className = "tools";
    close.addEventListener("click", () => { box.remove(); choose(null); });
    screen.insertBefore(box, screen.querySelector(".claims"));
    box.focus({ preventScroll: true }); box.scrollIntoView({ block: "nearest" });
  };
  const choose = (button) => {
    if (!button) { for (const place of chosen.splice(0)) for (const e of document.querySelectorAll(`.sys[data-s="${place}"]`)) e.classList.remove("chosen"); return; }
    const place = button.dataset.s;
    if (chosen.length === 2) choose(null);
    if (!chosen.includes(place)) chosen.push(place);
    for (const e of document.querySelectorAll(`.sys[data-s="${place}"]`)) e.classList.add("chosen");
    if (chosen.length === 2) show(systems[Number(chosen[0])], systems[Number(chosen[1])]);
  };
  if (scores) {
    for (const button of document.querySelectorAll(".sys[data-s]")) button.addEventListener("click", () => choose(button));
    document.addEventListener("click", (event) => {
      const datum = event.target.__data__ && event.target.__data__.datum;
      if (datum && datum.row !== undefined && datum.column !== undefined && systems.includes(datum.row)) show(datum.row, datum.column);
      const row = event.target.closest && event.target.closest("#disagree-swaps tbody tr");
      if (row) show(row.cells[0].textContent, row.cells[1].textContent);
    });
  }

  // All systems or the head of the ranking.
  for (const figure of document.querySelectorAll(".crosses")) {
    figure.classList.add("zoom");
    const parts = [...figure.querySelectorAll(".zoomed")], bar = make("div"); bar.className = "switch tools";
    const pick = (shown) => parts.forEach((part, k) => { part.classList.toggle("shown", part === shown); bar.children[k].setAttribute("aria-pressed", String(part === shown)); });
    for (const part of parts) { const b = make("button", part.querySelector("h3").textContent, bar); b.type = "button"; b.addEventListener("click", () => pick(part)); }
    parts[0].before(bar); pick(parts[0]);
  }

  // The board: search, groups, sorting, columns.
  const board = document.getElementById("board");
  if (board) {
    const tools = document.querySelector(".board-tools"), body = board.tBodies[0], head = board.tHead.rows[0], rows = [...body.rows];
    const extra = data("board-data");
    tools.hidden = false;
    const label = (text, control) => { const l = make("label", `${text} `, tools); l.append(control); return control; };
    const search = label("Search", make("input")); search.type = "search";
    const at = (name) => [...head.cells].findIndex((th) => th.dataset.sort === name);
    const group = at("group") >= 0 ? label("Group", make("select")) : null;
    if (group) { make("option", "all", group).value = ""; for (const text of new Set(rows.map((r) => r.cells[at("group")].textContent).sort())) if (text) { const o = make("option", text, group); o.value = text; } }
    const count = make("span", "", tools); count.setAttribute("role", "status");
    const filter = () => {
      const wanted = search.value.toLowerCase();
      let seen = 0;
      for (const row of rows) {
        const name = row.querySelector("th bdi").title;
        const there = name.toLowerCase().includes(wanted) && (!group || !group.value || row.cells[at("group")].textContent === group.value);
        row.classList.toggle("gone", !there); seen += there;
      }
      count.textContent = seen === rows.length ? "" : `${seen.toLocaleString("en")} of ${rows.length.toLocaleString("en")}`;
    };
    search.addEventListener("input", filter); if (group) group.addEventListener("change", filter);
    const value = (row, place) => { const cell = row.cells[place]; return cell.dataset.value !== undefined ? Number(cell.dataset.value) : cell.querySelector("bdi") ? (cell.querySelector("bdi").title || cell.textContent).toLowerCase() : NaN; };
    const sortable = (th) => {
      const text = th.querySelector(".head") || th, b = document.createElement("button");
      b.type = "button"; b.append(...text.childNodes); text.append(b);
      b.addEventListener("click", () => {
        const place = [...head.cells].indexOf(th), now = th.getAttribute("aria-sort");
        // Scores begin with the highest, all else with the lowest.
        const up = now ? (now === "ascending" ? -1 : 1) : ["score", "task", "covered"].includes(th.dataset.sort) ? -1 : 1;
        for (const other of head.cells) other.removeAttribute("aria-sort");
        th.setAttribute("aria-sort", up > 0 ? "ascending" : "descending");
        const own = rows.map((row, i) => [value(row, place), i, row]);
        own.sort((a, b) => { const x = a[0], y = b[0]; if (x !== x || y !== y) return (x !== x) - (y !== y) || a[1] - b[1]; return (x < y ? -up : x > y ? up : 0) || a[1] - b[1]; });
        body.append(...own.map((entry) => entry[2]));
      });
    };
    for (const th of [...head.cells]) sortable(th);
    const fold = make("details", undefined, tools), menu = (make("summary", "Columns", fold), make("div", undefined, fold)); menu.className = "menu";
    for (const th of [...head.cells]) if (th.dataset.column) {
      const l = make("label", "", menu), box = make("input"); box.type = "checkbox"; box.checked = true; l.append(box, ` ${th.querySelector("button").textContent}`);
      box.addEventListener("change", () => { const place = [...head.cells].indexOf(th); th.classList.toggle("gone", !box.checked); for (const row of rows) row.cells[place].classList.toggle("gone", !box.checked); });
    }
    if (extra) {
      const pick = label("Scores on", make("select"));
      make("option", "none", pick).value = ""; make("option", `all ${extra.tasks.length}`, pick).value = "all";
      extra.tasks.forEach((task, k) => { make("option", task.length > 60 ? `${task.slice(0, 40)}…${task.slice(-19)}` : task, pick).value = String(k); });
      pick.addEventListener("change", () => {
        for (const cell of board.querySelectorAll(".task")) cell.remove();
        const shown = pick.value === "" ? [] : pick.value === "all" ? extra.tasks.map((_, k) => k) : [Number(pick.value)];
        for (const k of shown) { const th = make("th", extra.tasks[k], head); th.scope = "col"; th.className = "number task"; th.dataset.sort = "task"; sortable(th); }
        rows.forEach((row, i) => { for (const k of shown) { const v = extra.values[k][i], td = make("td", v === null ? "" : v.toLocaleString("en", { maximumFractionDigits: 4 }), row); td.className = "number task"; if (v !== null) td.dataset.value = v; } });
      });
    }
  }
};
