// Charts by Vega, the one that the report page has. Expressions are interpreted, nothing is loaded.

import { make, tell } from "./dom.js";

// Okabe and Ito's colours, for readers who see fewer of them.
const COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#8c6d31", "#7f7f7f"];
const colour = (group, groups) => COLOURS[Math.max(0, groups.indexOf(group)) % COLOURS.length];
const nothing = { load: () => Promise.reject(new Error("This page loads nothing.")), sanitize: () => Promise.reject(new Error("This page links nowhere.")) };

export function swatch(group, groups) {
  const made = make("span", { class: "swatch", "aria-hidden": "true" });
  made.style.background = colour(group, groups);
  return made;
}

const variable = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const short = (text, most = 24) => { const all = [...text]; return all.length > most ? `${all.slice(0, most / 2).join("")}…${all.slice(1 - most / 2).join("")}` : text; };

function config() {
  const ink = variable("--ink"), soft = variable("--soft"), line = variable("--line");
  const axis = { labelColor: ink, titleColor: soft, gridColor: line, domainColor: line, tickColor: line, labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal" };
  return { background: "transparent", view: { stroke: null }, axis, text: { color: ink, fontSize: 12 }, legend: { labelColor: ink, titleColor: soft }, font: "system-ui, sans-serif" };
}

const drawn = new Map();

// `build` makes the specification in the colours of the look there is; another look makes it again.
async function draw(place, build, label, click) {
  const again = () => draw(place, build, label, click), spec = build();
  const text = JSON.stringify(spec) + place.clientWidth;
  if (drawn.get(place)?.text === text) return drawn.get(place).view;
  drawn.get(place)?.view?.finalize();
  drawn.set(place, { text, again });
  const made = await window.vegaEmbed(place, { $schema: "https://vega.github.io/schema/vega-lite/v6.json", autosize: { type: "fit-x", contains: "padding" }, width: "container", ...spec, config: config() },
    { ast: true, mode: "vega-lite", renderer: "svg", actions: false, defaultStyle: false, tooltip: tell, loader: nothing, logLevel: 1 });
  drawn.set(place, { text, again, view: made.view });
  const svg = place.querySelector("svg");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  for (const inner of svg.querySelectorAll("[role], [aria-roledescription], [aria-label]")) for (const name of ["role", "aria-roledescription", "aria-label"]) inner.removeAttribute(name);
  if (click) made.view.addEventListener("click", (event, item) => { if (item?.datum?.system !== undefined) click(item.datum.system); });
  return made.view;
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  for (const [place, { again }] of [...drawn]) { drawn.delete(place); if (place.isConnected) again(); }
});

let moved = null;

export async function curve(place, { tied_within: x, value: y, turns_at: turn }, at, symbol) {
  const values = x.map((own, i) => ({ x: own, y: y[i] })).filter((one) => one.y !== null);
  const spec = () => ({
    height: 90,
    params: [{ name: "at", value: at }],
    layer: [
      { data: { values }, mark: { type: "line", color: COLOURS[0], strokeWidth: 2 }, encoding: { x: { field: "x", type: "quantitative", title: `${symbol} if scores this close are tied`, axis: { tickCount: 3 } }, y: { field: "y", type: "quantitative", title: null, scale: { zero: false }, axis: { tickCount: 3 } }, tooltip: [{ field: "x", title: "tied within", format: ".4f" }, { field: "y", title: symbol, format: ".3f" }] } },
      { data: { values: [{}] }, mark: { type: "rule", color: COLOURS[4], strokeWidth: 2 }, encoding: { x: { datum: { expr: "at" }, type: "quantitative" } } },
    ],
  });
  const turns = turn === null ? "" : `, turning at ${turn.toFixed(4)}`;
  const known = drawn.get(place);
  const key = JSON.stringify(values) + place.clientWidth + symbol;
  if (known?.key === key && known.view) { moveCurve(at); return; }
  moved = await draw(place, spec, `${symbol} as the tolerance grows${turns}`);
  if (drawn.get(place)) drawn.get(place).key = key;
}

export const moveCurve = (at) => { moved?.signal("at", at).runAsync(); };

function marks(rows, groups, real) {
  return rows.map((row) => ({
    ...row, label: short(row.system),
    paint: groups.length ? colour(row.group, groups) : real?.has(row.system) ? COLOURS[4] : real?.size ? variable("--soft") : COLOURS[0],
    faint: real !== null && real.size > 0 && !real.has(row.system),
  }));
}

// Titles of tooltips become part of expressions: they are ours, and names only ever are values.
const tips = [{ field: "system", title: "system" }, { field: "truth", title: "rank by the truth", format: "~g" }, { field: "estimate", title: "rank by the judge", format: "~g" }];

// Names on both sides; swaps that could be noise are faint.
export function slope(place, points, groups, real, click) {
  const rows = points.ranks;
  const long = () => marks(rows, groups, real).flatMap((row) => [{ ...row, side: 0, rank: row.truth }, { ...row, side: 1, rank: row.estimate }]);
  const y = { field: "rank", type: "quantitative", scale: { reverse: true, zero: false, nice: false, padding: 8 }, axis: null };
  const x = { field: "side", type: "quantitative", scale: { domain: [-0.55, 1.55] }, axis: null };
  const paint = { field: "paint", type: "nominal", scale: null };
  const text = (side, align, dx) => ({ transform: [{ filter: `datum.side === ${side}` }], mark: { type: "text", align, dx, baseline: "middle", fontSize: 12, cursor: "pointer" }, encoding: { x, y, text: { field: "label" }, tooltip: tips } });
  const spec = () => ({
    height: Math.max(220, rows.length * 16),
    data: { values: long() },
    layer: [
      { mark: { type: "line", strokeWidth: 2.5, cursor: "pointer" }, encoding: { x, y, detail: { field: "system" }, color: paint, opacity: { condition: { test: "datum.faint", value: 0.45 }, value: 1 }, tooltip: tips } },
      { mark: { type: "circle", size: 45, opacity: 1, cursor: "pointer" }, encoding: { x, y, color: paint, tooltip: tips } },
      text(0, "right", -9), text(1, "left", 9),
    ],
  });
  return draw(place, spec, `Ranks of ${rows.length} systems by ${short(points.names[1])} on the left and ${short(points.names[0])} on the right; the tables have the numbers.`, click);
}

export function scatter(place, points, groups, real, click) {
  const rows = points.ranks;
  const n = Math.max(...rows.flatMap((row) => [row.truth, row.estimate]));
  const axis = (field, title) => ({ field, type: "quantitative", title, scale: { domain: [1, n], nice: false, padding: 6, reverse: field === "estimate" } });
  const spec = () => ({
    height: 420,
    layer: [
      { data: { values: [{ truth: 1, estimate: 1 }, { truth: n, estimate: n }] }, mark: { type: "line", color: variable("--line"), strokeDash: [4, 4] }, encoding: { x: axis("truth", ""), y: axis("estimate", "") } },
      { data: { values: marks(rows, groups, real) }, params: [{ name: "zoom", select: "interval", bind: "scales" }], mark: { type: "circle", size: 70, cursor: "pointer", clip: true }, encoding: { x: axis("truth", `rank by ${short(points.names[1])}`), y: axis("estimate", `rank by ${short(points.names[0])}`), color: { field: "paint", type: "nominal", scale: null }, opacity: { condition: { test: "datum.faint", value: 0.55 }, value: 1 }, tooltip: tips } },
    ],
  });
  return draw(place, spec, `Rank by ${short(points.names[0])} against rank by ${short(points.names[1])}; the tables have the numbers.`, click);
}

export function forest(place, rows, ceiling, symbol) {
  const values = rows.map((row) => ({ ...row, label: short(row.judge, 30) }));
  const y = { field: "label", type: "nominal", sort: null, title: null, axis: { labelLimit: 260, domain: false, ticks: false } };
  const x = { type: "quantitative", title: `${symbol} with the truth`, scale: { zero: false, nice: true, padding: 12 } };
  const spec = () => ({
    height: 32 * values.length,
    layer: [
      ...(ceiling?.interval?.[0] != null ? [{ data: { values: [{ low: ceiling.interval[0], high: ceiling.interval[1] }] }, mark: { type: "rect", color: COLOURS[5], opacity: 0.25 }, encoding: { x: { ...x, field: "low" }, x2: { field: "high" } } }] : []),
      ...(values[0].low !== undefined ? [{ data: { values }, mark: { type: "rule", strokeWidth: 4, color: COLOURS[0], opacity: 0.6 }, encoding: { y, x: { ...x, field: "low" }, x2: { field: "high" } } }] : []),
      { data: { values }, mark: { type: "circle", size: 110, color: COLOURS[0], opacity: 1 }, encoding: { y, x: { ...x, field: values[0].corrected !== undefined ? "corrected" : "value" }, tooltip: [{ field: "judge", title: "judge" }, ...(values[0].corrected !== undefined ? [{ field: "corrected", format: ".3f" }, { field: "low", format: ".3f" }, { field: "high", format: ".3f" }, { field: "letters" }] : [{ field: "value", format: ".3f" }])] } },
      ...(values[0].corrected !== undefined ? [{ data: { values }, mark: { type: "point", size: 190, color: variable("--ink"), filled: false, strokeWidth: 2 }, encoding: { y, x: { ...x, field: "observed" }, tooltip: [{ field: "judge", title: "judge" }, { field: "observed", format: ".3f" }] } }] : []),
    ],
  });
  return draw(place, spec, "Agreement of each judge with the truth, with its interval; the table has the numbers.");
}

export function topics(place, columns) {
  const keys = Object.keys(columns);
  const values = columns[keys[0]].map((_, i) => Object.fromEntries(keys.map((key) => [key, columns[key][i]])));
  const spec = () => ({
    height: 200, data: { values }, mark: { type: "line", color: COLOURS[0], strokeWidth: 2.5 },
    encoding: { x: { field: keys[0], type: "quantitative", title: "topics" }, y: { field: keys[1], type: "quantitative", title: "expected tau", scale: { zero: false } }, tooltip: [{ field: keys[0], title: "topics" }, { field: keys[1], title: "expected tau", format: ".3f" }] },
  });
  return draw(place, spec, "Expected tau with the true ranking as the number of topics grows.");
}
