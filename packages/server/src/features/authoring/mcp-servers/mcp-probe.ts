import { DONE, type QueueWorker, type ReconcileOutcome, type ResourceWriter } from '../../../controllers/contract.ts';
import { McpFailure } from '../../../protocols/mcp/contract.ts';
import { commonStatus, type Judged } from '../../../resources/index.ts';
import {
  type ResourceKey,
  resourcePages,
  type Store,
  type StoredResource,
  type WriteTx,
} from '../../../store/contracts/index.ts';
import type { ConnectionPool, ListOutcome, ServerLookup, WantedServer } from './connections/index.ts';
import { foundState } from './known-state.ts';
import { judgeStored } from './mcp-judgement.ts';
import { bindingSpec, type McpReferences } from './mcp-references.ts';

/** Kind of the queue items that try a server: one for each resource. */
const PROBE = 'mcp-probe';
/** When a server that could not be reached is tried again, whether or not a turn asks for it. */
const AGAIN_MS = 60_000;
/** How long one attempt waits: connection and list. */
const WAIT_MS = 15_000;

/** Has the server or binding tried soon, by one worker; in the transaction that changes it. */
export const queueProbe = async (tx: Pick<WriteTx, 'queue' | 'steadyNow'>, { uid, key }: StoredResource) => {
  const payload = JSON.stringify(key);
  await tx.queue.put({ kind: PROBE, key: uid, dueAt: tx.steadyNow(), attempts: 0, payload }, { replace: true });
};

/** The same a minute later, unless it is queued already. */
const queueLater = (tx: Pick<WriteTx, 'queue' | 'steadyNow'>, { uid, key }: StoredResource): Promise<void> =>
  tx.queue.put({
    kind: PROBE,
    key: uid,
    dueAt: tx.steadyNow() + AGAIN_MS * 1_000,
    attempts: 0,
    payload: JSON.stringify(key),
  });

export interface McpProbeDeps {
  readonly store: Pick<Store, 'write' | 'direct'>;
  readonly lookup: ServerLookup;
  readonly pool: ConnectionPool;
}

/** Tries servers and bindings that were changed, and again every minute while one cannot be reached. */
export const mcpProbe = (deps: McpProbeDeps): QueueWorker => ({
  kinds: [PROBE],
  run: async ({ payload }): Promise<ReconcileOutcome> => {
    const key = JSON.parse(payload) as ResourceKey;
    const { store, lookup, pool } = deps;
    const { kind, namespace, name } = key;
    if (kind === 'McpServer') await queueBindings(store, name);
    const record = await store.direct.resources.get(key);
    if (record === undefined || record.deletionTimestamp !== undefined) return DONE;
    const wanted = await (kind === 'McpServer' ? lookup.findServer(namespace, name) : lookup.find(namespace, name));
    if (typeof wanted !== 'object') return DONE;
    try {
      await pool.slot(wanted).probe(WAIT_MS);
    } catch (error) {
      if (error instanceof McpFailure) return { againMs: AGAIN_MS };
      throw error;
    }
    return DONE;
  },
});

/** The bindings that configure a server of that name are another server now. */
const queueBindings = async (store: McpProbeDeps['store'], server: string): Promise<void> => {
  const query = { kind: 'McpServerBinding', scope: { type: 'all' } } as const;
  for await (const page of resourcePages(store.direct.resources, query)) {
    const bound = page.filter((record) => (bindingSpec(record).serverRef || record.key.name) === server);
    if (bound.length === 0) continue;
    await store.write(async (tx) => {
      for (const record of bound) await queueProbe(tx, record);
    });
  }
};

/**
 * Records what an attempt found in the status of the resource, as long as it is still the one that was tried. A failure has it tried
 * again: turns that require the server are refused from now on, so they would not find out that it is back.
 */
export const recordOutcome = async (
  deps: {
    readonly store: Pick<Store, 'write'>;
    readonly writer: Pick<ResourceWriter, 'writeStatus'>;
    readonly references: McpReferences;
  },
  { subject, allowlist, use }: WantedServer,
  outcome: ListOutcome,
): Promise<void> => {
  await deps.store.write(async (tx) => {
    const current = await tx.resources.get(subject.key);
    if (current?.uid !== subject.uid || current.generation !== subject.generation) return;
    const judged = await judgeStored(tx, current, {
      references: deps.references,
      known: foundState(outcome, allowlist),
    });
    await deps.writer.writeStatus(tx, current.key, (stored) => ({ status: statusOf(stored, judged, tx.now()) }));
    if ('failure' in outcome && use === undefined) await queueLater(tx, current);
  });
};

const statusOf = (stored: StoredResource, judged: Judged, now: number) =>
  commonStatus(stored, judged, { now, generation: stored.generation });
