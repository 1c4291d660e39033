import { textOrEmpty } from '../../../base/index.ts';
import type { ObjectData } from '../../../runtime/contract.ts';
import {
  type ConnectionGrant,
  errorResult,
  type Tool,
  type ToolContext,
  type ToolGrants,
  type ToolResult,
  type ToolSource,
  type ToolWait,
  textResult,
} from '../../../tools/contract.ts';
import type { DelegationBook } from './delegation-book.ts';
import type { DelegatedReply } from './delegation-replies.ts';
import { MAX_WAIT_SECONDS, replyKey, waitSeconds } from './delegation-rules.ts';
import type { PeerPost } from './peer-post.ts';

const MICROS = 1_000_000;
const MESSAGE_CHARS = 1_048_576;
const MAX_ARTIFACTS = 20;
const NAMES = ['agent_open', 'agent_send', 'agent_status', 'agent_wait'] as const;

const TARGET = {
  type: 'string',
  minLength: 1,
  description: 'the conversation, as agent_open answered it; or the name of a connection, for its first conversation',
};

const schema = (properties: Readonly<Record<string, unknown>>, required: readonly string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

/** Lets the session that is given work read artifacts of the session that gives it. */
export type ShareArtifacts = (
  context: ToolContext,
  uris: readonly string[],
  target: { readonly namespace: string; readonly agent: string; readonly sessionId: string },
) => Promise<void>;

/** Objects of artifacts that the session may read. */
export type ArtifactObjects = (context: ToolContext, uris: readonly string[]) => Promise<readonly ObjectData[]>;

/** A task that the session asked for, as tasks show it; undefined when it asked for none of this name. */
export type AwaitTask = (
  context: ToolContext,
  name: string,
) => Promise<
  { readonly isOpen: boolean; readonly key: string; readonly shown: Readonly<Record<string, unknown>> } | undefined
>;

/** What the tools use. */
interface DelegationParts {
  readonly book: DelegationBook;
  readonly post: Pick<PeerPost, 'prepare'>;
  readonly awaitTask: AwaitTask;
  readonly shareArtifacts: ShareArtifacts;
  readonly artifactObjects: ArtifactObjects;
}

/** The tools of agents that have connections to others. */
export const delegationTools = (parts: DelegationParts): ToolSource => {
  const made = new WeakMap<ToolGrants, readonly Tool[]>();
  return {
    name: 'delegation',
    names: NAMES,
    concerns: ({ connections, capabilities }) => connections.length > 0 || (capabilities['tasks'] ?? []).length > 0,
    tools: ({ grants }) => {
      const tools = made.get(grants) ?? toolsFor(parts, grants.connections);
      made.set(grants, tools);
      return Promise.resolve(tools);
    },
  };
};

/** An agent without connections may still wait for the tasks that it has created. */
const toolsFor = (parts: DelegationParts, connections: readonly ConnectionGrant[]): readonly Tool[] =>
  connections.length === 0
    ? [agentWait(parts, connections)]
    : [
        agentOpen(parts.book, connections),
        agentSend(parts, connections),
        agentStatus(parts.book),
        agentWait(parts, connections),
      ];

const agentOpen = (book: DelegationBook, connections: readonly ConnectionGrant[]): Tool => ({
  name: 'agent_open',
  description: [
    'Opens a conversation with another agent, which remembers what was said in it. Answers the name to send to. Connections:',
    ...connections.map(({ name, description }) => `- ${name}${description === '' ? '' : `: ${description}`}`),
  ].join('\n'),
  inputSchema: schema(
    {
      connection: {
        type: 'string',
        enum: connections.map(({ name }) => name),
        description: 'the connection that leads to the agent',
      },
      name: { type: 'string', maxLength: 63, description: 'a name for the conversation; an open one is used again' },
    },
    ['connection'],
  ),
  effect: 'write',
  needsTurn: true,
  run: async (context, input) => {
    const connection = connections.find(({ name }) => name === input['connection']);
    if (connection === undefined) return errorResult('agent_open', 'invalid_arguments', 'there is no such connection');
    const target = await book.open(context, connection, textOrEmpty(input['name']));
    return textResult(JSON.stringify({ target }), { target });
  },
});

const agentSend = (
  { book, post, shareArtifacts, artifactObjects }: DelegationParts,
  connections: readonly ConnectionGrant[],
): Tool => ({
  name: 'agent_send',
  description:
    'Sends a message to another agent, which works on it by itself. Get its reply with agent_wait; without that it arrives later as a message.',
  inputSchema: schema(
    {
      target: TARGET,
      message: { type: 'string', minLength: 1, maxLength: MESSAGE_CHARS, description: 'everything it needs to know' },
      artifact_uris: {
        type: 'array',
        items: { type: 'string' },
        maxItems: MAX_ARTIFACTS,
        description: 'artifacts of this conversation that it may read, or that are sent along to an agent elsewhere',
      },
    },
    ['target', 'message'],
  ),
  effect: 'write',
  needsTurn: true,
  run: async (context, input) => {
    const text = textOrEmpty(input['message']);
    if (text.trim() === '') return errorResult('agent_send', 'invalid_arguments', 'message: must not be blank');
    const target = textOrEmpty(input['target']);
    const uris = Array.isArray(input['artifact_uris']) ? input['artifact_uris'].map(String) : [];
    const outward = await book.outward(context, target, connections);
    if (outward !== undefined) {
      const objects = outward.isSent ? [] : await artifactObjects(context, uris);
      const parts = outward.isSent ? {} : await post.prepare(context, outward.connection, { text, objects });
      return sentResult(await book.send(context, { target, text, ...parts }, connections));
    }
    // What is shared before the message is sent does no harm if the message never is.
    if (uris.length > 0) await shareArtifacts(context, uris, await book.reach(context, target, connections));
    const listed = uris.length === 0 ? text : `${text}\n\nArtifacts:\n${uris.map((uri) => `- ${uri}`).join('\n')}`;
    return sentResult(await book.send(context, { target, text: listed }, connections));
  },
});

const sentResult = (sent: { readonly alias: string; readonly turnId: string }): ToolResult => {
  const shown = { target: sent.alias, turn_id: sent.turnId, state: 'sent' };
  return textResult(JSON.stringify(shown), shown);
};

const agentStatus = (book: DelegationBook): Tool => ({
  name: 'agent_status',
  description:
    'Reports the state of a conversation with another agent: what it is still working on, and replies not read yet.',
  inputSchema: schema({ target: TARGET }, ['target']),
  effect: 'read',
  needsTurn: true,
  run: async (context, input) => {
    const { outstanding, ...view } = await book.view(context, textOrEmpty(input['target']));
    const shown = {
      ...view,
      outstanding: outstanding.map(({ turnId, state, text }) => ({
        turn_id: turnId,
        state,
        ...(state === 'completed' ? {} : { detail: text }),
      })),
    };
    return textResult(JSON.stringify(shown), shown);
  },
});

const agentWait = ({ book, awaitTask }: DelegationParts, connections: readonly ConnectionGrant[]): Tool => ({
  name: 'agent_wait',
  description:
    'Waits until another agent has answered everything that was sent to it, and answers its reply; or until a task of this conversation needs review, is blocked or has ended, and answers the task.',
  inputSchema: schema(
    {
      target: { ...TARGET, description: `${TARGET.description}; or the name of a task` },
      timeout_seconds: {
        type: 'integer',
        minimum: 0,
        maximum: MAX_WAIT_SECONDS,
        description: 'give up waiting after so long; 0 or absent: as the connection says',
      },
    },
    ['target'],
  ),
  effect: 'read',
  needsTurn: true,
  run: async (context, input) => {
    const target = textOrEmpty(input['target']);
    const seconds = Number(input['timeout_seconds'] ?? 0);
    const task = await awaitTask(context, target);
    if (task !== undefined) return waitForTask(context, task, { target, seconds });
    return waitForReplies(book, context, { target, seconds, connections });
  },
});

const waitForTask = (
  { waited, nowMicros }: ToolContext,
  { isOpen, key, shown }: NonNullable<Awaited<ReturnType<AwaitTask>>>,
  { target, seconds }: { readonly target: string; readonly seconds: number },
): ToolResult | ToolWait => {
  if (!isOpen) return textResult(JSON.stringify(shown), shown);
  if (waited?.endedBy === 'steering') {
    const interrupted = { target, state: 'interrupted' };
    return textResult(`a new message arrived; task ${target} is still worked on`, interrupted);
  }
  const untilMicros = waited?.untilMicros ?? nowMicros + waitSeconds(seconds, 0) * MICROS;
  if (waited !== undefined && nowMicros >= untilMicros)
    return errorResult('agent_wait', 'timeout', `task ${target} is still worked on`, true);
  return { wait: 'event', key, untilMicros };
};

const waitForReplies = async (
  book: DelegationBook,
  context: ToolContext,
  wait: { readonly target: string; readonly seconds: number; readonly connections: readonly ConnectionGrant[] },
): Promise<ToolResult | ToolWait> => {
  const { waited } = context;
  const isLate = waited !== undefined && context.nowMicros >= waited.untilMicros;
  const endedBy = waited?.endedBy === 'steering' ? 'steering' : isLate ? 'timeout' : '';
  const { alias: target, connection, replies, open } = await book.take(context, wait.target, endedBy);
  if (open.length === 0) return repliesResult(target, replies);
  if (endedBy === '') {
    const ofConnection = wait.connections.find(({ name }) => name === connection)?.timeoutSeconds ?? 0;
    const latest = context.nowMicros + waitSeconds(wait.seconds, ofConnection) * MICROS;
    return { wait: 'event', key: replyKey(target), untilMicros: waited?.untilMicros ?? latest };
  }
  if (replies.length > 0) return repliesResult(target, [...replies, ...open]);
  if (endedBy === 'steering') {
    const shown = { target, state: 'interrupted' };
    return textResult(`a new message arrived; ${target} is still working`, shown);
  }
  return errorResult('agent_wait', 'timeout', `${target} has not answered yet and is still working`, true);
};

const repliesResult = (target: string, replies: readonly DelegatedReply[]): ToolResult => {
  const shown = { target, replies: replies.map(({ turnId, state, text }) => ({ turn_id: turnId, state, text })) };
  const [only] = replies;
  if (only === undefined) return textResult(`nothing is outstanding in ${target}`, shown);
  if (replies.length > 1) return textResult(replies.map(titled).join('\n\n'), shown);
  if (only.state === 'completed') return textResult(only.text, shown);
  if (only.state === 'asks') return textResult(`${target} waits for an answer by agent_send: ${only.text}`, shown);
  if (only.state === 'expired') return errorResult('agent_wait', 'timeout', `${target}: ${only.text}`);
  return errorResult('agent_wait', 'failed', `${target} did not answer: ${only.text}`);
};

const titled = ({ state, text }: DelegatedReply, index: number): string => `[${index + 1}, ${state}]\n${text}`;
