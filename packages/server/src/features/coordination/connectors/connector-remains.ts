import { DONE, type QueueWorker, type ReconcileOutcome, type WorkItem } from '../../../controllers/contract.ts';
import type { Store, StoredResource, WriteTx } from '../../../store/contracts/index.ts';
import type { PeriodicJob } from '../../module-contract.ts';
import { uploadHolderOf } from './attachments/index.ts';

/** Queue item that removes what a deleted class or connector leaves behind; the key is its kind and uid. */
const REMAINS = 'connector.remains';

const BATCH = 500;
const TRIM_MS = 600_000;
const MICROS_PER_MS = 1_000;
/** How long an upload waits for the event that names it, micros. */
const UPLOAD_KEPT = 86_400_000_000;

/** Has a worker remove what the class or connector leaves behind. */
export const leaveRemains = (tx: WriteTx, { key, uid }: StoredResource): Promise<void> =>
  tx.queue.put({ kind: REMAINS, key: `${key.kind}/${uid}`, dueAt: tx.steadyNow(), attempts: 0, payload: '{}' });

/** Ends deliveries of a class that wait; false when more are left. */
type EndDeliveries = (tx: WriteTx, classUid: string) => Promise<boolean>;

/** Ends deliveries of deleted classes that wait, removes accepted events, pointers, routes and uploads of deleted classes, and pointers of deleted connectors, in batches. */
export class ConnectorRemains implements QueueWorker {
  readonly kinds = [REMAINS];
  readonly #store: Pick<Store, 'write'>;
  readonly #endDeliveries: EndDeliveries;

  constructor(store: Pick<Store, 'write'>, endDeliveries: EndDeliveries) {
    this.#store = store;
    this.#endDeliveries = endDeliveries;
  }

  async run({ key }: WorkItem): Promise<ReconcileOutcome> {
    const [kind, uid = ''] = key.split('/');
    if (kind !== 'Connector' && !(await this.#store.write((tx) => this.#endDeliveries(tx, uid)))) return { againMs: 0 };
    const removed = await this.#store.write((tx) =>
      kind === 'Connector' ? removePointers(tx, uid) : removeOfClass(tx, uid),
    );
    return removed < BATCH ? DONE : { againMs: 0 };
  }
}

const removePointers = async (tx: WriteTx, connectorUid: string): Promise<number> => {
  const rows = await tx.connectorPointers.page('ofConnector', { connectorUid }, { limit: BATCH });
  for (const { conversation } of rows) await tx.connectorPointers.remove({ connectorUid, conversation });
  return rows.length;
};

const removeOfClass = async (tx: WriteTx, classUid: string): Promise<number> => {
  const limit = { limit: BATCH };
  const events = await tx.connectorEvents.page('ofClass', { classUid }, limit);
  for (const { eventId } of events) await tx.connectorEvents.remove({ classUid, eventId });
  const pointers = await tx.connectorPointers.page('ofClass', { classUid }, limit);
  for (const { connectorUid, conversation } of pointers)
    await tx.connectorPointers.remove({ connectorUid, conversation });
  const routes = await tx.connectorRoutes.page('ofClass', { classUid }, limit);
  for (const { routeId, slot } of routes) await tx.connectorRoutes.remove({ classUid, routeId, slot });
  const uploads = await tx.connectorUploads.page('ofClass', { classUid }, limit);
  for (const upload of uploads) await removeUpload(tx, upload);
  return Math.max(events.length, pointers.length, routes.length, uploads.length);
};

const removeUpload = async (
  tx: WriteTx,
  { classUid, objectKey }: { readonly classUid: string; readonly objectKey: string },
): Promise<void> => {
  await tx.objects.dropReferences(uploadHolderOf(classUid, objectKey), tx.steadyNow());
  await tx.connectorUploads.remove({ classUid, objectKey });
};

export interface ConnectorTrimDeps {
  readonly store: Pick<Store, 'write'>;
  /** `limits.pointerRetention`. */
  readonly pointersMs: number;
}

/** Removes what is no longer kept: ids of events, pointers and contexts that were not used for long, uploads that no event named. */
export const connectorTrim = ({ store, pointersMs }: ConnectorTrimDeps): PeriodicJob => ({
  name: 'connector-trim',
  everyMs: TRIM_MS,
  tick: async () => {
    while ((await store.write((tx) => trimSome(tx, pointersMs * MICROS_PER_MS))) === BATCH);
  },
});

/** Removes at most a batch of each, oldest first; answers the size of the largest. */
const trimSome = async (tx: WriteTx, pointersKept: number): Promise<number> => {
  const now = tx.steadyNow();
  const limit = { limit: BATCH };
  const events = (await tx.connectorEvents.page('oldest', {}, limit)).filter(({ expiresAt }) => expiresAt <= now);
  for (const { classUid, eventId } of events) await tx.connectorEvents.remove({ classUid, eventId });
  const pointers = (await tx.connectorPointers.page('oldest', {}, limit)).filter(
    ({ usedAt }) => usedAt <= now - pointersKept,
  );
  for (const { connectorUid, conversation } of pointers)
    await tx.connectorPointers.remove({ connectorUid, conversation });
  const contexts = (await tx.connectorContexts.page('oldest', {}, limit)).filter(
    ({ createdAt }) => createdAt <= tx.now() - pointersKept,
  );
  for (const { namespace, subject } of contexts) await tx.connectorContexts.remove({ namespace, subject });
  const uploads = (await tx.connectorUploads.page('oldest', {}, limit)).filter(
    ({ createdAt }) => createdAt <= now - UPLOAD_KEPT,
  );
  for (const upload of uploads) await removeUpload(tx, upload);
  return Math.max(events.length, pointers.length, contexts.length, uploads.length);
};
