import type { Ids } from '../../../../base/index.ts';
import { RESOURCES_CHANGED } from '../../../../controllers/contract.ts';
import type { ObjectAccess } from '../../../../runtime/contract.ts';
import { type Bus, deliveryHolder, type ReadTx, type WriteTx } from '../../../../store/contracts/index.ts';
import {
  type Delivery,
  type DeliveryDraft,
  deliveryRow,
  holdsUp,
  madePending,
  newDelivery,
  parseDelivery,
} from './delivery-record.ts';

/** Item of the queue that sends a delivery; key = its id. */
export const DELIVERY = 'connector.delivery';

/** Bus subject of deliveries as they are written, for those who show many of them; the message is a Delivery. */
export const DELIVERY_ACTIVITY = 'delivery.activity';

/** Pending deliveries of a lane that are read at once. */
const LANE_PAGE = 50;

export interface DeliveryBookDeps {
  readonly ids: Ids;
  readonly bus: Pick<Bus, 'publish'>;
  readonly objects: Pick<ObjectAccess, 'hold'>;
}

/** Writes deliveries, each with its item in the queue, in the caller's transaction. */
export class DeliveryBook {
  readonly #deps: DeliveryBookDeps;

  constructor(deps: DeliveryBookDeps) {
    this.#deps = deps;
  }

  /** Stores a new delivery; a pending one is sent once the transaction is on disk. */
  async add(tx: WriteTx, draft: DeliveryDraft): Promise<Delivery> {
    const { ids, objects } = this.#deps;
    const delivery = newDelivery(draft, ids.next(), tx);
    for (const object of draft.attachments)
      await objects.hold(tx, draft.namespace, object, deliveryHolder(delivery.id));
    await this.save(tx, delivery);
    return delivery;
  }

  /** Sends a delivery, again from its first attempt on. */
  async send(tx: WriteTx, delivery: Delivery, contents: Parameters<typeof madePending>[2] = {}): Promise<Delivery> {
    const { objects } = this.#deps;
    for (const object of contents.attachments ?? [])
      await objects.hold(tx, delivery.namespace, object, deliveryHolder(delivery.id));
    const pending = madePending(delivery, tx, contents);
    await this.save(tx, pending);
    return pending;
  }

  /** Stores a delivery as it is now, and with it when it is due. */
  async save(tx: WriteTx, delivery: Delivery): Promise<void> {
    await this.mark(tx, delivery);
    if (delivery.state !== 'pending') return tx.queue.cancel(DELIVERY, delivery.id);
    await this.#due(tx, delivery.id, delivery.body.dueAt);
  }

  /** Stores a delivery whose item in the queue stays as it is. */
  async mark(tx: WriteTx, delivery: Delivery): Promise<void> {
    await tx.deliveries.put(deliveryRow(delivery));
    tx.afterCommit(() => this.#deps.bus.publish(DELIVERY_ACTIVITY, delivery));
  }

  /** Has the next delivery of the lane that waited for this one tried at once; those that have failed for long waited for none. */
  async wakeNext(tx: WriteTx, { lane, id }: Pick<Delivery, 'lane' | 'id'>, orderHoldMs: number): Promise<void> {
    const now = tx.steadyNow();
    for await (const next of pendingOfLane(tx, lane, id)) {
      if (!holdsUp(next, now, orderHoldMs)) continue;
      const { claim, dueAt } = next.body;
      if (claim === '') await this.#due(tx, next.id, Math.max(dueAt, now));
      return;
    }
  }

  async #due(tx: WriteTx, id: string, dueAt: number): Promise<void> {
    await tx.queue.put({ kind: DELIVERY, key: id, dueAt, attempts: 0, payload: '' }, { replace: true });
    tx.afterCommit(() => this.#deps.bus.publish(RESOURCES_CHANGED, {}));
  }
}

/** Pending deliveries of a lane in their order; where an id is given, those after it. */
export async function* pendingOfLane(
  { deliveries }: Pick<ReadTx, 'deliveries'>,
  lane: string,
  after?: string,
): AsyncGenerator<Delivery> {
  let last = after === undefined ? undefined : { id: after };
  do {
    const page = await deliveries.page('ofLane', { lane, state: 'pending' }, { after: last, limit: LANE_PAGE });
    for (const row of page) yield parseDelivery(row);
    last = page.length < LANE_PAGE ? undefined : page.at(-1);
  } while (last !== undefined);
}

/** The delivery of a subject, undefined where there is none. */
export const deliveryOf = async (reads: Pick<ReadTx, 'deliveries'>, subject: string): Promise<Delivery | undefined> => {
  const [row] = await reads.deliveries.page('ofSubject', { subject }, { limit: 1 });
  return row === undefined ? undefined : parseDelivery(row);
};
