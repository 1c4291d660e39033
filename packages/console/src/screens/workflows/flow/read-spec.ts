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

/** Reads the steps of a spec as JSON text, such as a run keeps it. */
export const readSpec = (specJson: string): readonly FlowStep[] =>
  stepsOf(partOf(JSON.parse(specJson || '{}'), 'steps'));

/** A member of an object; undefined where there is none. */
export const partOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** The steps as they are written, from the value of `steps`; none where that is not a list. */
export const stepsOf = (steps: unknown): readonly FlowStep[] =>
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
