import { isFault } from '../../base/index.ts';
import { formatKey } from '../../resources/index.ts';
import {
  type ReadTx,
  type ResourceKey,
  type ResourceReads,
  resourcePages,
  type Store,
  type StoredResource,
} from '../../store/contracts/index.ts';
import type { LookReads, Reconciler } from '../contract.ts';

export interface FullPassDeps {
  readonly store: Pick<Store, 'direct' | 'read' | 'now'>;
}

/** A resource that needs a pass of its own, now (0) or after a while. */
export interface Wanting {
  readonly key: ResourceKey;
  readonly afterMs: number;
}

type Look = NonNullable<Reconciler['look']>;

/** Resources checked in one snapshot: two or three milliseconds of work. */
const LOOKED_AT = 100;

/**
 * Every resource of the reconciler's kinds that needs a pass, page by page. Where the reconciler checks for itself, a
 * page is read and checked in one snapshot, and nothing stays of a resource that is as it should be.
 */
export async function* fullPass(
  { kinds, look }: Pick<Reconciler, 'kinds' | 'look'>,
  deps: FullPassDeps,
): AsyncGenerator<readonly Wanting[], void> {
  for (const kind of kinds)
    if (look === undefined) yield* everyKey(kind, deps);
    else yield* lookedAt(kind, look, deps);
}

async function* everyKey(kind: string, { store }: FullPassDeps): AsyncGenerator<readonly Wanting[], void> {
  for await (const page of resourcePages(store.direct.resources, { kind, scope: { type: 'all' } }))
    yield page.map(({ key }) => ({ key, afterMs: 0 }));
}

async function* lookedAt(kind: string, look: Look, { store }: FullPassDeps): AsyncGenerator<readonly Wanting[], void> {
  let after: ResourceKey | undefined;
  do {
    const place = after === undefined ? {} : { after };
    const seen = await store.read(async (tx) => {
      const page = await tx.resources.list({ kind, scope: { type: 'all' }, limit: LOOKED_AT, ...place });
      const reads = readsOfPage(tx, () => store.now());
      const wanting: Wanting[] = [];
      for (const record of page) {
        const afterMs = await waitFor(look, record, reads);
        if (afterMs !== undefined) wanting.push({ key: record.key, afterMs });
      }
      return { wanting, last: page.length < LOOKED_AT ? undefined : page.at(-1)?.key };
    });
    yield seen.wanting;
    after = seen.last;
  } while (after !== undefined);
}

/** Milliseconds until the resource needs a pass, undefined for none. One that cannot be checked fails in its own pass. */
const waitFor = async (look: Look, record: StoredResource, reads: LookReads): Promise<number | undefined> => {
  try {
    const found = await look(record, reads);
    if ('due' in found) return 0;
    return 'done' in found ? undefined : found.againMs;
  } catch (error) {
    if (isFault(error)) throw error;
    return 0;
  }
};

/** What many resources of a page refer to, such as their namespace, is read once. */
const readsOfPage = (tx: ReadTx, now: () => number): LookReads => {
  const { resources, log } = tx;
  const known = new Map<string, StoredResource | undefined>();
  const get = async (key: ResourceKey): Promise<StoredResource | undefined> => {
    const id = formatKey(key);
    if (!known.has(id)) known.set(id, await resources.get(key));
    return known.get(id);
  };
  const reads: ResourceReads = {
    get,
    list: resources.list.bind(resources),
    dependents: resources.dependents.bind(resources),
    changes: resources.changes.bind(resources),
    versionRange: resources.versionRange.bind(resources),
    activity: resources.activity.bind(resources),
  };
  return { resources: reads, log, now };
};
