import type { AuditFilter, AuditRow, AuditWrites } from '../../contracts/index.ts';
import { type AuditSqlRow, toAudit } from '../../rows/index.ts';
import type { Access, WriteAccess } from '../access.ts';
import { type Connection, LIMIT, type SqlValue, sql } from '../connection.ts';

const COLUMNS = 'id, at, request_id, identity, operation, target, namespace, outcome, resource_version';
const SELECT = `SELECT ${COLUMNS}, coalesce(hash, '') AS hash FROM audit a LEFT JOIN audit_chain c ON c.position = a.position`;
const APPEND = sql(`INSERT INTO audit (${COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?)`);
const IS_ONE = 'a.namespace IN (SELECT value FROM json_each(?))';
const UNCHAINED = sql<AuditSqlRow>(
  `${SELECT} WHERE a.position > coalesce((SELECT max(position) FROM audit_chain), 0) ORDER BY a.position ${LIMIT}`,
);
const CHAIN_HEAD = sql<{ readonly hash: string }>('SELECT hash FROM audit_chain ORDER BY position DESC LIMIT 1');
const SET_HASH = sql(
  `INSERT INTO audit_chain (position, hash) SELECT position, ? FROM audit WHERE id = ?
   ON CONFLICT DO UPDATE SET hash = excluded.hash`,
);
const OLDEST = sql<{ readonly position: number; readonly at: number }>(
  `SELECT a.position AS position, a.at AS at FROM audit a JOIN audit_chain c ON c.position = a.position
   WHERE a.position < (SELECT max(position) FROM audit_chain) ORDER BY a.position ${LIMIT}`,
);
const DROP = sql('DELETE FROM audit WHERE position <= ?');
const DROP_CHAIN = sql('DELETE FROM audit_chain WHERE position <= ?');

/** Newest first. */
const listAudit = (connection: Connection, filter: AuditFilter): readonly AuditRow[] => {
  const conditions: string[] = [];
  const values: SqlValue[] = [];
  const add = (condition: string, value: SqlValue | undefined): void => {
    if (value === undefined) return;
    conditions.push(condition);
    values.push(value);
  };
  const { namespaces, orBegin } = filter;
  if (namespaces !== undefined) {
    conditions.push(orBegin === undefined ? IS_ONE : `(${IS_ONE} OR substr(a.namespace, 1, length(?)) = ?)`);
    values.push(JSON.stringify(namespaces), ...(orBegin === undefined ? [] : [orBegin, orBegin]));
  }
  add('a.identity = ?', filter.identity);
  add('a.operation = ?', filter.operation);
  add('a.at >= ?', filter.since);
  add('a.at < ?', filter.until);
  add('a.position < (SELECT position FROM audit WHERE id = ?)', filter.before);
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  const text = `${SELECT} ${where} ORDER BY a.position DESC ${LIMIT}`;
  return connection
    .composed<AuditSqlRow>(text)
    .all(...values, filter.limit)
    .map(toAudit);
};

/** Reads of the audit record. */
export class AuditReadHandle implements Pick<AuditWrites, 'list' | 'chainHead'> {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  async list(filter: AuditFilter) {
    this.#access.enter();
    return this.#access.leave(listAudit(this.#access.connection, filter));
  }

  async chainHead() {
    this.#access.enter();
    return this.#access.leave(this.#access.connection.of(CHAIN_HEAD).get()?.hash ?? '');
  }
}

/** `AuditWrites` inside one write transaction: rows in commit order, and the hash chain that is closed over them afterwards. */
export class AuditHandle extends AuditReadHandle implements AuditWrites {
  readonly #access: WriteAccess;

  constructor(access: WriteAccess) {
    super(access);
    this.#access = access;
  }

  async append(row: Omit<AuditRow, 'hash'>) {
    this.#access.change();
    this.#access.connection
      .of(APPEND)
      .run(
        row.id,
        row.at,
        row.requestId,
        row.identity,
        row.operation,
        row.target,
        row.namespace,
        row.outcome,
        row.resourceVersion,
      );
  }

  async unchained(limit: number) {
    this.#access.enter();
    return this.#access.connection.of(UNCHAINED).all(limit).map(toAudit);
  }

  async setHashes(hashes: Parameters<AuditWrites['setHashes']>[0]) {
    this.#access.change();
    const setHash = this.#access.connection.of(SET_HASH);
    for (const { id, hash } of hashes) setHash.run(hash, id);
  }

  /** The oldest chained rows up to the first that is young enough to stay. */
  async trim(beforeMicros: number, limit: number) {
    this.#access.change();
    const { connection } = this.#access;
    const oldest = connection.of(OLDEST).all(limit);
    const kept = oldest.findIndex((row) => row.at >= beforeMicros);
    const last = oldest.at(kept === -1 ? -1 : kept - 1);
    if (last === undefined || kept === 0) return 0;
    connection.of(DROP_CHAIN).run(last.position);
    return connection.of(DROP).run(last.position);
  }
}
