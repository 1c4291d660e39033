import { lazy, type ReactElement, Suspense } from 'react';
import type { TextLanguage } from './editor/editor-types.ts';
import { PlainText } from './editor/plain-text.tsx';

export interface DiffViewProps {
  /** What is compared, for screen readers. */
  readonly label: string;
  readonly before: string;
  readonly after: string;
  readonly language: TextLanguage;
}

const TextDiff = lazy(async () => ({ default: (await import('./editor/text-diff.tsx')).TextDiff }));

/** What changed between two texts: removed and added lines below each other, equal parts folded. */
export const DiffView = (props: DiffViewProps): ReactElement => (
  <Suspense fallback={<PlainText text={props.after} />}>
    <TextDiff {...props} />
  </Suspense>
);
