import type { QueueWorker, ReconcileOutcome, WorkItem } from '../../../controllers/contract.ts';
import type { Store, WriteTx } from '../../../store/contracts/index.ts';

/** Queue item that removes messages and events of a deleted channel; the key is its uid. */
export const REMOVE_REMAINS = 'channel.remains';

const BATCH = 500;

/** Has the worker remove what the channel leaves behind; its name is free without that. */
export const leaveRemains = (tx: WriteTx, channelUid: string): Promise<void> =>
  tx.queue.put({ kind: REMOVE_REMAINS, key: channelUid, dueAt: tx.steadyNow(), attempts: 0, payload: '{}' });

/** Removes messages, events and object references of deleted channels in batches; a killed pass continues where it was. */
export class ChannelRemains implements QueueWorker {
  readonly kinds = [REMOVE_REMAINS];
  readonly #store: Pick<Store, 'write'>;

  constructor(store: Pick<Store, 'write'>) {
    this.#store = store;
  }

  async run(item: WorkItem): Promise<ReconcileOutcome> {
    const removed = await this.#store.write((tx) => tx.channels.removeSome(item.key, BATCH));
    return removed < BATCH ? { done: true } : { againMs: 0 };
  }
}
