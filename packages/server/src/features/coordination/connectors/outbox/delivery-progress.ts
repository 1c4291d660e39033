import { type BackoffRule, backoffMs, type Random } from '../../../../base/index.ts';
import type { Store, WriteTx } from '../../../../store/contracts/index.ts';
import type { Verdict } from './answer-rules.ts';
import { type DeliveryBook, pendingOfLane } from './delivery-book.ts';
import { attemptClaim } from './delivery-claims.ts';
import { showOnMessage } from './delivery-labels.ts';
import { claimed, type Delivery, ended, holdsUp, parseDelivery, postponed } from './delivery-record.ts';

/** Shows followers of a channel that a message published there did not reach the platform. */
export type ShowUndelivered = (
  tx: WriteTx,
  place: { readonly namespace: string; readonly agent: string; readonly sessionId: string },
  failure: { readonly reason: string; readonly message: string },
) => Promise<void>;

export interface DeliveryProgressDeps {
  readonly store: Pick<Store, 'write'>;
  readonly book: DeliveryBook;
  readonly random: Random;
  readonly ids: { next(): string };
  /** Name of this process as a worker. */
  readonly workerId: string;
  readonly showUndelivered: ShowUndelivered;
  /** How long an attempt may take before another sender takes the delivery over. */
  readonly leaseMs: number;
  readonly windowMs: number;
  readonly orderHoldMs: number;
}

/** The outcome of taking a delivery: it is taken, there is nothing to send, it is to be tried later, or its class has no room. */
export type Taking =
  | { readonly taken: Delivery }
  | { readonly gone: true }
  | { readonly againMs: number }
  | { readonly fullClass: string };

const BACKOFF: BackoffRule = { firstMs: 2_000, factor: 2, capMs: 600_000, jitter: 0.2 };
/** Deliveries that one transaction ends with their class. */
const CLASS_PAGE = 200;
/**
 * How soon a delivery that is held up is tried again at the latest. Usually the one ahead of it wakes it: while a service is away thousands may
 * wait, and each try is work for the queue that all features share.
 */
const HELD_UP_MS = 30_000;
/** How often a delivery without a registration in force asks for one. */
const UNREGISTERED_MS = 10_000;

/** What is stored of deliveries on their way. Each write repeats the claim: one that was lost writes nothing. */
export class DeliveryProgress {
  readonly #deps: DeliveryProgressDeps;

  constructor(deps: DeliveryProgressDeps) {
    this.#deps = deps;
  }

  /** Takes a due delivery for one attempt, where `hasRoom` says that its class has room for one. */
  take(id: string, hasRoom: (classUid: string) => boolean): Promise<Taking> {
    const { store, book, ids, workerId, leaseMs, orderHoldMs } = this.#deps;
    return store.write(async (tx): Promise<Taking> => {
      const row = await tx.deliveries.get({ id });
      if (row?.state !== 'pending') return { gone: true };
      const delivery = parseDelivery(row);
      const { body } = delivery;
      if (await isMoot(tx, delivery)) {
        await book.save(tx, ended(delivery, tx, { state: 'skipped' }));
        await book.wakeNext(tx, delivery, orderHoldMs);
        return { gone: true };
      }
      const now = tx.steadyNow();
      const waitMicros = (body.claim === '' ? body.dueAt : body.claimUntil) - now;
      if (waitMicros > 0) return { againMs: Math.ceil(waitMicros / 1_000) };
      const heldUpMs = await this.#heldUpMs(tx, delivery);
      if (heldUpMs > 0) return { againMs: heldUpMs };
      if (!hasRoom(delivery.classUid)) return { fullClass: delivery.classUid };
      const taken = claimed(delivery, tx, { claim: attemptClaim(workerId, tx.now(), ids.next()), leaseMs });
      // Its item in the queue stays, and is due again in case this process dies.
      await book.mark(tx, taken);
      return { taken };
    });
  }

  /** How long to wait for an older delivery of the lane; 0 where none holds this one up. */
  async #heldUpMs(tx: WriteTx, { lane, id }: Delivery): Promise<number> {
    const { orderHoldMs } = this.#deps;
    const now = tx.steadyNow();
    for await (const older of pendingOfLane(tx, lane)) {
      if (older.id >= id) return 0;
      if (!holdsUp(older, now, orderHoldMs)) continue;
      const { triedSince } = older.body;
      const leftMs = orderHoldMs - Math.floor((now - triedSince) / 1_000);
      return triedSince === 0 ? HELD_UP_MS : Math.min(HELD_UP_MS, leftMs);
    }
    return 0;
  }

  /** Records the outcome of an attempt, unless another sender took the delivery meanwhile. */
  settle(taken: Delivery, verdict: Verdict): Promise<Delivery | undefined> {
    return this.#change(taken, (tx, delivery) => {
      if (verdict.do === 'delivered') return ended(delivery, tx, { state: 'delivered' });
      if (verdict.do === 'reject') return ended(delivery, tx, { state: 'rejected', error: verdict.error });
      const { triedSince, attempts } = delivery.body;
      if (tx.steadyNow() - triedSince >= this.#deps.windowMs * 1_000)
        return ended(delivery, tx, { state: 'dead', error: `EXPIRED: ${verdict.error}` });
      const delayMs = Math.max(verdict.afterMs, backoffMs(BACKOFF, attempts, this.#deps.random));
      return postponed(delivery, tx, { error: verdict.error, delayMs });
    });
  }

  /** Gives a delivery back that was not sent: it waits for a registration, and has not failed. */
  giveBack(taken: Delivery, reason: string): Promise<Delivery | undefined> {
    return this.#change(taken, (tx, delivery) => {
      const { attempts, triedSince } = delivery.body;
      const unsent = { attempts: attempts - 1, triedSince: attempts === 1 ? 0 : triedSince };
      const waiting = postponed(delivery, tx, { error: reason, delayMs: UNREGISTERED_MS });
      return { ...waiting, body: { ...waiting.body, ...unsent } };
    });
  }

  /** Ends a delivery whose class is gone. */
  orphan(taken: Delivery): Promise<Delivery | undefined> {
    return this.#change(taken, (tx, delivery) => ended(delivery, tx, { state: 'dead', error: CLASS_DELETED }));
  }

  /** Ends deliveries of a class that wait to be sent, in the transaction that removes the class; false when more are left. */
  async classDeleted(tx: WriteTx, classUid: string): Promise<boolean> {
    const rows = await tx.deliveries.page('ofClass', { classUid, state: 'pending' }, { limit: CLASS_PAGE });
    for (const row of rows)
      await this.#changeIn(tx, parseDelivery(row), (delivery) =>
        ended(delivery, tx, { state: 'dead', error: CLASS_DELETED }),
      );
    return rows.length < CLASS_PAGE;
  }

  #change(taken: Delivery, change: (tx: WriteTx, delivery: Delivery) => Delivery): Promise<Delivery | undefined> {
    return this.#deps.store.write((tx) => this.#changeIn(tx, taken, (delivery) => change(tx, delivery)));
  }

  /** Changes a delivery while it is as the caller saw it. Sessions are held before deliveries. */
  async #changeIn(
    tx: WriteTx,
    seen: Delivery,
    change: (delivery: Delivery) => Delivery,
  ): Promise<Delivery | undefined> {
    const { sessionId = '' } = seen.body.source;
    if (sessionId !== '') await tx.log.lockSession(sessionId);
    const row = await tx.deliveries.get({ id: seen.id });
    if (row?.state !== 'pending') return undefined;
    const current = parseDelivery(row);
    if (current.body.claim !== seen.body.claim) return undefined;
    const next = change(current);
    await this.#show(tx, next);
    const { book, orderHoldMs } = this.#deps;
    const isInTheWay = next.state === 'pending' && holdsUp(next, tx.steadyNow(), orderHoldMs);
    if (!isInTheWay) await book.wakeNext(tx, next, orderHoldMs);
    return next;
  }

  async #show(tx: WriteTx, delivery: Delivery): Promise<void> {
    const { book, showUndelivered } = this.#deps;
    await book.save(tx, delivery);
    await showOnMessage(tx, delivery);
    const { state, namespace, body } = delivery;
    const { channelUid, agent = '', sessionId = '' } = body.source;
    if (channelUid === undefined || (state !== 'rejected' && state !== 'dead')) return;
    await showUndelivered(tx, { namespace, agent, sessionId }, { reason: 'DELIVERY_FAILED', message: body.lastError });
  }
}

/** A question that was answered meanwhile is not asked any more. */
const isMoot = async (tx: Pick<WriteTx, 'log'>, { body: { source } }: Delivery): Promise<boolean> =>
  source.kind === 'request' && (await tx.log.permission(source.requestId ?? ''))?.open !== true;

const CLASS_DELETED = 'CLASS_DELETED: the connector class was deleted';
