import type { JsonObject } from '@bufbuild/protobuf';
import { commentOn, fieldsOf } from '@svc/api/descriptions';
import type { Caller, Role } from '../../../auth/contract.ts';
import { MessageSchemas, type UnaryOperation } from '../../../operations/index.ts';
import type { McpTool, McpToolResult } from '../../../protocols/mcp-server/contract.ts';
import type { CallFacts, OperationCalls } from './operation-calls.ts';

/** Operations as tools: each that some grant of the caller is enough for; where it reaches is checked when it is called. */

const RANK: Readonly<Record<Role, number>> = { viewer: 0, operator: 1, admin: 2 };
/** What an operation is that changes nothing. */
const READS = /^(Get|List|Read|Search)|^(WhoAmI|ReportUsage)$/;

/** `list_agents` of `ListAgents`. */
const toolName = (method: string): string => method.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();

const mayUse = ({ access: { need } }: UnaryOperation, { grants }: Caller): boolean => {
  if (need === 'callback') return false;
  return need === 'any' || grants.some(({ role }) => RANK[role] >= RANK[need]);
};

const tools = new WeakMap<UnaryOperation, McpTool>();

const toolOf = (operation: UnaryOperation): McpTool => {
  const known = tools.get(operation);
  if (known !== undefined) return known;
  const { method } = operation;
  const book = new MessageSchemas('#/$defs/');
  const described = new Map(fieldsOf(method.input).map((field) => [field.name, field]));
  const properties: Record<string, unknown> = {};
  for (const field of method.input.fields) {
    const text = described.get(field.jsonName)?.text ?? '';
    properties[field.jsonName] = { ...book.field(field), ...(text === '' ? {} : { description: text }) };
  }
  const required = [...described.values()].filter(({ isRequired }) => isRequired).map(({ name }) => name);
  const made: McpTool = {
    name: toolName(method.name),
    description: commentOn(method) || method.name,
    inputSchema: { type: 'object', properties, required, additionalProperties: false, $defs: book.schemas },
    isReadOnly: READS.test(method.name),
  };
  tools.set(operation, made);
  return made;
};

/** The operations that the caller may use, as tools. */
export const operationTools = (calls: OperationCalls, caller: Caller): readonly McpTool[] =>
  [...calls.all.values()].filter((operation) => mayUse(operation, caller)).map(toolOf);

/** Calls the operation behind a tool; undefined when there is none that the caller may use. */
export const callOperationTool = async (
  calls: OperationCalls,
  tool: { readonly name: string; readonly input: Readonly<Record<string, unknown>> },
  facts: CallFacts,
): Promise<McpToolResult | undefined> => {
  const found = [...calls.all.values()].find(({ method }) => toolName(method.name) === tool.name);
  if (found === undefined || !mayUse(found, facts.context.caller)) return undefined;
  const answer = await calls.run(found.method.name, tool.input as JsonObject, facts);
  return { text: JSON.stringify(answer), structured: answer, isError: false };
};
