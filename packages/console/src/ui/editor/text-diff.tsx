import { unifiedMergeView } from '@codemirror/merge';
import type { ReactElement } from 'react';
import type { DiffViewProps } from '../diff-view.tsx';
import styles from './editor.module.css';
import { readingParts, readOnlyParts } from './editor-parts.ts';
import { useEditorView } from './use-editor-view.ts';

/** The comparison behind `DiffView`, in a file of its own that is loaded when the first one is shown. */
export const TextDiff = ({ label, before, after, language }: DiffViewProps): ReactElement => {
  const { host } = useEditorView({
    text: after,
    key: JSON.stringify([label, before, after, language]),
    extensions: () => [
      readingParts(label, language),
      readOnlyParts,
      unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: { margin: 3, minSize: 6 } }),
    ],
  });
  return <div ref={host} className={styles.editor} />;
};
