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
import type { CheckReads, CheckResult, Reconciler } from '../contract.ts';

export interface FullPassDeps {
  readonly store: Pick<Store, 'direct' | 'read' | 'now'>;
}

/** A resource of a full pass that is not as it should be, or will have to be checked again. */
export interface Found {
  readonly key: ResourceKey;
  /** Version of the record that was checked. */
  readonly version: number;
  /** What the check said; without a check everything is due. */
  readonly result: Exclude<CheckResult, { readonly done: true }>;
}

type Check = NonNullable<Reconciler['check']>;

/** Resources checked in one snapshot: two or three milliseconds of work. */
const CHECKED_AT_ONCE = 100;

/**
 * Every resource of the reconciler's kinds that is not done, page by page. Where the reconciler has a check, a page is read and
 * checked in one snapshot, and nothing stays of a resource that is as it should be.
 */
export async function* fullPass(
  { kinds, check }: Pick<Reconciler, 'kinds' | 'check'>,
  deps: FullPassDeps,
): AsyncGenerator<readonly Found[], void> {
  for (const kind of kinds)
    if (check === undefined) yield* everyKey(kind, deps);
    else yield* checked(kind, check, deps);
}

/** Of a resource that nothing has checked. */
export const DUE = { due: true } as const;

async function* everyKey(kind: string, { store }: FullPassDeps): AsyncGenerator<readonly Found[], void> {
  for await (const page of resourcePages(store.direct.resources, { kind, scope: { type: 'all' } }))
    yield page.map(({ key, version }) => ({ key, version, result: DUE }));
}

async function* checked(kind: string, check: Check, { store }: FullPassDeps): AsyncGenerator<readonly Found[], void> {
  let after: ResourceKey | undefined;
  do {
    const place = after === undefined ? {} : { after };
    const page = await store.read(async (tx) => {
      const records = await tx.resources.list({ kind, scope: { type: 'all' }, limit: CHECKED_AT_ONCE, ...place });
      const reads = readsOfPage(tx, () => store.now());
      const found: Found[] = [];
      for (const record of records) {
        const { key, version } = record;
        const result = await checkOne(check, record, reads);
        if (!('done' in result)) found.push({ key, version, result });
      }
      return { found, last: records.length < CHECKED_AT_ONCE ? undefined : records.at(-1)?.key };
    });
    yield page.found;
    after = page.last;
  } while (after !== undefined);
}

/** What the check says; of a record that it cannot read, a lasting failure. A Fault is one of the store and is thrown. */
export const checkOne = async (check: Check, record: StoredResource, reads: CheckReads): Promise<CheckResult> => {
  try {
    return await check(record, reads);
  } catch (error) {
    if (isFault(error)) throw error;
    return { failed: String(error) };
  }
};

/** What many resources of a page refer to, such as their namespace, is read once. */
const readsOfPage = (tx: ReadTx, now: () => number): CheckReads => {
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
    count: resources.count.bind(resources),
    dependents: resources.dependents.bind(resources),
    changes: resources.changes.bind(resources),
    versionRange: resources.versionRange.bind(resources),
    activity: resources.activity.bind(resources),
  };
  return { resources: reads, log, now };
};
