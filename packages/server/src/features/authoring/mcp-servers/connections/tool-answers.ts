import type {
  McpFailure,
  McpFailureKind,
  McpQuestion,
  McpReply,
  McpResult,
} from '../../../../protocols/mcp/contract.ts';
import {
  errorResult,
  type ToolAnswer,
  type ToolErrorCode,
  type ToolResult,
  type ToolWait,
} from '../../../../tools/contract.ts';

/** What servers answer and ask, in the words of tools. */

/** Longest question of a server that people see. */
const QUESTION_MAX = 4_000;

const CODES: Readonly<Record<McpFailureKind, readonly [ToolErrorCode, retryable: boolean]>> = {
  connect: ['unavailable', true],
  lost: ['unavailable', true],
  expired: ['unavailable', true],
  refused: ['unavailable', false],
  auth: ['denied', false],
  timeout: ['timeout', true],
  malformed: ['failed', false],
  rejected: ['failed', false],
};

/** The result of a call that could not be made. */
export const failureResult = (name: string, { kind, message }: McpFailure): ToolResult => {
  const [code, isRetryable] = CODES[kind];
  return errorResult(name, code, message, isRetryable);
};

/** What a person answered to the question of that key in an earlier run of the call. */
export const replyFrom = (answers: readonly ToolAnswer[], key: string): McpReply | undefined => {
  const answer = answers.find((one) => one.key === key);
  if (answer === undefined) return undefined;
  const { decision, value } = answer;
  if (decision !== 'accepted') return { action: 'decline' };
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return { action: 'accept', content: isObject ? (value as Readonly<Record<string, unknown>>) : {} };
};

/** The wait for a person whom a server asks. */
export const asking = (server: string, { key, message, schema }: McpQuestion): ToolWait => ({
  wait: 'person',
  question: {
    key,
    kind: 'input',
    prompt: `MCP server ${server} asks: ${message.slice(0, QUESTION_MAX).toWellFormed()}`,
    schema,
  },
});

/** The result of a server as tools answer it. */
export const resultFor = ({ content, structured, isError }: McpResult): ToolResult => ({
  content: content.map((one) =>
    one.type === 'text'
      ? { type: 'text', text: one.text.toWellFormed() }
      : { type: 'media', mediaType: one.mediaType, filename: one.name, bytes: one.bytes },
  ),
  isError,
  ...(structured === undefined ? {} : { structured }),
});
