import { create } from '@bufbuild/protobuf';
import {
  type ScheduleEvent,
  ScheduleEventSchema,
  type ScheduleSpec,
  type ScheduleStatus,
  ScheduleStatusSchema,
} from '@svc/api/resources';
import { type Finding, type Judged, judgedConditions } from '../../../resources/index.ts';
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
  /** A client's write: counts a revision and restarts the timer. */
  readonly isWrite: boolean;
  /** The newest instant that was run; 0 before the first. None is run again, although clocks may be set back. */
  readonly firedAt: number;
  /** What the end of a run says about it; absent = as it was known before. */
  readonly lastRun?: Finding;
  /** The one run of the schedule failed as often as it is tried. */
  readonly hasGivenUp?: boolean;
}

interface Judgement {
  readonly judged: Judged;
  readonly nextRunAt: number | undefined;
}

const EVENTS_KEPT = 20;
/** Condition that says how the last run ended. */
export const RUN_CONDITION = 'LastRunSucceeded';

/**
 * The status a schedule has from now on; what runs noted in it stays. A schedule that is armed stays due at the same instant, however late, until
 * that instant has run or a client writes the schedule.
 */
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
    ...(facts.isWrite || !isArmed ? {} : claimOf(current)),
    recentEvents: [...(current?.recentEvents ?? []), ...newEvents(current, spec, { facts, isArmed })].slice(
      -EVENTS_KEPT,
    ),
  });
};

/** The claim of the process that runs the due instant now; a write ends the claim, and with it the run that has not begun. */
const claimOf = (current: ScheduleStatus | undefined) => ({
  ...(current?.claimedRunAt === undefined ? {} : { claimedRunAt: current.claimedRunAt }),
  ...(current?.claimExpiresAt === undefined ? {} : { claimExpiresAt: current.claimExpiresAt }),
});

/** The only run of a one-shot is done. */
const isDone = (timing: Timing | undefined, { firedAt }: Pick<ScheduleFacts, 'firedAt'>): boolean =>
  timing?.kind === 'at' && timing.runAt === firedAt;

const judge = (current: ScheduleStatus | undefined, spec: ScheduleSpec, facts: ScheduleFacts): Judgement => {
  const timing = readTiming(spec);
  const isOn = spec.enabled !== false;
  const isOpen = facts.isNamespaceLive && !facts.isDeleting;
  const wanted = isOn && isOpen && timing !== undefined ? nextRun(current, timing, facts) : undefined;
  const hasFailed = (current?.lastError ?? '') !== '';
  const isDegraded = !facts.hasTarget || hasFailed || (isOn && wanted === undefined);
  return {
    judged: {
      phase: phaseOf(facts, { isDone: isDone(timing, facts), isOff: !isOn || !isOpen, isDegraded }),
      findings: [
        armed(facts, {
          isOn,
          hasRun: wanted !== undefined,
          isMissed: timing?.kind === 'at',
          isDone: isDone(timing, facts),
          hasGivenUp: hasGivenUp(current, facts),
        }),
        target(spec, facts),
        ...lastRun(current, facts),
      ],
    },
    nextRunAt: wanted,
  };
};

const phaseOf = (
  { isDeleting }: ScheduleFacts,
  found: { readonly isDone: boolean; readonly isOff: boolean; readonly isDegraded: boolean },
): string => {
  if (isDeleting) return 'Terminating';
  if (found.isDone) return 'Completed';
  if (found.isOff) return 'Disabled';
  return found.isDegraded ? 'Degraded' : 'Ready';
};

/**
 * When the schedule runs next; undefined when it never does. An armed one stays due at its instant until that has run. One that was
 * disarmed with its namespace continues from the moment of the disarming, so that it catches up. A one-shot whose instant passed
 * while it was not armed is missed.
 */
const nextRun = (current: ScheduleStatus | undefined, timing: Timing, facts: ScheduleFacts): number | undefined => {
  const { isWrite, now, anchor, firedAt } = facts;
  const armedFor = current?.backendArmed === true ? Number(current.nextRunAt) : undefined;
  if (isDone(timing, facts) || hasGivenUp(current, facts)) return undefined;
  if (armedFor !== undefined && (!isWrite || (timing.kind === 'at' && armedFor === timing.runAt))) return armedFor;
  const after = isWrite ? now : (disarmedAt(current) ?? now);
  return nextInstant(timing, anchor, Math.max(after, timing.kind === 'at' ? 0 : firedAt));
};

/** A write of a client begins again. */
const hasGivenUp = (current: ScheduleStatus | undefined, facts: ScheduleFacts): boolean =>
  facts.hasGivenUp === true || (!facts.isWrite && armedReason(current) === GAVE_UP);

const armedReason = (current: ScheduleStatus | undefined): string | undefined =>
  current?.conditions.find(({ type }) => type === 'Armed')?.reason;

/** When the deletion of its namespace disarmed the schedule, micros; undefined where something else did, or nothing. */
const disarmedAt = (current: ScheduleStatus | undefined): number | undefined => {
  const last = current?.recentEvents.at(-1);
  const isMeant = last?.phase === 'arm' && last.outcome === 'disarmed' && armedReason(current) === NAMESPACE_DELETED;
  return isMeant ? Number(last.timestamp) : undefined;
};

const GAVE_UP = 'GaveUp';
const NAMESPACE_DELETED = 'NamespaceDeleted';

interface Arming {
  readonly isOn: boolean;
  /** A run is to come. */
  readonly hasRun: boolean;
  /** Without a run to come, the only one was missed. */
  readonly isMissed: boolean;
  readonly isDone: boolean;
  readonly hasGivenUp: boolean;
}

const armed = (facts: ScheduleFacts, found: Arming): Finding => {
  if (found.hasRun) return { type: 'Armed', status: 'True', reason: 'Armed' };
  if (!facts.isNamespaceLive)
    return { type: 'Armed', status: 'False', reason: NAMESPACE_DELETED, message: 'the namespace is deleted' };
  if (facts.isDeleting)
    return { type: 'Armed', status: 'False', reason: 'Deleting', message: 'the schedule is being deleted' };
  if (found.isDone) return { type: 'Armed', status: 'False', reason: 'Completed', message: 'its one run was started' };
  if (!found.isOn) return { type: 'Armed', status: 'False', reason: 'Disabled', message: 'the schedule is disabled' };
  if (found.hasGivenUp)
    return {
      type: 'Armed',
      status: 'False',
      reason: GAVE_UP,
      message: 'its run failed at every try: change the schedule to try again',
    };
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

const lastRun = (current: ScheduleStatus | undefined, facts: ScheduleFacts): readonly Finding[] =>
  facts.lastRun !== undefined
    ? [facts.lastRun]
    : (current?.conditions ?? [])
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
