import { Fault } from '../base/index.ts';
import { type ToolContext, type ToolResult, textResult } from './contract.ts';

/**
 * What tools over stored data have in common: on whose behalf they write, which namespaces they may name, how they answer. Nothing
 * here knows a store; the ancestry of a namespace is handed in.
 */

type Writer = Pick<ToolContext, 'namespace' | 'agent' | 'sessionId' | 'turnId' | 'identity'>;

/** The agent, session and turn in which a tool writes: `namespace/agent/session/turn`. */
const turnPath = ({ namespace, agent, sessionId, turnId }: Omit<Writer, 'identity'>): string =>
  [namespace, agent, sessionId, turnId].join('/');

/** The origin of what a tool writes: the audit record names agent, session and turn in place of a request, and the identity. */
export const toolOrigin = (context: Writer, tool: string) => ({
  requestId: turnPath(context),
  operation: `tools/${tool}`,
  caller: { identity: context.identity },
});

/** The optional argument of tools whose grant may reach namespaces below the agent's own. */
export const NAMESPACE_ARGUMENT = {
  type: 'string',
  minLength: 1,
  maxLength: 253,
  description: 'a namespace below your own, where that is allowed; left out: your own',
} as const;

/**
 * The namespace a call acts in: the agent's own, or the one that its argument `namespace` names when the grant reaches that far.
 * `ancestry` answers a namespace and its ancestors, [] for one that is missing or deleted. Throws PERMISSION_DENIED, with the same
 * text whether or not such a namespace exists.
 */
export const namespaceOf = async (
  context: Pick<ToolContext, 'namespace' | 'reach'>,
  named: unknown,
  ancestry: (namespace: string) => Promise<readonly string[]>,
): Promise<string> => {
  if (typeof named !== 'string' || named === context.namespace) return context.namespace;
  if (context.reach === 'descendants' && (await ancestry(named)).includes(context.namespace)) return named;
  throw new Fault('PERMISSION_DENIED', 'NAMESPACE_OUT_OF_REACH', 'this agent may not use that namespace');
};

/** A result that is one JSON value, for the model as text and for programs as data. */
export const jsonResult = (value: unknown): ToolResult => textResult(JSON.stringify(value), value);

/** Characters (UTF-16 units) of a text that one call answers, unless it asks for fewer or more. */
const PART_DEFAULT = 20_000;
const PART_MAX = 40_000;

/** Arguments of tools that read a text in parts. */
export const PART_ARGUMENTS = {
  offset: { type: 'integer', minimum: 0, default: 0, description: 'first character to read' },
  limit: { type: 'integer', minimum: 1, maximum: PART_MAX, default: PART_DEFAULT },
} as const;

/** The part of a text that a call with `PART_ARGUMENTS` asks for, and where to continue; never ends between the halves of a surrogate pair. */
export const textPart = (text: string, asked: Readonly<Record<string, unknown>>) => {
  const offset = Math.min(numberOf(asked['offset'], 0), text.length);
  const end = wholeEnd(text, Math.min(text.length, offset + numberOf(asked['limit'], PART_DEFAULT)));
  return {
    content: text.slice(offset, end),
    offset,
    total_chars: text.length,
    ...(end < text.length ? { next_offset: end } : {}),
  };
};

const wholeEnd = (text: string, end: number): number =>
  end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end + 1 : end;

/** A time in micros as models read it. */
export const shownTime = (micros: number): string => new Date(Math.floor(micros / 1_000)).toISOString();

/** An argument that the schema bounds, or its default. */
export const numberOf = (value: unknown, fallback: number): number => (typeof value === 'number' ? value : fallback);
