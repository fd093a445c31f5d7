// A plan as a tree of operators: what each does, estimated and actual rows, time, store hits.

import { duration, grouped, make } from "./dom.js";

export function planTree(plan) {
  const profiled = plan.rows !== undefined;
  const total = profiled ? Math.max(sum(plan, "timeMs"), 0.001) : 0;
  const head = make("p", { class: "quiet" }, profiled
    ? `${duration(sum(plan, "timeMs"))} in the operators, ${grouped(sum(plan, "storeHits"))} store hits. Data flows upwards.`
    : "Not run: rows are estimates. Data flows upwards. PROFILE in front of the query runs it and counts.");
  return make("div", { class: "plan-tree" }, head, make("ul", {}, operator(plan, total)));
}

const sum = (plan, key) =>
  (plan[key] ?? 0) + plan.children.reduce((all, child) => all + sum(child, key), 0);

function operator(plan, total) {
  const facts = [["estimated", `${rough(plan.estimatedRows)} rows`]];
  if (plan.rows !== undefined) {
    facts.push(["actual", `${grouped(plan.rows)} rows`], ["time", duration(plan.timeMs)],
      ["hits", grouped(plan.storeHits)]);
  }
  const card = make("div", { class: "operator" },
    make("strong", {}, plan.operator),
    plan.details ? make("code", {}, plan.details) : "",
    make("dl", {}, ...facts.map(([name, value]) =>
      make("div", {}, make("dt", {}, name), make("dd", {}, value)))));
  if (total) {
    const share = make("div", { class: "share", "aria-hidden": "true" });
    share.style.width = `${Math.min(100, (100 * plan.timeMs) / total)}%`;
    card.append(share);
  }
  const children = plan.children.map((child) => operator(child, total));
  return make("li", {}, card, children.length ? make("ul", {}, ...children) : "");
}

function rough(rows) {
  if (rows >= 10) return grouped(Math.round(rows));
  return String(Math.round(rows * 100) / 100);
}
