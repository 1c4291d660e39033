import { describe, expect, test } from 'vitest';
import { EVENT, PART, type Part, type SessionEvent } from '../../../runtime/contract.ts';
import { ChatChunks, type ChunkOptions } from './chat-chunks.ts';

const options = (more: Partial<ChunkOptions> = {}): ChunkOptions => ({
  links: { link: (namespace, object) => `${namespace}/${object.key}` },
  resetStep: false,
  askedCalls: [],
  insideStep: false,
  ...more,
});

const event = (kind: SessionEvent['kind'], more: Partial<SessionEvent> = {}): SessionEvent => ({
  namespace: 'ns',
  agent: 'a',
  sessionId: 's',
  turnId: 't',
  messageId: 'm1',
  kind,
  attempt: 1,
  fence: 1,
  sequence: 1,
  units: 1,
  timestamp: 1,
  reason: '',
  ...more,
});
const delta = (
  id: number,
  type: Part['type'],
  more: Partial<Part> & { readonly messageId?: string } = {},
): SessionEvent => {
  const { messageId = 'm1', ...part } = more;
  return event(EVENT.DELTA, { messageId, part: { id: String(id).padStart(6, '0'), type, createdAt: 1, ...part } });
};
const text = (id: number, content: string, messageId = 'm1'): SessionEvent =>
  delta(id, PART.TEXT, { content, messageId });
const usage = (id: number, messageId = 'm1'): SessionEvent =>
  delta(id, PART.USAGE, { payload: { total_tokens: 1 }, messageId });
const call = (id: number, callId: string): SessionEvent =>
  delta(id, PART.TOOL_CALL, { name: 'tool', payload: { tool_call_id: callId, input: { x: 1 } } });
const result = (id: number, callId: string, more: object = {}): SessionEvent => {
  const payload = { tool_call_id: callId, output: 'out', is_error: false, truncated: false, ...more };
  return delta(id, PART.TOOL_RESULT, { name: 'tool', content: 'text', payload });
};

const chunksOf = (events: readonly SessionEvent[], more: Partial<ChunkOptions> = {}): string[] => {
  const chunks = new ChatChunks(options(more));
  return events.flatMap((each) => chunks.next(each)).map(({ type, ...rest }) => `${type} ${JSON.stringify(rest)}`);
};
const typesOf = (events: readonly SessionEvent[], more: Partial<ChunkOptions> = {}): string[] =>
  chunksOf(events, more).map((chunk) => chunk.split(' ')[0] ?? '');

describe('chunks of a turn', () => {
  test('a step ends after its tool results, when the model is called again', () => {
    const events = [
      text(0, 'a'),
      usage(1),
      call(2, 'c1'),
      call(3, 'c2'),
      result(4, 'c2'),
      result(5, 'c1'),
      text(6, 'b'),
      usage(7),
      event(EVENT.DONE, { reason: 'completed' }),
    ];
    expect(typesOf(events)).toEqual([
      'start',
      'start-step',
      'text-start',
      'text-delta',
      'text-end',
      'message-metadata',
      'tool-input-available',
      'tool-input-available',
      'tool-output-available',
      'tool-output-available',
      'finish-step',
      'start-step',
      'text-start',
      'text-delta',
      'text-end',
      'message-metadata',
      'finish-step',
      'finish',
    ]);
  });

  test('results tell errors and denials apart', () => {
    const ask = delta(2, PART.REQUEST_PERMISSION, { content: '?', payload: { request_id: 'r', tool_call_id: 'c1' } });
    const denied = { output: { ok: false, code: 'denied', error: 'no' }, is_error: true };
    const failed = { output: { ok: false, code: 'failed', error: 'broke' }, is_error: true };
    const chunks = chunksOf([
      usage(0),
      call(1, 'c1'),
      ask,
      result(3, 'c1', denied),
      call(4, 'c2'),
      result(5, 'c2', failed),
      call(6, 'c3'),
      result(7, 'c3', denied),
    ]);
    expect(chunks.filter((chunk) => chunk.startsWith('tool-output'))).toEqual([
      'tool-output-denied {"toolCallId":"c1"}',
      'tool-output-error {"toolCallId":"c2","errorText":"broke","dynamic":true}',
      'tool-output-error {"toolCallId":"c3","errorText":"no","dynamic":true}',
    ]);
    expect(chunks).toContain('tool-approval-request {"approvalId":"r","toolCallId":"c1"}');
  });

  test('a steered message goes on in the same UI message', () => {
    const types = typesOf([
      text(0, 'a'),
      usage(1),
      text(0, 'b', 'm2'),
      usage(1, 'm2'),
      event(EVENT.DONE, { messageId: 'm2' }),
    ]);
    expect(types.slice(4, 10)).toEqual([
      'text-end',
      'message-metadata',
      'finish-step',
      'data-message',
      'start-step',
      'text-start',
    ]);
    expect(types.filter((type) => type === 'start')).toHaveLength(1);
  });

  test('after a reset the step that was sent whole is not repeated, the broken one is', () => {
    const whole = [text(0, 'first'), usage(1), call(2, 'c1'), result(3, 'c1')];
    const reset = event(EVENT.RESET, { attempt: 2, reason: 'recovered' });
    const chunks = chunksOf([
      ...whole,
      text(4, 'brok'),
      reset,
      ...whole,
      text(4, 'broken'),
      usage(5),
      event(EVENT.DONE),
    ]);
    expect(
      chunks.filter((chunk) => chunk.startsWith('text-delta')).map((chunk) => JSON.parse(chunk.slice(11)).delta),
    ).toEqual(['first', 'brok', 'broken']);
    expect(chunks).toContain('data-reset {"data":{"messageId":"m1","attempt":2},"transient":true}');
    expect(chunks.filter((chunk) => chunk.startsWith('tool-input'))).toHaveLength(1);
  });

  test('clients that know reset-step get it for the broken step only', () => {
    const whole = [text(0, 'first'), usage(1), call(2, 'c1'), result(3, 'c1')];
    const reset = event(EVENT.RESET, { attempt: 2, reason: 'recovered' });
    expect(typesOf([...whole, reset, ...whole, text(4, 'x')], { resetStep: true })).not.toContain('reset-step');
    const broken = typesOf([...whole, text(4, 'x'), reset, ...whole, text(4, 'xy')], { resetStep: true });
    expect(broken.slice(broken.indexOf('reset-step'))).toEqual(['reset-step', 'text-start', 'text-delta']);
  });

  test('a call whose result is missing is shown again after a reset', () => {
    const begun = [text(0, 'first'), usage(1), call(2, 'c1')];
    const reset = event(EVENT.RESET, { attempt: 2, reason: 'recovered' });
    expect(typesOf([...begun, reset, ...begun, result(3, 'c1')], { resetStep: true }).slice(7)).toEqual([
      'reset-step',
      'text-start',
      'text-delta',
      'text-end',
      'message-metadata',
      'tool-input-available',
      'tool-output-available',
    ]);
  });

  test('ends say why', () => {
    expect(chunksOf([event(EVENT.DONE, { reason: 'limit' })]).at(-1)).toBe('finish {"finishReason":"length"}');
    expect(chunksOf([event(EVENT.DONE, { reason: 'refused' })]).at(-1)).toBe(
      'finish {"finishReason":"content-filter"}',
    );
    expect(chunksOf([event(EVENT.DONE, { reason: 'stopped' })]).at(-1)).toBe('abort {"reason":"stopped"}');
    const error = event(EVENT.ERROR, { part: { id: '000000', type: PART.ERROR, content: 'Error: no.', createdAt: 1 } });
    expect(chunksOf([error]).at(-1)).toBe('error {"errorText":"Error: no."}');
  });

  test('waits only when every open call was asked about and none was answered', () => {
    const chunks = new ChatChunks(options());
    const ask = (id: number, callId: string): SessionEvent =>
      delta(id, PART.REQUEST_PERMISSION, { payload: { request_id: `r-${callId}`, tool_call_id: callId } });
    for (const each of [usage(0), call(1, 'c1'), call(2, 'c2'), ask(3, 'c1')]) chunks.next(each);
    expect(chunks.waitsForAnswer).toBe(false);
    chunks.next(result(4, 'c2'));
    expect(chunks.waitsForAnswer).toBe(true);
    chunks.next(delta(5, PART.PERMISSION_RESULT, { payload: { request_id: 'r-c1' } }));
    expect(chunks.waitsForAnswer).toBe(false);
  });
});

describe('parts of a turn', () => {
  const object = { key: 'k1', mediaType: 'image/png' } as NonNullable<Part['object']>;

  test('files are shown by their link, or by the address that they came with', () => {
    const chunks = chunksOf([
      text(0, 'see'),
      delta(1, PART.IMAGE, { object }),
      delta(2, PART.FILE, { payload: { url: 'https://a.test/b.bin' } }),
      delta(3, PART.FILE, { payload: { url: 7 } }),
      delta(4, PART.COMPACTION),
    ]);
    expect(chunks.slice(3)).toEqual([
      'text-delta {"id":"000000","delta":"see"}',
      'text-end {"id":"000000"}',
      'file {"url":"ns/k1","mediaType":"image/png"}',
      'file {"url":"https://a.test/b.bin","mediaType":"application/octet-stream"}',
    ]);
  });

  test('reasoning and text are parts of their own, and so is each part id', () => {
    const chunks = chunksOf([
      delta(0, PART.REASONING, { content: 'h' }),
      delta(0, PART.REASONING, { content: 'm' }),
      text(1, 'a'),
      delta(2, PART.TEXT),
    ]);
    expect(chunks.slice(2)).toEqual([
      'reasoning-start {"id":"000000"}',
      'reasoning-delta {"id":"000000","delta":"h"}',
      'reasoning-delta {"id":"000000","delta":"m"}',
      'reasoning-end {"id":"000000"}',
      'text-start {"id":"000001"}',
      'text-delta {"id":"000001","delta":"a"}',
      'text-end {"id":"000001"}',
      'text-start {"id":"000002"}',
      'text-delta {"id":"000002","delta":""}',
    ]);
  });

  test('a call without input or name has an empty one, and begins the step of an answer without words', () => {
    const bare = delta(0, PART.TOOL_CALL, { payload: { tool_call_id: 'c1' } });
    expect(chunksOf([bare]).slice(1)).toEqual([
      'start-step {}',
      'tool-input-available {"toolCallId":"c1","toolName":"","input":{},"dynamic":true}',
    ]);
  });

  test('a result is its output, else its text, else empty', () => {
    const output = (more: Partial<Part>): string | undefined =>
      chunksOf([call(0, 'c1'), delta(1, PART.TOOL_RESULT, more)]).at(-1);
    expect(output({ payload: { tool_call_id: 'c1', output: [1] }, content: 'text' })).toBe(
      'tool-output-available {"toolCallId":"c1","output":[1],"dynamic":true}',
    );
    expect(output({ payload: { tool_call_id: 'c1' }, content: 'text' })).toBe(
      'tool-output-available {"toolCallId":"c1","output":"text","dynamic":true}',
    );
    expect(output({})).toBe('tool-output-available {"toolCallId":"","output":"","dynamic":true}');
  });

  test.each([
    ['its own words', { output: { error: 'broke' } }, 'broke'],
    ['its output where that is text', { output: 'it broke' }, 'it broke'],
    ['its text where its output is a value', { output: { exit: 1 } }, 'text'],
  ])('a failed call is shown by %s', (_what, more, errorText) => {
    const chunk = chunksOf([call(0, 'c1'), result(1, 'c1', { ...more, is_error: true })]).at(-1) ?? '';
    expect(JSON.parse(chunk.slice('tool-output-error '.length))).toMatchObject({ errorText });
  });

  test('a failed call without text is shown by its output as JSON', () => {
    const payload = { tool_call_id: 'c1', output: { exit: 1 }, is_error: true };
    expect(chunksOf([call(0, 'c1'), delta(1, PART.TOOL_RESULT, { payload })]).at(-1)).toBe(
      'tool-output-error {"toolCallId":"c1","errorText":"{\\"exit\\":1}","dynamic":true}',
    );
  });

  test('a question of another kind is shown as it was asked, and again with its answer', () => {
    const asked = { request_id: 'r1', tool_call_id: 'c1', kind: 'question', choices: ['a', 'b'] };
    const chunks = new ChatChunks(options());
    const all = [
      call(0, 'c1'),
      delta(1, PART.REQUEST_PERMISSION, { payload: asked }),
      delta(2, PART.PERMISSION_RESULT, { payload: { request_id: 'r1', decision: 'ANSWERED' } }),
    ].map((each) => chunks.next(each));
    expect(all.slice(1)).toEqual([
      [{ type: 'data-request', id: 'r1', data: asked }],
      [{ type: 'data-request', id: 'r1', data: { ...asked, decision: 'ANSWERED' } }],
    ]);
    expect(chunks.waitsForAnswer).toBe(false);
  });

  test('a pause ends the text that is open and says that calls wait', () => {
    const chunks = new ChatChunks(options());
    chunks.next(text(0, 'a'));
    expect(chunks.pause()).toEqual([
      { type: 'text-end', id: '000000' },
      { type: 'finish', finishReason: 'tool-calls' },
    ]);
    expect(chunks.pause()).toEqual([{ type: 'finish', finishReason: 'tool-calls' }]);
  });

  test('a client that joins inside of a step gets no second beginning of it, and its denials as such', () => {
    const denied = { output: { code: 'denied', error: 'no' }, is_error: true };
    expect(
      chunksOf([result(3, 'c1', denied), text(4, 'b')], { insideStep: true, askedCalls: ['c1'] }).slice(1),
    ).toEqual([
      'tool-output-denied {"toolCallId":"c1"}',
      'finish-step {}',
      'start-step {}',
      'text-start {"id":"000004"}',
      'text-delta {"id":"000004","delta":"b"}',
    ]);
  });

  test('ends of other reasons are a stop, and an error without words says its reason', () => {
    expect(chunksOf([event(EVENT.DONE, { reason: 'completed' })])).toEqual([
      'start {"messageId":"m1","messageMetadata":{"turnId":"t","sessionId":"s"}}',
      'finish {"finishReason":"stop"}',
    ]);
    expect(chunksOf([event(EVENT.ERROR, { reason: 'model' })]).at(-1)).toBe('error {"errorText":"model"}');
    expect(typesOf([text(0, 'a'), event(EVENT.DELTA), event(EVENT.DONE, { messageId: '' })])).toEqual([
      'start',
      'start-step',
      'text-start',
      'text-delta',
      'text-end',
      'finish-step',
      'finish',
    ]);
  });

  test('usage without numbers is an empty one', () => {
    expect(chunksOf([delta(0, PART.USAGE)]).at(-1)).toBe('message-metadata {"messageMetadata":{"usage":{}}}');
  });
});
