/**
 * Resources that could not be reconciled, each with the version it had then: full passes leave them out until they have another one.
 * A change that gives the key has it tried again whatever its version, for the failure may lie in what the resource depends on.
 */
export class FailedKeys {
  readonly #versions = new Map<string, number>();
  #seen = new Set<string>();

  /** False where the failure of this version is known already. */
  add(id: string, version: number): boolean {
    this.#seen.add(id);
    if (this.#versions.get(id) === version) return false;
    this.#versions.set(id, version);
    return true;
  }

  /** The resource was reconciled. */
  forget(id: string): void {
    this.#versions.delete(id);
  }

  /** True while a full pass need not try the resource again. */
  isWaiting(id: string, version: number): boolean {
    const failed = this.#versions.get(id);
    if (failed !== undefined) this.#seen.add(id);
    return failed === version;
  }

  /** A full pass begins: it asks for every resource that is not as it should be. */
  beginPass(): void {
    this.#seen = new Set();
  }

  /** A full pass has seen everything: what it did not ask for is gone or was mended. */
  endPass(): void {
    for (const id of this.#versions.keys()) if (!this.#seen.has(id)) this.#versions.delete(id);
    this.#seen = new Set();
  }
}
