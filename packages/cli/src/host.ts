import type { Client, ClientFetch, ClientOptions } from '@svc/client';
import type { PlainClient } from '@svc/client/plain';

/** Where text goes; `isTerminal` decides about colours, widths and questions. */
export interface Output {
  write(text: string): void;
  /** Writes bytes unchanged; resolves when the buffer may be reused. */
  writeBytes(bytes: Uint8Array): Promise<void>;
  readonly isTerminal: boolean;
  /** Width in columns; a wide default when it is not a terminal. */
  readonly columns: number;
}

/** Where text comes from. */
interface Input {
  readonly isTerminal: boolean;
  /** Everything until the end; throws CommandFailure for what is not UTF-8. */
  readAll(): Promise<string>;
  /** As readAll, for input that may not be text. */
  readAllBytes(): Promise<Uint8Array>;
}

/** A conversation with the person at the terminal, line by line. */
export interface LineTerminal {
  /** Shows a prompt and waits; undefined at the end of input, `interrupt` when Ctrl-C was pressed. */
  ask(prompt: string): Promise<string | undefined | typeof interrupt>;
  /** Receives lines and Ctrl-C while nothing is asked; call the result to stop it. */
  listen(ears: { readonly onLine: (line: string) => void; readonly onInterrupt: () => void }): () => void;
  /** Writes to the screen by `write`, separate from what is being typed while nothing is asked. */
  print(text: string, write: (text: string) => void): void;
  close(): void;
}

/** The result of a question when the person presses Ctrl-C. */
export const interrupt: unique symbol = Symbol('interrupt');

interface FileFacts {
  readonly isDirectory: boolean;
  /** Permission bits, such as 0o600. */
  readonly mode: number;
  readonly sizeBytes: number;
}

/** The disk as commands need it; paths are absolute. */
export interface Files {
  /** Throws CommandFailure for what is not UTF-8. */
  readText(path: string): string | undefined;
  readBytes(path: string): Uint8Array | undefined;
  /** Creates directories as needed; replaces the file in one step, with this mode. */
  writeText(path: string, text: string, mode: number): void;
  /** As writeText, in chunks; a failure leaves no partial file. */
  writePieces(path: string, pieces: AsyncIterable<Uint8Array>, mode: number): Promise<void>;
  /** A file that can be read in chunks, more than once; undefined if there is none. */
  openBlob(path: string): Promise<Blob | undefined>;
  /** A new directory that only this user may enter. */
  makeTemporaryDirectory(): string;
  /** Removes a file, or a directory with its contents; fine when it does not exist. */
  remove(path: string): void;
  makeDirectory(path: string, mode: number): void;
  /** Names in a directory, in no order; none if it is not a directory. */
  list(path: string): readonly string[];
  facts(path: string): FileFacts | undefined;
  isWritable(path: string): boolean;
  freeBytes(path: string): number | undefined;
}

/** The part of the server package that the command line uses; loaded only by commands that need it. */
export type ServerModule = typeof import('@svc/server');

/** The rules of manifests, which are in the server package. */
export type ManifestModule = typeof import('@svc/server/manifest');

/** The connectors that come with svc; loaded only by commands that run one. */
export type ConnectorsModule = typeof import('@svc/connectors');

/** Everything outside of the program, so that a test can replace it. */
export interface Host {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
  readonly nodeVersion: string;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: Input;
  readonly files: Files;
  readonly fetch: typeof globalThis.fetch;
  /** For small answers: a server on this machine is reached without loading the implementation of `fetch`. */
  readonly ask: ClientFetch;
  /** Wall clock in milliseconds. */
  nowMs(): number;
  /** Ends early when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  openTerminal(): Promise<LineTerminal>;
  createClient(options: ClientOptions): Promise<Client>;
  createPlainClient(options: ClientOptions): Promise<PlainClient>;
  loadServer(): Promise<ServerModule>;
  loadManifests(): Promise<ManifestModule>;
  loadConnectors(): Promise<ConnectorsModule>;
  /** Calls `handler` at Ctrl-C instead of ending the program; call the result to undo it. */
  onInterrupt(handler: () => void): () => void;
  /** As onInterrupt, also when the terminal is closed or the process is asked to end. */
  onStop(handler: () => void): () => void;
  /** Runs an editor, a command line such as `code --wait`, on a file; returns its exit code, undefined when it cannot be started. */
  runEditor(command: string, path: string): Promise<number | undefined>;
  /** Prompts at the terminal without echo; undefined when the person cancels. */
  askHidden(prompt: string): Promise<string | undefined>;
  /** Opens an address in the person's browser; does nothing where there is none. */
  openBrowser(url: string): void;
  /** True when something accepts connections there. */
  isPortTaken(host: string, port: number): Promise<boolean>;
  randomBytes(count: number): Uint8Array;
}
