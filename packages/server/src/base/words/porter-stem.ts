/**
 * The stemmer of M. F. Porter, "An algorithm for suffix stripping" (Program 14, 1980): `refunds`, `refunded` and `refunding` all
 * become `refund`. A stem is for comparing only and need not be a word. `m` of the paper counts how often a vowel is followed by a
 * consonant.
 */
type Rule = readonly [suffix: string, replacement: string];

const isConsonant = (word: string, index: number): boolean => {
  const letter = word.charAt(index);
  if ('aeiou'.includes(letter)) return false;
  return letter !== 'y' || index === 0 || !isConsonant(word, index - 1);
};

/** Letters as `c` and `v`, runs joined: `trouble` is `cvcv`. */
const shapeOf = (stem: string): string =>
  Array.from(stem, (_, index) => (isConsonant(stem, index) ? 'c' : 'v'))
    .join('')
    .replace(/(.)\1+/g, '$1');

const measure = (stem: string): number => shapeOf(stem).split('vc').length - 1;

const hasVowel = (stem: string): boolean => shapeOf(stem).includes('v');

const endsDouble = (word: string): boolean => /([^aeiou])\1$/.test(word) && isConsonant(word, word.length - 1);

/** Ends with consonant, vowel, consonant, the last of them not w, x or y. */
const endsShort = (word: string): boolean => {
  const end = word.length - 1;
  return (
    end >= 2 &&
    isConsonant(word, end) &&
    !isConsonant(word, end - 1) &&
    isConsonant(word, end - 2) &&
    !/[wxy]$/.test(word)
  );
};

/** The first rule whose suffix fits is the only one that counts; it is applied where the rest is long enough. */
const replaced = (word: string, rules: readonly Rule[], least: number): string => {
  for (const [suffix, replacement] of rules) {
    if (!word.endsWith(suffix)) continue;
    const stem = word.slice(0, -suffix.length);
    return measure(stem) > least ? stem + replacement : word;
  }
  return word;
};

const plural = (word: string): string => {
  if (word.endsWith('sses') || word.endsWith('ies')) return word.slice(0, -2);
  return word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
};

const pastAndProgress = (word: string): string => {
  if (word.endsWith('eed')) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const suffix = ['ed', 'ing'].find((end) => word.endsWith(end) && hasVowel(word.slice(0, -end.length)));
  if (suffix === undefined) return word;
  const stem = word.slice(0, -suffix.length);
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (endsDouble(stem) && !/[lsz]$/.test(stem)) return stem.slice(0, -1);
  return measure(stem) === 1 && endsShort(stem) ? `${stem}e` : stem;
};

const finalY = (word: string): string =>
  word.endsWith('y') && hasVowel(word.slice(0, -1)) ? `${word.slice(0, -1)}i` : word;

const LONG: readonly Rule[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['abli', 'able'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
];

const MIDDLE: readonly Rule[] = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
];

const LAST: readonly Rule[] = [
  'ement',
  'ment',
  'ance',
  'ence',
  'able',
  'ible',
  'ant',
  'ent',
  'ism',
  'ate',
  'iti',
  'ous',
  'ive',
  'ize',
  'al',
  'er',
  'ic',
  'ou',
].map((suffix): Rule => [suffix, '']);

const lastSuffix = (word: string): string => {
  if (!/[st]ion$/.test(word)) return replaced(word, LAST, 1);
  const stem = word.slice(0, -3);
  return measure(stem) > 1 ? stem : word;
};

const finalE = (word: string): string => {
  if (!word.endsWith('e')) return word;
  const stem = word.slice(0, -1);
  const count = measure(stem);
  return count > 1 || (count === 1 && !endsShort(stem)) ? stem : word;
};

const finalLl = (word: string): string => (word.endsWith('ll') && measure(word) > 1 ? word.slice(0, -1) : word);

/** The stem of an English word in lower-case letters a to z; words of up to two letters are their own. */
export const porterStem = (word: string): string => {
  if (word.length <= 2) return word;
  const bare = finalY(pastAndProgress(plural(word)));
  const short = lastSuffix(replaced(replaced(bare, LONG, 0), MIDDLE, 0));
  return finalLl(finalE(short));
};
