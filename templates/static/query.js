// The query page: editor, running and cancelling, the result in three views, history.

import { QueryFailed, address, ask, cancel, newQueryId, schema } from "./api.js";
import { duration, find, grouped, make, plural } from "./dom.js";
import { createEditor } from "./editor.js";
import { GraphView, elements } from "./graph.js";
import { forget, historyItems, kept, remember } from "./history.js";
import { planTree } from "./plan.js";
import { inScript, statementsOf } from "./script.js";
import { ResultTable } from "./table.js";

const KEPT_ROWS = 100_000; // rows that the page holds; a download has no such limit
const FORMATS = ["json", "ndjson", "csv", "msgpack", "text"];

const page = {
  running: null, // { id, abort, began, rows, cancelling }
  graph: null,
  place: -1, // in the history
};

const nonce = document.querySelector("script[data-nonce]")?.nonce ||
  document.querySelector("script[data-nonce]")?.dataset.nonce;
const editor = createEditor(find("query"), {
  nonce,
  schema: schema(),
  run,
  older: () => step(1),
  newer: () => step(-1),
});
document.documentElement.classList.add("scripted");
// Links to a query: /#query=...; the part behind # is not sent to anybody.
const given = new URLSearchParams(location.hash.slice(1));
if (given.has("query")) editor.text = given.get("query");

find("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  run();
});
find("cancel").addEventListener("click", stop);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && page.running && !document.querySelector("dialog[open]")) stop();
});
find("show-history").addEventListener("click", () => {
  find("history").querySelector("ol").replaceChildren(...historyItems(load));
  find("history").showModal();
});
find("clear-history").addEventListener("click", () => {
  forget();
  find("history").querySelector("ol").replaceChildren(...historyItems(load));
});
for (const button of document.querySelectorAll("[data-close]")) {
  button.addEventListener("click", () => button.closest("dialog").close());
}
const tabs = ["table", "graph", "plan"];
for (const name of tabs) {
  find(`tab-${name}`).addEventListener("click", () => show(name));
  find(`tab-${name}`).addEventListener("keydown", (event) => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    const there = tabs.filter((tab) => !find(`tab-${tab}`).hidden);
    const next = there.indexOf(name) + (event.key === "ArrowRight" ? 1 : -1);
    const target = there.at(next % there.length);
    show(target);
    find(`tab-${target}`).focus();
  });
}

function load(entry) {
  editor.text = entry.query;
  find("params").value = entry.params;
  find("parameters").open = entry.params.trim() !== "{}";
  find("history").close();
}

function step(by) {
  const entries = kept();
  page.place = Math.min(Math.max(page.place + by, -1), entries.length - 1);
  if (page.place >= 0) load(entries[page.place]);
}

function parameters() {
  try {
    const value = JSON.parse(find("params").value.trim() || "{}");
    if (value !== null && typeof value === "object" && !Array.isArray(value)) return value;
  } catch (error) {
    return new QueryFailed([{ message: `The parameters are not JSON: ${error.message}` }]);
  }
  return new QueryFailed([{ message: 'The parameters must be a map such as {"name": "Ada"}' }]);
}

async function run() {
  if (page.running) return;
  editor.closeCompletion();
  const text = editor.text;
  const params = parameters();
  clear();
  if (params instanceof QueryFailed) return fail(params);
  page.place = -1;
  busy(true);
  const ticking = setInterval(tick, 200);
  const statements = statementsOf(text);
  const done = { rows: 0, failed: false };
  try {
    if (statements.length > 1) await runScript(statements, params, done);
    else await runOne(text, params, newTask(), done);
  } finally {
    clearInterval(ticking);
    page.running = null;
    busy(false);
    remember({ query: text, params: find("params").value, at: Date.now(), ...done });
  }
  return undefined;
}

function newTask(script) {
  return { id: newQueryId(), abort: new AbortController(), began: performance.now(), rows: 0, script };
}

/** One after the other, each a query of its own; what fails or is cancelled ends the script. */
async function runScript(statements, params, done) {
  const began = performance.now();
  const all = {};
  for (const [index, statement] of statements.entries()) {
    clear();
    const end = await runOne(statement.text, params, newTask({ number: index + 1, of: statements.length, statement }), done);
    if (done.failed) return;
    for (const [what, count] of Object.entries(end.stats ?? {})) {
      if (typeof count === "number") all[what] = (all[what] ?? 0) + count;
    }
  }
  say([`${plural(statements.length, "statement")} in ${duration(performance.now() - began)}`, changes(all)].filter(Boolean).join(" · "));
}

async function runOne(query, params, task, done) {
  page.running = task;
  const table = new ResultTable(find("view-table"));
  let end = {};
  try {
    end = await ask({ query, params, id: task.id, signal: task.abort.signal, seen: {
      columns: (columns) => begin(table, columns, task),
      rows: (rows) => more(table, rows, task),
    } });
    finish(table, end, task, query, params);
  } catch (error) {
    done.failed = true;
    fail(error, task);
  }
  done.rows = task.rows;
  return end;
}

function begin(table, columns, task) {
  task.firstByte = performance.now() - task.began;
  if (columns.length) find("result").hidden = false;
  table.start(columns);
  show("table");
}

function more(table, rows, task) {
  task.rows += rows.length;
  table.add(rows);
  return task.rows < KEPT_ROWS;
}

function tick() {
  const task = page.running;
  if (!task) return;
  const state = task.cancelling ? "Cancelling" : "Running";
  const which = task.script ? ` ${task.script.number} of ${task.script.of}` : "";
  say(`${state}${which}: ${plural(task.rows, "row")}, ${duration(performance.now() - task.began)}`);
}

function finish(table, end, task, query, params) {
  const took = performance.now() - task.began;
  const parts = [`${plural(task.rows, "row")} in ${duration(took)}`];
  if (end.stopped) {
    parts[0] = `Stopped at ${plural(task.rows, "row")}: the page holds no more; a download has them all`;
    cancel(task.id).catch(() => undefined);
    task.abort.abort();
  }
  if (end.stats) parts.push(changes(end.stats));
  say(parts.filter(Boolean).join(" · "));
  offer(query, params, end);
  notify(end.notifications);
  if (end.plan) showPlan(end.plan, table.columns.length === 0 || table.rows.length === 0);
  const found = elements(table.rows);
  find("tab-graph").hidden = found.nodes.size + found.relationships.size === 0;
  page.found = found;
}

function changes(stats) {
  return Object.entries(stats)
    .filter(([, count]) => typeof count === "number" && count > 0)
    .map(([what, count]) => `${grouped(count)} ${what.replaceAll("_", " ")}`)
    .join(", ");
}

function notify(notifications) {
  for (const one of notifications ?? []) {
    find("errors").append(make("p", { class: "message" }, one.description ?? one.message ?? one.title));
  }
}

function showPlan(plan, alone) {
  find("result").hidden = false;
  find("tab-plan").hidden = false;
  find("view-plan").replaceChildren(planTree(plan));
  if (alone) show("plan");
}

/** Downloads ask again, by GET, which never writes; so only what wrote nothing offers them. */
function offer(query, params, end) {
  if (end.stats && changes(end.stats)) {
    find("downloads").replaceChildren(make("span", { class: "quiet" }, "A query that wrote is not run again for a download."));
    return;
  }
  const links = FORMATS.map((format) =>
    make("a", { href: address(query, params, format), download: `result.${format}` }, format));
  find("downloads").replaceChildren(make("span", { class: "quiet" }, "Download: "), ...links);
}

function fail(error, task) {
  let errors = error instanceof QueryFailed ? error.errors : [{ message: error.message }];
  const script = task?.script;
  if (script) errors = errors.map((one) => inScript(one, script.statement));
  const took = task ? ` after ${duration(performance.now() - task.began)}` : "";
  const cancelled = errors[0]?.code === "Neo.ClientError.Transaction.Terminated";
  const which = script ? `Statement ${script.number} of ${script.of}: ` : "";
  const how = cancelled ? `cancelled after ${duration(cancelTook(task))}` : `failed${took}`;
  say(which ? which + how : how[0].toUpperCase() + how.slice(1));
  find("errors").replaceChildren(...errors.map(errorBox));
  editor.mark(errors);
}

/** As the server measured it; else from the click; else, cancelled elsewhere, from the start. */
function cancelTook(task) {
  return task.cancelled ?? performance.now() - (task.cancelling ?? task.began);
}

function errorBox(error) {
  const box = make("div", { class: "error box" }, make("p", {}, make("strong", {}, error.type ?? "Error"), ` ${error.message}`));
  if (error.query_line !== undefined && error.line) {
    // Of a script: the line begins with its statement.
    const caret = `${" ".repeat(Math.max(0, (error.shown?.column ?? error.column ?? 1) - 1))}^`;
    box.append(make("pre", {}, `${error.query_line}\n${caret}`));
    box.append(make("p", { class: "quiet" }, `line ${error.line}, column ${error.column}`));
  }
  if (error.hint) box.append(make("p", {}, error.hint));
  return box;
}

async function stop() {
  const task = page.running;
  if (!task || task.cancelling) return;
  task.cancelling = performance.now();
  find("cancel").disabled = true;
  tick();
  try {
    const entry = await cancel(task.id);
    task.cancelled = performance.now() - task.cancelling;
    if (entry.cancel_ms !== null && entry.cancel_ms !== undefined) task.cancelled = Number(entry.cancel_ms);
  } catch {
    // Unknown to the server: it has not arrived there, or has ended.
    task.abort.abort();
  }
}

function clear() {
  page.graph?.close();
  page.graph = page.found = null;
  find("errors").replaceChildren();
  find("result").hidden = true;
  find("tab-graph").hidden = find("tab-plan").hidden = true;
  find("view-graph").replaceChildren();
  find("downloads").replaceChildren();
  editor.mark([]);
}

function busy(on) {
  find("run").disabled = on;
  find("cancel").disabled = !on;
  find("result").setAttribute("aria-busy", String(on));
}

function say(text) {
  find("status").textContent = text;
}

function show(name) {
  for (const tab of tabs) {
    const chosen = tab === name;
    find(`tab-${tab}`).setAttribute("aria-selected", String(chosen));
    find(`tab-${tab}`).tabIndex = chosen ? 0 : -1;
    find(`view-${tab}`).hidden = !chosen;
  }
  if (name === "graph" && !page.graph && page.found) {
    page.graph = new GraphView(find("view-graph"), page.found);
  }
}
