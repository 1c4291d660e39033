import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { textOrEmpty } from '../../../base/index.ts';
import type { McpTool, McpToolCall, McpToolResult } from '../../../protocols/mcp-server/contract.ts';
import { EVENT, PART, type SessionEvent } from '../../../runtime/contract.ts';
import type { SessionStreams } from '../../../runtime/stream/stream-contract.ts';
import type { Sink } from '../../../streams/index.ts';
import type { CallFacts, OperationCalls } from './operation-calls.ts';

/** `ask_<agent>`: a message to an agent and its reply, for clients that know tools only. */

const PREFIX = 'ask_';
const WAIT_SECONDS = 60;
const MAX_WAIT_SECONDS = 300;
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

/** Where the tools act. */
export interface AskPlace {
  readonly calls: OperationCalls;
  readonly streams: SessionStreams;
  readonly namespace: string;
}

const objectOf = (value: JsonValue | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};

const listOf = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.map(objectOf) : [];

/** One tool for each agent of the namespace that the caller sees. */
export const askTools = async ({ calls, namespace }: AskPlace, facts: CallFacts): Promise<readonly McpTool[]> => {
  const { agents } = await calls.run('ListAgents', { ns: namespace, pageSize: AGENTS }, facts);
  return listOf(agents).map((entry) => {
    const metadata = objectOf(entry['metadata']);
    const spec = objectOf(entry['spec']);
    const name = textOrEmpty(metadata['name']);
    const card = objectOf(objectOf(spec['a2a'])['agentCard']);
    const about = textOrEmpty(card['description']);
    const description = `Sends a message to the agent ${name} and answers its reply.${about === '' ? '' : ` ${about}`}`;
    return { name: `${PREFIX}${name}`, description, inputSchema: INPUT, isReadOnly: false };
  });
};

/** Asks the agent that the tool names; undefined for other tools. */
export const callAskTool = async (
  place: AskPlace,
  call: McpToolCall,
  facts: CallFacts,
): Promise<McpToolResult | undefined> => {
  if (!call.name.startsWith(PREFIX)) return undefined;
  const names = { ns: place.namespace, agent: call.name.slice(PREFIX.length) };
  const message = textOrEmpty(call.input['message']);
  const sessionId = textOrEmpty(call.input['session_id']) || (await newSession(place, names, facts));
  const waitSeconds = Math.min(Number(call.input['wait_seconds'] ?? WAIT_SECONDS) || 0, MAX_WAIT_SECONDS);
  const key = { ...names, sessionId };
  const shown =
    call.progress === undefined ? undefined : follow(place, key, { tell: call.progress, signal: call.signal });
  try {
    await shown?.opened;
    const sent = await place.calls.run('SendMessage', { ...key, message, waitSeconds }, facts);
    return replyResult(sent, sessionId);
  } finally {
    await shown?.end();
  }
};

const newSession = async (
  { calls }: AskPlace,
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
  { streams }: AskPlace,
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
