import { recordKey } from '../../../resources/index.ts';
import { parseSide } from '../../../runtime/contract.ts';
import type { TurnRow, WriteTx } from '../../../store/contracts/index.ts';
import { type ClaimSource, shownAt, type WorkerClaim } from '../../claim-source.ts';
import { isHeld, leaseOf } from './lease-records.ts';

/** Sandboxes of the sessions whose turns a worker runs: nobody but that worker runs something in them. */
export const sandboxClaims: ClaimSource = {
  held: async (tx, { turns }, limit) => {
    const found: WorkerClaim[] = [];
    for (const turn of turns) {
      if (found.length === limit) break;
      const claim = await claimOf(tx, turn);
      if (claim !== undefined) found.push(claim);
    }
    return found;
  },
};

const claimOf = async (tx: WriteTx, { sessionId }: TurnRow): Promise<WorkerClaim | undefined> => {
  const session = await tx.log.session(sessionId);
  const name = session === undefined ? '' : parseSide(session).sandboxRef;
  if (session === undefined || name === '') return undefined;
  const { namespace, agent } = session;
  const record = await tx.resources.get(recordKey('Sandbox', namespace, name));
  const row = record === undefined ? undefined : await tx.sandboxLeases.get({ id: record.uid });
  const lease = row && leaseOf(row);
  if (lease === undefined || !isHeld(lease, tx.steadyNow()) || lease.body.session !== sessionId) return undefined;
  const { isReady, acquiredAt } = lease.body;
  const state = isReady ? 'ready' : 'starting';
  const times = { since: acquiredAt, until: shownAt(tx, lease.expiresAt) };
  return { kind: 'sandbox', id: name, namespace, name, agent, sessionId, state, ...times, tries: 0 };
};
