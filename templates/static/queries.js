// The page of running queries, live: events from the server, or a reload now and then where they
// cannot be had. Cards are kept and changed in place, so that a button does not vanish under a hand.

import { cancel, root } from "./api.js";
import { duration, find, grouped } from "./dom.js";

const RELOAD = 5000;
const started = new Map(); // id -> when it began, by this page's clock
let latest = null;

function field(card, name) {
  return card.querySelector(`[data-field="${name}"]`);
}

function newCard(template, entry) {
  const card = find(template).content.firstElementChild.cloneNode(true);
  card.dataset.id = entry.id;
  field(card, "query").textContent = entry.query.slice(0, 2000);
  field(card, "client").textContent = entry.client;
  const link = field(card, "id");
  link.textContent = entry.id;
  link.href = `${root}/queries/${encodeURIComponent(entry.id)}`;
  const form = card.querySelector("form");
  if (form) {
    form.action = `${link.href}/cancel`;
    field(card, "cancel").setAttribute("aria-label", `Cancel query ${entry.id}`);
  }
  return card;
}

function fill(card, entry) {
  const state = field(card, "state");
  state.className = `state ${entry.state.replaceAll(" ", "-")}`;
  state.textContent = entry.state + (entry.waiting_for ? ` for ${entry.waiting_for}`
    : entry.cancel_ms !== null ? ` after ${duration(entry.cancel_ms)}` : "");
  field(card, "rows").textContent = grouped(entry.rows);
  field(card, "place").textContent = entry.place ?? "–";
  field(card, "elapsed").textContent = duration(entry.elapsed_ms);
  field(card, "slow").hidden = !entry.slow;
  card.classList.toggle("slow", entry.slow);
  const button = field(card, "cancel");
  if (button) {
    button.disabled = entry.state === "cancelling";
    button.textContent = entry.state === "cancelling" ? "Cancelling" : "Cancel";
  }
  const error = field(card, "error");
  if (error) {
    error.hidden = !entry.error;
    error.textContent = entry.error?.message ?? "";
  }
}

function update(listName, entries, template) {
  const list = find(`${listName}-list`);
  const old = new Map(Array.from(list.children, (card) => [card.dataset.id, card]));
  entries.forEach((entry, i) => {
    const key = listName === "finished" ? `${entry.id} ${entry.ended}` : entry.id;
    const card = old.get(key) ?? newCard(template, entry);
    old.delete(key);
    card.dataset.id = key;
    fill(card, entry);
    if (list.children[i] !== card) list.insertBefore(card, list.children[i] ?? null);
  });
  old.forEach((card) => card.remove());
  find(`${listName}-none`).hidden = entries.length > 0;
}

function load(server) {
  const { waiting, processes } = server;
  const told = {
    worker: grouped(waiting.worker + waiting.planner),
    writer: grouped(waiting.writer),
    inline: grouped(waiting.inline),
    workers: grouped(processes.worker),
    lag: duration(server.loop_lag_ms),
  };
  for (const [name, text] of Object.entries(told)) {
    document.querySelector(`[data-load="${name}"]`).textContent = text;
  }
}

function apply(listed) {
  load(listed.server);
  latest = listed;
  const now = performance.now();
  for (const entry of listed.running) started.set(entry.id, now - entry.elapsed_ms);
  update("running", listed.running, "running-card");
  update("finished", listed.finished, "finished-card");
  find("running-count").textContent = listed.running.length;
}

function tick() {
  if (!latest) return;
  for (const card of find("running-list").children) {
    const began = started.get(card.dataset.id);
    if (began !== undefined) field(card, "elapsed").textContent = duration(performance.now() - began);
  }
}

find("running-list").addEventListener("submit", async (event) => {
  event.preventDefault();
  const card = event.target.closest("[data-id]");
  const button = field(card, "cancel");
  button.disabled = true;
  button.textContent = "Cancelling";
  const message = find("message");
  try {
    const entry = await cancel(card.dataset.id);
    message.textContent = entry.ended === null
      ? `Query ${entry.id} is being cancelled.`
      : `Query ${entry.id}: ${entry.state}${entry.cancel_ms === null ? "" : ` after ${duration(entry.cancel_ms)}`}.`;
  } catch (error) {
    message.textContent = error.message;
    button.disabled = false;
    button.textContent = "Cancel";
  }
  message.hidden = false;
});

const events = new EventSource(`${root}/queries/events`);
let falling = null;
events.addEventListener("open", () => {
  clearTimeout(falling);
  find("live").hidden = false;
  find("reload").hidden = true;
});
events.addEventListener("message", (event) => apply(JSON.parse(event.data)));
events.addEventListener("error", () => {
  find("live").hidden = true;
  find("reload").hidden = false;
  // The browser tries again by itself unless the server refused; then the page is loaded anew.
  if (events.readyState === EventSource.CLOSED) falling = setTimeout(() => location.reload(), RELOAD);
});
setInterval(tick, 250);
