import { createHash } from 'node:crypto';
import { fromJsonString, toJson, toJsonString } from '@bufbuild/protobuf';
import {
  type PostChannelMessageRequest,
  PostChannelMessageRequestSchema,
  type PostChannelMessageResponse,
  PostChannelMessageResponseSchema,
} from '@svc/api/gateway';
import type { CallContext } from '../../../../auth/contract.ts';
import { Fault } from '../../../../base/index.ts';
import { canonicalJson, type JsonData } from '../../../../resources/index.ts';
import type { ReadTx, WriteTx } from '../../../../store/contracts/index.ts';

const HOUR_MICROS = 3_600_000_000;

/** A post that carries an idempotency key: answered as it was the first time, refused when it is another. */
export class PostReplay {
  readonly #scope: string;
  readonly #requestHash: string;

  private constructor(scope: string, requestHash: string) {
    this.#scope = scope;
    this.#requestHash = requestHash;
  }

  /** Undefined for a call without a key. */
  static of(request: PostChannelMessageRequest, call: CallContext): PostReplay | undefined {
    if (call.idempotencyKey === '') return undefined;
    const json = canonicalJson(toJson(PostChannelMessageRequestSchema, request) as JsonData);
    const scope = `${call.caller.identity}\n${call.operation}\n${call.idempotencyKey}`;
    return new PostReplay(scope, createHash('sha256').update(json).digest('hex'));
  }

  async find(
    tx: Pick<WriteTx, 'steadyNow'> & Pick<ReadTx, 'idempotency'>,
  ): Promise<PostChannelMessageResponse | undefined> {
    const record = await tx.idempotency.find(this.#scope, tx.steadyNow());
    if (record === undefined) return undefined;
    if (record.requestHash === this.#requestHash)
      return fromJsonString(PostChannelMessageResponseSchema, record.answer);
    throw new Fault('INVALID_ARGUMENT', 'IDEMPOTENCY_MISMATCH', 'the idempotency key was used for another request');
  }

  async keep(tx: WriteTx, answer: PostChannelMessageResponse, hours: number): Promise<void> {
    await tx.idempotency.insert({
      scope: this.#scope,
      requestHash: this.#requestHash,
      answer: toJsonString(PostChannelMessageResponseSchema, answer),
      expiresAt: tx.steadyNow() + hours * HOUR_MICROS,
    });
  }
}
