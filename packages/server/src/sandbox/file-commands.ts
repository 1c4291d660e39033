import { Fault } from '../base/index.ts';
import type {
  FileAccess,
  SandboxCommand,
  SandboxEntry,
  SandboxPlan,
  SandboxProvider,
  SandboxResult,
} from './contract.ts';

/**
 * Files of a sandbox through commands that run inside it: a link that its processes made leads nowhere else than for them. Needs a
 * POSIX shell, `cat` and GNU `find`.
 */

type Runs = Pick<SandboxProvider, 'exec'>;

const TIMEOUT_MS = 30_000;
/** Room for names next to what `find` says of them. */
const ENTRY_BYTES = 512;
const ENTRIES_MAX = 1_000;

const NO_FILE = 3;
const IS_FOLDER = 4;

const ENDS = { timeout: `took longer than ${TIMEOUT_MS / 1_000} s`, stopped: 'was stopped' } as const;

const READ = `[ -e "$1" ] || exit ${NO_FILE}; [ -d "$1" ] && exit ${IS_FOLDER}; exec head -c "$2" -- "$1"`;
// Written next to it and moved: a command that dies leaves the old content. Each write has a name of its own, since two may run at a time.
const WRITE = `case $1 in */) exit ${IS_FOLDER};; esac; [ -d "$1" ] && exit ${IS_FOLDER}; mkdir -p -- "\${1%/*}/" && part=$(mktemp -- "$1.XXXXXX") || exit 1; chmod 644 -- "$part" && cat > "$part" && mv -f -- "$part" "$1" || { rm -f -- "$part"; exit 1; }`;
const LIST = `[ -d "$1" ] || exit ${NO_FILE}; exec find "$1/" -mindepth 1 -maxdepth 1 -printf '%y %s %f\\0'`;

const shell = (script: string, ...values: readonly string[]): SandboxCommand => ({
  argv: ['/bin/sh', '-c', script, 'sh', ...values],
  cwd: '',
  env: {},
  timeoutMs: TIMEOUT_MS,
});

const absolute = (plan: SandboxPlan, path: string): string =>
  path.startsWith('/') ? path : `${plan.mountPath}/${path}`;

const failure = (path: string, { exitCode: code, endedBy, stderr }: SandboxResult): Fault => {
  if (code === NO_FILE) return new Fault('NOT_FOUND', 'SANDBOX_FILE_NOT_FOUND', `the sandbox has no ${path}`);
  if (code === IS_FOLDER) return new Fault('FAILED_PRECONDITION', 'SANDBOX_FILE', `${path} is a folder`);
  if (endedBy === 'timeout' || endedBy === 'stopped')
    return new Fault('FAILED_PRECONDITION', 'SANDBOX_FILE', `${path}: the command on the file ${ENDS[endedBy]}`);
  const why = Buffer.from(stderr).toString('utf8').trim().slice(0, ENTRY_BYTES);
  return new Fault('FAILED_PRECONDITION', 'SANDBOX_FILE', `${path}: ${why === '' ? `code ${code}` : why}`);
};

/** Content of a file; Fault FAILED_PRECONDITION TOO_LARGE above `limitBytes`. */
export const readThroughCommand = async (
  runs: Runs,
  plan: SandboxPlan,
  { path, access }: { readonly path: string; readonly access: FileAccess },
): Promise<Uint8Array> => {
  const limitBytes = access.limitBytes ?? plan.limits.outputBytes;
  const command = shell(READ, absolute(plan, path), String(limitBytes + 1));
  const result = await runs.exec(plan, { ...command, outputBytes: limitBytes + ENTRY_BYTES }, access.signal);
  if (result.exitCode !== 0) throw failure(path, result);
  if (result.stdout.length > limitBytes)
    throw new Fault('FAILED_PRECONDITION', 'TOO_LARGE', `${path} has more than ${limitBytes} bytes`);
  return result.stdout;
};

/** Makes or replaces a file. */
export const writeThroughCommand = async (
  runs: Runs,
  plan: SandboxPlan,
  { path, access }: { readonly path: string; readonly access: FileAccess & { readonly bytes: Uint8Array } },
): Promise<void> => {
  const command = { ...shell(WRITE, absolute(plan, path)), stdin: access.bytes };
  const result = await runs.exec(plan, command, access.signal);
  if (result.exitCode !== 0) throw failure(path, result);
};

const TYPES: Readonly<Record<string, SandboxEntry['type']>> = { f: 'file', d: 'directory', l: 'link' };

/** Entries of a folder by name. */
export const listThroughCommand = async (
  runs: Runs,
  plan: SandboxPlan,
  { path, access }: { readonly path: string; readonly access: FileAccess },
): Promise<readonly SandboxEntry[]> => {
  const limit = access.limitEntries ?? ENTRIES_MAX;
  const command = { ...shell(LIST, absolute(plan, path)), outputBytes: limit * ENTRY_BYTES };
  const result = await runs.exec(plan, command, access.signal);
  if (result.exitCode !== 0 && !result.isCut) throw failure(path, result);
  const lines = Buffer.from(result.stdout).toString('utf8').split('\0').slice(0, -1);
  const entries = lines.map((line): SandboxEntry => {
    const [type = '', size = '', ...name] = line.split(' ');
    return { name: name.join(' '), type: TYPES[type] ?? 'other', sizeBytes: Number(size) };
  });
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, limit);
};
