import { BoundedCache } from '../../../base/index.ts';
import type { StoredResource } from '../../contracts/index.ts';

const ENTRIES = 4_000;
/** Most characters of specs and statuses kept: one may hold a mebibyte. */
const CHARS = 16 * 1024 * 1024;
/** Reads that must have found the same version before a transaction trusts it: rows that change often are asked for. */
const CONFIRMED = 2;

interface Known {
  readonly resource: StoredResource;
  readonly confirmed: number;
}

const charsOf = ({ resource }: Known): number => resource.spec.length + resource.status.length;

/**
 * Resources that this process read and found unchanged, for transactions that look at what they read again before they
 * commit. It may be old at any time: nothing but such a transaction may use it.
 */
export class KnownRows {
  readonly #entries = new BoundedCache<string, Known>(ENTRIES, { limit: CHARS, of: charsOf });

  /** Undefined for what is not known, or not for long enough. */
  get(id: string): StoredResource | undefined {
    const known = this.#entries.get(id);
    return known !== undefined && known.confirmed >= CONFIRMED ? known.resource : undefined;
  }

  /** What a committed row was found to be. */
  saw(id: string, resource: StoredResource): void {
    const known = this.#entries.get(id);
    if (known === undefined || known.resource.version !== resource.version)
      this.#entries.set(id, { resource, confirmed: 1 });
    else if (known.confirmed < CONFIRMED) this.#entries.set(id, { resource, confirmed: known.confirmed + 1 });
  }

  forget(id: string): void {
    this.#entries.delete(id);
  }
}
