import type {
  McpCall,
  McpFailureKind,
  McpQuestion,
  McpReply,
  McpResult,
  McpTool,
} from '../../../../protocols/mcp/contract.ts';
import { McpFailure } from '../../../../protocols/mcp/contract.ts';
import {
  errorResult,
  type Tool,
  type ToolAnswer,
  type ToolContext,
  type ToolErrorCode,
  type ToolResult,
  type ToolWait,
} from '../../../../tools/contract.ts';
import { declined, isDeclined, type SignInPort } from './sign-in-tools.ts';
import type { RemoteName } from './tool-name-rules.ts';

/** A tool of a server that an agent may use. */
export interface RemoteTool extends RemoteName {
  readonly described: McpTool;
  /** For a server that people sign in to. */
  readonly signIn?: SignInPort;
  call(call: McpCall): ReturnType<CallServer>;
}

type CallServer = (call: McpCall) => Promise<{ readonly result: McpResult } | { readonly question: McpQuestion }>;

/** Time of a call without a sign of progress. */
const CALL_MS = 60_000;
/** Longest description that models read. */
const DESCRIPTION_MAX = 4_000;
/** Longest schema, as JSON; of a longer one only that the input is an object is said. */
const SCHEMA_CHARACTERS_MAX = 64 * 1024;
/** Longest question of a server that people see. */
const QUESTION_MAX = 4_000;

const ANY_OBJECT: Tool['inputSchema'] = { type: 'object' };

/** The key by which a server recognises a call that is made again. */
const KEY_META = 'svc/idempotency-key';

/** The tool as models see it. */
export const toolOf = (name: string, remote: RemoteTool): Tool => {
  const { server, tool, described } = remote;
  return {
    name,
    description: described.description.slice(0, DESCRIPTION_MAX).toWellFormed(),
    inputSchema: schemaOf(described),
    effect: described.isReadOnly ? 'read' : 'external',
    timeoutMs: CALL_MS,
    capability: { name: 'mcp', action: `${server}/${tool}`, granted: 'always' },
    run: (context, input) => runTool({ name, remote }, context, input),
  };
};

const schemas = new WeakMap<McpTool, Tool['inputSchema']>();

/** The same object for the same tool of a list, for whose sake a check is compiled. */
const schemaOf = (described: McpTool): Tool['inputSchema'] => {
  const known = schemas.get(described);
  if (known !== undefined) return known;
  const { inputSchema } = described;
  const schema = JSON.stringify(inputSchema).length > SCHEMA_CHARACTERS_MAX ? ANY_OBJECT : inputSchema;
  schemas.set(described, schema);
  return schema;
};

const runTool = async (
  { name, remote }: { readonly name: string; readonly remote: RemoteTool },
  context: ToolContext,
  input: McpCall['input'],
): Promise<ToolResult | ToolWait> => {
  const { signal, progress, idempotencyKey, traceHeaders = {}, answers } = context;
  if (isDeclined(answers)) return declined(name, remote.server);
  try {
    const outcome = await remote.call({
      tool: remote.tool,
      input,
      meta: { ...traceHeaders, [KEY_META]: idempotencyKey },
      signal,
      progress,
      reply: (question) => replyFrom(answers, question),
    });
    return 'question' in outcome ? asking(remote.server, outcome.question) : resultFor(outcome.result);
  } catch (error) {
    if (remote.signIn !== undefined && (await remote.signIn.mends(error))) return remote.signIn.ask(name, context);
    if (!(error instanceof McpFailure)) throw error;
    const [code, isRetryable] = CODES[error.kind];
    return errorResult(name, code, error.message, isRetryable);
  }
};

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

/** What a person answered to the question in an earlier run of the call. */
const replyFrom = (answers: readonly ToolAnswer[], question: McpQuestion): McpReply | undefined => {
  const answer = answers.find(({ key }) => key === question.key);
  if (answer === undefined) return undefined;
  const { decision, value } = answer;
  if (decision !== 'accepted') return { action: 'decline' };
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return { action: 'accept', content: isObject ? (value as Readonly<Record<string, unknown>>) : {} };
};

const asking = (server: string, { key, message, schema }: McpQuestion): ToolWait => ({
  wait: 'person',
  question: {
    key,
    kind: 'input',
    prompt: `MCP server ${server} asks: ${message.slice(0, QUESTION_MAX).toWellFormed()}`,
    schema,
  },
});

const resultFor = ({ content, structured, isError }: McpResult): ToolResult => ({
  content: content.map((one) =>
    one.type === 'text'
      ? { type: 'text', text: one.text.toWellFormed() }
      : { type: 'media', mediaType: one.mediaType, filename: one.name, bytes: one.bytes },
  ),
  isError,
  ...(structured === undefined ? {} : { structured }),
});
