import { type CancelTimer, type Clock, isFault } from '../../base/index.ts';
import type { Bus, FaultPoints, Store, WriteTx } from '../../store/contracts/index.ts';
import {
  type LiveTurn,
  type LiveTurns,
  PERMISSION_ANSWERED,
  type RuntimeConfig,
  SESSION_CHANGED,
  STEER_ADDED,
  STOP_TURN,
  WAKE_TURNS,
} from '../contract.ts';
import { type ClaimingPorts, claimReadyTurns, releaseClaims } from './claim-turns.ts';
import type { ClaimedTurn, TurnClaim } from './turn-claim.ts';

/** Most turns claimed in one transaction, so that other writers are not kept waiting. */
const CLAIM_BATCH = 128;
/** While a renewal is late, claims are checked this many times per lease, so that none is used beyond its end. */
const LATE_CHECKS = 20;
/** How long `close` waits for cancelled turns to let go of what they use. */
const CLOSE_MS = 2000;

/** A claimed turn under way, as the worker sees it. */
export interface RunningTurn {
  readonly claim: Pick<TurnClaim, 'turnId' | 'sessionId' | 'fence' | 'lost' | 'moving' | 'renewed'>;
  /** It waits for a person and takes no slot. */
  readonly isHeld: boolean;
  /** Runs to the end of the attempt; never rejects. */
  run(): Promise<unknown>;
  /** What followers of its session see at this moment. */
  live(): LiveTurn;
  requestStop(): void;
  noteSteer(): void;
  noteAnswer(): void;
  /** Hands over at its next journal entry. */
  drain(): void;
  /** The claim is gone: cancel, write and emit nothing. */
  lose(): void;
}

/** What the worker uses. */
export interface WorkerPorts extends ClaimingPorts {
  readonly store: Pick<Store, 'write'>;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly config: ClaimingPorts['config'] & Pick<RuntimeConfig, 'concurrency' | 'drainMs'>;
  readonly faultPoint: FaultPoints;
}

/** Begins the attempt of a turn just claimed; `sentMs`: monotonic time from which its claim counts. */
export type BeginTurn = (claimed: ClaimedTurn, sentMs: number) => RunningTurn;

interface TurnMessage {
  readonly turnId: string;
}

/**
 * Executes turns of this process: claims ready ones while it has free slots, renews all claims in one
 * statement, passes stops, steers and answers on, and hands turns over when it drains. Wake-ups may be lost: the sweeper
 * calls `wake` for the rest.
 */
export class TurnWorker implements LiveTurns {
  readonly #ports: WorkerPorts;
  readonly #begin: BeginTurn;
  readonly #byTurn = new Map<string, RunningTurn>();
  readonly #bySession = new Map<string, RunningTurn>();
  readonly #running = new Set<Promise<unknown>>();
  readonly #unsubscribe: (() => void)[] = [];
  #claiming: Promise<void> | undefined;
  #claimAgain = false;
  #draining = false;
  #closed = false;
  #renewal: Promise<void> | undefined;
  #renewTimer: CancelTimer | undefined;
  #lastRenewalMs = 0;
  #idle: (() => void)[] = [];
  /** Notifications that came while a claim was under way. */
  readonly #early: { readonly id: string; readonly tell: (run: RunningTurn) => void }[] = [];

  constructor(ports: WorkerPorts, begin: BeginTurn) {
    this.#ports = ports;
    this.#begin = begin;
  }

  start(): void {
    const { bus } = this.#ports;
    const toTurn = (subject: string, tell: (run: RunningTurn) => void): void => {
      const receive = (message: unknown): void => this.#tell((message as TurnMessage).turnId, tell);
      this.#unsubscribe.push(bus.subscribe(subject, receive));
    };
    toTurn(STOP_TURN, (run) => run.requestStop());
    toTurn(STEER_ADDED, (run) => run.noteSteer());
    toTurn(PERMISSION_ANSWERED, (run) => run.noteAnswer());
    this.#unsubscribe.push(
      bus.subscribe(WAKE_TURNS, () => this.wake()),
      bus.subscribe(SESSION_CHANGED, (message) =>
        this.#tell((message as { readonly sessionId: string }).sessionId, (run) => run.lose()),
      ),
    );
    this.wake();
  }

  /** Passes a notification on; while a claim is under way also to a turn that it is about to bring. */
  #tell(id: string, tell: (run: RunningTurn) => void): void {
    const run = this.#byTurn.get(id) ?? this.#bySession.get(id);
    if (run !== undefined) tell(run);
    else if (this.#claiming !== undefined) this.#early.push({ id, tell });
  }

  get running(): number {
    return this.#byTurn.size;
  }

  /** True while this process executes the turn and still may: its claim is late at most, not dead. */
  runs(turnId: string): boolean {
    return this.#byTurn.get(turnId)?.claim.lost === false;
  }

  live(sessionId: string): LiveTurn | undefined {
    return this.#bySession.get(sessionId)?.live();
  }

  /** Claims what is ready; calls that come while one runs are folded into one more. */
  wake(): void {
    if (this.#draining || this.#closed) return;
    if (this.#claiming !== undefined) {
      this.#claimAgain = true;
      return;
    }
    this.#claimAgain = false;
    this.#claiming = this.#claim()
      .catch((error: unknown) => {
        this.#claimAgain = false;
        if (isFault(error)) this.#ports.log.warn('claiming turns failed', { reason: error.reason });
        else this.#ports.log.error('claiming turns failed', {}, error);
      })
      .then(() => {
        this.#claiming = undefined;
        this.#early.length = 0;
        if (this.#claimAgain) this.wake();
      });
  }

  async #claim(): Promise<void> {
    const held = [...this.#byTurn.values()].filter(({ isHeld }) => isHeld).length;
    const free = Math.min(CLAIM_BATCH, this.#ports.config.concurrency - this.#byTurn.size + held);
    if (free <= 0) return;
    const { clock, store } = this.#ports;
    // The claim counts from when its transaction runs: how long it waited for its turn to write takes nothing from the lease.
    let sentMs = clock.monotonicMs();
    this.#ports.faultPoint('before-claim');
    const claimed = await store.write((tx) => {
      sentMs = clock.monotonicMs();
      return claimReadyTurns({ tx, ports: this.#ports }, free);
    });
    this.#ports.faultPoint('after-claim');
    if (this.#closed) return;
    for (const one of claimed) this.#execute(one, sentMs);
    this.#early.length = 0;
    if (claimed.length === free) this.#claimAgain = true;
    if (claimed.length > 0 && this.#renewTimer === undefined) {
      this.#lastRenewalMs = sentMs;
      this.#armRenewal();
    }
  }

  #execute(claimed: ClaimedTurn, sentMs: number): void {
    const { id: turnId, sessionId } = claimed.turn;
    const noteThrow = (error: unknown): void => this.#ports.log.error('turn run failed', { turn: turnId }, error);
    try {
      const run = this.#begin(claimed, sentMs);
      // Taken for dead by mistake, and first to claim the turn again: what it did under the fence of before is over.
      this.#byTurn.get(turnId)?.lose();
      this.#byTurn.set(turnId, run);
      this.#bySession.set(sessionId, run);
      if (this.#draining) run.drain();
      for (const { id, tell } of this.#early) if (id === turnId || id === sessionId) tell(run);
      const work = run
        .run()
        .catch(noteThrow)
        .then(() => {
          this.#running.delete(work);
          this.#release(run);
        });
      this.#running.add(work);
    } catch (error) {
      noteThrow(error);
    }
  }

  #release(run: RunningTurn): void {
    const { turnId, sessionId } = run.claim;
    if (this.#byTurn.get(turnId) === run) this.#byTurn.delete(turnId);
    if (this.#bySession.get(sessionId) === run) this.#bySession.delete(sessionId);
    if (this.#byTurn.size === 0) {
      this.#renewTimer?.();
      this.#renewTimer = undefined;
      for (const notify of this.#idle.splice(0)) notify();
    }
    this.wake();
  }

  #armRenewal(): void {
    if (this.#renewTimer !== undefined || this.#closed || this.#byTurn.size === 0) return;
    const { clock, config } = this.#ports;
    const dueMs = this.#lastRenewalMs + config.leaseMs / 3 - clock.monotonicMs();
    const delayMs = this.#renewal === undefined ? Math.max(0, dueMs) : config.leaseMs / LATE_CHECKS;
    this.#renewTimer = clock.after(delayMs, () => {
      this.#renewTimer = undefined;
      try {
        this.#loseLapsed();
        if (clock.monotonicMs() >= this.#lastRenewalMs + config.leaseMs / 3) void this.renew();
      } finally {
        this.#armRenewal();
      }
    });
  }

  /** A claim that ran out here is gone, whatever the store says later: cancel, write and emit nothing. */
  #loseLapsed(): void {
    for (const run of this.#byTurn.values()) if (run.claim.lost) run.lose();
  }

  /**
   * Extends every claim in one statement; the answer carries stop flags and steer entries. Never rejects: it
   * tries again until it is answered or no claim is left.
   */
  renew(): Promise<void> {
    this.#renewal ??= this.#renewOnce().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #renewOnce(): Promise<void> {
    while (this.#byTurn.size > 0 && !this.#closed) {
      try {
        await this.#askForRenewal();
        return;
      } catch (error) {
        const { clock, log, config } = this.#ports;
        log.warn('renewal of claims failed', { reason: String(error) });
        await new Promise<void>((resolve) => clock.after(config.leaseMs / LATE_CHECKS, resolve));
        this.#loseLapsed();
      }
    }
  }

  async #askForRenewal(): Promise<void> {
    const { store, clock, config, workerId } = this.#ports;
    this.#lastRenewalMs = clock.monotonicMs();
    const asked = [...this.#byTurn.values()].map((run) => ({ run, turnId: run.claim.turnId, fence: run.claim.fence }));
    let sentMs = clock.monotonicMs();
    const renew = (tx: WriteTx) => {
      sentMs = clock.monotonicMs();
      return tx.log.renewClaims(workerId, asked, tx.steadyNow() + config.leaseMs * 1000);
    };
    const news = await store.write(renew, { isUrgent: true });
    const byTurn = new Map(news.map((one) => [one.turnId, one]));
    for (const { run, turnId, fence } of asked) {
      const one = byTurn.get(turnId);
      if (one === undefined || this.#byTurn.get(turnId) !== run) continue;
      if (one.held) {
        run.claim.renewed(sentMs);
        if (one.stopRequested) run.requestStop();
        if (one.steerCount > 0) run.noteSteer();
      } else if (run.claim.fence === fence && !run.claim.moving) run.lose();
    }
  }

  /** No new claims; running turns hand over at their next entry. Resolves when none runs or after `drainMs`. */
  async drain(): Promise<void> {
    this.#draining = true;
    for (const run of this.#byTurn.values()) run.drain();
    await this.#claiming;
    if (this.#byTurn.size === 0) return;
    const ended = Promise.withResolvers<void>();
    this.#idle.push(ended.resolve);
    const cancel = this.#ports.clock.after(this.#ports.config.drainMs, ended.resolve);
    await ended.promise;
    cancel();
  }

  /** Cancels what still runs; its turns are released as a new attempt for the next worker. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#draining = true;
    this.#renewTimer?.();
    for (const stop of this.#unsubscribe.splice(0)) stop();
    const isClaiming = this.#claiming !== undefined;
    await this.#claiming;
    for (const run of this.#byTurn.values()) run.lose();
    const left = [...this.#running];
    const late = Promise.withResolvers<void>();
    const cancel = this.#ports.clock.after(CLOSE_MS, late.resolve);
    await Promise.race([Promise.all(left), late.promise]);
    cancel();
    if (left.length > 0 || isClaiming)
      await this.#ports.store.write((tx) => releaseClaims({ tx, ports: this.#ports }, this.#ports.config.concurrency));
  }
}
