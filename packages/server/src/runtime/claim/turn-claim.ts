import { type Clock, type Log, together } from '../../base/index.ts';
import type { JournalRow, SessionRow, SteerRow, Store, TurnRow, WriteTx } from '../../store/contracts/index.ts';
import type { AgentRevision, PlacedPart, RuntimeConfig, SessionSide, TurnBody } from '../contract.ts';
import { isStoreAway, LostClaim, parseBody, recordedParts } from '../record/index.ts';

/** A turn just claimed, with what the claim's transaction read and wrote. */
export interface ClaimedTurn {
  readonly turn: TurnRow;
  readonly session: SessionRow;
  /** What the claim begins with; from then on the claim's own `body` counts. */
  readonly body: TurnBody;
  readonly agent: AgentRevision;
  readonly namespaceLabels: Readonly<Record<string, string>>;
  /** Journal as of the claim; empty for a first attempt. */
  readonly journal: readonly JournalRow[];
}

/** What a guarded transaction of the claim sees. */
export interface ClaimState {
  readonly session: SessionRow;
  readonly turn: TurnRow;
  readonly body: TurnBody;
  /** Parts that others journaled since this claim last looked (answers to permission requests). */
  readonly foreign: readonly PlacedPart[];
  /** Steer entries that wait; only for the last transaction of a claim. */
  readonly steers: readonly SteerRow[];
  /** With entries of this claim that are stored although their commit was never acknowledged: all new ones, in order. */
  readonly unsure: readonly JournalRow[];
}

export interface ClaimChange {
  readonly entries?: readonly { readonly kind: string; readonly value: unknown }[];
  readonly body?: Partial<TurnBody>;
  readonly turn?: Partial<TurnRow>;
  readonly session?: Partial<SessionRow>;
  readonly side?: SessionSide;
}

/** What one commit added to the journal. */
export interface RecordedNews {
  readonly foreign: readonly PlacedPart[];
  readonly entries: NonNullable<ClaimChange['entries']>;
}

/** What a claim uses. */
export interface ClaimPorts {
  readonly store: Pick<Store, 'write'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: Pick<RuntimeConfig, 'leaseMs'>;
  /** Name of this process in claims. */
  readonly workerId: string;
}

/** How long before its own expiry a worker gives up writing. */
const GIVE_UP_MS = 2000;
const RETRY_MS = 100;
/** The only kind of entry that others write into the journal of a claimed turn. */
const FOREIGN_KIND = 'RESUME';

/**
 * The right of this worker to one turn. Every write of the turn goes through `commit` or `guarded`, which check turn id,
 * fence and state inside the transaction and throw LostClaim otherwise. Counts its own expiry on the monotonic
 * clock from the moment the granted request was sent.
 */
export class TurnClaim {
  readonly turnId: string;
  readonly sessionId: string;
  readonly #ports: ClaimPorts;
  #fence: number;
  #body: TurnBody;
  #expiresMs: number;
  #lost = false;
  #moving = false;
  #released = false;
  #stopSeen = false;
  #tail: Promise<void> = Promise.resolve();

  constructor(claimed: ClaimedTurn, sentMs: number, ports: ClaimPorts) {
    this.turnId = claimed.turn.id;
    this.sessionId = claimed.session.id;
    this.#fence = claimed.turn.fence;
    this.#body = claimed.body;
    this.#ports = ports;
    this.#expiresMs = sentMs + ports.config.leaseMs;
  }

  /** Fence under which the turn is claimed; it moves with `moveFence` only. */
  get fence(): number {
    return this.#fence;
  }

  /** The turn's body as this claim last committed or read it. */
  get body(): TurnBody {
    return this.#body;
  }

  get lost(): boolean {
    return this.#lost || this.#ports.clock.monotonicMs() > this.#expiresMs - GIVE_UP_MS;
  }

  lose(): void {
    this.#lost = true;
  }

  /** A transaction of this claim found the stop flag: no notification is needed to notice it. */
  get stopSeen(): boolean {
    return this.#stopSeen;
  }

  /**
   * True while a transaction of this claim moves its own fence, gives the claim up or ends the turn, and once it did the
   * latter two: a renewal that finds the claim gone then proves nothing.
   */
  get moving(): boolean {
    return this.#moving || this.#released;
  }

  renewed(sentMs: number): void {
    this.#expiresMs = Math.max(this.#expiresMs, sentMs + this.#ports.config.leaseMs);
  }

  /** Runs `work` with the claim checked, patiently; writes nothing itself. */
  guarded<T>(work: (tx: WriteTx, state: ClaimState) => Promise<T>, isLast = false): Promise<T> {
    return this.patiently(() => this.#ports.store.write(async (tx) => work(tx, await this.#check(tx, isLast))));
  }

  /**
   * Runs what asks the store or the object service for this turn; `work` may run several times. A store that is away is
   * tried again for one lease at most, and never beyond the claim: what is refused while renewals pass must not
   * hold the turn without end. Then its fault is the caller's, who leaves the turn to another attempt.
   */
  async patiently<T>(work: () => Promise<T>): Promise<T> {
    const { clock, config, log } = this.#ports;
    const untilMs = clock.monotonicMs() + config.leaseMs;
    for (;;) {
      if (this.lost) throw new LostClaim(this.turnId);
      try {
        return await work();
      } catch (error) {
        if (!isStoreAway(error) || clock.monotonicMs() >= untilMs) throw error;
        log.warn('store unavailable, turn keeps trying', { turn: this.turnId, reason: error.reason });
        await new Promise<void>((resolve) => clock.after(RETRY_MS, resolve));
      }
    }
  }

  /**
   * Appends journal entries and saves turn and session in one guarded transaction. Commits of one claim run one after the
   * other; what became recorded, other people's entries first, goes to `recorded` before the next one starts.
   */
  commit(
    work: (tx: WriteTx, state: ClaimState) => Promise<ClaimChange>,
    recorded: (news: RecordedNews) => void,
  ): Promise<void> {
    return this.#inTurn(async () => {
      const result = await this.#commitOnce(work).catch((error: unknown) => {
        this.#released = false;
        throw error;
      });
      this.#body = result.body;
      recorded(result);
    });
  }

  /** As `commit`, and moves the turn to the fence that `work` gives its session; `recorded` sees the claim moved. */
  async moveFence(
    work: (tx: WriteTx, state: ClaimState) => Promise<ClaimChange & { readonly turn: { readonly fence: number } }>,
    recorded: (news: RecordedNews) => void,
  ): Promise<void> {
    let fence = this.#fence;
    this.#moving = true;
    try {
      await this.commit(
        async (tx, state) => {
          const change = await work(tx, state);
          fence = change.turn.fence;
          return change;
        },
        (news) => {
          this.#fence = fence;
          recorded(news);
        },
      );
    } finally {
      this.#moving = false;
    }
  }

  /** Takes in what others journaled for this turn (answers to permission requests); writes nothing. */
  refresh(recorded: (news: RecordedNews) => void): Promise<void> {
    return this.#inTurn(async () => {
      const { foreign, body } = await this.guarded(async (_tx, state) => state);
      this.#body = body;
      if (foreign.length > 0) recorded({ foreign, entries: [] });
    });
  }

  /**
   * The last transaction of the claim, behind every commit under way; what it writes is up to `work`, which answers whether
   * it ended the turn.
   */
  finish(work: (tx: WriteTx, state: ClaimState) => Promise<boolean>): Promise<void> {
    return this.#inTurn(async () => {
      let hasEnded = false;
      this.#moving = true;
      try {
        hasEnded = await this.guarded(work, true);
      } finally {
        this.#moving = hasEnded;
      }
    });
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const run = this.#tail.then(work);
    this.#tail = run.catch(() => undefined);
    return run;
  }

  #commitOnce(
    work: (tx: WriteTx, state: ClaimState) => Promise<ClaimChange>,
  ): Promise<RecordedNews & { readonly body: TurnBody }> {
    return this.guarded(async (tx, state) => {
      if (state.unsure.length > 0) {
        const entries = state.unsure.map((row) => ({ kind: row.kind, value: JSON.parse(row.body) as unknown }));
        return { foreign: [], entries, body: state.body };
      }
      const change = await work(tx, state);
      this.#released = change.turn?.worker === '';
      const entries = change.entries ?? [];
      const at = tx.now();
      const first = state.body.journalCount;
      if (entries.length > 0) {
        await tx.log.appendJournal(
          entries.map((entry, index) => ({
            turnId: this.turnId,
            index: first + index,
            kind: entry.kind,
            at,
            body: JSON.stringify(entry.value),
          })),
        );
      }
      const body: TurnBody = { ...state.body, ...change.body, journalCount: first + entries.length };
      const savesSession = change.session !== undefined || change.side !== undefined;
      const side = change.side === undefined ? {} : { body: JSON.stringify(change.side) };
      const [saved] = await together(
        tx.log.saveTurn(
          { ...state.turn, ...change.turn, body: JSON.stringify(body) },
          { fence: this.#fence, states: ['RUNNING', 'WAITING'] },
        ),
        savesSession ? tx.log.saveSession({ ...state.session, ...change.session, ...side }) : Promise.resolve(),
      );
      if (!saved) throw new LostClaim(this.turnId);
      return { foreign: state.foreign, entries, body };
    });
  }

  async #check(tx: WriteTx, isLast: boolean): Promise<ClaimState> {
    // Asked for behind the lock, so the turn is as its holder left it.
    const [session, turn, steers] = await together(
      tx.log.lockSession(this.sessionId),
      tx.log.turn(this.turnId),
      isLast ? tx.log.steers(this.sessionId) : Promise.resolve([]),
    );
    const held =
      session !== undefined && turn !== undefined && turn.fence === this.#fence && turn.worker === this.#ports.workerId;
    if (!held || (turn.state !== 'RUNNING' && turn.state !== 'WAITING')) throw new LostClaim(this.turnId);
    if (turn.stopRequested) this.#stopSeen = true;
    const body = parseBody(turn);
    const known = this.#body.journalCount;
    if (body.journalCount <= known) return { session, turn, body, steers, foreign: [], unsure: [] };
    const added = (await tx.log.journal(this.turnId)).filter((row) => row.index >= known);
    const foreign = recordedParts(added.filter((row) => row.kind === FOREIGN_KIND));
    const hasOwn = added.some((row) => row.kind !== FOREIGN_KIND);
    return { session, turn, body, steers, foreign, unsure: hasOwn ? added : [] };
  }
}
