import type { GlobalOptions } from '../connection.ts';
import type { Host } from '../host.ts';

export interface LogOptions extends GlobalOptions {
  readonly level?: string;
  readonly contains?: string;
  /** Always the case; named for those who are used to it. */
  readonly follow?: boolean;
  /** False: only lines from now on. */
  readonly history?: boolean;
}

/** `svc logs`. The code that reads the stream is loaded only when it is used. */
export const showLogs = async (host: Host, options: LogOptions): Promise<void> =>
  (await import('./log-lines.ts')).followLogs(host, options);
