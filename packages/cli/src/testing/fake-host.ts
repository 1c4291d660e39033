import { createClient } from '@svc/client';
import { createPlainClient } from '@svc/client/plain';
import type { Files, Host, interrupt, LineTerminal, ServerModule } from '../host.ts';
import { runCommandLine } from '../program/index.ts';
import { type FakeHandlers, fakeFetch } from './fake-fetch.ts';

export const NOW_MS = Date.parse('2026-03-01T12:00:00Z');

interface FakeFile {
  readonly text: string;
  readonly mode: number;
  readonly isDirectory?: boolean;
}

export interface FakeOptions {
  readonly handlers?: FakeHandlers;
  readonly environment?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, FakeFile>>;
  /** Text that is piped in; absent means a terminal. */
  readonly piped?: string;
  readonly isTerminal?: boolean;
  readonly columns?: number;
  readonly server?: Partial<ServerModule>;
  readonly terminal?: LineTerminal;
  readonly takenPorts?: readonly number[];
  readonly freeBytes?: number;
  readonly nodeVersion?: string;
  readonly readOnly?: readonly string[];
  /** Bytes that are piped in, instead of `piped`. */
  readonly pipedBytes?: Uint8Array;
  /** What the person makes of a text in the editor; undefined when the editor cannot be started, a number its exit code. */
  readonly editor?: (text: string, command: string) => string | number | undefined;
  /** What is typed where nothing is shown; a list is one answer after the other. */
  readonly hidden?: string | readonly (string | undefined)[];
  /** Standard error is a terminal too. */
  readonly isErrorTerminal?: boolean;
}

interface FakeHost {
  readonly host: Host;
  readonly out: () => string;
  readonly err: () => string;
  readonly files: Map<string, FakeFile>;
  readonly calls: string[];
  readonly opened: string[];
  /** Presses Ctrl-C outside of a line terminal. */
  readonly interrupt: () => void;
  run(...words: string[]): Promise<number>;
}

/** A whole host in memory: files, terminal, server. Waits take no time. */
export const fakeHost = (options: FakeOptions = {}): FakeHost => {
  const out: string[] = [];
  const err: string[] = [];
  const calls: string[] = [];
  const opened: string[] = [];
  let hiddenAsked = 0;
  const handlers = new Set<() => void>();
  const files = new Map(Object.entries(options.files ?? {}));
  const { isTerminal = false, columns = 80 } = options;
  const fetch = fakeFetch(options.handlers ?? {}, calls);
  const hear = hearing(handlers);
  const clock = {
    nowMs: () => 0,
    after: (delayMs: number, fire: () => void) => {
      if (delayMs >= 40_000) return () => undefined;
      const timer = setImmediate(fire);
      return () => clearImmediate(timer);
    },
  };
  const host: Host = {
    environment: { HOME: '/home/me', ...options.environment },
    cwd: '/work',
    platform: 'linux',
    nodeVersion: options.nodeVersion ?? 'v26.1.0',
    stdout: outputTo(out, isTerminal, columns),
    stderr: outputTo(err, options.isErrorTerminal === true, columns),
    stdin: inputOf(options),
    files: fakeFiles(files, options),
    fetch,
    ask: fetch,
    nowMs: () => NOW_MS,
    sleep: () => new Promise((resolve) => setTimeout(resolve, 50)),
    openTerminal: () => Promise.resolve(options.terminal ?? new ScriptedTerminal([])),
    createClient: (given) => Promise.resolve(createClient({ ...given, fetch, clock, random: () => 0.5 })),
    createPlainClient: (given) => Promise.resolve(createPlainClient({ ...given, fetch, clock, random: () => 0.5 })),
    loadServer: () => Promise.resolve(options.server as ServerModule),
    loadManifests: () => import('@svc/server/manifest'),
    loadConnectors: () => import('@svc/connectors'),
    onInterrupt: hear,
    onStop: hear,
    runEditor: (command, path) => {
      const { text = '', mode = 0o600 } = files.get(path) ?? {};
      const written = options.editor?.(text, command);
      if (typeof written === 'string') files.set(path, { text: written, mode });
      return Promise.resolve(typeof written === 'string' ? 0 : written);
    },
    askHidden: (prompt) => {
      err.push(prompt);
      const { hidden } = options;
      const isList = typeof hidden === 'object';
      if (isList) hiddenAsked += 1;
      return Promise.resolve(isList ? hidden[hiddenAsked - 1] : hidden);
    },
    openBrowser: (url) => void opened.push(url),
    isPortTaken: (_host, port) => Promise.resolve(options.takenPorts?.includes(port) === true),
    randomBytes: (count) => new Uint8Array(count).fill(7),
  };
  return {
    host,
    out: () => out.join(''),
    err: () => err.join(''),
    files,
    calls,
    opened,
    interrupt: () => handlers.forEach((handler) => void handler()),
    run: (...words) => runCommandLine(words, host),
  };
};

const hearing =
  (handlers: Set<() => void>) =>
  (handler: () => void): (() => void) => {
    handlers.add(handler);
    return () => void handlers.delete(handler);
  };

/** A disk in memory. */
const fakeFiles = (files: Map<string, FakeFile>, options: FakeOptions): Files => ({
  readText: (path) => files.get(path)?.text,
  readBytes: (path) => (files.has(path) ? new TextEncoder().encode(files.get(path)?.text) : undefined),
  writeText: (path, text, mode) => void files.set(path, { text, mode }),
  writePieces: async (path, pieces, mode) => {
    const decoder = new TextDecoder();
    let text = '';
    for await (const piece of pieces) text += decoder.decode(piece, { stream: true });
    files.set(path, { text, mode });
  },
  openBlob: (path) => Promise.resolve(files.has(path) ? new Blob([files.get(path)?.text ?? '']) : undefined),
  makeTemporaryDirectory: () => '/tmp/svc-1',
  remove: (path) => {
    for (const name of [...files.keys()]) if (name === path || name.startsWith(`${path}/`)) files.delete(name);
  },
  makeDirectory: (path, mode) => void (files.has(path) || files.set(path, { text: '', mode, isDirectory: true })),
  list: (path) => namesBelow(files, path),
  facts: (path) => {
    const file = files.get(path);
    return file === undefined
      ? undefined
      : { isDirectory: file.isDirectory === true, mode: file.mode, sizeBytes: file.text.length };
  },
  isWritable: (path) => options.readOnly?.includes(path) !== true,
  freeBytes: () => options.freeBytes ?? 10 * 1024 ** 3,
});

const outputTo = (written: string[], isTerminal: boolean, columns: number): Host['stdout'] => ({
  write: (text) => void written.push(text),
  writeBytes: (bytes) => Promise.resolve(void written.push(new TextDecoder().decode(bytes))),
  isTerminal,
  columns,
});

const inputOf = ({ piped, pipedBytes }: FakeOptions): Host['stdin'] => ({
  isTerminal: piped === undefined && pipedBytes === undefined,
  readAll: () => Promise.resolve(piped ?? ''),
  readAllBytes: () => Promise.resolve(pipedBytes ?? new TextEncoder().encode(piped ?? '')),
});

/** Names directly below a directory. */
const namesBelow = (files: ReadonlyMap<string, FakeFile>, path: string): readonly string[] => {
  const below = [...files.keys()].filter((name) => name.startsWith(`${path}/`));
  return [...new Set(below.map((name) => name.slice(path.length + 1).split('/')[0] ?? ''))];
};

type Line = string | undefined | typeof interrupt;

/** A person who answers each question with the next line of a script, then ends the input. */
export class ScriptedTerminal implements LineTerminal {
  readonly #lines: Line[];
  readonly prompts: string[] = [];
  #ears: Parameters<LineTerminal['listen']>[0] | undefined;
  isClosed = false;

  constructor(lines: readonly Line[]) {
    this.#lines = [...lines];
  }

  ask(prompt: string): Promise<Line> {
    this.prompts.push(prompt);
    return Promise.resolve(this.#lines.shift());
  }

  listen(ears: Parameters<LineTerminal['listen']>[0]): () => void {
    this.#ears = ears;
    return () => {
      this.#ears = undefined;
    };
  }

  /** Types a line while an answer is being written. */
  type(line: string): void {
    this.#ears?.onLine(line);
  }

  print(text: string, write: (text: string) => void): void {
    write(text);
  }

  pressInterrupt(): void {
    this.#ears?.onInterrupt();
  }

  close(): void {
    this.isClosed = true;
  }
}
