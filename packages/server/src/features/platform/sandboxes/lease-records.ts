import { withSandbox } from '../../../runtime/contract.ts';
import type { ReadTx, SandboxLeaseRow, WriteTx } from '../../../store/contracts/index.ts';
import { type ClaimSource, shownAt, type WorkerClaim } from '../../claim-source.ts';

/**
 * Leases of sandboxes. A row is the lease of one sandbox, by its uid, or a call that waits for one. The token is new whenever
 * the lease changes hands: a holder of an old one, or of one that lapsed, does nothing more with the sandbox.
 */

export const LEASE_MICROS = 60_000_000;
/** How long a call waits while the quota is used up. */
export const WAIT_MICROS = 30_000_000;
/** Rows of one policy; far more than sandboxes that one machine can run. */
const ROWS_MAX = 5_000;
/** Policies whose leases are looked through for a worker. */
const POLICIES_MAX = 200;

export interface LeaseBody {
  readonly namespace: string;
  /** Name of the Sandbox. */
  readonly name: string;
  readonly agent: string;
  readonly session: string;
  /** The turn it ends with; '' = it stays with its session. */
  readonly turn: string;
  /** Name of the worker that keeps it; absent in leases of older versions. */
  readonly worker?: string;
  /** Unix micros. */
  readonly acquiredAt: number;
  /** The backend was made and set up. */
  readonly isReady: boolean;
  /** The workspace was lost, and no call said so yet; or the call that does. */
  readonly isReset: boolean;
  readonly resetCall: string;
}

export type LeaseState = 'waiting' | 'held' | 'free';

export interface Lease extends Omit<SandboxLeaseRow, 'body' | 'state'> {
  readonly state: LeaseState;
  readonly body: LeaseBody;
}

/** The lease that a row keeps. */
export const leaseOf = (row: SandboxLeaseRow): Lease => ({
  ...row,
  state: row.state as LeaseState,
  body: JSON.parse(row.body) as LeaseBody,
});

/** Stores a lease. */
export const putLease = (tx: WriteTx, lease: Lease): Promise<void> =>
  tx.sandboxLeases.put({ ...lease, body: JSON.stringify(lease.body) });

/** Shows in a session which sandbox is its own, '' = none in place of `from`; nothing happens where the session is gone. */
export const showInSession = async (
  tx: WriteTx,
  sessionId: string,
  change: { readonly from?: string; readonly to: string },
): Promise<void> => {
  const session = await tx.log.lockSession(sessionId);
  const changed = session === undefined ? undefined : withSandbox(session, change);
  if (changed !== undefined) await tx.log.saveSession(changed);
};

const ENDED: readonly string[] = ['COMPLETED', 'FAILED', 'CANCELLED'];

/** Whether what a sandbox was made for is still there: a session, or a run of a workflow that has not ended. */
export const hasOwner = async (reads: Pick<ReadTx, 'log' | 'workflowRuns'>, id: string): Promise<boolean> => {
  if ((await reads.log.session(id)) !== undefined) return true;
  const run = await reads.workflowRuns.get({ id });
  return run !== undefined && !ENDED.includes(run.status);
};

/** True while the lease is somebody's: held and not lapsed. */
export const isHeld = (lease: Pick<Lease, 'state' | 'expiresAt'>, steadyNow: number): boolean =>
  lease.state === 'held' && lease.expiresAt > steadyNow;

/** The lease of a sandbox, if `token` still holds it. */
export const heldLease = async (
  tx: WriteTx,
  held: { readonly id: string; readonly token: string },
): Promise<Lease | undefined> => {
  const row = await tx.sandboxLeases.get({ id: held.id });
  if (row === undefined || row.token !== held.token) return undefined;
  const lease = leaseOf(row);
  return isHeld(lease, tx.steadyNow()) ? lease : undefined;
};

/** Leases of a policy, and who waits for one. Call it where no one else counts: `inLine` with the same scope. */
export const leasesOf = async (tx: WriteTx, scope: string): Promise<readonly Lease[]> =>
  (await tx.sandboxLeases.page('ofScope', { scope }, { limit: ROWS_MAX })).map(leaseOf);

/** One at a time counts the leases of a policy. */
export const inLineFor = (tx: WriteTx, scope: string): Promise<void> => tx.inLine([`sandboxes of ${scope}`]);

/**
 * Whether one more lease fits into a quota, 0 for none. Those who wait longer come first; a wait that is over, whose caller is gone,
 * counts no more.
 */
export const fitsQuota = (
  leases: readonly Lease[],
  quota: { readonly most: number; readonly own: readonly string[]; readonly since: number },
  steadyNow: number,
): boolean => {
  if (quota.most === 0) return true;
  const others = leases.filter(({ id }) => !quota.own.includes(id));
  const held = others.filter((lease) => isHeld(lease, steadyNow)).length;
  const ahead = others.filter(
    ({ state, since, expiresAt }) => state === 'waiting' && expiresAt > steadyNow && since < quota.since,
  ).length;
  return held + ahead < quota.most;
};

/** Sandboxes that a worker keeps for sessions and runs: no other worker runs something in them. */
export const sandboxClaims: ClaimSource = {
  held: async (tx, { name }, limit) => {
    const query = { kind: 'SandboxPolicy', scope: { type: 'all' }, limit: POLICIES_MAX } as const;
    const claims: WorkerClaim[] = [];
    for (const { key } of await tx.resources.list(query))
      for (const lease of await leasesOf(tx, `${key.namespace}/${key.name}`))
        if (lease.body.worker === name && isHeld(lease, tx.steadyNow())) claims.push(claimOf(tx, lease));
    return claims.slice(0, limit);
  },
};

const claimOf = (tx: WriteTx, { expiresAt, body }: Lease): WorkerClaim => {
  const { namespace, name, agent, session, isReady, acquiredAt } = body;
  // A run of a workflow has a sandbox without an agent.
  const sessionId = agent === '' ? '' : session;
  const state = isReady ? 'ready' : 'starting';
  const times = { since: acquiredAt, until: shownAt(tx, expiresAt) };
  return { kind: 'sandbox', id: name, namespace, name, agent, sessionId, state, ...times, tries: 0 };
};
