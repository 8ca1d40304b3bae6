// The question, and everything about it that can be changed while looking.

import { $, button, make, name, redraw } from "./dom.js";
import * as api from "./api.js";
import * as charts from "./charts.js";
import { all, broken, usable } from "./files.js";
import { change, now } from "./state.js";

const QUESTIONS = [
  { id: "judge", title: "One judge", text: "Can it stand in for the truth?", kinds: ["scores", "judgments", "list"], least: 2 },
  { id: "judges", title: "Many judges", text: "Which is closest to the truth?", kinds: ["scores", "judgments"], least: 3 },
  { id: "board", title: "A board", text: "Which ranks may it print?", kinds: ["scores", "judgments", "battles", "published"], least: 1 },
  { id: "set", title: "One set of scores", text: "Would the ranking hold?", kinds: ["scores", "judgments"], least: 1 },
];

let known = { coefficients: [], rules: [] };
let choices = { measures: [], systems: [], topics: [], groups: [] };
let curve = null;
// Whether somebody chose the question.
let chosen = false;

export function begin(session) {
  known = session;
  chosen = now().sources.length > 0;
  // On a small screen the answer comes first, and the controls open on demand.
  $("controls").open = !matchMedia("(max-width: 61rem)").matches;
}

function candidates(question) {
  const runs = usable("run").length > 0;
  return usable(...question.kinds).filter((file) => file.kind !== "judgments" || runs);
}

export function showQuestions() {
  const radio = (question) => {
    const enough = candidates(question).length >= question.least;
    const input = make("input", { type: "radio", name: "question", value: question.id, id: `ask-${question.id}`, disabled: !enough, checked: now().question === question.id && answerable() });
    input.addEventListener("change", () => { chosen = true; ask(question); });
    return make("label", { class: "choice", for: `ask-${question.id}` }, input,
      make("span", {}, make("strong", {}, question.title), make("span", { class: "soft" }, enough ? question.text : question.least > 1 ? `takes ${question.least} files with scores` : "takes a file with scores")));
  };
  redraw($("questions"), () => $("questions").replaceChildren(...QUESTIONS.map(radio)));
  $("ask").hidden = all().length === 0;
}

export function answerable() {
  const { question, truth, sources } = now();
  const here = new Set(all().filter((file) => !file.problem).map((file) => file.id));
  return sources.length > 0 && [...sources, ...(truth ? [truth] : [])].every((id) => here.has(id)) && (truth !== "" || !question.startsWith("judge"));
}

// What topics on different scales are made into, once somebody said so.
const SCALES = [["z", "as z-scores"], ["rank", "as ranks on each topic"], ["minmax", "each stretched to 0–1"], ["mean", "averaged as they are"]];

// The likely truth is called so; otherwise it is the first.
const TRUTH = /human|gold|truth|expert|mqm|^qrels|reference/i;

// What is likely to be asked: until somebody says otherwise, the files decide.
function likely() {
  const able = (id) => { const one = QUESTIONS.find((own) => own.id === id); return candidates(one).length >= one.least ? one : null; };
  const judged = candidates(QUESTIONS[0]).length, boards = usable("battles", "published").length;
  if (judged > 2 && able("judges")) return able("judges");
  if (judged > 1) return able("judge");
  if (boards) return able("board");
  const [only] = usable("scores");
  return only && (only.counts["missing cells"] || only.options.format === "turned" || only.layout.some((note) => /one row per (system|model)/i.test(note))) ? able("board") : able("set");
}

// Asks what is likely, unless a question was chosen, or a file needs a word first: it may be the truth. Whether it did.
export function askLikely() {
  const one = chosen || broken() ? null : likely();
  if (!one || (now().question === one.id && answerable() && now().sources.length >= (one.id === "judges" ? candidates(one).length - 1 : 1))) return false;
  ask(one);
  return true;
}

// Whoever moves a control means the question that it belongs to.
export const settle = () => { chosen = true; };

// Groups that came after the question belong to it.
export const newGroups = () => ({ groups: now().groups || (usable("groups")[0]?.id ?? "") });

function ask(question) {
  const files = candidates(question);
  const { groups } = newGroups();
  if (!question.id.startsWith("judge")) {
    change({ question: question.id, truth: "", sources: [(files.find((file) => file.id === now().sources[0]) ?? files[0]).id], groups }, { files: true });
    return;
  }
  const truth = files.find((file) => file.id === now().truth) ?? files.find((file) => TRUTH.test(file.name) && !/judge|machine/i.test(file.name)) ?? files[0];
  const others = files.filter((file) => file !== truth);
  const sources = question.id === "judge" ? [(others.find((file) => now().sources.includes(file.id)) ?? others[0]).id] : others.map((file) => file.id);
  change({ question: question.id, truth: truth.id, sources, groups }, { files: true });
}

function labelled(text, control, hint) {
  control.id ||= `control-${text.toLowerCase().replace(/\W+/g, "-")}`;
  return make("div", { class: "control" }, make("label", { for: control.id }, text), control, hint ? make("p", { class: "soft" }, hint) : null);
}

function select(options, value, act) {
  const made = make("select", {}, ...options.map(([own, text]) => make("option", { value: own, selected: own === value }, text)));
  made.addEventListener("change", () => act(made.value));
  return made;
}

function number(value, properties, act) {
  const made = make("input", { type: "number", value: value ?? "", ...properties });
  made.addEventListener("change", () => { if (made.validity.valid) act(made.value === "" ? null : Number(made.value)); });
  return made;
}

function sides() {
  const { question, truth, sources } = now();
  const one = QUESTIONS.find((own) => own.id === question);
  const files = candidates(one).map((file) => [file.id, file.name]);
  const made = [];
  if (question.startsWith("judge")) {
    made.push(labelled("Truth", select(files, truth, (id) => change({ truth: id, sources: question === "judge" && sources[0] === id ? [truth] : sources.filter((own) => own !== id) }, { files: true }))));
  }
  if (question === "judges") {
    const boxes = files.filter(([id]) => id !== truth).map(([id, text]) => {
      const box = make("input", { type: "checkbox", checked: sources.includes(id), "data-focus": `judge ${id}` });
      box.addEventListener("change", () => change({ sources: files.map(([own]) => own).filter((own) => (own === id ? box.checked : sources.includes(own))) }, { files: true }));
      return make("label", { class: "check" }, box, name(text, 30));
    });
    made.push(make("fieldset", { class: "control" }, make("legend", {}, "Judges"), ...boxes));
  } else {
    const others = files.filter(([id]) => id !== truth || !question.startsWith("judge"));
    made.push(labelled(question === "judge" ? "Judge" : "Scores", select(others, sources[0], (id) => change({ sources: [id] }, { files: true }))));
  }
  return made;
}

function tolerance() {
  const record = known.coefficients.find((one) => one.name === now().coefficient);
  const slider = make("input", { type: "range", min: "0", step: "any", max: "1", value: String(now().tied_within), disabled: !record?.takes_tolerance, id: "tolerance" });
  const shown = make("output", { for: "tolerance", id: "tolerance-value" }, now().tied_within.toFixed(4));
  const move = (moving) => () => {
    const value = Number(Number(slider.value).toFixed(4));
    shown.textContent = value.toFixed(4);
    charts.moveCurve(value);
    change({ tied_within: value }, { moving });
  };
  slider.addEventListener("input", move(true));
  slider.addEventListener("change", move(false));
  const chart = make("div", { id: "curve", class: "chart", hidden: true });
  return make("div", { class: "control" }, make("div", { class: "line" }, make("label", { for: "tolerance" }, "Tied within"), shown), slider, chart,
    record?.takes_tolerance ? null : make("p", { class: "soft" }, `${record?.symbol} takes no tolerance.`));
}

export function showCurve(found) {
  curve = found;
  const slider = $("tolerance"), place = $("curve");
  if (!slider || !place) return;
  place.hidden = !curve;
  if (!curve) return;
  slider.max = String(curve.tied_within.at(-1) || 1);
  slider.value = String(now().tied_within);
  slider.step = String((curve.tied_within.at(-1) || 1) / 200);
  charts.curve(place, curve, now().tied_within, known.coefficients.find((one) => one.name === now().coefficient)?.symbol ?? "");
}

function leftOut(title, labels, key, noun) {
  const out = new Set(now()[key]);
  const list = make("div", { class: "checks", "data-focus": `list ${key}` });
  const search = make("input", { type: "search", placeholder: `Search ${labels.length} ${noun}`, "aria-label": `Search ${noun}` });
  const show = () => {
    const text = search.value.toLowerCase();
    const found = labels.filter((label) => label.toLowerCase().includes(text));
    list.replaceChildren(...found.slice(0, 200).map((label) => {
      const box = make("input", { type: "checkbox", checked: !out.has(label), "data-focus": `${key} ${label}` });
      box.addEventListener("change", () => {
        if (box.checked) out.delete(label); else out.add(label);
        change({ [key]: labels.filter((own) => out.has(own)) });
        count();
      });
      return make("label", { class: "check" }, box, name(label, 30));
    }), found.length > 200 ? make("p", { class: "soft" }, `${found.length - 200} more: search for them`) : "");
  };
  const short = make("span", { class: "soft" });
  const count = () => { short.textContent = out.size ? `${out.size} left out` : "all in"; };
  const back = button("All in", () => { out.clear(); show(); count(); change({ [key]: [] }); }, { class: "little", "data-focus": `back ${key}` });
  search.addEventListener("input", show);
  count();
  show(); // not when it opens: a key may be faster than the event that tells so
  return make("details", { class: "control", "data-key": key }, make("summary", { "data-focus": `fold ${key}` }, `${title}: `, short), labels.length > 12 ? search : null, back, list);
}

// The last of several requests is the one that is shown.
let asking = 0;

export async function showControls() {
  const own = ++asking, place = $("controls");
  $("work").hidden = !answerable();
  if (!answerable()) return;
  const found = await api.send("/choices", { state: now() }).catch(() => ({ measures: [], systems: [], topics: [], groups: [] }));
  if (own !== asking || !answerable()) return; // something else was asked meanwhile, and draws what it needs
  choices = found;
  const state = now();
  const judges = state.question.startsWith("judge"), board = state.question === "board";
  const made = sides();
  if (choices.measures.length > 1) made.push(labelled("Measure", select(choices.measures.map((one) => [one, one]), state.measure || choices.measures[0], (measure) => change({ measure }, { files: true }))));
  if (judges) {
    const loose = make("input", { type: "checkbox", checked: state.match === "loose", id: "control-match" });
    loose.addEventListener("change", () => change({ match: loose.checked ? "loose" : "exact" }, { files: true }));
    made.push(make("label", { class: "check", for: "control-match" }, loose, "Names match loosely (case, spaces, zeros)"));
    const listed = known.coefficients.map((one) => [one.name, `${one.symbol}  ${one.name}`]);
    made.push(labelled("Coefficient", select(listed, state.coefficient, (coefficient) => {
      const takes = known.coefficients.find((one) => one.name === coefficient).takes_tolerance;
      change({ coefficient, ...(takes ? {} : { tied_within: 0 }) });
      showControls();
    }), known.coefficients.find((one) => one.name === state.coefficient)?.question));
    made.push(tolerance());
    made.push(labelled("Only the top", number(state.top_k, { min: "1", step: "1", placeholder: "all" }, (top_k) => change({ top_k }))));
    made.push(labelled("Margin it must exceed", number(state.margin, { min: "-0.99", max: "0.99", step: "0.01", placeholder: "0.9, or 0.8 in part" }, (margin) => change({ margin }))));
  }
  if (state.aggregate && !board) made.push(labelled("Topics on different scales", select(SCALES, state.aggregate, (aggregate) => change({ aggregate }))));
  if (state.question === "board" && choices.topics.length) made.push(labelled("Rule of the board", select(known.rules.map((one) => [one.name, one.title]), state.rule, (rule) => change({ rule }))));
  if (choices.groups.length) {
    const out = new Set(state.without_groups);
    made.push(make("fieldset", { class: "control", "data-key": "groups" }, make("legend", {}, "Groups"), ...choices.groups.map((group) => {
      const box = make("input", { type: "checkbox", checked: !out.has(group), "data-focus": `group ${group}` });
      box.addEventListener("change", () => {
        if (box.checked) out.delete(group); else out.add(group);
        change({ without_groups: choices.groups.filter((own) => out.has(own)) });
      });
      return make("label", { class: "check" }, box, make("span", { class: `group g${Math.min(choices.groups.indexOf(group), 7)}`, "aria-hidden": "true" }), name(group, 30));
    })));
  }
  if (choices.systems.length) made.push(leftOut(board ? "Models" : "Systems", choices.systems, "without_systems", board ? "models" : "systems"));
  if (choices.topics.length) made.push(leftOut(board ? "Tasks" : "Topics", choices.topics, "without_topics", board ? "tasks" : "topics"));
  redraw(place, () => place.replaceChildren(place.firstElementChild, ...made));
  showCurve(curve);
}

