import { assert } from '../base/index.ts';
import type { KindContract } from '../controllers/index.ts';

/** The contract of every kind, by its name. The write pipeline is made first, the features that bring kinds write with it. */
export class KindRegistry {
  readonly #contracts = new Map<string, KindContract>();

  /** What is there by now. */
  get contracts(): ReadonlyMap<string, KindContract> {
    return this.#contracts;
  }

  /** Undefined for a kind without rules. */
  readonly find = (kind: string): KindContract | undefined => this.#contracts.get(kind);

  /** Takes the kinds of the features; each belongs to one of them. */
  add(kinds: readonly KindContract[]): void {
    for (const contract of kinds) {
      assert(!this.#contracts.has(contract.kind), `two features bring the kind ${contract.kind}`);
      this.#contracts.set(contract.kind, contract);
    }
  }
}
