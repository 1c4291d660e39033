import type { Bus } from '../../store/contracts/index.ts';
import { WAKE_TURNS } from '../contract.ts';
import { publishAfterCommit, releasePendingStops } from '../session/index.ts';
import type { FaultPort } from '../steps/index.ts';
import type { AttemptState } from './attempt-state.ts';

/** What a hand-over uses. */
export interface HandOverPorts extends FaultPort {
  readonly bus: Pick<Bus, 'publish'>;
}

/** Releases the claim at a journal entry: same attempt, no RESET, any worker continues. False: news came first. */
export const handOver = async (turn: AttemptState, { bus, faultPoint }: HandOverPorts): Promise<boolean> => {
  let released = false;
  faultPoint('before-hand-over');
  await turn.commit(async (tx, state) => {
    released = state.foreign.length === 0;
    if (!released) return {};
    const next = { ...state.session, fence: state.session.fence + 1 };
    const { session, events } = await releasePendingStops(tx, next, state.body.pendingStops);
    publishAfterCommit({ tx, ports: { bus } }, events);
    tx.afterCommit(() => bus.publish(WAKE_TURNS, {}));
    return {
      turn: { state: 'QUEUED', ready: true, worker: '', claimExpiresAt: 0 },
      body: {
        resume: 'handover',
        sentParts: turn.recorded.length,
        pendingStops: [],
        activeMicros: turn.activeMicros(),
      },
      session,
    };
  });
  faultPoint('after-hand-over');
  return released;
};
