import type { Resource } from '@svc/api/resources';
import { millisOf } from '../../ui/time-texts.ts';

const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** How many of the moments (Unix microseconds) fall into each five minutes of the last hour, oldest first. */
export const lastHour = (moments: readonly bigint[], nowMs: number): readonly number[] => {
  const counts = Array.from({ length: 12 }, () => 0);
  for (const moment of moments) {
    const back = Math.floor((nowMs - millisOf(moment)) / (5 * MINUTE_MS));
    // A clock of the server that is a little ahead of the page's counts as now.
    const place = 11 - Math.max(0, back);
    if (place >= 0) counts[place] = (counts[place] ?? 0) + 1;
  }
  return counts;
};

/** True for a moment in Unix microseconds that is at most so many milliseconds ago. */
export const isWithin = (moment: bigint, ageMs: number, nowMs: number): boolean => nowMs - millisOf(moment) <= ageMs;

/** A limit of a usage policy of which at least four fifths are used. */
export interface NearLimit {
  readonly ns: string;
  readonly policy: string;
  readonly metric: string;
  readonly used: number;
  readonly max: number;
  readonly window: string;
  /** Unix microseconds. */
  readonly resetAt: bigint;
}

const NEAR = 0.8;

/** Limits near their end, the fullest first. */
export const nearLimits = (policies: readonly Resource[]): readonly NearLimit[] =>
  policies
    .flatMap(({ metadata, status }) =>
      status?.kind.case !== 'usagePolicy'
        ? []
        : status.kind.value.hard.map(({ metric, used, max, window, resetAt }) => ({
            ns: metadata?.namespace ?? '',
            policy: metadata?.name ?? '',
            metric,
            used: Number(used),
            max: Number(max),
            window,
            resetAt: resetAt * 1_000_000n,
          })),
    )
    .filter(({ used, max }) => used >= max * NEAR)
    .sort((one, other) => other.used / other.max - one.used / one.max);

/** A schedule with its next or its failed run. */
export interface ScheduleLine {
  readonly ns: string;
  readonly name: string;
  /** Unix microseconds; undefined when no run is planned. */
  readonly nextRunAt: bigint | undefined;
  /** '' when the last run did not fail. */
  readonly lastError: string;
}

export const scheduleLines = (schedules: readonly Resource[]): readonly ScheduleLine[] =>
  schedules.flatMap(({ metadata, status }) =>
    status?.kind.case !== 'schedule'
      ? []
      : [
          {
            ns: metadata?.namespace ?? '',
            name: metadata?.name ?? '',
            nextRunAt: status.kind.value.nextRunAt,
            lastError: status.kind.value.lastError ?? '',
          },
        ],
  );

/** Schedules that run within the next hour, the next first. */
export const dueSchedules = (lines: readonly ScheduleLine[], nowMs: number): readonly ScheduleLine[] =>
  lines
    .filter(({ nextRunAt }) => nextRunAt !== undefined && millisOf(nextRunAt) - nowMs <= HOUR_MS)
    .sort((one, other) => Number((one.nextRunAt ?? 0n) - (other.nextRunAt ?? 0n)));

/** How many of each kind of resource there are, as far as the first steps ask. */
export interface Existing {
  readonly sessions: number;
  readonly secrets: number;
  /** Agents without the demo agent. */
  readonly ownAgents: number;
  readonly tools: number;
  readonly rooms: number;
}

/** The first steps with a new instance, and which of them are done: what exists says so, not a note about it. */
export const firstSteps = (existing: Existing) =>
  [
    { step: 'talk', isDone: existing.sessions > 0 },
    { step: 'key', isDone: existing.secrets > 0 },
    { step: 'agent', isDone: existing.ownAgents > 0 },
    { step: 'tool', isDone: existing.tools > 0 },
    { step: 'room', isDone: existing.rooms > 0 },
  ] as const;
