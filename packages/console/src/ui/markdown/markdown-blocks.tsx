import { lexer, type MarkedToken, type Token, type Tokens } from 'marked';
import { createElement, memo, type ReactElement, type ReactNode, useMemo } from 'react';
import { IconButton } from '../button.tsx';
import { copyText } from '../copy-text.ts';
import { decodeEntities } from './entities.ts';
import styles from './markdown.module.css';
import { imageAddress, linkAddress } from './safe-address.ts';

/** Headings of a text are one level below those of the page. */
const FIRST_LEVEL = 3;
const LAST_LEVEL = 6;
/** Quotes within quotes deeper than this are shown as they were written. */
const DEEPEST = 12;

/**
 * The text as elements of the page. The tokens become elements one by one and no HTML is made on the way, so there is nothing to
 * clean: a kind of token that is not known here is shown as text.
 */
export const MarkdownBlocks = ({ text }: { readonly text: string }): ReactElement => {
  const tokens = useMemo(() => lexer(text, { gfm: true, breaks: true }), [text]);
  return (
    <div className={styles.markdown}>
      {tokens.map((token, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a text that grows changes its last blocks only
        <TopBlock key={index} token={token} raw={token.raw} />
      ))}
    </div>
  );
};

/** Drawn again only when its own text changed, so a long answer that grows costs as much as its last block. */
const TopBlock = memo(
  ({ token }: { readonly token: Token; readonly raw: string }): ReactNode => block(token, 0),
  (before, after) => before.raw === after.raw,
);

const blocks = (tokens: readonly Token[], depth: number): ReactNode[] =>
  tokens.map((token, index) => <Keyed key={index.toString()}>{block(token, depth)}</Keyed>);

const inlines = (tokens: readonly Token[] | undefined, depth: number): ReactNode[] =>
  (tokens ?? []).map((token, index) => <Keyed key={index.toString()}>{inline(token, depth)}</Keyed>);

const Keyed = ({ children }: { readonly children: ReactNode }): ReactNode => children;

const block = (given: Token, depth: number): ReactNode => {
  const token = given as MarkedToken;
  if (depth > DEEPEST) return token.raw;
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'hr':
      return <hr />;
    case 'heading':
      return createElement(
        `h${Math.min(LAST_LEVEL, token.depth + FIRST_LEVEL - 1)}`,
        null,
        inlines(token.tokens, depth + 1),
      );
    case 'paragraph':
      return <p>{inlines(token.tokens, depth + 1)}</p>;
    case 'code':
      return <CodeBlock text={token.text} language={token.lang ?? ''} />;
    case 'blockquote':
      return <blockquote>{blocks(token.tokens, depth + 1)}</blockquote>;
    case 'list':
      return list(token, depth + 1);
    case 'table':
      return table(token, depth + 1);
    case 'html':
      return <p className={styles.html}>{token.text.trimEnd()}</p>;
    default:
      return inline(given, depth);
  }
};

const inline = (given: Token, depth: number): ReactNode => {
  const token = given as MarkedToken;
  if (depth > DEEPEST) return token.raw;
  switch (token.type) {
    case 'text':
      return token.tokens === undefined ? decodeEntities(token.text) : inlines(token.tokens, depth + 1);
    case 'escape':
      return token.text;
    case 'strong':
      return <strong>{inlines(token.tokens, depth + 1)}</strong>;
    case 'em':
      return <em>{inlines(token.tokens, depth + 1)}</em>;
    case 'del':
      return <del>{inlines(token.tokens, depth + 1)}</del>;
    case 'codespan':
      return <code>{token.text}</code>;
    case 'br':
      return <br />;
    case 'checkbox':
      return <input type="checkbox" checked={token.checked} readOnly disabled aria-label={checkLabel(token.checked)} />;
    case 'link':
      return link(token, depth + 1);
    case 'image':
      return image(token);
    default:
      return token.raw;
  }
};

const checkLabel = (isChecked: boolean): string => (isChecked ? 'done' : 'not done');

const link = ({ href, title, tokens }: Tokens.Link, depth: number): ReactNode => {
  const address = linkAddress(href);
  if (address === undefined) return <>{inlines(tokens, depth)}</>;
  return (
    <a href={address} title={title ?? address} target="_blank" rel="noopener noreferrer nofollow">
      {inlines(tokens, depth)}
    </a>
  );
};

const image = ({ href, title, text }: Tokens.Image): ReactNode => {
  const name = decodeEntities(text);
  const shown = imageAddress(href);
  if (shown !== undefined) return <img src={shown} alt={name} title={title ?? undefined} loading="lazy" />;
  const address = linkAddress(href);
  if (address === undefined) return name;
  return (
    <a href={address} title={address} target="_blank" rel="noopener noreferrer nofollow">
      {`Image: ${name || address}`}
    </a>
  );
};

const list = ({ ordered, start, items }: Tokens.List, depth: number): ReactNode => {
  const entries = items.map((item, index) => (
    <li key={index.toString()} className={item.task ? styles.task : undefined}>
      {blocks(item.tokens, depth)}
    </li>
  ));
  return ordered ? <ol start={start === '' ? 1 : start}>{entries}</ol> : <ul>{entries}</ul>;
};

const table = ({ header, rows }: Tokens.Table, depth: number): ReactNode => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
  <div className={styles.tableFrame} tabIndex={0}>
    <table>
      <thead>
        <tr>
          {header.map((cell, index) => (
            <th key={index.toString()} className={alignOf(cell)}>
              {inlines(cell.tokens, depth)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={index.toString()}>
            {row.map((cell, column) => (
              <td key={column.toString()} className={alignOf(cell)}>
                {inlines(cell.tokens, depth)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const alignOf = ({ align }: Tokens.TableCell): string | undefined =>
  align === 'right' ? styles.right : align === 'center' ? styles.center : undefined;

const CodeBlock = ({ text, language }: { readonly text: string; readonly language: string }): ReactElement => (
  <figure className={styles.code}>
    <figcaption>
      <span>{language.split(' ')[0]}</span>
      <IconButton label="Copy the code" icon="copy" onClick={() => void copyText(text, 'code')} />
    </figcaption>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
    <pre tabIndex={0}>
      <code>{text}</code>
    </pre>
  </figure>
);
