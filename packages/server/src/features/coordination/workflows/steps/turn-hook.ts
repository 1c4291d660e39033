import type { TurnEndHook } from '../../../../runtime/contract.ts';
import type { Bus } from '../../../../store/contracts/index.ts';
import { queueItem, type StepAttempt, TURN_REPORT } from '../record/index.ts';
import { CAUSE, labelledAttempt } from './step-labels.ts';

/** How the turn of an agent step ended. */
export interface TurnReport extends StepAttempt {
  readonly turnId: string;
  readonly state: string;
  /** The agent's answer, '' unless the turn completed. */
  readonly text: string;
  readonly error: string;
  /** The deletion of the namespace stopped the turn: the run makes a further attempt once it may continue. */
  readonly isPaused?: true;
}

/** Reports the end of an agent step's turn to its run, in the transaction that ends it. */
export const createWorkflowHook = (bus: Pick<Bus, 'publish'>): TurnEndHook => ({
  turnEnded: async (tx, { turn, body, replyText }) => {
    const attempt = body.cause.kind === CAUSE ? labelledAttempt(body.cause.labels) : undefined;
    if (attempt === undefined) return;
    const { id: turnId, state } = turn;
    const error = body.error ?? body.reason ?? '';
    const report: TurnReport = { ...attempt, turnId, state, text: state === 'COMPLETED' ? replyText : '', error };
    await queueItem(tx, bus, { kind: TURN_REPORT, key: turnId, payload: report });
  },
});
