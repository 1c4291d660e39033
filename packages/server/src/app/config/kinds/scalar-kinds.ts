import { resolve } from 'node:path';
import type { Located } from '../located.ts';
import { describe, type Kind, MASK, type ParseContext, refuse, scalarFromText } from './kind.ts';
import { isUnitInName, numberUnitMs, parseDurationMs, parseSizeBytes, printDuration, printSize } from './units.ts';

/** Inclusive bounds in the unit of the parsed value: a count, milliseconds or bytes. */
export interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

const textOf = (located: Located): string | undefined =>
  located.kind === 'scalar' && typeof located.value === 'string' ? located.value : undefined;

/** Digits of a scalar: numbers, and texts from flags, variables and `${NAME}`. */
const amountText = (located: Located): string | undefined => {
  if (located.kind !== 'scalar') return undefined;
  return typeof located.value === 'number' ? String(located.value) : textOf(located);
};

const rangeText = (bounds: Bounds, print: (value: number) => string): string => {
  if (bounds.min !== undefined && bounds.max !== undefined) return ` from ${print(bounds.min)} to ${print(bounds.max)}`;
  if (bounds.min !== undefined) return ` of at least ${print(bounds.min)}`;
  return bounds.max === undefined ? '' : ` of at most ${print(bounds.max)}`;
};

const isWithin = (value: number, bounds: Bounds): boolean =>
  value >= (bounds.min ?? 0) && value <= (bounds.max ?? Number.MAX_SAFE_INTEGER);

interface AmountKind extends Bounds {
  readonly label: string;
  readonly noun: string;
  readonly read: (text: string, key: string) => number | undefined;
  readonly print: (value: number) => string;
  readonly show: (value: number, key: string) => unknown;
}

const amount = (options: AmountKind): Kind<number> => ({
  label: `${options.label}${rangeText(options, options.print)}`,
  parse: (located, context) => {
    const text = amountText(located);
    const value = text === undefined ? undefined : options.read(text, context.key);
    if (value !== undefined && isWithin(value, options)) return value;
    const wanted = `${options.noun}${rangeText(options, options.print)}`;
    return refuse(located, context, `must be ${wanted}, not ${describe(located)}`);
  },
  show: options.show,
  fromText: scalarFromText,
});

/** A whole number; the minimum is 0 unless `min` is given. */
export const integer = (bounds: Bounds = {}): Kind<number> =>
  amount({
    ...bounds,
    label: 'integer',
    noun: 'an integer',
    read: (text) => (/^\d+$/.test(text.trim()) ? Number(text) : undefined),
    print: String,
    show: (value) => value,
  });

/** A number with or without a fraction. */
export const decimal = (bounds: Bounds = {}): Kind<number> =>
  amount({
    ...bounds,
    label: 'number',
    noun: 'a number',
    read: (text) => (/^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined),
    print: String,
    show: (value) => value,
  });

/** A span of time, parsed to milliseconds; a plain number counts the unit in the key's name, else seconds. */
export const duration = (bounds: Bounds = {}): Kind<number> =>
  amount({
    ...bounds,
    label: 'duration',
    noun: 'a duration such as 10s or 5m',
    read: (text, key) => parseDurationMs(text, numberUnitMs(key)),
    print: printDuration,
    show: (value, key) => {
      const plain = value / numberUnitMs(key);
      return isUnitInName(key) && Number.isInteger(plain) ? plain : printDuration(value);
    },
  });

/** A number of bytes, written as `4MiB` or plainly. */
export const size = (bounds: Bounds = {}): Kind<number> =>
  amount({
    ...bounds,
    label: 'size',
    noun: 'a size such as 4MiB',
    read: parseSizeBytes,
    print: printSize,
    show: printSize,
  });

export const boolean: Kind<boolean> = {
  label: 'boolean',
  parse: (located, context) => {
    if (located.kind === 'scalar' && typeof located.value === 'boolean') return located.value;
    const text = textOf(located)?.trim().toLowerCase();
    if (text === 'true') return true;
    return text === 'false' ? false : refuse(located, context, `must be true or false, not ${describe(located)}`);
  },
  show: (value) => value,
  fromText: scalarFromText,
};

/** A check of a text: undefined when it is fine, else what it should be. */
export type TextRule = (text: string) => string | undefined;

/** Text that is not blank; `rule` adds a further check. */
export const text = (label = 'text', rule: TextRule = () => undefined): Kind<string> => ({
  label,
  parse: (located, context) => readText(located, context, rule),
  show: (value) => value,
  fromText: scalarFromText,
});

const readText = (located: Located, context: ParseContext, rule: TextRule): string | undefined => {
  const value = textOf(located)?.trim();
  if (value === undefined || value === '') return refuse(located, context, `must be a text, not ${describe(located)}`);
  const wanted = rule(value);
  return wanted === undefined ? value : refuse(located, context, `must be ${wanted}, not ${describe(located)}`);
};

/** An address with one of the schemes, such as `https`. */
export const url = (...schemes: readonly string[]): Kind<string> => ({
  ...text(`${schemes.map((scheme) => `${scheme}://`).join(' or ')} URL`, (value) => {
    const parsed = URL.parse(value);
    const isFine = parsed !== null && parsed.hostname !== '' && schemes.includes(parsed.protocol.slice(0, -1));
    return isFine ? undefined : `an absolute ${schemes.join(' or ')} URL`;
  }),
  show: withoutPassword,
});

const databaseRule: TextRule = (given) => {
  if (/^sqlite:.+$/.test(given)) return undefined;
  if (!/^postgres(ql)?:\/\/.+$/.test(given)) return 'sqlite:<path> or postgres://host/database';
  // A Unix socket on this machine has no host name: postgres://user@/database?host=/run/postgresql.
  const isAddress = URL.canParse(given.replace('@/', '@host/'));
  return isAddress ? undefined : 'a whole URL whose user and password are percent-encoded (%2F for /)';
};

/** The database: a PostgreSQL URL unchanged, or `sqlite:<path>` with an absolute path. */
export const storeUrl: Kind<string> = {
  ...text('`sqlite:<path>` or postgres:// URL'),
  parse: (located, context) => {
    const value = readText(located, context, databaseRule);
    if (value?.startsWith('sqlite:') !== true) return value;
    return `sqlite:${resolve(located.origin.directory, value.slice('sqlite:'.length))}`;
  },
  show: withoutPassword,
};

/** A URL for display, with its password masked. */
function withoutPassword(value: string): string {
  return value.replace(/^([a-z][a-z0-9+.-]*:\/\/[^:@/?#]*):[^@/?#]*@/i, `$1:${MASK}@`);
}

/** A path, made absolute from the directory of the file (or the working directory) in which it was written. */
export const path: Kind<string> = {
  label: 'path',
  parse: (located, context) => {
    const value = readText(located, context, () => undefined);
    return value === undefined ? undefined : resolve(located.origin.directory, value);
  },
  show: (value) => value,
  fromText: scalarFromText,
};

/** One of a closed set of words. */
export const choice = <const T extends string>(...words: readonly T[]): Kind<T> => ({
  label: `one of ${words.join(', ')}`,
  parse: (located, context) => {
    const value = amountText(located)?.trim();
    const found = words.find((word) => word === value);
    return found ?? refuse(located, context, `must be one of ${words.join(', ')}, not ${describe(located)}`);
  },
  show: (value) => value,
  fromText: scalarFromText,
});
