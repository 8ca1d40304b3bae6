"use strict";
// Search, sort and linked names for answers: everything works without it.
(() => {
  const LEAST = 8;
  const key = (cell) => {
    const text = cell.textContent.trim();
    const number = parseFloat(text.replace(/[,\s%<]/g, ""));
    return Number.isNaN(number) ? text.toLowerCase() : number;
  };
  const sort = (table, place, head) => {
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const rows = [...table.tBodies[0].rows].map((row) => [key(row.cells[place]), row]);
    rows.sort(([a], [b]) => (typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1));
    if (down) rows.reverse();
    table.tBodies[0].append(...rows.map(([, row]) => row));
  };
  const prepare = (table) => {
    if (table.dataset.ready || !table.tHead || table.tBodies[0].rows.length < LEAST) return;
    table.dataset.ready = "yes";
    const search = document.createElement("input");
    search.type = "search";
    search.className = "search";
    search.placeholder = "Search";
    search.setAttribute("aria-label", "Search this table");
    search.addEventListener("input", () => {
      const wanted = search.value.trim().toLowerCase();
      for (const row of table.tBodies[0].rows) row.hidden = ![...row.cells].some((cell) => cell.textContent.toLowerCase().includes(wanted));
    });
    table.before(search);
    [...table.tHead.rows[0].cells].forEach((head, place) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => sort(table, place, head));
    });
  };
  const named = (element) => {
    const row = element.closest("[data-n]");
    if (row) return row.dataset.n;
    const name = element.closest("bdi.name");
    return name ? name.textContent : "";
  };
  const mark = (name, kind) => {
    for (const one of document.querySelectorAll(`.${kind}`)) one.classList.remove(kind);
    if (!name) return;
    for (const one of document.querySelectorAll("[data-n]")) if (one.dataset.n === name) one.classList.add(kind);
    for (const one of document.querySelectorAll("bdi.name")) if (one.textContent === name) one.classList.add(kind);
  };
  let kept = "";
  document.addEventListener("click", (event) => {
    const name = named(event.target);
    if (!name) return;
    kept = kept === name ? "" : name;
    mark(kept, "kept");
  });
  document.addEventListener("mouseover", (event) => mark(named(event.target), "near"));
  const start = () => document.querySelectorAll("table").forEach(prepare);
  document.addEventListener("tauscope:answer", start);
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((one) => (one.open = true)));
  start();
})();
