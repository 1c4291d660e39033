import type { ClaimNews, TurnRow } from '../../contracts/index.ts';
import { type TurnSqlRow, toTurn } from '../../rows/index.ts';
import { type Connection, LIMIT, type Statement } from '../connection.ts';
import { FROM_TURNS, SELECT_TURNS } from './turn-rows.ts';

/** Claims decide the order of the scan: there are as many as running turns, whatever the number of turns. */
const FROM_CLAIMS = 'FROM claims c CROSS JOIN turns t ON t.id = c.turn_id';
const EXPIRED = `${SELECT_TURNS} FROM (SELECT turn_id, expires_at FROM claims WHERE expires_at < ? ORDER BY expires_at ${LIMIT}) c
  CROSS JOIN turns t ON t.id = c.turn_id`;
const CLAIMED_BY = `${SELECT_TURNS} ${FROM_CLAIMS} WHERE c.worker = ? ORDER BY c.turn_id ${LIMIT}`;
const CLAIMED = `${SELECT_TURNS} ${FROM_CLAIMS} ORDER BY c.worker, c.turn_id ${LIMIT}`;
/** Walks claims and parked turns only: a namespace is deleted rarely, and there is no index of turns by namespace. */
const STARTED = `${SELECT_TURNS} FROM (SELECT turn_id AS id FROM claims
    UNION SELECT id FROM turns INDEXED BY turns_parked WHERE wake_at > 0) s
  CROSS JOIN turns t ON t.id = s.id LEFT JOIN claims c ON c.worker = t.worker AND c.turn_id = t.id
  WHERE t.namespace = ? AND s.id > ? ORDER BY s.id ${LIMIT}`;
const NEXT_WORKER = 'SELECT worker FROM claims WHERE worker > ? ORDER BY worker LIMIT 1';
const HELD = 'SELECT turn_id, fence FROM claims WHERE worker = ?';
const RENEW_ALL = 'UPDATE claims SET expires_at = ? WHERE worker = ?';
const RENEW_ONE = 'UPDATE claims SET expires_at = ? WHERE worker = ? AND turn_id = ?';
const STOPPING = 'SELECT id FROM turns WHERE stop_requested = 1 AND worker = ?';
const STEERED = `SELECT s.turn_id, count(*) AS found FROM steers s CROSS JOIN claims c
  ON c.worker = ? AND c.turn_id = s.turn_id GROUP BY s.turn_id`;
const NEXT_NAMESPACE = 'SELECT namespace FROM turns WHERE ready = 1 AND namespace > ? ORDER BY namespace LIMIT 1';
const READY = `${SELECT_TURNS} ${FROM_TURNS} WHERE t.ready = 1 AND t.namespace = ? AND (t.created_at, t.id) > (?, ?)
  ORDER BY t.created_at, t.id ${LIMIT}`;

/** Ready turns of one namespace, read as they are handed out. */
interface ReadyQueue {
  readonly namespace: string;
  turns: readonly TurnRow[];
  /** Handed out from `turns`. */
  used: number;
  isDrained: boolean;
}

/** Who works on what: ready turns, claims and their renewal. Every method costs its result, never the backlog. */
export class ClaimTable {
  /** Workers of this process that live. */
  readonly living = new Set<string>();
  readonly #nextWorker: Statement<{ worker: string }>;
  readonly #expired: Statement<TurnSqlRow>;
  readonly #claimedBy: Statement<TurnSqlRow>;
  readonly #claimed: Statement<TurnSqlRow>;
  readonly #started: Statement<TurnSqlRow>;
  readonly #held: Statement<{ turn_id: string; fence: number }>;
  readonly #renewAll: Statement;
  readonly #renewOne: Statement;
  readonly #stopping: Statement<{ id: string }>;
  readonly #steered: Statement<{ turn_id: string; found: number }>;
  readonly #nextNamespace: Statement<{ namespace: string }>;
  readonly #ready: Statement<TurnSqlRow>;
  /** Namespace that was served last; the rotation continues behind it. Only fairness depends on it. */
  #lastServed = '';

  constructor(connection: Connection) {
    this.#expired = connection.statement(EXPIRED);
    this.#claimedBy = connection.statement(CLAIMED_BY);
    this.#claimed = connection.statement(CLAIMED);
    this.#started = connection.statement(STARTED);
    this.#nextWorker = connection.statement(NEXT_WORKER);
    this.#held = connection.statement(HELD);
    this.#renewAll = connection.statement(RENEW_ALL);
    this.#renewOne = connection.statement(RENEW_ONE);
    this.#stopping = connection.statement(STOPPING);
    this.#steered = connection.statement(STEERED);
    this.#nextNamespace = connection.statement(NEXT_NAMESPACE);
    this.#ready = connection.statement(READY);
  }

  expired(now: number, limit: number): TurnRow[] {
    return this.#expired.all(now, limit).map(toTurn);
  }

  claimed(worker: string | undefined, limit: number): TurnRow[] {
    const rows = worker === undefined ? this.#claimed.all(limit) : this.#claimedBy.all(worker, limit);
    return rows.map(toTurn);
  }

  started(namespace: string, after: string, limit: number): TurnRow[] {
    return this.#started.all(namespace, after, limit).map(toTurn);
  }

  /** Claims of workers that do not live; one read per worker that holds any. */
  dead(limit: number): TurnRow[] {
    const found: TurnRow[] = [];
    let next = this.#nextWorker.get('');
    for (; next !== undefined && found.length < limit; next = this.#nextWorker.get(next.worker))
      if (!this.living.has(next.worker)) found.push(...this.claimed(next.worker, limit - found.length));
    return found;
  }

  /** Oldest first within a namespace, one of each namespace in turn. */
  ready(limit: number): TurnRow[] {
    const queues = this.#readyNamespaces(limit);
    const found: TurnRow[] = [];
    let open = queues.length;
    while (open > 0 && found.length < limit) {
      open = 0;
      const share = Math.ceil((limit - found.length) / Math.max(1, queues.length));
      for (const queue of queues) {
        const turn = this.#takeReady(queue, share);
        if (turn === undefined) continue;
        open++;
        found.push(turn);
        this.#lastServed = queue.namespace;
        if (found.length === limit) break;
      }
    }
    return found;
  }

  renew(
    worker: string,
    claims: readonly { readonly turnId: string; readonly fence: number }[],
    expiresAt: number,
  ): ClaimNews[] {
    const held = new Map<string, number>();
    for (const row of this.#held.all(worker)) held.set(row.turn_id, row.fence);
    const stopping = new Set(this.#stopping.all(worker).map((row) => row.id));
    const steered = new Map(this.#steered.all(worker).map((row) => [row.turn_id, row.found]));
    const news = claims.map(({ turnId, fence }) => {
      const isHeld = held.get(turnId) === fence;
      const steerCount = isHeld ? (steered.get(turnId) ?? 0) : 0;
      return { turnId, held: isHeld, stopRequested: isHeld && stopping.has(turnId), steerCount };
    });
    const kept = new Set(news.filter((each) => each.held).map((each) => each.turnId));
    if (kept.size === held.size) this.#renewAll.run(expiresAt, worker);
    else for (const turnId of kept) this.#renewOne.run(expiresAt, worker, turnId);
    return news;
  }

  /** At most `limit` namespaces with ready turns, from behind the one served last, once around. */
  #readyNamespaces(limit: number): ReadyQueue[] {
    const start = this.#lastServed;
    const queues: ReadyQueue[] = [];
    const add = (namespace: string): void => {
      queues.push({ namespace, turns: [], used: 0, isDrained: false });
    };
    let next = this.#nextNamespace.get(start);
    for (; next !== undefined && queues.length < limit; next = this.#nextNamespace.get(next.namespace))
      add(next.namespace);
    next = this.#nextNamespace.get('');
    for (; next !== undefined && next.namespace <= start && queues.length < limit; ) {
      add(next.namespace);
      next = this.#nextNamespace.get(next.namespace);
    }
    return queues;
  }

  #takeReady(queue: ReadyQueue, share: number): TurnRow | undefined {
    if (queue.used === queue.turns.length && !queue.isDrained) {
      const last = queue.turns.at(-1);
      queue.turns = this.#ready.all(queue.namespace, last?.createdAt ?? 0, last?.id ?? '', share).map(toTurn);
      queue.isDrained = queue.turns.length < share;
      queue.used = 0;
    }
    const turn = queue.turns[queue.used];
    if (turn !== undefined) queue.used++;
    return turn;
  }
}
