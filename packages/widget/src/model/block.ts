import type { ChatFile, ChatMessage, ChatPart } from './conversation.ts';
import { type PersonRequest, requestOf } from './person-request.ts';

/** A tool that the agent used. */
export interface ToolUse {
  readonly name: string;
  readonly state: 'running' | 'done' | 'failed' | 'denied';
}

/** What a message shows, in order. */
export type Block =
  | { readonly kind: 'text'; readonly key: string; readonly text: string }
  | { readonly kind: 'reasoning'; readonly key: string; readonly text: string }
  | { readonly kind: 'tool'; readonly key: string; readonly tool: ToolUse }
  | { readonly kind: 'request'; readonly key: string; readonly request: PersonRequest }
  | { readonly kind: 'file'; readonly key: string; readonly partId: string; readonly file: ChatFile }
  | { readonly kind: 'link'; readonly key: string; readonly address: string }
  | { readonly kind: 'note'; readonly key: string }
  | { readonly kind: 'error'; readonly key: string; readonly text: string };

const FILES = new Set(['image', 'audio', 'video', 'file']);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The blocks of a message. Usage, results of tools and answers to requests show in the blocks that they belong to. */
export const blocksOf = (message: ChatMessage): readonly Block[] =>
  message.parts.flatMap((part, index) => blockOf(message, part, `${index}`) ?? []);

const blockOf = (message: ChatMessage, part: ChatPart, key: string): Block | undefined => {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return part.text.trim() === '' ? undefined : { kind: part.type, key, text: part.text };
    case 'tool_call':
      return isAskedAbout(message, part) ? undefined : { kind: 'tool', key, tool: toolOf(message, part) };
    case 'request_permission':
      return { kind: 'request', key, request: requestOf(message, part) };
    case 'error':
      return { kind: 'error', key, text: part.text };
    case 'compaction':
      return { kind: 'note', key };
    default:
      return FILES.has(part.type) ? fileBlock(part, key) : undefined;
  }
};

/** The request says what the tool would do; of a tool that only asks it says everything. */
const isAskedAbout = (message: ChatMessage, call: ChatPart): boolean =>
  message.parts
    .filter((part) => part.type === 'request_permission')
    .filter((part) => part.payload['tool_call_id'] === call.payload['tool_call_id'])
    .map((part) => requestOf(message, part))
    .some(({ state, kind }) => state === 'open' || (kind === 'input' && call.name === 'ask_user'));

const fileBlock = (part: ChatPart, key: string): Block => {
  if (part.file !== undefined) return { kind: 'file', key, partId: part.id, file: part.file };
  return { kind: 'link', key, address: textOf(part.payload['url']) };
};

const toolOf = (message: ChatMessage, call: ChatPart): ToolUse => {
  const id = call.payload['tool_call_id'];
  const result = message.parts.find((part) => part.type === 'tool_result' && part.payload['tool_call_id'] === id);
  return { name: call.name, state: stateOf(message, result) };
};

const stateOf = (message: ChatMessage, result: ChatPart | undefined): ToolUse['state'] => {
  if (result === undefined) return message.isFinished ? 'failed' : 'running';
  const output = result.payload['output'];
  const isDenied = typeof output === 'object' && output !== null && 'code' in output && output.code === 'denied';
  if (isDenied) return 'denied';
  return result.payload['is_error'] === true ? 'failed' : 'done';
};
