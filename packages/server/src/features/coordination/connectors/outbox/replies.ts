import { type Part, replyTextOf, type TurnEndHook } from '../../../../runtime/contract.ts';
import type { MessageRow, SessionRow, WriteTx } from '../../../../store/contracts/index.ts';
import {
  type ConnectorContext,
  channelSubject,
  contextOf,
  newestContext,
  runSubject,
  sessionSubject,
} from '../context/index.ts';
import type { DeliveryBook } from './delivery-book.ts';
import { type Reply, replyDraft } from './delivery-drafts.ts';
import { deliveryLabels, showOnMessage } from './delivery-labels.ts';
import type { Delivery } from './delivery-record.ts';
import { liveConnector } from './live-connector.ts';
import { filesOf, isSilent, replyInOutput } from './reply-rules.ts';

interface RepliesDeps {
  readonly book: DeliveryBook;
  /** Replies that mean: deliver nothing; in any letter case. */
  readonly silenceTokens: readonly string[];
  /** What the platform gets for a failed turn; '' for nothing. */
  readonly errorReplyText: string;
}

/** A message that a session published in the channel that began it. */
export interface PublishedMessage {
  readonly namespace: string;
  readonly channel: string;
  readonly channelUid: string;
  /** The message that began the session. */
  readonly triggerMessageId: string;
  readonly messageId: string;
  readonly agent: string;
  readonly sessionId: string;
  readonly content: string;
  readonly attachments: Reply['attachments'];
}

/** A run that is completed. */
export interface CompletedRun {
  readonly namespace: string;
  readonly workflow: string;
  readonly runId: string;
  readonly output: unknown;
}

/** What became of the reply of a run. */
export interface RepliedRun {
  readonly isSent: boolean;
  /** Why something of the reply, or all of it, is not sent. */
  readonly problems: readonly string[];
}

/** Cause of turns that messages of platforms begin. */
const CAUSE = 'connector';

/**
 * Turns what was said to a platform into deliveries, in the transaction in which it was said. What is delivered, and where, follows from
 * the context of the message that caused it, never from labels or from other messages of the session.
 */
export class Replies implements TurnEndHook {
  readonly #deps: RepliesDeps;

  constructor(deps: RepliesDeps) {
    this.#deps = deps;
  }

  async turnEnded(tx: WriteTx, { session, turn, body, replyText }: Parameters<TurnEndHook['turnEnded']>[1]) {
    if (body.cause.kind !== CAUSE || turn.state === 'STOPPED') return;
    const { namespace, id: sessionId } = session;
    const context = await contextOf(tx, namespace, sessionSubject(sessionId, turn.userMessageId));
    if (context === undefined) return;
    const messageId = body.replyMessageIds.at(-1) ?? '';
    const isFailed = turn.state === 'FAILED';
    const parts = partsOf(isFailed ? undefined : await tx.log.message(sessionId, messageId));
    const text = isFailed ? this.#deps.errorReplyText : replyText;
    const said = { text, attachments: filesOf(parts), isFixed: isFailed };
    const delivery = await this.#reply(tx, context, { ...sessionReply(session, messageId), ...said });
    if (delivery !== undefined) await showOnMessage(tx, delivery);
  }

  /** Delivers an assistant message that a client appended, as a reply to the newest message of a platform; answers its labels. */
  async appended(
    tx: WriteTx,
    { session, message }: { readonly session: SessionRow; readonly message: MessageRow },
  ): Promise<MessageRow['labels']> {
    const context = await newestContext(tx, session.id);
    if (context === undefined) return message.labels;
    const parts = partsOf(message);
    const said = { text: replyTextOf(parts), attachments: filesOf(parts) };
    const delivery = await this.#reply(tx, context, { ...sessionReply(session, message.id), ...said });
    return delivery === undefined ? message.labels : deliveryLabels(message.labels, delivery);
  }

  /** Delivers what a session that an event began published in its channel. */
  async published(tx: WriteTx, message: PublishedMessage): Promise<void> {
    const { namespace, channel, channelUid, triggerMessageId, messageId, agent, sessionId } = message;
    const context = await contextOf(tx, namespace, channelSubject(channelUid, triggerMessageId));
    if (context === undefined) return;
    await this.#reply(tx, context, {
      namespace,
      subject: channelSubject(channelUid, messageId),
      text: message.content,
      attachments: message.attachments,
      isFixed: true,
      source: { kind: 'channel', agent, sessionId, channel, channelUid, channelMessageId: messageId },
    });
  }

  /** Delivers the reply in the output of a run that an event began, as far as it can be delivered. */
  async replyOfRun(tx: WriteTx, { namespace, workflow, runId, output }: CompletedRun): Promise<RepliedRun> {
    const subject = runSubject(runId);
    const context = await contextOf(tx, namespace, subject);
    const reply = replyInOutput(output);
    if (context === undefined || reply === undefined || (await liveConnector(tx, context)).mode === 'none')
      return { isSent: false, problems: [] };
    const problems = [...reply.problems];
    const attachments = [];
    for (const object of reply.attachments) {
      // A run may name any object: only those of its own namespace leave it.
      if (await tx.objects.hasReference(namespace, object.sha256)) attachments.push(object);
      else problems.push(`reply.attachments: ${object.key} is not stored in this namespace`);
    }
    const source = { kind: 'workflow', workflow, runId } as const;
    const said = { namespace, subject, text: reply.text, attachments, source, isFixed: true };
    return { isSent: (await this.#reply(tx, context, said)) !== undefined, problems };
  }

  async #reply(tx: WriteTx, context: ConnectorContext, reply: Reply): Promise<Delivery | undefined> {
    const said = { ...reply, text: reply.text.trim() };
    if (isSilent(said, this.#deps.silenceTokens)) return undefined;
    const live = await liveConnector(tx, context);
    return live.mode === 'none' ? undefined : this.#deps.book.add(tx, replyDraft(context, live, said));
  }
}

const partsOf = (message: MessageRow | undefined): readonly Part[] =>
  message === undefined ? [] : (JSON.parse(message.parts) as readonly Part[]);

const sessionReply = ({ namespace, agent, id: sessionId }: SessionRow, messageId: string) => ({
  namespace,
  subject: sessionSubject(sessionId, messageId),
  source: { kind: 'session', agent, sessionId, messageId } as const,
});
