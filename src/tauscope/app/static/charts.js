// The curve under the slider, by Vega, the one that the report page has. Expressions are interpreted, nothing is loaded.

import { tell } from "./dom.js";

const nothing = { load: () => Promise.reject(new Error("This page loads nothing.")), sanitize: () => Promise.reject(new Error("This page links nowhere.")) };
const variable = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function config() {
  const ink = variable("--ink"), soft = variable("--soft"), line = variable("--line");
  const axis = { labelColor: ink, titleColor: soft, gridColor: line, domainColor: line, tickColor: line, labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal" };
  return { background: "transparent", view: { stroke: null }, axis, font: "system-ui, sans-serif" };
}

let drawn = { key: "", view: null, again: () => {} };

// The coefficient over all tolerances, and where the slider stands.
export async function curve(place, found, at, symbol) {
  const values = found.tied_within.map((x, i) => ({ x, y: found.value[i] })).filter((one) => one.y !== null);
  const key = JSON.stringify(values) + place.clientWidth + symbol;
  if (drawn.key === key && drawn.view && place.querySelector("svg")) { moveCurve(at); return; }
  drawn.view?.finalize();
  drawn = { key, view: null, again: () => { drawn.key = ""; curve(place, found, at, symbol); } };
  const spec = {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json", autosize: { type: "fit-x", contains: "padding" }, width: "container", height: 90,
    params: [{ name: "at", value: at }],
    layer: [
      { data: { values }, mark: { type: "line", color: variable("--kept"), strokeWidth: 2 }, encoding: { x: { field: "x", type: "quantitative", title: `${symbol} if scores this close are tied`, axis: { tickCount: 3 } }, y: { field: "y", type: "quantitative", title: null, scale: { zero: false }, axis: { tickCount: 3 } }, tooltip: [{ field: "x", title: "tied within", format: ".4f" }, { field: "y", title: symbol, format: ".3f" }] } },
      { data: { values: [{}] }, mark: { type: "rule", color: variable("--down"), strokeWidth: 2 }, encoding: { x: { datum: { expr: "at" }, type: "quantitative" } } },
    ],
    config: config(),
  };
  const made = await window.vegaEmbed(place, spec, { ast: true, mode: "vega-lite", renderer: "svg", actions: false, defaultStyle: false, tooltip: tell, loader: nothing, logLevel: 1 });
  if (drawn.key !== key) { made.view.finalize(); return; }
  drawn.view = made.view;
  const svg = place.querySelector("svg");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `${symbol} as the tolerance grows${found.turns_at === null ? "" : `, turning at ${found.turns_at.toFixed(4)}`}`);
  for (const inner of svg.querySelectorAll("[role], [aria-roledescription], [aria-label]")) for (const name of ["role", "aria-roledescription", "aria-label"]) inner.removeAttribute(name);
}

export const moveCurve = (at) => { drawn.view?.signal("at", at).runAsync(); };

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawn.again());
