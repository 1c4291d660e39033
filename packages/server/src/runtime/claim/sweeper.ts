import type { CancelTimer, Clock } from '../../base/index.ts';
import { earlierNow, type Store, type TurnRow, type WriteTx } from '../../store/contracts/index.ts';
import { type RuntimeConfig, WAKE_TURNS } from '../contract.ts';
import { expirePermissions, type FinishPorts, trimSources } from '../session/index.ts';
import { isolated, releaseDeadClaim } from './claim-turns.ts';

/** What sweeping uses. */
export interface SweepPorts extends FinishPorts {
  readonly store: Pick<Store, 'write'>;
  readonly clock: Clock;
  readonly config: Pick<RuntimeConfig, 'sweepMs'>;
  /** Name of this process in leases. */
  readonly workerId: string;
}

/** Rows one sweep handles of each sort; what is left waits for the next one. */
const SWEEP_ROWS = 500;
const JOURNAL_KEEP_MICROS = 7 * 86_400 * 1_000_000;
/** Journals are trimmed this often: it writes, and no one waits for it. */
const TRIM_MS = 60_000;
const SWEEP_LEASE = 'turn-sweep';

/** The worker next to the sweeper in the same process. */
interface SweptWorker {
  wake(): void;
  runs(turnId: string): boolean;
}

/**
 * Finds what lost notifications left behind: nothing depends on one. The worker is woken after each
 * pass, so that it looks for ready turns even when the bus loses everything.
 */
export class Sweeper {
  readonly #ports: SweepPorts;
  readonly #worker: SweptWorker;
  #timer: CancelTimer | undefined;
  #pass: Promise<unknown> | undefined;
  #closed = false;
  #trimmedMs = Number.NEGATIVE_INFINITY;
  /** Repairs of sessions that were PROCESSING without an open turn; a metric, expected to stay 0. */
  repairs = 0;

  constructor(ports: SweepPorts, worker: SweptWorker) {
    this.#ports = ports;
    this.#worker = worker;
  }

  /** Claims of processes that are known to be dead are released at once; of an embedded store these are all. */
  async releaseAtStart(): Promise<number> {
    let released = 0;
    for (;;) {
      const moved = await this.#ports.store.write(async (tx) =>
        this.#each(tx, await tx.log.deadClaims(SWEEP_ROWS), (turn) =>
          releaseDeadClaim({ tx, ports: this.#ports }, turn),
        ),
      );
      released += moved;
      if (moved < SWEEP_ROWS) return released;
    }
  }

  start(): void {
    this.#arm();
  }

  /** No pass begins after this; resolves when the one under way is over. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.();
    await this.#pass;
  }

  /** One pass; answers how many rows it moved. */
  async tick(): Promise<number> {
    const { store, bus, clock } = this.#ports;
    const isTrimming = clock.monotonicMs() - this.#trimmedMs >= TRIM_MS;
    const moved = await store.write((tx) => this.#sweep(tx, isTrimming));
    if (isTrimming) this.#trimmedMs = clock.monotonicMs();
    if (moved > 0) bus.publish(WAKE_TURNS, {});
    this.#worker.wake();
    return moved;
  }

  #arm(): void {
    if (this.#closed) return;
    this.#timer = this.#ports.clock.after(this.#ports.config.sweepMs, () => {
      this.#pass = this.tick()
        .catch((error: unknown) => this.#ports.log.warn('sweep failed', { reason: String(error) }))
        .then(() => this.#arm());
    });
  }

  /** Each turn alone: what fails stays for a later pass. Answers how many were moved. */
  async #each(tx: WriteTx, turns: readonly TurnRow[], work: (turn: TurnRow) => Promise<void>): Promise<number> {
    let moved = 0;
    for (const turn of turns)
      await isolated({ tx, ports: this.#ports }, turn, async () => {
        await work(turn);
        moved += 1;
      });
    return moved;
  }

  async #sweep(tx: WriteTx, isTrimming: boolean): Promise<number> {
    const ports = this.#ports;
    const now = tx.steadyNow();
    const found = [...(await tx.log.expiredClaims(now, SWEEP_ROWS)), ...(await tx.log.deadClaims(SWEEP_ROWS))];
    // A turn this process still runs is not dead: its renewal is late, because the process was kept from running.
    const abandoned = [...new Map(found.map((turn) => [turn.id, turn])).values()].filter(
      (turn) => !this.#worker.runs(turn.id),
    );
    const due = await tx.log.dueParks(tx.now(), SWEEP_ROWS);
    const stuck = await tx.log.stuckSessions(SWEEP_ROWS);
    // Looking writes nothing, so an idle store commits nothing. The lease is held to the end of the transaction.
    if (abandoned.length + due.length + stuck.length === 0 && !isTrimming) return 0;
    if (!(await tx.leases.acquire(SWEEP_LEASE, ports.workerId, now, ports.config.sweepMs * 1000))) return 0;
    let moved = await this.#each(tx, abandoned, (turn) => releaseDeadClaim({ tx, ports }, turn));
    moved += await this.#each(tx, due, (turn) => expirePermissions({ tx, ports }, turn));
    for (const session of stuck) {
      await tx.log.saveSession({ ...session, state: 'IDLE', openTurns: 0, activeTurnId: '' });
      this.repairs += 1;
      moved += 1;
    }
    await tx.leases.release(SWEEP_LEASE, ports.workerId);
    if (!isTrimming) return moved;
    moved += await trimSources(tx, earlierNow(tx), SWEEP_ROWS);
    return moved + (await tx.log.trimJournal(earlierNow(tx) - JOURNAL_KEEP_MICROS, SWEEP_ROWS));
  }
}
