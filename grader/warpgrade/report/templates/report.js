// Sorting and filtering without a network; without this script the tables are simply not sorted.
"use strict";
const value = (row, column) => {
  const cell = row.cells[column], text = cell.dataset.value ?? cell.textContent.trim();
  const number = Number(text);
  return text !== "" && Number.isFinite(number) ? number : text;
};
const compare = (a, b) => typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
for (const table of document.querySelectorAll("table[data-sortable]")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => head.querySelector("button")?.addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") === "ascending" || (column > 0 && head.getAttribute("aria-sort") === "none");
    heads.forEach((other) => other.setAttribute("aria-sort", "none"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const rows = [...table.tBodies[0].rows];
    rows.sort((a, b) => compare(value(a, column), value(b, column)) * (down ? -1 : 1));
    table.tBodies[0].append(...rows);
  }));
}
for (const input of document.querySelectorAll("input[data-filter]")) {
  const table = document.getElementById(input.dataset.filter);
  const status = document.querySelector(`[data-count="${input.dataset.filter}"]`);
  input.addEventListener("input", () => {
    const wanted = input.value.trim().toLowerCase(), rows = [...table.tBodies[0].rows];
    for (const row of rows) row.hidden = wanted !== "" && !row.textContent.toLowerCase().includes(wanted);
    status.textContent = wanted === "" ? "" : `${rows.filter((row) => !row.hidden).length} of ${rows.length} shown`;
  });
}
// Folded parts are wanted on paper too.
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((part) => { part.open = true; }));
// A link to a folded place opens it.
const unfold = () => {
  for (let part = document.getElementById(decodeURIComponent(location.hash.slice(1))); part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
};
addEventListener("hashchange", unfold);
unfold();
