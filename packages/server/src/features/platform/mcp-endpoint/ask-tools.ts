import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { textOrEmpty } from '../../../base/index.ts';
import type { McpOfferedCall, McpTask, McpTool, McpToolResult } from '../../../protocols/mcp-server/contract.ts';
import { EVENT, PART, type SessionEvent } from '../../../runtime/contract.ts';
import type { Sink } from '../../../streams/index.ts';
import type { CallFacts } from './operation-calls.ts';
import { type TaskPlace, turnTask } from './turn-tasks.ts';

/** `ask_<agent>`: a message to an agent and its reply, for clients that know tools only. */

const PREFIX = 'ask_';
const WAIT_SECONDS = 60;
const MAX_WAIT_SECONDS = 300;
/** The same for a caller who sees the reply grow and takes a task for the rest of it. */
const WATCHED_SECONDS = 20;
const ENDS: ReadonlySet<unknown> = new Set(['completed', 'failed', 'stopped']);
/** Agents that are offered at most. */
const AGENTS = 200;

const INPUT: McpTool['inputSchema'] = {
  type: 'object',
  properties: {
    message: { type: 'string', minLength: 1, description: 'what to say to the agent' },
    session_id: {
      type: 'string',
      description: 'the conversation to continue; absent: a new one, whose id the answer has',
    },
    wait_seconds: {
      type: 'integer',
      minimum: 0,
      maximum: MAX_WAIT_SECONDS,
      default: WAIT_SECONDS,
      description: 'how long to wait for the reply; after that the agent still works on it',
    },
  },
  required: ['message'],
  additionalProperties: false,
};

const objectOf = (value: JsonValue | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};

const listOf = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.map(objectOf) : [];

/** One tool for each agent of the namespace that the caller sees. */
export const askTools = async ({ calls, namespace }: TaskPlace, facts: CallFacts): Promise<readonly McpTool[]> => {
  const { agents } = await calls.run('ListAgents', { ns: namespace, pageSize: AGENTS }, facts);
  return listOf(agents).map((entry) => {
    const metadata = objectOf(entry['metadata']);
    const spec = objectOf(entry['spec']);
    const name = textOrEmpty(metadata['name']);
    const card = objectOf(objectOf(spec['a2a'])['agentCard']);
    const about = textOrEmpty(card['description']);
    const description = `Sends a message to the agent ${name} and answers its reply.${about === '' ? '' : ` ${about}`}`;
    return { name: `${PREFIX}${name}`, description, inputSchema: INPUT, isReadOnly: false, mayBeTask: true };
  });
};

/** Asks the agent that the tool names, by a task where the caller takes one; undefined for other tools. */
export const callAskTool = async (
  place: TaskPlace,
  call: McpOfferedCall,
  facts: CallFacts,
): Promise<McpToolResult | { readonly task: McpTask } | undefined> => {
  if (!call.name.startsWith(PREFIX)) return undefined;
  const names = { ns: place.namespace, agent: call.name.slice(PREFIX.length) };
  const message = textOrEmpty(call.input['message']);
  const sessionId = textOrEmpty(call.input['session_id']) || (await newSession(place, names, facts));
  const key = { ...names, sessionId };
  const waitSeconds = waitOf(call);
  const shown =
    call.progress === undefined || waitSeconds === 0
      ? undefined
      : follow(place, key, { tell: call.progress, signal: call.signal });
  try {
    await shown?.opened;
    const sent = await place.calls.run('SendMessage', { ...key, message, waitSeconds }, facts);
    const result = replyResult(sent, sessionId);
    if (call.asTask === 'never' || (call.asTask === 'may' && isOver(result))) return result;
    const task = await turnTask(place, textOrEmpty(sent['turnId']), facts);
    // A caller who may send but not read gets what there is to say without reading.
    return task === undefined ? result : { task };
  } finally {
    await shown?.end();
  }
};

/** Tasks have no progress: who wants to see it gets a while of it, and a task after that. */
const waitOf = ({ input, asTask, progress }: McpOfferedCall): number => {
  const shortest = progress === undefined || asTask === 'must' ? 0 : WATCHED_SECONDS;
  const wanted = Number(input['wait_seconds'] ?? (asTask === 'never' ? WAIT_SECONDS : shortest)) || 0;
  return Math.min(wanted, MAX_WAIT_SECONDS);
};

const isOver = ({ structured }: McpToolResult): boolean => ENDS.has(structured?.['state']);

const newSession = async (
  { calls }: TaskPlace,
  names: { readonly ns: string; readonly agent: string },
  facts: CallFacts,
): Promise<string> => {
  const idempotencyKey = facts.idempotencyKey === '' ? '' : `${facts.idempotencyKey}/session`;
  const made = await calls.run('CreateSession', names, { ...facts, idempotencyKey });
  return textOrEmpty(made['sessionId']);
};

const replyResult = (sent: JsonObject, sessionId: string): McpToolResult => {
  const state = textOrEmpty(sent['turnState'])
    .replace(/^TURN_STATE_/, '')
    .toLowerCase();
  const reply = textOrEmpty(sent['reply']);
  const structured = { session_id: sessionId, turn_id: textOrEmpty(sent['turnId']), state, reply };
  const text = state === 'completed' ? reply : JSON.stringify(structured);
  return { text, structured, isError: state === 'failed' };
};

/** Tells the client the text of the session's turns while it is made. */
const follow = (
  { streams }: TaskPlace,
  key: { readonly ns: string; readonly agent: string; readonly sessionId: string },
  to: { readonly tell: (text: string) => void; readonly signal: AbortSignal },
): { readonly opened: Promise<void>; readonly end: () => Promise<void> } => {
  const opened = Promise.withResolvers<void>();
  const control = new AbortController();
  const sink: Sink<SessionEvent> = {
    open: () => opened.resolve(),
    send: ({ kind, part }) => {
      if (kind === EVENT.DELTA && part?.type === PART.TEXT && part.content !== undefined) to.tell(part.content);
      return true;
    },
    together: (work) => work(),
    onDrained: () => undefined,
  };
  const session = { namespace: key.ns, agent: key.agent, sessionId: key.sessionId, after: 'live' };
  const request = { sessions: [session], untilDone: false, turnId: '', batch: false };
  const followed = streams.follow(request, sink, AbortSignal.any([control.signal, to.signal]));
  // A session that cannot be followed cannot be sent to either: that call says why.
  const ended = followed.catch(() => undefined).then(() => opened.resolve());
  return {
    opened: opened.promise,
    end: async () => {
      control.abort();
      await ended;
    },
  };
};
