import { Fault, notFound } from '../../../../base/index.ts';
import { refusal } from '../../../../resources/index.ts';
import { type Part, replyTextOf } from '../../../../runtime/contract.ts';
import type { MessageRow, SessionRow, WriteTx } from '../../../../store/contracts/index.ts';
import { sessionSubject } from '../context/index.ts';
import {
  DELIVERY_STATUS,
  type Delivery,
  type DeliveryBook,
  deliveryLabels,
  deliveryOf,
  ended,
  filesOf,
  isSilent,
  messageOf,
  parseDelivery,
  showOnMessage,
} from '../outbox/index.ts';
import { isAllowedStatus, statusFault } from './status-rules.ts';

interface DeliveryReviewDeps {
  readonly book: DeliveryBook;
  /** Replies that mean: deliver nothing; in any letter case. */
  readonly silenceTokens: readonly string[];
}

/** A delivery by the names of a request. */
export interface DeliveryName {
  readonly namespace: string;
  readonly id: string;
}

/** What people decide about deliveries, by the label of a message or by the delivery itself; each in the caller's transaction, which
 * holds the session of the delivery. */
export class DeliveryReview {
  readonly #deps: DeliveryReviewDeps;

  constructor(deps: DeliveryReviewDeps) {
    this.#deps = deps;
  }

  /**
   * Moves the delivery of an assistant message as its label is to be, and answers the labels that the message then has; the caller holds
   * the session and stores the message. What is sent is the message as it is given here. Throws DELIVERY_STATUS.
   */
  async setStatus(
    tx: WriteTx,
    {
      session,
      message,
      status,
    }: { readonly session: SessionRow; readonly message: MessageRow; readonly status: string },
  ): Promise<MessageRow['labels']> {
    const found = await deliveryOf(tx, sessionSubject(session.id, message.id));
    const row = found === undefined ? undefined : await tx.deliveries.get({ id: found.id });
    if (row === undefined || !isAllowedStatus(message.labels[DELIVERY_STATUS], status))
      throw refusal([statusFault(row === undefined)]);
    const delivery = parseDelivery(row);
    const next =
      status === 'skipped' ? await this.#skipped(tx, delivery) : await this.#requested(tx, delivery, message);
    return deliveryLabels(message.labels, next);
  }

  /** Lets a held delivery go out, with the message as it is now. Throws DELIVERY_NOT_FOUND, DELIVERY_ACTIVE. */
  async release(tx: WriteTx, name: DeliveryName): Promise<Delivery> {
    const delivery = await this.#named(tx, name, ['held']);
    const next = await this.#requested(tx, delivery, await messageOf(tx, delivery));
    await showOnMessage(tx, next);
    return next;
  }

  /** Ends a held delivery without sending it. Throws as `release`. */
  async skip(tx: WriteTx, name: DeliveryName): Promise<Delivery> {
    const next = await this.#skipped(tx, await this.#named(tx, name, ['held']));
    await showOnMessage(tx, next);
    return next;
  }

  /** Sends a refused or dead delivery again as it was. Throws as `release`. */
  async retry(tx: WriteTx, name: DeliveryName): Promise<Delivery> {
    const next = await this.#deps.book.send(tx, await this.#named(tx, name, ['rejected', 'dead']));
    await showOnMessage(tx, next);
    return next;
  }

  async #named(tx: WriteTx, { namespace, id }: DeliveryName, states: readonly string[]): Promise<Delivery> {
    const missing = () => notFound('Delivery', { ns: namespace, delivery_id: id });
    const seen = await tx.deliveries.get({ id });
    if (seen?.namespace !== namespace) throw missing();
    const delivery = parseDelivery(seen);
    if (!states.includes(delivery.state))
      throw new Fault('FAILED_PRECONDITION', 'DELIVERY_ACTIVE', `the delivery is ${delivery.state}`, {
        metadata: { delivery_id: id, state: delivery.state },
      });
    return delivery;
  }

  async #requested(tx: WriteTx, delivery: Delivery, message: MessageRow | undefined): Promise<Delivery> {
    const contents = message === undefined || delivery.body.isFixed ? delivery.body : contentsOf(message);
    const { text, attachments } = contents;
    if (isSilent(contents, this.#deps.silenceTokens)) return this.#skipped(tx, delivery);
    return this.#deps.book.send(tx, delivery, { text, attachments });
  }

  async #skipped(tx: WriteTx, delivery: Delivery): Promise<Delivery> {
    const skipped = ended(delivery, tx, { state: 'skipped' });
    await this.#deps.book.save(tx, skipped);
    return skipped;
  }
}

const contentsOf = (message: MessageRow) => {
  const parts = JSON.parse(message.parts) as readonly Part[];
  return { text: replyTextOf(parts).trim(), attachments: filesOf(parts) };
};
