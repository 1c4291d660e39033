import { assert, type Clock } from '../../../../base/index.ts';
import {
  type McpCall,
  type McpConnection,
  type McpConnector,
  McpFailure,
  type McpOutcome,
  type McpServerFacts,
  type McpTool,
} from '../../../../protocols/mcp/contract.ts';
import type { WantedServer } from './wanted-server.ts';

/** Why there is no list. */
export interface FailedList {
  readonly failure: McpFailure;
  readonly at: 'connect' | 'list';
}

/** What one attempt to list the tools of a server came to. */
export type ListOutcome = { readonly server: McpServerFacts; readonly tools: readonly McpTool[] } | FailedList;

export interface ServerSlotDeps {
  readonly connector: McpConnector;
  readonly clock: Clock;
  /** After each attempt to list until the slot is retired, also one that no turn waits for any more. */
  readonly settled: (wanted: WantedServer, outcome: ListOutcome) => void;
}

/** Time for a connection with its negotiation. */
const CONNECT_MS = 10_000;
/** Time for a list on an open connection. */
const LIST_MS = 5_000;
/** Time for a sign of life. */
const PING_MS = 10_000;
/** How long a list is used without asking. */
const FRESH_MS = 300_000;
/** How long the former list is used when the next cannot be had. */
const STALE_MS = 900_000;
/** How long a server that failed is left alone. */
const BREAKER_MS = 30_000;
/** The least time between attempts that only calls without a list cause: a server that is down is not flooded by them. */
const NEEDED_MS = 5_000;
/** A connection that lasted this long does not count as one of a row that ended. */
const STEADY_MS = 60_000;
const BACKOFF_MS = 1_000;

interface KnownTools {
  readonly server: McpServerFacts;
  readonly tools: readonly McpTool[];
  readonly atMs: number;
}

/**
 * One server as one namespace uses it: its connection, the list of its tools, and how it failed. A turn waits for a list no longer
 * than it says, and a server that failed is not tried again for 30 s, so that turns do not pay for it one after the other.
 */
export class ServerSlot {
  readonly wanted: WantedServer;
  readonly #deps: ServerSlotDeps;
  #connection: McpConnection | undefined;
  #opening: Promise<McpConnection> | undefined;
  #refreshing: Promise<readonly McpTool[]> | undefined;
  #known: KnownTools | undefined;
  #isChanged = false;
  #failure: McpFailure | undefined;
  #failedAt: FailedList['at'] = 'connect';
  #retryAtMs = 0;
  #neededAtMs = Number.NEGATIVE_INFINITY;
  #openedAtMs = 0;
  #losses = 0;
  #openCalls = 0;
  #usedAtMs: number;
  #isRetired = false;

  constructor(wanted: WantedServer, deps: ServerSlotDeps) {
    this.wanted = wanted;
    this.#deps = deps;
    this.#usedAtMs = deps.clock.monotonicMs();
  }

  /** When a turn last used it. */
  get usedAtMs(): number {
    return this.#openCalls > 0 ? this.#nowMs : this.#usedAtMs;
  }

  /**
   * Tools of the server, after at most `waitMs`; rejects with McpFailure when there is no list that is young enough. `neededMs` is for a call that
   * the model asked for already: where no list is known, it waits so long, also for an attempt that was too slow for others, and a
   * server that failed is tried again, at most every 5 s for all such calls together.
   */
  async tools(waitMs: number, { neededMs }: { readonly neededMs?: number } = {}): Promise<readonly McpTool[]> {
    this.#usedAtMs = this.#nowMs;
    if (this.#known !== undefined && !this.#isChanged && this.#ageMs < FRESH_MS) return this.#known.tools;
    const longerMs = this.#former === undefined ? neededMs : undefined;
    if (this.#nowMs >= this.#retryAtMs || (longerMs !== undefined && this.#mayTryAgain())) {
      const tools = await this.#within(this.#refresh(), longerMs ?? waitMs);
      if (tools !== undefined) return tools;
    }
    const former = this.#former;
    if (former !== undefined) return former;
    throw this.#lastFailure;
  }

  /** Asks for the list whatever is known, unless the server failed a moment ago. Rejects with McpFailure where no answer comes after `waitMs`. */
  async probe(waitMs: number): Promise<void> {
    this.#usedAtMs = this.#nowMs;
    const isTried = this.#nowMs >= this.#retryAtMs;
    if (!isTried || (await this.#within(this.#refresh(), waitMs)) === undefined) throw this.#lastFailure;
  }

  /** What a turn would find, after at most `waitMs`. */
  async found(waitMs: number): Promise<ListOutcome> {
    try {
      await this.tools(waitMs);
      return this.#outcome;
    } catch (error) {
      if (error instanceof McpFailure) return { failure: error, at: this.#failedAt };
      throw error;
    }
  }

  /**
   * Asks for the list whatever is known, for a person who wants to know how the server is now: one that failed a moment ago is tried
   * again, at most every 5 s.
   */
  async check(waitMs: number): Promise<ListOutcome> {
    this.#usedAtMs = this.#nowMs;
    const isTried = this.#nowMs >= this.#retryAtMs || this.#mayTryAgain();
    const tools = isTried ? await this.#within(this.#refresh(), waitMs) : undefined;
    return tools === undefined ? { failure: this.#lastFailure, at: this.#failedAt } : this.#outcome;
  }

  /** Rejects with McpFailure. A call that the server did not take because it forgot the session is made once more. */
  call(call: McpCall): Promise<McpOutcome> {
    return this.use(call.signal, (connection) => connection.call(call));
  }

  /** Does something else with the connection, under the same rules as a call. */
  async use<T>(signal: AbortSignal, work: (connection: McpConnection) => Promise<T>): Promise<T> {
    this.#openCalls++;
    try {
      return await this.#useOnce(signal, work);
    } catch (error) {
      if (!isExpired(error)) throw error;
      return await this.#useOnce(signal, work);
    } finally {
      this.#openCalls--;
      this.#usedAtMs = this.#nowMs;
      if (this.#isRetired && this.#openCalls === 0) this.#drop();
    }
  }

  /** Drops a connection that gives no sign of life, unless a call began meanwhile; the next use opens another one. */
  async ping(): Promise<void> {
    const connection = this.#connection;
    if (connection === undefined || this.#openCalls > 0) return;
    const late = this.#timer(PING_MS);
    try {
      await connection.ping(late.signal);
    } catch {
      if (this.#connection === connection && this.#openCalls === 0) this.#drop();
    } finally {
      late.cancel();
    }
  }

  /** Takes no more use; the connection ends with the last open call. */
  retire(): void {
    this.#isRetired = true;
    if (this.#openCalls === 0) this.#drop();
  }

  /** Ends the connection now, whatever is under way. */
  async close(): Promise<void> {
    this.#isRetired = true;
    const open = await this.#opening?.catch(() => undefined);
    await Promise.all([open?.close(), this.#connection?.close()]);
  }

  get #nowMs(): number {
    return this.#deps.clock.monotonicMs();
  }

  get #lastFailure(): McpFailure {
    return this.#failure ?? new McpFailure('timeout', 'the server did not answer in time');
  }

  get #outcome(): ListOutcome {
    assert(this.#known !== undefined, 'a list that was answered is known');
    const { server, tools } = this.#known;
    return { server, tools };
  }

  get #ageMs(): number {
    return this.#nowMs - (this.#known?.atMs ?? 0);
  }

  /** The list before, while it may still be used. */
  get #former(): readonly McpTool[] | undefined {
    return this.#ageMs < STALE_MS ? this.#known?.tools : undefined;
  }

  /** For a call that needs the list: an attempt that is under way is joined, another one begins where the last is long enough ago. */
  #mayTryAgain(): boolean {
    if (this.#refreshing !== undefined) return true;
    if (this.#nowMs < this.#neededAtMs + NEEDED_MS) return false;
    this.#neededAtMs = this.#nowMs;
    this.#retryAtMs = 0;
    return true;
  }

  /** A connection whose session the server forgot is dropped, unless another call has replaced it meanwhile. */
  async #useOnce<T>(signal: AbortSignal, work: (connection: McpConnection) => Promise<T>): Promise<T> {
    const connection = await this.#connect();
    signal.throwIfAborted();
    try {
      return await work(connection);
    } catch (error) {
      if (isExpired(error) && this.#connection === connection) this.#drop();
      throw error;
    }
  }

  /** The value, or undefined when it failed or took too long; then the breaker is open. */
  async #within<T>(work: Promise<T>, waitMs: number): Promise<T | undefined> {
    const late = Promise.withResolvers<undefined>();
    const cancel = this.#deps.clock.after(waitMs, () => {
      this.#trip(new McpFailure('timeout', 'the server did not answer in time'));
      late.resolve(undefined);
    });
    try {
      return await Promise.race([work.catch(() => undefined), late.promise]);
    } finally {
      cancel();
    }
  }

  #refresh(): Promise<readonly McpTool[]> {
    this.#refreshing ??= this.#list().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #list(): Promise<readonly McpTool[]> {
    let at: 'connect' | 'list' = 'connect';
    try {
      const connection = await this.#connect();
      at = 'list';
      const tools = await this.#listOn(connection);
      this.#known = { server: connection.server, tools, atMs: this.#nowMs };
      this.#retryAtMs = 0;
      this.#settle({ server: connection.server, tools });
      return tools;
    } catch (error) {
      const failure = asFailure(error);
      // Calls that are open may still end well.
      if (at === 'list' && this.#openCalls === 0) this.#drop();
      this.#trip(failure);
      this.#failedAt = at;
      this.#settle({ failure, at });
      throw failure;
    }
  }

  /** What a retired slot finds says nothing about the server as it is configured now: its connection may have been ended under the list. */
  #settle(outcome: ListOutcome): void {
    if (!this.#isRetired) this.#deps.settled(this.wanted, outcome);
  }

  async #listOn(connection: McpConnection): Promise<readonly McpTool[]> {
    const late = this.#timer(LIST_MS);
    this.#isChanged = false;
    try {
      return await connection.tools(late.signal);
    } catch (error) {
      this.#isChanged = true;
      throw late.signal.aborted ? late.signal.reason : error;
    } finally {
      late.cancel();
    }
  }

  #connect(): Promise<McpConnection> {
    const connection = this.#connection;
    if (connection !== undefined && !connection.isClosed) return Promise.resolve(connection);
    if (connection !== undefined) this.#lost();
    if (this.#opening === undefined && this.#nowMs < this.#retryAtMs)
      return Promise.reject(this.#failure ?? new McpFailure('lost', 'the connection to the server ended'));
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #open(): Promise<McpConnection> {
    const late = this.#timer(CONNECT_MS);
    const { era, authorization } = this.wanted;
    try {
      const { signal } = late;
      const target = await this.wanted.target();
      const connection = await this.#deps.connector.connect(target, {
        era,
        signal,
        ...(authorization === undefined ? {} : { authorization }),
      });
      connection.onToolsChanged(() => {
        this.#isChanged = true;
      });
      this.#connection = connection;
      this.#openedAtMs = this.#nowMs;
      if (this.#isRetired && this.#openCalls === 0) this.#drop();
      return connection;
    } catch (error) {
      const failure = asFailure(late.signal.aborted ? late.signal.reason : error);
      this.#trip(failure);
      throw failure;
    } finally {
      late.cancel();
    }
  }

  /** The first of a row of lost connections is replaced at once, the next ones after growing waits. */
  #lost(): void {
    this.#connection = undefined;
    this.#losses = this.#nowMs - this.#openedAtMs > STEADY_MS ? 0 : this.#losses;
    const waitMs = this.#losses === 0 ? 0 : Math.min(BREAKER_MS, BACKOFF_MS * 2 ** (this.#losses - 1));
    this.#losses++;
    this.#failure = new McpFailure('lost', 'the connection to the server ended');
    this.#retryAtMs = Math.max(this.#retryAtMs, this.#openedAtMs + waitMs);
  }

  #drop(): void {
    void this.#connection?.close();
    this.#connection = undefined;
  }

  #trip(failure: McpFailure): void {
    this.#failure = failure;
    this.#retryAtMs = this.#nowMs + BREAKER_MS;
  }

  #timer(ms: number): { readonly signal: AbortSignal; readonly cancel: () => void } {
    const abort = new AbortController();
    const failure = new McpFailure('timeout', `the server did not answer within ${ms / 1_000} s`);
    return { signal: abort.signal, cancel: this.#deps.clock.after(ms, () => abort.abort(failure)) };
  }
}

const isExpired = (error: unknown): boolean => error instanceof McpFailure && error.kind === 'expired';

/** What was thrown by something else than the connector: a secret that is not there. */
const asFailure = (error: unknown): McpFailure =>
  error instanceof McpFailure
    ? error
    : new McpFailure('connect', error instanceof Error ? error.message : 'the server could not be reached', {
        cause: error,
      });
