import { lazy, type ReactElement, Suspense } from 'react';
import type { TextHelp, TextLanguage, TextProblem } from './editor/editor-types.ts';
import { PlainText } from './editor/plain-text.tsx';

export interface CodeEditorProps {
  /** What the text is, for screen readers. */
  readonly label: string;
  readonly value: string;
  /** Called with the whole text after each change; without it the text can only be read. */
  readonly onChange?: ((text: string) => void) | undefined;
  readonly language: TextLanguage;
  /** Shown at their lines. Keep the same array while nothing changed. */
  readonly problems?: readonly TextProblem[] | undefined;
  /** Suggestions while writing and meanings under the pointer. */
  readonly help?: TextHelp | undefined;
  /** Takes the height that is left in a column; else as high as the text, up to a limit. */
  readonly isFilled?: boolean;
}

const TextEditor = lazy(async () => ({ default: (await import('./editor/text-editor.tsx')).TextEditor }));

/** A text in a language with lines, colours, search, folding, problems and suggestions. Ctrl+Space suggests, Ctrl+F searches. */
export const CodeEditor = (props: CodeEditorProps): ReactElement => (
  <Suspense fallback={<PlainText text={props.value} isFilled={props.isFilled} />}>
    <TextEditor {...props} />
  </Suspense>
);
