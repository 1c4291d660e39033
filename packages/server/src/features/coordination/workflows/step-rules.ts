import type { WorkflowStep, WorkflowStepRetryPolicy } from '@svc/api/resources';
import type { FieldViolation } from '../../../base/index.ts';
import { parsedJson, schemaProblem } from './json-schema.ts';

const DAY_SECONDS = 86_400;
/** Longest time-out or wait. */
const DURATION_MAX_SECONDS = 365 * DAY_SECONDS;
const DURATION = /^[1-9][0-9]*[smhd]?$/;
const UNIT_SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: DAY_SECONDS };
const INSTANT =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
const ID = /^[A-Za-z][A-Za-z0-9_-]{0,62}$/;
const FORMATS: ReadonlySet<string> = new Set(['', 'text', 'json']);
const ATTEMPTS_MAX = 100;
const MULTIPLIER_MAX = 10;

type Member =
  | 'agent'
  | 'prompt'
  | 'tool'
  | 'workflow'
  | 'output'
  | 'retry'
  | 'timeout'
  | 'resumeSchemaJson'
  | 'waitDuration'
  | 'waitUntil';

interface StepForm {
  readonly required: readonly Member[];
  readonly optional: readonly Member[];
}

const FORMS: Readonly<Record<string, StepForm>> = {
  agent: { required: ['agent', 'prompt'], optional: ['output', 'retry', 'timeout'] },
  tool: { required: ['tool'], optional: ['output', 'retry', 'timeout'] },
  workflow: { required: ['workflow'], optional: ['retry', 'timeout'] },
  transform: { required: [], optional: [] },
  pause: { required: ['prompt'], optional: ['resumeSchemaJson', 'timeout'] },
  wait: { required: [], optional: ['prompt', 'timeout', 'waitDuration', 'waitUntil', 'resumeSchemaJson'] },
};

const MEMBERS: readonly Member[] = [
  'agent',
  'prompt',
  'tool',
  'workflow',
  'output',
  'retry',
  'timeout',
  'resumeSchemaJson',
  'waitDuration',
  'waitUntil',
];

/** One fault of a definition; all of them share one reason. */
export const workflowFault = (field: string, description: string): FieldViolation => ({
  field,
  description,
  reason: 'WORKFLOW_INVALID',
});

/** Seconds of `90`, `90s`, `5m`, `2h`, `1d`; undefined when malformed or longer than a year. */
export const stepSeconds = (text: string): number | undefined => {
  if (!DURATION.test(text)) return undefined;
  const seconds = Number.parseInt(text, 10) * (UNIT_SECONDS[text.slice(-1)] ?? 1);
  return seconds <= DURATION_MAX_SECONDS ? seconds : undefined;
};

/** True for RFC 3339 with an offset, of a day that exists. */
export const isInstant = (text: string): boolean => {
  if (!INSTANT.test(text)) return false;
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number);
  return new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
};

const isSet = (step: WorkflowStep, member: Member): boolean => {
  const value = step[member];
  return typeof value === 'string' ? value !== '' : value !== undefined;
};

/** Faults of the fields of one step by its type; expressions and graph are judged elsewhere. */
export const checkStepFields = (step: WorkflowStep, at: string): readonly FieldViolation[] => [
  ...(ID.test(step.id) ? [] : [workflowFault(`${at}.id`, 'must be a letter and up to 62 letters, digits, "_" or "-"')]),
  ...checkForm(step, at),
  ...checkJson(step.inputJson, `${at}.inputJson`),
  ...checkSchema(step.resumeSchemaJson, `${at}.resumeSchemaJson`),
  ...checkOutput(step, at),
  ...checkDuration(step.timeout, `${at}.timeout`),
  ...checkDuration(step.waitDuration, `${at}.waitDuration`),
  ...(step.waitUntil === '' || isInstant(step.waitUntil)
    ? []
    : [workflowFault(`${at}.waitUntil`, 'must be an RFC 3339 time with an offset')]),
  ...(step.retry === undefined ? [] : checkRetry(step.retry, `${at}.retry`)),
];

const checkForm = (step: WorkflowStep, at: string): readonly FieldViolation[] => {
  const form = Object.hasOwn(FORMS, step.type) ? FORMS[step.type] : undefined;
  if (form === undefined) return [workflowFault(`${at}.type`, `must be one of ${Object.keys(FORMS).join(', ')}`)];
  const allowed: readonly Member[] = [...form.required, ...form.optional];
  const waits = ['waitDuration', 'waitUntil', 'resumeSchemaJson'] as const;
  return [
    ...form.required
      .filter((member) => !isSet(step, member) || String(step[member]).trim() === '')
      .map((member) => workflowFault(`${at}.${member}`, `is required of a step of type ${step.type}`)),
    ...MEMBERS.filter((member) => !allowed.includes(member) && isSet(step, member)).map((member) =>
      workflowFault(`${at}.${member}`, `has no meaning in a step of type ${step.type}`),
    ),
    ...(step.type === 'wait' && !waits.some((member) => isSet(step, member))
      ? [workflowFault(at, 'a wait needs waitDuration, waitUntil or resumeSchemaJson')]
      : []),
  ];
};

/** Faults of a field that holds JSON; '' is absent. */
export const checkJson = (text: string, field: string): readonly FieldViolation[] =>
  text === '' || parsedJson(text) !== undefined ? [] : [workflowFault(field, 'must be JSON')];

/** Faults of a field that holds a JSON Schema; '' is absent. */
export const checkSchema = (text: string, field: string): readonly FieldViolation[] => {
  const problem = text === '' ? '' : schemaProblem(text);
  return problem === '' ? [] : [workflowFault(field, problem)];
};

const checkOutput = (step: WorkflowStep, at: string): readonly FieldViolation[] => {
  const { output } = step;
  if (output === undefined) return [];
  return [
    ...(FORMATS.has(output.format) ? [] : [workflowFault(`${at}.output.format`, 'must be text, json or empty')]),
    ...(output.schemaJson !== '' && output.format !== 'json'
      ? [workflowFault(`${at}.output.schemaJson`, 'needs the format json')]
      : []),
    ...checkSchema(output.schemaJson, `${at}.output.schemaJson`),
  ];
};

const checkDuration = (text: string, field: string): readonly FieldViolation[] =>
  text === '' || stepSeconds(text) !== undefined
    ? []
    : [workflowFault(field, 'must be a duration such as 90s, 5m, 2h or 1d, at most 365d')];

const checkRetry = (retry: WorkflowStepRetryPolicy, at: string): readonly FieldViolation[] => {
  const { maxAttempts, initialBackoffSeconds, maxBackoffSeconds, multiplier } = retry;
  return [
    ...(maxAttempts > ATTEMPTS_MAX ? [workflowFault(`${at}.maxAttempts`, `must be at most ${ATTEMPTS_MAX}`)] : []),
    ...(initialBackoffSeconds < 0n ? [workflowFault(`${at}.initialBackoffSeconds`, 'must not be negative')] : []),
    ...(maxBackoffSeconds < 0n || maxBackoffSeconds > BigInt(DURATION_MAX_SECONDS)
      ? [workflowFault(`${at}.maxBackoffSeconds`, 'must lie between 0 and 365 days')]
      : []),
    ...(initialBackoffSeconds > maxBackoffSeconds
      ? [workflowFault(`${at}.initialBackoffSeconds`, 'must not exceed maxBackoffSeconds')]
      : []),
    ...(multiplier >= 1 && multiplier <= MULTIPLIER_MAX
      ? []
      : [workflowFault(`${at}.multiplier`, `must lie between 1 and ${MULTIPLIER_MAX}`)]),
  ];
};
