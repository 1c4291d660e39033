import { hash } from 'node:crypto';
import type { Ids } from '../base/index.ts';
import type { AuditRow, Store, WriteTx } from '../store/contracts/index.ts';

/** On whose behalf something happened; a CallContext is one. */
export interface AuditOrigin {
  readonly requestId: string;
  readonly operation: string;
  readonly caller: { readonly identity: string };
}

interface AuditFact {
  /** Name of what was written, such as `Agent/default/helper`; no contents. */
  readonly target: string;
  /** '' for facts about the instance. */
  readonly namespace: string;
  /** '' where there is none. */
  readonly resourceVersion: string;
  readonly outcome: string;
}

/** Adds one audit record in the transaction of the effect. */
export type AuditAppender = (tx: WriteTx, origin: AuditOrigin, fact: AuditFact) => Promise<void>;

/** The one place that creates audit records; every feature that writes calls it in its transaction. */
export const createAuditAppender =
  (ids: Ids): AuditAppender =>
  (tx, origin, fact) =>
    tx.audit.append({
      id: ids.next(),
      at: tx.now(),
      requestId: origin.requestId,
      identity: origin.caller.identity,
      operation: origin.operation,
      ...fact,
    });

/** Hash of a record in the chain: covers the record and the hash before it. */
export const auditHash = (previous: string, row: Omit<AuditRow, 'hash'>): string =>
  hash(
    'sha256',
    JSON.stringify([
      previous,
      row.id,
      row.at,
      row.requestId,
      row.identity,
      row.operation,
      row.target,
      row.namespace,
      row.outcome,
      row.resourceVersion,
    ]),
  );

const BATCH = 500;

/** Closes the hash chain over committed records, so that writers never queue on it. */
export class AuditChain {
  readonly #store: Pick<Store, 'write' | 'direct'>;

  constructor(store: Pick<Store, 'write' | 'direct'>) {
    this.#store = store;
  }

  /** Chains what is not chained yet; returns how many records that were. If there is nothing to chain it only reads. */
  async tick(): Promise<number> {
    const [newest] = await this.#store.direct.audit.list({ limit: 1 });
    if (newest === undefined || newest.hash !== '') return 0;
    let total = 0;
    for (;;) {
      const count = await this.#store.write((tx) => this.#close(tx));
      total += count;
      if (count < BATCH) return total;
    }
  }

  async #close(tx: WriteTx): Promise<number> {
    const rows = await tx.audit.unchained(BATCH);
    if (rows.length === 0) return 0;
    let head = await tx.audit.chainHead();
    const hashes = rows.map((row) => {
      head = auditHash(head, row);
      return { id: row.id, hash: head };
    });
    await tx.audit.setHashes(hashes);
    return rows.length;
  }
}
