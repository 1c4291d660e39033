import { createHash } from 'node:crypto';
import type { SandboxCommand, SandboxPlan } from '../contract.ts';

/** Bytes of standard input in one line. */
const LINE_BYTES = 24_576;
const TAG_CHARS = 12;

/** A text as one word of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * Runs one command inside of a hosted sandbox. Services carry text, hold back parts of it and end one process at most, so this program makes of
 * that what a command needs. It reads lines: first the mark of the command, what of its output and of its errors is wanted in characters of
 * base64 (0 = all), whether it is `closed` or `open`, and a shell program in base64; then standard input in base64, and `.` at its
 * end. It writes lines: `o` with output in base64, `e` on standard error with errors, and last `x` with the exit code.
 *
 * A closed command gets namespaces of its own for users and processes where the kernel allows it: nothing of it survives its first process, and it
 * gains no privileges. Either way what carries the mark in its environment is ended with it.
 */
const LAUNCHER = `
umask 077
IFS=' ' read -r mark out err kind program || exit 125
work=$(mktemp -d) && mkfifo "$work/in" && printf %s "$program" | base64 -d >"$work/run" || exit 125
encode() {
  kept=0
  while piece=$(dd bs=24576 count=1 2>/dev/null | base64 -w 0) && [ -n "$piece" ]; do
    echo "$1 $piece"
    kept=$((kept + \${#piece}))
    if [ "$2" -gt 0 ] && [ "$kept" -ge "$2" ]; then cat >/dev/null; break; fi
  done
}
feed() {
  while IFS= read -r line && [ "$line" != . ]; do printf %s "$line" | base64 -d || return; done
}
reap() {
  tries=0
  while [ "$tries" -lt 100 ] && found=$(grep -lsF "SVC_RUN=$mark" /proc/[0-9]*/environ || :) && [ -n "$found" ]; do
    for one in $found; do one=\${one#/proc/}; kill -9 "\${one%/environ}" 2>/dev/null; done
    tries=$((tries + 1))
  done
}
perform() {
  env SVC_RUN="$mark" "$@" <"$work/in" 2>&4 4>&-
  code=$?
  reap
  echo "$code" >"$work/code"
}
set -- sh "$work/run"
if [ "$kind" = closed ]; then
  for proc in --mount-proc ''; do
    if unshare -U -c -p -f --kill-child $proc true </dev/null >/dev/null 2>&1; then
      set -- unshare -U -c -p -f --kill-child $proc sh -c 'sh "$1"; exit $?' sh "$work/run"
      break
    fi
  done
fi
exec 3<&0 5>&1 6>&2
feed <&3 >"$work/in" 2>/dev/null 3<&- 5>&- 6>&- &
feeder=$!
{ perform "$@" 3<&- 5>&- 6>&- | encode o "$out" >&5; } 4>&1 2>/dev/null | encode e "$err" >&6
kill "$feeder" 2>/dev/null
read -r code <"$work/code" || code=137
rm -rf "$work"
echo "x $code"
`;

/** The shell command line that runs the launcher. */
export const LAUNCH = `sh -c ${quoted(LAUNCHER)}`;

/** A command and what of it the launcher has to know. */
export interface LaunchedCommand {
  readonly plan: SandboxPlan;
  readonly command: SandboxCommand;
  /** Names the command among all of its sandbox. */
  readonly mark: string;
  /** Bytes that are kept of its output and of its errors; 0 = all. */
  readonly outputBytes: number;
  readonly errorBytes: number;
}

const base64 = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64');

/** Characters of base64 that have more than the bytes, so that what is dropped is noticed; 0 = all. */
const wanted = (bytes: number): number => (bytes === 0 ? 0 : Math.ceil((bytes + 3) / 3) * 4);

/** The program that becomes the command in its folder; programs that the setup installed are found first. */
const programOf = ({ plan, command }: LaunchedCommand): string => {
  const { mountPath } = plan;
  const env = {
    HOME: mountPath,
    LANG: 'C.UTF-8',
    TMPDIR: '/tmp',
    NODE_PATH: `${mountPath}/.local/lib/node_modules`,
    ...plan.env,
    ...command.env,
  };
  const cwd = command.cwd === '' ? mountPath : command.cwd;
  const words = [
    ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
    'sh',
    '-c',
    'exec "$@"',
    'sh',
    ...command.argv,
  ];
  return [
    'umask 022',
    `cd -- ${quoted(cwd)} || exit 125`,
    `PATH=${quoted(`${mountPath}/.local/bin`)}:"$PATH"; export PATH`,
    `exec env ${words.map(quoted).join(' ')}`,
    '',
  ].join('\n');
};

/** The first line that the launcher reads. */
export const launchLine = (launched: LaunchedCommand): string => {
  const { command, mark, outputBytes, errorBytes } = launched;
  // What the setup does may need the rights of the machine's own user, such as that of sudo.
  const kind = command.setup === undefined ? 'closed' : 'open';
  return `${[mark, wanted(outputBytes), wanted(errorBytes), kind, base64(programOf(launched))].join(' ')}\n`;
};

/** Lines of standard input. */
export const inputLines = (bytes: Uint8Array): string => {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += LINE_BYTES) lines.push(`${base64(bytes.subarray(at, at + LINE_BYTES))}\n`);
  return lines.join('');
};

export const END_OF_INPUT = '.\n';

/** What a line of the launcher says. */
export type LaunchEvent =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'other' };

/** Takes apart a line of standard output (`o`) or standard error (`e`); what others wrote between is `other`. */
export const launchEvent = (line: string, name: 'o' | 'e'): LaunchEvent => {
  if (line.startsWith(`${name} `)) return { kind: 'bytes', bytes: Buffer.from(line.slice(2), 'base64') };
  const code = name === 'o' ? /^x (\d{1,3})$/.exec(line) : null;
  return code === null ? { kind: 'other' } : { kind: 'exit', code: Number(code[1]) };
};

/** What is the same for all marks of a sandbox of an instance, then for those of one process of svc. */
export interface MarkScope {
  readonly instance: string;
  readonly id: string;
  readonly holder: string;
}

/** Begins the mark of every command that a process of svc runs in a sandbox; no mark is a part of another one. */
export const markPrefix = ({ instance, id, holder }: MarkScope): string => `${instance}.${id}.${holder}.`;

/** Ends what carries a mark. */
export const endingScript = (mark: string): string => `
tries=0
while [ "$tries" -lt 100 ] && found=$(grep -lsF ${quoted(`SVC_RUN=${mark}`)} /proc/[0-9]*/environ || :) && [ -n "$found" ]; do
  for one in $found; do one=\${one#/proc/}; kill -9 "\${one%/environ}" 2>/dev/null; done
  tries=$((tries + 1))
done
`;

/** Ends the commands of a sandbox that processes other than `scope.holder` began. */
export const takeoverScript = (scope: MarkScope): string => `
for one in $(grep -lsF ${quoted(`SVC_RUN=${scope.instance}.${scope.id}.`)} /proc/[0-9]*/environ); do
  grep -qsF ${quoted(`SVC_RUN=${markPrefix(scope)}`)} "$one" && continue
  one=\${one#/proc/}; kill -9 "\${one%/environ}" 2>/dev/null
done
`;

/** Makes folders that the user of the sandbox may write, `argv` after the script; says which it cannot make. */
export const FOLDERS_SCRIPT = `
for path; do
  mkdir -p -- "$path" 2>/dev/null
  [ -w "$path" ] || sudo -n sh -c 'mkdir -p -- "$1" && chown "$2" -- "$1"' sh "$path" "$(id -u):$(id -g)" 2>/dev/null
  [ -w "$path" ] || { echo "$path"; exit 1; }
done
`;

/** Begins the names of what an instance of svc makes at a service. */
export const namePrefix = (instance: string): string =>
  `svc-${createHash('sha256').update(instance).digest('hex').slice(0, TAG_CHARS)}-`;
