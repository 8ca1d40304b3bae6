"use strict";
(() => {
  const tip = document.getElementById("tip");
  const make = (tag, text, parent) => { const e = document.createElement(tag); if (text !== undefined) e.textContent = text; if (parent) parent.append(e); return e; };
  // Names come from strangers: they only ever become text, never markup.
  const show = (handler, event, item, value) => {
    if (value === null || value === undefined || value === "") { tip.hidden = true; return; }
    tip.textContent = "";
    const list = make("dl", undefined, tip);
    for (const [key, text] of Object.entries(typeof value === "object" ? value : { "": value })) { make("dt", key, list); make("dd", String(text), list); }
    tip.hidden = false;
    const box = tip.getBoundingClientRect(), gap = 14;
    const left = event.clientX + gap + box.width > innerWidth ? event.clientX - gap - box.width : event.clientX + gap;
    const top = event.clientY + gap + box.height > innerHeight ? event.clientY - gap - box.height : event.clientY + gap;
    tip.style.left = `${Math.max(4, left)}px`;
    tip.style.top = `${Math.max(4, top)}px`;
  };
  addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hidden = true; });

  const save = (name, url) => { const link = make("a"); link.href = url; link.download = name; document.body.append(link); link.click(); link.remove(); };
  const button = (text, parent, act) => { const b = make("button", text, parent); b.type = "button"; b.addEventListener("click", act); return b; };

  // Data are stored column by column, texts once; Vega-Lite wants rows.
  const rows = ({ keys, columns }) => {
    const whole = columns.map((column) => (Array.isArray(column) ? column : column.at.map((i) => column.texts[i])));
    return whole[0].map((_, i) => Object.fromEntries(keys.map((key, k) => [key, whole[k][i]])));
  };
  const nothing = { load: () => Promise.reject(new Error("This page loads nothing.")), sanitize: () => Promise.reject(new Error("This page links nowhere.")) };
  // A single view is as wide as its column: what is left beside names, numbers and a legend. Vega could fit it by
  // itself, but draws twice then, and stumbles over a system called __proto__.
  const pen = make("canvas").getContext("2d");
  const room = (spec) => {
    const view = (spec.layer && spec.layer[0]) || spec, encoding = view.encoding || {}, own = { ...spec.encoding, ...encoding };
    const wide = Math.min(992, document.getElementById("main").clientWidth - 40);
    let left = 64;
    if (own.y && own.y.type === "nominal") {
      const rows = spec.datasets[((view.data || spec.data) ?? {}).name] || [];
      pen.font = "12px sans-serif";
      left = 24 + (own.y.title ? 20 : 0) + Math.min(220, Math.max(0, ...rows.map((row) => pen.measureText(String(row[own.y.field]).slice(0, 60)).width)));
    }
    const legend = own.color && own.color.field && own.color.legend !== null ? 110 : 0;
    return Math.max(160, wide - left - legend);
  };
  const draw = async (figure) => {
    const spec = JSON.parse(document.getElementById(`${figure.dataset.name}-data`).textContent);
    for (const [name, packed] of Object.entries(spec.datasets || {})) spec.datasets[name] = rows(packed);
    const place = figure.querySelector(".chart");
    if (spec.width !== undefined && !spec.hconcat && !spec.vconcat && !spec.facet) spec.width = room(spec);
    const made = await vegaEmbed(place, spec, { ast: true, mode: "vega-lite", renderer: "svg", actions: false, defaultStyle: false, tooltip: show, loader: nothing });
    const svg = place.querySelector("svg");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-labelledby", `${figure.dataset.name}-words`);
    // Whoever has no pointer scrolls with the keys.
    if (Number(svg.getAttribute("width")) > Math.min(992, document.getElementById("main").clientWidth - 40)) place.tabIndex = 0;
    const tools = figure.querySelector(".tools");
    for (const kind of ["svg", "png"])
      button(`Save as ${kind.toUpperCase()}`, tools, async () => {
        // On white, whatever the look of the page: it is for papers.
        const view = made.view, before = view.background();
        await view.background("#ffffff").runAsync();
        const url = await view.toImageURL(kind, kind === "png" ? 3 : 1);
        await view.background(before).runAsync();
        save(`${figure.dataset.name}.${kind}`, url);
      });
    place.addEventListener("pointerleave", () => { tip.hidden = true; });
    figure.dataset.drawn = "yes";
  };
  const charts = [...document.querySelectorAll("figure[id]")];
  const drawn = charts.map((figure) => {
    let promise;
    return () => (promise ||= draw(figure).catch((error) => { figure.querySelector(".chart").textContent = "This chart could not be drawn; the tables have its numbers."; console.error(error); }));
  });
  const all = () => Promise.all(drawn.map((go) => go()));
  // The first chart at once, the others when the browser has time: the page can be read meanwhile.
  (async () => { for (const go of drawn) { await go(); if (go === drawn[0]) performance.measure("first chart"); await new Promise((done) => setTimeout(done)); } document.body.dataset.drawn = "all"; })();
  addEventListener("beforeprint", all);

  const cell = (row, place) => { const td = row.cells[place]; return td.classList.contains("number") ? Number(td.dataset.value ?? NaN) : td.textContent; };
  const compare = (a, b) => {
    if (typeof a === "number") return Number.isNaN(a) ? (Number.isNaN(b) ? 0 : 1) : Number.isNaN(b) ? -1 : a - b;
    return a < b ? -1 : a > b ? 1 : 0;
  };
  // A spreadsheet must not run what a stranger called a system.
  const safe = (text, number) => { const t = !number && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text; return /[",\n\r]/.test(t) ? `"${t.replaceAll('"', '""')}"` : t; };
  for (const scroll of document.querySelectorAll(".scroll")) {
    const table = scroll.querySelector("table"), body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
    const first = Number(table.dataset.shown), tools = document.getElementById(`${table.id}-tools`);
    const fold = () => [...body.rows].forEach((row, i) => row.classList.toggle("more", i >= first));
    heads.forEach((head, place) => {
      const text = head.textContent;
      head.textContent = "";
      button(text, head, () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const order = [...body.rows].map((row, i) => [cell(row, place), i, row]);
        // Undefined stays at the end, whichever way the others go.
        order.sort((a, b) => { const c = compare(a[0], b[0]); const undef = Number.isNaN(a[0]) || Number.isNaN(b[0]); return (down && !undef ? -c : c) || a[1] - b[1]; });
        body.append(...order.map((entry) => entry[2]));
        fold();
      });
    });
    if (body.rows.length > first) {
      fold();
      const toggle = button(`Show all ${body.rows.length.toLocaleString("en")} rows`, tools, () => {
        const open = table.classList.toggle("all");
        toggle.textContent = open ? `Show ${first} rows` : `Show all ${body.rows.length.toLocaleString("en")} rows`;
        toggle.setAttribute("aria-expanded", String(open));
      });
      toggle.setAttribute("aria-expanded", "false");
      toggle.setAttribute("aria-controls", table.id);
    }
    button("Save as CSV", tools, () => {
      const lines = [heads.map((h) => safe(h.textContent, false)).join(",")];
      for (const row of body.rows) lines.push([...row.cells].map((td) => (td.classList.contains("number") ? (td.dataset.value ?? "") : safe(td.textContent, false))).join(","));
      const url = URL.createObjectURL(new Blob([lines.join("\n") + "\n"], { type: "text/csv" }));
      save(`${table.id}.csv`, url);
      setTimeout(() => URL.revokeObjectURL(url), 1000);
    });
  }
})();
