import type { CancelTimer, Clock } from '../../base/index.ts';
import type { ModelRegistry } from '../../models/contract.ts';
import type {
  Bus,
  FaultPoints,
  JournalRow,
  Presence,
  ReadTx,
  Store,
  TurnRow,
  WriteTx,
} from '../../store/contracts/index.ts';
import type { Tool } from '../../tools/contract.ts';

/** Thrown at the point of a crash to leave the code that runs there; what catches it finds everything frozen. */
class Frozen extends Error {
  constructor() {
    super('this process has crashed');
    this.name = 'Frozen';
  }
}

const reading = new WeakMap<Store, Promise<unknown>>();

/** Snapshot reads of one store one after the other: two that meet in one microtask step on each other in the engine. */
const inTurn = <T>(real: Store, read: () => Promise<T>): Promise<T> => {
  const run = (reading.get(real) ?? Promise.resolve()).then(read);
  reading.set(
    real,
    run.catch(() => undefined),
  );
  return run;
};

/** Methods of the session log that write. */
const CHANGING = /^(insert|save|delete|append|clear)/;
/** Those that write the state of a turn. */
const TURN_WRITES = /^(insert|save)Turn$/;

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

/** What is noted of a transaction while it runs. */
interface Seen {
  readonly rows: JournalRow[];
  readonly turnsOf: Set<string>;
  isChanging: boolean;
}

/** What the gate tells about a process while it lives. */
export interface GateWatch {
  /** Before the transaction of the n-th write begins, and when it is durable but nothing followed from it yet. */
  onWrite?(moment: 'before' | 'after', count: number): void;
  /** Fails the n-th write: before its work, behind it but before the commit, or after the commit (`unsure`). */
  failWrite?(count: number): { readonly error: Error; readonly moment: 'before' | 'inside' | 'unsure' } | undefined;
  /** Fails the n-th read: before its work, or behind it (`halfway`, what the function kept for itself stays). */
  failRead?(count: number): { readonly error: Error; readonly moment: 'before' | 'halfway' } | undefined;
  /** Decides about one message of the bus; times it is delivered (0 = lost). */
  deliveries?(subject: string): number;
  onPublish?(subject: string, message: unknown): void;
  onJournal?(rows: readonly JournalRow[]): void;
  /** Before a commit. */
  onCommit?(tx: WriteTx, changes: LogChanges): Promise<void>;
}

/** What a transaction did to the session log. */
export interface LogChanges {
  /** It wrote to sessions, turns, messages or the journal. */
  readonly isChanging: boolean;
  /** Sessions of the turns whose rows it wrote. */
  readonly turnsOf: ReadonlySet<string>;
}

/**
 * One process as `kill -9` sees it: after `crash` none of its writes, publications, timers, model calls and tool runs
 * happens, and none of its promises resolves, while the data directory and the other processes live on.
 */
export class ProcessGate {
  readonly #watch: GateWatch;
  #dead = false;
  #paused = false;
  writes = 0;
  reads = 0;
  /** Operations under way; 0 and no movement means that the process waits for time or for somebody. */
  pending = 0;
  activity = 0;

  constructor(watch: GateWatch) {
    this.#watch = watch;
  }

  get dead(): boolean {
    return this.#dead;
  }

  crash(): void {
    this.#dead = true;
    this.hide();
    this.#tellEnd();
  }

  /** Resolves when an operation that is under way has ended, or the process is dead. */
  operationEnd(): Promise<void> {
    return new Promise((resolve) => this.#whenEnded.push(resolve));
  }

  #tellEnd(): void {
    for (const tell of this.#whenEnded.splice(0)) tell();
  }

  /** The store loses sight of the process, which lives on, as when one connection is cut. */
  hide(): void {
    void this.#presence?.close();
    this.#presence = undefined;
  }

  /** The store sees the process again, and the process learns that it did not for a while. */
  async show(): Promise<void> {
    if (this.#presence !== undefined || this.#dead) return;
    this.#presence = await this.#announce?.();
    const notify = (): void => this.#onReturn?.();
    if (this.#paused) this.#late.push(notify);
    else notify();
  }

  /** Ends the process here: nothing after this line has an effect. */
  crashHere(): never {
    this.crash();
    throw new Frozen();
  }

  /** A paused process does nothing until it is resumed; timers, messages and answers of the store come late then. */
  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    for (const fire of this.#late.splice(0)) fire();
  }

  readonly #late: (() => void)[] = [];
  readonly #whenEnded: (() => void)[] = [];
  #presence: Presence | undefined;
  #announce: (() => Promise<Presence>) | undefined;
  #onReturn: (() => void) | undefined;

  /** With `readsFail` its reads fail as the watch says; without, they are not watched. */
  store(real: Store, { readsFail = false } = {}): Store {
    const ask = <T>(read: () => Promise<T>): Promise<T> => (readsFail ? this.#failing(read) : read());
    return {
      write: (work) => this.#write(real, work),
      read: (work) => this.#live(() => ask(() => inTurn(real, () => real.read(work)))),
      direct: { ...real.direct, log: this.#directLog(real, ask) } as ReadTx,
      announce: async (worker, onReturn) => {
        this.#onReturn = onReturn;
        this.#announce = () => real.announce(worker, onReturn);
        this.#presence = await this.#announce();
        return { close: async () => this.hide() };
      },
      epoch: real.epoch,
      now: () => real.now(),
      steadyNow: () => real.steadyNow(),
      ping: () => real.ping(),
      close: () => real.close(),
    };
  }

  bus(real: Bus): Bus {
    return {
      publish: (subject, message) => {
        if (this.#dead) return;
        this.activity += 1;
        this.#watch.onPublish?.(subject, message);
        const times = this.#watch.deliveries?.(subject) ?? 1;
        for (let time = 0; time < times; time++) real.publish(subject, message);
      },
      subscribe: (subject, receive) =>
        real.subscribe(subject, (message) => {
          if (this.#paused) this.#late.push(() => receive(message));
          else if (!this.#dead) receive(message);
        }),
      onGap: (subject, notify) => real.onGap(subject, notify),
      close: () => real.close(),
    };
  }

  clock(real: Clock): Clock {
    return {
      nowMicros: () => Math.round(real.nowMicros()),
      monotonicMs: () => real.monotonicMs(),
      after: (delayMs, fire): CancelTimer => {
        let cancelled = false;
        const run = (): void => {
          if (this.#dead || cancelled) return;
          if (this.#paused) this.#late.push(run);
          else fire();
        };
        const cancel = real.after(delayMs, run);
        return () => {
          cancelled = true;
          cancel();
        };
      },
    };
  }

  models(real: ModelRegistry, before: (request: Parameters<ModelRegistry['stream']>[0]) => void): ModelRegistry {
    const stream: ModelRegistry['stream'] = async (request, sink, signal) => {
      if (this.#dead) return never();
      before(request);
      this.activity += 1;
      await real.stream(request, (chunk) => this.#dead || sink(chunk), signal);
      this.activity += 1;
      if (this.#dead) await never();
    };
    return new Proxy(real, {
      get: (target, name) => {
        if (name === 'stream') return stream;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }

  tool(real: Tool): Tool {
    return {
      ...real,
      run: async (context, input) => {
        if (this.#dead) return never();
        this.activity += 1;
        const result = await real.run(context, input);
        this.activity += 1;
        return this.#dead ? never() : result;
      },
    };
  }

  faultPoint(hit: FaultPoints): FaultPoints {
    return (point) => {
      if (this.#dead) throw new Frozen();
      hit(point);
    };
  }

  #resumed(): Promise<void> {
    this.#end();
    return new Promise((resolve) =>
      this.#late.push(() => {
        this.pending += 1;
        resolve();
      }),
    );
  }

  async #live<T>(work: () => Promise<T>): Promise<T> {
    if (this.#dead) return never();
    this.pending += 1;
    this.activity += 1;
    try {
      const value = await work();
      while (this.#paused && !this.#dead) await this.#resumed();
      if (this.#dead) return never();
      return value;
    } catch (error) {
      if (this.#dead) return never();
      throw error;
    } finally {
      this.#end();
    }
  }

  #end(): void {
    this.pending -= 1;
    this.#tellEnd();
  }

  async #failing<T>(read: () => Promise<T>): Promise<T> {
    this.reads += 1;
    const failure = this.#watch.failRead?.(this.reads);
    if (failure?.moment === 'before') throw failure.error;
    const value = await read();
    if (failure !== undefined) throw failure.error;
    return value;
  }

  #write<T>(real: Store, work: (tx: WriteTx) => Promise<T>): Promise<T> {
    return this.#live(async () => {
      this.writes += 1;
      const count = this.writes;
      this.#watch.onWrite?.('before', count);
      const failure = this.#watch.failWrite?.(count);
      if (failure?.moment === 'before') throw failure.error;
      const result = await real.write(async (tx) => {
        if (this.#dead) throw new Frozen();
        const rows: JournalRow[] = [];
        tx.afterCommit(() => {
          this.#watch.onJournal?.(rows);
          if (!this.#dead) this.#watch.onWrite?.('after', count);
        });
        const seen = { rows, isChanging: false, turnsOf: new Set<string>() };
        const value = await work(this.#recording(tx, seen));
        await this.#watch.onCommit?.(tx, seen);
        if (failure?.moment === 'inside') throw failure.error;
        return value;
      });
      if (failure?.moment === 'unsure') throw failure.error;
      return result;
    });
  }

  /** The transaction with what it writes noted. */
  #recording(tx: WriteTx, seen: Seen): WriteTx {
    const { log } = tx;
    const { rows } = seen;
    const noted = new Proxy(log, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        if (typeof name === 'string' && CHANGING.test(name)) seen.isChanging = true;
        if (name === 'appendJournal')
          return (added: readonly JournalRow[]) => {
            rows.push(...added);
            return target.appendJournal(added);
          };
        if (typeof name !== 'string' || !TURN_WRITES.test(name)) return value.bind(target);
        return (turn: TurnRow, ...more: unknown[]) => {
          seen.turnsOf.add(turn.sessionId);
          return Reflect.apply(value, target, [turn, ...more]) as unknown;
        };
      },
    });
    const savepoint = async <T>(run: () => Promise<T>): Promise<T> => {
      const before = rows.length;
      try {
        return await tx.savepoint(run);
      } catch (error) {
        rows.length = before;
        throw error;
      }
    };
    const afterCommit = (effect: () => void): void =>
      tx.afterCommit(() => {
        if (!this.#dead) effect();
      });
    const own: Readonly<Record<string, unknown>> = { log: noted, savepoint, afterCommit };
    return new Proxy(tx, {
      get: (target, name) => {
        if (typeof name === 'string' && name in own) return own[name];
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }

  #directLog(real: Store, ask: <T>(read: () => Promise<T>) => Promise<T>): ReadTx['log'] {
    return new Proxy(real.direct.log, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        const read = async (args: readonly unknown[]) => Reflect.apply(value, target, args) as Promise<unknown>;
        return (...args: unknown[]) => this.#live(() => ask(() => read(args)));
      },
    });
  }
}
