import { type AppendAudit, systemOrigin } from '../controllers/index.ts';
import { formatKey } from '../resources/index.ts';
import type { Runtime } from '../runtime/index.ts';
import {
  earlierNow,
  type ResourceKey,
  resourcePages,
  type SessionRow,
  type Store,
  type WriteTx,
} from '../store/contracts/index.ts';
import type { Config } from './config/index.ts';
import type { PeriodicJob } from './periodic.ts';

export interface RetentionDeps {
  readonly store: Pick<Store, 'write' | 'read' | 'direct' | 'now' | 'steadyNow'>;
  readonly settings: Pick<Config['settings'], 'watch.historySeconds' | 'retention.audit' | 'retention.sessions'>;
  readonly lifecycle: Pick<Runtime['lifecycle'], 'remove'>;
  readonly audit: AppendAudit;
}

const MICROS_PER_MS = 1_000;
const MINUTE_MS = 60_000;
/** Also a server that is restarted every hour gets to it. */
const TRIM_MS = 600_000;
const ROWS = 500;
const SESSIONS = 100;
/** Readers of the change log inside the servers are never further behind than this. */
const LEAST_HISTORY_MS = MINUTE_MS;
const ORIGIN = systemOrigin('retention');

/**
 * Removes what is older than its setting says: changes, audit records and idle sessions; 0 keeps the last two. A clock that is
 * set forward, wrongly perhaps, removes nothing before its time: both clocks must find it old.
 */
export const retentionJobs = (deps: RetentionDeps): readonly PeriodicJob[] => {
  const { store, settings } = deps;
  const before = (ms: number): number => earlierNow(store) - ms * MICROS_PER_MS;
  const history = Math.max(settings['watch.historySeconds'], LEAST_HISTORY_MS);
  const { 'retention.audit': audit, 'retention.sessions': sessions } = settings;
  return [
    {
      name: 'change-trim',
      everyMs: MINUTE_MS,
      tick: () => trimAll(store, (tx) => tx.resources.trimChanges(before(history), ROWS)),
    },
    ...(audit === 0
      ? []
      : [
          {
            name: 'audit-trim',
            everyMs: TRIM_MS,
            tick: () => trimAll(store, (tx) => tx.audit.trim(before(audit), ROWS)),
          },
        ]),
    ...(sessions === 0
      ? []
      : [{ name: 'session-trim', everyMs: TRIM_MS, tick: () => removeIdle(deps, before(sessions)) }]),
  ];
};

/** In batches of a transaction each, so that other writers come in between. */
const trimAll = async (store: Pick<Store, 'write'>, trim: (tx: WriteTx) => Promise<number>): Promise<void> => {
  while ((await store.write(trim)) === ROWS);
};

/** Sessions without a turn that nothing happened to since `before`, agent by agent. */
const removeIdle = async (deps: RetentionDeps, before: number): Promise<void> => {
  const { resources } = deps.store.direct;
  for await (const agents of resourcePages(resources, { kind: 'Agent', scope: { type: 'all' } }))
    for (const { key } of agents) await removeIdleOf(deps, key, before);
};

const removeIdleOf = async (deps: RetentionDeps, agent: ResourceKey, before: number): Promise<void> => {
  let place = { lastActive: before, id: '' };
  for (;;) {
    const from = place;
    const page = await deps.store.read((tx) =>
      tx.log.sessions({ namespace: agent.namespace, agent: agent.name, before: from, limit: SESSIONS }),
    );
    for (const row of page) await deps.store.write((tx) => removeIfIdle(deps, tx, { row, before }));
    const last = page.at(-1);
    if (last === undefined || page.length < SESSIONS) return;
    place = { lastActive: last.lastActive, id: last.id };
  }
};

const removeIfIdle = async (
  { lifecycle, audit }: RetentionDeps,
  tx: WriteTx,
  { row, before }: { readonly row: SessionRow; readonly before: number },
): Promise<void> => {
  const session = await tx.log.lockSession(row.id);
  if (session === undefined || session.openTurns > 0 || session.lastActive >= before) return;
  await lifecycle.remove(tx, session);
  const { namespace, agent: parent, id: name } = session;
  const target = formatKey({ kind: 'Session', namespace, parent, name });
  await audit(tx, ORIGIN, { target, namespace, resourceVersion: '', outcome: 'deleted' });
};
