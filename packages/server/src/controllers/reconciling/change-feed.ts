import { type CancelTimer, type Clock, CoalescedRuns, type Log } from '../../base/index.ts';
import type { Bus, ResourceChange, Store } from '../../store/contracts/index.ts';
import { type ChangeFeed, RESOURCES_CHANGED } from '../contract.ts';

export interface StoreChangeFeedDeps {
  readonly store: Pick<Store, 'direct'>;
  readonly bus: Pick<Bus, 'subscribe' | 'onGap'>;
  readonly clock: Clock;
  readonly log: Log;
  /** How often the log is read without a notification; notifications may be lost. */
  readonly pollMs: number;
}

const BATCH = 500;

/**
 * One reader of the change log per process. Notifications make it prompt, polling makes it certain. Subscribers get every
 * change after their position, in version order, once; while no one subscribes nothing is read.
 */
export class StoreChangeFeed implements ChangeFeed {
  readonly #deps: StoreChangeFeedDeps;
  readonly #receivers = new Set<(changes: readonly ResourceChange[]) => void>();
  readonly #stops: (() => void)[] = [];
  #position = 0;
  readonly #runs = new CoalescedRuns(() => this.#read());
  #timer: CancelTimer = () => undefined;

  constructor(deps: StoreChangeFeedDeps) {
    this.#deps = deps;
  }

  /** Takes the newest version as its position and begins to listen. */
  async start(): Promise<void> {
    this.#position = (await this.#deps.store.direct.resources.versionRange()).newest;
    const { bus } = this.#deps;
    this.#stops.push(bus.subscribe(RESOURCES_CHANGED, () => this.#wake()));
    this.#stops.push(bus.onGap(RESOURCES_CHANGED, () => this.#wake()));
    this.#arm();
  }

  close(): void {
    this.#runs.close();
    this.#timer();
    for (const stop of this.#stops) stop();
    this.#receivers.clear();
  }

  subscribe(receive: (changes: readonly ResourceChange[]) => void): { readonly after: number; stop(): void } {
    this.#receivers.add(receive);
    return { after: this.#position, stop: () => this.#receivers.delete(receive) };
  }

  /** Reads everything there is and hands it out; resolves when nothing more was found. */
  tick(): Promise<void> {
    return this.#runs.request();
  }

  async #read(): Promise<void> {
    for (;;) {
      const changes = await this.#deps.store.direct.resources.changes(this.#position, BATCH);
      const last = changes.at(-1);
      if (last === undefined) break;
      this.#position = last.version;
      for (const receive of this.#receivers) receive(changes);
      if (changes.length < BATCH) break;
    }
  }

  #wake(): void {
    this.tick().catch((error: unknown) =>
      this.#deps.log.warn('reading the change log failed', { reason: String(error) }),
    );
  }

  #arm(): void {
    if (this.#runs.isClosed) return;
    this.#timer = this.#deps.clock.after(this.#deps.pollMs, () => {
      this.#wake();
      this.#arm();
    });
  }
}
