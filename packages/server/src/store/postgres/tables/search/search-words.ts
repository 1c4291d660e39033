import { searchWords } from '../../../../base/index.ts';

/** Last place in a text that PostgreSQL tells from later ones. */
const LAST_PLACE = 16_383;
/** Words of two parts of a chunk are not in a row. */
const GAP = 10;

/** Lexeme that stands for a namespace; begins with a character that no word holds. */
const scopeLexeme = (namespace: string): string => `#${Buffer.from(namespace).toString('hex')}`;

/** A text part with its weight: A path, B heading, D text. */
interface WeightedText {
  readonly text: string;
  readonly weight: 'A' | 'B' | 'D';
}

/** The `tsvector` of a chunk as text. */
const vectorOf = (namespace: string, parts: readonly WeightedText[]): string => {
  const places = new Map<string, string[]>();
  let place = 1;
  for (const { text, weight } of parts) {
    for (const word of searchWords(text)) {
      const found = places.get(word) ?? [];
      if (found.length < 255) found.push(`${Math.min(place, LAST_PLACE)}${weight}`);
      places.set(word, found);
      place++;
    }
    place += GAP;
  }
  const words = [...places].map(([word, found]) => `'${word}':${found.join(',')}`);
  return [`'${scopeLexeme(namespace)}'`, ...words].join(' ');
};

/** The `tsvector` of one chunk of a document; the path counts for each of them. */
export const chunkVector = (
  document: { readonly namespace: string; readonly pathWords: string },
  chunk: { readonly heading: string; readonly words: string },
): string =>
  vectorOf(document.namespace, [
    { text: document.pathWords, weight: 'A' },
    { text: chunk.heading, weight: 'B' },
    { text: chunk.words, weight: 'D' },
  ]);

/** A `tsquery` as text for each of the terms; a term of several words wants them in a row. Empty: nothing can match. */
export const queriesOf = (terms: readonly string[]): readonly string[] => {
  const phrases = terms.map((term) => searchWords(term)).filter((words) => words.length > 0);
  return [...new Set(phrases.map((words) => `(${words.map((word) => `'${word}'`).join(' <-> ')})`))];
};

/** The `tsquery` that keeps a search to its namespaces. */
export const scopeQueryOf = (namespaces: readonly string[]): string =>
  namespaces.map((namespace) => `'${scopeLexeme(namespace)}'`).join(' | ');
