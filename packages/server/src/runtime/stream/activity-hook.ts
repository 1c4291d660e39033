import type { Bus, TurnRow, WriteTx } from '../../store/contracts/index.ts';
import type { TurnEndHook, TurnProgressHook } from '../contract.ts';
import { SESSION_ACTIVITY, type SessionActivity } from './stream-contract.ts';

/**
 * Tells consoles that a turn runs, waits or ended, whatever caused it: one notification after the commit of each such transaction. What
 * people are asked comes with a turn that begins to wait, and each of their answers makes it run again.
 */
export const createActivityHook = (bus: Pick<Bus, 'publish'>): TurnEndHook & TurnProgressHook => {
  const tell = (tx: WriteTx, turn: TurnRow, messageId = ''): Promise<void> => {
    const { namespace, agent, sessionId, id: turnId } = turn;
    const activity: SessionActivity = { namespace, agent, sessionId, turnId, messageId };
    tx.afterCommit(() => bus.publish(SESSION_ACTIVITY, activity));
    return Promise.resolve();
  };
  return {
    turnTaken: (tx, { turn }) => tell(tx, turn),
    turnParked: (tx, { turn }) => tell(tx, turn),
    turnEnded: (tx, { turn, body }) => tell(tx, turn, body.replyMessageIds.at(-1) ?? ''),
  };
};
