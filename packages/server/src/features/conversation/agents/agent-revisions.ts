import type { QueueWorker, ReconcileOutcome, WorkItem } from '../../../controllers/contract.ts';
import type { ReadTx, Store, StoredResource, WriteTx } from '../../../store/contracts/index.ts';

/** Queue item that drops a former spec; key = `<uid>/<generation>`. */
const DROP_REVISION = 'agent.revision';
const KEEP_MICROS = 2 * 86_400_000_000;

const valueName = (uid: string, generation: number): string => `agent-revision/${uid}/${generation}`;

/** Keeps the spec an agent had before a change, for turns that began with it; it is dropped after two days. */
export const keepRevision = async (tx: WriteTx, former: StoredResource): Promise<void> => {
  const { uid, generation } = former;
  const payload = JSON.stringify({ uid, generation });
  await tx.instance.setValue(valueName(uid, generation), former.spec);
  await tx.queue.put({
    kind: DROP_REVISION,
    key: `${uid}/${generation}`,
    dueAt: tx.steadyNow() + KEEP_MICROS,
    attempts: 0,
    payload,
  });
};

/** Stored text of a former spec; undefined when it is not kept. */
export const readRevision = async (
  reads: Pick<ReadTx, 'instance'>,
  uid: string,
  generation: number,
): Promise<string | undefined> => {
  const text = await reads.instance.value(valueName(uid, generation));
  return text === undefined || text === '' ? undefined : text;
};

/** Drops former specs whose time is over. */
export class AgentRevisionDrop implements QueueWorker {
  readonly kinds = [DROP_REVISION];
  readonly #store: Pick<Store, 'write'>;

  constructor(store: Pick<Store, 'write'>) {
    this.#store = store;
  }

  async run(item: WorkItem): Promise<ReconcileOutcome> {
    const { uid, generation } = JSON.parse(item.payload) as { readonly uid: string; readonly generation: number };
    await this.#store.write((tx) => tx.instance.removeValue(valueName(uid, generation)));
    return { done: true };
  }
}
