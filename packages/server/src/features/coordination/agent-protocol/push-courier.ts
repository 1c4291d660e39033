import { BackgroundWork, type Clock, isFault, type Log } from '../../../base/index.ts';
import type { QueueWorker, ReconcileOutcome, WorkItem } from '../../../controllers/contract.ts';
import type { PeerServer, PeerTask } from '../../../protocols/a2a/contract.ts';
import type { ValueSeal } from '../../../resources/index.ts';
import type { Store, TaskPushRow } from '../../../store/contracts/index.ts';
import { type ObjectLinks, peerTask } from './peer-tasks.ts';
import {
  cancelDelivery,
  keyOfItem,
  openPush,
  type PushKey,
  parsePush,
  putDelivery,
  TASK_PUSH,
  withPush,
} from './push-rows.ts';
import { afterFailure, type PushNote, pushHeaders, retryDelayMs, taskAt, withoutNote } from './push-rules.ts';

/** Requests of this process at one time; further addresses wait. */
const MAX_AT_ONCE = 64;
/** When another process may take over; longer than a request takes. */
const HOLD_MS = 60_000;
const BUSY_MS = 1_000;
/** Time for one request until its answer begins. */
const REQUEST_MS = 20_000;
/** Tasks of this namespace may be reported to private addresses. */
const TRUSTED_NAMESPACE = 'system';

export interface PushCourierDeps {
  readonly store: Pick<Store, 'read' | 'write'>;
  readonly seal: Pick<ValueSeal, 'open'>;
  readonly peers: Pick<PeerServer, 'pushed'>;
  readonly links: ObjectLinks;
  readonly clock: Clock;
  readonly log: Log;
  /** Requests under the rules for addresses; what a trusted namespace named may be private. Redirects are not followed. */
  readonly fetch: (isTrusted: boolean) => (url: string, init: RequestInit) => Promise<Response>;
}

interface Delivery {
  readonly row: TaskPushRow;
  readonly note: PushNote;
  readonly task: PeerTask;
  readonly namespace: string;
}

/**
 * Sends states of tasks to the addresses that peers named, those of one address one after the other. An item of the queue is there as
 * long as something waits; requests run next to the queue. A process that dies leaves the item, and another one sends the same state
 * with the same key again, by which the receiver knows it.
 */
export class PushCourier implements QueueWorker {
  readonly kinds = [TASK_PUSH];
  readonly #deps: PushCourierDeps;
  readonly #requests: BackgroundWork;

  constructor(deps: PushCourierDeps) {
    this.#deps = deps;
    this.#requests = new BackgroundWork({
      max: MAX_AT_ONCE,
      // The item is still there and becomes due again.
      failed: (error) => deps.log.warn('a state of a task was not sent', { reason: String(error) }),
    });
  }

  async run({ key }: WorkItem): Promise<ReconcileOutcome> {
    if (this.#requests.has(key)) return { againMs: BUSY_MS };
    const isBegun = this.#requests.start(key, ({ signal }) => this.#sendAll(keyOfItem(key), signal));
    return { againMs: isBegun ? HOLD_MS : BUSY_MS };
  }

  /** Resolves once no request is under way any more. */
  settled(): Promise<void> {
    return this.#requests.settled();
  }

  /** Ends requests; the queue still holds what they were for. */
  close(): Promise<void> {
    return this.#requests.close();
  }

  async #sendAll(key: PushKey, signal: AbortSignal): Promise<void> {
    for (;;) {
      const delivery = await this.#next(key);
      if (delivery === undefined) return this.#ended(key);
      const problem = await this.#send(delivery, signal);
      if (problem !== undefined) return this.#failed(delivery, problem);
      if (!(await this.#taken(delivery))) return;
    }
  }

  /** What goes next; undefined when nothing waits, or the task is gone. */
  #next(key: PushKey): Promise<Delivery | undefined> {
    return this.#deps.store.read(async (tx) => {
      const row = await tx.taskPushes.get(key);
      const note = row === undefined ? undefined : parsePush(row).waiting[0];
      const turn = await tx.log.turn(key.turnId);
      if (row === undefined || note === undefined || turn === undefined) return undefined;
      const task = taskAt(await peerTask(tx, turn, this.#deps.links), note);
      return { row, note, task, namespace: turn.namespace };
    });
  }

  /** Undefined once the address has taken the state, else why not. */
  async #send({ row, note, task, namespace }: Delivery, signal: AbortSignal): Promise<string | undefined> {
    const { seal, peers, clock, fetch } = this.#deps;
    const record = parsePush(row);
    const secrets = openPush(seal, row);
    if (secrets === undefined) return 'the key that encrypted its credentials is lost';
    const { body, contentType } = peers.pushed(task, record.form);
    const headers = pushHeaders(record, secrets, { noteId: note.id, contentType });
    const late = new AbortController();
    const cancel = clock.after(REQUEST_MS, () => late.abort());
    const init = { method: 'POST', headers, body, redirect: 'manual', signal: AbortSignal.any([signal, late.signal]) };
    try {
      const answer = await fetch(namespace === TRUSTED_NAMESPACE)(record.url, init as RequestInit);
      await answer.body?.cancel();
      return answer.ok ? undefined : `it answered with status ${answer.status}`;
    } catch (error) {
      return late.signal.aborted ? `it did not answer within ${REQUEST_MS / 1_000} s` : reasonOf(error);
    } finally {
      cancel();
    }
  }

  /** Whether something else waits. A process that dies from here on sends this state no more. */
  #taken({ row: { turnId, id }, note }: Delivery): Promise<boolean> {
    return this.#deps.store.write(async (tx) => {
      const row = await tx.taskPushes.get({ turnId, id });
      const record = row === undefined ? undefined : withoutNote(parsePush(row), note.id);
      if (row !== undefined && record !== undefined) await tx.taskPushes.put(withPush(row, record));
      const waits = record !== undefined && record.waiting.length > 0;
      await (waits
        ? putDelivery(tx, { turnId, id }, { delayMs: HOLD_MS, replace: true })
        : cancelDelivery(tx, { turnId, id }));
      return waits;
    });
  }

  /** Nothing waits: what comes meanwhile puts an item of its own, or is seen here. */
  #ended(key: PushKey): Promise<void> {
    return this.#deps.store.write(async (tx) => {
      const row = await tx.taskPushes.get(key);
      const waits = row !== undefined && parsePush(row).waiting.length > 0;
      await (waits ? putDelivery(tx, key, { replace: true }) : cancelDelivery(tx, key));
    });
  }

  /** Sent again after a pause, until the address has had its time. A process that closes leaves it to the next one. */
  async #failed({ row: { turnId, id }, namespace }: Delivery, reason: string): Promise<void> {
    const key = { turnId, id };
    const isGivenUp = await this.#deps.store.write(async (tx) => {
      const row = await tx.taskPushes.get(key);
      if (row === undefined) return cancelDelivery(tx, key).then(() => false);
      if (this.#requests.isClosed) return putDelivery(tx, key, { replace: true }).then(() => false);
      const record = afterFailure(parsePush(row), tx.steadyNow());
      if (record === undefined) {
        await tx.taskPushes.remove(key);
        await cancelDelivery(tx, key);
        return true;
      }
      await tx.taskPushes.put(withPush(row, record));
      await putDelivery(tx, key, { delayMs: retryDelayMs(record.failures), replace: true });
      return false;
    });
    const facts = { namespace, turn: turnId, reason };
    if (isGivenUp) this.#deps.log.warn('states of a task are sent no more: the address took none for a day', facts);
  }
}

/** In words without an address: that may contain a secret. */
const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (isFault(cause)) return cause.reason;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return `it could not be reached${code === '' ? '' : `: ${code}`}`;
};
