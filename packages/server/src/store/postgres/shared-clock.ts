import type { Clock } from '../../base/index.ts';
import { type Queries, statement } from './connection/index.ts';

/** Time of the database server (or the one given for a test), or the newest time that a node noted when that is later. */
const START = statement<{ now: number }>(
  `SELECT greatest(coalesce($1::bigint, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint),
     (SELECT value::bigint FROM instance WHERE name = 'clock')) AS now`,
);
/** Notes our time, unless another node is ahead; answers the time that holds now. */
const NOTE = statement<{ value: string }>(
  `INSERT INTO instance (name, value) VALUES ('clock', $1) ON CONFLICT (name)
   DO UPDATE SET value = greatest(instance.value::bigint, excluded.value::bigint)::text RETURNING value`,
);
/** How often a node that writes notes its time. */
const NOTE_MS = 1_000;

/**
 * The steady clock of one node: the server's `clock_timestamp()` at the start, moved on by the monotonic clock of the
 * process, never behind what another node noted. So nodes differ by what a message takes, and a node that starts later is not
 * behind the others. Nothing is added to what was noted: every start would push the clock of all nodes ahead.
 */
export class SharedClock {
  readonly #clock: Clock;
  readonly #startMs: number;
  /** Time at the start, and what other nodes were ahead by since. */
  #startMicros: number;
  #notedMs: number;

  private constructor(clock: Clock, startMicros: number) {
    this.#clock = clock;
    this.#startMicros = startMicros;
    this.#startMs = clock.monotonicMs();
    this.#notedMs = this.#startMs;
  }

  /** `serverMicros`: for tests, what the clock of the database server shows. */
  static async start(sql: Queries, clock: Clock, serverMicros?: number): Promise<SharedClock> {
    const shared = new SharedClock(clock, (await sql.one(START, [serverMicros ?? null])).now);
    await shared.note(sql);
    return shared;
  }

  now(): number {
    return this.#startMicros + Math.round((this.#clock.monotonicMs() - this.#startMs) * 1000);
  }

  /** Now, after the time was noted when a second has passed. */
  async current(sql: Queries): Promise<number> {
    if (this.#clock.monotonicMs() - this.#notedMs >= NOTE_MS) await this.note(sql);
    return this.now();
  }

  async note(sql: Queries): Promise<void> {
    this.#notedMs = this.#clock.monotonicMs();
    const noted = Number((await sql.one(NOTE, [String(this.now())])).value);
    this.#startMicros += Math.max(0, noted - this.now());
  }
}
