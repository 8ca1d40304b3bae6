// The question, its files, and its options: all of them come from the functions that answer.

import { $, button, make, name, redraw } from "./dom.js";
import { all, usable } from "./files.js";
import { change, now, option, reading } from "./state.js";

// Options that are shown first; the others are in a fold.
const FIRST = ["claims", "view", "coefficient", "rule", "margin", "tied_within", "top_k", "test", "correction", "method", "target", "level", "measure"];
// A file called like this is taken for the truth.
const TRUTH = /human|people|gold|truth|expert|mqm|^qrels|reference/i;

let questions = [], readers = [];
let known = { systems: [], groups: {} };
let chosen = false; // whether the user chose the question

export function begin(session) {
  [questions, readers, chosen] = [session.questions, session.reading, Boolean(now().question)];
  $("controls").open = !matchMedia("(max-width: 61rem)").matches; // on a small screen the answer comes first
}

const asked = () => questions.find((one) => one.command === now().question);
const fit = (role) => usable(...role.kinds).filter((file) => file.kind !== "judgments" || usable("runs").length);
const enough = (question) => new Set(question.roles.filter((role) => role.least).flatMap((role) => fit(role).map((file) => file.id))).size >= question.roles.reduce((sum, role) => sum + role.least, 0)
  && question.roles.every((role) => fit(role).length >= role.least);

export function answerable() {
  const here = new Set(all().filter((file) => !file.problem).map((file) => file.id));
  return Boolean(asked()) && asked().roles.every((role) => (now().files[role.name] ?? []).length >= role.least && (now().files[role.name] ?? []).every((id) => here.has(id)));
}

// Which files are likely meant: the truth is called so, every other role takes what is left.
function likely(question) {
  const files = {}, taken = new Set();
  for (const role of [...question.roles].sort((one, other) => (other.name === "truth") - (one.name === "truth"))) {
    const free = fit(role).filter((file) => !taken.has(file.id));
    const before = (now().files[role.name] ?? []).filter((id) => free.some((file) => file.id === id));
    const named = role.name === "truth" ? free.filter((file) => TRUTH.test(file.name) && !/judge|machine/i.test(file.name)) : [];
    const most = role.name === "truth" && !role.least && !named.length ? 0 : role.most;
    const ids = role.most === 1 && before.length ? before : [...named, ...free.filter((file) => !named.includes(file))].slice(0, most).map((file) => file.id);
    files[role.name] = ids;
    ids.forEach((id) => taken.add(id));
  }
  return files;
}

function ask(question) {
  change({ question: question.command, files: likely(question), options: now().question === question.command ? now().options : {} }, { files: true });
}

// Asks what the files suggest, unless the user chose a question. Whether it did.
export function askLikely() {
  if (chosen && answerable()) return false;
  const able = questions.filter(enough);
  const best = able.find((one) => one.command === "compare" && fit(one.roles[0]).length > 1) ?? able.find((one) => one.command === "rank") ?? able[0];
  if (!best) return false;
  ask(chosen && asked() && enough(asked()) ? asked() : best);
  return true;
}

export function showQuestions() {
  const radio = (question) => {
    const able = enough(question), id = `ask-${question.command}`;
    const input = make("input", { type: "radio", name: "question", value: question.command, id, disabled: !able, checked: now().question === question.command });
    input.addEventListener("change", () => { chosen = true; ask(question); });
    return make("label", { class: "choice", for: id, title: question.summary }, input, make("span", {}, make("strong", {}, question.title), make("span", { class: "soft" }, question.summary)));
  };
  redraw($("questions"), () => $("questions").replaceChildren(...questions.map(radio)));
  $("ask").hidden = all().length === 0;
}

const title = (text) => text.replace(/_/g, " ").replace(/^./, (letter) => letter.toUpperCase()).replace("Rng", "Seed");
const labelled = (text, control, help) => {
  control.id ||= `control-${text.toLowerCase().replace(/\W+/g, "-")}`;
  return make("div", { class: "control", title: help }, make("label", { for: control.id }, text), control);
};

function select(choices, value, act) {
  const made = make("select", {}, ...choices.map(([own, text]) => make("option", { value: JSON.stringify(own), selected: own === value }, text)));
  made.addEventListener("change", () => act(JSON.parse(made.value)));
  return made;
}

// One option of a function or of a reader, as its signature and docstring say.
function control(one, value, act) {
  const given = value ?? one.default;
  if (one.choices.length) return select([...(one.default === null && !one.choices.includes(null) ? [[null, "none"]] : []), ...one.choices.map((own) => [own, own === null ? "none" : own])], given, act);
  if (one.kind === "flag") {
    const made = make("input", { type: "checkbox", checked: Boolean(given) });
    made.addEventListener("change", () => act(made.checked));
    return made;
  }
  if (one.kind === "lines") {
    const made = make("textarea", { rows: 4, placeholder: "one per line" });
    made.value = given ?? "";
    made.addEventListener("change", () => act(made.value.trim() || null));
    return made;
  }
  const made = make("input", { type: "number", step: one.kind === "whole" ? 1 : "any", value: given ?? "" });
  made.addEventListener("change", () => { if (made.validity.valid && (made.value !== "" || one.default === null)) act(made.value === "" ? null : Number(made.value)); });
  return made;
}

function roles() {
  return asked().roles.flatMap((role) => {
    const files = fit(role), ids = now().files[role.name] ?? [];
    if (!files.length) return [];
    const set = (own) => change({ files: { ...now().files, [role.name]: own }, without: role.name === "groups" ? [] : now().without }, { files: true });
    if (role.most === 1) {
      const none = role.least ? [] : [["", "none"]];
      return labelled(title(role.name), select([...none, ...files.map((file) => [file.id, file.name])], ids[0] ?? "", (id) => set(id ? [id] : [])), role.help);
    }
    // Several files keep the order in which they were chosen.
    const check = (file) => {
      const input = make("input", { type: "checkbox", checked: ids.includes(file.id), "data-focus": `${role.name} ${file.id}` });
      input.addEventListener("change", () => set(input.checked ? [...ids, file.id] : ids.filter((id) => id !== file.id)));
      return make("label", { class: "check" }, input, name(file.name, 34));
    };
    return make("fieldset", { class: "control", title: role.help }, make("legend", {}, title(role.name)), make("div", { class: "checks" }, ...files.map(check)));
  });
}

function measures() {
  const ids = Object.values(now().files).flat();
  return [...new Set(all().filter((file) => ids.includes(file.id)).flatMap((file) => (file.kind === "judgments" ? ["AP", "nDCG@20", "P@10", "RR"] : file.measures)))];
}

function leaveOut() {
  if (!known.systems.length) return null;
  const out = new Set(now().without);
  const toggle = (names, away) => change({ without: away ? [...new Set([...out, ...names])] : [...out].filter((one) => !names.includes(one)) });
  const check = (text, names) => {
    const input = make("input", { type: "checkbox", checked: names.every((one) => out.has(one)), "data-focus": `without ${text}` });
    input.addEventListener("change", () => toggle(names, input.checked));
    return make("label", { class: "check" }, input, name(text, 34));
  };
  const groups = [...new Set(Object.values(known.groups))].sort().map((group) => [group, known.systems.filter((one) => known.groups[one] === group)]);
  const part = (text, key, checks) => (checks.length ? make("details", { class: "control", "data-key": key, open: key === "groups" && checks.length < 13 }, make("summary", {}, text), make("div", { class: "checks", tabindex: "0", role: "group", "aria-label": text }, ...checks)) : null);
  return make("div", {}, part("Leave out groups", "groups", groups.map(([group, names]) => check(group, names))),
    part("Leave out systems", "systems", known.systems.map((one) => check(one, [one]))),
    out.size ? button(`Use all systems (${out.size} left out)`, () => change({ without: [] })) : null);
}

export function showControls() {
  const question = asked();
  $("work").hidden = !question;
  if (!question) return;
  const made = question.options.map((one) => [one, control(one, now().options[one.name], (value) => option(one.name, value))]);
  const kinds = new Set(all().filter((file) => Object.values(now().files).flat().includes(file.id)).map((file) => file.kind));
  for (const one of kinds.has("scores") || kinds.has("judgments") ? readers : []) {
    const own = one.name === "measure" ? { ...one, choices: measures() } : one;
    if (one.name !== "measure" || own.choices.length > 1) made.push([own, control(own, now().reading[one.name], (value) => reading(one.name, value))]);
  }
  const shown = (list) => list.map(([one, own]) => labelled(title(one.name), own, one.help));
  const first = made.filter(([one]) => FIRST.includes(one.name)).sort(([one], [other]) => FIRST.indexOf(one.name) - FIRST.indexOf(other.name));
  const rest = made.filter(([one]) => !FIRST.includes(one.name));
  redraw($("controls"), () => $("controls").replaceChildren($("controls").firstElementChild, ...roles(), ...shown(first),
    ...[rest.length ? make("details", { class: "control" }, make("summary", {}, "More options"), ...shown(rest)) : null, leaveOut()].filter(Boolean)));
}

export const systems = () => known.systems;

// Systems and groups of the answer: what can be left out.
export function learn({ systems, groups }) {
  known = { systems, groups };
  showControls();
}
