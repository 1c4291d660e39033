/** Values of a log line: no secrets, no prompts, no contents at info. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

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
