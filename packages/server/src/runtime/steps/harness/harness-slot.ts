import { assert } from '../../../base/index.ts';
import type { HarnessEnd, Harnesses, HarnessListener, HarnessTurn } from '../../contract.ts';

/** The harnesses of a process, which are made after the engine that uses them. */
export class HarnessSlot implements Harnesses {
  #filled: Harnesses | undefined;

  /** Once, before turns run. */
  fill(harnesses: Harnesses): void {
    this.#filled = harnesses;
  }

  run(turn: HarnessTurn, sink: HarnessListener): Promise<HarnessEnd> {
    assert(this.#filled !== undefined, 'turns run after everything is made');
    return this.#filled.run(turn, sink);
  }
}
