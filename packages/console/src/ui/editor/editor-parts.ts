import { autocompletion, type Completion, type CompletionSource, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, foldGutter, foldKeymap, indentOnInput } from '@codemirror/language';
import { type Diagnostic, lintGutter } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension, type Text } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  hoverTooltip,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { editorTheme } from './editor-theme.ts';
import type { TextHelp, TextLanguage, TextProblem } from './editor-types.ts';

/** What a text has in every view of it: lines, colours, search, folding. */
export const readingParts = (label: string, language: TextLanguage): Extension => [
  editorTheme,
  lineNumbers(),
  foldGutter(),
  drawSelection(),
  highlightSelectionMatches(),
  EditorView.lineWrapping,
  EditorState.tabSize.of(2),
  // Rules of accessibility do not take an editable text for something that can have the focus.
  EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
  // All JSON is YAML.
  language === 'text' ? [] : yaml(),
  // Tab keeps moving the focus, so that the keyboard leads out of the editor.
  keymap.of([...searchKeymap, ...foldKeymap]),
];

/** What a text has in addition where it can be changed. */
export const writingParts = (help: TextHelp | undefined): Extension => [
  history(),
  lintGutter(),
  indentOnInput(),
  bracketMatching(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  keymap.of([...completionKeymap, ...historyKeymap, ...defaultKeymap]),
  help === undefined ? [] : [autocompletion({ override: [suggestionsOf(help)], icons: false }), explanationsOf(help)],
];

export const readOnlyParts: Extension = [
  EditorState.readOnly.of(true),
  // The text can still be focused, selected and searched.
  keymap.of(defaultKeymap),
];

const suggestionsOf =
  (help: TextHelp): CompletionSource =>
  async ({ state, pos, aborted }) => {
    const found = await help.suggest(state.doc.toString(), pos);
    if (found === undefined || aborted) return null;
    const options = found.options.map(
      ({ label, detail = '', info = '', text = label }): Completion => ({ label, detail, info, apply: text }),
    );
    return { from: found.from, options, validFor: /^[\w.-]*$/ };
  };

const explanationsOf = (help: TextHelp): Extension =>
  hoverTooltip(
    async ({ state }, pos) => {
      const found = await help.explain(state.doc.toString(), pos);
      if (found === undefined) return null;
      const create = (): { readonly dom: HTMLElement } => {
        const dom = document.createElement('div');
        dom.className = 'svc-explanation';
        const title = document.createElement('strong');
        title.textContent = found.title;
        dom.append(title, `\n${found.text}`);
        return { dom };
      };
      return { pos: found.from, end: found.to, create };
    },
    { hideOnChange: true },
  );

/** Problems at their places in the text; what belongs to no line is at the first. */
export const diagnosticsOf = (doc: Text, problems: readonly TextProblem[]): readonly Diagnostic[] =>
  problems.map(({ line, column = 0, text }) => {
    const { from, to, text: written } = doc.line(Math.max(1, Math.min(line, doc.lines)));
    const indent = written.length - written.trimStart().length;
    const start = Math.min(from + (column > 0 ? column - 1 : indent), to);
    return { from: start, to, severity: 'error', message: text };
  });
