// The nodes and relationships of a result as a graph: pan, zoom, click for what is in one, click
// again (or "Expand") for its neighbours.

import cytoscape from "./vendor/cytoscape.js";
import { rowsOf } from "./api.js";
import { make, plural } from "./dom.js";
import { caption, cell, walk } from "./values.js";

const MOST = 300; // nodes shown at first
const STEP = 100; // neighbours that one click brings
const NEAREST = 1.5; // zoom at first
const COLOURS = 8; // as many as --color-0 ... in style.css

const NEIGHBOURS = "MATCH (n)-[r]-(m) WHERE id(n) = $id RETURN r, m, n LIMIT " + STEP;
const BETWEEN =
  "MATCH (a)-[r]->(b) WHERE id(a) IN $ids AND id(b) IN $ids RETURN r LIMIT 2000";

export function elements(rows) {
  const nodes = new Map();
  const relationships = new Map();
  const seen = {
    node: (node) => void nodes.set(String(node.id), node),
    relationship: (one) => void relationships.set(String(one.id), one),
  };
  for (const row of rows) row.forEach((value) => walk(value, seen));
  return { nodes, relationships };
}

export class GraphView {
  constructor(place, { nodes, relationships }) {
    this.found = nodes.size;
    this.labels = new Map();
    this.info = make("div", { class: "info", "aria-live": "polite" });
    this.legend = make("ul", { class: "legend", "aria-label": "Colours of labels" });
    this.canvas = make("div", { class: "canvas __________cytoscape_container", role: "img",
      "aria-label": "The result as a graph; the table says the same in words" });
    const tool = (name, action) => make("button", { type: "button", onclick: action }, name);
    place.replaceChildren(
      make("div", { class: "row" },
        tool("Fit", () => this.cy.animate({ fit: { padding: 30 } }, { duration: 200 })),
        tool("Zoom in", () => this.zoom(1.4)), tool("Zoom out", () => this.zoom(1 / 1.4)),
        tool("Connect", () => this.connect()), this.legend),
      make("div", { class: "stage" }, this.canvas, this.info));
    this.cy = cytoscape({ container: this.canvas, style: this.style(), minZoom: 0.05, maxZoom: 4 });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.cy.style(this.style()));
    this.cy.on("tap", (event) => this.tapped(event.target));
    this.add([...nodes.values()].slice(0, MOST), [...relationships.values()]);
    this.settle();
    this.say();
  }

  style() {
    const variable = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const palette = Array.from({ length: COLOURS }, (_, i) => variable(`--color-${i}`));
    const text = variable("--text");
    return [
      { selector: "node", style: { label: "data(caption)", color: text, "font-size": 11, width: 34, height: 34,
        "background-color": (node) => palette[node.data("colour")] ?? variable("--quiet"),
        "text-valign": "bottom", "text-margin-y": 3, "text-max-width": 110, "text-wrap": "ellipsis",
        "min-zoomed-font-size": 7 } },
      { selector: "edge", style: { label: "data(type)", width: 1.5, "line-color": variable("--quiet"),
        "target-arrow-color": variable("--quiet"), "target-arrow-shape": "triangle", "curve-style": "bezier",
        "font-size": 8, color: text, "text-rotation": "autorotate", "text-background-color": variable("--back"),
        "text-background-opacity": 0.8, "min-zoomed-font-size": 8 } },
      { selector: ":selected", style: { "border-width": 4, "border-color": variable("--accent"),
        "line-color": variable("--accent"), "target-arrow-color": variable("--accent") } },
    ];
  }

  /** Nodes first; ends that no row has become nodes without a label. */
  add(nodes, relationships) {
    const made = [];
    for (const node of nodes) {
      const id = `n${node.id}`;
      const data = { id, node, caption: caption(node), colour: this.colour(node.labels[0] ?? "") };
      const old = this.cy.getElementById(id);
      if (old.nonempty()) old.data(data);
      else made.push({ group: "nodes", data });
    }
    this.cy.add(made);
    const room = relationships.filter((one) => this.cy.getElementById(`r${one.id}`).empty());
    for (const one of room) {
      for (const end of [one.start, one.end]) this.place(end);
      if (this.cy.getElementById(`n${one.start}`).empty() || this.cy.getElementById(`n${one.end}`).empty()) continue;
      this.cy.add({ group: "edges", data: { id: `r${one.id}`, source: `n${one.start}`, target: `n${one.end}`,
        type: one.type, relationship: one } });
    }
    this.drawLegend();
  }

  place(id) {
    if (this.cy.getElementById(`n${id}`).nonempty() || this.found > MOST) return;
    this.cy.add({ group: "nodes", data: { id: `n${id}`, caption: `#${id}`, colour: -1,
      node: { id, labels: [], properties: {}, elementId: "" } } });
  }

  colour(label) {
    if (!this.labels.has(label)) this.labels.set(label, this.labels.size % COLOURS);
    return this.labels.get(label);
  }

  drawLegend() {
    this.legend.replaceChildren(...[...this.labels].slice(0, 12).map(([label, colour]) =>
      make("li", {}, make("span", { class: `dot color-${colour}` }), label || "no label")));
  }

  settle() {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const many = this.cy.nodes().length > 80;
    const layout = this.cy.layout({ name: "cose", animate: !still && !many && "end", animationDuration: 300, padding: 30,
      nodeDimensionsIncludeLabels: true, idealEdgeLength: 90, nodeRepulsion: 12000, numIter: many ? 400 : 1000,
    });
    layout.one("layoutstop", () => this.notTooNear());
    layout.run();
  }

  /** One node alone would fill the view. */
  notTooNear() {
    if (this.cy.zoom() <= NEAREST) return;
    this.cy.zoom(NEAREST);
    this.cy.center();
  }

  zoom(factor) {
    const middle = { x: this.canvas.clientWidth / 2, y: this.canvas.clientHeight / 2 };
    this.cy.zoom({ level: this.cy.zoom() * factor, renderedPosition: middle });
  }

  tapped(target) {
    if (target === this.cy) return this.say();
    const wasSelected = target.selected();
    if (!target.isNode()) return this.describe(`[:${target.data("type")}]`, target.data("relationship"));
    this.describe(target.data("node").labels.map((label) => `:${label}`).join("") || "node", target.data("node"), target);
    if (wasSelected) this.expand(target);
    return undefined;
  }

  describe(title, entity, node) {
    const lines = Object.entries(entity.properties).map(([key, value]) =>
      make("div", {}, make("dt", {}, key), make("dd", {}, cell(value))));
    this.info.replaceChildren(make("h3", {}, title), make("dl", { class: "lines" },
      make("div", {}, make("dt", {}, "id"), make("dd", {}, String(entity.id))), ...lines));
    if (node) {
      this.info.append(make("button", { type: "button", onclick: () => this.expand(node) }, "Expand"));
    }
  }

  async expand(node) {
    await this.bring(NEIGHBOURS, { id: node.data("node").id }, node);
  }

  async connect() {
    await this.bring(BETWEEN, { ids: this.cy.nodes().map((node) => node.data("node").id) });
  }

  async bring(query, params, centre) {
    try {
      const before = this.cy.elements().length;
      const { nodes, relationships } = elements(await rowsOf(query, exactIds(params)));
      const known = new Set(this.cy.nodes().map((node) => node.id()));
      this.add([...nodes.values()], [...relationships.values()]);
      if (centre) this.around(centre, known);
      const added = this.cy.elements().length - before;
      this.say(added ? "" : "Nothing new. ");
    } catch (error) {
      this.info.replaceChildren(make("p", { class: "error" }, error.message));
    }
  }

  /** New neighbours in a ring about their node; the others stay where they are. */
  around(centre, known) {
    const fresh = this.cy.nodes().filter((node) => !known.has(node.id()));
    const { x, y } = centre.position();
    const reach = 90 + 4 * fresh.length;
    fresh.forEach((node, i) => {
      const angle = (2 * Math.PI * i) / fresh.length;
      node.position({ x: x + reach * Math.cos(angle), y: y + reach * Math.sin(angle) });
    });
  }

  say(first = "") {
    const shown = this.cy.nodes().length;
    const cut = this.found > MOST ? ` The result has ${plural(this.found, "node")}; the first ${MOST} are drawn.` : "";
    this.info.replaceChildren(make("p", { class: "quiet" },
      `${first}${plural(shown, "node")}, ${plural(this.cy.edges().length, "relationship")}.${cut} ` +
      "Select one to see its properties; select it again to expand it. Connect brings the relationships between those shown."));
  }

  close() {
    this.cy.destroy();
  }
}

// Ids may be BigInt or, from engines that cannot tell them exactly, text.
function exactIds(params) {
  const number = (id) => Number(id);
  return { ...params, ...("id" in params ? { id: number(params.id) } : { ids: params.ids.map(number) }) };
}
