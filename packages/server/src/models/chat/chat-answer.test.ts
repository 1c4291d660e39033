import { describe, expect, it } from 'vitest';
import type { Attempt, ContentChunk } from '../attempt.ts';
import { ChatAnswer } from './chat-answer.ts';

type Fields = Readonly<Record<string, unknown>>;

/** An answer, and what it passed on. */
const reading = () => {
  const emitted: ContentChunk[] = [];
  const answer = new ChatAnswer({ emit: (chunk: ContentChunk) => void emitted.push(chunk) } as Attempt);
  const choice = (fields: Fields): void => answer.read(JSON.stringify({ choices: [fields] }));
  const delta = (fields: Fields): void => choice({ delta: fields });
  return { answer, emitted, choice, delta };
};

const call = (providerCallId: string, name: string, inputText: string) => ({
  type: 'call',
  providerCallId,
  name,
  inputText,
});

describe('the events of a chat answer', () => {
  it('pass on reasoning, text and calls, in this order at the end of a server that tells them apart', () => {
    const { answer, emitted, delta, choice } = reading();
    delta({ reasoning_content: 'hm' });
    delta({ content: 'yes' });
    delta({ tool_calls: [{ index: 0, id: 'c1', function: { name: 'look', arguments: '{"a":' } }] });
    delta({ tool_calls: [{ index: 0, function: { arguments: '1}' } }] });
    choice({ delta: {}, finish_reason: 'tool_calls' });
    answer.read('[DONE]');
    expect(emitted).toEqual([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'yes' },
      { type: 'reasoning-end', continuation: { field: 'reasoning_content' } },
      call('c1', 'look', '{"a":1}'),
    ]);
    expect(answer.outcome).toEqual({ kind: 'finish', finish: 'tool_calls', usage: undefined });
  });

  it('take text in parts, refusals and whole messages as text, and nothing of what is none', () => {
    const { answer, emitted, delta, choice } = reading();
    delta({ content: [{ type: 'text', text: 'a' }, 'no part', { type: 'image' }] });
    delta({ content: null, refusal: 'b' });
    choice({ message: { content: 'c' } });
    delta({ content: '' });
    choice({ delta: 'no delta' });
    answer.read(JSON.stringify({ choices: ['no choice'] }));
    answer.read(JSON.stringify({ choices: [] }));
    answer.flush();
    answer.flush();
    expect(emitted).toEqual([{ type: 'text', text: 'abc' }]);
  });

  it('pass on what was said before reasoning continues, and details of reasoning with the field they came in', () => {
    const { answer, emitted, delta } = reading();
    delta({ content: 'first' });
    delta({ reasoning: 'hm', reasoning_details: [{ type: 'encrypted', data: 'x' }] });
    delta({ reasoning_content: 'more', reasoning_details: [{ type: 'encrypted', data: 'y' }] });
    answer.read('[DONE]');
    expect(emitted).toEqual([
      { type: 'text', text: 'first' },
      { type: 'reasoning', text: 'hmmore' },
      {
        type: 'reasoning-end',
        continuation: {
          field: 'reasoning',
          details: [
            { type: 'encrypted', data: 'x' },
            { type: 'encrypted', data: 'y' },
          ],
        },
      },
    ]);
  });

  it('keep details of reasoning that came without any text', () => {
    const { answer, emitted, delta } = reading();
    delta({ reasoning_details: [{ id: 'r1' }] });
    answer.read('[DONE]');
    expect(emitted).toEqual([{ type: 'reasoning-end', continuation: { field: 'reasoning', details: [{ id: 'r1' }] } }]);
  });
});

describe('calls of a chat answer', () => {
  it('without an index begin with a new id and name', () => {
    const { answer, emitted, delta } = reading();
    delta({ tool_calls: [{ id: 'c1', function: { name: 'look', arguments: '{"a"' } }] });
    delta({ tool_calls: [{ function: { arguments: ':1}' } }] });
    delta({ tool_calls: [{ id: 'c2', function: { name: 'dig', arguments: '' } }] });
    answer.read('[DONE]');
    expect(emitted).toEqual([call('c1', 'look', '{"a":1}'), call('c2', 'dig', '{}')]);
  });

  it('without an index and an id begin with each name', () => {
    const { answer, emitted, delta } = reading();
    delta({ tool_calls: [{ function: { name: 'look', arguments: '{}' } }] });
    delta({ tool_calls: [{ function: { name: 'dig', arguments: { deep: true } } }] });
    answer.read('[DONE]');
    expect(emitted).toEqual([call('', 'look', '{}'), call('', 'dig', '{"deep":true}')]);
  });

  it('that all have index 0 are told apart by their ids', () => {
    const { answer, emitted, delta } = reading();
    delta({ tool_calls: [{ index: 0, id: 'c1', function: { name: 'look', arguments: '{"a":1}' } }] });
    delta({ tool_calls: [{ index: 0, id: 'c2', function: { name: 'look', arguments: '{"a":2}' } }] });
    answer.read('[DONE]');
    expect(emitted).toEqual([call('c1', 'look', '{"a":1}'), call('c2', 'look', '{"a":2}')]);
  });

  it('may be told their id and name later, and are left out without a name', () => {
    const { answer, emitted, delta } = reading();
    delta({ tool_calls: [{ index: 0, function: { arguments: '{' } }, { index: 1 }, 'no call'] });
    delta({ tool_calls: [{ index: 0, id: 'c1', function: { name: 'look', arguments: '}' } }] });
    delta({ tool_calls: [{ index: 1, id: 'c2', function: { name: 7 } }] });
    answer.read('[DONE]');
    expect(emitted).toEqual([call('c1', 'look', '{}')]);
  });
});

describe('the end of a chat answer', () => {
  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['max_tokens', 'length'],
    ['content_filter', 'content_filter'],
    ['function_call', 'tool_calls'],
    ['eos', 'stop'],
    ['constructor', 'stop'],
    ['', 'stop'],
    [null, 'stop'],
  ])('says %s as %s', (reason, finish) => {
    const { answer, choice } = reading();
    choice({ delta: { content: 'a' }, finish_reason: reason });
    answer.read('[DONE]');
    expect(answer.outcome).toMatchObject({ kind: 'finish', finish });
  });

  it('is one for calls where the server says stop in spite of them, but keeps another reason', () => {
    const look = { tool_calls: [{ index: 0, id: 'c1', function: { name: 'look', arguments: '{}' } }] };
    const ended = (reason: string) => {
      const { answer, choice } = reading();
      choice({ delta: look, finish_reason: reason });
      answer.read('[DONE]');
      return answer.outcome;
    };
    expect([ended('stop'), ended('length')]).toMatchObject([{ finish: 'tool_calls' }, { finish: 'length' }]);
  });

  it('has the first id and the last usage that can be read, wherever servers put it', () => {
    const usage = { prompt_tokens: 3, completion_tokens: 2 };
    const { answer } = reading();
    answer.read(JSON.stringify({ id: 'req-1', usage }));
    answer.read(JSON.stringify({ id: 'req-2', usage: { prompt_tokens: 9 } }));
    answer.read(JSON.stringify({ id: 7, x_groq: { usage: 'none' } }));
    answer.read('[DONE]');
    expect(answer.outcome).toEqual({
      kind: 'finish',
      finish: 'stop',
      usage: { inputTokens: 3, outputTokens: 2 },
      providerRequestId: 'req-1',
    });
    const other = reading();
    other.answer.read(JSON.stringify({ x_groq: { usage } }));
    other.answer.read('[DONE]');
    expect(other.answer.outcome).toMatchObject({ usage: { inputTokens: 3, outputTokens: 2 } });
  });

  it('is decided once: what comes behind it changes nothing', () => {
    const { answer, emitted, delta } = reading();
    delta({ content: 'a' });
    answer.read('[DONE]');
    const { outcome } = answer;
    delta({ content: 'b' });
    answer.read('{broken');
    answer.end();
    expect([answer.readKnown(Buffer.from('data: {}\n\n')), answer.outcome]).toEqual([false, outcome]);
    expect(emitted).toEqual([{ type: 'text', text: 'a' }]);
  });

  it('without its mark counts once a reason came, and fails without one', () => {
    const whole = reading();
    whole.choice({ delta: { content: 'a' }, finish_reason: 'stop' });
    whole.answer.end();
    expect(whole.answer.outcome).toMatchObject({ kind: 'finish', finish: 'stop' });
    const cut = reading();
    cut.delta({ content: 'a' });
    cut.answer.end();
    expect(cut.answer.outcome).toMatchObject({ kind: 'failure', failure: { errorClass: 'provider_stream' } });
    expect(cut.emitted).toEqual([{ type: 'text', text: 'a' }]);
  });

  it.each([['{broken'], ['[1]'], ['"text"']])(
    'is a failure behind an event that cannot be read, unless a reason came before: %s',
    (data) => {
      const { answer, emitted, delta } = reading();
      delta({ content: 'a' });
      answer.read(data);
      expect(answer.outcome).toEqual({
        kind: 'failure',
        failure: {
          errorClass: 'provider_stream',
          sentence: 'The model provider sent an event that cannot be read.',
        },
      });
      expect(emitted).toEqual([{ type: 'text', text: 'a' }]);
      const later = reading();
      later.choice({ delta: { content: 'a' }, finish_reason: 'stop' });
      later.answer.read(data);
      later.answer.read('[DONE]');
      expect(later.answer.outcome).toMatchObject({ kind: 'finish' });
    },
  );

  it('is what an error event says, with the text before it', () => {
    const { answer, emitted, delta } = reading();
    delta({ content: 'a' });
    answer.read(JSON.stringify({ error: { message: 'too much', code: 'context_length_exceeded' } }));
    expect(answer.outcome).toMatchObject({ kind: 'failure', failure: { errorClass: 'context_overflow' } });
    expect(emitted).toEqual([{ type: 'text', text: 'a' }]);
    const none = reading();
    none.answer.read(JSON.stringify({ error: null, choices: [{ delta: { content: 'b' } }] }));
    expect(none.answer.outcome).toBeUndefined();
  });
});

describe('chunks of a known shape', () => {
  const event = (text: string, rest = ''): string =>
    `{"id":"r","object":"chunk","choices":[{"index":0,"delta":{"content":"${text}"},"finish_reason":null}]${rest}}`;
  const chunk = (text: string): Buffer => Buffer.from(`data: ${event(text)}\n\n`);

  it('are read without a parser once one event had that shape', () => {
    const { answer, emitted } = reading();
    expect(answer.readKnown(chunk('one'))).toBe(false);
    answer.read(event('one'));
    expect(answer.readKnown(chunk(' two'))).toBe(true);
    expect(answer.readKnown(Buffer.from('data: {"other":1}\n\n'))).toBe(false);
    answer.flush();
    expect(emitted).toEqual([{ type: 'text', text: 'one two' }]);
  });

  it.each([
    ['usage', event('one', ',"usage":{"prompt_tokens":1,"completion_tokens":1}')],
    ['two choices', '{"choices":[{"delta":{"content":"one"}},{"delta":{"content":"one"}}]}'],
    ['a reason', '{"choices":[{"delta":{"content":"one"},"finish_reason":"stop"}]}'],
    ['a role', '{"choices":[{"delta":{"role":"assistant","content":"one"}}]}'],
    ['no text', '{"choices":[{"delta":{"content":null}}]}'],
    ['no delta', '{"choices":[{"index":0}]}'],
    ['no choice', '{"choices":["one"]}'],
  ])('are not learned from an event with %s', (_what, data) => {
    const { answer } = reading();
    answer.read(data);
    expect(answer.readKnown(Buffer.from(`data: ${data}\n\n`))).toBe(false);
  });
});
