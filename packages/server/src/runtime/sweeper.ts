import type { CancelTimer } from '../base/index.ts';
import type { WriteTx } from '../store/contracts/index.ts';
import { WAKE_TURNS } from './contract.ts';
import type { RuntimeDeps } from './runtime-deps.ts';
import { expirePermissions } from './turn/index.ts';
import { releaseDeadClaim } from './turn-claims.ts';

type SweepDeps = Pick<RuntimeDeps, 'store' | 'bus' | 'clock' | 'config' | 'ids' | 'endHooks' | 'workerId' | 'log'>;

/** Rows one sweep handles of each sort; what is left waits for the next one. */
const SWEEP_ROWS = 500;
const JOURNAL_KEEP_MICROS = 7 * 86_400 * 1_000_000;

/** Finds what lost notifications left behind (RT-2.7): nothing depends on a hint (RT-R18). */
export class Sweeper {
  readonly #deps: SweepDeps;
  #timer: CancelTimer | undefined;
  #closed = false;
  /** Repairs of sessions that were PROCESSING without an open turn; a metric, expected to stay 0. */
  repairs = 0;

  constructor(deps: SweepDeps) {
    this.#deps = deps;
  }

  /** The data directory's lock is held, so every claim belongs to a dead process: all are released at once (RT-2.7). */
  async releaseAtStart(): Promise<number> {
    return this.#deps.store.write(async (tx) => {
      const left = await tx.log.claimedTurns(undefined, Number.MAX_SAFE_INTEGER);
      for (const turn of left) await releaseDeadClaim(tx, turn, this.#deps);
      return left.length;
    });
  }

  start(): void {
    this.#arm();
  }

  close(): void {
    this.#closed = true;
    this.#timer?.();
  }

  /** One pass; answers how many rows it moved. */
  async tick(): Promise<number> {
    const moved = await this.#deps.store.write((tx) => this.#sweep(tx));
    this.#deps.bus.publish(WAKE_TURNS, {});
    return moved;
  }

  #arm(): void {
    if (this.#closed) return;
    this.#timer = this.#deps.clock.after(this.#deps.config.sweepMs, () => {
      this.tick().then(
        () => this.#arm(),
        (error: unknown) => {
          this.#deps.log.warn('sweep failed', { error_name: error instanceof Error ? error.name : 'unknown' });
          this.#arm();
        },
      );
    });
  }

  async #sweep(tx: WriteTx): Promise<number> {
    const now = tx.now();
    let moved = 0;
    for (const turn of await tx.log.expiredClaims(now, SWEEP_ROWS)) {
      await releaseDeadClaim(tx, turn, this.#deps);
      moved += 1;
    }
    for (const turn of await tx.log.dueParks(now, SWEEP_ROWS)) moved += await expirePermissions(tx, turn, this.#deps);
    for (const session of await tx.log.stuckSessions(SWEEP_ROWS)) {
      await tx.log.saveSession({ ...session, state: 'IDLE', openTurns: 0, activeTurnId: '' });
      this.repairs += 1;
      moved += 1;
    }
    moved += await tx.idempotency.trim(now, SWEEP_ROWS);
    return moved + (await tx.log.trimJournal(now - JOURNAL_KEEP_MICROS, SWEEP_ROWS));
  }
}
