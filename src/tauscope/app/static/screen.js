// The first screen of an answer: badge, sentence, tiles, the picture, and the tables under it.

import { $, button, counted, fixed, make, name, table, words } from "./dom.js";
import * as charts from "./charts.js";
import * as drill from "./drill.js";
import { groups } from "./controls.js";
import { now, takeWay } from "./state.js";
import { takeAway } from "./take.js";

// Up to so many systems a slope chart can be read.
const MOST_FOR_SLOPE = 40;

// `stale`: what is shown below belongs to another question than the one that failed.
export function showProblem(error, { stale = true } = {}) {
  $("problem").replaceChildren(make("div", { class: "card" }, make("p", { class: "problem" }, error.problem),
    make("div", { class: "ways" }, ...(error.ways_out ?? []).map((way) =>
      way.advice ? make("p", { class: "soft" }, way.advice) : button(way.label, () => takeWay(way), { class: "way", title: way.effect })))));
  $("screen").classList.toggle("stale", stale);
}

function ruler(marks) {
  const values = Object.values(marks).filter((value) => typeof value === "number");
  if (!values.length) return null;
  const low = Math.min(0.5, ...values.map((value) => Math.floor(value * 10) / 10)), span = 1 - low || 1;
  const at = (value) => `${Math.max(0, Math.min(100, (100 * (value - low)) / span))}%`;
  const place = (kind, value, text) => {
    if (typeof value !== "number") return null;
    const made = make("span", { class: `mark ${kind}`, title: `${text} ${fixed(value)}` });
    made.style.left = at(value);
    return made;
  };
  const bar = typeof marks.low === "number" ? make("span", { class: "mark span" }) : null;
  if (bar) { bar.style.left = at(marks.low); bar.style.width = `calc(${at(marks.high)} - ${at(marks.low)})`; }
  const legend = [["observed", "observed", marks.observed], ["corrected", marks.observed === undefined ? "expected" : "without noise", marks.corrected], ["margin", "margin", marks.margin], ["ceiling", "ceiling of observed", marks.ceiling]]
    .filter(([, , value]) => typeof value === "number")
    .map(([kind, text, value]) => make("span", {}, make("i", { class: `key ${kind}` }), `${text} ${fixed(value, 2)} `));
  return make("div", { class: "ruler" },
    make("div", { class: "rail", "aria-hidden": "true" }, bar, place("margin", marks.margin, "margin"), place("ceiling", marks.ceiling, "noise ceiling"), place("observed", marks.observed, "observed"), place("corrected", marks.corrected, "without noise")),
    make("div", { class: "ends", "aria-hidden": "true" }, make("span", {}, low.toFixed(1)), make("span", {}, "1.0")),
    make("p", { class: "legend" }, ...legend));
}

function stacked(parts) {
  const total = parts.reduce((sum, part) => sum + part.count, 0);
  const bar = make("div", { class: "stack", "aria-hidden": "true" }, ...parts.filter((part) => part.count).map((part) => {
    const made = make("span", { class: part.tone });
    made.style.flexGrow = String(part.count / (total || 1));
    return made;
  }));
  return make("div", {}, bar, make("p", { class: "legend" }, ...parts.map((part) => make("span", {}, make("i", { class: `key box ${part.tone}` }), `${part.label} ${counted(part.count)} `))));
}

const tile = (one) => make("div", { class: `tile${one.waits ? " waits" : ""}`, "data-tile": one.id },
  make("h3", {}, one.title),
  one.name ? make("p", { class: "who" }, name(one.name, 30)) : null,
  make("p", { class: "value" }, one.value),
  one.dots ? make("div", { class: "dots", "aria-hidden": "true" }, ...Array.from({ length: one.dots.of }, (_, i) => make("i", { class: i < one.dots.in ? "in" : undefined }))) : null,
  one.ruler ? ruler(one.ruler) : null, one.bar ? stacked(one.bar) : null,
  one.text ? make("p", { class: "soft" }, one.text) : null);

const claims = (title, list, tone) => (list.length ? make("div", { class: `claims ${tone}` }, make("h3", {}, title), make("ul", {}, ...list.map((parts) => make("li", {}, ...words(parts))))) : null);

let picked = null;

function pick(system) {
  if (picked === null || picked === system) {
    picked = picked === system ? null : system;
    $("picked").replaceChildren(...(picked === null ? ["Choose two systems to see the topics that decide between them."] : [name(picked), " and … choose another one."]));
    return;
  }
  const first = picked;
  picked = null;
  $("picked").textContent = "Choose two systems to see the topics that decide between them.";
  drill.pair(first, system);
}

function judgePicture(answer) {
  const points = answer.points, many = points.ranks.length > MOST_FOR_SLOPE;
  const real = answer.intervals ? new Set(answer.intervals.contradicted.flat()) : null;
  const place = make("div", { class: "chart", id: "picture" });
  const head = many ? null : make("div", { class: "sides" }, make("span", {}, name(points.names[1])), make("span", {}, name(points.names[0])));
  const colours = groups().length ? "Colours are groups. " : "";
  const said = colours + (real === null ? "" : real.size ? "Faint: systems that are in no difference that both find significant, in opposite directions." : "No swap is a difference that both find significant.");
  const card = make("figure", { class: "card picture" }, make("figcaption", {}, many ? "Rank against rank. Scroll to zoom." : "Ranks by both.", said ? ` ${said}` : ""), head, place, make("p", { class: "soft", id: "picked", role: "status" }, "Choose two systems to see the topics that decide between them."));
  picked = null;
  return [card, () => (many ? charts.scatter : charts.slope)(place, points, groups(), real, pick)];
}

function judgeTables(answer) {
  const { pairs, agreement } = answer.points;
  const rows = pairs.filter((pair) => pair.loss > 0).map((pair) => [name(pair.first, 26), name(pair.second, 26), fixed(pair.loss, 4), button("Topics", () => drill.pair(pair.first, pair.second), { class: "small", "aria-label": `Topics of ${pair.first} and ${pair.second}` })]);
  const made = [rows.length ? table(`The pairs that cost most: 1 − ${agreement.symbol} is the sum of all losses`, ["first", "second", { text: "loss", number: true }, "look"], rows, { id: "pairs" }) : make("p", { class: "soft" }, "No pair costs anything.")];
  const topics = answer.intervals?.topics ?? [];
  if (topics.length) made.push(make("details", { class: "fold" }, make("summary", {}, "Topic by topic, the lowest agreement first"), table("Agreement on each topic", ["topic", { text: agreement.symbol, number: true }], topics.slice(0, 300).map((one) => [name(one.topic), fixed(one.value)]))));
  return make("section", { class: "card", "aria-label": "Pairs and topics" }, make("h3", {}, "Where do they disagree?"), ...made, make("div", { id: "drill", tabindex: "-1" }));
}

function boardTable(answer) {
  const { rows, systems, about, tasks } = answer.points, sure = new Map((answer.intervals?.rows ?? []).map((row) => [row.system, row]));
  const search = make("input", { type: "search", placeholder: "Search", "aria-label": "Search the board" });
  const covered = rows.some((row) => row.covered !== null), thin = (row) => tasks && row.covered < tasks;
  const heads = [{ text: "rank", key: "rank", number: true }, { text: "system", key: "system" }, { text: "ranks that could be true", key: "low" }, { text: about === "Elo points" ? about : "score", key: "score", number: true }, ...(sure.size && answer.intervals.at_once ? [{ text: "tier", key: "tier", number: true }] : []), ...(covered ? [{ text: tasks ? "tasks" : "battles", key: "covered", number: true }] : [])];
  let order = "rank", down = false;
  const body = make("tbody");
  const line = (row) => {
    const own = sure.get(row.system);
    const bar = make("span", { class: "reach", "aria-hidden": "true" });
    const rail = make("span", { class: `rail small${own ? "" : " waits"}` }, bar);
    if (own) { bar.style.left = `${(100 * (own.low - 1)) / systems}%`; bar.style.width = `${(100 * (own.high - own.low + 1)) / systems}%`; }
    const cells = [make("td", { class: "number" }, String(row.rank)), make("td", {}, row.group ? charts.swatch(row.group, groups()) : null, name(row.system, 34), own?.best ? make("span", { class: "best", title: "could be the best" }, "\u00a0★", make("span", { class: "hidden" }, " could be the best")) : null), make("td", { class: "reaches" }, rail, make("span", { class: "limits" }, own ? (own.low === own.high ? String(own.low) : `${own.low}–${own.high}`) : "…")), make("td", { class: "number" }, fixed(row.score, about === "Elo points" ? 0 : 3))];
    if (heads.some((head) => head.key === "tier")) cells.push(make("td", { class: "number" }, own ? String(own.tier) : "–"));
    if (covered) cells.push(make("td", { class: `number${thin(row) ? " thin" : ""}` }, row.covered === null ? "–" : counted(row.covered)));
    return make("tr", { class: own?.tier ? `tier${own.tier % 2}` : undefined }, ...cells);
  };
  const show = () => {
    const text = search.value.toLowerCase();
    const value = (row) => ({ ...row, ...sure.get(row.system) })[order] ?? "";
    const found = rows.filter((row) => row.system.toLowerCase().includes(text) || row.group.toLowerCase().includes(text));
    found.sort((a, b) => { const x = value(a), y = value(b), c = x < y ? -1 : x > y ? 1 : 0; return (down ? -c : c) || a.rank - b.rank; });
    body.replaceChildren(...found.map(line));
  };
  const head = (one) => {
    const th = make("th", { scope: "col", class: one.number ? "number" : undefined, "aria-sort": one.key === "rank" ? "ascending" : undefined });
    th.append(button(one.text, () => {
      down = order === one.key ? !down : ["score", "covered"].includes(one.key);
      order = one.key;
      for (const other of th.parentElement.children) other.removeAttribute("aria-sort");
      th.setAttribute("aria-sort", down ? "descending" : "ascending");
      show();
    }));
    return th;
  };
  search.addEventListener("input", show);
  show();
  const caption = answer.intervals ? (answer.intervals.at_once ? `Ranks that could be true, for all at once (${Math.round(answer.intervals.level * 100)} %)` : `Ranks over resampled tasks, each taken alone (${Math.round(answer.intervals.level * 100)} %)`) : "The board; ranks that could be true are being computed";
  return make("section", { class: "card", "aria-label": "The board" }, search,
    make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Rows of the board" }, make("table", { id: "board" }, make("caption", {}, caption), make("thead", {}, make("tr", {}, ...heads.map(head))), body)));
}

function judgesParts(answer) {
  const place = make("div", { class: "chart", id: "picture" }), rows = answer.intervals?.judges ?? answer.points.judges;
  const sure = Boolean(answer.intervals);
  const figure = make("figure", { class: "card picture" }, make("figcaption", {}, "Agreement with the truth", sure ? ": filled without the noise of topics, with intervals; rings as observed, and the band is what noise leaves a perfect judge of these." : ", as observed."), place);
  const heads = sure ? ["judge", { text: "observed", number: true }, { text: "without noise", number: true }, { text: "from", number: true }, { text: "to", number: true }, "letters"] : ["judge", { text: "observed", number: true }];
  const cells = rows.map((row) => (sure ? [name(row.judge), fixed(row.observed), fixed(row.corrected), fixed(row.low), fixed(row.high), row.letters] : [name(row.judge), fixed(row.value)]));
  const symbol = answer.points.judges[0].symbol;
  return [[figure, make("section", { class: "card", "aria-label": "Judges" }, table(sure ? "Judges that share a letter are not told apart" : "Judges", heads, cells, { id: "judges" }))], () => charts.forest(place, rows, answer.intervals?.ceiling, symbol)];
}

function setParts(answer) {
  const found = answer.intervals?.expected?.curve;
  if (!found) return [[boardTable(answer)], () => {}];
  const place = make("div", { class: "chart", id: "picture" });
  return [[boardTable(answer), make("figure", { class: "card picture" }, make("figcaption", {}, "How many topics would be enough? Expected tau with the true ranking."), place)], () => charts.topics(place, found)];
}

let shape = "";

// While a slider moves only badge and tiles change; the rest is made anew where its data are others.
export function show(answer) {
  $("problem").replaceChildren();
  const place = $("screen"), { badge, sentence, tiles, may, may_not } = answer.screen, question = now().question;
  place.classList.remove("stale");
  const top = make("div", { class: "first card", "aria-live": "polite" },
    make("p", { class: `badge ${badge.tone}`, id: "badge" }, badge.text),
    make("p", { class: "sentence" }, ...words(sentence)),
    make("div", { class: "progress", id: "progress", hidden: answer.intervals !== null || !answer.job }, make("progress", { max: 1, value: 0, "aria-label": "Computing intervals" }), make("span", { class: "soft" }, "computing intervals …")),
    make("div", { class: "tiles" }, ...tiles.map(tile)),
    make("div", { class: "both" }, claims("You may claim", may, "good"), claims("You may not claim", may_not, "bad")),
    ...answer.points.notes.map((note) => make("p", { class: "soft note" }, note)));
  const { agreement, top: head, curve, margin, ...rest } = answer.points;
  const next = JSON.stringify([question, rest, answer.intervals, groups()]);
  if (next === shape && place.firstElementChild) { place.firstElementChild.replaceWith(top); return; }
  shape = next;
  const opened = question === "judge" ? drill.current() : null;
  const [parts, draw] = question === "judge" ? (([card, drawIt]) => [[card, judgeTables(answer)], drawIt])(judgePicture(answer))
    : question === "judges" ? judgesParts(answer) : question === "set" ? setParts(answer) : [[boardTable(answer)], () => {}];
  place.classList.toggle("beside", question !== "board");
  document.body.classList.add("asked");
  place.replaceChildren(top, ...parts, takeAway());
  Promise.resolve(draw()).then(() => { document.body.dataset.drawn = question; });
  if (opened) $("drill").replaceChildren(...opened);
}

export function progress({ done, total }) {
  const place = $("progress");
  if (!place) return;
  place.hidden = false;
  place.querySelector("progress").value = done / total;
}
