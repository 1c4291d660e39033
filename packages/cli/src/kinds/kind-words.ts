import { CommandFailure } from '../failure.ts';
import type { Kind } from './kind.ts';
import { kindOf } from './known-kinds.ts';

/** `KIND NAME...` and `KIND/NAME NAME...`; a name may hold further slashes. */
export const kindAndNames = (words: readonly string[]): { readonly kind: Kind; readonly names: readonly string[] } => {
  const [first = '', ...names] = words;
  const slash = first.indexOf('/');
  if (slash < 0) return { kind: kindOf(first), names };
  return { kind: kindOf(first.slice(0, slash)), names: [first.slice(slash + 1), ...names] };
};

/** As kindAndNames, of commands about exactly one resource. */
export const kindAndName = (words: readonly string[]): { readonly kind: Kind; readonly name: string } => {
  const { kind, names } = kindAndNames(words);
  const [name = '', ...others] = names;
  if (name === '')
    throw new CommandFailure(`which ${kind.name.toLowerCase()}?`, { hint: `\`svc get ${kind.plural}\` lists them` });
  if (others.length > 0) throw new CommandFailure(`${others.join(' ')} is too much: one ${kind.name} at a time`);
  return { kind, name };
};
