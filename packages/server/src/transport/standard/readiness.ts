import type { ReadinessCheck } from '../contract.ts';

/** Answer of /readyz and of grpc.health.v1: names of the checks that fail, none when the process may get work. */
export class Readiness {
  readonly #checks: readonly ReadinessCheck[];
  readonly #isDraining: () => boolean;

  constructor(checks: readonly ReadinessCheck[], isDraining: () => boolean) {
    this.#checks = checks;
    this.#isDraining = isDraining;
  }

  async failing(): Promise<string[]> {
    if (this.#isDraining()) return ['shutdown'];
    const results = await Promise.allSettled(this.#checks.map((one) => one.check()));
    return this.#checks.filter((_, index) => results[index]?.status === 'rejected').map((one) => one.name);
  }
}
