import { clone, create } from '@bufbuild/protobuf';
import {
  type ScheduleEvent,
  ScheduleEventSchema,
  type ScheduleSpec,
  type ScheduleStatus,
  ScheduleStatusSchema,
} from '@svc/api/resources';
import type { Finding } from '../../../../resources/index.ts';
import { RUN_CONDITION } from '../schedule-status-rules.ts';
import { instantsBefore, latestInstant, type Timing } from '../timing/index.ts';

/** What of a schedule's runs is judged without a store: which instant is due, when a failed one is tried again, what the status says. */

const SECOND = 1_000_000;
/** An instant that is this late was missed while nothing ran schedules, micros. */
const OVERDUE = 60 * SECOND;
/** Missed instants that are counted. */
const MISSED_MAX = 10_000;
/** Waits between the tries of one run, micros; after the last one there is no further try. */
const RETRY_WAITS = [5, 30, 120, 600].map((seconds) => seconds * SECOND);
/** The longest error that a status shows, in characters. */
const ERROR_CHARS = 500;

/** The instant that is to be run now, of all that are due. */
export interface DueRun {
  /** Micros. */
  readonly instant: number;
  /** Earlier instants that are not run. */
  readonly missed: number;
  /** Nothing ran the schedule when the instant came. */
  readonly isOverdue: boolean;
}

/** Of the instants from `first` until now the newest is run, and the others count as missed; times are micros. */
export const dueRun = (timing: Timing, first: number, now: number): DueRun => {
  const instant = latestInstant(timing, first, now);
  const missed = instantsBefore(timing, { first, last: instant }, MISSED_MAX);
  return { instant, missed, isOverdue: now - instant > OVERDUE };
};

/**
 * When a run that has now failed `failures` times is tried again, micros; undefined when it is not: it was tried five times, or its schedule
 * runs again by then.
 */
export const retryAt = (failures: number, now: number, nextInstant: number | undefined): number | undefined => {
  const wait = RETRY_WAITS[failures - 1];
  if (wait === undefined || (nextInstant !== undefined && nextInstant <= now + wait)) return undefined;
  return now + wait;
};

/** The message that begins the turn: what the turn is, then the text of the schedule as it was written. */
export const runMessage = (name: string, instant: number, inputMessage: string): string => {
  const at = new Date(Math.floor(instant / 1_000)).toISOString();
  const header = [
    `Scheduled run of "${name}", due at ${at}.`,
    'This message was sent automatically. Do not create, change or delete schedules unless it asks you to.',
  ].join('\n');
  return inputMessage === '' ? header : `${header}\n\n${inputMessage}`;
};

/** What happens to a schedule, as its status keeps it. */
export interface RunNews {
  /** Micros. */
  readonly now: number;
  /** Phase, outcome and detail. */
  readonly events: readonly (readonly [phase: string, outcome: string, detail?: string])[];
  /** The instant that the schedule is armed for from now on, micros; null = it is not armed; absent = as before. */
  readonly nextRunAt?: number | null;
  /** '' = none any more; absent = as before. */
  readonly lastError?: string;
  /** A run began in this session. */
  readonly startedIn?: string;
  /** A claim of an instant until a time, micros; null = there is none any more; absent = as before. */
  readonly claim?: { readonly runAt: number; readonly until: number } | null;
}

/** The status with the news in it. What follows from it, such as the phase, is judged afterwards. */
export const statusWithNews = (current: ScheduleStatus, news: RunNews): ScheduleStatus => {
  const status = clone(ScheduleStatusSchema, current);
  const { now, events, nextRunAt, lastError, startedIn, claim } = news;
  status.recentEvents.push(...events.map((event) => runEvent(now, event)));
  if (nextRunAt === null) {
    delete status.nextRunAt;
    status.backendArmed = false;
  } else if (nextRunAt !== undefined) {
    status.nextRunAt = BigInt(nextRunAt);
  }
  if (lastError === '') delete status.lastError;
  else if (lastError !== undefined) status.lastError = lastError.slice(0, ERROR_CHARS);
  if (startedIn !== undefined) {
    status.lastRunAt = BigInt(now);
    status.lastSessionId = startedIn;
  }
  if (claim === null) {
    delete status.claimedRunAt;
    delete status.claimExpiresAt;
  } else if (claim !== undefined) {
    status.claimedRunAt = BigInt(claim.runAt);
    status.claimExpiresAt = BigInt(claim.until);
  }
  return status;
};

const runEvent = (now: number, [phase, outcome, detail = '']: RunNews['events'][number]): ScheduleEvent =>
  create(ScheduleEventSchema, { timestamp: BigInt(now), phase, outcome, detail });

/** How the turn of a run ended. */
export type RunEnd = 'completed' | 'failed' | 'stopped';

/** What the condition of the last run says from now on. */
export const runFinding = (end: RunEnd, message: string): Finding =>
  end === 'completed'
    ? { type: RUN_CONDITION, status: 'True', reason: 'Completed' }
    : {
        type: RUN_CONDITION,
        status: 'False',
        reason: end === 'failed' ? 'Failed' : 'Stopped',
        message: message.slice(0, ERROR_CHARS),
      };

/** Whether runs use one session, and which: '' = the one that the last run used. Undefined: each run has a session of its own. */
export const reusedSession = (spec: ScheduleSpec): string | undefined => {
  const { sessionMode = '', sessionId = '' } = spec.target ?? {};
  return ['reuse', 'named', 'pinned'].includes(sessionMode.trim().toLowerCase()) ? sessionId : undefined;
};
