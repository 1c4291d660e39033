import { isFault } from '../../../base/index.ts';
import type {
  Look,
  LookReads,
  NamespaceFacts,
  ReconcileOutcome,
  Reconciler,
  ResourceWriter,
} from '../../../controllers/contract.ts';
import { kindRow, messageText, parseJsonMap } from '../../../resources/index.ts';
import {
  everyResource,
  type ResourceChange,
  type ResourceKey,
  type ResourceReads,
  type Store,
  type StoredResource,
} from '../../../store/contracts/index.ts';
import { scheduleFacts, scheduleSpec, storedStatus } from './schedule-kind.ts';
import { scheduleStatus } from './schedule-status-rules.ts';
import { settleTimer } from './schedule-timer.ts';

export interface ScheduleControllerDeps {
  readonly store: Store;
  readonly writer: ResourceWriter;
  readonly namespaces: Pick<NamespaceFacts, 'requireLive'>;
  /** Why nothing fires schedules yet, in plain words; undefined where timers are served. */
  readonly notExecuted: string | undefined;
}

const RESYNC_MS = 300_000;
/** A schedule is checked no more often than this because its next run has passed. */
const PASSED_MS = 60_000;

const FOLLOWED: ReadonlySet<string> = new Set(['Schedule', 'Namespace', 'Agent', 'Workflow']);

/** Keeps next_run_at, timer and conditions of schedules true as time passes and as targets and namespaces come and go. */
export const scheduleController = (deps: ScheduleControllerDeps): Reconciler => ({
  name: 'scheduler',
  kinds: ['Schedule'],
  resyncMs: RESYNC_MS,
  concerns: ({ resource }) => FOLLOWED.has(resource.key.kind),
  keysFor,
  look: (record, reads) => look(deps, record, reads),
  reconcile: (key) => reconcile(deps, key),
});

const keysFor = async (change: ResourceChange, reads: ResourceReads): Promise<readonly ResourceKey[]> => {
  const { key } = change.resource;
  if (key.kind === 'Schedule') {
    const isNews = change.sections.includes('spec') || change.resource.deletionTimestamp !== undefined;
    return change.change === 'deleted' || !isNews ? [] : [key];
  }
  if (key.kind === 'Namespace') return schedulesIn(reads, key.name, () => true);
  if (change.change === 'updated') return [];
  const member = key.kind === 'Agent' ? 'agent' : 'workflow';
  return schedulesIn(reads, key.namespace, (record) => {
    const target = parseJsonMap(record.spec)?.['target'] as Readonly<Record<string, unknown>> | undefined;
    return target?.[member] === key.name;
  });
};

const schedulesIn = async (
  reads: ResourceReads,
  namespace: string,
  isMeant: (record: StoredResource) => boolean,
): Promise<readonly ResourceKey[]> => {
  const all = await everyResource(reads, { kind: 'Schedule', scope: { type: 'namespace', namespace } });
  return all.filter(isMeant).map((record) => record.key);
};

type Reads = Pick<LookReads, 'resources' | 'now'>;

/** Due when the stored status does not say what holds now. */
const look = async (deps: ScheduleControllerDeps, record: StoredResource, reads: Reads): Promise<Look> => {
  const { status, isStale } = await judge(deps, record, reads);
  return isStale ? { due: true } : lookAgain(Number(status.nextRunAt ?? 0n), reads.now());
};

const reconcile = async (deps: ScheduleControllerDeps, key: ResourceKey): Promise<ReconcileOutcome> => {
  const { store, writer } = deps;
  const seen = await store.read(async ({ resources }) => {
    const record = await resources.get(key);
    return record === undefined ? DONE : look(deps, record, { resources, now: () => store.now() });
  });
  if (!('due' in seen)) return seen;
  return store.write(async (tx) => {
    const record = await tx.resources.get(key);
    if (record === undefined) return DONE;
    const { status } = await judge(deps, record, tx);
    const stored = await writer.writeStatus(tx, key, () => ({ status }));
    if (stored !== undefined) await settleTimer(tx, stored, status);
    return lookAgain(Number(status.nextRunAt ?? 0n), tx.now());
  });
};

const DONE = { done: true } as const;

/** When the next run will have passed; later ones are found at a resync. */
const lookAgain = (nextRunAt: number, now: number): ReconcileOutcome => {
  const waitMs = Math.ceil((nextRunAt - now) / 1_000);
  return waitMs <= 0 || waitMs > RESYNC_MS ? DONE : { againMs: Math.max(waitMs, PASSED_MS) };
};

const judge = async (deps: ScheduleControllerDeps, record: StoredResource, reads: Reads) => {
  const spec = scheduleSpec(record);
  const isNamespaceLive = await isLive(deps, reads, record.key.namespace);
  const facts = await scheduleFacts(
    reads,
    { ...record, spec },
    {
      isWrite: false,
      isNamespaceLive,
      notExecuted: deps.notExecuted,
    },
  );
  const status = scheduleStatus(storedStatus(record), spec, facts);
  return { status, isStale: messageText(kindRow('Schedule').status, status) !== record.status };
};

const isLive = async (
  deps: ScheduleControllerDeps,
  reads: Pick<LookReads, 'resources'>,
  namespace: string,
): Promise<boolean> => {
  try {
    await deps.namespaces.requireLive(reads, namespace);
    return true;
  } catch (error) {
    if (isFault(error) && error.code === 'FAILED_PRECONDITION') return false;
    throw error;
  }
};
