import { createHash } from 'node:crypto';
import { type DescMessage, fromJsonString, type MessageShape, toJson, toJsonString } from '@bufbuild/protobuf';
import type { CallContext } from '../auth/contract.ts';
import { Fault } from '../base/index.ts';
import { canonicalJson, type JsonData } from '../resources/index.ts';
import type { ReadTx, Store, WriteTx } from '../store/contracts/index.ts';

const HOUR_MICROS = 3_600_000_000;

/** How answers are kept as text. */
export interface KeptForm<A> {
  write(answer: A): string;
  read(text: string): A;
}

/** Answers that are messages of the API. */
export const messageForm = <D extends DescMessage>(schema: D): KeptForm<MessageShape<D>> => ({
  write: (answer) => toJsonString(schema, answer),
  read: (text) => fromJsonString(schema, text),
});

/** What the calls of one operation have in common. */
export interface RepeatableForm<I extends DescMessage, A> {
  readonly request: I;
  readonly answer: KeptForm<A>;
  /** How long an answer is kept. */
  readonly hours: number;
  /** Runs before the answer of an earlier call is read, and keeps a second call with the key out. */
  readonly lock?: (tx: WriteTx, request: MessageShape<I>) => Promise<void>;
}

type Answers = Pick<WriteTx, 'steadyNow'> & Pick<ReadTx, 'idempotency'>;

/** What a call needs of its form, its own request included. */
interface Kept<A> {
  readonly answer: KeptForm<A>;
  readonly hours: number;
  lock(tx: WriteTx): Promise<void>;
}

/** A call with an idempotency key: answered as the first one with that key was, refused when the request is another. */
export class RepeatableCall<A> {
  readonly #context: CallContext;
  readonly #kept: Kept<A>;
  readonly #scope: string;
  readonly #requestHash: string;

  constructor(context: CallContext, kept: Kept<A>, requestHash: string) {
    this.#context = context;
    this.#kept = kept;
    this.#scope = `${context.caller.identity}\n${context.operation}\n${context.idempotencyKey}`;
    this.#requestHash = requestHash;
  }

  /**
   * The answer of the earlier call, before what may fail or reach out although the first call did not: attachments that were fetched
   * once are not fetched for a repetition. The transaction of the effect reads it again.
   */
  async earlierAnswer(store: Pick<Store, 'direct' | 'steadyNow'>): Promise<A | undefined> {
    const { idempotency } = store.direct;
    const answer = await this.#find({ idempotency, steadyNow: () => store.steadyNow() });
    if (answer !== undefined) this.#markReplayed();
    return answer;
  }

  /** The answer of the earlier call, else that of the effect, which is kept as the last insert of its transaction (decision 0002). */
  async write(store: Pick<Store, 'write'>, effect: (tx: WriteTx) => Promise<A>): Promise<A> {
    let isReplay = false;
    const answer = await store.write(async (tx) => {
      await this.#kept.lock(tx);
      const stored = await this.#find(tx);
      isReplay = stored !== undefined;
      if (stored !== undefined) return stored;
      const made = await effect(tx);
      await this.#keep(tx, made);
      return made;
    });
    if (isReplay) this.#markReplayed();
    return answer;
  }

  async #find(reads: Answers): Promise<A | undefined> {
    const record = await reads.idempotency.find(this.#scope, reads.steadyNow());
    if (record === undefined) return undefined;
    if (record.requestHash === this.#requestHash) return this.#kept.answer.read(record.answer);
    throw new Fault('INVALID_ARGUMENT', 'IDEMPOTENCY_MISMATCH', 'the idempotency key was used for another request');
  }

  async #keep(tx: WriteTx, made: A): Promise<void> {
    await tx.idempotency.insert({
      scope: this.#scope,
      requestHash: this.#requestHash,
      answer: this.#kept.answer.write(made),
      expiresAt: tx.steadyNow() + this.#kept.hours * HOUR_MICROS,
    });
  }

  /** Tells the caller that the answer is that of an earlier call. */
  #markReplayed(): void {
    this.#context.setHeader('idempotency-replayed', 'true');
  }
}

/**
 * Undefined for a call without a key. The request is hashed as it was decoded, whatever the transport, without `waitSeconds`: how
 * long a caller waits for the outcome does not change what it asks for.
 */
export const repeatableCall = <I extends DescMessage, A>(
  context: CallContext,
  form: RepeatableForm<I, A>,
  request: MessageShape<I>,
): RepeatableCall<A> | undefined => {
  if (context.idempotencyKey === '') return undefined;
  const { waitSeconds: _aside, ...rest } = toJson(form.request, request) as Record<string, JsonData>;
  const requestHash = createHash('sha256').update(canonicalJson(rest)).digest('hex');
  const { answer, hours, lock } = form;
  const kept = { answer, hours, lock: async (tx: WriteTx) => lock?.(tx, request) };
  return new RepeatableCall(context, kept, requestHash);
};

/** Runs an effect in a transaction: once for all calls with the same key, every time for a call without one. */
export const writeOnce = <A>(
  store: Pick<Store, 'write'>,
  call: RepeatableCall<A> | undefined,
  effect: (tx: WriteTx) => Promise<A>,
): Promise<A> => (call === undefined ? store.write(effect) : call.write(store, effect));
