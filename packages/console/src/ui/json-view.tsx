import type { ReactElement } from 'react';
import styles from './json-view.module.css';

/** A value as JSON with line breaks; 64-bit integers are written as texts, as the API does. */
export const JsonView = ({ value }: { readonly value: unknown }): ReactElement => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
  <pre className={styles.json} tabIndex={0}>
    {jsonText(value)}
  </pre>
);

/** Messages carry the name of their type, which is not part of what they say. */
const jsonText = (value: unknown): string =>
  JSON.stringify(
    value,
    (name, part: unknown) => {
      if (name === '$typeName') return undefined;
      return typeof part === 'bigint' ? String(part) : part;
    },
    2,
  );

/** The value of a JSON text, or the text where it is none. */
export const parsedOrText = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};
