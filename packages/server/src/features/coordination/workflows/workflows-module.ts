import type { Clock, Ids, Log } from '../../../base/index.ts';
import type { AppendAudit, NamespaceFacts } from '../../../controllers/contract.ts';
import { type JsonData, type LabelSettings, labelLimits } from '../../../resources/index.ts';
import type { Admission, CallWakes, ObjectAccess, SessionLifecycle } from '../../../runtime/contract.ts';
import type { Bus, ReadTx, Store, WriteTx } from '../../../store/contracts/index.ts';
import type { ToolRegistry } from '../../../tools/contract.ts';
import type { FeatureModule } from '../../module-contract.ts';
import { RunActivities, RunService, RunStreams, runTools, runTrail } from './api/index.ts';
import { isRunOver, runClaims } from './record/index.ts';
import {
  leaveRuns,
  RunDriver,
  type RunEnded,
  RunMoves,
  RunRemoval,
  type RunStart,
  RunStarts,
  RunWorkers,
  ToolCalls,
} from './runs/index.ts';
import { stepTable } from './steps/index.ts';
import { stepToolGrant, type ToolGrantDeps, toolGrant } from './tool-grant.ts';
import { workflowContract } from './workflow-kind.ts';
import { workflowOperations } from './workflow-operations.ts';

const MS_PER_SECOND = 1_000;
const MS_PER_HOUR = 3_600_000;
const MICROS_PER_MS = 1_000;
/** Problems of a reply that its event says, and how long its text may be. */
const PROBLEMS = 5;
const PROBLEM_CHARS = 2_000;

/** Sizes in bytes, times in milliseconds. */
interface WorkflowSettings extends LabelSettings {
  readonly 'limits.workflowDefinitionMax': number;
  readonly 'limits.stepsMax': number;
  readonly 'limits.runInputMax': number;
  readonly 'limits.stepOutputMax': number;
  readonly 'limits.runDepthMax': number;
  readonly 'limits.runsActiveMax': number;
  readonly 'limits.responseBytes': number;
  readonly 'limits.streamBufferEvents': number;
  readonly 'limits.streamBufferBytes': number;
  readonly 'retention.runs': number;
  readonly 'idempotency.hours': number;
  readonly 'deadlines.waitSeconds': number;
  readonly 'runtime.toolTimeout': number;
}

interface WorkflowsModuleDeps extends ToolGrantDeps {
  readonly store: Store;
  readonly bus: Bus;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
  readonly audit: AppendAudit;
  readonly namespaces: Pick<NamespaceFacts, 'requireLive'>;
  readonly admission: Admission;
  readonly lifecycle: Pick<SessionLifecycle, 'create' | 'stop'>;
  readonly wakes: CallWakes;
  readonly deliveries: RunReplies;
  readonly objects: Pick<ObjectAccess, 'store' | 'hold'>;
  readonly tools: Pick<ToolRegistry, 'offered' | 'check'>;
  /** Names this process. */
  readonly workerId: string;
  readonly settings: WorkflowSettings;
}

/** Replies of runs to the messages that began them. */
interface RunReplies {
  /** Delivers the reply in the output of a completed run that a message began; `problems` says what of it cannot be sent. */
  replyOfRun(
    tx: WriteTx,
    run: {
      readonly namespace: string;
      readonly workflow: string;
      readonly runId: string;
      readonly output: JsonData;
    },
  ): Promise<{ readonly isSent: boolean; readonly problems: readonly string[] }>;
}

/** Runs of workflows for other features. */
export interface WorkflowRuns {
  /**
   * Begins a run in the caller's transaction. Throws WORKFLOW_NOT_FOUND, REFERENCE_MISSING, INPUT_SCHEMA, TOO_LARGE and
   * RUNS_ACTIVE, and has written nothing then.
   */
  startRun(
    tx: WriteTx,
    start: Omit<RunStart, 'input'> & { readonly input: JsonData | Readonly<Record<string, unknown>> },
  ): Promise<{ readonly runId: string }>;
  /** Whether the run has ended, or is gone. */
  isOver(tx: Pick<ReadTx, 'workflowRuns'>, runId: string): Promise<boolean>;
  /** Calls `ended` with every end of a run, in the transaction that ends it. Called while the process is put together. */
  onEnd(ended: RunEnded): void;
}

export interface WorkflowsModule extends FeatureModule {
  readonly runs: WorkflowRuns;
  /** Calls of tools by steps: they end with the process. */
  readonly calls: Pick<ToolCalls, 'close' | 'settled'>;
  /** Live events of all runs. */
  readonly activities: RunActivities;
}

/** The kind Workflow, its runs and the operations of both. */
export const workflowsModule = (deps: WorkflowsModuleDeps): WorkflowsModule => {
  const { settings, store, bus, tools } = deps;
  const isToolGranted = toolGrant(deps);
  const check: ToolRegistry['check'] = (schema, value) => tools.check(schema, value);
  const hooks: RunEnded[] = [replyTo(deps.deliveries)];
  const starts = new RunStarts({
    ...deps,
    check,
    inputBytes: settings['limits.runInputMax'],
    activeMax: settings['limits.runsActiveMax'],
    depthMax: settings['limits.runDepthMax'],
  });
  const moves = new RunMoves({
    bus,
    outputBytes: settings['limits.stepOutputMax'],
    retentionMicros: settings['retention.runs'] * MICROS_PER_MS,
    ended: () => hooks,
  });
  const types = stepTable({
    ...deps,
    isToolGranted,
    startChild: async (tx, start) => (await starts.start(tx, start)).id,
    depthMax: settings['limits.runDepthMax'],
  });
  const driver = new RunDriver({
    ...deps,
    moves,
    types,
    check,
    inputBytes: settings['limits.runInputMax'],
    outputBytes: settings['limits.stepOutputMax'],
  });
  const calls = new ToolCalls({
    ...deps,
    driver,
    check,
    grantOf: stepToolGrant(deps),
    owner: deps.workerId,
    timeoutMs: settings['runtime.toolTimeout'],
    outputBytes: settings['limits.stepOutputMax'],
  });
  const service = new RunService({ ...deps, driver, starts, check, limits: serviceLimits(settings) });
  const streams = new RunStreams({ store, bus, limits: streamLimits(settings) });
  return {
    kinds: [
      workflowContract({
        limits: { definitionBytes: settings['limits.workflowDefinitionMax'], steps: settings['limits.stepsMax'] },
        isToolGranted,
        leaveRuns: (tx, workflow) => leaveRuns(tx, bus, workflow),
      }),
    ],
    workers: [new RunWorkers({ store, bus, driver, check }), calls, new RunRemoval({ ...deps, driver })],
    operations: workflowOperations(service, streams),
    trails: [runTrail],
    claims: [runClaims],
    tools: runTools({ ...deps, starts }),
    runs: {
      startRun: async (tx, start) => {
        const { id: runId } = await starts.start(tx, { ...start, input: start.input as JsonData });
        return { runId };
      },
      isOver: async (tx, id) => {
        const row = await tx.workflowRuns.get({ id });
        return row === undefined || isRunOver(row);
      },
      onEnd: (ended) => void hooks.push(ended),
    },
    calls,
    activities: new RunActivities({ bus, epoch: store.epoch }),
  };
};

/** A run that another run began never replies. */
const replyTo =
  (replies: RunReplies): RunEnded =>
  async (tx, { run, output, addEvent }) => {
    if (run.status !== 'COMPLETED' || run.parent !== undefined) return;
    const { id: runId, namespace, workflow } = run;
    const { isSent, problems } = await replies.replyOfRun(tx, { namespace, workflow, runId, output });
    if (isSent) await addEvent({ type: 'reply_sent' });
    const message = problems.slice(0, PROBLEMS).join('; ').slice(0, PROBLEM_CHARS).toWellFormed();
    if (message !== '') await addEvent({ type: 'reply_failed', message });
  };

const serviceLimits = (settings: WorkflowSettings) => ({
  labels: labelLimits(settings),
  responseBytes: settings['limits.responseBytes'],
  outputBytes: settings['limits.stepOutputMax'],
  idempotencyHours: settings['idempotency.hours'] / MS_PER_HOUR,
  waitSeconds: settings['deadlines.waitSeconds'] / MS_PER_SECOND,
});

const streamLimits = (settings: WorkflowSettings) => ({
  bufferEvents: settings['limits.streamBufferEvents'],
  bufferBytes: settings['limits.streamBufferBytes'],
});
