import { clone } from '@bufbuild/protobuf';
import { type ScheduleSpec, ScheduleSpecSchema, type ScheduleTarget } from '@svc/api/resources';
import { type FieldViolation, oversize, parseJsonText, violation } from '../../../base/index.ts';
import {
  CronExpression,
  isTimezone,
  nextInstants,
  parseRunAt,
  readTiming,
  type ScheduleKind,
  scheduleKind,
  type Timing,
} from './timing/index.ts';

type TextMap = Readonly<Record<string, string>>;

/** What judging a spec needs to know in addition to it; times are micros. */
export interface JudgeFacts {
  readonly now: number;
  /** `schedules.minSpacingSeconds`. */
  readonly minSpacingSeconds: number;
  /** The instant of kind `at` that was fired already; it may lie in the past. */
  readonly firedAt?: number;
  /** The spec is as it is stored: it was judged when it was written, and its time may have come since. */
  readonly isStored?: boolean;
}

const INPUT_MESSAGE_BYTES = 64 * 1024;
const INPUT_JSON_BYTES = 256 * 1024;
const SECOND = 1_000_000;
/** Runs whose gaps are checked. */
const SPACING_RUNS = 200;
const MINUTE_SECONDS = 60;
const FIVE_YEARS = 5 * 366 * 86_400 * SECOND;
const SESSION_MODES: ReadonlySet<string> = new Set(['', 'new', 'fresh', 'reuse', 'named', 'pinned']);
/** Annotations of schedules and what they may say. */
const OPTIONS: Readonly<Record<string, ReadonlySet<string>>> = {
  'option.svc/overlap': new Set(['allow', 'skip']),
  'option.svc/catch-up': new Set(['one', 'skip']),
};

/** A schedule's spec as it is stored: `enabled` is filled in, words stay as they were written. */
export const fillSchedule = (spec: ScheduleSpec): ScheduleSpec => {
  if (spec.enabled !== undefined) return spec;
  const filled = clone(ScheduleSpecSchema, spec);
  filled.enabled = true;
  return filled;
};

/** All faults of a schedule; its targets need not exist. */
export const checkSchedule = (
  spec: ScheduleSpec,
  annotations: TextMap,
  facts: JudgeFacts,
): readonly FieldViolation[] => {
  const kind = scheduleKind(spec);
  return [
    ...(kind === undefined ? [kindFault(spec)] : [...checkOtherFields(spec, kind), ...checkKind[kind](spec, facts)]),
    ...(isTimezone(spec.timezone) ? [] : [violation('spec.timezone', 'is not an IANA time zone', 'TIMEZONE')]),
    ...checkTarget(spec.target),
    ...checkInputs(spec),
    ...checkOptions(annotations),
  ];
};

const kindFault = (spec: ScheduleSpec): FieldViolation =>
  spec.kind.trim() === ''
    ? violation('spec.kind', 'exactly one of runAt, intervalSeconds and cron is required', 'SCHEDULE_KIND')
    : violation('spec.kind', 'must be at, every or cron', 'SCHEDULE_KIND');

const checkOtherFields = (spec: ScheduleSpec, kind: ScheduleKind): readonly FieldViolation[] => {
  const stranger = (field: string): FieldViolation =>
    violation(field, `is not for schedules of kind ${kind}`, 'FIELD_NOT_FOR_KIND');
  return [
    ...(kind !== 'at' && spec.runAt !== '' ? [stranger('spec.runAt')] : []),
    ...(kind !== 'every' && spec.intervalSeconds !== 0 ? [stranger('spec.intervalSeconds')] : []),
    ...(kind !== 'cron' && spec.cron !== '' ? [stranger('spec.cron')] : []),
  ];
};

const checkAt = (spec: ScheduleSpec, facts: JudgeFacts): readonly FieldViolation[] => {
  const runAt = isTimezone(spec.timezone) ? parseRunAt(spec.runAt, spec.timezone) : parseRunAt(spec.runAt, '');
  if (runAt === undefined) return [violation('spec.runAt', 'is not an RFC 3339 time', 'RUN_AT')];
  // The timer keeps it as a number: one beyond what those hold exactly could be written, but no backup could read it.
  if (runAt > Number.MAX_SAFE_INTEGER) return [violation('spec.runAt', 'lies after the year 2254', 'RUN_AT')];
  const isLate = runAt <= facts.now && spec.enabled !== false && runAt !== facts.firedAt;
  return isLate && facts.isStored !== true ? [violation('spec.runAt', 'lies in the past', 'RUN_AT_PAST')] : [];
};

const checkEvery = (spec: ScheduleSpec, { minSpacingSeconds }: JudgeFacts): readonly FieldViolation[] =>
  spec.intervalSeconds >= Math.max(1, minSpacingSeconds)
    ? []
    : [violation('spec.intervalSeconds', `must be at least ${Math.max(1, minSpacingSeconds)}`, 'INTERVAL')];

const checkCron = (spec: ScheduleSpec, facts: JudgeFacts): readonly FieldViolation[] => {
  if (CronExpression.parse(spec.cron) === undefined)
    return [
      violation('spec.cron', 'is not a cron expression of five fields, or six with seconds first', 'CRON_SYNTAX'),
    ];
  const timing = readTiming(spec);
  // The time zone is refused by itself.
  if (timing === undefined) return [];
  return checkRuns(timing, facts);
};

const checkRuns = (timing: Timing, { now, minSpacingSeconds }: JudgeFacts): readonly FieldViolation[] => {
  const isFarApart = timing.kind === 'cron' && timing.cron.isMinutely && minSpacingSeconds <= MINUTE_SECONDS;
  const runs = nextInstants(timing, { anchor: now, after: now }, isFarApart ? 1 : SPACING_RUNS + 1);
  const [first] = runs;
  if (first === undefined || first > now + FIVE_YEARS)
    return [violation('spec.cron', 'does not come in the next five years', 'CRON_NEVER')];
  const gaps = runs.slice(1).map((run, index) => run - Number(runs[index]));
  const isDense = gaps.some((gap) => gap < minSpacingSeconds * SECOND);
  return isDense ? [violation('spec.cron', `runs closer together than ${minSpacingSeconds} s`, 'CRON_SPACING')] : [];
};

const checkKind = { at: checkAt, every: checkEvery, cron: checkCron } as const;

const checkTarget = (target: ScheduleTarget | undefined): readonly FieldViolation[] => {
  const { agent = '', workflow = '', sessionMode = '' } = target ?? {};
  return [
    ...((agent === '') === (workflow === '')
      ? [violation('spec.target', 'exactly one of agent and workflow is required', 'TARGET')]
      : []),
    ...(SESSION_MODES.has(sessionMode.trim().toLowerCase())
      ? []
      : [violation('spec.target.sessionMode', 'must be new or reuse', 'SESSION_MODE')]),
  ];
};

const checkInputs = (spec: ScheduleSpec): readonly FieldViolation[] => [
  ...(Buffer.byteLength(spec.inputMessage) > INPUT_MESSAGE_BYTES
    ? [oversize('spec.inputMessage', INPUT_MESSAGE_BYTES)]
    : []),
  ...(Buffer.byteLength(spec.inputJson) > INPUT_JSON_BYTES
    ? [oversize('spec.inputJson', INPUT_JSON_BYTES)]
    : isJson(spec.inputJson)
      ? []
      : [violation('spec.inputJson', 'is not JSON', 'INPUT_JSON')]),
];

const isJson = (text: string): boolean => {
  if (text === '') return true;
  try {
    parseJsonText(text);
    return true;
  } catch {
    return false;
  }
};

const checkOptions = (annotations: TextMap): readonly FieldViolation[] =>
  Object.entries(OPTIONS).flatMap(([key, words]) => {
    const said = annotations[key];
    if (said === undefined || words.has(said)) return [];
    return [violation(`metadata.annotations[${key}]`, `must be ${[...words].join(' or ')}`)];
  });
