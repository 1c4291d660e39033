import type { JsonObject } from '@bufbuild/protobuf';
import { isFault, isRecord, isUuid, textOrEmpty } from '../../../base/index.ts';
import type { McpTask, McpTaskReply } from '../../../protocols/mcp-server/contract.ts';
import { type Part, parseBody, replyTextOf, type SessionEvent } from '../../../runtime/contract.ts';
import type { SessionStreams } from '../../../runtime/stream/stream-contract.ts';
import type { Store, TurnRow } from '../../../store/contracts/index.ts';
import type { Sink } from '../../../streams/index.ts';
import type { CallFacts, OperationCalls } from './operation-calls.ts';
import { decisionOf, isEnded, requestsOf, taskOfTurn } from './task-rules.ts';

/**
 * Turns as tasks: the id of a task is that of its turn, and all there is to know of it is stored. Each function calls the operations that
 * a caller would, under his grants; of the store it takes only where a turn is, and its reply.
 */

/** Sessions whose turns are one page of the list, and turns of each. */
const SESSIONS = 20;
const TURNS = 10;

export interface TaskPlace {
  readonly calls: OperationCalls;
  readonly streams: SessionStreams;
  readonly store: Pick<Store, 'direct'>;
  readonly namespace: string;
}

interface FoundTurn {
  readonly row: TurnRow;
  readonly turn: JsonObject;
}

/** The turn as its caller may see it. One of another namespace, or that he may not see, is none. */
const find = async (
  { calls, store, namespace }: TaskPlace,
  id: string,
  facts: CallFacts,
): Promise<FoundTurn | undefined> => {
  const row = isUuid(id) ? await store.direct.log.turn(id) : undefined;
  if (row?.namespace !== namespace) return undefined;
  try {
    const { turn } = await calls.run('GetTurn', { ...namesOf(row), turnId: id }, facts);
    return isRecord(turn) ? { row, turn: turn as JsonObject } : undefined;
  } catch (error) {
    if (isFault(error) && (error.code === 'NOT_FOUND' || error.code === 'PERMISSION_DENIED')) return undefined;
    throw error;
  }
};

const namesOf = ({ namespace: ns, agent, sessionId }: TurnRow): JsonObject => ({ ns, agent, sessionId });

/** The task of a turn; undefined when there is none of that id. */
export const turnTask = async (place: TaskPlace, id: string, facts: CallFacts): Promise<McpTask | undefined> => {
  const found = await find(place, id, facts);
  return found === undefined ? undefined : taskOfTurn(found.turn, await replyOf(place, found.row));
};

const replyOf = async ({ store }: TaskPlace, row: TurnRow): Promise<string> => {
  if (row.state !== 'COMPLETED') return '';
  const message = await store.direct.log.message(row.sessionId, parseBody(row).replyMessageIds.at(-1) ?? '');
  return message === undefined ? '' : replyTextOf(JSON.parse(message.parts) as Part[]);
};

/** The newest turns of one page of sessions. */
export const turnTasks = async (
  { calls, namespace: ns }: TaskPlace,
  cursor: string,
  facts: CallFacts,
): Promise<{ readonly tasks: readonly McpTask[]; readonly nextCursor: string }> => {
  const wanted = { ns, kind: 'Session', pageSize: SESSIONS, pageToken: cursor };
  const { resources, nextPageToken } = await calls.run('ListResources', wanted, facts);
  const pages = (Array.isArray(resources) ? resources : []).filter((one): one is JsonObject => isRecord(one));
  const tasks = await Promise.all(
    pages.map(async (resource) => {
      const agent = textOrEmpty(objectIn(objectIn(resource, 'spec'), 'session')['agent']);
      const sessionId = textOrEmpty(objectIn(resource, 'metadata')['name']);
      const names = { ns, agent, sessionId, pageSize: TURNS };
      const { turns } = await calls.run('ListTurns', names, facts);
      return (Array.isArray(turns) ? turns : []).map((turn) => taskOfTurn(turn as JsonObject, ''));
    }),
  );
  return { tasks: tasks.flat(), nextCursor: textOrEmpty(nextPageToken) };
};

const objectIn = (value: JsonObject, name: string): JsonObject => {
  const inner = value[name];
  return isRecord(inner) ? (inner as JsonObject) : {};
};

/** Stops the turn; false when there is none. */
export const cancelTurn = async (place: TaskPlace, id: string, facts: CallFacts): Promise<boolean> => {
  const found = await find(place, id, facts);
  if (found === undefined) return false;
  if (!isEnded(taskOfTurn(found.turn, '')))
    await place.calls.run('StopSessionGeneration', { ...namesOf(found.row), turnId: id }, facts);
  return true;
};

/** Answers requests of the turn; false when there is none. An answer to what is not open any more changes nothing. */
export const answerTurn = async (
  place: TaskPlace,
  { id, replies }: { readonly id: string; readonly replies: readonly McpTaskReply[] },
  facts: CallFacts,
): Promise<boolean> => {
  const found = await find(place, id, facts);
  if (found === undefined) return false;
  for (const request of requestsOf(found.turn)) {
    const reply = replies.find(({ questionId }) => questionId === request['id']);
    const decision = reply === undefined ? undefined : decisionOf(request, reply);
    if (decision === undefined) continue;
    const names = { ...namesOf(found.row), requestId: textOrEmpty(request['id']) };
    await ignoreClosed(place.calls.run('AnswerPermission', { ...names, ...decision }, facts));
  }
  return true;
};

/** Someone else may have been faster. */
const ignoreClosed = async (work: Promise<unknown>): Promise<void> => {
  try {
    await work;
  } catch (error) {
    if (!(isFault(error) && error.reason === 'PERMISSION_CLOSED')) throw error;
  }
};

const SILENT: Sink<SessionEvent> = { open: () => undefined, send: () => true, onDrained: () => undefined };

/** Resolves once the turn is over, or `signal` aborts. */
export const turnEnded = async (place: TaskPlace, id: string, signal: AbortSignal): Promise<void> => {
  const row = await place.store.direct.log.turn(id);
  if (row === undefined) return;
  const { namespace, agent, sessionId } = row;
  const session = { namespace, agent, sessionId, after: 'live' };
  await place.streams.follow(
    { sessions: [session], untilDone: true, turnId: id, batch: false, isWait: true },
    SILENT,
    signal,
  );
};
