import { PART, type Part } from '../../../../runtime/contract.ts';
import type { TurnRow } from '../../../../store/contracts/index.ts';
import { type TrailEntry, trailText } from '../../../trail-source.ts';

type Owner = Pick<TurnRow, 'id' | 'namespace' | 'agent' | 'sessionId'>;

/** A value of the payload of a part as text; '' where there is none. */
const text = (part: Part, key: string): string => String(part.payload?.[key] ?? '');

/** Model calls, tool calls with their results, requests to people with their answers, and compactions, in the order in which they began. */
export const turnEntries = (turn: Owner, parts: readonly Part[]): readonly TrailEntry[] => {
  const { namespace, agent, sessionId } = turn;
  const begun = { namespace, agent, sessionId, causedBy: turn.id };
  const results = byKey(parts, PART.TOOL_RESULT, 'tool_call_id');
  const answers = byKey(parts, PART.PERMISSION_RESULT, 'request_id');
  let calls = 0;
  let answersSince: number | undefined;
  return parts.flatMap((part): readonly TrailEntry[] => {
    const at = part.createdAt;
    switch (part.type) {
      case PART.TEXT:
      case PART.REASONING:
        answersSince ??= at;
        return [];
      case PART.USAGE: {
        calls += 1;
        const call = {
          ...begun,
          kind: 'model_call',
          id: `${turn.id}/${calls}`,
          state: 'answered',
          text: usageText(part),
        };
        const since = answersSince ?? at;
        answersSince = undefined;
        return [{ ...call, at: since, endedAt: at }];
      }
      case PART.TOOL_CALL: {
        const id = text(part, 'tool_call_id');
        const asked = { ...begun, causedBy: calls === 0 ? turn.id : `${turn.id}/${calls}` };
        return [{ ...asked, kind: 'tool_call', id, name: part.name ?? '', at, ...outcome(results.get(id)) }];
      }
      case PART.REQUEST_PERMISSION: {
        const id = text(part, 'request_id');
        const request = { name: text(part, 'kind'), text: trailText(part.content ?? '') };
        return [{ ...begun, ...request, kind: 'request', id, at, ...decision(answers.get(id)) }];
      }
      case PART.COMPACTION:
        return [{ ...begun, kind: 'compaction', id: `${turn.id}/compaction/${part.id}`, at, state: 'done' }];
      default:
        return [];
    }
  });
};

const byKey = (parts: readonly Part[], type: number, key: string): ReadonlyMap<string, Part> =>
  new Map(parts.filter((part) => part.type === type).map((part) => [text(part, key), part]));

const outcome = (result: Part | undefined): Pick<TrailEntry, 'state' | 'endedAt' | 'text'> => {
  if (result === undefined) return { state: 'open' };
  const state = result.payload?.['is_error'] === true ? 'failed' : 'succeeded';
  return { state, endedAt: result.createdAt, text: trailText(result.content ?? '') };
};

const decision = (answer: Part | undefined): Pick<TrailEntry, 'state' | 'endedAt' | 'reason'> =>
  answer === undefined
    ? { state: 'PENDING' }
    : { state: text(answer, 'decision'), endedAt: answer.createdAt, reason: text(answer, 'decided_by') };

const usageText = (part: Part): string =>
  `${text(part, 'provider')}/${text(part, 'model')}: ${text(part, 'input_tokens')} tokens in, ${text(part, 'output_tokens')} out`;
