import { Fault, type Ids, notFound } from '../../../base/index.ts';
import { type AppendAudit, RESOURCES_CHANGED, type WriteOrigin } from '../../../controllers/contract.ts';
import type { PeerPush } from '../../../protocols/a2a/contract.ts';
import type { ValueSeal } from '../../../resources/index.ts';
import { parseBody } from '../../../runtime/contract.ts';
import type { Bus, Store, TaskPushRow, TurnRow, WriteTx } from '../../../store/contracts/index.ts';
import { openRequest, taskNotFound } from './peer-tasks.ts';
import { cancelDelivery, parsePush, putDelivery, resealed, sealPush, shownPush } from './push-rows.ts';
import { MAX_PUSHES, type PushRecord, requirePush, withNote } from './push-rules.ts';
import { askedParts, CAUSE, taskState } from './task-rules.ts';

/** Rows that one page of a rotation of keys reads. */
const PAGE = 100;
const MICROS_PER_MS = 1_000;

export interface TaskPushesDeps {
  readonly store: Pick<Store, 'read' | 'write'>;
  readonly seal: ValueSeal;
  readonly ids: Ids;
  readonly bus: Pick<Bus, 'publish'>;
  readonly audit: AppendAudit;
  /** Throws INVALID_ARGUMENT, field `url`, for an address that may not be reached from the namespace, as far as that is known without a request. */
  readonly requireAddress: (namespace: string, url: string) => void;
}

interface NewPush {
  readonly push: PeerPush;
  /** Asked for with the message that begins the task: every state is sent. Else the peer knows the present one. */
  readonly isWithMessage: boolean;
  readonly origin: WriteOrigin;
}

/** Where the states of tasks are sent, as it is stored. */
export class TaskPushes {
  readonly #deps: TaskPushesDeps;

  constructor(deps: TaskPushesDeps) {
    this.#deps = deps;
  }

  /** Throws INVALID_ARGUMENT of fields and of an address that may not be reached. */
  require(namespace: string, push: PeerPush): void {
    requirePush(push);
    this.#deps.requireAddress(namespace, push.url);
  }

  async set(turn: TurnRow, added: NewPush): Promise<PeerPush> {
    this.require(turn.namespace, added.push);
    return this.#deps.store.write(async (tx) => this.put(tx, await this.#held(tx, turn), added));
  }

  /** As `set`, in a transaction that holds the session of the turn; `require` has been asked before. */
  async put(tx: WriteTx, current: TurnRow, { push, isWithMessage, origin }: NewPush): Promise<PeerPush> {
    const { seal, audit, bus } = this.#deps;
    const turnId = current.id;
    const named = push.id === '' ? { ...push, id: turnId } : push;
    const key = { turnId, id: named.id };
    if (parseBody(current).cause.kind !== CAUSE)
      throw new Fault('FAILED_PRECONDITION', 'NOT_A_PEERS_TASK', 'the task was not begun by a message of a peer');
    const found = await tx.taskPushes.get(key);
    const all = await tx.taskPushes.page('ofTurn', { turnId }, { limit: MAX_PUSHES });
    if (found === undefined && all.length >= MAX_PUSHES)
      throw new Fault('FAILED_PRECONDITION', 'TOO_MANY_PUSHES', `a task has at most ${MAX_PUSHES} addresses`);
    const record = await this.#record(tx, current, { push: named, isWithMessage, found });
    const row: TaskPushRow = {
      ...key,
      sessionId: current.sessionId,
      sealed: sealPush(seal, key, named),
      body: JSON.stringify(record),
    };
    await tx.taskPushes.put(row);
    if (record.waiting.length > 0) await putDelivery(tx, row);
    const outcome = found === undefined ? 'created' : 'updated';
    await audit(tx, origin, { ...auditFacts(current), outcome });
    tx.afterCommit(() => bus.publish(RESOURCES_CHANGED, {}));
    return shownPush(row);
  }

  async get(turnId: string, id: string): Promise<PeerPush> {
    const row = await this.#deps.store.read((tx) => tx.taskPushes.get({ turnId, id }));
    if (row === undefined) throw notFound('TaskPush', { turn_id: turnId, id });
    return shownPush(row);
  }

  async list(turnId: string): Promise<readonly PeerPush[]> {
    const rows = await this.#deps.store.read((tx) => tx.taskPushes.page('ofTurn', { turnId }, { limit: MAX_PUSHES }));
    return rows.map(shownPush);
  }

  remove(turn: TurnRow, id: string, origin: WriteOrigin): Promise<void> {
    const key = { turnId: turn.id, id };
    return this.#deps.store.write(async (tx) => {
      await this.#held(tx, turn);
      if ((await tx.taskPushes.get(key)) === undefined) return;
      await tx.taskPushes.remove(key);
      await cancelDelivery(tx, key);
      await this.#deps.audit(tx, origin, { ...auditFacts(turn), outcome: 'deleted' });
    });
  }

  /** Encrypts tokens and credentials with the newest key. */
  async reseal(): Promise<void> {
    const { store, seal } = this.#deps;
    let after: Pick<TaskPushRow, 'turnId' | 'id'> | undefined;
    for (;;) {
      const place = after;
      const page = await store.read((tx) => tx.taskPushes.page('all', {}, { after: place, limit: PAGE }));
      for (const { turnId, id } of page)
        await store.write(async (tx) => {
          const row = await tx.taskPushes.get({ turnId, id });
          const next = row === undefined ? undefined : resealed(seal, row);
          if (next !== undefined) await tx.taskPushes.put(next);
        });
      after = page.at(-1);
      if (page.length < PAGE) return;
    }
  }

  /** The turn, whose states do not change until the transaction ends. */
  async #held(tx: WriteTx, { id, sessionId }: TurnRow): Promise<TurnRow> {
    await tx.log.lockSession(sessionId);
    const turn = await tx.log.turn(id);
    if (turn === undefined) throw taskNotFound(id);
    return turn;
  }

  async #record(
    tx: WriteTx,
    turn: TurnRow,
    added: Pick<NewPush, 'push' | 'isWithMessage'> & { readonly found: TaskPushRow | undefined },
  ): Promise<PushRecord> {
    const { push, isWithMessage, found } = added;
    const { url, scheme, form } = push;
    // What failed was the former address: the new one has a day of its own.
    if (found !== undefined) return { ...parsePush(found), url, scheme, form, failures: 0, failingSince: 0 };
    const asked = await openRequest(tx, turn.id);
    const state = taskState(turn, asked);
    const known = isWithMessage ? 'submitted' : state;
    const record: PushRecord = { url, scheme, form, state: known, waiting: [], failures: 0, failingSince: 0 };
    const statusParts = asked === undefined ? [] : askedParts(asked);
    const atMs = Math.floor(tx.now() / MICROS_PER_MS);
    return withNote(record, { id: this.#deps.ids.next(), state, statusParts, atMs }) ?? record;
  }
}

const auditFacts = ({ namespace, agent, sessionId }: TurnRow) => ({
  target: `Session/${namespace}/${agent}/${sessionId}`,
  namespace,
  resourceVersion: '',
});
