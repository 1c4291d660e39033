import { createHash } from 'node:crypto';
import { type DescMessage, type MessageShape, toJson } from '@bufbuild/protobuf';
import type { CallContext } from '../../../auth/contract.ts';
import { Fault } from '../../../base/index.ts';
import { canonicalJson, type JsonData } from '../../../resources/index.ts';
import type { ReadTx, Store, WriteTx } from '../../../store/contracts/index.ts';

/** One call that may be a repetition. */
export interface Repeatable {
  readonly scope: string;
  readonly requestHash: string;
}

/** Undefined without a key. `request` is hashed as decoded, `waitSeconds` aside, whatever the transport. */
export const repeatableCall = <D extends DescMessage>(
  context: CallContext,
  schema: D,
  request: MessageShape<D>,
): Repeatable | undefined => {
  if (context.idempotencyKey === '') return undefined;
  const json = toJson(schema, request) as Record<string, JsonData>;
  const { waitSeconds: _aside, ...rest } = json;
  return {
    scope: `${context.caller.identity}\n${context.operation}\n${context.idempotencyKey}`,
    requestHash: createHash('sha256').update(canonicalJson(rest)).digest('hex'),
  };
};

/** The stored answer of the same call; IDEMPOTENCY_MISMATCH when the key stands for another request. */
export const findRepeat = async (
  tx: Pick<WriteTx, 'steadyNow'> & Pick<ReadTx, 'idempotency'>,
  call: Repeatable | undefined,
): Promise<string | undefined> => {
  if (call === undefined) return undefined;
  const record = await tx.idempotency.find(call.scope, tx.steadyNow());
  if (record === undefined) return undefined;
  if (record.requestHash === call.requestHash) return record.answer;
  throw new Fault('INVALID_ARGUMENT', 'IDEMPOTENCY_MISMATCH', 'the idempotency key was used for another request');
};

/**
 * As findRepeat, before what may fail or reach out although the first call did not: attachments that were fetched once are not
 * fetched for a repetition. The transaction of the effect looks again.
 */
export const findRepeatEarly = (
  store: Pick<Store, 'direct' | 'steadyNow'>,
  call: Repeatable | undefined,
): Promise<string | undefined> =>
  findRepeat({ idempotency: store.direct.idempotency, steadyNow: () => store.steadyNow() }, call);

/** Keeps the answer for repetitions, as the last insert of the transaction of the effect (decision 0002). */
export const keepAnswer = async (
  tx: WriteTx,
  call: Repeatable | undefined,
  record: { readonly answer: string; readonly hours: number },
): Promise<void> => {
  if (call === undefined) return;
  const expiresAt = tx.steadyNow() + record.hours * 3_600_000_000;
  await tx.idempotency.insert({ ...call, answer: record.answer, expiresAt });
};

/** Tells the caller that the answer is that of an earlier call. */
export const markReplayed = (context: CallContext): void => context.setHeader('idempotency-replayed', 'true');
