import { PART, type Part, type PermissionData, type PlacedPart } from './contract.ts';
import { resultPart } from './permission-records.ts';
import { partId } from './turn-record.ts';

const stoppedResult = (call: Part): Omit<Part, 'id' | 'createdAt'> => {
  const name = call.name ?? '';
  const output = { ok: false, tool: name, code: 'failed', error: 'stopped', retryable: false };
  const callId = call.payload?.['tool_call_id'];
  return {
    type: PART.TOOL_RESULT,
    name,
    content: JSON.stringify(output),
    payload: { tool_call_id: callId, output, is_error: true, truncated: false },
  };
};

/**
 * What a turn that ends early adds to its message: the answers to questions that its end closed, then `stopped` results
 * for calls that have none, so that history keeps pairs.
 */
export const closingParts = (
  placed: readonly PlacedPart[],
  messageId: string,
  end: { readonly closed: readonly PermissionData[]; readonly at: number },
): PlacedPart[] => {
  const open = new Map<unknown, Part>();
  for (const { part } of placed) {
    const callId = part.payload?.['tool_call_id'];
    if (part.type === PART.TOOL_CALL) open.set(callId, part);
    else if (part.type === PART.TOOL_RESULT) open.delete(callId);
  }
  let index = placed.filter((entry) => entry.messageId === messageId).length;
  const answers = end.closed.map((data) => resultPart(data, partId(index++)));
  const results = [...open.values()].map((call) => ({
    ...stoppedResult(call),
    id: partId(index++),
    createdAt: end.at,
  }));
  return [...answers, ...results].map((part) => ({ messageId, part }));
};
