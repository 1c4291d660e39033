import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { type LocatedMap, overlay, type Report } from '../located.ts';
import { parseConfigText } from './yaml-text.ts';

/** Most files in a chain of `extends`. */
const EXTENDS_DEPTH = 8;

export interface FileSources {
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
