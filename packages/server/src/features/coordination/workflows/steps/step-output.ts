import type { WorkflowStep } from '@svc/api/resources';
import type { JsonData } from '../../../../resources/index.ts';
import type { ObjectData } from '../../../../runtime/contract.ts';
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

/** Characters of a text that its output shows where the whole of it is an object. */
const SHOWN_CHARS = 2_000;

/** The output of a tool whose text is larger than outputs may be: its beginning, and the object that holds all of it. */
export const storedTextOutput = (
  text: string,
  { key, mediaType, sizeBytes, sha256, filename }: ObjectData,
): JsonData => ({
  text: `${text.slice(0, SHOWN_CHARS).toWellFormed()}\n[cut: the whole text, ${sizeBytes} bytes, is an object]`,
  object: { key, mediaType, sizeBytes, sha256, filename },
});
