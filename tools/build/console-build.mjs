import { execFile } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { writePackedForms } from './packed-forms.mjs';

/**
 * The web console as static files: packages/console through Vite, and their packed forms. Called by the bundle of the checkout and by `npm run build`.
 *
 *   node tools/build/console-build.mjs CHECKOUT FOLDER INPUTS
 *
 * writes the console to FOLDER, and to INPUTS the state of each file that it was made from, as JSON.
 */

/** False for a checkout without the sources of a console. */
export function hasConsole(root) {
  return existsSync(join(root, 'packages', 'console', 'src', 'main.tsx'));
}

/** Size and time of change; undefined for a file that is gone. */
export function stateOf(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.size} ${found.mtimeMs}`;
}

/** Absolute paths of the sources of the console, also of those that nothing imports yet: a pattern of imports may take them. */
export function consoleSources(root) {
  const cwd = join(root, 'packages', 'console');
  const paths = globSync('{index.html,src/**/*.{ts,tsx,css,svg}}', { cwd });
  return paths.filter((path) => !/\.test\.tsx?$/.test(path)).map((path) => join(cwd, path));
}

/**
 * Builds in a process of its own: libraries ask NODE_ENV at build time, which tests set to something else. Answers the state of every
 * file that was read. Throws with what Vite says.
 *
 * @param {string} root absolute path of the checkout
 * @param {string} folder absolute path; emptied first
 * @returns {Promise<Map<string, string | undefined>>}
 */
export async function buildConsole(root, folder) {
  const notes = mkdtempSync(join(tmpdir(), 'svc-console-'));
  const inputs = join(notes, 'inputs.json');
  try {
    const env = { ...process.env, NODE_ENV: 'production' };
    await promisify(execFile)(process.execPath, [fileURLToPath(import.meta.url), root, folder, inputs], { env });
    return new Map(Object.entries(JSON.parse(readFileSync(inputs, 'utf8'))));
  } catch (cause) {
    throw new Error(`the console could not be built: ${cause.stderr ?? cause.message}`, { cause });
  } finally {
    rmSync(notes, { recursive: true });
  }
}

/** The state of each file is taken before it is read: a change during the build makes the next call build again. */
async function build(root, folder) {
  const { build: viteBuild } = await import('vite');
  const source = join(root, 'packages', 'console');
  const settings = ['package.json', 'tsconfig.json', 'vite.config.ts'].map((name) => join(source, name));
  const inputs = new Map([...settings, ...consoleSources(root)].map((path) => [path, stateOf(path)]));
  const note = (id) => {
    const path = id.replace(/\?.*$/, '');
    if (!inputs.has(path) && existsSync(path)) inputs.set(path, stateOf(path));
  };
  await viteBuild({
    root: source,
    configFile: join(source, 'vite.config.ts'),
    configLoader: 'native',
    mode: 'production',
    logLevel: 'error',
    publicDir: false,
    build: { outDir: folder, emptyOutDir: true },
    plugins: [{ name: 'note-inputs', enforce: 'pre', load: note }],
  });
  return inputs;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [root, folder, inputs] = process.argv.slice(2);
  const read = await build(root, folder);
  for (const name of globSync('assets/*', { cwd: folder })) writePackedForms(join(folder, name));
  writeFileSync(inputs, JSON.stringify(Object.fromEntries(read)));
}
