import type { ConnectorMessageEvent } from '@svc/api/external';
import type { WriteTx } from '../../../../store/contracts/index.ts';

const MINUTE = 60_000_000;

/** Counts a message that a program wrote; false when its conversation had as many as it may have within the minute. */
export const countProgram = async (
  tx: Pick<WriteTx, 'counters' | 'now'>,
  of: { readonly classUid: string; readonly event: ConnectorMessageEvent; readonly most: number },
): Promise<boolean> => {
  const key = `connector-programs/${of.classUid}/${of.event.externalConversationId}`;
  const start = Math.floor(tx.now() / MINUTE) * MINUTE;
  await tx.counters.lock([key]);
  const span = { endsAfter: start, startsAfter: start - 1, startsBy: start };
  const used = (await tx.counters.sum([key], span)).get(key)?.used ?? 0;
  if (used >= of.most) return false;
  await tx.counters.add(key, start, start + MINUTE, 1);
  return true;
};
