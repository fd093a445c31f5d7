// What the pages use of CodeMirror, as one module: see bundle.mjs.
export { EditorState } from "@codemirror/state";
export {
  EditorView, drawSelection, highlightActiveLine, highlightSpecialChars, keymap, lineNumbers,
  placeholder,
} from "@codemirror/view";
export { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
export {
  HighlightStyle, StreamLanguage, bracketMatching, indentUnit, syntaxHighlighting,
} from "@codemirror/language";
export {
  autocompletion, closeBrackets, closeBracketsKeymap, closeCompletion, completionKeymap,
} from "@codemirror/autocomplete";
export { lintKeymap, setDiagnostics } from "@codemirror/lint";
export { tags } from "@lezer/highlight";
