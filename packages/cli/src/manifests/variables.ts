import { resolve } from 'node:path';
import { CommandFailure } from '../failure.ts';
import type { World } from '../world.ts';

export interface VariableOptions {
  /** `name=value`; the value is read as YAML. */
  readonly var?: readonly string[];
  /** `name=value`; the value stays text. */
  readonly varString?: readonly string[];
  readonly varsFile?: readonly string[];
}

type Json = Readonly<Record<string, unknown>>;

/** Values of `vars.*`: files in their order, then `--var` and `--var-string` (PL-1.3). */
export const readVariables = async (world: World, options: VariableOptions): Promise<Json> => {
  const { parse: parseYaml } = await import('yaml');
  const parse = (source: string, text: string): unknown => {
    try {
      return parseYaml(text) as unknown;
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
  for (const pair of options.var ?? []) values = withPair(values, pair, (text) => parse(`--var ${pair}`, text));
  for (const pair of options.varString ?? []) values = withPair(values, pair, (text) => text);
  return values;
};

const mapOf = (value: unknown, name: string): Json => {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  throw new CommandFailure(`${name} holds no map of variables`);
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
