import { toJson } from '@bufbuild/protobuf';
import { DeliverySchema } from '@svc/api/data';
import type { Bus } from '../../../../store/contracts/index.ts';
import { DELIVERY_ACTIVITY, type Delivery } from '../outbox/index.ts';
import { deliveryMessage } from './delivery-operations.ts';

/** One delivery as it was just written: `data` is the JSON text of its Delivery. */
interface DeliveryText {
  readonly namespace: string;
  readonly data: string;
}

/** Deliveries of all connectors as they change, for consoles (`/v1/ui/events`); what no one is subscribed to costs nothing. */
export class DeliveryActivities {
  readonly #bus: Pick<Bus, 'subscribe'>;

  constructor(bus: Pick<Bus, 'subscribe'>) {
    this.#bus = bus;
  }

  /** Answers how to stop. */
  subscribe(receive: (event: DeliveryText) => void): () => void {
    return this.#bus.subscribe(DELIVERY_ACTIVITY, (message) => {
      const delivery = message as Delivery;
      const data = JSON.stringify(toJson(DeliverySchema, deliveryMessage(delivery), { alwaysEmitImplicit: true }));
      receive({ namespace: delivery.namespace, data });
    });
  }
}
