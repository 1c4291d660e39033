import { Fragment, type ReactElement } from 'react';
import styles from './snippet.module.css';

/** A piece of an excerpt, in its order. */
interface SnippetPiece {
  readonly text: string;
  /** It is what was searched for. */
  readonly found: boolean;
}

/** An excerpt on one line, with what was searched for marked. */
export const Snippet = ({ pieces }: { readonly pieces: readonly SnippetPiece[] }): ReactElement => (
  <span className={styles.snippet}>
    {pieces.map(({ text, found }, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never move
      <Fragment key={at}>{found ? <mark>{text}</mark> : text}</Fragment>
    ))}
  </span>
);
