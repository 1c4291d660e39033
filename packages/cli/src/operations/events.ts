import type { GlobalOptions } from '../connection.ts';
import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';
import { showAudit } from './audit.ts';

export interface EventOptions extends GlobalOptions {
  readonly allNamespaces?: boolean;
  readonly recursive?: boolean;
  readonly follow?: boolean;
  readonly kind?: readonly string[];
  /** Such as `10m`, or a date. */
  readonly since?: string;
  readonly audit?: boolean;
  readonly identity?: string;
  readonly operation?: string;
  readonly limit?: string;
}

/** Flags that select audit records and do not apply to changes. */
const AUDIT_ONLY = ['identity', 'operation', 'limit'] as const;

/**
 * `svc events`: changes of resources; with --audit, who wrote what, for admins only. The code that reads the stream of changes is loaded
 * only when it is used.
 */
export const showEvents = async (host: Host, options: EventOptions): Promise<void> => {
  if (options.audit === true) return showAudit(host, options);
  const stray = AUDIT_ONLY.find((flag) => options[flag] !== undefined);
  if (stray !== undefined)
    throw new CommandFailure(`--${stray} goes with --audit`, { hint: '--kind and --since choose changes' });
  await (await import('./resource-changes.ts')).showChanges(host, options);
};
