/** Values of a log line: no secrets, no prompts, no contents at info. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** A line of the log, for those who read it while it grows. */
export interface LogEntry {
  /** Unix milliseconds. */
  readonly atMs: number;
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  /** Values of JSON by name. */
  readonly fields: object;
}

/** Where lines can be heard. The first who listens also gets those of before, as far as they are kept. Answers how to stop. */
export interface WrittenLines {
  subscribe(receive: (line: LogEntry) => void): () => void;
}

/** Lines of the start that are kept until someone listens. */
const EARLY_LINES = 1_000;

/** Hands each line to all who listen. */
export class LineBroadcast implements WrittenLines {
  readonly #receivers = new Set<(line: LogEntry) => void>();
  /** Undefined once someone has listened. */
  #early: LogEntry[] | undefined = [];

  subscribe(receive: (line: LogEntry) => void): () => void {
    const early = this.#early ?? [];
    this.#early = undefined;
    this.#receivers.add(receive);
    for (const line of early) receive(line);
    return () => this.#receivers.delete(receive);
  }

  send(line: LogEntry): void {
    if (this.#early !== undefined && this.#early.length < EARLY_LINES) this.#early.push(line);
    for (const receive of this.#receivers) receive(line);
  }
}

/** Structured log: a constant message plus fields. app/telemetry writes the lines; tests record or drop them. */
export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  /** `error` keeps its stack for the log only; it is never shown to a caller. */
  error(message: string, fields?: LogFields & { readonly error?: never }, error?: unknown): void;
}

const drop = (): void => undefined;

/** Drops every line; for tests and for parts that run without an operator. */
export const silentLog: Log = { debug: drop, info: drop, warn: drop, error: drop };
