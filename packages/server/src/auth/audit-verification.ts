import type { AuditRow, Store } from '../store/contracts/index.ts';
import { auditHash } from './audit-log.ts';

interface AuditChainFinding {
  /** Chained records whose hash is correct. */
  readonly verified: number;
  /** Newest records that are not chained yet. */
  readonly open: number;
  /** Id of the newest record whose hash is wrong, or `head` when the newest records are missing. */
  readonly broken?: string;
}

const PAGE = 500;

/**
 * Follows the hash chain from its head back to the oldest record kept. Finds records that were changed, removed,
 * inserted or moved; retention removes the oldest, so the first record kept is where trust begins.
 */
export const verifyAuditChain = async (store: Pick<Store, 'read' | 'direct'>): Promise<AuditChainFinding> => {
  const { head, first } = await store.read(async (tx) => ({
    head: await tx.audit.chainHead(),
    first: await tx.audit.list({ limit: PAGE }),
  }));
  const walk = new ChainWalk(head);
  for (let page = first; page.length > 0; ) {
    for (const row of page) walk.visit(row);
    const last = page.at(-1);
    if (walk.broken !== undefined || last === undefined || page.length < PAGE) break;
    page = await store.direct.audit.list({ limit: PAGE, before: last.id });
  }
  return walk.finish();
};

/** Newest first: each record is checked once the hash before it is known. */
class ChainWalk {
  readonly #head: string;
  #newer: AuditRow | undefined;
  #open = 0;
  #verified = 0;
  broken: string | undefined;

  constructor(head: string) {
    this.#head = head;
  }

  visit(row: AuditRow): void {
    if (this.broken !== undefined) return;
    const newer = this.#newer;
    if (newer === undefined) {
      if (row.hash === '') {
        this.#open += 1;
        return;
      }
      if (row.hash !== this.#head) this.broken = 'head';
    } else if (auditHash(row.hash, newer) !== newer.hash) this.broken = newer.id;
    else this.#verified += 1;
    this.#newer = row;
  }

  finish(): AuditChainFinding {
    if (this.broken !== undefined) return { verified: this.#verified, open: this.#open, broken: this.broken };
    // If the chain has a head, the records behind it cannot all be missing.
    if (this.#newer === undefined && this.#head !== '') return { verified: 0, open: this.#open, broken: 'head' };
    return { verified: this.#verified + (this.#newer === undefined ? 0 : 1), open: this.#open };
  }
}
