import { type McpCall, McpFailure, type McpTool } from '../../../../protocols/mcp/contract.ts';
import type { RemoteName, Tool, ToolContext, ToolResult, ToolWait } from '../../../../tools/contract.ts';
import { declined, isDeclined, type SignInPort } from './sign-in-tools.ts';
import { resumeTask, type TaskCall, waitForTask } from './task-calls.ts';
import { taskOfCall } from './task-wait-rules.ts';
import { asking, failureResult, replyFrom, resultFor } from './tool-answers.ts';

/** A tool of a server that an agent may use. */
export interface RemoteTool extends RemoteName, Pick<TaskCall, 'use' | 'queue'> {
  readonly described: McpTool;
  /** For a server that people sign in to. */
  readonly signIn?: SignInPort;
}

/** Time of a call without a sign of progress. */
const CALL_MS = 60_000;
/** Longest description that models read. */
const DESCRIPTION_MAX = 4_000;
/** Longest schema, as JSON; of a longer one only that the input is an object is said. */
const SCHEMA_CHARACTERS_MAX = 64 * 1024;

const ANY_OBJECT: Tool['inputSchema'] = { type: 'object' };

/** The key by which a server recognises a call that is made again. */
const KEY_META = 'svc/idempotency-key';

/** The tool as models see it. */
export const toolOf = (name: string, remote: RemoteTool): Tool => {
  const { server, tool, described } = remote;
  return {
    name,
    description: descriptionOf(described),
    inputSchema: schemaOf(described),
    effect: described.isReadOnly ? 'read' : 'external',
    timeoutMs: CALL_MS,
    capability: { name: 'mcp', action: `${server}/${tool}`, granted: 'always' },
    run: (context, input) => runTool({ name, remote }, context, input),
  };
};

/** What models read of a description. */
export const descriptionOf = ({ description }: McpTool): string => description.slice(0, DESCRIPTION_MAX).toWellFormed();

const schemas = new WeakMap<McpTool, Tool['inputSchema']>();

/** The schema that models get: the same object for the same tool of a list, for whose sake a check is compiled. */
export const schemaOf = (described: McpTool): Tool['inputSchema'] => {
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
  const { server, use, queue } = remote;
  const asTask: TaskCall = { name, server, context, use, queue };
  if (isDeclined(context.answers)) return declined(name, server);
  try {
    const taskId = taskOfCall(context);
    return taskId === undefined ? await begin(remote, asTask, input) : await resumeTask(asTask, taskId);
  } catch (error) {
    const need = await remote.signIn?.needOf(error);
    if (remote.signIn !== undefined && need !== undefined) return remote.signIn.ask(name, context, need);
    if (!(error instanceof McpFailure)) throw error;
    return failureResult(name, error);
  }
};

/** Calls the tool, once more with every answer that a person gave. */
const begin = async (
  { tool, described, server, use }: RemoteTool,
  asTask: TaskCall,
  input: McpCall['input'],
): Promise<ToolResult | ToolWait> => {
  const { signal, progress, idempotencyKey, traceHeaders = {}, answers } = asTask.context;
  const call: McpCall = {
    tool,
    input,
    meta: { ...traceHeaders, [KEY_META]: idempotencyKey },
    signal,
    progress,
    reply: ({ key }) => replyFrom(answers, key),
    asTask: described.needsTask === true,
  };
  const outcome = await use(signal, (connection) => connection.call(call));
  if ('task' in outcome) return waitForTask(asTask, outcome.task);
  return 'question' in outcome ? asking(server, outcome.question) : resultFor(outcome.result);
};
