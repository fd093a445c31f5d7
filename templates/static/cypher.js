// Cypher for the editor: colours, and completion of what the graph and the language have.

import { StreamLanguage } from "./vendor/codemirror.js";

export const KEYWORDS = (
  "ALL AND ANY AS ASC BY CALL CASE CONTAINS COUNT CREATE DELETE DESC DETACH DISTINCT DROP ELSE END " +
  "ENDS EXISTS EXPLAIN FALSE FOR FOREACH IF IN INDEX INDEXES IS CONSTRAINT CONSTRAINTS LIMIT MATCH " +
  "MERGE NONE NOT NULL ON OPTIONAL OR ORDER PROFILE REDUCE REMOVE REQUIRE RETURN SET SHOW SINGLE SKIP " +
  "START STARTS THEN TRUE UNION UNIQUE UNWIND WHEN WHERE WITH XOR YIELD"
).split(" ");
const words = new Set(KEYWORDS);

function token(stream, state) {
  if (state.comment) {
    if (stream.match(/.*?\*\//)) state.comment = false;
    else stream.skipToEnd();
    return "comment";
  }
  if (stream.eatSpace()) return null;
  if (stream.match("//")) return stream.skipToEnd(), "comment";
  if (stream.match("/*")) return (state.comment = true), "comment";
  if (stream.match(/"(?:[^"\\]|\\.)*"?/) || stream.match(/'(?:[^'\\]|\\.)*'?/)) return "string";
  if (stream.match(/`(?:[^`]|``)*`?/)) return named(state);
  if (stream.match(/\$(?:[\p{L}\p{N}_]+|`[^`]*`)/u)) return "atom";
  if (stream.match(/(?:0x[\da-fA-F_]+|0o[0-7_]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)/)) return "number";
  if (stream.match(/[\p{L}_][\p{L}\p{N}_]*/u)) return word(stream, state);
  const mark = stream.next();
  if (/[([{]/.test(mark)) state.open += mark;
  else if (/[)\]}]/.test(mark)) state.open = state.open.slice(0, -1);
  state.after = mark === ":" || (mark === "|" && state.after) ? "label" : mark === "." ? "property" : null;
  return /[()[\]{},;.:|]/.test(mark) ? "punctuation" : "operator";
}

function named(state) {
  const kind = state.after === "label" ? "typeName" : state.after === "property" ? "propertyName" : "variableName";
  state.after = null;
  return kind;
}

function word(stream, state) {
  if (state.after) return named(state);
  const upper = stream.current().toUpperCase();
  if (words.has(upper)) return upper === "NULL" || upper === "TRUE" || upper === "FALSE" ? "bool" : "keyword";
  if (stream.match(/\s*\(/, false)) return "function";
  return state.open.endsWith("{") && stream.match(/\s*:(?!:)/, false) ? "propertyName" : "variableName";
}

export const cypher = StreamLanguage.define({
  name: "cypher",
  startState: () => ({ comment: false, after: null, open: "" }),
  token,
  tokenTable: {},
  languageData: {
    commentTokens: { line: "//", block: { open: "/*", close: "*/" } },
    closeBrackets: { brackets: ["(", "[", "{", "'", '"', "`"] },
  },
});

const quoted = (name) => (/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) ? name : `\`${name.replaceAll("`", "``")}\``);

/** A completion source over what `schema` (a promise of /schema) tells. */
export function completion(schema) {
  return async (context) => {
    const graph = await schema.catch(() => null);
    const before = context.matchBefore(/[\p{L}\p{N}_`]*$/u);
    const line = context.state.sliceDoc(Math.max(0, before.from - 400), before.from);
    const options = fitting(line, graph, context);
    if (!options.length || (before.from === before.to && !context.explicit && !/[:.]$/.test(line))) return null;
    return { from: before.from, options, validFor: /^[\p{L}\p{N}_`]*$/u };
  };
}

function fitting(line, graph, context) {
  const option = (type, detail) => (entry) => ({
    label: entry.name ?? entry, apply: quoted(entry.name ?? entry), type,
    detail: entry.count === undefined ? detail : Number(entry.count).toLocaleString("en"),
  });
  if (/\[[^\]()]*[:|]\s*$/.test(line)) return (graph?.relationshipTypes ?? []).map(option("interface", "type"));
  if (/\([^)[\]{]*[:|&!]\s*$/.test(line) || /\bset\s+\w+\s*:\s*$/i.test(line)) {
    return (graph?.labels ?? []).map(option("class", "label"));
  }
  if (/[\p{L}\p{N}_`)]\.$/u.test(line) || /\{\s*$|\{[^{}]*,\s*$/.test(line)) {
    return (graph?.propertyKeys ?? []).map(option("property", "property"));
  }
  const text = context.state.doc.sliceString(0, 20_000);
  const variables = new Set(text.match(/(?<=[([]|\bas\s|\bunwind.*\bas\s)\s*[\p{L}_][\p{L}\p{N}_]*/giu)?.map((v) => v.trim()));
  return [
    ...Array.from(variables, (name) => ({ label: name, type: "variable", boost: 2 })),
    ...KEYWORDS.map((name) => ({ label: name, type: "keyword", boost: 1 })),
    ...(graph?.functions ?? []).map((name) => ({ label: name, apply: `${name}(`, type: "function", detail: "function" })),
  ];
}
