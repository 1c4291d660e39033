import type { CancelTimer } from '../base/index.ts';
import { STEER_ADDED } from './admission.ts';
import { type LiveTurn, type LiveTurns, SESSION_CHANGED, STOP_TURN, WAKE_TURNS } from './contract.ts';
import type { RuntimeDeps } from './runtime-deps.ts';
import { TurnRun } from './turn/index.ts';
import { claimReadyTurns, releaseDeadClaim } from './turn-claims.ts';

/** Most turns claimed in one transaction, so that other writers are not kept waiting. */
const CLAIM_BATCH = 128;

interface TurnMessage {
  readonly turnId: string;
}

/**
 * Executes turns of this process (RT-2.4): claims ready ones while it has free slots, renews all claims in one
 * statement, passes stops and steers on, and hands turns over when it drains. Wake-ups are hints: `tick` finds the rest.
 */
export class TurnWorker implements LiveTurns {
  readonly #deps: RuntimeDeps;
  readonly #byTurn = new Map<string, TurnRun>();
  readonly #bySession = new Map<string, TurnRun>();
  readonly #unsubscribe: (() => void)[] = [];
  #claiming = false;
  #claimAgain = false;
  #draining = false;
  #closed = false;
  #renewTimer: CancelTimer | undefined;
  #idle: (() => void)[] = [];

  constructor(deps: RuntimeDeps) {
    this.#deps = deps;
  }

  start(): void {
    const { bus } = this.#deps;
    this.#unsubscribe.push(
      bus.subscribe(WAKE_TURNS, () => this.wake()),
      bus.subscribe(STOP_TURN, (message) => this.#byTurn.get((message as TurnMessage).turnId)?.requestStop()),
      bus.subscribe(STEER_ADDED, (message) => this.#byTurn.get((message as TurnMessage).turnId)?.noteSteer()),
      bus.subscribe(SESSION_CHANGED, (message) =>
        this.#bySession.get((message as { readonly sessionId: string }).sessionId)?.lose(),
      ),
    );
    this.wake();
  }

  get running(): number {
    return this.#byTurn.size;
  }

  live(sessionId: string): LiveTurn | undefined {
    return this.#bySession.get(sessionId)?.live();
  }

  /** Claims what is ready; calls that come while one runs are folded into one more. */
  wake(): void {
    if (this.#draining || this.#closed) return;
    if (this.#claiming) {
      this.#claimAgain = true;
      return;
    }
    this.#claiming = true;
    this.#claim().then(
      () => this.#afterClaim(),
      (error: unknown) => {
        this.#deps.log.error('claiming turns failed', {}, error);
        this.#claimAgain = false;
        this.#afterClaim();
      },
    );
  }

  #afterClaim(): void {
    this.#claiming = false;
    if (!this.#claimAgain) return;
    this.#claimAgain = false;
    this.wake();
  }

  async #claim(): Promise<void> {
    const free = Math.min(CLAIM_BATCH, this.#deps.config.concurrency - this.#byTurn.size);
    if (free <= 0) return;
    const sentMs = this.#deps.clock.monotonicMs();
    this.#deps.faultPoint('before-claim');
    const claimed = await this.#deps.store.write((tx) => claimReadyTurns({ tx, deps: this.#deps }, free));
    this.#deps.faultPoint('after-claim');
    for (const one of claimed) this.#execute(new TurnRun(one, sentMs, this.#deps));
    if (claimed.length === free) this.#claimAgain = true;
    if (claimed.length > 0) this.#armRenewal();
  }

  #execute(run: TurnRun): void {
    const { turnId, sessionId } = run.claim;
    this.#byTurn.set(turnId, run);
    this.#bySession.set(sessionId, run);
    run.run().then(
      () => this.#release(run),
      (error: unknown) => {
        this.#deps.log.error('turn run rejected', { turn: turnId }, error);
        this.#release(run);
      },
    );
  }

  #release(run: TurnRun): void {
    const { turnId, sessionId } = run.claim;
    if (this.#byTurn.get(turnId) === run) this.#byTurn.delete(turnId);
    if (this.#bySession.get(sessionId) === run) this.#bySession.delete(sessionId);
    if (this.#byTurn.size === 0) for (const notify of this.#idle.splice(0)) notify();
    this.wake();
  }

  #armRenewal(): void {
    if (this.#renewTimer !== undefined || this.#closed) return;
    this.#renewTimer = this.#deps.clock.after(this.#deps.config.leaseMs / 3, () => {
      this.#renewTimer = undefined;
      this.renew().catch((error: unknown) =>
        this.#deps.log.warn('renewal of claims failed', {
          error_name: error instanceof Error ? error.name : 'unknown',
        }),
      );
    });
  }

  /** Extends every claim in one statement; the answer carries stop flags and steer entries (RT-2.4). */
  async renew(): Promise<void> {
    const runs = [...this.#byTurn.values()];
    if (runs.length === 0) return;
    const sentMs = this.#deps.clock.monotonicMs();
    const { leaseMs } = this.#deps.config;
    const claims = runs.map((run) => ({ turnId: run.claim.turnId, fence: run.claim.fence }));
    try {
      const news = await this.#deps.store.write((tx) =>
        tx.log.renewClaims(this.#deps.workerId, claims, tx.now() + leaseMs * 1000),
      );
      for (const one of news) this.#hear(one, sentMs);
    } finally {
      for (const run of runs) if (run.claim.lost) run.lose();
      if (this.#byTurn.size > 0) this.#armRenewal();
    }
  }

  #hear(
    news: {
      readonly turnId: string;
      readonly held: boolean;
      readonly stopRequested: boolean;
      readonly steerCount: number;
    },
    sentMs: number,
  ): void {
    const run = this.#byTurn.get(news.turnId);
    if (run === undefined) return;
    if (!news.held) return this.#checkLoss(run, news.turnId);
    run.claim.renewed(sentMs);
    if (news.stopRequested) run.requestStop();
    if (news.steerCount > 0) run.noteSteer();
  }

  /** A fence that changed while the renewal was under way (a restarted step) is no loss. */
  #checkLoss(run: TurnRun, turnId: string): void {
    this.#deps.store
      .read((tx) => tx.log.turn(turnId))
      .then(
        (turn) => {
          if (turn?.fence !== run.claim.fence || turn.worker !== this.#deps.workerId) run.lose();
        },
        (error: unknown) =>
          this.#deps.log.warn('claim could not be checked', {
            turn: turnId,
            error_name: error instanceof Error ? error.name : 'unknown',
          }),
      );
  }

  /** No new claims; running turns hand over at their next entry. Resolves when none runs or after `drainMs` (RT-2.9). */
  async drain(): Promise<void> {
    this.#draining = true;
    for (const run of this.#byTurn.values()) run.drain();
    if (this.#byTurn.size === 0) return;
    const ended = Promise.withResolvers<void>();
    this.#idle.push(ended.resolve);
    const cancel = this.#deps.clock.after(this.#deps.config.drainMs, ended.resolve);
    await ended.promise;
    cancel();
  }

  /** Cancels what still runs; its turns are released as a new attempt for the next worker (RT-2.9, K28). */
  async close(): Promise<void> {
    this.#closed = true;
    this.#draining = true;
    this.#renewTimer?.();
    for (const stop of this.#unsubscribe.splice(0)) stop();
    const left = [...this.#byTurn.values()];
    for (const run of left) run.lose();
    if (left.length > 0) await this.#deps.store.write((tx) => this.#releaseClaims(tx));
  }

  async #releaseClaims(tx: Parameters<typeof releaseDeadClaim>[0]): Promise<void> {
    for (const turn of await tx.log.claimedTurns(this.#deps.workerId, this.#deps.config.concurrency))
      await releaseDeadClaim(tx, turn, this.#deps);
  }
}
