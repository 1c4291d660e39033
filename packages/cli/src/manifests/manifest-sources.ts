import { join, resolve } from 'node:path';
import { CommandFailure } from '../failure.ts';
import type { World } from '../world.ts';

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
export const readSources = async (world: World, names: readonly string[]): Promise<readonly ManifestSource[]> => {
  if (names.length === 0)
    throw new CommandFailure('which manifests?', { hint: 'name a file or directory with -f, - for standard input' });
  const sources: ManifestSource[] = [];
  for (const name of names) {
    if (name === '-') sources.push({ label: '-', text: await world.stdin.readAll(), directory: world.cwd });
    else sources.push(...sourcesAt(world, name));
  }
  return sources;
};

const sourcesAt = (world: World, name: string): readonly ManifestSource[] => {
  const path = resolve(world.cwd, name);
  const facts = world.files.facts(path);
  if (facts === undefined) throw new CommandFailure(`there is no ${name}`);
  return facts.isDirectory ? inDirectory(world, name, 0) : [readSource(world, name)];
};

const inDirectory = (world: World, name: string, depth: number): readonly ManifestSource[] => {
  if (depth > DEPTH_MAX) throw new CommandFailure(`${name} is nested deeper than ${DEPTH_MAX} directories`);
  const entries = [...world.files.list(resolve(world.cwd, name))].filter((entry) => !entry.startsWith('.')).sort();
  return entries.flatMap((entry) => {
    const path = join(name, entry);
    const isDirectory = world.files.facts(resolve(world.cwd, path))?.isDirectory === true;
    if (isDirectory) return inDirectory(world, path, depth + 1);
    return EXTENSIONS.test(entry) ? [readSource(world, path)] : [];
  });
};

const readSource = (world: World, name: string): ManifestSource => {
  const path = resolve(world.cwd, name);
  const text = world.files.readText(path);
  if (text === undefined) throw new CommandFailure(`${name} cannot be read`);
  return { label: name, text, directory: resolve(path, '..') };
};
