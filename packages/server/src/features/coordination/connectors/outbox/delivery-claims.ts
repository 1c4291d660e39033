import type { WriteTx } from '../../../../store/contracts/index.ts';
import { type ClaimSource, shownAt, type WorkerClaim } from '../../../claim-source.ts';
import { parseDelivery } from './delivery-record.ts';

/** Classes that are looked through, and of each the oldest deliveries that wait: those that are sent now are among them. */
const CLASSES_MAX = 200;
const PENDING_MAX = 500;

/** The claim of one attempt: whose it is, when it was made, micros, and what no other attempt has. */
export const attemptClaim = (worker: string, now: number, unique: string): string => `${worker}@${now}/${unique}`;

/** Deliveries that a worker sends. */
export const deliveryClaims: ClaimSource = {
  held: async (tx, { name }, limit) => {
    const query = { kind: 'ConnectorClass', scope: { type: 'all' }, limit: CLASSES_MAX } as const;
    const claims: WorkerClaim[] = [];
    for (const { uid } of await tx.resources.list(query)) claims.push(...(await ofClass(tx, uid, name)));
    return claims.slice(0, limit);
  },
};

const ofClass = async (tx: WriteTx, classUid: string, worker: string): Promise<readonly WorkerClaim[]> => {
  const rows = await tx.deliveries.page('ofClass', { classUid, state: 'pending' }, { limit: PENDING_MAX });
  return rows
    .map(parseDelivery)
    .filter(({ body }) => body.claim.startsWith(`${worker}@`) && body.claimUntil > tx.steadyNow())
    .map(({ id, namespace, connector, body }) => ({
      kind: 'delivery',
      id,
      namespace,
      name: connector,
      state: 'sending',
      since: Number(/@(\d+)\//.exec(body.claim)?.[1] ?? 0),
      until: shownAt(tx, body.claimUntil),
      tries: body.attempts,
    }));
};
