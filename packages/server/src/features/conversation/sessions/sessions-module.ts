import type { Random } from '../../../base/index.ts';
import type { SessionLifecycle } from '../../../runtime/contract.ts';
import type { ReadTx, StoredResource, WriteTx } from '../../../store/contracts/index.ts';
import type { FeatureModule, PeriodicJob } from '../../module-contract.ts';
import { sessionContract } from './session-kind.ts';
import { type SessionsFeature, sessionsFeature } from './session-operations.ts';
import { type SessionTrimDeps, sessionTrim } from './session-trim.ts';
import type { SessionLimits, SessionsDeps } from './sessions-deps.ts';
import { type SessionToolsDeps, sessionTools } from './tools/index.ts';
import { sessionTrail } from './trail/index.ts';
import { sessionActivity } from './wire/index.ts';

const MS_PER_SECOND = 1_000;
const MS_PER_HOUR = 3_600_000;
/** Bytes of decoded messages kept for lists. */
const MESSAGE_CACHE_BYTES = 32 * 1024 * 1024;

/** Sizes in bytes, times in milliseconds. */
interface SessionSettings {
  readonly 'limits.messageBytes': number;
  readonly 'limits.responseBytes': number;
  readonly 'limits.labels': number;
  readonly 'limits.batchSessions': number;
  readonly 'deadlines.waitSeconds': number;
  readonly 'idempotency.hours': number;
  readonly 'requests.links': boolean;
}

interface SessionsModuleDeps
  extends Omit<SessionsDeps, 'limits' | 'links'>,
    Pick<SessionToolsDeps, 'visibleNamespaces'> {
  readonly settings: SessionSettings & SessionTrimDeps['settings'] & { readonly 'a2a.maxDepth': number };
  readonly random: Random;
  /** Where people reach the server, without a trailing slash. */
  readonly baseUrl: () => string;
}

interface SessionsModule extends FeatureModule, Pick<SessionsFeature, 'chat' | 'console' | 'createSession'> {
  /** Phase and times of sessions for reads of any kind, by uid. */
  readonly facts: (reads: ReadTx, records: readonly StoredResource[]) => Promise<ReadonlyMap<string, string>>;
}

/** The kind Session with its operations, and the end of sessions that are idle for too long. */
export const sessionsModule = (deps: SessionsModuleDeps): SessionsModule => {
  const { settings, random, baseUrl } = deps;
  const links = { isOn: settings['requests.links'], random, baseUrl };
  const { operations, routes, ...offered } = sessionsFeature({ ...deps, limits: limitsOf(settings), links });
  return {
    kinds: [sessionContract({ removeSession: (tx, id) => removeSession(deps.lifecycle, tx, id) })],
    jobs: [...sessionTrim(deps), linkTrim(deps)],
    trails: [sessionTrail],
    tools: sessionTools({ ...deps, maxDepth: settings['a2a.maxDepth'] }),
    operations,
    routes,
    ...offered,
    facts: sessionFacts,
  };
};

const LINK_TRIM_MS = 3_600_000;
const LINKS_AT_ONCE = 500;

/** Links that count no more. */
const linkTrim = ({ store }: Pick<SessionsDeps, 'store'>): PeriodicJob => ({
  name: 'answer-links',
  everyMs: LINK_TRIM_MS,
  tick: () => store.write((tx) => tx.answerLinks.trim(tx.steadyNow(), LINKS_AT_ONCE)),
});

const limitsOf = (settings: SessionSettings): SessionLimits => ({
  messageBytes: settings['limits.messageBytes'],
  responseBytes: settings['limits.responseBytes'],
  labels: settings['limits.labels'],
  batchSessions: settings['limits.batchSessions'],
  waitSeconds: settings['deadlines.waitSeconds'] / MS_PER_SECOND,
  idempotencyHours: settings['idempotency.hours'] / MS_PER_HOUR,
  messageCacheBytes: MESSAGE_CACHE_BYTES,
});

/** A session deleted through any API ends its turns and goes with everything it holds. */
const removeSession = async (
  lifecycle: Pick<SessionLifecycle, 'remove'>,
  tx: WriteTx,
  sessionId: string,
): Promise<void> => {
  const session = await tx.log.lockSession(sessionId);
  if (session !== undefined) await lifecycle.remove(tx, session);
};

/** They are in the session rows: a turn makes no new resource version. */
const sessionFacts: SessionsModule['facts'] = async (reads, records) => {
  const facts = new Map<string, string>();
  for (const { uid, key } of records) {
    const row = await reads.log.session(key.name);
    if (row !== undefined) facts.set(uid, sessionActivity(row));
  }
  return facts;
};
