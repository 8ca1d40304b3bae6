// Elements from data. Names come from strangers: they only ever become text, never markup.

export const $ = (id) => document.getElementById(id);

export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else if (name in element && name !== "list" && !name.startsWith("aria")) element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const button = (text, act, properties = {}) => make("button", { type: "button", onclick: act, ...properties }, text);

// A long name is shortened in the middle; the whole of it is shown on hover, and copied with the text.
export function name(text, most = 42) {
  const letters = [...text];
  const half = Math.floor((most - 1) / 2);
  const shown = letters.length > most ? `${letters.slice(0, half).join("")}…${letters.slice(-half).join("")}` : text;
  return make("bdi", { class: "name", title: letters.length > most ? text : undefined }, shown);
}

export const counted = (number) => number.toLocaleString("en");

// What an element is known by when its part is drawn again: what it is said to be, its id, or what it is called.
const known = (one) => one.dataset.focus || one.id || `${one.tagName} ${one.getAttribute("aria-label") ?? one.closest("label, caption")?.textContent ?? one.textContent}`;
const fields = "input:is([type=number], [type=search]), select";
const found = (place, kind, own) => [...place.querySelectorAll(kind)].find((one) => known(one) === own);

// Draws a part of the page again: what had the focus has it still, with what was typed; what was open or scrolled stays so.
export function redraw(place, draw) {
  const active = place.contains(document.activeElement) && document.activeElement !== place ? document.activeElement : null;
  const own = active && known(active), typed = active?.matches(fields) ? active.value : null;
  const folds = [...place.querySelectorAll("details")].map((one) => [known(one.firstElementChild), one.open]);
  const scrolled = [...place.querySelectorAll(".checks, .scroll")].filter((one) => one.scrollTop).map((one) => [known(one), one.scrollTop]);
  draw();
  for (const [name, open] of folds) { const one = found(place, "summary", name); if (one) one.parentElement.open = open; }
  for (const [name, top] of scrolled) { const one = found(place, ".checks, .scroll", name); if (one) one.scrollTop = top; }
  const again = own && !place.contains(document.activeElement) ? found(place, "a, button, input, select, summary, [tabindex]", own) : null;
  if (again && typed !== null && again.matches("input")) again.value = typed;
  again?.focus({ preventScroll: true });
}

// Buttons and sentences that fix a problem: `apply(option, value)` is called with what was chosen.
export function fixes(list, apply, of = "") {
  const choose = (label, names) => make("select", { "aria-label": label }, make("option", { value: "" }, label), ...names.map((one) => make("option", { value: one }, one)));
  return make("div", { class: "fixes" }, ...list.map((fix) => {
    if (fix.advice) return make("p", { class: "soft" }, fix.advice);
    if (fix.roles) {
      const parts = Object.entries(fix.roles).map(([role, label]) => [role, choose(label, fix.choices)]);
      const said = () => parts.filter(([, one]) => one.value).map(([role, one]) => `${role}=${one.value}`).join(",");
      return make("div", { class: "fixes" }, ...parts.map(([, one]) => one), button(fix.label, () => said() && apply(fix.option, said()), { class: "fix" }));
    }
    if (fix.choices) {
      const one = choose(fix.label, fix.choices);
      one.addEventListener("change", () => one.value && apply(fix.option, one.value));
      return one;
    }
    return button(fix.label, () => apply(fix.option, fix.value), { class: "fix", title: fix.effect, "aria-label": of ? `${fix.label}: ${of}` : undefined });
  }));
}
