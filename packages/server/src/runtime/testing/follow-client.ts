import { isFault } from '../../base/index.ts';
import { EVENT, PART, type SessionEvent } from '../contract.ts';
import type { SessionStreams } from '../stream/stream-contract.ts';
import { isTerminal, type RunRecord } from './run-record.ts';

/**
 * A client that keeps to the rules of session streams: joins DELTA contents per message and part, forgets a message on
 * RESET, resumes by cursor.
 */
export class FollowClient {
  readonly sessionId: string;
  readonly #record: RunRecord;
  readonly events: SessionEvent[] = [];
  #texts = new Map<string, Map<string, { type: number; text: string }>>();
  #cursor = '';
  #abort: AbortController | undefined;
  isGone = false;
  /** Had to connect again before it had a cursor: turns that ended meanwhile do not concern it. */
  isBlind = false;

  constructor(sessionId: string, record: RunRecord) {
    this.sessionId = sessionId;
    this.#record = record;
  }

  /** Follows through a process until it dies; `connect` again continues behind the last event. */
  connect(streams: SessionStreams): void {
    if (this.#abort !== undefined && this.#cursor === '') this.isBlind = true;
    this.#abort?.abort();
    const abort = new AbortController();
    this.#abort = abort;
    const session = { namespace: 'default', agent: 'helper', sessionId: this.sessionId, after: this.#cursor };
    const outlet = {
      open: () => undefined,
      onDrained: () => undefined,
      send: (event: SessionEvent, cursor: string) => {
        if (!abort.signal.aborted) this.#receive(event, cursor);
        return true;
      },
    };
    streams
      .follow({ sessions: [session], untilDone: false, turnId: '', batch: false }, outlet, abort.signal)
      .catch((error: unknown) => {
        if (abort.signal.aborted) return;
        if (isFault(error) && error.reason === 'SESSION_NOT_FOUND') this.isGone = true;
        else if (isFault(error) && error.reason === 'CURSOR_EXPIRED') this.#restart(streams);
        else this.#record.note(`client of ${this.sessionId}: ${String(error)}`);
      });
  }

  disconnect(): void {
    this.#abort?.abort();
  }

  /** Text and reasoning of a message as this client shows it, part by part. */
  shown(messageId: string): readonly { readonly type: number; readonly text: string }[] {
    return [...(this.#texts.get(messageId)?.values() ?? [])];
  }

  terminalEvents(turnId: string): SessionEvent[] {
    return this.events.filter((event) => event.turnId === turnId && isTerminal(event));
  }

  #restart(streams: SessionStreams): void {
    this.#cursor = '';
    this.#texts = new Map();
    this.connect(streams);
  }

  #receive(event: SessionEvent, cursor: string): void {
    if (cursor !== '') this.#cursor = cursor;
    this.events.push(event);
    if (event.kind === EVENT.RESET) this.#texts.delete(event.messageId);
    const { part } = event;
    if (event.kind !== EVENT.DELTA || part === undefined) return;
    if (part.type !== PART.TEXT && part.type !== PART.REASONING) return;
    const message = this.#texts.get(event.messageId) ?? new Map<string, { type: number; text: string }>();
    this.#texts.set(event.messageId, message);
    const known = message.get(part.id) ?? { type: part.type, text: '' };
    message.set(part.id, { type: part.type, text: known.text + (part.content ?? '') });
  }
}
