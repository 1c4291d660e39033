import { type DescMessage, type JsonValue, type MessageShape, toJson } from '@bufbuild/protobuf';
import { SessionMessageSchema, TurnSchema } from '@svc/api/data';
import { SessionMessagePartEventSchema } from '@svc/api/events';
import type { SessionEvent } from '../../../runtime/contract.ts';
import type { SessionActivity } from '../../../runtime/stream/stream-contract.ts';
import type { SessionsContext } from './sessions-deps.ts';
import { EventMessages, turnMessage } from './wire/index.ts';

/** One event of the console's stream: `data` is its JSON text. */
export interface ConsoleItem {
  readonly topic: 'session' | 'turn' | 'message';
  readonly namespace: string;
  readonly agent: string;
  readonly sessionId: string;
  readonly data: string;
}

const json = <D extends DescMessage>(schema: D, message: MessageShape<D>): JsonValue =>
  toJson(schema, message, { alwaysEmitImplicit: true });

/** Sessions, turns, messages and parts in the JSON that consoles read (`/v1/ui/events`). */
export class ConsoleSource {
  readonly #context: SessionsContext;
  readonly #events = new EventMessages();

  constructor(context: SessionsContext) {
    this.#context = context;
  }

  /** What the notification is about, as it is now; nothing of a session that is gone. */
  async read(activity: SessionActivity): Promise<readonly ConsoleItem[]> {
    const { namespace, agent, sessionId, turnId, messageId } = activity;
    const names = { namespace, agent, sessionId };
    return await this.#context.store.read(async (tx) => {
      const row = await tx.log.session(sessionId);
      if (row === undefined) return [];
      const queuedTurns = Math.max(0, row.openTurns - (row.activeTurnId === '' ? 0 : 1));
      const session = { ns: namespace, agent, sessionId, state: row.state, queuedTurns };
      const items: ConsoleItem[] = [{ topic: 'session', ...names, data: JSON.stringify(session) }];
      const turn = turnId === '' ? undefined : await tx.log.turn(turnId);
      if (turn !== undefined) {
        const data = JSON.stringify(json(TurnSchema, await turnMessage(tx, turn)));
        items.push({ topic: 'turn', ...names, data });
      }
      const stored = messageId === '' ? undefined : await tx.log.message(sessionId, messageId);
      if (stored !== undefined) {
        const message = json(SessionMessageSchema, this.#context.messages.of(stored));
        items.push({ topic: 'message', ...names, data: JSON.stringify({ ns: namespace, agent, sessionId, message }) });
      }
      return items;
    });
  }

  part(event: SessionEvent, cursor: string): string {
    return JSON.stringify(json(SessionMessagePartEventSchema, this.#events.of(event, cursor)));
  }
}
