// The first screen, which the page's own templates made, and under it the pairs, the topics, and what is taken away.

import { $, button, fixed, make, name, redraw, table } from "./dom.js";
import * as drill from "./drill.js";
import { readAgain } from "./files.js";
import { change, has, now } from "./state.js";
import { showLines, takeAway } from "./take.js";

const HINT = "Choose two systems in the picture to see the topics that decide between them.";
let shown = "", listening = new AbortController(), picked = null, tables = "";

// The screen that is shown, which the app need not send again.
export const seen = () => shown;

// A way out is an entry of the state, or said of the files of the question that have holes. The button goes; the focus
// does not go with it.
function take(way) {
  $("result").focus({ preventScroll: true });
  if (has(way.option)) change({ [way.option]: way.value }, { files: true });
  else readAgain(way.option, way.value);
}

// `stale`: what is shown below belongs to another question than the one that failed.
export function showProblem(error, { stale = true } = {}) {
  $("problem").replaceChildren(make("div", { class: "card" }, make("p", { class: "problem" }, error.problem),
    make("div", { class: "ways" }, ...(error.ways_out ?? []).map((way) =>
      way.advice ? make("p", { class: "soft" }, way.advice) : button(way.label, () => take(way), { class: "way", title: way.effect })))));
  $("screen").classList.toggle("stale", stale);
  $("progress").hidden = true;
}

// Intervals cannot be had: what is known stays.
export function pointsOnly() {
  const badge = document.querySelector("#first .badge");
  if (badge) { badge.textContent = "Point values only"; badge.className = "badge open"; }
  shown = "";
}

// The fragment is made by templates that escape whatever they print, and the policy lets no script in it run.
function put({ id, html, systems }) {
  shown = id;
  listening.abort();
  listening = new AbortController();
  redraw($("first"), () => {
    const sorted = $("first").querySelector("th[aria-sort]"), pressed = $("first").querySelector("[aria-pressed=true]")?.textContent;
    const [column, way] = [sorted?.dataset.sort, sorted?.getAttribute("aria-sort")];
    $("first").innerHTML = html;
    const data = make("script", { type: "application/json", id: "systems-data" });
    data.textContent = JSON.stringify(systems);
    $("first").append(data);
    firstScreen(listening.signal);
    const head = column && $("first").querySelector(`th[data-sort="${CSS.escape(column)}"]`);
    for (let turn = 0; head && turn < 2 && head.getAttribute("aria-sort") !== way; turn++) head.querySelector("button").click();
    [...$("first").querySelectorAll("[aria-pressed]")].find((one) => one.textContent === pressed)?.click();
  }, { replay: ".board-tools :is(input[type=search], select)" });
  if (now().question !== "judge") return;
  const picture = $("first").querySelector(".picture");
  picture?.addEventListener("click", (event) => { const mark = event.target.closest("[data-s]"); if (mark) pick(systems[Number(mark.dataset.s)], mark.dataset.s); });
  picture?.append(make("p", { class: "soft", id: "picked", role: "status" }, HINT));
  const again = picked;
  picked = null;
  if (again !== null && systems.includes(again)) pick(again, systems.indexOf(again));
}

function pick(system, place) {
  for (const one of document.querySelectorAll("#first .chosen")) one.classList.remove("chosen");
  if (picked === null || picked === system) {
    picked = picked === system ? null : system;
    if (picked !== null) for (const one of document.querySelectorAll(`#first [data-s="${place}"]`)) one.classList.add("chosen");
    $("picked").replaceChildren(...(picked === null ? [HINT] : [name(picked), " and … choose another one."]));
    return;
  }
  const first = picked;
  picked = null;
  $("picked").textContent = HINT;
  drill.pair(first, system);
}

function judgeTables({ points, intervals }) {
  const { pairs, agreement } = points;
  const rows = pairs.filter((pair) => pair.loss > 0).map((pair) => [name(pair.first, 26), name(pair.second, 26), fixed(pair.loss, 4), button("Topics", () => drill.pair(pair.first, pair.second), { class: "little", "aria-label": `Topics of ${pair.first} and ${pair.second}` })]);
  const made = [rows.length ? table(`The pairs that cost most: 1 − ${agreement.symbol} is the sum of all losses`, ["first", "second", { text: "loss", number: true }, "look"], rows, { id: "pairs" }) : make("p", { class: "soft" }, "No pair costs anything.")];
  const topics = intervals?.topics ?? [];
  if (topics.length) made.push(make("details", { class: "more" }, make("summary", {}, "Topic by topic, the lowest agreement first"), table("Agreement on each topic", ["topic", { text: agreement.symbol, number: true }], topics.slice(0, 300).map((one) => [name(one.topic), fixed(one.value)]))));
  return make("section", { class: "card", "aria-label": "Pairs and topics" }, make("h3", {}, "Where do they disagree?"), ...made, make("div", { id: "drill", tabindex: "-1" }));
}

// While a slider moves only a tile changes; the rest is made anew where its data are others.
export function show(answer) {
  const question = now().question, { points, intervals } = answer;
  $("problem").replaceChildren();
  $("screen").classList.remove("stale");
  $("first").classList.toggle("waiting", !intervals);
  $("first").classList.toggle("alone", Boolean(intervals) && intervals.at_once === false);
  if (answer.screen.html !== null) put(answer.screen);
  $("first").querySelector(".asked-tile")?.remove();
  if (answer.tile) { const extra = make("div", { class: "asked-tile" }); extra.innerHTML = answer.tile; $("first").querySelector(".tiles").prepend(extra); }
  $("progress").hidden = Boolean(intervals) || !answer.job;
  $("notes").replaceChildren(...[...new Set([...points.notes, ...(intervals?.notes ?? [])])].map((note) => make("p", { class: "soft note" }, note)));
  const next = JSON.stringify([question, points.pairs, points.names, intervals?.topics]);
  document.body.classList.add("asked");
  if (next !== tables || !$("below").firstElementChild) {
    tables = next;
    const opened = question === "judge" ? drill.current() : null;
    redraw($("below"), () => {
      $("below").replaceChildren(...(question === "judge" ? [judgeTables(answer)] : []), takeAway());
      if (opened) $("drill").replaceChildren(...opened);
    });
  } else showLines();
  document.body.dataset.drawn = question;
}

export function progress({ done, total }) {
  $("progress").hidden = false;
  $("progress").querySelector("progress").value = done / total;
}
