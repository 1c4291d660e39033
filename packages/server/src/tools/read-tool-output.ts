import { errorResult, type Tool, type ToolContext, textResult } from './contract.ts';

/** Whole text of an earlier result of the session; undefined when there is none. Reads as the session, never beyond it. */
type ToolOutputReader = (
  session: Pick<ToolContext, 'namespace' | 'agent' | 'sessionId' | 'turnId'>,
  toolCallId: string,
) => Promise<string | undefined>;

const NAME = 'read_tool_output';
const DEFAULT_LIMIT = 20_000;
const MAX_LIMIT = 40_000;

/** read_tool_output(tool_call_id, offset, limit): a slice of an output that was cut in the conversation. */
export const createReadToolOutput = (read: ToolOutputReader): Tool => ({
  name: NAME,
  description:
    'Reads more of the output of an earlier tool call in this conversation. offset and limit count characters.',
  inputSchema: {
    type: 'object',
    properties: {
      tool_call_id: { type: 'string', minLength: 1, maxLength: 128, description: 'id named where the output was cut' },
      offset: { type: 'integer', minimum: 0, default: 0, description: 'first character to read' },
      limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
    },
    required: ['tool_call_id'],
    additionalProperties: false,
  },
  effect: 'read',
  needsTurn: true,
  run: async (context, input) => {
    const callId = String(input['tool_call_id']);
    const text = await read(context, callId);
    if (text === undefined) return errorResult(NAME, 'failed', `this session keeps no output of ${callId}`);
    const offset = numberOr(input['offset'], 0);
    const end = wholeEnd(text, Math.min(text.length, offset + numberOr(input['limit'], DEFAULT_LIMIT)));
    if (offset >= text.length && text.length > 0) {
      return errorResult(NAME, 'invalid_arguments', `the output has only ${text.length} characters`);
    }
    const rest = end < text.length ? `; continue at offset ${end}` : '';
    return textResult(`${text.slice(offset, end)}\n[characters ${offset} to ${end} of ${text.length}${rest}]`);
  },
});

const numberOr = (value: unknown, fallback: number): number => (typeof value === 'number' ? value : fallback);

/** Never ends between the halves of a surrogate pair. */
const wholeEnd = (text: string, end: number): number => {
  const unit = text.charCodeAt(end - 1);
  return end < text.length && unit >= 0xd800 && unit <= 0xdbff ? end + 1 : end;
};
