import { type AgentSpec, AgentSpecSchema } from '@svc/api/resources';
import { BoundedCache } from '../../../base/index.ts';
import {
  isJsonMap,
  type JsonData,
  parseJsonMap,
  recordKey,
  SpecReader,
  withoutPrivate,
} from '../../../resources/index.ts';
import type { AgentDirectory, AgentRevision } from '../../../runtime/contract.ts';
import type { ReadTx, StoredResource, WriteTx } from '../../../store/contracts/index.ts';
import { REQUIREMENT_MISSING } from './agent-findings.ts';
import { readRevision } from './agent-revisions.ts';

interface Known {
  readonly version: number;
  readonly uid: string;
  readonly revision: AgentRevision;
}

const ENTRIES = 10_000;

/**
 * Agents as turns run them. The record is read through the caller's transaction; its interpretation is cached by uid and
 * version, so that `current` costs one keyed read.
 */
export class StoredAgentDirectory implements AgentDirectory {
  readonly #known = new BoundedCache<string, Known>(ENTRIES);
  readonly #former = new SpecReader(ENTRIES);

  async current(tx: Pick<ReadTx, 'resources'>, namespace: string, name: string): Promise<AgentRevision | undefined> {
    const record = await tx.resources.get(recordKey('Agent', namespace, name));
    return record === undefined ? undefined : this.revisionOf(record);
  }

  /** The revision a stored agent is. */
  revisionOf(record: StoredResource): AgentRevision {
    const id = record.uid;
    const known = this.#known.get(id);
    if (known !== undefined && known.version === record.version) return known.revision;
    const revision = Object.freeze(readRevisionOf(record, this.#former.read(AgentSpecSchema, record)));
    this.#known.set(id, { version: record.version, uid: record.uid, revision });
    return revision;
  }

  async revision(
    tx: Pick<ReadTx, 'resources' | 'instance'>,
    current: AgentRevision,
    ...[uid, generation]: readonly [uid: string, generation: number]
  ): Promise<AgentRevision | undefined> {
    if (current.uid !== uid) return undefined;
    if (current.generation === generation) return current;
    const text = await readRevision(tx, uid, generation);
    if (text === undefined) return undefined;
    const spec = this.#former.read(AgentSpecSchema, { uid: `${uid}/${generation}`, spec: text });
    return { ...current, generation, spec };
  }

  async noteSession(tx: WriteTx, agentUid: string, sessionId: string): Promise<void> {
    await tx.resources.setActivity(agentUid, JSON.stringify({ lastSessionId: sessionId }));
  }
}

const readRevisionOf = (record: StoredResource, spec: AgentSpec): AgentRevision => ({
  uid: record.uid,
  generation: record.generation,
  namespace: record.key.namespace,
  name: record.key.name,
  labels: withoutPrivate(record.labels),
  spec,
  deleting: record.deletionTimestamp !== undefined,
  notReady: notReadyText(record),
});

/** Why turns are refused; '' for an agent that runs them, degraded or not. */
const notReadyText = (record: StoredResource): string => {
  const conditions: JsonData = parseJsonMap(record.status)?.['conditions'] ?? [];
  if (!Array.isArray(conditions)) return '';
  for (const condition of conditions as readonly JsonData[])
    if (isJsonMap(condition) && condition['type'] === 'Ready' && condition['reason'] === REQUIREMENT_MISSING)
      return String(condition['message'] ?? 'the agent is not ready');
  return '';
};
