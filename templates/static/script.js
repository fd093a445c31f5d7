// A script: several statements in one text, each ended by a semicolon, the last one perhaps not.
// As cypherd/parser/script.py parts it: not at semicolons in strings, names and comments. What is
// opened and never closed goes on to the end.

const PARTS = /'(?:[^'\\]|\\[^])*'|"(?:[^"\\]|\\[^])*"|`(?:[^`]|``)*`|\/\/[^\r\n]*|\/\*[^]*?\*\/|(?:['"`]|\/\*)[^]*|;|[^\s;'"`/]+|\s+|[^]/g;

/** [{text, line, column}], from 1: where each statement begins in the script. */
export function statementsOf(script) {
  const found = [];
  let from = 0;
  let something = false;
  for (const match of script.matchAll(PARTS)) {
    const part = match[0];
    if (part === ";") {
      if (something) found.push(statement(script, from, match.index));
      from = match.index + 1;
      something = false;
    } else if (part.trim() && !part.startsWith("//") && !/^\/\*[^]*\*\/$/.test(part)) {
      something = true;
    }
  }
  if (something) found.push(statement(script, from, script.length));
  return found;
}

function statement(script, from, to) {
  const piece = script.slice(from, to);
  const before = script.slice(0, from + piece.length - piece.trimStart().length);
  const lineStart = before.lastIndexOf("\n") + 1;
  return {
    text: piece.trim(),
    line: before.split("\n").length,
    column: Array.from(before.slice(lineStart)).length + 1,
  };
}

/** An error of a statement, at its place in the script. */
export function inScript(error, statement) {
  if (!error.line) return error;
  const first = error.line === 1;
  return {
    ...error,
    line: error.line + statement.line - 1,
    column: (error.column ?? 1) + (first ? statement.column - 1 : 0),
    shown: { column: error.column ?? 1 },
  };
}
