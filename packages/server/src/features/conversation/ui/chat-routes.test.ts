import { fromJson } from '@bufbuild/protobuf';
import { ListValueSchema } from '@bufbuild/protobuf/wkt';
import { GatewayService, SessionControlService } from '@svc/api/gateway';
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CallContext } from '../../../auth/contract.ts';
import { Fault } from '../../../base/index.ts';
import type { ObjectAccess } from '../../../runtime/contract.ts';
import { sessionHolder } from '../../../store/contracts/index.ts';
import { textResult } from '../../../tools/index.ts';
import { SessionHarness } from '../sessions/testing/index.ts';
import { chatRoutes } from './chat-routes.ts';
import { routeFetch } from './testing/index.ts';

const { method: gateway } = GatewayService;
const { method: sessionControl } = SessionControlService;

let harness: SessionHarness;
let fetcher: typeof fetch;
let session: Awaited<ReturnType<SessionHarness['newSession']>>;
let caller: Partial<CallContext>;

const echo = {
  name: 'echo',
  description: 'Repeats.',
  inputSchema: { type: 'object' },
  effect: 'read' as const,
  capability: { name: 'files', action: 'read' },
  run: (_context: unknown, input: unknown) => Promise.resolve(textResult('done', { echoed: input })),
};

beforeEach(async () => {
  caller = {};
  harness = new SessionHarness({
    tools: [echo],
    spec: { capabilities: { files: fromJson(ListValueSchema, [{ action: 'read', approval: 'ask' }]) } },
  });
  await harness.start();
  session = await harness.newSession();
  const routes = chatRoutes({
    sessions: harness.chat,
    streams: harness.streams,
    links: { link: (_namespace, object) => `/v1/objects/${object.key}` },
    sendObject: (exchange, { sha256, mediaType }) =>
      Promise.resolve(exchange.answer(200, { 'content-type': mediaType }, sha256)),
    authorizer: { authorize: () => undefined, allows: () => true, readsSecrets: () => true },
    clock: harness.engine.clock,
    requestBytes: 32 << 20,
    messageBytes: 1 << 20,
  });
  fetcher = routeFetch(routes, () => ({ ...harness.context('ui'), ...caller }));
});
afterEach(() => harness.close());

const api = (): string => `/v1/ui/ns/default/agents/helper/sessions/${session.sessionId}`;
const transport = (query = ''): DefaultChatTransport<UIMessage> =>
  new DefaultChatTransport({ api: `${api()}${query}`, fetch: fetcher });

const user = (text: string, more: UIMessage['parts'] = []): UIMessage => ({
  id: `user-${text}`,
  role: 'user',
  parts: [{ type: 'text', text }, ...more],
});

interface Turn {
  readonly chunks: string[];
  readonly message: UIMessage;
}

/** Reads a stream as `useChat` does: chunks go through the SDK's own state machine. */
const read = async (
  stream: Awaited<ReturnType<DefaultChatTransport<UIMessage>['sendMessages']>>,
  before?: UIMessage,
): Promise<Turn> => {
  const chunks: string[] = [];
  const [left, right] = stream.tee();
  const listed = left.pipeTo(new WritableStream({ write: (chunk) => void chunks.push(chunk.type) }));
  let message: UIMessage = before ?? { id: '', role: 'assistant', parts: [] };
  const source = { stream: right, ...(before === undefined ? {} : { message: structuredClone(before) }) };
  for await (const state of readUIMessageStream({ ...source, terminateOnError: true })) message = state;
  await listed;
  return { chunks, message };
};

const send = async (
  messages: UIMessage[],
  more: { readonly trigger?: 'regenerate-message'; readonly messageId?: string; readonly query?: string } = {},
): Promise<Turn> => {
  const { messageId, query } = more;
  const trigger = more.trigger ?? ('submit-message' as const);
  const options = { chatId: 'chat', messages, trigger, messageId, abortSignal: undefined };
  const last = messages.at(-1);
  return await read(await transport(query).sendMessages(options), last?.role === 'assistant' ? last : undefined);
};

const status = async (body: unknown): Promise<number> =>
  (await fetcher(api(), { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) })).status;
const texts = (message: UIMessage): string =>
  message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');

describe('the browser chat', () => {
  test('streams one turn as start, one step, finish', async () => {
    const { chunks, message } = await send([user('hello there')]);
    const order = chunks.filter((type, index) => type !== chunks[index - 1]);
    expect(order).toEqual([
      'start',
      'start-step',
      'text-start',
      'text-delta',
      'text-end',
      'message-metadata',
      'finish-step',
      'finish',
    ]);
    expect(texts(message)).toBe('You said: hello there');
    const stored = await harness.call(gateway.listSessionMessages, session);
    expect(message.id).toBe(stored.items.at(-1)?.message?.id);
    expect(message.metadata).toMatchObject({ sessionId: session.sessionId, usage: { usage_available: true } });
  });

  test('answers with the headers of the protocol and ends with [DONE]', async () => {
    const response = await fetcher(api(), { method: 'POST', body: JSON.stringify({ messages: [user('x')] }) });
    expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect((await response.text()).endsWith('data: [DONE]\n\n')).toBe(true);
  });

  test('keeps the trace of its request on the turn (RT-11)', async () => {
    const traceParent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    caller = { traceParent };
    await send([user('hello')]);
    const { turns } = await harness.call(sessionControl.listTurns, session);
    const row = await harness.engine.store.direct.log.turn(turns[0]?.id ?? '');
    expect(row?.body).toContain(traceParent);
  });

  test('shows reasoning apart from text', async () => {
    const { message } = await send([user('!think hard\n!say easy')]);
    expect(message.parts.filter((part) => part.type === 'reasoning').map((part) => part.text)).toEqual(['hard']);
    expect(texts(message)).toBe('easy');
  });

  test('tells a failed turn by an error chunk', async () => {
    await expect(send([user('!error provider_auth')])).rejects.toThrow('Error:');
  });

  test('a stop from another request ends the stream with abort', async () => {
    const stream = await transport().sendMessages({
      chatId: 'c',
      messages: [user('!say one\n!hold stop')],
      trigger: 'submit-message',
      messageId: undefined,
      abortSignal: undefined,
    });
    await harness.event((event) => event.part?.type === 1);
    expect((await fetcher(api(), { method: 'DELETE' })).status).toBe(204);
    const { chunks } = await read(stream);
    expect(chunks.at(-1)).toBe('abort');
  });

  test('ends with why it was ended from outside, though the turn goes on', async () => {
    const control = new AbortController();
    const body = JSON.stringify({ messages: [user('!say one\n!hold revoked')] });
    const answer = await fetcher(api(), { method: 'POST', body, signal: control.signal });
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('text-delta')) text += (await reader.read()).value ?? '';
    control.abort(new Fault('UNAUTHENTICATED', 'KEY_REVOKED', 'the API key was revoked'));
    for (let isDone = false; !isDone; ) {
      const { value = '', done } = await reader.read();
      text += value;
      isDone = done;
    }
    harness.engine.models.releaseHold('revoked');
    expect(text).toMatch(/data: {"type":"error","errorText":"the API key was revoked"}\n\ndata: \[DONE\]\n\n$/);
  });

  test('attaches again to the running turn from its start, and answers 204 when nothing runs', async () => {
    expect(await transport().reconnectToStream({ chatId: 'chat' })).toBeNull();
    await harness.call(gateway.sendMessage, { ...session, message: '!say one two\n!hold attach' });
    await harness.event((event) => event.part?.type === 1);
    const stream = await transport().reconnectToStream({ chatId: 'chat' });
    harness.engine.models.releaseHold('attach');
    const { message } = await read(stream!);
    expect(texts(message)).toBe('one two');
  });

  test('asks for approval and goes on in the same message after the answer', async () => {
    const asked = await send([user('!tool echo {"a":1}')]);
    expect(asked.chunks).toContain('tool-approval-request');
    const part = asked.message.parts.find((each) => each.type === 'dynamic-tool');
    expect(part?.state).toBe('approval-requested');
    expect(asked.chunks).toContain('data-permission');
    expect(asked.chunks.at(-1)).toBe('finish');
    const parts = asked.message.parts.map((each) =>
      each.type === 'dynamic-tool' && each.state === 'approval-requested'
        ? { ...each, state: 'approval-responded' as const, approval: { id: each.approval.id, approved: true } }
        : each,
    );
    const rest = await send([user('!tool echo {"a":1}'), { ...asked.message, parts }]);
    expect(rest.message.id).toBe(asked.message.id);
    const done = rest.message.parts.find((each) => each.type === 'dynamic-tool');
    expect(done).toMatchObject({ state: 'output-available', output: { echoed: { a: 1 } } });
    expect(texts(rest.message)).toContain('echo ->');
    expect(rest.chunks.at(-1)).toBe('finish');
    expect(
      await status({
        messages: [
          user('x'),
          {
            ...asked.message,
            parts: [{ ...parts.at(-1), state: 'approval-responded', approval: { id: 'none', approved: true } }],
          },
        ],
      }),
    ).toBe(400);
  });

  test('stores data: files as objects of the message', async () => {
    const file = {
      type: 'file' as const,
      mediaType: 'image/png',
      filename: 'a.png',
      url: 'data:image/png;base64,iVBORw0KGgo=',
    };
    await send([user('look', [file])]);
    const stored = await harness.call(gateway.listSessionMessages, session);
    expect(stored.items[0]?.message?.parts[1]).toMatchObject({
      partType: 7,
      name: 'a.png',
      object: { mediaType: 'image/png' },
    });
  });

  test('files of the model come as signed links', async () => {
    const { message } = await send([user('!image')]);
    const file = message.parts.find((part) => part.type === 'file');
    expect(file).toMatchObject({ mediaType: 'image/png' });
    expect(file?.type === 'file' && file.url.startsWith('/v1/objects/')).toBe(true);
  });

  test('answers the bytes of a part of a stored message, and of nothing else', async () => {
    const { message } = await send([user('!image')]);
    const stored = await harness.call(gateway.listSessionMessages, session);
    const parts = stored.items[1]?.message?.parts ?? [];
    const picture = parts.find(({ object }) => object !== undefined);
    const content = (messageId: string, partId: string) =>
      fetcher(`${api().replace('/v1/ui', '/v1')}/messages/${messageId}/parts/${partId}/content`);
    const answer = await content(message.id, picture?.id ?? '');
    expect([answer.headers.get('content-type'), await answer.text()]).toEqual(['image/png', picture?.object?.sha256]);
    const refusal = async (messageId: string, partId: string): Promise<string> =>
      (await content(messageId, partId)).text();
    const other = await harness.newSession();
    const text = parts.find(({ object }) => object === undefined);
    expect(await refusal(message.id, text?.id ?? '')).toContain('MESSAGE_PART_NOT_FOUND');
    expect(await refusal('nonsense', '000000')).toContain('MESSAGE_PART_NOT_FOUND');
    session = other;
    expect(await refusal(message.id, picture?.id ?? '')).toContain('MESSAGE_PART_NOT_FOUND');
  });

  test('makes the newest answer again, and only that one', async () => {
    const first = await send([user('again')]);
    const other = { messages: [], trigger: 'regenerate-message', messageId: '01890000-0000-7000-8000-000000000000' };
    expect(await status(other)).toBe(400);
    const second = await send([user('again')], { trigger: 'regenerate-message', messageId: first.message.id });
    expect(texts(second.message)).toBe('You said: again');
    const stored = await harness.call(gateway.listSessionMessages, session);
    expect(stored.items.map((item) => item.message?.role)).toEqual([1, 2]);
    expect(stored.items[1]?.message?.id).toBe(second.message.id);
    await harness.call(gateway.sendMessage, { ...session, message: '!hold busy' });
    expect(await status({ messages: [], trigger: 'regenerate-message' })).toBe(429);
    await fetcher(api(), { method: 'DELETE' });
  });

  test('holds what a question shows once when its answer is made again, and not for the question that went', async () => {
    const hold: ObjectAccess['hold'] = (...[tx, namespace, { sha256, sizeBytes, mediaType }, holder]) =>
      tx.objects.addReference({ namespace, sha256, sizeBytes, mediaType, holder, at: tx.now() });
    Object.assign(harness.engine.objects, { hold });
    const held = (): Promise<number> =>
      harness.engine.store.write((tx) => tx.objects.heldBytes(sessionHolder(session.sessionId)));
    const url = 'data:image/png;base64,iVBORw0KGgo=';
    const first = await send([user('look', [{ type: 'file', mediaType: 'image/png', filename: 'a.png', url }])]);
    expect(await held()).toBe(8);
    await send([], { trigger: 'regenerate-message', messageId: first.message.id });
    expect(await held()).toBe(8);
  });

  test('refuses what it cannot send before the stream begins', async () => {
    expect(await status('no json')).toBe(400);
    expect(await status({ messages: [] })).toBe(400);
    expect(await status({ messages: [user(' ')] })).toBe(400);
    expect(await status({ messages: [{ role: 'assistant', parts: [] }] })).toBe(400);
    expect(await status({ messages: [user('x')], whenBusy: 'never' })).toBe(400);
    expect(await status({ messages: [user('x')], labels: { a: 1 } })).toBe(400);
    session = { ...session, sessionId: 'missing' };
    expect(await status({ messages: [user('x')] })).toBe(400);
  });
});
