import { QUEUE_LEASE_MICROS } from '../../../../controllers/contract.ts';
import type { HeldItem, WriteTx } from '../../../../store/contracts/index.ts';
import { type ClaimSource, shownAt, type WorkerClaim } from '../../../claim-source.ts';
import {
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

/** Items of a run that wait by the clock of the store. */
const STEADY = [RUN_ADVANCE, TURN_REPORT, CHILD_REPORT, STEP_TIMER, TOOL_CALL, CHILD_STOP, RUN_EXPIRY, RUN_WAKE];

/** Runs that a worker moves, with what it does to them: the kind of the item without `workflow.`. */
export const runClaims: ClaimSource = {
  held: async (tx, { name }, limit) => {
    const claims: WorkerClaim[] = [];
    const add = async (item: HeldItem, toUnix: (at: number) => number): Promise<void> => {
      const claim = await claimOf(tx, item, toUnix);
      if (claim !== undefined && claims.length < limit) claims.push(claim);
    };
    const [steady, unix] = [tx.steadyNow(), tx.now()];
    const waiting = { kinds: STEADY, now: steady, until: steady + QUEUE_LEASE_MICROS };
    for (const item of await tx.queue.held(name, waiting, limit)) await add(item, (at) => shownAt(tx, at));
    const dated = { kinds: [STEP_DATE], now: unix, until: unix + QUEUE_LEASE_MICROS };
    for (const item of await tx.queue.held(name, dated, limit)) await add(item, (at) => at);
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
    since: toUnix(since),
    until: toUnix(dueAt),
    tries: attempts,
  };
};
