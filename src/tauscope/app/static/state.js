// What is asked. It lives in the fragment of the address as JSON, so that a reload shows the same answer.

const empty = () => ({ question: "", files: {}, options: {}, reading: {}, each: {}, without: [] });
let state = empty();
let act = () => {};

export const now = () => state;
export const onChange = (listener) => { act = listener; };

export function fromAddress() {
  try {
    const found = JSON.parse(decodeURIComponent(location.hash.slice(1)));
    state = { ...empty(), ...found };
    return true;
  } catch { return false; }
}

const toAddress = () => history.replaceState(null, "", `${location.pathname}#${encodeURIComponent(JSON.stringify(state))}`);

// `files`: whether controls have to be made again; `moving`: whether a slider still moves.
export function change(entries, how = {}) {
  state = { ...state, ...entries };
  if (state.question) toAddress();
  act(how);
}

export const option = (name, value) => change({ options: { ...state.options, [name]: value } }, { moving: true });

export function reading(name, value) {
  const own = { ...state.reading, [name]: value };
  if (value === null || value === false) delete own[name];
  change({ reading: own }, { files: true });
}

export function readWith(id, name, value) {
  let own = { ...state.each[id], [name]: value };
  if (name === "kind") own = value ? { kind: value } : {};
  if (name === "columns") delete own.format; // the names of columns imply the layout
  state = { ...state, each: { ...state.each, [id]: own } };
  return own;
}
