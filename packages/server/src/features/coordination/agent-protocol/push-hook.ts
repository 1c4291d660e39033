import type { Ids } from '../../../base/index.ts';
import { RESOURCES_CHANGED } from '../../../controllers/contract.ts';
import type { PeerPart, PeerTaskState } from '../../../protocols/a2a/contract.ts';
import type { TurnBody, TurnEndHook, TurnProgressHook } from '../../../runtime/contract.ts';
import type { Bus, TurnRow, WriteTx } from '../../../store/contracts/index.ts';
import { openRequest } from './peer-tasks.ts';
import { parsePush, putDelivery, withPush } from './push-rows.ts';
import { MAX_PUSHES, withNote } from './push-rules.ts';
import { askedParts, CAUSE, taskState } from './task-rules.ts';

interface Place {
  readonly turn: TurnRow;
  readonly body: TurnBody;
}

interface News {
  readonly state: PeerTaskState;
  readonly statusParts: readonly PeerPart[];
}

const MICROS_PER_MS = 1_000;

/** Notes each state of a task for the addresses that it is sent to, in the transaction that brings the state. */
class TaskPushHook implements TurnEndHook, TurnProgressHook {
  readonly #ids: Ids;
  readonly #bus: Pick<Bus, 'publish'>;

  constructor({ ids, bus }: { readonly ids: Ids; readonly bus: Pick<Bus, 'publish'> }) {
    this.#ids = ids;
    this.#bus = bus;
  }

  turnTaken(tx: WriteTx, place: Place): Promise<void> {
    return this.#note(tx, place, async () => ({ state: 'working', statusParts: [] }));
  }

  turnParked(tx: WriteTx, parked: Parameters<TurnProgressHook['turnParked']>[1]): Promise<void> {
    return this.#note(tx, parked, async () => {
      const asked = await openRequest(tx, parked.turn.id);
      const state = taskState({ state: 'WAITING', attempt: parked.turn.attempt }, asked);
      return { state, statusParts: asked === undefined ? [] : askedParts(asked) };
    });
  }

  turnEnded(tx: WriteTx, end: Parameters<TurnEndHook['turnEnded']>[1]): Promise<void> {
    return this.#note(tx, end, async () => ({ state: taskState(end.turn, undefined), statusParts: [] }));
  }

  /** Turns that no peer began cost nothing. */
  async #note(tx: WriteTx, { turn, body }: Place, newsOf: () => Promise<News>): Promise<void> {
    if (body.cause.kind !== CAUSE) return;
    const turnId = turn.id;
    const rows = await tx.taskPushes.page('ofTurn', { turnId }, { limit: MAX_PUSHES });
    if (rows.length === 0) return;
    const news = await newsOf();
    for (const { id } of rows) {
      const row = await tx.taskPushes.get({ turnId, id });
      if (row === undefined) continue;
      const atMs = Math.floor(tx.now() / MICROS_PER_MS);
      const noted = withNote(parsePush(row), { ...news, id: this.#ids.next(), atMs });
      if (noted === undefined) continue;
      await tx.taskPushes.put(withPush(row, noted));
      await putDelivery(tx, row);
    }
    tx.afterCommit(() => this.#bus.publish(RESOURCES_CHANGED, {}));
  }
}

/** Notes the states of turns for the peers that they are sent to. */
export const createTaskPushHook = (deps: {
  readonly ids: Ids;
  readonly bus: Pick<Bus, 'publish'>;
}): TurnEndHook & TurnProgressHook => new TaskPushHook(deps);
