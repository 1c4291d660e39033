import { create } from '@bufbuild/protobuf';
import {
  type ScheduleEvent,
  ScheduleEventSchema,
  type ScheduleSpec,
  type ScheduleStatus,
  ScheduleStatusSchema,
} from '@svc/api/resources';
import { type Finding, type Judged, judgedConditions, NOT_EXECUTED } from '../../../resources/index.ts';
import { nextInstant, readTiming, type Timing } from './timing/index.ts';

/** What a status is judged from, in addition to the spec; times are micros. */
export interface ScheduleFacts {
  readonly now: number;
  readonly generation: number;
  /** Where the grid of `every` begins. */
  readonly anchor: number;
  readonly hasTarget: boolean;
  /** False while the namespace is a tombstone: nothing is armed then. */
  readonly isNamespaceLive: boolean;
  /** A deletion waits for finalizers: nothing is armed any more. */
  readonly isDeleting: boolean;
  /** Name of the timer that arming sets. */
  readonly timer: string;
  /** Why nothing fires schedules yet, in plain words; undefined where timers are served. */
  readonly notExecuted: string | undefined;
  /** A client's write: counts a revision and restarts the timer. */
  readonly isWrite: boolean;
}

interface Judgement {
  readonly judged: Judged;
  readonly nextRunAt: number | undefined;
}

const EVENTS_KEPT = 20;
const RUN_CONDITION = 'LastRunSucceeded';

/** The status a schedule has from now on; what runs noted in it stays. */
export const scheduleStatus = (
  current: ScheduleStatus | undefined,
  spec: ScheduleSpec,
  facts: ScheduleFacts,
): ScheduleStatus => {
  const { judged, nextRunAt } = judge(current, spec, facts);
  const isArmed = nextRunAt !== undefined;
  return create(ScheduleStatusSchema, {
    observedGeneration: BigInt(facts.generation),
    phase: judged.phase,
    conditions: judgedConditions(current?.conditions ?? [], judged, facts),
    revision: (current?.revision ?? 0n) + (facts.isWrite ? 1n : 0n),
    ...(isArmed ? { nextRunAt: BigInt(nextRunAt), backendHandle: facts.timer } : {}),
    backendArmed: isArmed,
    ...(current?.lastRunAt === undefined ? {} : { lastRunAt: current.lastRunAt }),
    ...(current?.lastSessionId === undefined ? {} : { lastSessionId: current.lastSessionId }),
    ...(current?.lastError === undefined ? {} : { lastError: current.lastError }),
    recentEvents: [...(current?.recentEvents ?? []), ...newEvents(current, spec, { facts, isArmed })].slice(
      -EVENTS_KEPT,
    ),
  });
};

const judge = (current: ScheduleStatus | undefined, spec: ScheduleSpec, facts: ScheduleFacts): Judgement => {
  const timing = readTiming(spec);
  const isOn = spec.enabled !== false;
  const isOpen = facts.isNamespaceLive && !facts.isDeleting;
  const wanted = isOn && isOpen && timing !== undefined ? nextRun(current, timing, facts) : undefined;
  const hasFailed = (current?.lastError ?? '') !== '';
  const isDegraded = !facts.hasTarget || hasFailed || (isOn && wanted === undefined);
  const off = !isOn || !isOpen;
  return {
    judged: {
      phase: facts.isDeleting ? 'Terminating' : off ? 'Disabled' : isDegraded ? 'Degraded' : 'Ready',
      findings: [
        armed(facts, { isOn, hasRun: wanted !== undefined, isMissed: timing?.kind === 'at' }),
        target(spec, facts),
        ...lastRun(current),
      ],
      notExecuted: facts.notExecuted,
    },
    nextRunAt: facts.notExecuted === undefined ? wanted : undefined,
  };
};

/**
 * When the schedule runs next; undefined when it never does. A one-shot whose timer was set stays due until it is fired, however
 * late. One whose instant passed without a timer, because nothing served timers then, is missed: it must not fire the moment
 * something does.
 */
const nextRun = (current: ScheduleStatus | undefined, timing: Timing, facts: ScheduleFacts): number | undefined => {
  if (timing.kind !== 'at') return nextInstant(timing, facts.anchor, facts.now);
  const isTimerSet = current?.backendArmed === true && current.nextRunAt === BigInt(timing.runAt);
  const isDue = timing.runAt > facts.now || (isTimerSet && facts.notExecuted === undefined);
  return isDue ? timing.runAt : undefined;
};

interface Arming {
  readonly isOn: boolean;
  /** A run is to come. */
  readonly hasRun: boolean;
  /** Without a run to come, the only one was missed. */
  readonly isMissed: boolean;
}

const armed = (facts: ScheduleFacts, found: Arming): Finding => {
  if (found.hasRun)
    return facts.notExecuted === undefined
      ? { type: 'Armed', status: 'True', reason: 'Armed' }
      : { type: 'Armed', status: 'Unknown', reason: NOT_EXECUTED, message: facts.notExecuted };
  if (!facts.isNamespaceLive)
    return { type: 'Armed', status: 'False', reason: 'NamespaceDeleted', message: 'the namespace is deleted' };
  if (facts.isDeleting)
    return { type: 'Armed', status: 'False', reason: 'Deleting', message: 'the schedule is being deleted' };
  if (!found.isOn) return { type: 'Armed', status: 'False', reason: 'Disabled', message: 'the schedule is disabled' };
  if (found.isMissed)
    return { type: 'Armed', status: 'False', reason: 'Missed', message: 'its time passed while nothing ran schedules' };
  return { type: 'Armed', status: 'False', reason: 'NoFurtherRuns', message: 'no run is left' };
};

const target = (spec: ScheduleSpec, facts: ScheduleFacts): Finding => {
  if (facts.hasTarget) return { type: 'TargetResolved', status: 'True', reason: 'Resolved' };
  const { agent = '', workflow = '' } = spec.target ?? {};
  const isAgent = agent !== '';
  const message = isAgent ? `agent ${agent} does not exist` : `workflow ${workflow} does not exist`;
  return { type: 'TargetResolved', status: 'False', reason: isAgent ? 'AgentNotFound' : 'WorkflowNotFound', message };
};

/** The verdict on the last run is its own; here it is only kept. */
const lastRun = (current: ScheduleStatus | undefined): readonly Finding[] =>
  (current?.conditions ?? [])
    .filter((condition) => condition.type === RUN_CONDITION)
    .map(({ type, status, reason, message }) => ({ type, status: status as Finding['status'], reason, message }));

const newEvents = (
  current: ScheduleStatus | undefined,
  spec: ScheduleSpec,
  about: { readonly facts: ScheduleFacts; readonly isArmed: boolean },
): readonly ScheduleEvent[] => {
  const { facts, isArmed } = about;
  const event = (phase: string, outcome: string): ScheduleEvent =>
    create(ScheduleEventSchema, { timestamp: BigInt(facts.now), phase, outcome });
  const first = current === undefined ? [event('initialize', spec.enabled === false ? 'disabled' : 'ready')] : [];
  const wasArmed = current?.backendArmed === true;
  const isNews = isArmed ? facts.isWrite || !wasArmed : wasArmed;
  return [...first, ...(isNews ? [event('arm', isArmed ? 'armed' : 'disarmed')] : [])];
};
