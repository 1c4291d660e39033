import { parseDocument } from 'yaml';

/** What a graph shows of a step. */
export interface FlowStep {
  readonly id: string;
  /** agent, tool, workflow, transform, pause or wait; '' while it is being written. */
  readonly type: string;
  /** Ids of the steps that it waits for, also those that do not exist. */
  readonly after: readonly string[];
  /** What it calls: name of its agent, tool or workflow; else its prompt or time, or ''. */
  readonly does: string;
}

/** The steps of a text, or why they cannot be read. */
export interface Flow {
  readonly steps: readonly FlowStep[];
  readonly problem: string | undefined;
}

/** Reads the steps of a Workflow as YAML. A text that is half written gives what can be read of it. */
export const readFlow = (text: string): Flow => {
  const document = parseDocument(text, { prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) return { steps: [], problem: error.message };
  return { steps: stepsOf(partOf(partOf(document.toJS({ maxAliasCount: 100 }), 'spec'), 'steps')), problem: undefined };
};

/** Reads the steps of a spec as JSON text, such as a run keeps it. */
export const readSpec = (specJson: string): readonly FlowStep[] =>
  stepsOf(partOf(JSON.parse(specJson || '{}'), 'steps'));

const partOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

const stepsOf = (steps: unknown): readonly FlowStep[] =>
  Array.isArray(steps)
    ? steps.map((step: unknown) => {
        const after = partOf(step, 'after');
        return {
          id: textOf(partOf(step, 'id')),
          type: textOf(partOf(step, 'type')),
          after: Array.isArray(after) ? after.map(textOf) : [],
          does: DOES.map((field) => textOf(partOf(step, field))).find((text) => text !== '') ?? '',
        };
      })
    : [];

const DOES = ['agent', 'tool', 'workflow', 'prompt', 'duration', 'waitDuration', 'until', 'waitUntil'];
