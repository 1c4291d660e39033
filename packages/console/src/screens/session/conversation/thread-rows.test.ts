import { create } from '@bufbuild/protobuf';
import { MessageRole, SessionMessagePartType, SessionMessageSchema } from '@svc/api/data';
import { describe, expect, it } from 'vitest';
import { isWaiting, plainRows, threadMessages, threadRows, wordsOf } from './thread-rows.ts';

const message = (id: string, parts: readonly { type: SessionMessagePartType; content?: string; payload?: object }[]) =>
  create(SessionMessageSchema, {
    id,
    role: MessageRole.ROLE_ASSISTANT,
    createdAt: 5n,
    parts: parts.map(({ type, content = '', payload }, index) => ({
      id: `00000${index}`,
      partType: type,
      content,
      payloadJson: payload === undefined ? '' : JSON.stringify(payload),
    })),
  });

const { TEXT, REASONING, TOOL_CALL, TOOL_RESULT, USAGE, REQUEST_PERMISSION, PERMISSION_RESULT } =
  SessionMessagePartType;

const kinds = (...messages: ReturnType<typeof message>[]): string[] =>
  threadRows(threadMessages(messages, [])).map(({ kind, key }) => `${kind} ${key}`);

describe('rows of a thread', () => {
  it('put a tool and its result into one card, in the place of the call', () => {
    const rows = threadRows(
      threadMessages(
        [
          message('m1', [
            { type: TEXT, content: 'a' },
            { type: TOOL_CALL, payload: { tool_call_id: 'c1' } },
            { type: TOOL_CALL, payload: { tool_call_id: 'c2' } },
            { type: TOOL_RESULT, content: 'two', payload: { tool_call_id: 'c2' } },
          ]),
        ],
        [],
      ),
    );
    expect(rows.map(({ kind }) => kind)).toEqual(['head', 'text', 'tool', 'tool']);
    expect(rows.map((row) => (row.kind === 'tool' ? row.result?.content : '-'))).toEqual(['-', '-', undefined, 'two']);
  });

  it('join a request with its answer', () => {
    const rows = threadRows(
      threadMessages(
        [
          message('m1', [
            { type: REQUEST_PERMISSION, payload: { request_id: 'r1' } },
            { type: PERMISSION_RESULT, payload: { request_id: 'r1', decision: 'allow' } },
            { type: REQUEST_PERMISSION, payload: { request_id: 'r2' } },
          ]),
        ],
        [],
      ),
    );
    expect(rows.map((row) => (row.kind === 'request' ? row.answer !== undefined : '-'))).toEqual(['-', true, false]);
  });

  it('sum the tokens of all model calls at the end', () => {
    const usage = (input: number, output: number) => ({
      type: USAGE,
      payload: { input_tokens: input, output_tokens: output },
    });
    const rows = threadRows(threadMessages([message('m1', [usage(10, 2), usage(20, 3)])], []));
    expect(rows.at(-1)).toMatchObject({
      kind: 'usage',
      usage: { calls: 2, inputTokens: 30, outputTokens: 5, costMicros: undefined },
    });
  });

  it('keep their keys when a message that grew is stored', () => {
    const stored = message('m1', [{ type: TEXT, content: 'done' }]);
    const live = { id: 'm1', turnId: 't1', role: 'assistant' as const, parts: stored.parts, isFinished: false };
    const growing = threadRows(threadMessages([], [live])).map(({ kind, key }) => `${kind} ${key}`);
    expect(growing).toEqual(kinds(stored));
    expect(growing).toEqual(['head m1 head', 'text m1 000000']);
  });

  it('show a growing message in its place between others', () => {
    const live = { id: 'm2', turnId: 't1', role: 'assistant' as const, parts: [], isFinished: false };
    expect(threadMessages([message('m1', []), message('m3', [])], [live]).map(({ id }) => id)).toEqual([
      'm1',
      'm2',
      'm3',
    ]);
  });

  it('ask for the review of a reply that is held', () => {
    const held = message('m1', [{ type: TEXT, content: 'a' }]);
    held.labels = { 'svc/connector-delivery-status': 'pending_review' };
    expect(kinds(held)).toEqual(['head m1 head', 'text m1 000000', 'review m1 review']);
  });

  it('leave thoughts, tools and counts out of the plain view', () => {
    const rows = threadRows(
      threadMessages(
        [
          message('m1', [
            { type: REASONING, content: 'hm' },
            { type: TEXT, content: 'a' },
            { type: TOOL_CALL, payload: {} },
            { type: USAGE, payload: {} },
          ]),
        ],
        [],
      ),
    );
    expect(plainRows(rows).map(({ kind }) => kind)).toEqual(['head', 'text']);
  });
});

it('waits while one of its questions has no answer', () => {
  const asked = { type: REQUEST_PERMISSION, payload: { request_id: 'r1' } };
  const answered = { type: PERMISSION_RESULT, payload: { request_id: 'r1' } };
  const waits = (...parts: Parameters<typeof message>[1]): boolean[] =>
    threadMessages([message('m1', parts)], []).map(isWaiting);
  expect(waits(asked)).toEqual([true]);
  expect(waits(asked, answered)).toEqual([false]);
  expect(waits({ type: TEXT, content: 'a' })).toEqual([false]);
});

describe('the words of a message', () => {
  it('are its texts', () => {
    const [only] = threadMessages(
      [
        message('m1', [
          { type: TEXT, content: 'a' },
          { type: REASONING, content: 'b' },
          { type: TEXT, content: 'c' },
        ]),
      ],
      [],
    );
    expect(wordsOf(only!)).toBe('a\n\nc');
  });
});
