import { lazy, type ReactElement, Suspense } from 'react';
import styles from './markdown/markdown.module.css';

/** Longer texts, in characters, are shown as they are: to format them would hold the page up. */
const LONGEST = 200_000;

const MarkdownBlocks = lazy(async () => ({ default: (await import('./markdown/markdown-blocks.tsx')).MarkdownBlocks }));

/**
 * A text that somebody else wrote, formatted as Markdown. It runs no script and loads nothing from elsewhere: HTML in it is shown as
 * text, links open a new tab without telling where they came from, and only images of this server and of the text itself are shown.
 * A text that grows keeps what is already on the page.
 */
export const Markdown = ({ text }: { readonly text: string }): ReactElement => {
  const plain = <div className={styles.plain}>{text}</div>;
  if (text.length > LONGEST) return plain;
  return (
    <Suspense fallback={plain}>
      <MarkdownBlocks text={text} />
    </Suspense>
  );
};
