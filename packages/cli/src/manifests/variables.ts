import { resolve } from 'node:path';
import { CommandFailure } from '../failure.ts';
import type { World } from '../world.ts';

export interface VariableOptions {
  /** `name=value`; the value is read as YAML where that is a single value, or a map or list in brackets, else it is text. */
  readonly var?: readonly string[];
  /** `name=value`; the value stays text. */
  readonly varString?: readonly string[];
  readonly varsFile?: readonly string[];
}

/** What the parser would warn of on standard error is no news here. */
const QUIET = { logLevel: 'error' } as const;

type Json = Readonly<Record<string, unknown>>;

/** Values of `vars.*`: files in their order, then `--var` and `--var-string` (PL-1.3). */
export const readVariables = async (world: World, options: VariableOptions): Promise<Json> => {
  const { parse } = await import('yaml');
  const parsed = (text: string, name: string): unknown => {
    try {
      return parse(text, QUIET);
    } catch (cause) {
      throw new CommandFailure(`${name}: ${(cause as Error).message}`, { cause });
    }
  };
  let values: Json = {};
  for (const name of options.varsFile ?? []) {
    const text = world.files.readText(resolve(world.cwd, name));
    if (text === undefined) throw new CommandFailure(`there is no ${name}`);
    values = { ...values, ...mapOf(parsed(text, name), name) };
  }
  for (const pair of options.var ?? [])
    values = withPair(values, pair, (text) => readValue(text, (whole) => parse(whole, QUIET)));
  for (const pair of options.varString ?? []) values = withPair(values, pair, (text) => text);
  return values;
};

const mapOf = (value: unknown, name: string): Json => {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  throw new CommandFailure(`${name} holds no map of variables`);
};

const readValue = (text: string, parse: (text: string) => unknown): unknown => {
  if (text === '') return text;
  try {
    const value = parse(text);
    const isStructure = typeof value === 'object' && value !== null;
    return isStructure && !/^\s*(?:\{(?!\{)|\[)/.test(text) ? text : value;
  } catch {
    return text;
  }
};

const withPair = (values: Json, pair: string, read: (text: string) => unknown): Json => {
  const end = pair.indexOf('=');
  if (end <= 0) throw new CommandFailure(`--var ${pair} is no name=value`);
  return setAt(values, pair.slice(0, end).split('.'), read(pair.slice(end + 1)));
};

const setAt = (values: Json, [name = '', ...rest]: readonly string[], value: unknown): Json => {
  if (rest.length === 0) return { ...values, [name]: value };
  const inner = values[name];
  const map = typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? (inner as Json) : {};
  return { ...values, [name]: setAt(map, rest, value) };
};
