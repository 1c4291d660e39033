import { isRecord, textOrEmpty } from '../../base/index.ts';
import type { AgentUpdate, PermissionChoice, PermissionQuestion, ToolUpdate } from './contract.ts';

/**
 * What agents send during a prompt, in our terms. Agents of other versions send more than one knows: what has no meaning here is left out, and
 * nothing here throws.
 */

const CHOICES_MAX = 16;
const NAME_CHARS = 200;
const INPUT_CHARS = 262_144;

const cut = (value: unknown, chars: number): string => textOrEmpty(value).slice(0, chars);

/** A text block as text; other blocks by what names them. */
const blockText = (block: unknown): string => {
  if (!isRecord(block)) return '';
  if (block['type'] === 'text') return textOrEmpty(block['text']);
  if (block['type'] === 'resource_link') return textOrEmpty(block['uri']);
  const { resource } = block;
  return isRecord(resource) ? textOrEmpty(resource['text']) : '';
};

/** Readable output of a tool call: its blocks, the new text of a changed file, else its raw output. */
const outputText = (content: unknown, rawOutput: unknown): string | undefined => {
  const blocks = Array.isArray(content) ? content.filter(isRecord) : [];
  const texts = blocks.map((block) => {
    if (block['type'] === 'content') return blockText(block['content']);
    if (block['type'] === 'diff') return `${textOrEmpty(block['path'])}\n${textOrEmpty(block['newText'])}`;
    return '';
  });
  const joined = texts.filter((text) => text !== '').join('\n');
  if (joined !== '') return joined;
  if (rawOutput === undefined || rawOutput === null) return undefined;
  return typeof rawOutput === 'string' ? rawOutput : JSON.stringify(rawOutput);
};

/** Input as it was given; one that is too large to keep is named instead. */
const boundedInput = (input: unknown): unknown =>
  JSON.stringify(input).length > INPUT_CHARS ? { note: 'the input is too large to keep' } : input;

/** What is said about a tool call; undefined without an id. */
const toolUpdate = (said: unknown): ToolUpdate | undefined => {
  if (!isRecord(said)) return undefined;
  const callId = cut(said['toolCallId'], NAME_CHARS);
  if (callId === '') return undefined;
  const output = outputText(said['content'], said['rawOutput']);
  const text = (key: string): string => cut(said[key], NAME_CHARS);
  return {
    kind: 'tool',
    callId,
    ...(text('name') === '' ? {} : { name: text('name') }),
    ...(text('title') === '' ? {} : { title: text('title') }),
    ...(text('kind') === '' ? {} : { toolKind: text('kind') }),
    ...(text('status') === '' ? {} : { status: text('status') }),
    ...(said['rawInput'] === undefined || said['rawInput'] === null ? {} : { input: boundedInput(said['rawInput']) }),
    ...(output === undefined ? {} : { output }),
  };
};

/** One `session/update`; undefined for what has no meaning here. */
export const agentUpdate = (said: unknown): AgentUpdate | undefined => {
  if (!isRecord(said)) return undefined;
  switch (said['sessionUpdate']) {
    case 'agent_message_chunk':
      return { kind: 'text', text: blockText(said['content']) };
    case 'agent_thought_chunk':
      return { kind: 'reasoning', text: blockText(said['content']) };
    case 'tool_call':
    case 'tool_call_update':
      return toolUpdate(said);
    case 'usage_update': {
      const used = Number(said['used']);
      return Number.isSafeInteger(used) && used >= 0 ? { kind: 'context', usedTokens: used } : undefined;
    }
    default:
      return undefined;
  }
};

/** A question and its choices; undefined for one about nothing. */
export const permissionQuestion = (said: unknown): PermissionQuestion | undefined => {
  if (!isRecord(said)) return undefined;
  const tool = toolUpdate(said['toolCall']);
  if (tool === undefined) return undefined;
  const options = Array.isArray(said['options']) ? said['options'].filter(isRecord) : [];
  const choices = options.slice(0, CHOICES_MAX).map(
    (option): PermissionChoice => ({
      id: cut(option['optionId'], NAME_CHARS),
      name: cut(option['name'], NAME_CHARS),
      kind: cut(option['kind'], NAME_CHARS),
    }),
  );
  return { tool, choices };
};
