// Files: dropped, shown with what was understood; a file that cannot be read is shown first, with its fixes.

import { $, button, counted, fixes, make, name, redraw } from "./dom.js";
import * as api from "./api.js";
import { change, now, readWith } from "./state.js";

const files = new Map();
let changed = () => {};

export const all = () => [...files.values()];
export const usable = (...kinds) => all().filter((file) => !file.problem && kinds.includes(file.kind));
export const onFiles = (act) => { changed = act; };

export async function begin(found) {
  for (const file of found) files.set(file.id, file);
  for (const [id, options] of Object.entries(now().each)) if (files.has(id)) files.set(id, await api.read(id, options));
  show();
}

export async function addSample() {
  $("uploading").textContent = "Loading the sample data …";
  for (const file of await api.sample()) files.set(file.id, file);
  $("uploading").textContent = "";
  show();
  changed();
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

// Reads files again, each with one option more; whoever pressed a button that is gone goes on at the file.
async function fix(list, option, value) {
  for (const file of list) {
    const options = readWith(file.id, option, String(value));
    try { files.set(file.id, await api.read(file.id, options)); } catch (error) { files.set(file.id, { ...file, ...error }); }
  }
  show();
  changed();
  if (!document.activeElement || document.activeElement === document.body) document.querySelector(`[data-file="${list[0].id}"] summary`)?.focus();
}

async function remove(file) {
  await api.forget(file.id);
  files.delete(file.id);
  const chosen = Object.fromEntries(Object.entries(now().files).map(([role, ids]) => [role, ids.filter((id) => id !== file.id)]));
  show();
  change({ files: chosen }, { files: true });
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

// Files with the same problem: what is offered for one of them is offered for all.
function alike(file) {
  const key = (one) => JSON.stringify([one.kind, one.fixes.map((fix) => [fix.option, fix.value, fix.choices])]);
  return all().filter((one) => one.problem && one.fixes.some((fix) => fix.option) && key(one) === key(file));
}

function card(file) {
  const counts = Object.entries(file.counts).map(([noun, number]) => `${counted(number)} ${number === 1 ? noun.replace(/s$/, "") : noun}`);
  const grave = file.problems.filter((one) => one.severity !== "note").length;
  const kinds = make("select", { "aria-label": `What ${file.name} is` }, make("option", { value: "" }, "It is something else …"),
    ...file.kinds.map((kind) => make("option", { value: kind.kind }, kind.title)));
  kinds.addEventListener("change", () => kinds.value && fix([file], "kind", kinds.value));
  const same = file.problem ? alike(file) : [];
  return make("details", { class: `file${file.problem ? " broken" : ""}`, open: Boolean(file.problem), "data-file": file.id },
    make("summary", { "data-focus": `file ${file.id}${file.problem ? " broken" : ""}` }, name(file.name), " ",
      make("span", { class: "soft" }, file.problem ? "cannot be read yet" : `${file.title}: ${counts.join(", ")}`),
      grave ? make("span", { class: "look" }, ` · ${grave} ${grave === 1 ? "warning" : "warnings"}`) : null),
    file.problem ? make("p", { class: "problem" }, file.problem) : null,
    file.problem || file.fixes.length ? fixes(file.fixes, (option, value) => fix([file], option, value), file.name) : null,
    same.length > 1 && same[0] === file ? make("div", {}, make("p", { class: "soft" }, `For all ${same.length} files with this problem:`), fixes(file.fixes.filter((one) => one.option), (option, value) => fix(same, option, value), `${same.length} files`)) : null,
    ...file.layout.map((note) => make("p", { class: "soft" }, note)),
    ...file.problems.map((one) => make("p", { class: `odd ${one.severity}` }, one.text)),
    preview(file.preview),
    make("div", { class: "tools" }, kinds, make("span", { class: "soft" }, size(file.bytes)), button("Remove", () => remove(file))));
}

function show() {
  const broken = all().filter((file) => file.problem);
  const runs = usable("runs"), fine = all().filter((file) => !file.problem && (runs.length < 2 || !runs.includes(file)));
  const list = fine.map(card);
  if (runs.length > 1) list.push(make("details", { class: "file" }, make("summary", { "data-focus": "runs" }, `${counted(runs.length)} runs `, make("span", { class: "soft" }, "to be evaluated with judgments")), ...runs.map(card)));
  redraw($("broken"), () => $("broken").replaceChildren(...broken.map(card)));
  redraw($("list"), () => $("list").replaceChildren(...list));
  $("broken").hidden = !broken.length;
  $("begin").hidden = files.size > 0;
  $("files-short").textContent = files.size ? `${counted(files.size)} ${files.size === 1 ? "file" : "files"}` : "";
}

$("sample").addEventListener("click", () => addSample().catch((error) => { $("uploading").textContent = error.problem ?? String(error); }));
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
