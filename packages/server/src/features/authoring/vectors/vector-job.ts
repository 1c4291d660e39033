import type { Clock, Ids, Log } from '../../../base/index.ts';
import type { TurnUsage } from '../../../runtime/contract.ts';
import type { BareChunk, Store } from '../../../store/contracts/index.ts';
import { type Embedder, modelName, type VectorTarget } from './query-meaning.ts';
import { type ChargeVectors, sharesOf } from './vector-usage.ts';

interface VectorJobDeps {
  readonly store: Pick<Store, 'write' | 'direct'>;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'next'>;
  readonly log: Log;
  readonly models: Embedder;
  readonly target: VectorTarget;
  readonly charge: ChargeVectors;
}

type Made = { readonly vectors: readonly Float32Array[]; readonly usage: TurnUsage };

type EmbedFailure = Extract<Awaited<ReturnType<Embedder['embed']>>, { readonly failure: unknown }>['failure'];

/** What `svc doctor` tells of vectors. */
export interface VectorFacts {
  readonly model: string;
  /** What compares them; undefined = nothing on this machine. */
  readonly engine: string | undefined;
  /** Documents that wait for vectors, counted up to COUNTED_MAX. */
  readonly waiting: number;
  /** Why the last request failed; undefined when it did not. */
  readonly problem: string | undefined;
}

/** Chunks of one request: about 20,000 tokens. */
const BATCH_CHUNKS = 64;
/** Requests of one run; the next one begins two seconds later. */
const RUN_REQUESTS = 50;
const LEASE = 'vectors';
/** Longer than a request may take. */
const LEASE_MICROS = 90_000_000;
const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 300_000;
/** How long documents wait that the provider refuses by themselves. */
const REFUSED_MS = 3_600_000;
const REFUSED_MAX = 1_000;
/** So many refused texts raise the doubt whether the provider takes any. */
const DOUBTED = 2;
const HARMLESS = 'text';
const COUNTED_MAX = 10_000;

const ABOUT_TEXT = new Set(['provider_invalid_request', 'context_overflow', 'content_filter']);

/**
 * Makes the vectors that are missing. What is missing the store knows, from the documents themselves: nothing is queued, so nothing can
 * be lost or done twice, a write waits for no provider, and another model simply lacks all vectors. A process that dies between a
 * request and its write asks again. One process does it at once. A failing provider is asked again with growing waits; documents
 * that it refuses, while it takes other texts, are left alone for an hour.
 */
export class VectorJob {
  readonly #deps: VectorJobDeps;
  readonly #owner: string;
  readonly #model: string;
  /** When documents that were refused may be tried again, by their source. */
  readonly #refused = new Map<string, number>();
  #isHolder = false;
  #pausedUntilMs = 0;
  #pauseMs = FIRST_PAUSE_MS;
  #problem: string | undefined;

  constructor(deps: VectorJobDeps) {
    this.#deps = deps;
    this.#owner = deps.ids.next();
    this.#model = modelName(deps.target);
  }

  async tick(): Promise<void> {
    const { store, clock } = this.#deps;
    if (store.direct.search.vectorEngine === undefined || clock.monotonicMs() < this.#pausedUntilMs) return;
    for (const [source, untilMs] of this.#refused) if (untilMs <= clock.monotonicMs()) this.#refused.delete(source);
    let count = 0;
    while (count < RUN_REQUESTS && (await this.#step())) count++;
    // The next run may be that of any process; after a crash it waits for the end of the lease.
    if (this.#isHolder) await store.write((tx) => tx.leases.release(LEASE, this.#owner));
    this.#isHolder = false;
  }

  async facts(): Promise<VectorFacts> {
    const { search } = this.#deps.store.direct;
    const waiting = search.vectorEngine === undefined ? 0 : await search.bareDocuments(this.#model, COUNTED_MAX);
    return { model: this.#model, engine: search.vectorEngine, waiting, problem: this.#problem };
  }

  /** One request and its write; false when there is nothing more to do for now. */
  async #step(): Promise<boolean> {
    const { store } = this.#deps;
    const except = [...this.#refused.keys()];
    const chunks = await store.direct.search.bareChunks({ model: this.#model, limit: BATCH_CHUNKS, except });
    if (chunks.length === 0 || !(await this.#hold())) return false;
    const answer = await this.#embed(chunks.map(textOf));
    if ('vectors' in answer) return this.#keep(chunks, answer);
    if (!ABOUT_TEXT.has(answer.failure.errorClass)) return this.#pause(answer.failure);
    return this.#singly(chunks);
  }

  /** True when this process is the one that works. */
  async #hold(): Promise<boolean> {
    const { store } = this.#deps;
    this.#isHolder = await store.write((tx) => tx.leases.acquire(LEASE, this.#owner, tx.steadyNow(), LEASE_MICROS));
    return this.#isHolder;
  }

  #embed(texts: readonly string[]): ReturnType<Embedder['embed']> {
    const { models, target } = this.#deps;
    // The request has a time-out of its own.
    const { signal } = new AbortController();
    return models.embed({ ...target, texts, purpose: 'document', signal });
  }

  /** The vectors and what they cost: both or neither. */
  async #keep(chunks: readonly BareChunk[], { vectors, usage }: Made): Promise<true> {
    const found = chunks.flatMap((chunk, index) => {
      const vector = vectors[index];
      return vector === undefined ? [] : [{ ...chunk, vector }];
    });
    const shares = sharesOf(usage, chunks);
    await this.#deps.store.write(async (tx) => {
      await tx.search.addVectors(this.#model, found);
      for (const [namespace, share] of shares) await this.#deps.charge(tx, namespace, share);
    });
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#problem = undefined;
    return true;
  }

  /** Finds out which texts of a batch are refused. Documents are left alone only if the provider takes some other text. */
  async #singly(chunks: readonly BareChunk[]): Promise<boolean> {
    const refused: BareChunk[] = [];
    let isWorking = false;
    const settle = (failure?: EmbedFailure): boolean => {
      if (isWorking) for (const chunk of refused) this.#leave(chunk);
      return failure === undefined ? this.#refused.size < REFUSED_MAX : this.#pause(failure);
    };
    for (const chunk of chunks) {
      // So many requests may take longer than the lease.
      if (!(await this.#hold())) return false;
      const answer = await this.#embed([textOf(chunk)]);
      if ('vectors' in answer) {
        isWorking = true;
        await this.#keep([chunk], answer);
      } else if (!ABOUT_TEXT.has(answer.failure.errorClass)) {
        return settle(answer.failure);
      } else {
        refused.push(chunk);
        if (isWorking || refused.length < DOUBTED) continue;
        const failure = await this.#probe();
        if (failure !== undefined) return settle(failure);
        isWorking = true;
      }
    }
    const failure = isWorking ? undefined : await this.#probe();
    isWorking = failure === undefined;
    return settle(failure);
  }

  /** Why the provider refuses a text that nothing can be said against; undefined when it takes it. */
  async #probe(): Promise<EmbedFailure | undefined> {
    const answer = await this.#embed([HARMLESS]);
    return 'failure' in answer ? answer.failure : undefined;
  }

  #leave({ source, path }: BareChunk): void {
    const { clock, log } = this.#deps;
    this.#refused.set(source, clock.monotonicMs() + REFUSED_MS);
    log.warn('a document has no vectors: the provider refuses its text', { model: this.#model, path });
  }

  #pause(failure: EmbedFailure): false {
    const { clock, log } = this.#deps;
    const pauseMs = Math.max(this.#pauseMs, failure.retryAfterMs ?? 0);
    this.#pausedUntilMs = clock.monotonicMs() + pauseMs;
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
    if (this.#problem === undefined)
      log.warn('vectors of documents cannot be made', { model: this.#model, reason: failure.sentence });
    this.#problem = failure.sentence;
    return false;
  }
}

/** What the model reads of a chunk; never blank. */
const textOf = ({ path, heading, text }: BareChunk): string => {
  const whole = `${heading}\n${text}`.trim();
  return whole === '' ? path : whole;
};
