import { together } from '../../../base/index.ts';
import type { ReadTx, SessionRow } from '../../../store/contracts/index.ts';

export interface AgentName {
  readonly namespace: string;
  readonly agent: string;
}

interface Wanted {
  readonly log: Pick<ReadTx['log'], 'session' | 'sessions'>;
  readonly agents: readonly AgentName[];
  /** Ids of single sessions in addition. */
  readonly sessionIds: readonly string[];
}

/** Agents whose newest session is asked for at one time. */
const AGENTS_AT_ONCE = 50;
/** Sessions read at once of an agent whose turn it is. */
const SESSIONS_AT_ONCE = 20;

/**
 * Sessions of the agents, the most recently active first, after a place (exclusive). Of each agent one session is read at first, and
 * more only when that one comes, so that many agents that are idle cost one read each. Every session comes once.
 */
export async function* recentSessions(
  { log, agents, sessionIds }: Wanted,
  after?: { readonly lastActive: number; readonly sessionId: string },
): AsyncGenerator<SessionRow> {
  const before = after && { lastActive: after.lastActive, id: after.sessionId };
  const queues = await queuesOf(log, agents, before);
  const singles = await together(...sessionIds.map((id) => log.session(id)));
  const known = singles
    .filter((row) => row !== undefined)
    .filter((row) => before === undefined || isBefore(row, before));
  queues.push({ rows: known.sort(newestFirst), more: undefined });
  let former = '';
  for (;;) {
    const queue = firstOf(queues);
    const session = queue?.rows.shift();
    if (queue === undefined || session === undefined) return;
    if (queue.rows.length === 0 && queue.more !== undefined) await refill(log, queue, session);
    if (session.id !== former) yield session;
    former = session.id;
  }
}

/** Sessions of one agent that were read and not given out yet; `more` while it may have older ones. */
interface Queue {
  rows: SessionRow[];
  more: AgentName | undefined;
}

type Place = Pick<SessionRow, 'lastActive' | 'id'>;

const queuesOf = async (
  log: Wanted['log'],
  agents: readonly AgentName[],
  before: Place | undefined,
): Promise<Queue[]> => {
  const queues: Queue[] = [];
  for (let at = 0; at < agents.length; at += AGENTS_AT_ONCE) {
    const heads = agents.slice(at, at + AGENTS_AT_ONCE).map(async (name) => {
      const rows = await log.sessions({ ...name, limit: 1, ...(before === undefined ? {} : { before }) });
      return { rows: [...rows], more: name };
    });
    for (const queue of await together(...heads)) if (queue.rows.length > 0) queues.push(queue);
  }
  return queues;
};

const refill = async (log: Wanted['log'], queue: Queue, last: Place): Promise<void> => {
  if (queue.more === undefined) return;
  const before = { lastActive: last.lastActive, id: last.id };
  queue.rows = [...(await log.sessions({ ...queue.more, limit: SESSIONS_AT_ONCE, before }))];
  if (queue.rows.length < SESSIONS_AT_ONCE) queue.more = undefined;
};

const newestFirst = (left: Place, right: Place): number =>
  right.lastActive - left.lastActive || (left.id < right.id ? 1 : -1);

const isBefore = (row: Place, place: Place): boolean => newestFirst(place, row) < 0;

/** The queue whose head comes next; undefined when all are empty. */
const firstOf = (queues: readonly Queue[]): Queue | undefined => {
  let first: { readonly queue: Queue; readonly head: Place } | undefined;
  for (const queue of queues) {
    const [head] = queue.rows;
    if (head !== undefined && (first === undefined || newestFirst(head, first.head) < 0)) first = { queue, head };
  }
  return first?.queue;
};
