import type { GlobalOptions } from '../connection.ts';
import type { Host } from '../host.ts';

export interface LogOptions extends GlobalOptions {
  readonly level?: string;
  readonly contains?: string;
  /** Such as `10m`, or a date. */
  readonly since?: string;
  /** How many of the newest lines. */
  readonly tail?: string;
  readonly follow?: boolean;
}

/** `svc logs`. The code that reads the stream is loaded only when it is used. */
export const showLogs = async (host: Host, options: LogOptions): Promise<void> =>
  (await import('./log-lines.ts')).printLogs(host, options);
