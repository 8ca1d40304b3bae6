// From a pair to its topics, from a topic to its documents.

import { $, button, fixed, make, name, table } from "./dom.js";
import * as api from "./api.js";
import { now } from "./state.js";

let shown = null;
let about = "";

// What is open stays open while intervals arrive; another state closes it.
export const current = () => (shown && about === key() ? shown : null);
const key = () => JSON.stringify({ ...now(), tied_within: 0, margin: null, top_k: null, coefficient: "" });

function put(...parts) {
  shown = parts;
  about = key();
  const place = $("drill");
  place.replaceChildren(...parts);
  place.focus({ preventScroll: true });
  place.scrollIntoView({ block: "nearest" });
}

const failed = (error) => put(make("p", { class: "problem", role: "alert" }, error.problem ?? String(error)));

function gap(value, most) {
  const bar = make("span", { class: `gap ${value < 0 ? "left" : "right"}` });
  bar.style.width = `${(50 * Math.abs(value)) / (most || 1)}%`;
  return make("span", { class: "gaps" }, make("span", { class: "gaprail", "aria-hidden": "true" }, bar), make("span", { class: "reads" }, (value > 0 ? "+" : "") + fixed(value)));
}

export async function pair(first, second) {
  put(make("p", { class: "soft", role: "status" }, "Looking …"));
  try {
    const found = await api.send("/pair", { state: now(), first, second });
    const most = Math.max(...found.topics.flatMap((one) => [Math.abs(one.truth_difference), Math.abs(one.estimate_difference)]));
    const rows = found.topics.slice(0, 100).map((one) => [name(one.topic, 24), gap(one.truth_difference, most), gap(one.estimate_difference, most),
      ...(found.documents ? [button("Documents", () => topic(one.topic, [first, second]), { class: "little", "aria-label": `Documents of topic ${one.topic}` })] : [])]);
    const heads = ["topic", { text: found.names[1] }, { text: found.names[0] }, ...(found.documents ? ["look"] : [])];
    put(make("h4", {}, "Topics of ", name(first), " and ", name(second)),
      make("p", { class: "soft" }, "To the right the first one is better, to the left the second one. Where the two judges differ most comes first."),
      table("What each topic says", heads, rows, { id: "pair-topics" }),
      found.topics.length > 100 ? make("p", { class: "soft" }, `${found.topics.length - 100} more topics`) : "",
      make("div", { id: "documents", tabindex: "-1" }));
  } catch (error) { failed(error); }
}

async function topic(own, systems) {
  const place = $("documents");
  place.replaceChildren(make("p", { class: "soft", role: "status" }, "Looking …"));
  try {
    const found = await api.send("/topic", { state: now(), topic: own, systems });
    const grade = (value) => (value === null || value === undefined ? "not judged" : String(value));
    place.replaceChildren(make("h4", {}, "Topic ", name(own)), ...found.systems.map((system) => {
      const rows = system.documents.map((row) => [String(row.rank), name(row.document, 30), grade(row.truth), make("span", { class: row.estimate === row.truth ? "" : "differs" }, grade(row.estimate)), row.effect === undefined ? "" : (row.effect > 0 ? "+" : "") + fixed(row.effect, 4)]);
      const said = `${found.measure} ${fixed(system.values[1])} by the truth, ${fixed(system.values[0])} by the judge; ${system.different ?? 0} documents seen differently`;
      return make("div", {}, make("p", {}, name(system.system), `: ${said}.`),
        table(`What ${system.system} found, and what each different grade does to ${found.measure}: its change if the judge had graded as the truth`, [{ text: "rank", number: true }, "document", "truth", "judge", { text: "effect", number: true }], rows));
    }));
    place.focus({ preventScroll: true });
    place.scrollIntoView({ block: "nearest" });
  } catch (error) { place.replaceChildren(make("p", { class: "problem", role: "alert" }, error.problem ?? String(error))); }
}
