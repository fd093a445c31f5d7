// Making elements.

/** `make("td", { class: "number", onclick: ... }, "text", child)` */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

export const find = (id) => document.getElementById(id);

/** 0.42 ms, 42 ms, 4.2 s, 42 s */
export function duration(ms) {
  if (ms >= 10_000) return `${(ms / 1000).toFixed(0)} s`;
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  return `${ms >= 10 ? ms.toFixed(0) : ms.toFixed(1)} ms`;
}

export const grouped = (number) => Number(number).toLocaleString("en");
export const plural = (count, name) => `${grouped(count)} ${name}${Number(count) === 1 ? "" : "s"}`;
