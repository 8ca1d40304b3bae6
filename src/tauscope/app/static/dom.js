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

export const fixed = (value, digits = 3) => (value === null || value === undefined ? "–" : value.toFixed(digits));

export const counted = (number) => number.toLocaleString("en");

export function table(caption, heads, rows, properties = {}) {
  const numeric = heads.map((head) => head.number);
  const body = rows.map((cells) =>
    make("tr", {}, ...cells.map((cell, i) => make("td", { class: numeric[i] ? "number" : undefined }, cell ?? "–"))));
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    make("table", properties,
      make("caption", {}, caption),
      make("thead", {}, make("tr", {}, ...heads.map((head) =>
        make("th", { scope: "col", class: head.number ? "number" : undefined }, head.text ?? head)))),
      make("tbody", {}, ...body)));
}

// What an element is known by when its part is drawn again: what it is said to be, its id, or what it is called.
const known = (one) => one.dataset.focus || one.id || `${one.tagName} ${one.getAttribute("aria-label") ?? one.closest("label, caption")?.textContent ?? one.textContent}`;
const fields = "input:is([type=number], [type=search]), select";
const found = (place, kind, own) => [...place.querySelectorAll(kind)].find((one) => known(one) === own);

// Draws a part of the page again: what had the focus has it still, with what was typed; what was open or scrolled stays
// so. `replay` are kinds of fields that have no other memory: what was in them is there again, and told.
export function redraw(place, draw, { replay = "" } = {}) {
  const active = place.contains(document.activeElement) && document.activeElement !== place ? document.activeElement : null;
  const own = active && known(active);
  const typed = [...(replay ? place.querySelectorAll(replay) : []), ...(active?.matches(fields) ? [active] : [])].map((one) => [known(one), one.value]);
  const folds = [...place.querySelectorAll("details")].map((one) => [known(one.firstElementChild), one.open]);
  const scrolled = [...place.querySelectorAll(".checks, .scroll")].filter((one) => one.scrollTop).map((one) => [known(one), one.scrollTop]);
  draw();
  for (const [name, open] of folds) { const one = found(place, "summary", name); if (one) one.parentElement.open = open; }
  for (const [name, top] of scrolled) { const one = found(place, ".checks, .scroll", name); if (one) one.scrollTop = top; }
  for (const [name, value] of typed) {
    const one = found(place, fields, name);
    if (!one || one.value === value) continue;
    one.value = value;
    if (one.type === "search" || (replay && one.matches(replay))) one.dispatchEvent(new Event(one.type === "search" ? "input" : "change"));
  }
  if (own && !place.contains(document.activeElement)) found(place, "a, button, input, select, summary, [tabindex]", own)?.focus({ preventScroll: true });
}

const tip = $("tip");

export function tell(handler, event, item, value) {
  if (value === null || value === undefined || value === "") { tip.hidden = true; return; }
  const entries = Object.entries(typeof value === "object" ? value : { "": value });
  tip.replaceChildren(make("dl", {}, ...entries.flatMap(([key, text]) => [make("dt", {}, key), make("dd", {}, String(text))])));
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const left = event.clientX + 14 + box.width > innerWidth ? event.clientX - 14 - box.width : event.clientX + 14;
  const top = event.clientY + 14 + box.height > innerHeight ? event.clientY - 14 - box.height : event.clientY + 14;
  tip.style.left = `${Math.max(4, left)}px`;
  tip.style.top = `${Math.max(4, top)}px`;
}

addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hidden = true; });
