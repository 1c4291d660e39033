// System services that some tests need and npm cannot deliver. A test file declares its need in a comment line of its own,
// `// @service postgresql`; only what a test asks for is searched or installed.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join, sep } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/**
 * One row per service: the word tests use, the commands of which one must be found, folders to search in addition to PATH
 * (`*` is one folder of any name), and the Debian package that brings it. Where only some version will do: what the command has
 * to answer to `--version`. Where no package brings it: advice. `aptInstead` is the package for systems that do not know `aptPackage`.
 */
export const services = [
  {
    name: 'postgresql',
    commands: ['postgres'],
    folders: ['/usr/lib/postgresql/*/bin', '/opt/homebrew/opt/postgresql*/bin'],
    aptPackage: 'postgresql',
  },
  { name: 'nats', commands: ['nats-server'], folders: ['/usr/sbin'], aptPackage: 'nats-server' },
  {
    name: 'chromium',
    // The shell draws the same pages without the windows around them, which cost ten times as much (decision 0009).
    commands: ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'],
    folders: [],
    aptPackage: 'chromium-headless-shell',
    aptInstead: 'chromium',
  },
  { name: 'bubblewrap', commands: ['bwrap'], folders: [], aptPackage: 'bubblewrap' },
  { name: 'protoc', commands: ['protoc'], folders: [], aptPackage: 'protobuf-compiler' },
  { name: 'zsh', commands: ['zsh'], folders: [], aptPackage: 'zsh' },
  { name: 'fish', commands: ['fish'], folders: [], aptPackage: 'fish' },
  // The oldest Node.js that clients run on; each Debian has another one.
  {
    name: 'node20',
    commands: ['node'],
    folders: [],
    version: /^v20\./,
    advice: 'put the folder of a Node.js 20 on PATH, at its end',
  },
];

const declaration = /^\s*(?:\/\/|\*)\s*@service\s+([a-z0-9-]+)\s*$/gm;

/** Absolute paths of the test files of a checkout, whose sources declare what they need. */
export function listTests(root) {
  return ['packages', 'e2e', 'tools'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .filter((path) => path.endsWith('.test.ts') && !path.split(sep).includes('node_modules'))
      .map((path) => join(root, folder, path)),
  );
}

/** Names declared by the given sources, sorted, each once. Throws for a word that has no row in the table. */
export function declaredServices(sources) {
  const names = new Set(sources.flatMap((text) => [...text.matchAll(declaration)].map((match) => match[1])));
  for (const name of names) {
    if (!services.some((service) => service.name === name)) {
      throw new Error(`a test declares the service "${name}", which tools/bootstrap/services.mjs does not list`);
    }
  }
  return [...names].sort();
}

/** Absolute path of the first command found, or undefined. */
export function locate(service, searchPath = process.env.PATH ?? '') {
  const folders = [...searchPath.split(delimiter).filter(Boolean), ...service.folders.flatMap(expandFolder)];
  for (const folder of folders) {
    for (const command of service.commands) {
      const path = join(folder, command);
      if (existsSync(path) && isOfVersion(path, service.version)) return path;
    }
  }
  return undefined;
}

function isOfVersion(path, version) {
  if (version === undefined) return true;
  const { status, stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  return status === 0 && version.test(stdout);
}

function expandFolder(pattern) {
  const star = pattern.indexOf('*');
  if (star === -1) return [pattern];
  const parent = pattern.slice(0, pattern.lastIndexOf('/', star));
  const prefix = pattern.slice(parent.length + 1, star);
  const rest = pattern.slice(star + 1);
  if (!existsSync(parent)) return [];
  return readdirSync(parent)
    .filter((name) => name.startsWith(prefix))
    .sort()
    .reverse()
    .map((name) => `${parent}/${name}${rest}`);
}

/**
 * Finds every service the given test files declare, installing missing ones where that needs no one's consent (root, or
 * sudo without a password, on a machine that runs nothing but checks: CI=true). Returns {found: {name: path}, missing: [{name, advice}]}.
 */
export function provideServices(testFiles, { mayInstall = needsNoConsent() } = {}) {
  const wanted = declaredServices(testFiles.map((path) => readFileSync(path, 'utf8')));
  const rows = services.filter((service) => wanted.includes(service.name));
  const absent = rows.filter((service) => locate(service) === undefined);
  const packaged = absent.filter(({ aptPackage }) => aptPackage !== undefined);
  if (mayInstall && packaged.length > 0) aptInstall(packaged);
  const located = rows.map((service) => ({ service, path: locate(service) }));
  return {
    found: Object.fromEntries(
      located.filter((row) => row.path !== undefined).map((row) => [row.service.name, row.path]),
    ),
    missing: located
      .filter((row) => row.path === undefined)
      .map(({ service }) => ({
        name: service.name,
        advice: howToInstall(service),
      })),
  };
}

function needsNoConsent() {
  return process.env.CI === 'true';
}

/**
 * Installs the services that the tests of a checkout declare, in a process of its own; does nothing where `provideServices` would not install.
 * Resolves when that process has ended, however it ended: the checks look for the services again, and report what is still missing.
 *
 * @param {string} root absolute path of the checkout
 */
export async function installServices(root) {
  if (!needsNoConsent()) return;
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), root], { stdio: ['ignore', 2, 2] });
  await once(child, 'close');
}

/** What a person can do about a service that is missing. */
export function howToInstall(service) {
  const { advice, aptPackage, aptInstead } = service;
  if (advice !== undefined) return advice;
  return `apt-get install ${aptPackage}${aptInstead === undefined ? '' : ` (or ${aptInstead})`}`;
}

/** A failure shows in the apt output and again as the missing service, so its exit code is ignored. */
function aptInstall(absent) {
  asRoot('apt-get', ['update', '--quiet']);
  // With one name that it does not know, apt installs none of them.
  const packages = absent.map(({ aptPackage, aptInstead }) =>
    aptInstead === undefined || isKnownToApt(aptPackage) ? aptPackage : aptInstead,
  );
  asRoot('apt-get', ['install', '--yes', '--no-install-recommends', ...packages]);
}

function asRoot(command, parameters) {
  const options = { stdio: ['ignore', 2, 2], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
  if (process.getuid?.() === 0) spawnSync(command, parameters, options);
  else spawnSync('sudo', ['--non-interactive', command, ...parameters], options);
}

function isKnownToApt(name) {
  return spawnSync('apt-cache', ['show', name], { stdio: 'ignore' }).status === 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) provideServices(listTests(process.argv[2]));
