// Asking the server: a query as a stream of lines, a cancel, the schema.

export const root = document.documentElement.dataset.root ?? "";

// Integers beyond 2^53 would be rounded by JSON.parse; where the engine tells a number's source
// they are kept as BigInt, elsewhere the server is asked for all integers as strings.
let sourceIsTold = false;
JSON.parse("1", (_key, value, context) => {
  sourceIsTold = context?.source === "1";
  return value;
});

function exact(_key, value, context) {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  return /^-?\d+$/.test(context.source) ? BigInt(context.source) : value;
}

export const parse = sourceIsTold ? (text) => JSON.parse(text, exact) : JSON.parse;

export function newQueryId() {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return `page-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

async function* lines(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    const parts = (rest + value).split("\n");
    rest = parts.pop();
    yield parts.filter((part) => part !== "");
  }
  if (rest !== "") yield [rest];
}

/** Errors of an answer, as the server tells them: code, message, line, column, ... */
export class QueryFailed extends Error {
  constructor(errors) {
    super(errors[0]?.message ?? "the query failed");
    this.errors = errors;
  }
}

/**
 * Run a query. `seen` has `columns(names)` and `rows(arrays)`; `rows` says whether to go on.
 * Gives the end line: rows, stats, plan, notifications. Raises QueryFailed.
 */
export async function ask({ query, params, id, signal, seen }) {
  const body = { query, params, id };
  if (!sourceIsTold) body.integers = "string";
  const answer = await fetch(`${root}/cypher`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/x-ndjson" },
    body: JSON.stringify(body),
    signal,
  });
  if (!answer.ok) throw new QueryFailed(await errorsOf(answer));
  let columns = null;
  for await (const part of lines(answer.body)) {
    const rows = [];
    for (const line of part) {
      const value = parse(line);
      if (Array.isArray(value)) rows.push(value);
      else if (columns === null && value.columns) seen.columns((columns = value.columns));
      else if (value.errors) throw new QueryFailed(value.errors);
      else if (value.end) {
        if (rows.length) seen.rows(rows);
        return value.end;
      }
    }
    if (rows.length && seen.rows(rows) === false) return { stopped: true };
  }
  throw new QueryFailed([{ message: "the answer broke off: the server or the connection is gone" }]);
}

async function errorsOf(answer) {
  try {
    return (await answer.json()).errors;
  } catch {
    return [{ message: `the server answered ${answer.status}` }];
  }
}

export async function cancel(id) {
  const answer = await fetch(`${root}/queries/${encodeURIComponent(id)}`, { method: "DELETE" });
  const value = await answer.json();
  if (!answer.ok) throw new QueryFailed(value.errors);
  return value;
}

/** All rows of a small query. */
export async function rowsOf(query, params) {
  const rows = [];
  const seen = { columns() {}, rows: (more) => void rows.push(...more) };
  await ask({ query, params, id: newQueryId(), seen });
  return rows;
}

export async function schema() {
  const answer = await fetch(`${root}/schema`, { headers: { Accept: "application/json" } });
  return answer.json();
}

/** Where a program, or a download, gets the same answer; only queries that read can be asked so. */
export function address(query, params, format) {
  const fields = new URLSearchParams({ query, format });
  if (Object.keys(params).length) fields.set("params", JSON.stringify(params));
  return `${root}/cypher?${fields}`;
}
