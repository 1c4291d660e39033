import { CommandFailure } from '../failure.ts';
import type { Kind } from './kind.ts';
import { kindOf, kinds } from './known-kinds.ts';

/** `KIND WORD...` and `KIND/NAME WORD...`; a name may hold further slashes. */
export const kindAndNames = (words: readonly string[]): { readonly kind: Kind; readonly names: readonly string[] } => {
  const [first = '', ...names] = words;
  if (first.includes(',')) throw oneAtATime(first.split(',')[0] ?? '');
  const slash = first.indexOf('/');
  if (slash < 0) return { kind: kindOf(first), names };
  return { kind: kindOf(first.slice(0, slash)), names: [first.slice(slash + 1), ...names] };
};

/** As kindAndNames, where all words are names: where the first one has its kind, so may the others. */
export const kindAndItsNames = (
  words: readonly string[],
): { readonly kind: Kind; readonly names: readonly string[] } => {
  const { kind, names } = kindAndNames(words);
  const [word = ''] = (words[0] ?? '').split('/');
  return { kind, names: word === words[0] ? names : names.map((name) => nameAfter(word, name)) };
};

const oneAtATime = (word: string): CommandFailure =>
  new CommandFailure('one kind at a time', { hint: `\`svc get ${word}\`, then the next one` });

/** Of `KIND/NAME` the name. */
const nameAfter = (word: string, name: string): string => {
  const start = `${word}/`;
  if (name.startsWith(start)) return name.slice(start.length);
  const other = name.split('/')[0] ?? '';
  if (other !== name && kinds.some(({ words }) => words.includes(other.toLowerCase()))) throw oneAtATime(word);
  return name;
};

/** As kindAndNames, of commands about exactly one resource. */
export const kindAndName = (words: readonly string[]): { readonly kind: Kind; readonly name: string } => {
  const { kind, names } = kindAndItsNames(words);
  const [name = '', ...others] = names;
  if (name === '')
    throw new CommandFailure(`which ${kind.name.toLowerCase()}?`, { hint: `\`svc get ${kind.plural}\` lists them` });
  if (others.length > 0) throw new CommandFailure(`${others.join(' ')} is too much: one ${kind.name} at a time`);
  return { kind, name };
};
