// The editor in place of the text area; the area stays as what the form sends.

import {
  EditorState, EditorView, HighlightStyle, autocompletion, bracketMatching, closeBrackets,
  closeBracketsKeymap, closeCompletion, completionKeymap, defaultKeymap, drawSelection, highlightSpecialChars, history,
  historyKeymap, indentUnit, keymap, lineNumbers, setDiagnostics, syntaxHighlighting, tags,
} from "./vendor/codemirror.js";
import { completion, cypher } from "./cypher.js";

const colours = HighlightStyle.define([
  { tag: tags.keyword, class: "tok-keyword" },
  { tag: tags.string, class: "tok-string" },
  { tag: [tags.number, tags.bool, tags.atom], class: "tok-number" },
  { tag: tags.comment, class: "tok-comment" },
  { tag: tags.typeName, class: "tok-type" },
  { tag: tags.propertyName, class: "tok-property" },
  { tag: tags.function(tags.variableName), class: "tok-function" },
]);

export function createEditor(area, { nonce, schema, run, older, newer }) {
  const bind = (key, action) => ({ key, run: () => (action(), true) });
  const view = new EditorView({
    state: EditorState.create({
      doc: area.value,
      extensions: [
        nonce ? EditorView.cspNonce.of(nonce) : [],
        keymap.of([
          bind("Mod-Enter", run), bind("Alt-ArrowUp", older), bind("Alt-ArrowDown", newer),
          ...completionKeymap, ...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap,
        ]),
        lineNumbers(), history(), drawSelection(), highlightSpecialChars(), bracketMatching(),
        closeBrackets(), indentUnit.of("  "), EditorView.lineWrapping,
        cypher, syntaxHighlighting(colours),
        autocompletion({ override: [completion(schema)], icons: false, interactionDelay: 0 }),
        EditorView.contentAttributes.of({ "aria-labelledby": "query-label", spellcheck: "false" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) area.value = update.state.doc.toString();
        }),
      ],
    }),
  });
  area.hidden = true;
  area.required = false; // A hidden field that is required would keep the form from being sent.
  area.after(view.dom);
  return new Editor(view);
}

class Editor {
  constructor(view) {
    this.view = view;
  }

  get text() {
    return this.view.state.doc.toString();
  }

  set text(text) {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  closeCompletion() {
    closeCompletion(this.view);
  }

  /** Underline errors where the server says they are; line and column count from 1. */
  mark(errors) {
    const { doc } = this.view.state;
    const placed = errors.filter((error) => error.line && error.line <= doc.lines);
    const diagnostics = placed.map((error) => {
      const line = doc.line(error.line);
      const from = Math.min(line.from + offset(line.text, error.column ?? 1), line.to);
      const word = /^[\p{L}\p{N}_]+|^./u.exec(doc.sliceString(from, line.to))?.[0] ?? "";
      return { from, to: from + word.length, severity: "error", message: error.message };
    });
    this.view.dispatch(setDiagnostics(this.view.state, diagnostics));
  }
}

// Columns count characters, strings here count UTF-16 units.
const offset = (line, column) => Array.from(line).slice(0, column - 1).join("").length;
