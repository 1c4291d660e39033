import { PART, type Part, type PlacedPart } from '../../contract.ts';
import type { RequestedCall } from './judge-calls.ts';

/** Calls, results and decisions of a turn as its recorded parts tell them; the same in every attempt. */

const callIdOf = (part: Part): string => String(part.payload?.['tool_call_id'] ?? '');

const asCall = (part: Part): RequestedCall => ({
  callId: callIdOf(part),
  name: part.name ?? '',
  input: part.payload?.['input'],
});

/** Calls of the newest model response, and all calls of the turn before it. */
export const batchOf = (
  recorded: readonly PlacedPart[],
): { readonly calls: readonly RequestedCall[]; readonly earlier: readonly RequestedCall[] } => {
  const parts = recorded.map((entry) => entry.part);
  const lastUsage = parts.findLastIndex((part) => part.type === PART.USAGE);
  const isCall = (part: Part): boolean => part.type === PART.TOOL_CALL;
  return {
    calls: parts
      .slice(lastUsage + 1)
      .filter(isCall)
      .map(asCall),
    earlier: parts
      .slice(0, lastUsage + 1)
      .filter(isCall)
      .map(asCall),
  };
};

/** Ids of calls that have a result. */
export const answeredCalls = (recorded: readonly PlacedPart[]): ReadonlySet<string> =>
  new Set(recorded.filter((entry) => entry.part.type === PART.TOOL_RESULT).map((entry) => callIdOf(entry.part)));

/** True while the newest model response has a call without a result: after a crash, only those run. */
export const hasOpenCalls = (recorded: readonly PlacedPart[]): boolean => {
  const done = answeredCalls(recorded);
  return batchOf(recorded).calls.some((call) => !done.has(call.callId));
};

/** Decision on the question about one call. */
export const decisionFor = (
  recorded: readonly PlacedPart[],
  callId: string,
): 'unasked' | 'open' | 'allowed' | 'denied' => {
  const question = recorded.find(
    (entry) => entry.part.type === PART.REQUEST_PERMISSION && callIdOf(entry.part) === callId,
  );
  if (question === undefined) return 'unasked';
  const requestId = question.part.payload?.['request_id'];
  const answer = recorded.find(
    (entry) => entry.part.type === PART.PERMISSION_RESULT && entry.part.payload?.['request_id'] === requestId,
  );
  if (answer === undefined) return 'open';
  return answer.part.payload?.['decision'] === 'PERMISSION_DECISION_ALLOW' ? 'allowed' : 'denied';
};
