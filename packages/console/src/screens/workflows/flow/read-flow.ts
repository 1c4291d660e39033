import { parseDocument } from 'yaml';
import { type FlowStep, partOf, stepsOf } from './read-spec.ts';

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
