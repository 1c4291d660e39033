import { createRequire } from 'node:module';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type * as Yaml from 'yaml';
import type { Node, Pair } from 'yaml';
import { type Located, type LocatedEntry, type LocatedMap, type Origin, overlay, type Report } from '../located.ts';

/** Most files in a chain of `extends`. */
const EXTENDS_DEPTH = 8;

interface FileSources {
  /** `--config`. */
  readonly flag: string | undefined;
  readonly variable: (name: string) => string | undefined;
  /** Absolute working directory. */
  readonly cwd: string;
  /** Undefined when there is no such file. */
  readonly readFile: (path: string) => string | undefined;
  readonly report: Report;
}

export interface ConfigFile {
  readonly values: LocatedMap;
  /** Absolute path, or `SVC_CONFIG_INLINE`. */
  readonly path: string;
}

/** The first source found, merged into what it extends; undefined means defaults. */
export const readConfigFile = (sources: FileSources): ConfigFile | undefined => {
  const named = sources.flag ?? nonEmpty(sources.variable('SVC_CONFIG'));
  if (named !== undefined) return readNamed(resolve(sources.cwd, named), sources);
  const inline = nonEmpty(sources.variable('SVC_CONFIG_INLINE'));
  if (inline !== undefined) return readInline(inline, sources);
  const found = candidates(sources).find((path) => sources.readFile(path) !== undefined);
  return found === undefined ? undefined : readNamed(found, sources);
};

const nonEmpty = (text: string | undefined): string | undefined => (text === '' ? undefined : text);

const candidates = (sources: FileSources): string[] => {
  const here = ['svc.yaml', 'svc.yml', 'svc.json'].map((name) => join(sources.cwd, name));
  const home = sources.variable('HOME') ?? sources.variable('USERPROFILE');
  const user =
    nonEmpty(sources.variable('XDG_CONFIG_HOME')) ?? (home === undefined ? undefined : join(home, '.config'));
  return [...here, ...(user === undefined ? [] : [join(user, 'svc', 'svc.yaml')]), '/etc/svc/svc.yaml'];
};

const readInline = (text: string, sources: FileSources): ConfigFile | undefined => {
  const source = { text, name: 'SVC_CONFIG_INLINE', directory: sources.cwd };
  const values = parseConfigText(source, sources.report);
  return values === undefined ? undefined : { path: source.name, values: withBase(values, sources, 1) };
};

const readNamed = (path: string, sources: FileSources): ConfigFile | undefined => {
  const values = readAt(path, sources, 1);
  return values === undefined ? undefined : { path, values };
};

const readAt = (path: string, sources: FileSources, depth: number): LocatedMap | undefined => {
  const name = shownPath(path, sources.cwd);
  const text = sources.readFile(path);
  if (text === undefined) {
    sources.report({ severity: 'error', label: name, key: '', text: 'there is no such file' });
    return undefined;
  }
  const values = parseConfigText({ text, name, directory: dirname(path) }, sources.report);
  return values === undefined ? undefined : withBase(values, sources, depth);
};

/** Merges the file into the one that its `extends` names. */
const withBase = (values: LocatedMap, sources: FileSources, depth: number): LocatedMap => {
  const entry = values.entries.get('extends');
  if (entry === undefined) return values;
  const entries = new Map(values.entries);
  entries.delete('extends');
  const own: LocatedMap = { ...values, entries };
  const fail = (text: string): LocatedMap => {
    sources.report({ severity: 'error', label: entry.value.origin.label, key: 'extends', text });
    return own;
  };
  const target = entry.value.kind === 'scalar' ? entry.value.value : null;
  if (typeof target !== 'string' || target === '') return fail('must be the path of another file');
  if (depth > EXTENDS_DEPTH) return fail(`files extend each other more than ${EXTENDS_DEPTH} deep`);
  const base = readAt(resolve(entry.value.origin.directory, target), sources, depth + 1);
  return base === undefined ? own : overlay(base, own);
};

/** Short and still unambiguous: relative to the working directory when the file lies in it. */
const shownPath = (path: string, cwd: string): string => {
  const short = relative(cwd, path);
  if (short === '' || short.startsWith('..') || isAbsolute(short)) return path;
  return short;
};

const load = createRequire(import.meta.url);
/** Loaded with the first configuration file. */
const yamlLibrary = (): typeof Yaml => load('yaml');

/** Text of one configuration file and how it is named in faults. */
interface ConfigText {
  readonly text: string;
  /** As the operator would write it, such as `svc.yaml`. */
  readonly name: string;
  /** Absolute; where relative paths of this file start. */
  readonly directory: string;
}

/** Aliases resolved in one file; more is taken for an attack by expansion. */
const ALIAS_LIMIT = 10_000;

/** Parses YAML 1.2 (JSON included) into values with positions; undefined after reporting what makes it unreadable. */
const parseConfigText = (source: ConfigText, report: Report): LocatedMap | undefined => {
  const { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } = yamlLibrary();
  const lines = new LineCounter();
  const document = parseDocument(source.text, {
    lineCounter: lines,
    uniqueKeys: true,
    version: '1.2',
    prettyErrors: false,
  });
  const originAt = (offset: number): Origin => {
    const { line, col } = lines.linePos(offset);
    return { source: 'file', label: `${source.name}:${line}:${col}`, directory: source.directory };
  };
  const fail = (offset: number, text: string): void =>
    report({ severity: 'error', label: originAt(offset).label, key: '', text });
  for (const error of document.errors)
    fail(error.pos[0], error.code === 'MULTIPLE_DOCS' ? 'a configuration is one document' : error.message);
  if (document.errors.length > 0) return undefined;
  if (document.contents === null) return { kind: 'map', origin: originAt(0), entries: new Map() };
  let aliases = 0;
  /** An alias cannot be inside of what it stands for. */
  const around = new Set<unknown>();
  const read = (node: unknown): Located => {
    around.add(node);
    const located = readNode(node);
    around.delete(node);
    return located;
  };
  const readNode = (node: unknown): Located => {
    const origin = originAt(startOf(node));
    if (isAlias(node)) {
      aliases += 1;
      const target = node.resolve(document);
      if (aliases <= ALIAS_LIMIT && target !== undefined && !around.has(target)) return read(target);
      fail(startOf(node), `alias ${node.source} cannot be resolved`);
      return { kind: 'scalar', origin, value: null };
    }
    if (isMap(node)) return { kind: 'map', origin, entries: new Map(node.items.map((pair) => readPair(pair, origin))) };
    if (isSeq(node)) return { kind: 'list', origin, items: node.items.map(read) };
    return { kind: 'scalar', origin, value: isScalar(node) ? scalarValue(node.value) : null };
  };
  const readPair = (pair: Pair, outer: Origin): [string, LocatedEntry] => {
    const keyOrigin = isScalar(pair.key) ? originAt(startOf(pair.key)) : outer;
    const value: Located = pair.value === null ? { kind: 'scalar', origin: keyOrigin, value: null } : read(pair.value);
    return [isScalar(pair.key) ? String(pair.key.value) : String(pair.key), { keyOrigin, value }];
  };
  const root = read(document.contents);
  if (root.kind === 'map') return root;
  fail(0, 'a configuration must be a map of keys');
  return undefined;
};

const startOf = (node: unknown): number => (node as Partial<Node> | null)?.range?.[0] ?? 0;

const scalarValue = (value: unknown): string | number | boolean | null =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
