import type { ReactElement } from 'react';
import { classNames } from '../class-names.ts';
import styles from './editor.module.css';

/** The text as it is, while its editor is on the way. */
export const PlainText = ({
  text,
  isFilled = false,
}: {
  readonly text: string;
  readonly isFilled?: boolean | undefined;
}): ReactElement => (
  <pre className={classNames(isFilled ? styles.filled : styles.editor, styles.plain)} aria-busy="true">
    {text}
  </pre>
);
