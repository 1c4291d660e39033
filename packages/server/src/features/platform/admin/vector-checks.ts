import { type Check, fail, ok, warn } from './check.ts';

/** What search by meaning rests on. */
export interface VectorFacts {
  /** Such as `openai/text-embedding-3-small`. */
  readonly model: string;
  /** What compares vectors; undefined = nothing on this machine. */
  readonly engine: string | undefined;
  /** Documents that wait for vectors. */
  readonly waiting: number;
  /** Why the last request failed; undefined when it did not. */
  readonly problem: string | undefined;
}

/** Whether searches compare meanings, and by what; off is well. */
export const checkVectors = (facts: VectorFacts | undefined): Check => {
  const name = 'vectors';
  if (facts === undefined) return ok(name, 'off: searches go by words (knowledge.embeddings)');
  const { model, engine, waiting, problem } = facts;
  if (engine === undefined)
    return warn(name, 'searches go by words: vectors cannot be compared on this machine', 'see the log of the start');
  const text = `${model}, compared by ${engine}; ${waiting} documents wait for theirs`;
  return problem === undefined
    ? ok(name, text)
    : fail(name, `${text}: ${problem}`, 'check knowledge.embeddings, the key of its provider and the network');
};
