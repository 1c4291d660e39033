import { isUuid } from '../../../../base/index.ts';
import { parseBody } from '../../../../runtime/contract.ts';
import type { ReadTx } from '../../../../store/contracts/index.ts';
import {
  type TrailEntry,
  type TrailPlace,
  type TrailReading,
  type TrailSource,
  trailText,
} from '../../../trail-source.ts';
import { isRunOver, isStepOver, type RunState, runOf, type StepState, stepOf } from '../record/index.ts';
import { labelledAttempt } from '../steps/index.ts';

/** Steps of a run that a trail shows. */
const STEPS_MAX = 200;

/** What workflows know: the steps of a run, the turns and runs that they began, and what began the run. */
export const runTrail: TrailSource = {
  find: async (reads, { namespace, id }) => {
    const row = isUuid(id) ? await reads.workflowRuns.get({ id }) : undefined;
    return row?.namespace === namespace ? [{ kind: 'workflow_run', id, namespace }] : [];
  },
  read: async (reads, place) => {
    if (place.kind === 'turn') return readTurn(reads, place);
    if (place.kind === 'schedule_firing') return readFiring(reads, place);
    return place.kind === 'workflow_run' ? readRun(reads, place) : undefined;
  },
};

/** The step that began the turn. */
const readTurn = async (reads: ReadTx, { id, namespace }: TrailPlace): Promise<TrailReading | undefined> => {
  const turn = await reads.log.turn(id);
  const attempt = turn === undefined ? undefined : labelledAttempt(parseBody(turn).cause.labels);
  if (turn === undefined || attempt === undefined) return undefined;
  const { runId, stepId } = attempt;
  const row = await reads.workflowSteps.get({ runId, stepId });
  const causes = row === undefined ? {} : { [turn.userMessageId]: stepOf(row).id };
  return { entries: [], links: [{ kind: 'workflow_run', id: runId, namespace }], causes };
};

/** Runs of a namespace that are searched for the one that an instant began, the newest first. */
const SEARCHED = 500;

/** The run that an instant of a schedule began. */
const readFiring = async (reads: ReadTx, { id, namespace }: TrailPlace): Promise<TrailReading | undefined> => {
  const rows = await reads.workflowRuns.page('ofNamespace', { namespace }, { limit: SEARCHED });
  const run = rows.map(runOf).find((one) => firingOf(one) === id);
  if (run === undefined) return undefined;
  const { 'svc/schedule-name': name = '', 'svc/schedule-run-at': at } = run.labels;
  const entry = { kind: 'schedule_firing', id, namespace, name, at: Number(at), state: 'fired' };
  return { entries: [entry], links: [{ kind: 'workflow_run', id: run.id, namespace }] };
};

/** Id of the instant that began the run itself; undefined for other runs. */
const firingOf = ({ labels, parent }: RunState): string | undefined => {
  const { 'svc/schedule-name': name, 'svc/schedule-run-at': at } = labels;
  return name === undefined || at === undefined || parent !== undefined ? undefined : `${name}@${at}`;
};

const readRun = async (reads: ReadTx, { id, namespace }: TrailPlace): Promise<TrailReading | undefined> => {
  const row = await reads.workflowRuns.get({ id });
  if (row === undefined) return undefined;
  const run = runOf(row);
  const steps = (await reads.workflowSteps.page('ofRun', { runId: id }, { limit: STEPS_MAX })).map(stepOf);
  const parent = run.parent === undefined ? undefined : await reads.workflowSteps.get(run.parent);
  const firing = firingOf(run);
  const causedBy = parent === undefined ? firing : stepOf(parent).id;
  const above = run.parent === undefined ? [] : [run.parent.runId];
  const below = steps.map(({ childRunId }) => childRunId).filter((child) => child !== '');
  return {
    entries: [
      { ...runEntry(run), ...(causedBy === undefined ? {} : { causedBy }) },
      ...steps.map((step) => stepEntry(run, step)),
    ],
    links: [
      ...(firing === undefined ? [] : [{ kind: 'schedule_firing', id: firing, namespace } as const]),
      ...[...above, ...below].map((runId) => ({ kind: 'workflow_run', id: runId, namespace }) as const),
      ...steps
        .filter(({ childTurnId }) => childTurnId !== '')
        .map(({ childTurnId }) => ({ kind: 'turn', id: childTurnId, namespace }) as const),
    ],
  };
};

const runEntry = (run: RunState): TrailEntry => ({
  kind: 'workflow_run',
  id: run.id,
  namespace: run.namespace,
  name: run.workflow,
  at: run.createdAt,
  ...(isRunOver(run) ? { endedAt: run.updatedAt } : {}),
  state: run.status,
  ...failure(run),
});

const stepEntry = ({ id, namespace }: RunState, step: StepState): TrailEntry => ({
  kind: 'run_step',
  id: step.id,
  namespace,
  name: step.stepId,
  ...(step.childSessionId === '' ? {} : { sessionId: step.childSessionId }),
  at: step.createdAt,
  ...(isStepOver(step) ? { endedAt: step.updatedAt } : {}),
  state: step.status,
  ...failure(step),
  causedBy: id,
});

const failure = ({ error }: { readonly error: string }): Partial<TrailEntry> =>
  error === '' ? {} : { text: trailText(error) };
