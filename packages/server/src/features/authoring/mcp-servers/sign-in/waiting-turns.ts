import { DONE, type QueueWorker, type ReconcileOutcome } from '../../../../controllers/contract.ts';
import { kindOf, parsePermission, type SessionLifecycle } from '../../../../runtime/contract.ts';
import type { PermissionRow, Store, WriteTx } from '../../../../store/contracts/index.ts';
import { type GrantKey, grantId, isAnsweredBy } from './grant-key.ts';
import type { Grant, Grants } from './grants.ts';

/** Kind of the queue items that resume turns: one for each grant. */
const RESUME = 'mcp-signed-in';
/** Who answered: the sign-in itself, which does not say who sat in front of the browser. */
const DECIDER = 'sign-in';
const PAGE = 200;

/**
 * When the requests are searched again. A call that found no grant just before the sign-in records its question a moment later, or once the
 * calls that run with it have ended: none of them runs longer than 10 minutes.
 */
const AGAIN_MS: readonly number[] = [2_000, 60_000, 900_000];

interface Payload {
  readonly key: GrantKey;
  readonly round: number;
}

/** Has every turn resumed that waits for the grant; in the transaction that stores it. */
export const queueResume = (tx: Pick<WriteTx, 'queue' | 'steadyNow'>, key: GrantKey, round = 0): Promise<void> =>
  tx.queue.put(
    {
      kind: RESUME,
      key: grantId(key),
      attempts: 0,
      payload: JSON.stringify({ key, round } satisfies Payload),
      dueAt: tx.steadyNow() + (round === 0 ? 0 : (AGAIN_MS[round - 1] ?? 0) * 1_000),
    },
    { replace: true },
  );

export interface WaitingTurnsDeps {
  readonly store: Pick<Store, 'direct' | 'write' | 'read'>;
  readonly grants: Grants;
  readonly lifecycle: Pick<SessionLifecycle, 'answerPermission'>;
}

/** Answers the open questions for a sign-in that happened; their turns continue. */
export const waitingTurns = (deps: WaitingTurnsDeps): QueueWorker => ({
  kinds: [RESUME],
  run: async ({ payload }): Promise<ReconcileOutcome> => {
    const { key, round } = JSON.parse(payload) as Payload;
    const { store, grants } = deps;
    const grant = await grants.find(store.direct, key);
    if (grant?.state !== 'active') return DONE;
    for (const row of await openQuestions(store, grant)) await answer(deps, key, row);
    if (round < AGAIN_MS.length) await store.write((tx) => queueResume(tx, key, round + 1));
    return DONE;
  },
});

const openQuestions = async (store: Pick<Store, 'direct'>, grant: Grant): Promise<readonly PermissionRow[]> => {
  const found: PermissionRow[] = [];
  for (let after = ''; ; ) {
    const rows = await store.direct.log.openPermissions([grant.key.namespace], after, PAGE);
    found.push(...rows.filter((row) => isFor(row, grant)));
    if (rows.length < PAGE) return found;
    after = rows.at(-1)?.id ?? '';
  }
};

const isFor = (row: PermissionRow, grant: Grant): boolean => {
  const data = parsePermission(row);
  return kindOf(data) === 'sign_in' && isAnsweredBy(grant, data.key);
};

/** One question in a transaction of its own: it locks the session. What was answered or stopped meanwhile stays so. */
const answer = ({ store, grants, lifecycle }: WaitingTurnsDeps, key: GrantKey, { id, sessionId }: PermissionRow) =>
  store.write(async (tx) => {
    const session = await tx.log.lockSession(sessionId);
    const row = await tx.log.permission(id);
    const isOpen = row?.open === true && row.expiresAt > tx.now();
    const grant = await grants.find(tx, key);
    if (session === undefined || !isOpen || grant?.state !== 'active' || !isFor(row, grant)) return;
    await lifecycle.answerPermission(tx, session, {
      requestId: id,
      allow: true,
      optionId: '',
      comment: '',
      decidedBy: DECIDER,
      isSignIn: true,
    });
  });
