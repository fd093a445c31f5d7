// The result as a table. Only the rows in sight are in the page, so that it stays quick however
// many there are; a click, or Enter, on a cell shows its whole value.

import { find, grouped, make } from "./dom.js";
import { cell, isNode, isPath, isRelationship } from "./values.js";

const ROW = 32; // px; .grid td in style.css is as high
const AROUND = 20; // rows made above and below those in sight
const MEASURED = 200; // rows that the widths of columns are read off
const WIDEST = 48; // characters
const SHOWN = 300; // characters of a cell; the rest shows when it is opened

export class ResultTable {
  constructor(place) {
    this.columns = [];
    this.rows = [];
    this.body = make("tbody");
    this.widths = make("colgroup");
    this.head = make("thead");
    this.table = make("table", { class: "grid" }, this.widths, this.head, this.body);
    this.scroll = make("div", { class: "scroll tall", tabindex: "0", role: "region",
      "aria-label": "Rows of the result" }, this.table);
    this.place = place;
    this.place.replaceChildren(this.scroll);
    this.due = false;
    this.from = this.to = -1;
    this.scroll.addEventListener("scroll", () => this.redraw());
    this.body.addEventListener("click", (event) => this.open(event.target));
    this.body.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.open(event.target);
    });
    new ResizeObserver(() => this.redraw()).observe(this.scroll);
  }

  start(columns) {
    this.columns = columns;
    const cells = columns.map((name) => make("th", { scope: "col", title: name }, name));
    this.head.replaceChildren(make("tr", {}, make("th", { scope: "col", class: "count" }, "#"), ...cells));
    this.measure();
    this.redraw();
  }

  add(rows) {
    const measured = this.rows.length;
    for (const row of rows) this.rows.push(row);
    if (measured === 0) this.alignHeads();
    this.table.setAttribute("aria-rowcount", String(this.rows.length + 1));
    if (measured < MEASURED) this.measure();
    this.redraw();
  }

  alignHeads() {
    const heads = this.head.firstElementChild.children;
    this.rows[0].forEach((value, i) => heads[i + 1].classList.toggle("number", kind(value) === "number"));
  }

  measure() {
    const some = this.rows.slice(0, MEASURED);
    const width = (column, i) => Math.min(
      WIDEST,
      Math.max(column.length + 1, 4, ...some.map((row) => cell(row[i]).length)),
    );
    const counts = String(Math.max(this.rows.length, 1000)).length + 1;
    const all = [counts, ...this.columns.map(width)];
    this.widths.replaceChildren(...all.map((characters) => {
      const column = make("col");
      column.style.width = `calc(${characters}ch + 1.5rem)`;
      return column;
    }));
    const total = all.reduce((sum, characters) => sum + characters, 0);
    this.table.style.minWidth = `calc(${total}ch + ${all.length * 1.5}rem)`;
  }

  redraw() {
    if (this.due) return;
    this.due = true;
    requestAnimationFrame(() => {
      this.due = false;
      this.draw();
    });
  }

  draw() {
    const first = Math.floor(this.scroll.scrollTop / ROW);
    const from = Math.max(0, first - AROUND);
    const to = Math.min(this.rows.length, first + Math.ceil(this.scroll.clientHeight / ROW) + AROUND);
    if (from === this.from && to === this.to && this.drawn === this.rows.length) return;
    [this.from, this.to, this.drawn] = [from, to, this.rows.length];
    const parts = [];
    if (from > 0) parts.push(this.gap(from));
    for (let i = from; i < to; i += 1) parts.push(this.row(i));
    if (to < this.rows.length) parts.push(this.gap(this.rows.length - to));
    this.body.replaceChildren(...parts);
  }

  gap(rows) {
    const line = make("tr", { "aria-hidden": "true" }, make("td", { colspan: this.columns.length + 1 }));
    line.style.height = `${rows * ROW}px`;
    return line;
  }

  row(i) {
    const cells = this.rows[i].map((value, column) => make(
      "td",
      { class: kind(value), tabindex: "0", "data-row": i, "data-column": column },
      cell(value).slice(0, SHOWN),
    ));
    return make("tr", { "aria-rowindex": i + 2 }, make("td", { class: "count" }, grouped(i + 1)), ...cells);
  }

  open(target) {
    const { row, column } = target.closest("td")?.dataset ?? {};
    if (row === undefined || getSelection()?.toString()) return;
    showValue(this.columns[column], this.rows[row][column]);
  }
}

function kind(value) {
  if (value === null) return "null";
  if (typeof value === "number" || typeof value === "bigint") return "number";
  if (isNode(value) || isRelationship(value) || isPath(value)) return "entity";
  return typeof value === "object" ? "nested" : null;
}

const plain = (_key, value) => (typeof value === "bigint" ? JSON.rawJSON?.(String(value)) ?? String(value) : value);

export function showValue(name, value) {
  const dialog = find("value");
  dialog.querySelector("h2").textContent = name;
  dialog.querySelector("pre").textContent =
    typeof value === "string" ? value : JSON.stringify(value, plain, 2);
  dialog.showModal();
}
