import { join, resolve } from 'node:path';
import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';

/** One text with manifests. */
export interface ManifestSource {
  /** Its name in errors. */
  readonly label: string;
  readonly text: string;
  /** Directory that file names in it are relative to. */
  readonly directory: string;
}

const EXTENSIONS = /\.(?:ya?ml|json)$/;
const DEPTH_MAX = 32;

/** The texts that `-f` names: files, directories with everything below, `-` for what is piped in. */
export const readSources = async (host: Host, names: readonly string[]): Promise<readonly ManifestSource[]> => {
  if (names.length === 0)
    throw new CommandFailure('which manifests?', { hint: 'name a file or directory with -f, - for standard input' });
  const sources: ManifestSource[] = [];
  for (const name of names) {
    if (name === '-') sources.push({ label: '-', text: await host.stdin.readAll(), directory: host.cwd });
    else sources.push(...sourcesAt(host, name));
  }
  return sources;
};

const sourcesAt = (host: Host, name: string): readonly ManifestSource[] => {
  const path = resolve(host.cwd, name);
  const facts = host.files.facts(path);
  if (facts === undefined) throw new CommandFailure(`there is no ${name}`);
  return facts.isDirectory ? inDirectory(host, name, 0) : [readSource(host, name)];
};

const inDirectory = (host: Host, name: string, depth: number): readonly ManifestSource[] => {
  if (depth > DEPTH_MAX) throw new CommandFailure(`${name} is nested deeper than ${DEPTH_MAX} directories`);
  const entries = [...host.files.list(resolve(host.cwd, name))].filter((entry) => !entry.startsWith('.')).sort();
  return entries.flatMap((entry) => {
    const path = join(name, entry);
    const isDirectory = host.files.facts(resolve(host.cwd, path))?.isDirectory === true;
    if (isDirectory) return inDirectory(host, path, depth + 1);
    return EXTENSIONS.test(entry) ? [readSource(host, path)] : [];
  });
};

const readSource = (host: Host, name: string): ManifestSource => {
  const path = resolve(host.cwd, name);
  const text = host.files.readText(path);
  if (text === undefined) throw new CommandFailure(`${name} cannot be read`);
  return { label: name, text, directory: resolve(path, '..') };
};
