import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { buildConsole, consoleSources, hasConsole, stateOf } from './console-build.mjs';
import { placeWidget } from './widget-script.mjs';

/**
 * The `svc` command of the checkout in few files, libraries included, the web console and the chat widget: what `npm start` and the tests with real
 * processes run. A start loads about 980 modules from the sources and 6 from a bundle, which halves its processor time.
 *
 *   node tools/build/bundle.mjs
 *
 * prints the path of a program that is up to date with the sources. Each bundle has a folder of its own in dist/bundles, named by its
 * content: a server loads parts of its program when they are first needed, so the files of a running one must not change.
 */

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url));
/** Bundles of former sources are removed after this time, unless a process that was started with one is still running. */
const KEPT_MS = 24 * 3_600_000;
const USER = '.used-by-';

/**
 * Path of the program; builds it unless the last one was made from the same files. Throws what the bundler throws.
 *
 * @param {string} [root] absolute path of the checkout
 * @param {() => void} [onBuild] called before a build, which takes seconds
 * @returns {Promise<string>}
 */
export async function bundledProgram(root = CHECKOUT, onBuild = () => undefined) {
  const bundles = join(root, 'dist', 'bundles');
  const program = current(root, bundles);
  if (program !== undefined) return program;
  onBuild();
  return await build(root, bundles);
}

/**
 * Notes that a process runs the program, so that its files stay.
 *
 * @param {string} program as `bundledProgram` answers it
 * @param {number} pid
 */
export function noteUser(program, pid) {
  writeFileSync(join(dirname(program), `${USER}${pid}`), '');
}

/** The last bundle, if it is there and none of the files it was made from has changed. */
function current(root, bundles) {
  const record = readRecord(join(bundles, 'newest.json'));
  if (record === undefined) return undefined;
  const program = join(bundles, record.folder, 'svc.mjs');
  const isSame = areUnchanged(record.inputs) && isConsoleCurrent(root, record.console);
  return isSame && existsSync(program) ? program : undefined;
}

function areUnchanged(inputs) {
  return Object.entries(inputs).every(([path, state]) => stateOf(path) === state);
}

/** `inputs` are those of the console, undefined where there was none. New files may belong to it as well. */
function isConsoleCurrent(root, inputs) {
  if (inputs === undefined || !hasConsole(root)) return (inputs === undefined) === !hasConsole(root);
  return areUnchanged(inputs) && consoleSources(root).every((path) => path in inputs);
}

function readRecord(path) {
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}

async function build(root, bundles) {
  mkdirSync(bundles, { recursive: true });
  const server = join(root, 'packages', 'server', 'src');
  const migrations = globSync('store/migrations/{sqlite,postgres}/*.sql', { cwd: server }).sort();
  const sql = migrations.map((path) => join(server, path));
  const inputs = new Map(sql.map((path) => [path, stateOf(path)]));
  const unfinished = mkdtempSync(join(bundles, '.unfinished-'));
  const [chunks, console] = await Promise.all([
    bundle({ root, server, inputs }),
    placeConsole({ root, bundles, folder: join(unfinished, 'console') }),
    placeWidget(root, join(unfinished, 'widget'), (path) => inputs.set(path, stateOf(path))),
  ]);
  for (const { fileName, code, source } of chunks) writeFileSync(join(unfinished, fileName), code ?? source);
  for (const path of migrations) cpSync(join(server, path), join(unfinished, path.replace('store/migrations/', '')));
  const folder = nameOf(unfinished);
  putInPlace(unfinished, join(bundles, folder));
  const record = join(bundles, `.unfinished-${process.pid}.json`);
  writeFileSync(record, JSON.stringify({ folder, inputs: Object.fromEntries(inputs), console }));
  renameSync(record, join(bundles, 'newest.json'));
  removeOld(bundles, folder);
  return join(bundles, folder, 'svc.mjs');
}

/**
 * Puts the console into the folder: that of the last bundle, unless its sources changed. Answers the states of its inputs, undefined
 * where the checkout has no console.
 */
async function placeConsole({ root, bundles, folder }) {
  if (!hasConsole(root)) return undefined;
  const last = readRecord(join(bundles, 'newest.json'));
  const former = join(bundles, last?.folder ?? '', 'console');
  if (last?.console !== undefined && isConsoleCurrent(root, last.console) && existsSync(former)) {
    cpSync(former, folder, { recursive: true });
    return last.console;
  }
  return Object.fromEntries(await buildConsole(root, folder));
}

/**
 * The command and the modules of its threads, which are started by their file names. The state of each file is taken before it is
 * read: a change during the build makes the next call build again.
 */
async function bundle({ root, server, inputs }) {
  const { rolldown } = await import('rolldown');
  const threads = globSync('**/*-worker.ts', { cwd: server })
    .map((path) => join(server, path))
    .filter((path) => readFileSync(path, 'utf8').includes('parentPort'));
  const entries = [join(root, 'packages', 'cli', 'bin', 'svc.mjs'), ...threads];
  const made = await rolldown({
    input: Object.fromEntries(entries.map((path) => [basename(path).replace(/\.\w+$/, ''), path])),
    platform: 'node',
    logLevel: 'silent',
    // Compiled code is not bundled: the packages that bring some do without where it cannot be loaded. Nor are the clients of hosted
    // sandboxes, which are optional.
    external: [/\.node$/, 'e2b', '@daytonaio/sdk'],
    plugins: [{ name: 'note-inputs', load: (id) => void (existsSync(id) && inputs.set(id, stateOf(id))) }],
  });
  const names = { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' };
  const { output } = await made.generate({ format: 'esm', sourcemap: true, ...names });
  await made.close();
  return output.map((chunk) => (chunk.code === undefined ? chunk : { ...chunk, code: inAscii(chunk.code) }));
}

/**
 * V8 keeps a text in two bytes a character once a single one needs them, here 2.6 MB more for a few quotation marks. Strings, patterns
 * and comments mean the same with escapes, which is all that the sources use such characters in.
 */
function inAscii(code) {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** By content; the same content always has the same name. */
function nameOf(folder) {
  const hash = createHash('sha256');
  for (const name of globSync('**/*', { cwd: folder }).sort()) {
    const path = join(folder, name);
    if (statSync(path).isFile()) hash.update(`${name}\n`).update(readFileSync(path));
  }
  return hash.digest('hex').slice(0, 16);
}

/** The same may have been built before, or by another process at the same time: then its folder is as good. */
function putInPlace(unfinished, folder) {
  try {
    renameSync(unfinished, folder);
  } catch (cause) {
    if (!existsSync(folder)) throw cause;
    rmSync(unfinished, { recursive: true });
  }
}

function removeOld(bundles, kept) {
  for (const name of globSync('{*,.unfinished-*}', { cwd: bundles })) {
    const path = join(bundles, name);
    if (name === kept || name === 'newest.json') continue;
    const { mtimeMs } = statSync(path);
    if (Date.now() - mtimeMs > KEPT_MS && !isInUse(path)) rmSync(path, { recursive: true, force: true });
  }
}

function isInUse(folder) {
  return globSync(`${USER}*`, { cwd: folder }).some((name) => isRunning(Number(name.slice(USER.length))));
}

/** Signal 0 only asks; EPERM says that the process is another user's. */
function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (cause) {
    if (cause.code === 'ESRCH') return false;
    if (cause.code === 'EPERM') return true;
    throw cause;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const say = () => void process.stderr.write('svc: building the program (first start or changed sources) ...\n');
  const program = await bundledProgram(CHECKOUT, say);
  // The process that asks becomes the program, or waits for it to end.
  noteUser(program, process.ppid);
  process.stdout.write(`${program}\n`);
}
