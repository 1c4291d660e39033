import type { SessionMessage } from '@svc/api/data';
import { TurnState } from '@svc/api/data';
import { type SessionMessagePartEvent, SessionMessagePartEventKind } from '@svc/api/events';
import type { GatewayService, SessionControlService, SessionResponse } from '@svc/api/gateway';
import type { Calls } from '../calls.ts';
import { type ClientEnvironment, pause } from '../environment.ts';
import { isSvcError, SvcError } from '../error.ts';
import { cancelled, isInterruption, type RetryPolicy, streamRetryMs } from '../transport/index.ts';

/** Identifies a session. */
export interface SessionKey {
  readonly ns: string;
  readonly agent: string;
  readonly sessionId: string;
}

/** Replaces the lost events for a stream that fell behind the kept history. */
export interface SessionSnapshot {
  /** The newest finished messages, oldest first. */
  readonly messages: readonly SessionMessage[];
  readonly state: string;
}

export interface StreamOptions {
  /** A cursor: everything after it. `''`: the running turn from its start. `live`: new events only. */
  readonly after?: string | undefined;
  /**
   * End after the next DONE or ERROR. Without `turnId` and cursor that is the end of the running or waiting turn; if there is
   * none, the stream shows the events of the last turn and ends. In a session without turns it waits for the first.
   */
  readonly untilDone?: boolean | undefined;
  /** Only this turn, then end. */
  readonly turnId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called when the connection is lost and retried, and when it is open again. */
  readonly onConnection?: ((state: ConnectionState) => void) | undefined;
  /**
   * Called when the cursor is older than the kept history: the messages finished meanwhile replace the lost
   * events, and the stream continues after them, or ends if the awaited end is among them. Without it the stream throws CURSOR_EXPIRED.
   */
  readonly onSnapshot?: ((snapshot: SessionSnapshot) => void) | undefined;
  /** Give up after this time without a connection; default never. */
  readonly giveUpAfterMs?: number | undefined;
}

export type ConnectionState =
  | { readonly state: 'open' }
  | { readonly state: 'lost'; readonly error: SvcError | undefined; readonly retryInMs: number };

export interface StreamParts {
  readonly gateway: Calls<typeof GatewayService>;
  readonly control: Calls<typeof SessionControlService>;
  readonly environment: ClientEnvironment;
  readonly policy: RetryPolicy;
}

/**
 * The events of a session, each exactly once and in order, across lost connections, server restarts and
 * SLOW_CONSUMER: after each of them the stream continues after the last cursor that was yielded.
 */
export async function* streamSession(
  parts: StreamParts,
  key: SessionKey,
  options: StreamOptions,
): AsyncGenerator<SessionMessagePartEvent, void, undefined> {
  const resume = new ResumePoint(parts, key, options);
  await resume.prepare();
  while (true) {
    let failure: SvcError | undefined;
    try {
      for await (const event of resume.open()) {
        resume.took(event);
        yield event;
        if (resume.isEnd(event)) return;
      }
    } catch (error) {
      if (!isSvcError(error)) throw error;
      failure = error;
    }
    if (await resume.recover(failure)) return;
  }
}

const OPEN_TURNS: ReadonlySet<TurnState> = new Set([TurnState.QUEUED, TurnState.RUNNING, TurnState.WAITING]);

/** Where a stream continues after each failure, and its retry policy. */
class ResumePoint {
  readonly #parts: StreamParts;
  readonly #key: SessionKey;
  readonly #options: StreamOptions;
  #after: string;
  /** The only turn that is shown; '' for all. */
  #turnId: string;
  /** Cursor taken before the first attempt, for a connection that breaks before its first event. */
  #base = '';
  #failures = 0;
  #lostSinceMs: number | undefined;

  constructor(parts: StreamParts, key: SessionKey, options: StreamOptions) {
    this.#parts = parts;
    this.#key = key;
    this.#options = options;
    this.#after = options.after === '0' ? '' : (options.after ?? '');
    this.#turnId = options.turnId ?? '';
  }

  /** Without a cursor, a disconnect before the first event could hide the end of a turn. */
  async prepare(): Promise<void> {
    const { untilDone = false, signal } = this.#options;
    const isBounded = untilDone && (this.#after === '' || this.#after === 'live');
    if (this.#turnId !== '' || (this.#after !== '' && !isBounded)) return;
    const session = await this.#parts.gateway.getSession({ ...this.#key, messageLimit: -1 }, { signal });
    this.#base = session.streamCursor;
    if (isBounded) await this.#bound(session);
  }

  /** A server may wait long for a turn that has ended already: the end is tied to one turn, or to what follows a cursor. */
  async #bound({ activeTurnId, queuedTurns }: SessionResponse): Promise<void> {
    const isKnown = activeTurnId !== '' || this.#after === 'live';
    this.#turnId = isKnown ? activeTurnId : await this.#nextOrLastTurn(queuedTurns);
    if (this.#turnId === '') this.#after = this.#base;
    // A turn is shown from its start; after the cursor of the session nothing of a finished turn would come.
    else this.#base = '';
  }

  /** The oldest turn that is still waiting, else the last one; '' when there was none. */
  async #nextOrLastTurn(queuedTurns: number): Promise<string> {
    const { signal } = this.#options;
    const pageSize = queuedTurns + 1;
    const { turns } = await this.#parts.control.listTurns({ ...this.#key, pageSize }, { signal });
    const open = turns.findLast(({ state }) => OPEN_TURNS.has(state));
    return (open ?? turns[0])?.id ?? '';
  }

  open(): AsyncIterable<SessionMessagePartEvent> {
    const { untilDone = false, signal, onConnection } = this.#options;
    const onOpen = (): void => {
      this.#lostSinceMs = undefined;
      onConnection?.({ state: 'open' });
    };
    const request = { ...this.#key, after: this.#after, untilDone, turnId: this.#turnId };
    return this.#parts.gateway.streamSessionParts(request, { signal, onOpen });
  }

  took(event: SessionMessagePartEvent): void {
    this.#failures = 0;
    if (event.cursor !== '') this.#after = event.cursor;
  }

  isEnd(event: SessionMessagePartEvent): boolean {
    const isTerminal =
      event.kind === SessionMessagePartEventKind.DONE || event.kind === SessionMessagePartEventKind.ERROR;
    if (!isTerminal) return false;
    return this.#turnId === '' ? this.#options.untilDone === true : event.turnId === this.#turnId;
  }

  /**
   * Waits for the next attempt, or throws when there is none. A stream that ended normally before its end was cut as well. True when the
   * stream has come to its end meanwhile.
   */
  async recover(failure: SvcError | undefined): Promise<boolean> {
    const { signal, onConnection } = this.#options;
    if (isAborted(signal)) throw failure ?? cancelled(undefined);
    if (failure?.reason === 'CURSOR_EXPIRED') return this.#catchUp(failure);
    if (failure !== undefined && !isInterruption(failure)) throw failure;
    if (this.#after === '') this.#after = this.#base;
    this.#failures += 1;
    this.#checkPatience(failure);
    const { random, clock } = this.#parts.environment;
    const retryInMs = streamRetryMs(this.#parts.policy, this.#failures, { error: failure, random });
    onConnection?.({ state: 'lost', error: failure, retryInMs });
    await pause(clock, retryInMs, signal);
    if (isAborted(signal)) throw cancelled(failure);
    return false;
  }

  #checkPatience(failure: SvcError | undefined): void {
    const nowMs = this.#parts.environment.clock.nowMs();
    this.#lostSinceMs ??= nowMs;
    const { giveUpAfterMs = Number.POSITIVE_INFINITY } = this.#options;
    if (nowMs - this.#lostSinceMs < giveUpAfterMs) return;
    throw failure ?? new SvcError({ code: 'UNAVAILABLE', reason: 'INTERRUPTED', message: 'the stream keeps ending' });
  }

  /** CURSOR_EXPIRED: list messages and continue from their cursor. True when the awaited end is among the lost events. */
  async #catchUp(failure: SvcError): Promise<boolean> {
    const { onSnapshot, signal, untilDone = false } = this.#options;
    if (onSnapshot === undefined) throw failure;
    const page = await this.#parts.gateway.listSessionMessages(this.#key, { signal });
    const messages = page.items.flatMap((item) => (item.message === undefined ? [] : [item.message]));
    this.#after = page.streamCursor;
    onSnapshot({ messages, state: page.state });
    // No turn is running or waiting: no event would end the stream.
    return (untilDone || this.#turnId !== '') && page.state === 'IDLE';
  }
}

/** Asked again after every wait. */
const isAborted = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;
