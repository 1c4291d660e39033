import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { AppUnderTest, gate, reasonOf } from './testing/index.ts';

const app = AppUnderTest.ofSuite();
const { rest } = app;
beforeAll(async () => {
  await rest.ok('POST /v1/ns/default/agents', { name: 'helper' });
  const goals = [{ action: 'create', approval: 'ask' }];
  const spec = { capabilities: { goals }, features: [{ type: 'toolset', name: 'goals' }] };
  await rest.ok('POST /v1/ns/default/agents', { name: 'asking', spec });
});

interface Chunk {
  readonly type: string;
  readonly [member: string]: unknown;
}

const ui = (session: string): string => session.replace('/v1/', '/v1/ui/');
const user = (text: string): object => ({ id: 'u', role: 'user', parts: [{ type: 'text', text }] });

const open = (session: string, body: object, query = ''): Promise<Response> =>
  rest.fetch(`${ui(session)}${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** All chunks; the last line must be `[DONE]`. */
const chunksOf = async (answer: Response): Promise<Chunk[]> => {
  const lines = (await answer.text()).split('\n').filter((line) => line.startsWith('data: '));
  expect(lines.pop()).toBe('data: [DONE]');
  return lines.map((line) => JSON.parse(line.slice(6)) as Chunk);
};
const chat = async (session: string, text: string, query = ''): Promise<Chunk[]> =>
  chunksOf(await open(session, { messages: [user(text)] }, query));
/** Types in order, pieces of one text told once. */
const types = (chunks: readonly Chunk[]): string[] =>
  chunks.map((chunk) => chunk.type).filter((type, index, all) => !(type.endsWith('-delta') && all[index - 1] === type));
const find = (chunks: readonly Chunk[], type: string): Chunk | undefined => chunks.find((chunk) => chunk.type === type);

const TEXT = ['text-start', 'text-delta', 'text-end'];
const STEP_END = ['message-metadata', 'finish-step'];

describe('the chunks of one turn (API-6)', () => {
  it('plain: start, one step with text and usage, finish', async () => {
    const session = await rest.session('helper');
    const answer = await open(session, { messages: [user('hi')] });
    expect(answer.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    const chunks = await chunksOf(answer);
    expect(types(chunks)).toEqual(['start', 'start-step', ...TEXT, ...STEP_END, 'finish']);
    const { items } = await rest.ok<{ items: { message: { id: string } }[] }>(`GET ${session}/messages`);
    expect(chunks[0]).toMatchObject({
      messageId: items.at(-1)?.message.id,
      messageMetadata: { sessionId: session.split('/').at(-1) },
    });
    expect(find(chunks, 'message-metadata')).toMatchObject({ messageMetadata: { usage: { usage_available: true } } });
    expect(chunks.at(-1)).toEqual({ type: 'finish', finishReason: 'stop' });
  });

  it('reasoning stands apart from text', async () => {
    const chunks = await chat(await rest.session('helper'), '!think why\n!say so');
    const reasoning = ['reasoning-start', 'reasoning-delta', 'reasoning-end'];
    expect(types(chunks)).toEqual(['start', 'start-step', ...reasoning, ...TEXT, ...STEP_END, 'finish']);
  });

  it('tools: a step ends after its results; failures are told apart', async () => {
    const chunks = await chat(
      await rest.session('helper'),
      '!tool calculate {"expression":"1+1"}\n!tool nothing {}\n!say done',
    );
    expect(types(chunks).toSorted()).toEqual(
      [
        'start',
        ...['start-step', 'message-metadata', 'tool-input-available', 'tool-input-available'],
        ...['tool-output-available', 'tool-output-error', 'finish-step'],
        ...['start-step', ...TEXT, ...STEP_END],
        'finish',
      ].toSorted(),
    );
    expect(find(chunks, 'tool-input-available')).toMatchObject({
      toolName: 'calculate',
      input: { expression: '1+1' },
      dynamic: true,
    });
    const steps = types(chunks).filter((type) => type.endsWith('-step') || type.startsWith('tool-output'));
    expect(steps.slice(0, 4).toSorted()).toEqual(
      ['start-step', 'tool-output-available', 'tool-output-error', 'finish-step'].toSorted(),
    );
    expect(steps.slice(-3)).toEqual(['finish-step', 'start-step', 'finish-step']);
  });

  it.each([
    ['length', 'length'],
    ['content_filter', 'content-filter'],
  ])('a model that ends with %s finishes with %s', async (directive, finishReason) => {
    const chunks = await chat(await rest.session('helper'), `x\n!finish ${directive}`);
    expect(chunks.at(-1)).toEqual({ type: 'finish', finishReason });
  });

  it('an error is one chunk with words', async () => {
    const chunks = await chat(await rest.session('helper'), '!say half\n!error provider_invalid_request');
    expect(chunks.at(-1)).toMatchObject({ type: 'error', errorText: expect.stringMatching(/./) });
  });

  it('a file of the model is a signed link that can be read', async () => {
    const chunks = await chat(await rest.session('helper'), '!file a.txt words');
    const file = find(chunks, 'file');
    expect(file).toMatchObject({ mediaType: 'text/plain' });
    const url = new URL(String(file?.['url']), app.url);
    expect(await (await rest.fetch(url.pathname + url.search)).text()).toBe('words');
  });

  it.each([
    ['', 'data-reset'],
    ['?resetStep=true', 'reset-step'],
  ])('with query %j a broken connection shows %s and the text anew', async (query, type) => {
    const chunks = await chat(await rest.session('helper'), 'one two three\n!break 2', query);
    const reset = chunks.findIndex((chunk) => chunk.type === type);
    expect(reset).toBeGreaterThan(0);
    if (type === 'data-reset') expect(chunks[reset]).toMatchObject({ transient: true, data: { attempt: 2 } });
    const after = chunks.slice(reset).filter((chunk) => chunk.type === 'text-delta');
    expect(after.map((chunk) => chunk['delta']).join('')).toBe('You said: one two three');
  });
});

describe('a question in the chat (API-6)', () => {
  it.each([
    [true, 'tool-output-available'],
    [false, 'tool-output-denied'],
  ])('answered %s goes on in the same message with %s', async (approved, expected) => {
    const session = await rest.session('asking');
    const asked = await chat(session, '!tool create_goal {"objective":"learn"}\n!say on');
    const request = find(asked, 'tool-approval-request');
    expect(find(asked, 'data-permission')).toBeDefined();
    const messageId = asked[0]?.['messageId'];
    const part = {
      type: 'dynamic-tool',
      toolName: 'create_goal',
      toolCallId: request?.['toolCallId'],
      state: 'approval-responded',
      input: {},
      approval: { id: request?.['approvalId'], approved },
    };
    const answer = await open(session, { messages: [user('x'), { id: messageId, role: 'assistant', parts: [part] }] });
    const chunks = await chunksOf(answer);
    expect(find(chunks, expected)).toMatchObject({ toolCallId: request?.['toolCallId'] });
    expect(chunks.at(-1)).toMatchObject({ type: 'finish' });
    expect(chunks[0]?.['messageId'] ?? messageId).toBe(messageId);
  });
});

describe('a running turn in the chat (API-6)', () => {
  it('can be joined from its start, is not stopped by leaving, and ends with abort on DELETE', async () => {
    const session = await rest.session('helper');
    expect((await rest.fetch(`${ui(session)}/stream`)).status).toBe(204);
    const left = new AbortController();
    await rest.fetch(ui(session), {
      method: 'POST',
      signal: left.signal,
      body: JSON.stringify({ messages: [user(`!say one\n${gate(1)}\n!say two`)] }),
    });
    await app.clock.reached(1);
    left.abort();
    const joined = await rest.fetch(`${ui(session)}/stream`);
    const named = await rest.fetch(`${ui(session)}/any-chat-id/stream`);
    expect([joined.status, named.status]).toEqual([200, 200]);
    const stopped = await rest.fetch(ui(session), { method: 'DELETE' });
    expect(stopped.status).toBe(204);
    const chunks = await chunksOf(joined);
    expect(chunks[0]?.type).toBe('start');
    expect(find(chunks, 'text-delta')).toMatchObject({ delta: 'one' });
    expect(chunks.at(-1)).toMatchObject({ type: 'abort' });
    expect(types(await chunksOf(named))).toEqual(types(chunks));
  });

  it('that is steered goes on in the same message, named by data-message', async () => {
    const session = await rest.session('helper');
    const answer = await open(session, { messages: [user(`${gate(2)}\n!tool current_time {}\n!say never`)] });
    await app.clock.reached(2);
    await rest.send(session, 'rather this', { whenBusy: 'STEER' });
    await app.clock.open(2);
    const chunks = await chunksOf(answer);
    expect(types(chunks).filter((type) => type === 'start')).toHaveLength(1);
    expect(find(chunks, 'data-message')).toMatchObject({
      data: { messageId: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    });
    expect(chunks.at(-1)).toMatchObject({ type: 'finish' });
  });

  it('is made again on request, by the right message only and not while busy', async () => {
    const session = await rest.session('helper');
    const first = await chat(session, 'again');
    const ask = (messageId?: unknown): Promise<Response> =>
      open(session, { messages: [], trigger: 'regenerate-message', messageId });
    expect((await ask(randomUUID())).status).toBe(400);
    const second = await chunksOf(await ask(first[0]?.['messageId']));
    expect(second[0]?.['messageId']).not.toBe(first[0]?.['messageId']);
    const { items } = await rest.ok<{ items: unknown[] }>(`GET ${session}/messages`);
    expect(items).toHaveLength(2);
    await rest.send(session, gate(3));
    expect((await ask()).status).toBe(429);
    await app.clock.open(3);
  });
});

describe('a chat that cannot begin (API-6)', () => {
  it.each([
    ['nothing to send', { messages: [] }, 400],
    ['only blanks', { messages: [user(' ')] }, 400],
    ['half a character', { messages: [user('half \ud83d')] }, 400],
    [
      'half a character in an answer',
      {
        messages: [
          {
            id: 'a',
            role: 'assistant',
            parts: [
              {
                type: 'dynamic-tool',
                state: 'approval-responded',
                approval: { id: 'x', approved: true, reason: '\udc00' },
              },
            ],
          },
        ],
      },
      400,
    ],
    ['an unknown mode', { messages: [user('x')], whenBusy: 'never' }, 400],
  ])('is refused: %s', async (_, body, status) => {
    const answer = await open(await rest.session('helper'), body);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ error: { code: status } });
  });

  it('is not found without its session', async () => {
    const missing = `/v1/ui/ns/default/agents/helper/sessions/${randomUUID()}`;
    const answer = await rest.call(`POST ${missing}`, { messages: [user('x')] });
    expect([answer.status, reasonOf(answer)]).toEqual([404, 'SESSION_NOT_FOUND']);
  });
});
