import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';
import type { Node, Pair } from 'yaml';
import type { Located, LocatedEntry, LocatedMap, Origin, Report } from '../located.ts';

const load = createRequire(import.meta.url);
/** Loaded with the first configuration file. */
const yamlLibrary = (): typeof Yaml => load('yaml');

/** Text of one configuration file and how it is named in faults. */
export interface ConfigText {
  readonly text: string;
  /** As the operator would write it, such as `svc.yaml`. */
  readonly name: string;
  /** Absolute; where relative paths of this file start. */
  readonly directory: string;
}

/** Aliases resolved in one file; more is taken for an attack by expansion. */
const ALIAS_LIMIT = 10_000;

/** Parses YAML 1.2 (JSON included) into values with positions; undefined after reporting what makes it unreadable. */
export const parseConfigText = (source: ConfigText, report: Report): LocatedMap | undefined => {
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
