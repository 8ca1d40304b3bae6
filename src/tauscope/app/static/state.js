// What is asked. It lives in the fragment of the address, in the same text that `tauscope serve --print` takes.

let defaults = {};
let state = {};
const listeners = [];

export const now = () => state;
export const onChange = (act) => listeners.push(act);

export function begin(given) {
  defaults = given;
  state = structuredClone(given);
}

export function fromAddress() {
  const text = location.hash.slice(1);
  if (!text) return false;
  const found = structuredClone(defaults);
  for (const [name, value] of new URLSearchParams(text)) {
    if (!(name in defaults)) continue;
    try { found[name] = typeof defaults[name] === "string" ? value : JSON.parse(value); } catch { return false; }
  }
  state = found;
  return true;
}

export const toAddress = (text) => history.replaceState(null, "", `${location.pathname}#${text}`);

// `moving` is true while a slider moves: point values only.
export function change(entries, { moving = false, files = false } = {}) {
  state = { ...state, ...entries };
  for (const act of listeners) act({ moving, files });
}

export const has = (option) => option in defaults;

export function readWith(id, option, value) {
  const own = { ...state.reading[id], [option]: value };
  if (option === "kind") for (const name of Object.keys(own)) if (name !== "kind") delete own[name];
  if (option === "columns") delete own.format; // which column is what says the layout
  state = { ...state, reading: { ...state.reading, [id]: own } };
  return own;
}
