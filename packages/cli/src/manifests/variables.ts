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
  const library = await import('yaml');
  const parse = (source: string, text: string): unknown => {
    try {
      return library.parse(text, QUIET);
    } catch (error) {
      const [reason = ''] = error instanceof Error ? error.message.split('\n') : [];
      throw new CommandFailure(`${source} is no YAML: ${reason.replace(/:$/, '')}`, { cause: error });
    }
  };
  let values: Json = {};
  for (const name of options.varsFile ?? []) {
    const text = world.files.readText(resolve(world.cwd, name));
    if (text === undefined) throw new CommandFailure(`there is no file ${name} (--vars-file)`);
    values = { ...values, ...mapOf(parse(name, text), name) };
  }
  for (const pair of options.var ?? [])
    values = withPair(values, pair, (text) => readValue(text, (whole) => parse(`--var ${pair}`, whole)));
  for (const pair of options.varString ?? []) values = withPair(values, pair, (text) => text);
  return values;
};

const mapOf = (value: unknown, name: string): Json => {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  throw new CommandFailure(`${name} holds no map of variables`);
};

/** A map or list must be in brackets, and then be whole; any other text that is no single value of YAML is meant as it is. */
const readValue = (text: string, parse: (text: string) => unknown): unknown => {
  if (text === '') return text;
  if (/^\s*(?:\{(?!\{)|\[)/.test(text)) return parse(text);
  try {
    const value = parse(text);
    return typeof value === 'object' && value !== null ? text : value;
  } catch {
    return text;
  }
};

const withPair = (values: Json, pair: string, read: (text: string) => unknown): Json => {
  const end = pair.indexOf('=');
  if (end <= 0)
    throw new CommandFailure(`--var ${pair} is no name=value`, {
      hint: '--var team=red, or --var-string for text as it is',
    });
  return setAt(values, pair.slice(0, end).split('.'), read(pair.slice(end + 1)));
};

const setAt = (values: Json, [name = '', ...rest]: readonly string[], value: unknown): Json => {
  if (rest.length === 0) return { ...values, [name]: value };
  const inner = values[name];
  const map = typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? (inner as Json) : {};
  return { ...values, [name]: setAt(map, rest, value) };
};
