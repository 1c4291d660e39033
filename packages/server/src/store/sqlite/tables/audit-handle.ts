import type { AuditFilter, AuditRow } from '../../contracts/index.ts';
import { type AuditSqlRow, toAudit } from '../../rows/index.ts';
import { ComposedStatements, type Connection, LIMIT, type SqlValue, type Statement } from '../connection.ts';

const COLUMNS = 'id, at, request_id, identity, operation, target, namespace, outcome, resource_version';
const SELECT = `SELECT ${COLUMNS}, coalesce(hash, '') AS hash FROM audit a LEFT JOIN audit_chain c ON c.position = a.position`;
const APPEND = `INSERT INTO audit (${COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?)`;
const IS_ONE = 'a.namespace IN (SELECT value FROM json_each(?))';
const UNCHAINED = `${SELECT} WHERE a.position > coalesce((SELECT max(position) FROM audit_chain), 0)
  ORDER BY a.position ${LIMIT}`;
const CHAIN_HEAD = 'SELECT hash FROM audit_chain ORDER BY position DESC LIMIT 1';
const SET_HASH = `INSERT INTO audit_chain (position, hash) SELECT position, ? FROM audit WHERE id = ?
  ON CONFLICT DO UPDATE SET hash = excluded.hash`;
const OLDEST = `SELECT a.position AS position, a.at AS at FROM audit a JOIN audit_chain c ON c.position = a.position
  WHERE a.position < (SELECT max(position) FROM audit_chain) ORDER BY a.position ${LIMIT}`;
const DROP = 'DELETE FROM audit WHERE position <= ?';
const DROP_CHAIN = 'DELETE FROM audit_chain WHERE position <= ?';

/** The audit record in commit order, and the hash chain that is closed over it afterwards. */
export class AuditTable {
  readonly #append: Statement;
  readonly #unchained: Statement<AuditSqlRow>;
  readonly #chainHead: Statement<{ hash: string }>;
  readonly #setHash: Statement;
  readonly #oldest: Statement<{ position: number; at: number }>;
  readonly #drop: Statement;
  readonly #dropChain: Statement;
  readonly #lists: ComposedStatements<AuditSqlRow>;

  constructor(connection: Connection) {
    this.#lists = new ComposedStatements(connection);
    this.#append = connection.statement(APPEND);
    this.#unchained = connection.statement(UNCHAINED);
    this.#chainHead = connection.statement(CHAIN_HEAD);
    this.#setHash = connection.statement(SET_HASH);
    this.#oldest = connection.statement(OLDEST);
    this.#drop = connection.statement(DROP);
    this.#dropChain = connection.statement(DROP_CHAIN);
  }

  append(row: Omit<AuditRow, 'hash'>): void {
    this.#append.run(
      ...[row.id, row.at, row.requestId, row.identity, row.operation, row.target, row.namespace, row.outcome],
      row.resourceVersion,
    );
  }

  /** Newest first. */
  list(filter: AuditFilter): AuditRow[] {
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
    const sql = `${SELECT} ${where} ORDER BY a.position DESC ${LIMIT}`;
    return this.#lists
      .of(sql)
      .all(...values, filter.limit)
      .map(toAudit);
  }

  unchained(limit: number): AuditRow[] {
    return this.#unchained.all(limit).map(toAudit);
  }

  chainHead(): string {
    return this.#chainHead.get()?.hash ?? '';
  }

  setHash(id: string, hash: string): void {
    this.#setHash.run(hash, id);
  }

  /** The oldest chained rows up to the first that is young enough to stay. */
  trim(beforeMicros: number, limit: number): number {
    const oldest = this.#oldest.all(limit);
    const kept = oldest.findIndex((row) => row.at >= beforeMicros);
    const last = oldest.at(kept === -1 ? -1 : kept - 1);
    if (last === undefined || kept === 0) return 0;
    this.#dropChain.run(last.position);
    return this.#drop.run(last.position);
  }
}
