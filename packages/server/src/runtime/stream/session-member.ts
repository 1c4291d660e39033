import { Fault } from '../../base/index.ts';
import { Member, type Reader } from '../../streams/index.ts';
import { EVENT, PART, SEQUENCE_BASE, type SessionEvent } from '../contract.ts';
import type { SessionHub } from './session-hub.ts';

export interface MemberRules {
  readonly untilDone: boolean;
  /** Only events of this turn; '' = all. */
  readonly turnId: string;
  readonly batch: boolean;
}

/** One session on one stream. */
export class SessionMember extends Member<SessionEvent, SessionHub> {
  readonly #rules: MemberRules;

  constructor(reader: Reader<SessionEvent>, hub: SessionHub, rules: MemberRules) {
    super(reader, hub);
    this.#rules = rules;
  }

  get turnId(): string {
    return this.#rules.turnId;
  }

  override deliver(event: SessionEvent): void {
    const { turnId, untilDone } = this.#rules;
    if (turnId !== '' && event.turnId !== turnId) return;
    super.deliver(event);
    const isEnd = event.kind === EVENT.DONE || event.kind === EVENT.ERROR;
    if (isEnd && (untilDone || turnId !== '')) this.finish();
  }

  override fail(error: unknown): void {
    const isGone = error instanceof Fault && error.reason === 'SESSION_NOT_FOUND';
    if (isGone) this.deleted(error);
    else super.fail(error);
  }

  /** The session was deleted: the stream's end, or in a batch an ERROR of this session only. */
  deleted(fault: Fault): void {
    if (this.left) return;
    if (!this.#rules.batch) {
      this.reader.end(fault);
      return;
    }
    super.deliver(deletedEvent(this.hub, this.follow.position));
    this.finish();
  }
}

const deletedEvent = (hub: SessionHub, position: number): SessionEvent => {
  const sequence = Number.isNaN(position) ? 0 : position + 1;
  const timestamp = hub.now();
  const reason = 'session_deleted';
  return {
    namespace: hub.feed.namespace,
    agent: hub.feed.agent,
    sessionId: hub.sessionId,
    turnId: '',
    messageId: '',
    kind: EVENT.ERROR,
    part: {
      id: '000000',
      type: PART.ERROR,
      content: 'Error: the session was deleted.',
      payload: { reason, code: 'NOT_FOUND', retryable: false },
      createdAt: timestamp,
    },
    attempt: 1,
    fence: Math.floor(sequence / SEQUENCE_BASE),
    sequence,
    units: 1,
    timestamp,
    reason,
  };
};
