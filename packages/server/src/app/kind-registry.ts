import { contractTable, type KindContract } from '../controllers/index.ts';

/** The contract of every kind, by its name. The write pipeline is made first, the features that bring kinds write with it. */
export class KindRegistry {
  readonly #contracts = new Map<string, KindContract>();

  /** What is there by now. */
  get contracts(): ReadonlyMap<string, KindContract> {
    return this.#contracts;
  }

  /** Undefined for a kind without rules. */
  readonly find = (kind: string): KindContract | undefined => this.#contracts.get(kind);

  /** Takes the kinds of all features. Throws unless each built-in kind has exactly one contract. */
  fill(contracts: readonly KindContract[]): void {
    for (const [kind, contract] of contractTable(contracts)) this.#contracts.set(kind, contract);
  }
}
