import { Fragment, type ReactElement } from 'react';
import styles from './snippet.module.css';

/** A piece of an excerpt, in its order. */
interface SnippetPiece {
  readonly text: string;
  /** It is what was searched for. */
  readonly found: boolean;
}

/** So many characters before the first mark leave it in sight on a narrow line. */
const LEAD = 16;

/** The pieces with less before the first mark, cut between words. */
const nearMark = (pieces: readonly SnippetPiece[]): readonly SnippetPiece[] => {
  const [first, ...others] = pieces;
  if (first === undefined || first.found || first.text.length <= LEAD || others.length === 0) return pieces;
  const end = first.text.slice(-LEAD);
  const text = `…${end.slice(Math.max(0, end.indexOf(' ')))}`;
  return [{ text, found: false }].concat(others);
};

/** An excerpt on one line, with what was searched for marked and in sight. */
export const Snippet = ({ pieces }: { readonly pieces: readonly SnippetPiece[] }): ReactElement => (
  <span className={styles.snippet}>
    {nearMark(pieces).map(({ text, found }, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never move
      <Fragment key={at}>{found ? <mark>{text}</mark> : text}</Fragment>
    ))}
  </span>
);
