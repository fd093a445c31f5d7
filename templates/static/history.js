// The last queries of this browser, kept in it.

import { make, plural } from "./dom.js";

const KEY = "cypherd.history";
const KEPT = 100;

export function kept() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? [];
  } catch {
    return []; // No storage in private windows of some browsers, or something else under our key.
  }
}

function keep(entries) {
  try {
    localStorage.setItem(KEY, JSON.stringify(entries));
  } catch {
    // Full or forbidden: the page works without.
  }
}

/** The latest first; the same query again moves to the front. */
export function remember(entry) {
  const others = kept().filter((old) => old.query !== entry.query || old.params !== entry.params);
  keep([entry, ...others].slice(0, KEPT));
}

export const forget = () => keep([]);

export function historyItems(choose) {
  const entries = kept();
  if (!entries.length) return [make("li", { class: "quiet" }, "Nothing yet.")];
  return entries.map((entry) => {
    const when = new Date(entry.at).toLocaleString();
    const button = make("button", { type: "button", class: "entry", onclick: () => choose(entry) },
      make("code", {}, entry.query.slice(0, 500)),
      make("span", { class: "quiet" }, `${when} · ${entry.failed ? "failed" : plural(entry.rows, "row")}`));
    return make("li", {}, button);
  });
}
