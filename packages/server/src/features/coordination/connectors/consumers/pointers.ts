import { createHash } from 'node:crypto';
import type { SessionRow, WriteTx } from '../../../../store/contracts/index.ts';

/** How often the use of a pointer is noted, micros. */
const NOTED_EVERY = 86_400_000_000;

/** A conversation of a platform with one agent, through one connector. */
export interface Conversation {
  readonly classUid: string;
  readonly connectorUid: string;
  readonly namespace: string;
  readonly agent: string;
  /** What tells it from other conversations. */
  readonly parts: readonly string[];
}

const hashOf = ({ namespace, agent, parts }: Conversation): string =>
  createHash('sha256')
    .update(JSON.stringify([namespace, agent, ...parts]))
    .digest('hex');

/** The session that takes a message, and whether it was made for it. */
export interface TakenSession {
  readonly sessionId: string;
  readonly session: 'new' | 'existing';
}

/**
 * The session that a conversation continues in; `create` makes one where there is none yet, or the one there was is gone. Ingest takes the
 * messages of a conversation one after the other, so those that arrive at once get the same.
 */
export const sessionOfConversation = async (
  tx: WriteTx,
  conversation: Conversation,
  create: () => Promise<Pick<SessionRow, 'id'>>,
): Promise<TakenSession> => {
  const { connectorUid, classUid, namespace, agent } = conversation;
  const hash = hashOf(conversation);
  const pointer = await tx.connectorPointers.get({ connectorUid, conversation: hash });
  const session = pointer === undefined ? undefined : await tx.log.session(pointer.sessionId);
  const now = tx.steadyNow();
  const row = { connectorUid, conversation: hash, classUid, usedAt: now };
  if (pointer !== undefined && session?.namespace === namespace && session.agent === agent) {
    if (now - pointer.usedAt >= NOTED_EVERY) await tx.connectorPointers.put({ ...row, sessionId: session.id });
    return { sessionId: session.id, session: 'existing' };
  }
  const { id: sessionId } = await create();
  await tx.connectorPointers.put({ ...row, sessionId });
  return { sessionId, session: 'new' };
};
