import process from 'node:process';
import type { Host, Output } from '../host.ts';
import { localFetch } from './local-fetch.ts';
import { realFiles, utf8Text } from './real-files.ts';

/** Width without a terminal: help texts stay readable, tables are not cut. */
const PLAIN_COLUMNS = 100;
const PROBE_MS = 1_000;

const output = (stream: NodeJS.WriteStream): Output => ({
  write: (text) => void stream.write(text),
  writeBytes: (bytes) => new Promise((resolve) => void stream.write(bytes, () => resolve())),
  isTerminal: stream.isTTY === true,
  get columns() {
    return stream.isTTY === true && stream.columns > 0 ? stream.columns : PLAIN_COLUMNS;
  },
});

/** Parts of Node.js that few commands use are loaded on first use. */
const builtin = process.getBuiltinModule;

/** This process, this terminal, this machine. */
export const realHost = (): Host => {
  // A reader that ends early, such as `head`, is not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  return {
    environment: process.env,
    cwd: process.cwd(),
    platform: process.platform,
    nodeVersion: process.version,
    stdout: output(process.stdout),
    stderr: output(process.stderr),
    stdin: { isTerminal: process.stdin.isTTY === true, readAll, readAllBytes },
    files: realFiles,
    fetch: (input, init) => globalThis.fetch(input, init),
    ask: localFetch,
    nowMs: () => Date.now(),
    sleep: (ms, signal) =>
      builtin('node:timers/promises')
        .setTimeout(ms, undefined, signal === undefined ? {} : { signal })
        .catch(() => undefined),
    openTerminal: async () => (await import('./real-terminal.ts')).openRealTerminal(),
    createClient: async (options) => (await import('@svc/client')).createClient({ fetch: localFetch, ...options }),
    createPlainClient: async (options) =>
      (await import('@svc/client/plain')).createPlainClient({ fetch: localFetch, ...options }),
    loadServer: () => import('@svc/server'),
    loadManifests: () => import('@svc/server/manifest'),
    loadConnectors: () => import('@svc/connectors'),
    onInterrupt: (handler) => onSignals(['SIGINT'], handler),
    onStop: (handler) => onSignals(['SIGINT', 'SIGTERM', 'SIGHUP'], handler),
    runEditor,
    askHidden: async (prompt) => (await import('./real-terminal.ts')).askHiddenAtTerminal(prompt),
    openBrowser,
    isPortTaken,
    randomBytes: (count) => new Uint8Array(builtin('node:crypto').randomBytes(count)),
  };
};

const onSignals = (signals: readonly NodeJS.Signals[], handler: () => void): (() => void) => {
  for (const signal of signals) process.on(signal, handler);
  return () => {
    for (const signal of signals) process.off(signal, handler);
  };
};

const readAllBytes = async (): Promise<Uint8Array> => {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  return new Uint8Array(Buffer.concat(chunks));
};

const readAll = async (): Promise<string> => utf8Text(await readAllBytes(), 'what was piped in').replace(/^\uFEFF/, '');

/** Run by a shell, because the command may contain flags; the path is a parameter and never read as shell text. */
const runEditor = (command: string, path: string): Promise<number | undefined> =>
  new Promise((resolve) => {
    const { spawn } = builtin('node:child_process');
    const child =
      process.platform === 'win32'
        ? spawn(`${command} "${path}"`, { stdio: 'inherit', shell: true })
        : spawn('/bin/sh', ['-c', `${command} "$1"`, 'svc-edit', path], { stdio: 'inherit' });
    child.once('error', () => resolve(undefined));
    // 127 is the exit code of a shell for an unknown command.
    child.once('exit', (code) => resolve(code === 127 ? undefined : (code ?? 1)));
  });

/** Only on a desktop; a missing opener is ignored. */
const openBrowser = (url: string): void => {
  const isDesktop = process.platform !== 'linux' || Boolean(process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY']);
  if (!isDesktop || process.env['CI'] !== undefined || process.env['SSH_CONNECTION'] !== undefined) return;
  const commands: Partial<Record<NodeJS.Platform, [string, string[]]>> = {
    darwin: ['open', [url]],
    win32: ['cmd', ['/c', 'start', '', url]],
  };
  const [command, args] = commands[process.platform] ?? ['xdg-open', [url]];
  const child = builtin('node:child_process').spawn(command, args, { detached: true, stdio: 'ignore' });
  child.on('error', () => undefined);
  child.unref();
};

const isPortTaken = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const address = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
    const socket = builtin('node:net').connect({ host: address, port, timeout: PROBE_MS });
    const finish = (isTaken: boolean): void => {
      socket.destroy();
      resolve(isTaken);
    };
    socket.once('connect', () => finish(true));
    socket.once('timeout', () => finish(false));
    socket.once('error', () => finish(false));
  });
