import type { AuditFilter, AuditRow, AuditWrites } from '../../contracts/index.ts';
import { type AuditSqlRow, toAudit } from '../../rows/index.ts';
import type { Access, WriteAccess } from '../access.ts';
import { composed, type Queries, statement } from '../connection/index.ts';
import { Conditions } from './resource-list.ts';

const COLUMNS = 'id, at, request_id, identity, operation, target, namespace, outcome, resource_version';
const SELECT = `SELECT ${COLUMNS}, coalesce(c.hash, '') AS hash FROM audit a LEFT JOIN audit_chain c ON c.position = a.position`;
/** The transaction has its number before the position is taken, so that a reader knows whom to wait for at a hole. */
const APPEND = statement(
  `INSERT INTO audit (position, ${COLUMNS})
   VALUES (CASE WHEN pg_current_xact_id() IS NOT NULL THEN nextval(pg_get_serial_sequence('audit', 'position')) END,
     $1,$2,$3,$4,$5,$6,$7,$8,$9)`,
);
/** One closer at a time: the chain has one head. */
const LOCK_CHAIN = statement(`SELECT pg_advisory_xact_lock(hashtextextended('svc audit chain', 0))`);
const UNCHAINED = statement<AuditSqlRow>(
  `${SELECT} WHERE a.position > coalesce((SELECT max(position) FROM audit_chain), 0) AND a.position <= $1
   ORDER BY a.position LIMIT $2`,
);
const CHAIN_HEAD = statement<{ hash: string }>('SELECT hash FROM audit_chain ORDER BY position DESC LIMIT 1');
const SET_HASHES = statement(
  `INSERT INTO audit_chain (position, hash) SELECT a.position, h.hash FROM unnest($1::text[], $2::text[]) AS h (id, hash)
   CROSS JOIN LATERAL (SELECT position FROM audit WHERE id = h.id LIMIT 1) a ON CONFLICT (position) DO UPDATE SET hash = excluded.hash`,
);
const OLDEST = statement<{ position: number; at: number }>(
  `SELECT a.position, a.at FROM audit a JOIN audit_chain c ON c.position = a.position
   WHERE a.position < (SELECT max(position) FROM audit_chain) ORDER BY a.position LIMIT $1`,
);
const DROP = statement('DELETE FROM audit WHERE position <= $1');
const DROP_CHAIN = statement('DELETE FROM audit_chain WHERE position <= $1');

/** Newest first. */
const listAudit = async (sql: Queries, filter: AuditFilter): Promise<readonly AuditRow[]> => {
  const conditions = new Conditions();
  const { namespaces, orBegin, identity, operation, since, until, before } = filter;
  if (namespaces !== undefined) {
    const isOne = `a.namespace = ANY(${conditions.value(namespaces)}::text[])`;
    conditions.add(
      orBegin === undefined ? isOne : `(${isOne} OR starts_with(a.namespace, ${conditions.value(orBegin)}))`,
    );
  }
  if (identity !== undefined) conditions.add(`a.identity = ${conditions.value(identity)}`);
  if (operation !== undefined) conditions.add(`a.operation = ${conditions.value(operation)}`);
  if (since !== undefined) conditions.add(`a.at >= ${conditions.value(since)}`);
  if (until !== undefined) conditions.add(`a.at < ${conditions.value(until)}`);
  if (before !== undefined)
    conditions.add(`a.position < (SELECT position FROM audit WHERE id = ${conditions.value(before)})`);
  const text = `${SELECT} ${conditions.where} ORDER BY a.position DESC LIMIT ${conditions.value(filter.limit)}`;
  return (await sql.rows(composed<AuditSqlRow>(text), conditions.values)).map(toAudit);
};

const auditChainHead = async (sql: Queries): Promise<string> => (await sql.first(CHAIN_HEAD))?.hash ?? '';

/** Reads of the audit record. */
export class AuditReadHandle implements Pick<AuditWrites, 'list' | 'chainHead'> {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  async list(filter: AuditFilter) {
    return listAudit(this.#access.sql, filter);
  }

  async chainHead() {
    return auditChainHead(this.#access.sql);
  }
}

/** `AuditWrites` inside one write transaction. */
export class AuditHandle extends AuditReadHandle implements AuditWrites {
  readonly #access: WriteAccess;

  constructor(access: WriteAccess) {
    super(access);
    this.#access = access;
  }

  async append(row: Omit<AuditRow, 'hash'>) {
    this.#access.sql.later(APPEND, [
      row.id,
      row.at,
      row.requestId,
      row.identity,
      row.operation,
      row.target,
      row.namespace,
      row.outcome,
      row.resourceVersion,
    ]);
  }

  /** Only rows before which none can appear any more: the chain follows positions, and a late one would fall out of it. */
  async unchained(limit: number) {
    const { sql, frontiers } = this.#access;
    sql.later(LOCK_CHAIN);
    return (await sql.rows(UNCHAINED, [await frontiers.audit(), limit])).map(toAudit);
  }

  async setHashes(hashes: Parameters<AuditWrites['setHashes']>[0]) {
    this.#access.sql.later(SET_HASHES, [hashes.map(({ id }) => id), hashes.map(({ hash }) => hash)]);
  }

  /** The oldest chained rows up to the first that is young enough to stay; nothing can appear before a chained row any more. */
  async trim(beforeMicros: number, limit: number) {
    const { sql } = this.#access;
    await sql.rows(LOCK_CHAIN);
    const oldest = await sql.rows(OLDEST, [limit]);
    const kept = oldest.findIndex((row) => row.at >= beforeMicros);
    const last = oldest.at(kept === -1 ? -1 : kept - 1);
    if (last === undefined || kept === 0) return 0;
    await sql.run(DROP_CHAIN, [last.position]);
    return sql.run(DROP, [last.position]);
  }
}
