import { BoundedCache, type Clock, isFault, type Log } from '../../../base/index.ts';
import type { TurnUsage } from '../../../runtime/contract.ts';
import type { Store } from '../../../store/contracts/index.ts';
import type { ChargeVectors } from './vector-usage.ts';

/** A model that makes vectors. */
export interface VectorTarget {
  readonly provider: string;
  readonly model: string;
}

/** A vector for each text, or why there is none. */
type Embedded =
  | { readonly vectors: readonly Float32Array[]; readonly usage: TurnUsage }
  | { readonly failure: { readonly errorClass: string; readonly sentence: string; readonly retryAfterMs?: number } };

/** Makes vectors of texts, each request once; never rejects. */
export interface Embedder {
  embed(
    request: VectorTarget & {
      readonly texts: readonly string[];
      readonly purpose: 'document' | 'query';
      readonly signal: AbortSignal;
    },
  ): Promise<Embedded>;
}

/** What a query means, as the vectors of a model say it; or why searches go by words only for now. */
export type Meant = { readonly model: string; readonly vector: Float32Array } | { readonly notice: string };

interface QueryMeaningDeps {
  readonly store: Pick<Store, 'direct' | 'write'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly models: Embedder;
  readonly target: VectorTarget;
  readonly charge: ChargeVectors;
}

/** How long a search waits for the vector of its query. */
const QUERY_MS = 3_000;
/** How long a model that failed is not asked again. */
const PAUSE_MS = 15_000;
const KEPT_QUERIES = 512;

/** The name under which the vectors of a model are stored. */
export const modelName = ({ provider, model }: VectorTarget): string => `${provider}/${model}`;

/** Vectors of queries. A search never fails for the want of one, and waits a few seconds for it at most. */
export class QueryMeaning {
  readonly #deps: QueryMeaningDeps;
  readonly #kept = new BoundedCache<string, Float32Array>(KEPT_QUERIES);
  #pausedUntilMs = 0;

  constructor(deps: QueryMeaningDeps) {
    this.#deps = deps;
  }

  /** Undefined where the store compares no vectors. The namespace pays for the first search of the query. */
  async of(query: string, namespace: string): Promise<Meant | undefined> {
    const { store, clock, log, target } = this.#deps;
    if (store.direct.search.vectorEngine === undefined) return undefined;
    const model = modelName(target);
    const known = this.#kept.get(query);
    if (known !== undefined) return { model, vector: known };
    if (clock.monotonicMs() < this.#pausedUntilMs) return WORDS_ONLY;
    const vector = await this.#ask(query, namespace);
    if (vector instanceof Float32Array) {
      this.#kept.set(query, vector);
      return { model, vector };
    }
    this.#pausedUntilMs = clock.monotonicMs() + PAUSE_MS;
    log.warn('searches go by words only for a moment', { model, reason: vector });
    return WORDS_ONLY;
  }

  /** The vector, or the sentence that says why there is none. */
  async #ask(query: string, namespace: string): Promise<Float32Array | string> {
    const { store, clock, models, target, charge } = this.#deps;
    const late = new AbortController();
    const cancel = clock.after(QUERY_MS, () => late.abort());
    const answer = await models.embed({ ...target, texts: [query], purpose: 'query', signal: late.signal });
    cancel();
    if ('failure' in answer) return answer.failure.sentence;
    try {
      await store.write((tx) => charge(tx, namespace, answer.usage));
    } catch (error) {
      if (!isFault(error)) throw error;
      // A full disk refuses writes and lets reads continue, and a search is one.
      return `What the vector cost cannot be recorded: ${error.message}`;
    }
    return answer.vectors[0] ?? 'The provider answered no vector.';
  }
}

const WORDS_ONLY: Meant = {
  notice: 'Searched by words only: the model that compares meanings does not answer at the moment.',
};
