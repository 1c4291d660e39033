import { isUuid, notFound } from '../../../base/index.ts';
import type { PeerPart, PeerTask } from '../../../protocols/a2a/contract.ts';
import { type ObjectData, PART, type Part, parseBody, parsePermission } from '../../../runtime/contract.ts';
import type { ReadTx, TurnRow } from '../../../store/contracts/index.ts';
import { askedParts, replyParts, taskState } from './task-rules.ts';

const MICROS_PER_MS = 1_000;

/** The one artifact of a task. */
export const REPLY = 'reply';

/** Signed links to object bytes. */
export interface ObjectLinks {
  link(namespace: string, object: ObjectData): string;
}

type Reads = Pick<ReadTx, 'log'>;

/** NOT_FOUND of a task, also of one that the caller may not see. */
export const taskNotFound = (taskId: string): Error => notFound('Turn', { turn_id: taskId });

/** The turn of a task of the agent. */
export const turnOf = async (
  tx: Reads,
  names: { readonly ns: string; readonly agent: string },
  taskId: string,
): Promise<TurnRow> => {
  const turn = isUuid(taskId) ? await tx.log.turn(taskId) : undefined;
  if (turn?.namespace !== names.ns || turn.agent !== names.agent) throw taskNotFound(taskId);
  return turn;
};

/** What the turn waits for a person to answer; the oldest of several. */
export const openRequest = async (tx: Reads, turnId: string) =>
  (await tx.log.permissionsOfTurn(turnId)).map(parsePermission).find(({ decision }) => decision === 'PENDING');

/** A turn as its peers see it. */
export const peerTask = async (tx: Reads, turn: TurnRow, links: ObjectLinks): Promise<PeerTask> => {
  const body = parseBody(turn);
  const asked = await openRequest(tx, turn.id);
  const state = taskState(turn, asked);
  const reply = turn.state === 'COMPLETED' ? await partsOf(tx, turn, body.replyMessageIds.at(-1) ?? '') : [];
  const shown = replyParts(reply).flatMap((part) => peerPart(turn.namespace, part, links));
  const request = await partsOf(tx, turn, turn.userMessageId);
  const micros = Math.max(turn.finishedAt, body.startedAt, body.createdAt ?? 0);
  return {
    id: turn.id,
    contextId: turn.sessionId,
    state,
    statusParts: statusParts(turn, body.error, asked === undefined ? [] : askedParts(asked)),
    atMs: Math.floor(micros / MICROS_PER_MS),
    artifacts: shown.length === 0 ? [] : [{ id: REPLY, parts: shown }],
    request: { id: turn.userMessageId, parts: request.flatMap((part) => peerPart(turn.namespace, part, links)) },
  };
};

const statusParts = (turn: TurnRow, error: string | undefined, asked: readonly PeerPart[]): readonly PeerPart[] => {
  if (turn.state === 'FAILED') return [{ kind: 'text', text: error ?? 'the task failed' }];
  return asked;
};

const partsOf = async (tx: Reads, turn: TurnRow, messageId: string): Promise<readonly Part[]> => {
  const message = await tx.log.message(turn.sessionId, messageId);
  return message === undefined ? [] : (JSON.parse(message.parts) as Part[]);
};

const peerPart = (namespace: string, part: Part, links: ObjectLinks): readonly PeerPart[] => {
  if (part.type === PART.TEXT) return [{ kind: 'text', text: part.content ?? '' }];
  if (part.object === undefined) return [];
  const { mediaType, filename } = part.object;
  return [{ kind: 'url', url: links.link(namespace, part.object), mediaType, filename }];
};
