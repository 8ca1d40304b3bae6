// Take away: the page, the figures, the table, the numbers, and the lines that repeat them.

import { $, button, make, redraw } from "./dom.js";
import * as api from "./api.js";
import { now } from "./state.js";

async function made(kind, status) {
  status.textContent = "Making it …";
  try {
    const { job } = await api.send(`/take/${kind}`, { state: now(), tab: api.tab });
    api.follow(job, {
      progress: ({ done, total }) => { status.textContent = `Making it: ${done} of ${total} …`; },
      done: ({ file, name }) => { status.textContent = "Done."; api.save(file, name); },
      failed: (error) => { status.textContent = error.problem; },
    });
  } catch (error) { status.textContent = error.problem ?? String(error); }
}

async function taken(kind, name, status) {
  status.textContent = "Making it …";
  try {
    await api.download(`/take/${kind}`, { state: now(), tab: api.tab }, name);
    status.textContent = "Done.";
  } catch (error) { status.textContent = error.problem ?? String(error); }
}

function code(title, text) {
  const copy = button("Copy", async () => { await navigator.clipboard.writeText(text); copy.textContent = "Copied"; }, { class: "little", "aria-label": `Copy: ${title}` });
  return make("div", { class: "code" }, make("h4", {}, title, " ", copy), make("pre", { tabindex: "0", role: "region", "aria-label": title }, text));
}

// The lines that repeat the state as it is now, where they are open.
export async function showLines() {
  const lines = $("repeat"), asked = now();
  if (!lines?.open) return;
  let parts;
  try {
    const found = await api.send("/repeat", { state: asked });
    parts = [code("Shell", found.shell), code("Python", found.python), make("p", { class: "soft" }, "The address of this page holds this state as well: keep it, and drop the same files.")];
  } catch (error) { parts = [make("p", { class: "problem" }, error.problem ?? String(error))]; }
  if (asked === now()) redraw(lines, () => lines.replaceChildren(lines.firstElementChild, ...parts));
}

// What is being made goes on, whatever is drawn again around it.
const status = make("p", { class: "soft", role: "status", id: "taking" });

export function takeAway() {
  const lines = make("details", { class: "more", id: "repeat" }, make("summary", {}, "The command and the lines of Python that repeat exactly this"));
  lines.addEventListener("toggle", showLines);
  return make("section", { class: "card", "aria-label": "Take away" }, make("h3", {}, "Take it away"),
    make("div", { class: "tools" },
      button("Report page", () => made("report", status)), button("Figures (SVG, PNG)", () => made("figures", status)),
      button("Table (CSV)", () => taken("csv", "table.csv", status)), button("Numbers (JSON)", () => taken("json", "answer.json", status))),
    status, lines);
}
