import { QUEUE_LEASE_MICROS } from '../../../../controllers/contract.ts';
import type { HeldItem, WriteTx } from '../../../../store/contracts/index.ts';
import { type ClaimSource, shownAt, type WorkerClaim } from '../../../claim-source.ts';
import {
  CALL_HOLD_MS,
  CHILD_REPORT,
  CHILD_STOP,
  RUN_ADVANCE,
  RUN_EXPIRY,
  RUN_WAKE,
  STEP_DATE,
  STEP_TIMER,
  TOOL_CALL,
  TURN_REPORT,
} from './run-queue.ts';

/** Items of a run that wait by the clock of the store, and those that are due at a Unix time. */
const STEADY = [RUN_ADVANCE, TURN_REPORT, CHILD_REPORT, STEP_TIMER, CHILD_STOP, RUN_WAKE];
const DATED = [STEP_DATE, RUN_EXPIRY];
const CALL_HOLD_MICROS = CALL_HOLD_MS * 1_000;

/** Runs that a worker moves, with what it does to them: the kind of the item without `workflow.`. */
export const runClaims: ClaimSource = {
  held: async (tx, { name }, limit) => {
    const [steady, unix] = [tx.steadyNow(), tx.now()];
    const shown = (at: number): number => shownAt(tx, at);
    const asked = [
      { kinds: STEADY, now: steady, until: steady + QUEUE_LEASE_MICROS, toUnix: shown },
      { kinds: [TOOL_CALL], now: steady, until: steady + CALL_HOLD_MICROS, toUnix: shown },
      { kinds: DATED, now: unix, until: unix + QUEUE_LEASE_MICROS, toUnix: (at: number) => at },
    ];
    const claims: WorkerClaim[] = [];
    for (const { toUnix, ...window } of asked)
      for (const item of await tx.queue.held(name, window, limit)) {
        const claim = await claimOf(tx, item, toUnix);
        if (claim !== undefined && claims.length < limit) claims.push(claim);
      }
    return claims;
  },
};

const claimOf = async (
  tx: Pick<WriteTx, 'workflowRuns'>,
  { kind, key, payload, since, dueAt, attempts }: HeldItem,
  toUnix: (at: number) => number,
): Promise<WorkerClaim | undefined> => {
  const { runId } = kind === TURN_REPORT ? (JSON.parse(payload) as { readonly runId: string }) : { runId: key };
  const [id = ''] = runId.split('/');
  const run = await tx.workflowRuns.get({ id });
  if (run === undefined) return undefined;
  return {
    kind: 'run',
    id,
    namespace: run.namespace,
    name: run.workflow,
    state: kind.slice('workflow.'.length),
    part: key,
    since: toUnix(since),
    until: toUnix(dueAt),
    tries: attempts,
  };
};
