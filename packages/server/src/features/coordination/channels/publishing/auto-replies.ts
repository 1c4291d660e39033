import { isFault } from '../../../../base/index.ts';
import {
  DONE,
  isPassing,
  type QueueWorker,
  RESOURCES_CHANGED,
  type ReconcileOutcome,
  type WorkItem,
} from '../../../../controllers/contract.ts';
import { oncePerCall } from '../../../../idempotency/index.ts';
import { lineageBelow, type TurnEndHook } from '../../../../runtime/contract.ts';
import type { Bus, Store } from '../../../../store/contracts/index.ts';
import { CHANNEL_LABEL, routeOfSession } from '../routing/index.ts';
import type { ChannelPublishing, Speaker } from './channel-publishing.ts';

/** Queue item that publishes the final text of a turn; key = turn id. */
const REPLY = 'channel.reply';

interface Reply {
  readonly speaker: Speaker;
  readonly content: string;
}

/** Has the final text of a channel's turn published, in the transaction that ends the turn. */
export const createChannelHook = (bus: Pick<Bus, 'publish'>): TurnEndHook => ({
  turnEnded: async (tx, { session, turn, body, replyText }) => {
    if (turn.state !== 'COMPLETED' || session.labels[CHANNEL_LABEL] === undefined || replyText.trim() === '') return;
    const { namespace, agent, id: sessionId } = session;
    const { identity, lineage } = body.cause;
    const cause = { identity, lineage: lineageBelow(lineage, { namespace, agent, turnId: turn.id }) };
    const reply: Reply = { speaker: { namespace, agent, sessionId, turnId: turn.id, cause }, content: replyText };
    const item = { kind: REPLY, key: turn.id, dueAt: tx.steadyNow(), attempts: 0 };
    await tx.queue.put({ ...item, payload: JSON.stringify(reply) });
    tx.afterCommit(() => bus.publish(RESOURCES_CHANGED, {}));
  },
});

const onceKey = ({ turnId }: Speaker): string => `${REPLY}/${turnId}`;

interface AutoRepliesDeps {
  readonly store: Pick<Store, 'write'>;
  readonly publishing: ChannelPublishing;
  /** Replies that mean: publish nothing; in any letter case. */
  readonly silenceTokens: readonly string[];
}

/**
 * Publishes final texts for subscriptions whose reply mode is `auto`, unless the turn published or skipped by itself. A text that the channel
 * refuses (it is closed, or the text is too large) stays in the session, and an event ERROR in the channel says why.
 */
export class AutoReplies implements QueueWorker {
  readonly kinds = [REPLY];
  readonly #deps: AutoRepliesDeps;
  readonly #silence: ReadonlySet<string>;

  constructor(deps: AutoRepliesDeps) {
    this.#deps = deps;
    this.#silence = new Set(deps.silenceTokens.map((token) => token.toLowerCase()));
  }

  async run(item: WorkItem): Promise<ReconcileOutcome> {
    const { speaker, content } = JSON.parse(item.payload) as Reply;
    const { store, publishing } = this.#deps;
    if (this.#silence.has(content.trim().toLowerCase())) return DONE;
    try {
      await store.write(async (tx) => {
        const route = await routeOfSession(tx, speaker);
        if (route?.replyMode !== 'auto' || route.answeredBy === speaker.turnId) return;
        await oncePerCall(tx, onceKey(speaker), () => publishing.publish(tx, speaker, { content, attachments: [] }));
      });
    } catch (error) {
      if (!isFault(error) || isPassing(error)) throw error;
      await store.write((tx) =>
        oncePerCall(tx, onceKey(speaker), async () => {
          await publishing.showRefused(tx, speaker, error);
          return error.reason;
        }),
      );
    }
    return DONE;
  }
}
