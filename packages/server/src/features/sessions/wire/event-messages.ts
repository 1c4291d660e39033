import { create } from '@bufbuild/protobuf';
import { SessionMessagePartSchema } from '@svc/api/data';
import { type SessionMessagePartEvent, SessionMessagePartEventSchema } from '@svc/api/events';
import { deepFreeze } from '../../../resources/index.ts';
import type { SessionEvent } from '../../../runtime/contract.ts';
import { partMessage } from './part-messages.ts';

/** DONE and RESET carry a part that is there and empty (API-5.1). */
const EMPTY_PART = deepFreeze(create(SessionMessagePartSchema));

/** Wire messages of events: one frozen message per event, shared by every reader so that it is encoded once. */
export class EventMessages {
  readonly #known = new WeakMap<SessionEvent, SessionMessagePartEvent>();

  of(event: SessionEvent, cursor: string): SessionMessagePartEvent {
    const known = this.#known.get(event);
    if (known !== undefined && known.cursor === cursor) return known;
    const message = deepFreeze(eventMessage(event, cursor));
    this.#known.set(event, message);
    return message;
  }
}

const eventMessage = (event: SessionEvent, cursor: string): SessionMessagePartEvent => {
  const message = create(SessionMessagePartEventSchema);
  message.sessionId = event.sessionId;
  message.kind = event.kind as number;
  message.part = event.part === undefined ? EMPTY_PART : partMessage(event.part);
  message.timestamp = BigInt(event.timestamp);
  message.agent = event.agent;
  message.ns = event.namespace;
  message.messageId = event.messageId;
  message.sequence = BigInt(event.sequence);
  message.attempt = event.attempt;
  message.cursor = cursor;
  message.turnId = event.turnId;
  message.reason = event.reason;
  return message;
};
