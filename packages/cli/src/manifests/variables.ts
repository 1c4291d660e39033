import { resolve } from 'node:path';
import type { Document, Node } from 'yaml';
import { CommandFailure } from '../failure.ts';
import type { Host, ManifestModule } from '../host.ts';

type VariableData = import('@svc/server/manifest').VariableData;
type Variables = import('@svc/server/manifest').Variables;

export interface VariableOptions {
  /** `name=value`; a value that is a single YAML value, or a map or list in brackets, is read as YAML, anything else as text. */
  readonly var?: readonly string[];
  /** `name=value`; the value stays text. */
  readonly varString?: readonly string[];
  readonly varsFile?: readonly string[];
}

/** Values of `vars.*`: files in their order, then `--var` and `--var-string`. */
export const readVariables = async (host: Host, options: VariableOptions): Promise<Variables> => {
  const reader = new VariableReader(await import('yaml'), await host.loadManifests());
  let values: Variables = {};
  for (const name of options.varsFile ?? []) {
    const text = host.files.readText(resolve(host.cwd, name));
    if (text === undefined) throw new CommandFailure(`there is no file ${name} (--vars-file)`);
    values = { ...values, ...mapOf(reader.read(name, text), name) };
  }
  for (const pair of options.var ?? [])
    values = withPair(values, pair, (text) => reader.readValue(`--var ${pair}`, text));
  for (const pair of options.varString ?? []) values = withPair(values, pair, (text) => text);
  return values;
};

const isMap = (value: VariableData | undefined): value is Variables =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

const mapOf = (value: VariableData, name: string): Variables => {
  if (isMap(value)) return value;
  throw new CommandFailure(`${name} holds no map of variables`);
};

/** Parses YAML; values that are not text remember how they were written. */
class VariableReader {
  readonly #yaml: typeof import('yaml');
  readonly #manifests: ManifestModule;

  constructor(yaml: typeof import('yaml'), manifests: ManifestModule) {
    this.#yaml = yaml;
    this.#manifests = manifests;
  }

  /** A whole YAML or JSON text; `source` names it in errors. */
  read(source: string, text: string): VariableData {
    const document = this.#parse(text);
    const [error] = document.errors;
    if (error === undefined) return this.#valueOf(document.contents, { document, source, depth: 0 });
    const [reason = ''] = error.message.split('\n');
    throw new CommandFailure(`${source} is not YAML: ${reason.replace(/:$/, '')}`, { cause: error });
  }

  /** A map or list must be in brackets and complete; any other text that is not a single YAML value is taken literally. */
  readValue(source: string, text: string): VariableData {
    if (/^\s*(?:\{(?!\{)|\[)/.test(text)) return this.read(source, text);
    const document = this.#parse(text);
    const { contents } = document;
    if (document.errors.length > 0 || !this.#yaml.isScalar(contents)) return text;
    const [start, end] = contents.range ?? [0, 0];
    const isWhole = text.slice(start, end) === text.trim();
    const isPlainText = contents.type === 'PLAIN' && typeof contents.value === 'string';
    return isWhole && !isPlainText ? this.#valueOf(contents, { document, source, depth: 0 }) : text;
  }

  #parse(text: string): Document {
    return this.#yaml.parseDocument(text, { intAsBigInt: true, logLevel: 'silent' });
  }

  #valueOf(node: Node | null | undefined, place: Place): VariableData {
    const { isAlias, isMap: isYamlMap, isSeq, isScalar } = this.#yaml;
    const { document, source, depth } = place;
    if (depth > DEPTH_MAX) throw new CommandFailure(`${source} is nested deeper than ${DEPTH_MAX}`);
    const inside = { document, source, depth: depth + 1 };
    if (isAlias(node)) return this.#valueOf(node.resolve(document), inside);
    if (isSeq(node)) return node.items.map((item) => this.#valueOf(item as Node, inside));
    if (isYamlMap(node))
      return Object.fromEntries(
        node.items.map(({ key, value }) => [String(key), this.#valueOf(value as Node | null, inside)]),
      );
    const value = isScalar(node) ? node.value : null;
    if (typeof value === 'string') return value;
    const written = isScalar(node) ? (node.source ?? '') : '';
    return new this.#manifests.WrittenValue(exact(value), written);
  }
}

interface Place {
  readonly document: Document;
  readonly source: string;
  readonly depth: number;
}

/** As deep as manifests may be; an alias inside of what it refers to never ends. */
const DEPTH_MAX = 100;

/** Integers that a number cannot hold exactly stay text, as in JSON. */
const exact = (value: unknown): number | boolean | string | null => {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  return typeof value === 'number' || typeof value === 'boolean' ? value : null;
};

const withPair = (values: Variables, pair: string, read: (text: string) => VariableData): Variables => {
  const end = pair.indexOf('=');
  if (end <= 0)
    throw new CommandFailure(`--var ${pair} is not name=value`, {
      hint: '--var team=red, or --var-string for text as it is',
    });
  return setAt(values, pair.slice(0, end).split('.'), read(pair.slice(end + 1)));
};

const setAt = (values: Variables, [name = '', ...rest]: readonly string[], value: VariableData): Variables => {
  if (rest.length === 0) return { ...values, [name]: value };
  const inner = values[name];
  return { ...values, [name]: setAt(isMap(inner) ? inner : {}, rest, value) };
};
