// The app: files, a question, and its answer, which the app shows as it comes.

import { $, button, fixes, make, redraw } from "./dom.js";
import * as api from "./api.js";
import * as controls from "./controls.js";
import * as files from "./files.js";
import * as state from "./state.js";

// A question is asked when no control has moved for this time.
const REST = 250;
const TAKEN = [["page.html", "Page"], ["figure.pdf", "Figure (PDF)"], ["figure.svg", "Figure (SVG)"], ["table.csv", "Table (CSV)"], ["table.tex", "Table (LaTeX)"], ["answer.json", "Numbers (JSON)"]];

let resting = 0, asking = null, chosen = [];

function showProblem(error) {
  const { question } = state.now();
  const apply = (option, value) => {
    $("result").focus({ preventScroll: true });
    if (option === "without") state.change({ without: value }, { files: true });
    else if (["measure", "missing", "aggregate", "lower_is_better"].includes(option) && question) state.reading(option, value);
    else { state.option(option, value); controls.showControls(); }
  };
  $("problem").replaceChildren(make("p", { class: "problem" }, error.problem ?? String(error)), fixes(error.fixes ?? [], apply));
  $("answer").hidden = true;
}

async function ask() {
  asking?.abort();
  const own = asking = new AbortController();
  const asked = state.now();
  $("answer").classList.add("stale");
  $("computing").hidden = false;
  try {
    const found = await api.answer(asked, own.signal);
    if (own !== asking) return;
    show(found);
    controls.learn(found);
    document.body.dataset.ready = asked.question;
  } catch (error) {
    if (own !== asking || error.name === "AbortError") return;
    showProblem(error);
    document.body.dataset.ready = "problem";
  }
  $("computing").hidden = true;
}

function show(found) {
  $("problem").replaceChildren();
  $("answer").hidden = false;
  $("answer").classList.remove("stale");
  // The fragment is made by the app, with every name escaped; the policy of the page runs nothing in it.
  redraw($("first"), () => { $("first").innerHTML = found.html; });
  document.dispatchEvent(new CustomEvent("tauscope:answer", { detail: $("first") }));
  $("shell").textContent = found.shell || "The shell reads all files of a command in the same way. Use the lines of Python.";
  $("python").textContent = found.python;
  if (!found.systems.includes(chosen[0])) lookAt([]);
}

// A system, or two, topic by topic: chosen in a chart or a table.
async function lookAt(systems) {
  chosen = systems;
  $("drill").hidden = !systems.length;
  if (!systems.length) return;
  try {
    const found = await api.topics(state.now(), systems);
    $("drill-table").innerHTML = found.html;
  } catch (error) { $("drill-table").replaceChildren(make("p", { class: "problem" }, error.problem ?? String(error))); }
  $("drill").focus();
}

const systemOf = (target) => target.closest("[data-n]")?.dataset.n ?? target.closest("td")?.querySelector("bdi.name")?.textContent;

$("first").addEventListener("click", (event) => {
  const row = event.target.closest("tr");
  const names = row ? [...row.querySelectorAll("bdi.name")].map((one) => one.textContent) : [systemOf(event.target)];
  const systems = names.filter((one) => one !== undefined && known().includes(one));
  if (systems.length) lookAt(systems.length > 1 ? systems.slice(0, 2) : chosen.length === 1 && chosen[0] !== systems[0] ? [chosen[0], systems[0]] : systems);
});

const known = controls.systems;

for (const [name, text] of TAKEN) {
  $("take").append(button(text, async () => {
    $("taking").textContent = `Making ${name} …`;
    try { await api.take(state.now(), name); $("taking").textContent = ""; } catch (error) { $("taking").textContent = error.problem ?? String(error); }
  }));
}
$("drill-close").addEventListener("click", () => { lookAt([]); $("result").focus(); });

state.onChange(({ moving, files: others }) => {
  clearTimeout(resting);
  delete document.body.dataset.ready;
  if (others) { controls.showQuestions(); controls.showControls(); }
  if (!controls.answerable()) { asking?.abort(); return; }
  document.body.classList.add("asked");
  resting = setTimeout(ask, moving ? REST : 20);
});

files.onFiles(() => {
  controls.showQuestions();
  if (controls.askLikely()) $("files").open = false;
  else if (controls.answerable()) state.change({}, { files: true });
  else controls.showControls();
});

async function begin() {
  if (location.search) history.replaceState(null, "", location.pathname + location.hash);
  const session = await api.session();
  state.fromAddress();
  controls.begin(session);
  await files.begin(session.files);
  controls.showQuestions();
  if (controls.answerable()) { $("files").open = false; state.change({}, { files: true }); }
  else if (controls.askLikely()) $("files").open = false;
  document.body.dataset.begun = "yes";
}

begin().catch((error) => { $("work").hidden = false; showProblem(error); });
