import type { ToolAnswer } from '../../../tools/contract.ts';
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

interface Question {
  readonly asked: Part;
  /** The part with the answer; absent while it is open. */
  readonly answer: Part | undefined;
}

const requestIdOf = (part: Part): unknown => part.payload?.['request_id'];

/** Requests of releases before have no kind: they ask for permission. */
const kindOf = (part: Part): unknown => part.payload?.['kind'] ?? 'permission';

const isAllowed = (answer: Part): boolean => answer.payload?.['decision'] === 'PERMISSION_DECISION_ALLOW';

/** Questions about one call in the order in which they were asked. */
const questionsOf = (recorded: readonly PlacedPart[], callId: string): readonly Question[] => {
  const parts = recorded.map((entry) => entry.part);
  return parts
    .filter((part) => part.type === PART.REQUEST_PERMISSION && callIdOf(part) === callId)
    .map((asked) => ({
      asked,
      answer: parts.find((part) => part.type === PART.PERMISSION_RESULT && requestIdOf(part) === requestIdOf(asked)),
    }));
};

/** Decision on the question whether one call may run. */
export const decisionFor = (
  recorded: readonly PlacedPart[],
  callId: string,
): 'unasked' | 'open' | 'allowed' | 'denied' => {
  const question = questionsOf(recorded, callId).find(({ asked }) => kindOf(asked) === 'permission');
  if (question === undefined) return 'unasked';
  if (question.answer === undefined) return 'open';
  return isAllowed(question.answer) ? 'allowed' : 'denied';
};

/** True while a question of any kind about the call has no answer. */
export const hasOpenQuestion = (recorded: readonly PlacedPart[], callId: string): boolean =>
  questionsOf(recorded, callId).some(({ answer }) => answer === undefined);

/** What people answered to the call's own questions, in the order in which it asked. */
export const answersTo = (recorded: readonly PlacedPart[], callId: string): readonly ToolAnswer[] =>
  questionsOf(recorded, callId).flatMap(({ asked, answer }) => {
    const kind = kindOf(asked);
    if (answer === undefined || (kind !== 'input' && kind !== 'sign_in')) return [];
    const { decided_by: decidedBy, comment, answer: value } = answer.payload ?? {};
    return [
      {
        key: String(asked.payload?.['key'] ?? ''),
        kind,
        decision: isAllowed(answer) ? 'accepted' : 'declined',
        ...(value === undefined ? {} : { value }),
        decidedBy: String(decidedBy ?? ''),
        comment: String(comment ?? ''),
      } as const,
    ];
  });
