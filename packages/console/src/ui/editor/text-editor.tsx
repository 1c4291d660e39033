import { setDiagnostics } from '@codemirror/lint';
import { EditorView } from '@codemirror/view';
import { type ReactElement, useEffect, useEffectEvent, useLayoutEffect } from 'react';
import type { CodeEditorProps } from '../code-editor.tsx';
import styles from './editor.module.css';
import { diagnosticsOf, readingParts, readOnlyParts, writingParts } from './editor-parts.ts';
import { useEditorView } from './use-editor-view.ts';

/** The editor behind `CodeEditor`, in a file of its own that is loaded when the first one is shown. */
export const TextEditor = (props: CodeEditorProps): ReactElement => {
  const { label, value, language, problems, help, onChange } = props;
  const changed = useEffectEvent((text: string) => onChange?.(text));
  const { host, view } = useEditorView({
    text: value,
    key: `${label} ${language} ${onChange === undefined}`,
    extensions: () => [
      readingParts(label, language),
      onChange === undefined ? readOnlyParts : writingParts(help),
      EditorView.updateListener.of(({ docChanged, state }) => {
        if (docChanged) changed(state.doc.toString());
      }),
    ],
  });
  // At once with the drawing: a letter typed between the two would be taken back by the text of before.
  useLayoutEffect(() => {
    if (view === undefined || view.state.doc.toString() === value) return;
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value } });
  }, [view, value]);
  useEffect(() => {
    if (view !== undefined)
      view.dispatch(setDiagnostics(view.state, [...diagnosticsOf(view.state.doc, problems ?? [])]));
  }, [view, problems]);
  return <div ref={host} className={props.isFilled ? styles.filled : styles.editor} />;
};
