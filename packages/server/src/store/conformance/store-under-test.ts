import { onTestFinished } from 'vitest';
import type { ManualClock } from '../../base/index.ts';
import type {
  MessageRow,
  PermissionRow,
  ResourceDraft,
  ResourceKey,
  ResourceQuery,
  SessionRow,
  Store,
  TurnRow,
} from '../contracts/index.ts';

export interface StoreUnderTest {
  readonly store: Store;
  readonly clock: ManualClock;
  /** Closes the store and opens what it left behind. */
  reopen(): Promise<Store>;
  /** Closes and removes everything. */
  dispose(): Promise<void>;
}

export type MakeStore = () => Promise<StoreUnderTest>;

/** An empty store for one test; gone when the test has finished. */
export const openFor = async (make: MakeStore): Promise<StoreUnderTest> => {
  const made = await make();
  onTestFinished(() => made.dispose());
  return made;
};

/** Ids that sort in the order of their numbers. */
export const id = (number: number, kind = 0): string =>
  `0190${String(kind).padStart(4, '0')}-0000-7000-8000-${String(number).padStart(12, '0')}`;

export const key = (name: string, more: Partial<ResourceKey> = {}): ResourceKey => ({
  ...{ kind: 'Agent', namespace: 'default', parent: '', name },
  ...more,
});

export const draft = (of: ResourceKey | string, more: Partial<ResourceDraft> = {}): ResourceDraft => ({
  key: typeof of === 'string' ? key(of) : of,
  apiVersion: 'svc/v1',
  uid: `uid-${typeof of === 'string' ? of : of.name}`,
  generation: 1,
  createdAt: 1_000_000,
  labels: {},
  annotations: {},
  owners: [],
  finalizers: [],
  spec: '{}',
  status: '{}',
  ...more,
});

export const session = (sessionId: string, more: Partial<SessionRow> = {}): SessionRow => ({
  ...{ id: sessionId, namespace: 'default', agent: 'agent', state: 'IDLE', fence: 0, epoch: 0 },
  ...{ createdAt: 1_000_000, lastActive: 1_000_000, openTurns: 0, activeTurnId: '', admission: 0 },
  ...{ lastMessageId: '', lastSequence: 0, labels: {}, body: '{}' },
  ...more,
});

export const message = (sessionId: string, messageId: string, more: Partial<MessageRow> = {}): MessageRow => ({
  ...{ id: messageId, sessionId, role: 1, createdAt: 1_000_000, labels: {}, turnId: '', parts: '[]', revision: 1 },
  ...more,
});

export const turn = (turnId: string, sessionId: string, more: Partial<TurnRow> = {}): TurnRow => ({
  ...{ id: turnId, sessionId, namespace: 'default', agent: 'agent', admission: 1, state: 'QUEUED', ready: false },
  ...{ attempt: 0, fence: 0, worker: '', claimExpiresAt: 0, stopRequested: false, wakeAt: 0, createdAt: 1_000_000 },
  ...{ finishedAt: 0, userMessageId: '', body: '{}' },
  ...more,
});

export const permission = (requestId: string, turnId: string, more: Partial<PermissionRow> = {}): PermissionRow => ({
  ...{ id: requestId, namespace: 'default', agent: 'agent', sessionId: id(1), turnId, open: true },
  ...{ createdAt: 1_000_000, expiresAt: 2_000_000, body: '{}' },
  ...more,
});

export const insertTurns = (store: Store, rows: readonly TurnRow[]): Promise<void> =>
  store.write(async (tx) => {
    for (const row of rows) await tx.log.insertTurn(row);
  });

/** `kind/namespace/parent/name` of the resources that a list finds, without the parts that are empty. */
export const names = async (store: Store, query: Partial<ResourceQuery>): Promise<string[]> => {
  const found = await store.direct.resources.list({ scope: { type: 'all' }, limit: 100, ...query });
  return found.map(({ key: of }) =>
    [of.kind, of.namespace, of.parent, of.name].filter((part) => part !== '').join('/'),
  );
};

/** Writes the resources in one transaction. */
export const insertAll = (store: Store, drafts: readonly ReturnType<typeof draft>[]): Promise<void> =>
  store.write(async (tx) => {
    for (const each of drafts) await tx.resources.insert(each);
  });
