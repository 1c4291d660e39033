const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** Scripts that write words without blanks between them. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu;
const UNSPACED_RUN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
const TERMS_MAX = 32;

/** Words of a text in lower case, without punctuation. */
export const plainWords = (text: string): readonly string[] => text.normalize('NFC').toLowerCase().match(WORD) ?? [];

/** A text as the index compares it: characters of scripts without blanks are single. */
export const indexWords = (text: string): string => text.normalize('NFC').replace(UNSPACED, ' $& ');

/** What a query looks for: its words; where a script has no blanks, each pair of neighbours. Everything is literal. */
export const queryTerms = (query: string): readonly string[] => {
  const terms = plainWords(query).flatMap((word) => (word.match(UNSPACED_RUN) ?? []).flatMap(runTerms));
  return [...new Set(terms)].slice(0, TERMS_MAX);
};

const runTerms = (run: string): readonly string[] => {
  if (run.search(UNSPACED) !== 0) return [run];
  const letters = [...run];
  if (letters.length === 1) return [run];
  return letters.slice(1).map((letter, index) => `${letters[index] ?? ''} ${letter}`);
};
