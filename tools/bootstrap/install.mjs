// What `npm start` and `npm test` need before anything else: installed packages and the pinned Node.js.
// Plain JavaScript on purpose: it runs on the Node.js the machine happens to have (20 or newer), before any install.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { runShown } from './progress.mjs';

/** Absolute path of the checkout. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

const isWindows = process.platform === 'win32';

/**
 * Makes the checkout runnable and returns the path of the Node.js to run it with; `withDevelopment` also installs what only checks
 * need, three times as many packages. Does nothing but read two lock files when all is in place. Throws with advice when it cannot.
 */
export async function ensureInstalled({ withDevelopment = false } = {}) {
  if (!packagesAreCurrent(root, { withDevelopment })) {
    const label = 'svc: installing npm packages (first start or a new package-lock.json)';
    // Development packages that are there already stay.
    const omitted = withDevelopment || hasDevelopmentPackages(root) ? [] : ['--omit=dev'];
    await npm(['ci', ...omitted, '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'], label);
  }
  return await ensureNode();
}

/**
 * Compares what npm recorded in node_modules with package-lock.json by content, so that neither a checkout nor a copy
 * that changes file times triggers a needless install. An interrupted install leaves no record and counts as absent.
 * Without `withDevelopment`, packages that only checks need may be absent or of another version.
 */
export function packagesAreCurrent(directory = root, { withDevelopment = true } = {}) {
  const installed = readLock(join(directory, 'node_modules', '.package-lock.json'));
  if (installed === undefined) return false;
  const wanted = readLock(join(directory, 'package-lock.json'));
  if (wanted === undefined) throw new Error('package-lock.json is missing or unreadable: restore it from git');
  for (const [path, entry] of Object.entries(wanted)) {
    if (!path.startsWith('node_modules/') || (entry.dev && !withDevelopment)) continue;
    const present = installed[path];
    // What development packages require and others only take where it is there counts as optional for the others.
    if (present === undefined && (entry.optional || (entry.devOptional && !withDevelopment))) continue;
    if (present?.version !== entry.version || present?.resolved !== entry.resolved) return false;
  }
  return true;
}

/** True where the last install took packages that only checks need. */
export function hasDevelopmentPackages(directory) {
  const installed = readLock(join(directory, 'node_modules', '.package-lock.json')) ?? {};
  return Object.values(installed).some((entry) => entry.dev);
}

function readLock(path) {
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages;
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}

/**
 * The `node` package fetches its binary in an install script, which newer npm versions block unless approved; in that
 * case its step is run here. A machine whose own Node.js has the wanted major version may do without the package.
 */
async function ensureNode() {
  const wanted = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).dependencies.node;
  const major = wanted.split('.')[0];
  const pinned = () => findPinned(wanted);
  let found = pinned();
  if (found === undefined && existsSync(join(root, 'node_modules', 'node'))) {
    await runShown(process.execPath, ['installArchSpecificPackage.js'], {
      label: `svc: fetching Node.js ${wanted}`,
      options: { cwd: join(root, 'node_modules', 'node') },
    });
    found = pinned();
  }
  if (found !== undefined) return found;
  if (process.versions.node.split('.')[0] === major) return process.execPath;
  throw new Error(`Node.js ${major} is needed and could not be installed from npm; install it and run again`);
}

/** Looks where npm links the binary and where the platform's own package keeps it; the file must answer `--version`. */
function findPinned(wanted) {
  const { platform, arch } = process;
  const system = platform === 'win32' ? 'win' : platform;
  const file = isWindows ? 'node.exe' : 'node';
  const names = [`node-${system}-${arch}`, `node-bin-${system}-${arch}`];
  const packages = [join(root, 'node_modules'), join(root, 'node_modules', 'node', 'node_modules')];
  const candidates = [
    join(root, 'node_modules', 'node', 'bin', file),
    ...packages.flatMap((base) => names.map((name) => join(base, name, 'bin', file))),
  ];
  return candidates.find((path) => existsSync(path) && versionOf(path) === `v${wanted}`);
}

function versionOf(path) {
  const { status, stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

/** Runs npm with its output on stderr, so that the standard output of the real command stays clean. */
async function npm(parameters, label) {
  const script = process.env.npm_execpath;
  const isNpm = script !== undefined && basename(script) === 'npm-cli.js';
  const command = isNpm ? process.execPath : 'npm';
  const all = isNpm ? [script, ...parameters] : parameters;
  const options = { cwd: root, shell: isWindows && !isNpm };
  const status = await runShown(command, all, { label, options }).catch((cause) => {
    throw new Error(`npm could not be started: ${cause.message}`, { cause });
  });
  if (status !== 0) throw new Error(`npm ${parameters[0]} failed: see its messages above`);
}

function say(text) {
  process.stderr.write(`svc: ${text}\n`);
}

/** Runs a bootstrap step and turns its failure into one line and exit code 1: a stack trace helps no one here. */
export async function runBootstrap(step) {
  try {
    await step();
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}
