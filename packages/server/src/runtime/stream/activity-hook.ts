import type { Bus } from '../../store/contracts/index.ts';
import type { TurnEndHook } from '../contract.ts';
import { SESSION_ACTIVITY, type SessionActivity } from './stream-contract.ts';

/** Tells consoles that a turn ended, whatever caused it; one notification after the commit of its final transaction. */
export const createActivityHook = (bus: Pick<Bus, 'publish'>): TurnEndHook => ({
  turnEnded: (tx, { session, turn, body }) => {
    const activity: SessionActivity = {
      namespace: session.namespace,
      agent: session.agent,
      sessionId: session.id,
      turnId: turn.id,
      messageId: body.replyMessageIds.at(-1) ?? '',
    };
    tx.afterCommit(() => bus.publish(SESSION_ACTIVITY, activity));
    return Promise.resolve();
  },
});
