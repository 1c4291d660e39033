import { expect } from 'vitest';
import { type Part, type RestCaller, type SessionKey, type SessionReader, textOf } from '../calls/index.ts';
import type { MockModel } from '../mock-model/index.ts';

const WORDS = 12;
const finalText = Array.from({ length: WORDS }, (_, index) => `w${index} `).join('');
/** Three model calls: a batch with an effect that stays, one more call that shows the effect, the text. */
const partTypes = 'USAGE TOOL_CALL TOOL_CALL TOOL_RESULT TOOL_RESULT USAGE TOOL_CALL TOOL_RESULT TEXT USAGE';
const MODEL_CALLS = 3;

/** Agent whose tools leave a trace that can be counted: goals of the session. */
export const createToolAgent = async (rest: RestCaller): Promise<void> =>
  rest.createAgent('worker', {
    features: [{ type: 'toolset', name: 'goals' }],
    capabilities: { goals: ['inspect', 'create'] },
  });

/** Message of a turn with tools; the title makes its model requests and its goal tell themselves apart. */
export const toolMessage = (title: string): string =>
  [
    `turn ${title}`,
    `call create_goal ${JSON.stringify({ objective: `goal of ${title}` })}`,
    'also calculate {"expression":"6*7"}',
    'call list_goals {}',
    `words ${WORDS}`,
  ].join('\n');

const shortType = (part: Part): string => part.partType.replace('SESSION_MESSAGE_PART_TYPE_', '');
const callIdOf = (part: Part): unknown => (JSON.parse(part.payloadJson) as { tool_call_id?: unknown }).tool_call_id;
const comparable = ({ id, partType, content, name, payloadJson }: Part): unknown => ({
  id,
  partType,
  content,
  name,
  payload: payloadJson === '' ? '' : (JSON.parse(payloadJson) as unknown),
});

/** The conversation holds the message and one whole answer, with every call, result and effect once. */
export const expectWholeOnce = async (rest: RestCaller, session: SessionKey, title: string): Promise<void> => {
  const messages = await rest.messages(session);
  expect(messages.map((message) => message.role)).toEqual(['ROLE_USER', 'ROLE_ASSISTANT']);
  expect(textOf(messages[0])).toBe(toolMessage(title));
  const answer = messages[1];
  expect(textOf(answer)).toBe(finalText);
  expect(answer?.labels['svc/message-state']).toBe('complete');
  const parts = answer?.parts ?? [];
  expect(parts.map(shortType).join(' ')).toBe(partTypes);
  const calls = parts.filter((part) => shortType(part) === 'TOOL_CALL').map(callIdOf);
  const results = parts.filter((part) => shortType(part) === 'TOOL_RESULT');
  expect(new Set(calls).size).toBe(calls.length);
  expect(results.map(callIdOf).sort()).toEqual([...calls].sort());
  expect(results.filter((part) => JSON.parse(part.payloadJson).is_error)).toEqual([]);
  const goals = results.at(-1)?.content ?? '';
  expect(goals.split(`goal of ${title}`).length - 1, goals).toBe(1);
};

/** What the reader put together equals what is stored, and no event came twice. */
export const expectSeenWhole = async (rest: RestCaller, session: SessionKey, reader: SessionReader): Promise<void> => {
  const stored = (await rest.messages(session)).filter((message) => message.role === 'ROLE_ASSISTANT');
  const seen = [...reader.shown].map(([id, parts]) => ({ id, parts: parts.map(comparable) }));
  expect(seen).toEqual(stored.map(({ id, parts }) => ({ id, parts: parts.map(comparable) })));
  const sequences = reader.events.map((event) => Number(event.sequence));
  expect(sequences.every((sequence, index) => index === 0 || sequence > sequences[index - 1]!)).toBe(true);
};

/**
 * One crash repeats at most the one model call whose answer was not recorded: what the journal has is never asked for
 * again.
 */
export const expectAskedOnce = (model: MockModel, title: string): void => {
  const requests = model.requestsFor(toolMessage(title)).map((request) => request.results.length);
  expect(new Set(requests)).toEqual(new Set([0, 2, 3]));
  expect(requests.length).toBeLessThanOrEqual(MODEL_CALLS + 1);
};
