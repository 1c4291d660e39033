import type { AppendAudit } from '../../../controllers/contract.ts';
import { formatKey } from '../../../resources/index.ts';
import type { SessionLifecycle } from '../../../runtime/contract.ts';
import {
  earlierNow,
  type ResourceKey,
  resourcePages,
  type SessionRow,
  type Store,
  type WriteTx,
} from '../../../store/contracts/index.ts';
import type { PeriodicJob } from '../../module-contract.ts';

export interface SessionTrimDeps {
  readonly store: Pick<Store, 'write' | 'read' | 'direct' | 'now' | 'steadyNow'>;
  readonly lifecycle: Pick<SessionLifecycle, 'remove'>;
  readonly audit: AppendAudit;
  /** In milliseconds; 0 keeps every session. */
  readonly settings: { readonly 'retention.sessions': number };
}

const MICROS_PER_MS = 1_000;
/** Also a server that is restarted every hour gets to it. */
const TRIM_MS = 600_000;
const SESSIONS = 100;
const ORIGIN = { requestId: '', operation: 'retention', caller: { identity: 'system' } };

/**
 * Removes sessions that were idle for longer than the setting says. A clock that is set forward, wrongly perhaps, removes nothing
 * before its time: both clocks must find it old.
 */
export const sessionTrim = (deps: SessionTrimDeps): readonly PeriodicJob[] => {
  const keptMs = deps.settings['retention.sessions'];
  if (keptMs === 0) return [];
  const tick = (): Promise<void> => removeIdle(deps, earlierNow(deps.store) - keptMs * MICROS_PER_MS);
  return [{ name: 'session-trim', everyMs: TRIM_MS, tick }];
};

/** Sessions without a turn that nothing happened to since `before`, agent by agent. */
const removeIdle = async (deps: SessionTrimDeps, before: number): Promise<void> => {
  const { resources } = deps.store.direct;
  for await (const agents of resourcePages(resources, { kind: 'Agent', scope: { type: 'all' } }))
    for (const { key } of agents) await removeIdleOf(deps, key, before);
};

const removeIdleOf = async (deps: SessionTrimDeps, agent: ResourceKey, before: number): Promise<void> => {
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
  { lifecycle, audit }: SessionTrimDeps,
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
