// Files: dropped, shown with what was understood, mended by their ways out.

import { $, button, counted, make, name, redraw } from "./dom.js";
import * as api from "./api.js";
import { change, now, readWith } from "./state.js";

const files = new Map();
let changed = () => {};

export const all = () => [...files.values()];
export const usable = (...kinds) => all().filter((file) => !file.problem && kinds.includes(file.kind));
export const broken = () => all().some((file) => file.problem);
export const onFiles = (act) => { changed = act; };

export async function begin(found) {
  for (const file of found) files.set(file.id, file);
  const reading = now().reading;
  for (const [id, options] of Object.entries(reading)) {
    if (files.has(id)) files.set(id, await api.send(`/files/${id}/read`, { options }));
  }
  show();
}

const size = (bytes) => (bytes > 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${Math.max(1, Math.round(bytes / 1e3))} kB`);

async function add(list) {
  const status = $("uploading");
  const problems = [];
  for (const [place, file] of list.entries()) {
    status.textContent = `Reading ${place + 1} of ${list.length} …`;
    try {
      const found = await api.upload(file);
      files.set(found.id, found);
    } catch (error) {
      problems.push([file.name, error.problem ?? String(error)]);
    }
  }
  status.replaceChildren(...problems.map(([own, text]) => make("span", { class: "problem" }, name(own), `: ${text}`)));
  show();
  changed();
}

// A dropped folder is the files in it.
async function entries(items) {
  const found = [];
  const walk = async (entry) => {
    if (entry.isFile) { found.push(await new Promise((done, fail) => entry.file(done, fail))); return; }
    const reader = entry.createReader();
    for (;;) {
      const some = await new Promise((done, fail) => reader.readEntries(done, fail));
      if (!some.length) return;
      for (const one of some) if (!one.name.startsWith(".")) await walk(one);
    }
  };
  for (const entry of items.map((item) => item.webkitGetAsEntry?.()).filter(Boolean)) await walk(entry);
  return found;
}

// Reads files again, each with one option more.
async function mend(list, option, value) {
  const status = $("uploading");
  for (const [place, file] of list.entries()) {
    if (list.length > 1) status.textContent = `Reading ${place + 1} of ${list.length} …`;
    const options = readWith(file.id, option, value);
    try {
      files.set(file.id, await api.send(`/files/${file.id}/read`, { options }));
    } catch (error) {
      files.set(file.id, { ...file, problem: error.problem, ways_out: error.ways_out });
    }
  }
  const left = list.filter((file) => files.get(file.id)?.problem).length;
  status.textContent = list.length > 1 ? `${counted(list.length - left)} of ${counted(list.length)} files are understood now.` : "";
  show();
  changed();
}

// Whoever pressed a button that is gone now goes on at the file that it was about.
async function press(list, option, value) {
  await mend(list, option, value);
  if (!document.activeElement || document.activeElement === document.body) document.querySelector(`[data-file="${list[0].id}"] summary`)?.focus();
}

// A way out of an answer that is said of its files: those with holes.
export function readAgain(option, value) {
  const { truth, sources } = now();
  return mend([...new Set([truth, ...sources])].map((id) => files.get(id)).filter((file) => file?.counts["missing cells"]), option, value);
}

async function remove(file) {
  await api.forget(file.id);
  files.delete(file.id);
  const { truth, sources, groups } = now();
  change({
    truth: truth === file.id ? "" : truth, groups: groups === file.id ? "" : groups,
    sources: sources.filter((id) => id !== file.id),
  }, { files: true });
  show();
  changed();
}

function preview({ columns, rows, more }) {
  if (!rows.length) return null;
  const cell = (text) => (typeof text === "number" ? String(Number(text.toPrecision(5))) : name(String(text ?? ""), 28));
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "The first rows" },
    make("table", { class: "little" },
      make("thead", {}, make("tr", {}, ...columns.map((one) => make("th", { scope: "col" }, name(String(one), 22))))),
      make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.slice(0, 12).map((one) => make("td", {}, cell(one))))))),
    more ? make("p", { class: "soft" }, `and ${more}`) : null);
}

const columns = (label, names) => make("select", { "aria-label": label }, make("option", { value: "" }, label), ...names.map((one) => make("option", { value: one }, one)));

// Several columns are said at once: each is chosen, and a button reads them.
function roles(list, way) {
  const choices = Object.entries(way.roles).map(([role, label]) => [role, columns(label, way.choices)]);
  const said = () => choices.filter(([, choice]) => choice.value).map(([role, choice]) => `${role}=${choice.value}`).join(",");
  return make("div", { class: "ways" }, "One row per score: ", ...choices.map(([, choice]) => choice), button(way.label, () => said() && press(list, way.option, said()), { class: "way" }));
}

// The ways out for one file, or for several with the same problem.
function ways(list, kind = "way") {
  const all = list.length > 2 ? `, for all ${counted(list.length)} files` : list.length === 2 ? ", for both files" : "";
  return make("div", { class: "ways" }, ...list[0].ways_out.flatMap((way) => {
    if (way.advice) return make("p", { class: "soft" }, way.advice);
    if (way.roles) return roles(list, way);
    if (way.choices) {
      const choice = columns(way.label + all, way.choices);
      choice.addEventListener("change", () => choice.value && press(list, way.option, choice.value));
      return choice;
    }
    return button(way.label + all, () => press(list, way.option, String(way.value)), { class: kind, title: way.effect, "aria-label": list.length > 1 ? undefined : `${way.label}: ${list[0].name}` });
  }));
}

// Files that need the same word: whatever is offered for one of them is offered for all.
function alike() {
  const by = new Map();
  for (const file of all()) {
    if (!file.problem || !file.ways_out.some((way) => way.option)) continue;
    const key = JSON.stringify([file.kind, file.ways_out.map((way) => [way.option, way.value, way.choices])]);
    by.set(key, [...(by.get(key) ?? []), file]);
  }
  return [...by.values()].filter((list) => list.length > 1);
}

function together(list) {
  const shown = list.slice(0, 3).flatMap((file, place) => [place ? ", " : "", name(file.name, 30)]);
  return make("section", { class: "file same", "aria-label": `${list.length} files with the same problem` },
    make("p", {}, make("strong", {}, `${counted(list.length)} files need the same word from you: `), ...shown, list.length > 3 ? ", …" : ""),
    make("p", { class: "problem" }, list[0].problem), ways(list));
}

// How missing cells were dealt with can be said again.
const HOLES = [["keep", "kept"], ["zero", "counted as 0"], ["drop-topics", "left out with their topics"], ["drop-systems", "left out with their systems"]];

function holes(file) {
  if (file.problem || !file.options.missing) return null;
  const choice = make("select", { "aria-label": `Missing cells of ${file.name}` }, ...HOLES.map(([value, text]) => make("option", { value, selected: value === file.options.missing }, `Missing cells are ${text}`)));
  choice.addEventListener("change", () => press([file], "missing", choice.value));
  return make("p", {}, choice);
}

// Whoever does not open a file is told that there is something to look at in it.
function odd({ oddities }) {
  const grave = oddities.filter((one) => one.severity !== "note").length;
  return grave ? make("span", { class: "look" }, ` · ${grave === 1 ? "one thing" : `${grave} things`} to look at`) : null;
}

function card(file, grouped = false) {
  const told = Object.entries(file.counts).map(([noun, number]) => `${counted(number)} ${number === 1 ? noun.replace(/s$/, "") : noun}`);
  const kinds = make("select", { "aria-label": `What ${file.name} is` }, make("option", { value: "" }, "It is something else …"),
    ...file.kinds.map((kind) => make("option", { value: kind.kind }, kind.title)));
  kinds.addEventListener("change", () => kinds.value && press([file], "kind", kinds.value));
  return make("details", { class: `file${file.problem ? " broken" : ""}`, open: Boolean(file.problem) && !grouped, "data-file": file.id },
    make("summary", { "data-focus": `file ${file.id}${file.problem ? " broken" : ""}` }, name(file.name), " ", make("span", { class: "soft" }, file.problem ? "needs a word from you" : `${file.title}: ${told.join(", ")}`), odd(file)),
    file.problem ? make("p", { class: "problem" }, file.problem) : null,
    file.problem ? ways([file]) : null,
    ...file.layout.map((note) => make("p", { class: "soft" }, note)),
    !file.problem && file.ways_out.length ? ways([file], "little") : null,
    ...file.oddities.map((odd) => make("p", { class: `odd ${odd.severity}` }, odd.text)),
    holes(file),
    preview(file.preview),
    make("div", { class: "tools" }, kinds, make("span", { class: "soft" }, size(file.bytes)), button("Remove", () => remove(file))));
}

function show() {
  const runs = all().filter((file) => file.kind === "run" && !file.problem);
  const others = all().filter((file) => !runs.includes(file));
  const same = alike();
  const list = [...same.map(together), ...others.map((file) => card(file, same.some((group) => group.includes(file))))];
  if (runs.length === 1) list.push(card(runs[0]));
  else if (runs.length) {
    list.push(make("details", { class: "file" },
      make("summary", { "data-focus": "runs" }, `${counted(runs.length)} runs `, make("span", { class: "soft" }, "to be measured by judgments")),
      ...runs.map((file) => card(file))));
  }
  redraw($("list"), () => $("list").replaceChildren(...list));
  $("begin").hidden = files.size > 0;
  const broken = all().filter((file) => file.problem).length;
  $("files-short").textContent = files.size
    ? `${counted(files.size)} ${files.size === 1 ? "file" : "files"}${broken ? `, ${broken} not understood yet` : ""}` : "";
}

const drop = $("drop");
$("pick").addEventListener("change", (event) => { add([...event.target.files]); event.target.value = ""; });
for (const kind of ["dragenter", "dragover"]) {
  document.addEventListener(kind, (event) => { event.preventDefault(); drop.classList.add("over"); });
}
document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) drop.classList.remove("over"); });
document.addEventListener("drop", async (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  $("files").open = true;
  const plain = [...event.dataTransfer.files];
  const found = await entries([...event.dataTransfer.items]).catch(() => []);
  add(found.length ? found : plain);
});
