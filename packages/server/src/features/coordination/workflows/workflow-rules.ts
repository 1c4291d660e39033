import { clone, toJsonString } from '@bufbuild/protobuf';
import { type WorkflowSpec, WorkflowSpecSchema, type WorkflowStep } from '@svc/api/resources';
import { type FieldViolation, oversize } from '../../../base/index.ts';
import { isJsonMap, type JsonData } from '../../../resources/index.ts';
import { parsedJson } from './json-schema.ts';
import { type Path, parseExpressionText, pathsOf, rootOf } from './path-expressions.ts';
import { checkPredicate } from './predicate-rules.ts';
import { findCycles, upstreamOf } from './step-graph.ts';
import { checkJson, checkSchema, checkStepFields, workflowFault } from './step-rules.ts';

export interface WorkflowLimits {
  /** `limits.workflowDefinitionMax`, bytes of the spec as JSON. */
  readonly definitionBytes: number;
  /** `limits.stepsMax`. */
  readonly steps: number;
}

const RETRY = { maxAttempts: 3, initialBackoffSeconds: 1n, maxBackoffSeconds: 30n, multiplier: 2 };

/** The spec with the zero fields of its retry policies filled in. */
export const fillWorkflowDefaults = (spec: WorkflowSpec): WorkflowSpec => {
  const filled = clone(WorkflowSpecSchema, spec);
  for (const { retry } of filled.steps) {
    if (retry === undefined) continue;
    retry.maxAttempts ||= RETRY.maxAttempts;
    retry.initialBackoffSeconds ||= RETRY.initialBackoffSeconds;
    retry.maxBackoffSeconds ||= RETRY.maxBackoffSeconds;
    retry.multiplier ||= RETRY.multiplier;
  }
  return filled;
};

/** All faults of a definition. */
export const checkWorkflow = (spec: WorkflowSpec, limits: WorkflowLimits): readonly FieldViolation[] => {
  const { steps } = spec;
  const ids = new Set(steps.map((step) => step.id));
  const bytes = Buffer.byteLength(toJsonString(WorkflowSpecSchema, spec));
  if (bytes > limits.definitionBytes) return [oversize('spec', limits.definitionBytes, 'limits.workflowDefinitionMax')];
  const count = workflowFault('spec.steps', `must hold 1 to ${limits.steps} steps`);
  // The rules compare each step with the others: of tens of thousands that would take seconds.
  if (steps.length > limits.steps) return [count];
  return [
    ...(steps.length === 0 ? [count] : []),
    ...steps.flatMap((step, index) => checkStep(step, { at: `spec.steps[${index}]`, index, ids, steps })),
    ...checkCycle(steps),
    ...checkSchema(spec.inputSchemaJson, 'spec.inputSchemaJson'),
    ...checkSchema(spec.outputSchemaJson, 'spec.outputSchemaJson'),
    ...checkJson(spec.outputJson, 'spec.outputJson'),
    ...checkPaths(readJsonTexts(spec.outputJson), 'spec.outputJson', ids),
  ];
};

interface StepPlace {
  readonly at: string;
  readonly index: number;
  readonly ids: ReadonlySet<string>;
  readonly steps: readonly WorkflowStep[];
}

const checkStep = (step: WorkflowStep, place: StepPlace): readonly FieldViolation[] => {
  const { at, index, ids, steps } = place;
  const first = steps.findIndex((other) => other.id === step.id);
  return [
    ...checkStepFields(step, at),
    ...(first < index ? [workflowFault(`${at}.id`, `"${step.id.slice(0, 63)}" is the id of another step`)] : []),
    ...step.after.flatMap((name, position) =>
      ids.has(name) && name !== step.id
        ? []
        : [workflowFault(`${at}.after[${position}]`, `"${name.slice(0, 63)}" is not another step`)],
    ),
    ...checkWhen(step, at, ids),
    ...checkPaths(readJsonTexts(step.inputJson), `${at}.inputJson`, ids),
    ...checkPaths([parseExpressionText(step.prompt)], `${at}.prompt`, ids),
  ];
};

const checkCycle = (steps: readonly WorkflowStep[]): readonly FieldViolation[] => {
  const cycles = findCycles(steps.filter((step) => !step.after.includes(step.id)));
  return cycles.map((cycle) => workflowFault('spec.steps', `cycle: ${cycle.join(' -> ')}`));
};

const checkWhen = (step: WorkflowStep, at: string, ids: ReadonlySet<string>): readonly FieldViolation[] => {
  if (step.whenJson === '') return [];
  const parsed = parsedJson(step.whenJson);
  if (parsed === undefined) return [workflowFault(`${at}.whenJson`, 'must be JSON')];
  const { problems, paths } = checkPredicate(parsed.json);
  return [...problems, ...paths.flatMap((path) => pathProblems(path, ids))].map((problem) =>
    workflowFault(`${at}.whenJson`, problem),
  );
};

const pathProblems = (path: Path, ids: ReadonlySet<string>): readonly string[] => {
  const { step, problem } = rootOf(path);
  if (step !== undefined && !ids.has(step)) return [`"${step.slice(0, 63)}" is not a step`];
  return problem === '' ? [] : [problem];
};

type Texts = readonly ReturnType<typeof parseExpressionText>[];

const checkPaths = (texts: Texts, field: string, ids: ReadonlySet<string>): readonly FieldViolation[] =>
  texts
    .flatMap((text) => [
      ...(text.problem === '' ? [] : [text.problem]),
      ...pathsOf(text).flatMap((path) => pathProblems(path, ids)),
    ])
    .map((problem) => workflowFault(field, problem));

/** Every string value of a JSON text, read for expressions; keys hold none. */
const readJsonTexts = (json: string): Texts => {
  const parsed = json === '' ? undefined : parsedJson(json);
  return parsed === undefined ? [] : textsOf(parsed.json).map(parseExpressionText);
};

const textsOf = (value: JsonData): readonly string[] => {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap((item: JsonData) => textsOf(item));
  return isJsonMap(value) ? Object.values(value).flatMap(textsOf) : [];
};

/** Uses of a step's result by a step that does not wait for it: the value may be missing. */
export const unorderedUses = (spec: WorkflowSpec): readonly string[] =>
  spec.steps.flatMap((step) => {
    const upstream = upstreamOf(step.id, spec.steps);
    return [...stepsReadBy(step)]
      .filter((id) => !upstream.has(id))
      .map((id) => `step ${step.id} reads ${id} without waiting for it`);
  });

/** Ids of the steps that the expressions and the condition of a step read. */
export const stepsReadBy = (step: WorkflowStep): ReadonlySet<string> => {
  const when = step.whenJson === '' ? undefined : parsedJson(step.whenJson);
  const texts = [...readJsonTexts(step.inputJson), parseExpressionText(step.prompt)];
  return stepsOf([...texts.flatMap(pathsOf), ...(when === undefined ? [] : checkPredicate(when.json).paths)]);
};

/** Ids of the steps that the expressions in a JSON text read. */
export const stepsReadByJson = (json: string): ReadonlySet<string> => stepsOf(readJsonTexts(json).flatMap(pathsOf));

const stepsOf = (paths: readonly Path[]): ReadonlySet<string> =>
  new Set(paths.flatMap((path) => rootOf(path).step ?? []));
