import type { AuditAppender } from '../../../auth/index.ts';
import type { PermissionData } from '../../../runtime/contract.ts';
import type { ReadTx, UsageRaiseRow, WriteTx } from '../../../store/contracts/index.ts';
import { raiseAnswered } from './raise-rules.ts';

/** Raises of one limit that count at once; a person answered each. */
const RAISES_MAX = 1_000;
const OPERATION = 'usage/raise';

/** Raises of a limit that count now, of every identity. */
export const openRaises = async (
  reads: Pick<ReadTx, 'usageRaises'>,
  counter: string,
  now: number,
): Promise<readonly UsageRaiseRow[]> =>
  (await reads.usageRaises.page('ofCounter', { counter }, { limit: RAISES_MAX })).filter((raise) => raise.until > now);

/** What people added to a limit for one identity. */
export const raisedBy = async (
  reads: Pick<ReadTx, 'usageRaises'>,
  about: { readonly counter: string; readonly identity: string; readonly now: number },
): Promise<number> => {
  const open = await openRaises(reads, about.counter, about.now);
  return open.filter(({ identity }) => identity === about.identity).reduce((sum, { amount }) => sum + amount, 0);
};

/** Adds what a person answered to a limit, for one window from now on, with its audit record. */
export const addRaise = async (tx: WriteTx, answered: PermissionData, audit: AuditAppender): Promise<void> => {
  const raise = raiseAnswered(answered.input, answered.optionId);
  if (raise === undefined) return;
  const { counter, identity, amount, windowMicros, policy } = raise;
  const { id, decidedBy, namespace } = answered;
  await tx.usageRaises.put({ id, counter, identity, amount, until: tx.now() + windowMicros, decidedBy });
  await audit(
    tx,
    { requestId: id, operation: OPERATION, caller: { identity: decidedBy } },
    { target: `UsagePolicy/${policy}`, namespace, resourceVersion: '', outcome: `raised by ${amount} for ${identity}` },
  );
};

/** Raises whose window is over. */
export const trimRaises = async (tx: WriteTx, limit: number): Promise<void> => {
  for (const { id, until } of await tx.usageRaises.page('oldest', {}, { limit }))
    if (until <= tx.now()) await tx.usageRaises.remove({ id });
};
