import type { ScheduleEvent, ScheduleSpec, ScheduleTarget } from '@svc/api/resources';
import type { Tone } from '../../ui/badge.tsx';
import { millisOf } from '../../ui/time-texts.ts';

/** When a schedule runs, in words. */
export const whenText = (spec: ScheduleSpec | undefined): string => {
  if (spec === undefined) return '';
  if (spec.cron !== '') return spec.cron;
  if (spec.intervalSeconds > 0) return `every ${intervalText(spec.intervalSeconds)}`;
  return spec.runAt === '' ? '' : `once at ${spec.runAt}`;
};

const UNITS = [
  { unit: 'd', seconds: 86_400 },
  { unit: 'h', seconds: 3_600 },
  { unit: 'min', seconds: 60 },
] as const;

const intervalText = (seconds: number): string => {
  const fits = UNITS.find((each) => seconds % each.seconds === 0);
  return fits === undefined ? `${seconds} s` : `${seconds / fits.seconds} ${fits.unit}`;
};

/** What a schedule starts, such as `agent clerk`. */
export const targetText = (target: ScheduleTarget | undefined): string => {
  if (target === undefined) return '';
  return target.workflow === '' ? `agent ${target.agent}` : `workflow ${target.workflow}`;
};

/** One planned run as its zone writes it. */
export interface PlannedRun {
  /** Unix microseconds. */
  readonly at: bigint;
  /** Such as `Mon, 30 Mar 2026, 03:00:00`. */
  readonly text: string;
  /** Offset of the zone then, such as `GMT+2`. */
  readonly offset: string;
  /** The offset is another one than at the run before. */
  readonly isAfterChange: boolean;
}

/** Runs (Unix microseconds) in the zone of the schedule, with the places where clocks change between them. */
export const plannedRuns = (moments: readonly bigint[], zone: string): readonly PlannedRun[] => {
  const timeZone = zone === '' ? 'UTC' : zone;
  const full = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  const offsets = new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'shortOffset' });
  const offsetOf = (at: bigint): string =>
    offsets.formatToParts(millisOf(at)).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return moments.map((at, index) => {
    const before = moments[index - 1];
    const offset = offsetOf(at);
    return {
      at,
      text: full.format(millisOf(at)),
      offset,
      isAfterChange: before !== undefined && offsetOf(before) !== offset,
    };
  });
};

const EVENT_TONES: Readonly<Record<string, Tone>> = {
  success: 'good',
  completed: 'good',
  ready: 'good',
  armed: 'calm',
  error: 'bad',
  failed: 'bad',
  retry: 'warn',
  skipped: 'warn',
  missed: 'warn',
  expired: 'warn',
};

const EVENT_WORDS: Readonly<Record<string, string>> = {
  'initialize/ready': 'Made',
  'initialize/disabled': 'Made, switched off',
  'arm/armed': 'Timer set',
  'arm/disarmed': 'Timer taken away',
  'claim/acquired': 'A process began a run',
  'claim/expired': 'A process that began a run never got to it',
  'dispatch/success': 'Started',
  'dispatch/disabled': 'Ran its one time and is off now',
  'dispatch/retry': 'Could not start, is tried again',
  'dispatch/error': 'Could not start, given up',
  'dispatch/skipped': 'Left out',
  'dispatch/missed': 'Missed while nothing ran',
  'run/completed': 'Ended well',
  'run/failed': 'Failed',
  'run/stopped': 'Was stopped',
  'manual/success': 'Started by hand',
};

/** An entry of the history in words, and how it looks. */
export const eventWords = ({ phase, outcome }: ScheduleEvent): { readonly text: string; readonly tone: Tone } => ({
  text: EVENT_WORDS[`${phase}/${outcome}`] ?? `${phase}: ${outcome}`,
  tone: EVENT_TONES[outcome] ?? 'calm',
});
