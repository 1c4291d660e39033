import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const FLOATING = {
  border: '1px solid var(--line)',
  borderRadius: 'var(--radius)',
  backgroundColor: 'var(--surface-raised)',
  color: 'var(--ink)',
  boxShadow: 'var(--shadow)',
} as const;

const SIGN = { fontSize: '0.7rem', lineHeight: '1.6', textAlign: 'center' } as const;

/** The tokens of the page for everything that the editor draws; they reach into its shadow tree. */
const look = EditorView.theme({
  '&': { backgroundColor: 'var(--surface)', color: 'var(--ink)', fontSize: '0.8rem', height: '100%' },
  // Its box in the page shows the focus.
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { overflow: 'auto', fontFamily: 'var(--mono)', lineHeight: '1.6' },
  '.cm-content': { caretColor: 'var(--accent)', padding: '0.5rem 0' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)' },
  '.cm-gutters': { border: 'none', backgroundColor: 'var(--surface)', color: 'var(--ink-soft)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine, &.cm-focused .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--selected)',
  },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--selected)', color: 'inherit' },
  '.cm-tooltip': FLOATING,
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--accent-ink)',
  },
  '.cm-completionDetail': { color: 'inherit', fontStyle: 'normal', opacity: '0.75' },
  '.cm-tooltip.cm-completionInfo, .svc-explanation': {
    maxWidth: '26rem',
    padding: '0.4rem 0.6rem',
    fontFamily: 'var(--font)',
    whiteSpace: 'pre-wrap',
  },
  '.svc-explanation strong': { fontFamily: 'var(--mono)' },
  '.cm-panels': { borderColor: 'var(--line)', backgroundColor: 'var(--surface-sunken)', color: 'var(--ink)' },
  '.cm-button, .cm-textfield': {
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    backgroundColor: 'var(--surface)',
    backgroundImage: 'none',
    color: 'inherit',
  },
  '.cm-searchMatch': { backgroundColor: 'var(--warn-soft)' },
  '.cm-searchMatch-selected': { outline: '1px solid var(--warn)' },
  // Pictures in style sheets would need a rule of their own in the page's policy, so signs are texts.
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--bad)' },
  '.cm-lint-marker': { width: '1em', height: '1.6em' },
  '.cm-lint-marker-error': { ...SIGN, content: '"▲"', color: 'var(--bad)' },
  '.cm-lint-marker-error::before': { content: '"▲"', color: 'var(--bad)' },
  '.cm-diagnostic': { padding: '0.3rem 0.6rem', fontFamily: 'var(--font)' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  '.cm-changedLine, &.cm-merge-b .cm-changedLine': { backgroundColor: 'var(--good-soft)' },
  '.cm-deletedChunk': { backgroundColor: 'var(--bad-soft)' },
  '.cm-changedText, &.cm-merge-b .cm-changedText': {
    background: 'none',
    textDecoration: 'underline var(--good) 2px',
    textUnderlineOffset: '0.2em',
  },
  '.cm-deletedChunk .cm-deletedText': { background: 'none', textDecoration: 'line-through var(--bad)' },
  '.cm-changeGutter .cm-changedLineGutter': { backgroundColor: 'var(--good)' },
  '.cm-changeGutter .cm-deletedLineGutter': { backgroundColor: 'var(--bad)' },
  '.cm-collapsedLines::before, .cm-collapsedLines::after': { content: '"···"' },
  '.cm-collapsedLines': {
    background: 'var(--surface-sunken)',
    color: 'var(--ink-soft)',
    fontFamily: 'var(--font)',
    cursor: 'pointer',
  },
});

const words = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--busy)' },
  { tag: [tags.string, tags.content], color: 'var(--ink)' },
  { tag: tags.comment, color: 'var(--ink-soft)', fontStyle: 'italic' },
  { tag: [tags.punctuation, tags.separator, tags.meta, tags.labelName], color: 'var(--ink-soft)' },
]);

export const editorTheme: Extension = [look, syntaxHighlighting(words)];
