import type { Presence } from '../../contracts/index.ts';
import type { Database } from '../connection/index.ts';
import type { Judge } from './dead-workers.ts';
import { WorkerPresence, type WorkerPresenceOptions } from './worker-presence.ts';

/** A worker that only lost its connection has its lock again within this time, unless the server is far away. */
const GRACE_MS = 250;

export interface PresencesOptions extends Omit<WorkerPresenceOptions, 'database' | 'worker' | 'onReturn'> {
  /** A connection of its own for one worker. */
  readonly connect: () => Database;
}

/** The workers of this process; hardly ever more than one. */
export class Presences implements Judge {
  readonly #options: PresencesOptions;
  readonly #open = new Set<WorkerPresence>();

  constructor(options: PresencesOptions) {
    this.#options = options;
  }

  async announce(worker: string, onReturn: () => void): Promise<Presence> {
    const { connect, ...shared } = this.#options;
    const presence = new WorkerPresence({ ...shared, worker, onReturn, database: connect() });
    this.#open.add(presence);
    await presence.open();
    return { close: () => this.#close(presence) };
  }

  worker(): string | undefined {
    return [...this.#open].find(({ judges }) => judges)?.worker;
  }

  grace(): Promise<void> {
    return this.#options.pause(GRACE_MS);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open].map((presence) => this.#close(presence)));
  }

  async #close(presence: WorkerPresence): Promise<void> {
    this.#open.delete(presence);
    await presence.close();
  }
}
