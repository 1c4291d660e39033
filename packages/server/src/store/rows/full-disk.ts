import type { Fault, Log } from '../../base/index.ts';
import { DISK_FULL_TEXT, isStorageFull } from '../contracts/index.ts';

/** How long no write must be refused before the disk counts as usable again: small writes still find room on a full one. */
const CALM_MS = 10_000;

/** Whether the disk of a store takes writes. Writes one line to the log when that ends, and one when it takes them again. */
export class FullDisk {
  readonly #log: Pick<Log, 'error' | 'warn'>;
  readonly #hasRoom: () => boolean;
  #fault: Fault | undefined;
  #refusedMs = 0;

  /** `hasRoom`: what the system says of the disk, where it is this machine's; asked only before writes count as accepted again. */
  constructor(log: Pick<Log, 'error' | 'warn'>, hasRoom: () => boolean = () => true) {
    this.#log = log;
    this.#hasRoom = hasRoom;
  }

  /** After a write that failed, for whatever reason. */
  noteFailure(error: unknown, nowMs: number): void {
    if (!isStorageFull(error)) return;
    this.#refusedMs = nowMs;
    if (this.#fault === undefined)
      this.#log.error(`${DISK_FULL_TEXT}: writes are refused until there is room again, reads continue`);
    this.#fault = error;
  }

  /** After a write that was committed. */
  noteCommit(nowMs: number): void {
    if (this.#fault === undefined || nowMs - this.#refusedMs < CALM_MS || !this.#hasRoom()) return;
    this.#fault = undefined;
    this.#log.warn('the disk has room again: writes are accepted');
  }

  /** Throws the last refusal while writes are refused. */
  requireRoom(): void {
    if (this.#fault !== undefined) throw this.#fault;
  }
}
