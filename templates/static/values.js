// Cypher values as text, and which of them are nodes, relationships and paths.

const has = (value, ...keys) =>
  value !== null && typeof value === "object" && keys.every((key) => Object.hasOwn(value, key));

export const isNode = (value) => has(value, "elementId", "labels", "properties");
export const isRelationship = (value) => has(value, "elementId", "type", "start", "end");
export const isPath = (value) => has(value, "nodes", "relationships", "length");

/** A value as somebody would write it in Cypher, on one line. */
export function text(value) {
  if (value === null || value === undefined) return "null";
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) return `[${value.map(text).join(", ")}]`;
  if (isNode(value)) return nodeText(value);
  if (isRelationship(value)) return `[:${value.type}${propertiesText(value.properties)}]`;
  if (isPath(value)) return pathText(value);
  const entries = Object.entries(value).map(([key, part]) => `${key}: ${text(part)}`);
  return `{${entries.join(", ")}}`;
}

/** The same for a cell: a string stands there as it is. */
export const cell = (value) => (typeof value === "string" ? value : text(value));

function nodeText(node) {
  const labels = node.labels.map((label) => `:${label}`).join("");
  return `(${labels}${propertiesText(node.properties, labels !== "")})`;
}

function propertiesText(properties, spaced = true) {
  const entries = Object.entries(properties);
  if (!entries.length) return "";
  const parts = entries.map(([key, value]) => `${key}: ${text(value)}`);
  return `${spaced ? " " : ""}{${parts.join(", ")}}`;
}

function pathText(path) {
  let shown = nodeText(path.nodes[0]);
  path.relationships.forEach((relationship, i) => {
    const forward = relationship.start === path.nodes[i].id;
    const middle = `[:${relationship.type}${propertiesText(relationship.properties)}]`;
    shown += `${forward ? "-" : "<-"}${middle}${forward ? "->" : "-"}${nodeText(path.nodes[i + 1])}`;
  });
  return shown;
}

/** What a person would call a node: a name of some kind, else its label. */
export function caption(node) {
  for (const key of ["name", "title", "firstName", "label", "id"]) {
    const value = node.properties[key];
    if (value !== undefined) return String(value);
  }
  const first = Object.values(node.properties)[0];
  return first === undefined ? (node.labels[0] ?? `#${node.id}`) : cell(first);
}

/** Calls `node` and `relationship` for each one in a value, however deep. */
export function walk(value, seen) {
  if (value === null || typeof value !== "object") return;
  if (Array.isArray(value)) value.forEach((part) => walk(part, seen));
  else if (isNode(value)) seen.node(value);
  else if (isRelationship(value)) seen.relationship(value);
  else if (isPath(value)) {
    value.nodes.forEach(seen.node);
    value.relationships.forEach(seen.relationship);
  } else Object.values(value).forEach((part) => walk(part, seen));
}
