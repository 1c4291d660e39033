import type { GlobalOptions } from '../connection.ts';
import type { World } from '../world.ts';
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

/**
 * `svc events`: changes of resources; with --audit who wrote what, which only admins may see. What reads the stream of changes
 * is loaded only for it.
 */
export const showEvents = async (world: World, options: EventOptions): Promise<void> =>
  options.audit === true
    ? showAudit(world, options)
    : (await import('./resource-changes.ts')).showChanges(world, options);
