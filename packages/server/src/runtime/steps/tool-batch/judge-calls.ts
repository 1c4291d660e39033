import { errorResult, type OfferedTool, type Tool, type ToolResult } from '../../../tools/contract.ts';
import { canonicalJson, isObjectInput } from './call-input.ts';

/** A call as its TOOL_CALL part holds it. */
export interface RequestedCall {
  readonly callId: string;
  readonly name: string;
  readonly input: unknown;
}

export interface JudgeFacts {
  /** Tools offered in this step. */
  readonly offered: readonly OfferedTool[];
  /** A tool that exists but is not offered is denied, any other name is unknown. */
  readonly exists: (name: string) => boolean;
  /** ToolRegistry.validate. */
  readonly validate: (tool: Tool, input: unknown) => readonly string[];
  /** Calls of this turn before the batch, oldest first. */
  readonly earlier: readonly Pick<RequestedCall, 'name' | 'input'>[];
  /** runtime.maxBatchCalls and runtime.maxToolCalls. */
  readonly maxBatchCalls: number;
  readonly maxTurnCalls: number;
}

export type JudgedCall =
  /** `ask`: only after an ALLOW of its permission request. */
  | {
      readonly kind: 'run' | 'ask';
      readonly call: RequestedCall;
      readonly tool: Tool;
      readonly input: Readonly<Record<string, unknown>>;
    }
  /** Answered with this result; runs nothing and charges nothing. */
  | { readonly kind: 'refused'; readonly call: RequestedCall; readonly result: ToolResult };

/** A call that may run, perhaps only after an ALLOW. */
export type RunnableCall = Exclude<JudgedCall, { kind: 'refused' }>;

/** The sixth identical call in a row is refused. */
const MAX_IDENTICAL_CALLS = 5;

/** Decides about every call of a batch before the first one runs; the same calls give the same answer in every attempt. */
export const judgeCalls = (calls: readonly RequestedCall[], facts: JudgeFacts): readonly JudgedCall[] => {
  const tools = new Map(facts.offered.map((offer) => [offer.tool.name, offer]));
  const run = repeatCounter(facts.earlier);
  return calls.map((call, index) => {
    const repeats = run(call);
    const limit = overLimit(index, facts);
    if (limit !== undefined) return refuse(call, 'failed', limit);
    const offer = tools.get(call.name);
    if (offer === undefined) return refuseMissing(call, facts);
    if (offer.approval === 'deny') return refuse(call, 'denied', DENIED);
    const violation = firstViolations(offer.tool, call.input, facts);
    if (violation !== undefined) return refuse(call, 'invalid_arguments', violation);
    if (repeats > MAX_IDENTICAL_CALLS) return refuse(call, 'failed', 'repeated call');
    const input = isObjectInput(call.input) ? call.input : {};
    return { kind: offer.approval === 'ask' ? 'ask' : 'run', call, tool: offer.tool, input };
  });
};

const DENIED = 'this agent may not use the tool';

/** Result of a call that a person denied, or whose question expired or was closed. */
export const deniedResult = (name: string, reason: string): ToolResult => errorResult(name, 'denied', reason);

/** Result of a call that was still open when its turn was stopped. */
export const stoppedResult = (name: string): ToolResult => errorResult(name, 'failed', 'stopped');

const refuse = (
  call: RequestedCall,
  code: 'failed' | 'denied' | 'invalid_arguments' | 'unknown_tool',
  error: string,
): JudgedCall => ({
  kind: 'refused',
  call,
  result: errorResult(call.name, code, error),
});

const refuseMissing = (call: RequestedCall, facts: JudgeFacts): JudgedCall =>
  facts.exists(call.name)
    ? refuse(call, 'denied', DENIED)
    : refuse(call, 'unknown_tool', 'there is no tool of this name');

const overLimit = (index: number, facts: JudgeFacts): string | undefined => {
  if (index >= facts.maxBatchCalls) return `more than ${facts.maxBatchCalls} calls at once`;
  if (facts.earlier.length + index >= facts.maxTurnCalls) return `more than ${facts.maxTurnCalls} calls in this turn`;
  return undefined;
};

const MAX_VIOLATIONS = 5;

const firstViolations = (tool: Tool, input: unknown, facts: JudgeFacts): string | undefined => {
  if (!isObjectInput(input))
    return 'the arguments must be one complete JSON object of at most 256 KiB, nested at most 100 deep';
  const violations = facts.validate(tool, input);
  if (violations.length === 0) return undefined;
  return violations.slice(0, MAX_VIOLATIONS).join('; ');
};

/** Counts how often the same call came in a row, the given one included. */
const repeatCounter = (earlier: JudgeFacts['earlier']): ((call: RequestedCall) => number) => {
  let last = '';
  let count = 0;
  const note = ({ name, input }: Pick<RequestedCall, 'name' | 'input'>): number => {
    const key = `${name} ${canonicalJson(input)}`;
    count = key === last ? count + 1 : 1;
    last = key;
    return count;
  };
  for (const call of earlier.slice(-MAX_IDENTICAL_CALLS)) note(call);
  return note;
};
