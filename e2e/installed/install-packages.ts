import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { PackedPackage } from './build-packages.ts';

const lockFile = fileURLToPath(new URL('../../package-lock.json', import.meta.url));

interface LockEntry {
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>> | undefined;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly [fact: string]: unknown;
}

/**
 * Installs packed packages into `folder` with npm, as `npm install ./*.tgz` does, but with the versions of the checkout's lock file:
 * npm finds those in its cache and asks the registry only for what is missing there. Install scripts do not run.
 */
export const installPackages = async (folder: string, packed: readonly PackedPackage[]): Promise<void> => {
  const dependencies = Object.fromEntries(packed.map(({ name, file }) => [name, `file:${file}`]));
  const project = { name: 'first-hour', version: '1.0.0', private: true, dependencies };
  const packages = { '': project, ...lockedDependencies(packed), ...lockEntries(packed) };
  mkdirSync(folder, { recursive: true });
  writeJson(join(folder, 'package.json'), project);
  writeJson(join(folder, 'package-lock.json'), { ...project, lockfileVersion: 3, requires: true, packages });
  const quietly = ['--no-audit', '--no-fund', '--loglevel=error'];
  await promisify(execFile)('npm', ['ci', '--prefer-offline', '--ignore-scripts', '--omit=optional', ...quietly], {
    cwd: folder,
  });
};

/** Entries of the checkout's lock file for everything that the packages depend on, directly or not. */
const lockedDependencies = (packed: readonly PackedPackage[]): Readonly<Record<string, LockEntry>> => {
  const { packages } = JSON.parse(readFileSync(lockFile, 'utf8')) as { packages: Record<string, LockEntry> };
  const found: Record<string, LockEntry> = {};
  const add = (owner: string, entry: LockEntry): void => {
    const { dependencies, peerDependencies, optionalDependencies } = entry;
    for (const name of Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies })) {
      const path = foldersOf(owner)
        .map((folder) => `${folder}node_modules/${name}`)
        .find((candidate) => packages[candidate] !== undefined);
      const wanted = path === undefined ? undefined : packages[path];
      if (path === undefined || wanted === undefined || wanted.link === true || found[path] !== undefined) continue;
      found[path] = wanted;
      add(path, wanted);
    }
  };
  for (const { manifest } of packed) add('', { dependencies: manifest.dependencies });
  return found;
};

/** Folders in which Node.js looks for what a package depends on, innermost first. */
const foldersOf = (owner: string): readonly string[] => {
  if (owner === '') return [''];
  const parts = owner.split('/node_modules/');
  return [...parts.map((_, index) => `${parts.slice(0, parts.length - index).join('/node_modules/')}/`), ''];
};

const lockEntries = (packed: readonly PackedPackage[]): Readonly<Record<string, LockEntry>> =>
  Object.fromEntries(
    packed.map(({ name, file, manifest }) => {
      const integrity = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
      const { version, dependencies, bin, engines } = manifest;
      return [`node_modules/${name}`, { version, resolved: `file:${file}`, integrity, dependencies, bin, engines }];
    }),
  );

const writeJson = (path: string, value: object): void => writeFileSync(path, JSON.stringify(value));
