import type { Log } from '../../../../base/index.ts';
import { DONE, type QueueWorker, type ReconcileOutcome, type WorkItem } from '../../../../controllers/contract.ts';
import { type DeliveryAnswer, judgeAnswer } from './answer-rules.ts';
import type { ConnectorService, ServicePlace } from './connector-service.ts';
import { DELIVERY } from './delivery-book.ts';
import { DeliveryHealth, type Health } from './delivery-health.ts';
import { deliveryJson, type SignedUrl } from './delivery-message.ts';
import type { DeliveryProgress } from './delivery-progress.ts';
import type { Delivery } from './delivery-record.ts';

/** A class of connectors, by its identity and its name. */
export interface ClassIdentity {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
}

/** Where what concerns a class is sent now. */
export type ClassPlace =
  | {
      readonly state: 'open';
      readonly place: ServicePlace;
      /** Differs between any two registrations of the class. */
      readonly version: string;
      /** Reason of the condition DeliveryHealthy, which other processes write too; '' before the first delivery. */
      readonly health: string;
    }
  /** No registration is in force, or its credential cannot be read; `reason` is safe to show. */
  | { readonly state: 'waiting'; readonly reason: string }
  | { readonly state: 'deleted' };

/** The registrations of classes, as deliveries need them. */
export interface Registrations {
  placeOf(identity: ClassIdentity): Promise<ClassPlace>;
  /** The service does not know the registration that was in force: the class is registered again. */
  renew(identity: ClassIdentity): Promise<void>;
  /** Shows in the conditions of the class whether its service takes deliveries. */
  showHealth(identity: ClassIdentity, health: Health): Promise<void>;
}

export interface DeliverySenderDeps {
  readonly progress: DeliveryProgress;
  readonly service: Pick<ConnectorService, 'post'>;
  readonly registrations: Registrations;
  readonly signedUrl: SignedUrl;
  readonly log: Log;
  readonly now: () => number;
  readonly timeoutMs: number;
  /** When another process may take a delivery over; longer than an attempt takes. */
  readonly leaseMs: number;
  /** Attempts under way at once for one class. */
  readonly concurrency: number;
}

const BUSY_MS = 1_000;
/** How soon a delivery whose class has no room is tried again at the latest: usually it follows when an attempt ends here. */
const FULL_MS = 30_000;

/**
 * Sends deliveries. Each has an item in the queue; the requests run next to the queue, so that a slow service holds up its own
 * deliveries only. A process that dies leaves the item and the claim, and another one sends the same delivery, with the same id, once the
 * claim has lapsed.
 */
export class DeliverySender implements QueueWorker {
  readonly kinds = [DELIVERY];
  readonly #deps: DeliverySenderDeps;
  /** Deliveries that are being sent, by their ids. */
  readonly #running = new Set<string>();
  /** By class: what sends its deliveries, each one after the other. */
  readonly #senders = new Map<string, Set<Promise<void>>>();
  /** By class: ids of deliveries that found no room, the first one first. */
  readonly #waiting = new Map<string, Set<string>>();
  readonly #health = new DeliveryHealth();
  readonly #stop = new AbortController();

  constructor(deps: DeliverySenderDeps) {
    this.#deps = deps;
  }

  async run({ key }: WorkItem): Promise<ReconcileOutcome> {
    if (this.#running.has(key) || this.#stop.signal.aborted) return { againMs: BUSY_MS };
    const taking = await this.#deps.progress.take(key, (classUid) => this.#hasRoom(classUid));
    if ('gone' in taking) return DONE;
    if ('againMs' in taking) return taking;
    if ('fullClass' in taking) return this.#wait(taking.fullClass, key);
    this.#start(taking.taken);
    return { againMs: this.#deps.leaseMs };
  }

  /** Resolves once nothing is under way any more. */
  async settled(): Promise<void> {
    while (this.#senders.size > 0) await Promise.all([...this.#senders.values()].flatMap((senders) => [...senders]));
  }

  /** Ends what is under way; the store still holds it. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.settled();
  }

  #hasRoom(classUid: string): boolean {
    return (this.#senders.get(classUid)?.size ?? 0) < this.#deps.concurrency;
  }

  #wait(classUid: string, id: string): ReconcileOutcome {
    // An attempt may have ended since the store was asked.
    if (this.#hasRoom(classUid)) return { againMs: 0 };
    const waiting = this.#waiting.get(classUid) ?? new Set<string>();
    this.#waiting.set(classUid, waiting.add(id));
    return { againMs: FULL_MS };
  }

  #start(delivery: Delivery): void {
    const { classUid } = delivery;
    const senders = this.#senders.get(classUid) ?? new Set<Promise<void>>();
    const sender = this.#sendAll(delivery).finally(() => {
      senders.delete(sender);
      if (senders.size === 0) this.#senders.delete(classUid);
    });
    this.#senders.set(classUid, senders.add(sender));
  }

  /** Sends a delivery, then those of its class that wait for room. Never rejects. */
  async #sendAll(first: Delivery): Promise<void> {
    let next: Delivery | undefined = first;
    while (next !== undefined) {
      const { id } = next;
      this.#running.add(id);
      try {
        await this.#send(next);
      } catch (error) {
        // The item and the claim are still there: another attempt follows once the claim has lapsed.
        this.#deps.log.warn('sending a delivery failed; it is tried again', { delivery: id, reason: String(error) });
      } finally {
        this.#running.delete(id);
      }
      next = await this.#takeWaiting(first.classUid);
    }
  }

  /** Takes a delivery that waits for room in the class; undefined where there is none that can be sent now. */
  async #takeWaiting(classUid: string): Promise<Delivery | undefined> {
    for (let id = this.#firstWaiting(classUid); id !== undefined; id = this.#firstWaiting(classUid)) {
      try {
        const taking = await this.#deps.progress.take(id, () => true);
        if ('taken' in taking) return taking.taken;
      } catch (error) {
        // Its item becomes due in a while, as do those of the others that wait.
        this.#deps.log.warn('a delivery could not be taken', { delivery: id, reason: String(error) });
        return undefined;
      }
    }
    return undefined;
  }

  /** The delivery that waits longest for room in the class, which it does no longer. */
  #firstWaiting(classUid: string): string | undefined {
    const waiting = this.#waiting.get(classUid);
    const [id] = waiting ?? [];
    if (waiting === undefined || id === undefined || this.#stop.signal.aborted) return undefined;
    waiting.delete(id);
    if (waiting.size === 0) this.#waiting.delete(classUid);
    return id;
  }

  async #send(delivery: Delivery): Promise<void> {
    const { progress, registrations, now } = this.#deps;
    const { classUid, body } = delivery;
    const identity = { uid: classUid, namespace: body.classNamespace, name: body.className };
    const found = await registrations.placeOf(identity);
    if (found.state === 'deleted') return void (await progress.orphan(delivery));
    if (found.state === 'waiting') return void (await progress.giveBack(delivery, found.reason));
    const answer = await this.#post(delivery, found.place);
    // A process that closes has not learnt what the service makes of the delivery.
    if (this.#stop.signal.aborted && 'failed' in answer) return void (await progress.giveBack(delivery, ''));
    const verdict = judgeAnswer(answer, now());
    await progress.settle(delivery, verdict);
    if (verdict.do === 'retry' && verdict.isUnregistered) await registrations.renew(identity);
    const health = this.#health.after(classUid, verdict, found.health);
    if (health !== undefined) await registrations.showHealth(identity, health);
  }

  #post(delivery: Delivery, place: ServicePlace): Promise<DeliveryAnswer> {
    const { service, signedUrl, timeoutMs } = this.#deps;
    return service.post({
      place,
      path: '/v1/deliveries',
      headers: { 'idempotency-key': delivery.id },
      body: deliveryJson(delivery, signedUrl),
      timeoutMs,
      signal: this.#stop.signal,
    });
  }
}
