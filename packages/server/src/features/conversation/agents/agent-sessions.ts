import {
  type QueueWorker,
  type ReconcileOutcome,
  type ResourceWriter,
  systemOrigin,
  type WorkItem,
  type WriteOrigin,
} from '../../../controllers/contract.ts';
import type { Store, StoredResource, WriteTx } from '../../../store/contracts/index.ts';

/** Queue item that removes what is left of a deleted agent's sessions; key = uid of the agent. */
const REMOVE_SESSIONS = 'agent.sessions';

const BATCH = 200;
const ORIGIN = systemOrigin('garbage-collection');

interface Payload {
  readonly namespace: string;
  readonly agent: string;
  /** Micros; nodes of the release before tell sessions of a later agent of the same name by it, we by their owner. */
  readonly before: number;
}

export interface AgentSessionsDeps {
  readonly store: Pick<Store, 'write'>;
  readonly writer: () => ResourceWriter;
}

/** Sessions go with their agent: the first ones at once, the rest in batches. */
export class AgentSessions implements QueueWorker {
  readonly kinds = [REMOVE_SESSIONS];
  readonly #deps: AgentSessionsDeps;

  constructor(deps: AgentSessionsDeps) {
    this.#deps = deps;
  }

  /** The `removeSessions` of the agent's contract. */
  async remove(tx: WriteTx, agent: StoredResource, origin: WriteOrigin): Promise<void> {
    const payload: Payload = { namespace: agent.key.namespace, agent: agent.key.name, before: tx.now() };
    const isAll = await this.#batch(tx, origin, { ...payload, agentUid: agent.uid });
    if (isAll) return;
    const item = { kind: REMOVE_SESSIONS, key: agent.uid, dueAt: tx.steadyNow(), attempts: 0 };
    await tx.queue.put({ ...item, payload: JSON.stringify(payload) });
  }

  async run(item: WorkItem): Promise<ReconcileOutcome> {
    const payload = JSON.parse(item.payload) as Payload;
    const isAll = await this.#deps.store.write((tx) => this.#batch(tx, ORIGIN, { ...payload, agentUid: item.key }));
    return isAll ? { done: true } : { againMs: 0 };
  }

  async #batch(tx: WriteTx, origin: WriteOrigin, payload: Payload & { readonly agentUid: string }): Promise<boolean> {
    const sessions = await tx.resources.list({
      kind: 'Session',
      scope: { type: 'namespace', namespace: payload.namespace },
      parent: payload.agent,
      limit: BATCH,
    });
    const old = sessions.filter((session) => !isOfAnother(session, payload.agentUid));
    for (const session of old) await this.#deps.writer().remove(tx, origin, { key: session.key, bySystem: true });
    return sessions.length < BATCH || old.length === 0;
  }
}

/** Of an agent that was made under the same name since; clocks do not tell, they may have been set back. */
const isOfAnother = ({ owners }: StoredResource, agentUid: string): boolean =>
  owners.some(({ kind, controller, uid }) => kind === 'Agent' && controller && uid !== agentUid);
