import type { WorkflowStep } from '@svc/api/resources';
import { jsonOfData, jsonOfText, type SchemaCheck, schemaProblem } from '../values/index.ts';
import { failed, type StepEnd } from './step-contract.ts';

/** What an agent or a tool answered. */
interface Answer {
  readonly text: string;
  /** The same as data, where a tool has it. */
  readonly structured?: unknown;
}

/** The output that the policy of a step makes of an answer. */
export const outputOf = (check: SchemaCheck, { output }: WorkflowStep, { text, structured }: Answer): StepEnd => {
  if (output?.format !== 'json') return { end: 'completed', output: { text } };
  const found = structured === undefined ? jsonOfText(text) : jsonOfData(structured);
  if (found === undefined) return failed('OUTPUT_NOT_JSON', 'the answer holds no JSON', { text });
  const problem = schemaProblem(check, output.schemaJson, found.json);
  if (problem !== '') return failed('OUTPUT_SCHEMA', `the answer does not fit the schema: ${problem}`, { text });
  return { end: 'completed', output: found.json, ...(found.isRepaired ? { isRepaired: true } : {}) };
};
