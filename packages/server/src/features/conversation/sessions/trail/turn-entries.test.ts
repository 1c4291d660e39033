import { describe, expect, it } from 'vitest';
import { PART, type Part } from '../../../../runtime/contract.ts';
import { turnEntries } from './turn-entries.ts';

const turn = { id: 't1', namespace: 'acme', agent: 'helper', sessionId: 's1' };
const of = { namespace: 'acme', agent: 'helper', sessionId: 's1' };

const part = (type: Part['type'], createdAt: number, rest: Partial<Part> = {}): Part => ({
  id: String(createdAt).padStart(6, '0'),
  type,
  createdAt,
  ...rest,
});
const usage = (createdAt: number): Part =>
  part(PART.USAGE, createdAt, { payload: { provider: 'demo', model: 'echo', input_tokens: 12, output_tokens: 3 } });
const called = (createdAt: number, id: string, name?: string): Part =>
  part(PART.TOOL_CALL, createdAt, { ...(name === undefined ? {} : { name }), payload: { tool_call_id: id } });

describe('the entries of a turn', () => {
  it('give a model call the time from its first words to its usage, and the calls of tools to the model call', () => {
    const parts = [
      part(PART.REASONING, 10, { content: 'hm' }),
      part(PART.TEXT, 12, { content: 'let me see' }),
      usage(15),
      called(16, 'c1', 'lookup'),
      part(PART.TOOL_RESULT, 20, { content: 'found\n it', payload: { tool_call_id: 'c1' } }),
      usage(30),
    ];
    expect(turnEntries(turn, parts)).toEqual([
      {
        ...of,
        kind: 'model_call',
        id: 't1/1',
        causedBy: 't1',
        at: 10,
        endedAt: 15,
        state: 'answered',
        text: 'demo/echo: 12 tokens in, 3 out',
      },
      {
        ...of,
        kind: 'tool_call',
        id: 'c1',
        causedBy: 't1/1',
        name: 'lookup',
        at: 16,
        endedAt: 20,
        state: 'succeeded',
        text: 'found it',
      },
      {
        ...of,
        kind: 'model_call',
        id: 't1/2',
        causedBy: 't1',
        at: 30,
        endedAt: 30,
        state: 'answered',
        text: 'demo/echo: 12 tokens in, 3 out',
      },
    ]);
  });

  it('show a tool call before any model call as one of the turn, open without a result and failed with an error', () => {
    const failed = part(PART.TOOL_RESULT, 9, { payload: { tool_call_id: 'c2', is_error: true } });
    expect(turnEntries(turn, [called(5, 'c1'), called(6, 'c2', 'dig'), failed])).toEqual([
      { ...of, kind: 'tool_call', id: 'c1', causedBy: 't1', name: '', at: 5, state: 'open' },
      { ...of, kind: 'tool_call', id: 'c2', causedBy: 't1', name: 'dig', at: 6, endedAt: 9, state: 'failed', text: '' },
    ]);
  });

  it('show what people were asked, with their decision or as pending', () => {
    const asked = (createdAt: number, id: string, content?: string): Part =>
      part(PART.REQUEST_PERMISSION, createdAt, {
        ...(content === undefined ? {} : { content }),
        payload: { request_id: id, kind: 'tool' },
      });
    const decided = part(PART.PERMISSION_RESULT, 40, {
      payload: { request_id: 'r1', decision: 'ALLOWED', decided_by: 'ann' },
    });
    expect(turnEntries(turn, [asked(30, 'r1', 'Dig?'), asked(31, 'r2'), decided])).toEqual([
      {
        ...of,
        kind: 'request',
        id: 'r1',
        causedBy: 't1',
        name: 'tool',
        text: 'Dig?',
        at: 30,
        endedAt: 40,
        state: 'ALLOWED',
        reason: 'ann',
      },
      { ...of, kind: 'request', id: 'r2', causedBy: 't1', name: 'tool', text: '', at: 31, state: 'PENDING' },
    ]);
  });

  it('show compactions, and nothing of the parts that say nothing of the way', () => {
    const parts = [part(PART.COMPACTION, 7), part(PART.IMAGE, 8), part(PART.ERROR, 9, { content: 'oh' })];
    expect(turnEntries(turn, parts)).toEqual([
      { ...of, kind: 'compaction', id: 't1/compaction/000007', causedBy: 't1', at: 7, state: 'done' },
    ]);
  });

  it('say nothing in place of what a usage does not name', () => {
    const [entry] = turnEntries(turn, [part(PART.USAGE, 3)]);
    expect(entry?.text).toBe('/:  tokens in,  out');
  });
});
