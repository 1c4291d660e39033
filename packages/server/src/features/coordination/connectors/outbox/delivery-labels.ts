import type { MessageRow, WriteTx } from '../../../../store/contracts/index.ts';
import { keptError } from './answer-rules.ts';
import type { Delivery, DeliveryState } from './delivery-record.ts';

/** State of the delivery of an assistant message, as a label of it. */
export const DELIVERY_STATUS = 'svc/connector-delivery-status';
const DELIVERY_ERROR = 'svc/connector-delivery-error';
const ERROR_CHARS = 200;

const STATUS: Readonly<Record<DeliveryState, string>> = {
  held: 'pending_review',
  pending: 'delivery_requested',
  delivered: 'delivered',
  rejected: 'failed',
  dead: 'failed',
  skipped: 'skipped',
};

/** What makes a message without a status get one: it waits for a person, or its delivery failed. */
const SHOWN_FIRST: ReadonlySet<string> = new Set(['pending_review', 'failed']);

/** Labels of the message of a delivery: its status, and why it failed. */
export const deliveryLabels = (
  labels: Readonly<Record<string, string>>,
  { state, body }: Pick<Delivery, 'state' | 'body'>,
): Readonly<Record<string, string>> => {
  const status = STATUS[state];
  const { [DELIVERY_ERROR]: _former, ...others } = labels;
  if (labels[DELIVERY_STATUS] === undefined && !SHOWN_FIRST.has(status)) return others;
  const error = status === 'failed' ? keptError(body.lastError).slice(0, ERROR_CHARS).toWellFormed() : '';
  return { ...others, [DELIVERY_STATUS]: status, ...(error === '' ? {} : { [DELIVERY_ERROR]: error }) };
};

/** The assistant message that a delivery says; undefined when it says no stored one. The caller holds the session. */
export const messageOf = async (
  tx: Pick<WriteTx, 'log'>,
  { body: { source } }: Pick<Delivery, 'body'>,
): Promise<MessageRow | undefined> => {
  const { kind, sessionId = '', messageId = '' } = source;
  return kind === 'session' && messageId !== '' ? tx.log.message(sessionId, messageId) : undefined;
};

/** Shows the state of a delivery on its message, in the transaction that changed it; the caller holds the session. */
export const showOnMessage = async (tx: Pick<WriteTx, 'log'>, delivery: Delivery): Promise<void> => {
  const message = await messageOf(tx, delivery);
  if (message === undefined) return;
  const labels = deliveryLabels(message.labels, delivery);
  if (JSON.stringify(labels) === JSON.stringify(message.labels)) return;
  await tx.log.saveMessage({ ...message, labels, revision: message.revision + 1 });
};
