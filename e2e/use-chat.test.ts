import { Chat, useChat } from '@ai-sdk/react';
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from 'ai';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RestCaller, readSse, type SessionKey, textOf } from './calls/index.ts';
import { MockModel, wordsFrom } from './mock-model/index.ts';
import { ServerProcess, until } from './server-process/index.ts';

let model: MockModel;
let server: ServerProcess;
let rest: RestCaller;
beforeAll(async () => {
  model = await MockModel.start();
  server = await ServerProcess.start({ environment: model.environment });
  rest = new RestCaller(server.url);
  await rest.createAgent('page', {
    features: [{ type: 'toolset', name: 'goals' }],
    capabilities: { goals: ['inspect', { action: 'create', approval: 'ask' }] },
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

const words = (count: number): string => wordsFrom(0, count).join('');
const apiOf = (session: SessionKey): string => `${server.url}/v1/ui${rest.sessionPath(...session).slice('/v1'.length)}`;
const chatOf = (session: SessionKey, messages: UIMessage[] = []): Chat<UIMessage> =>
  new Chat({
    id: 'chat',
    messages,
    transport: new DefaultChatTransport({ api: apiOf(session) }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
const textShown = (message: UIMessage | undefined): string =>
  (message?.parts ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('');

/** A page built on the hook. */
const Page = ({ chat }: { readonly chat: Chat<UIMessage> }) => {
  const { messages, status } = useChat({ chat });
  const items = messages.map((message) =>
    createElement('li', { key: message.id }, `${message.role}: ${textShown(message)}`),
  );
  return createElement('ol', { title: status }, ...items);
};
const rendered = (chat: Chat<UIMessage>): string => renderToStaticMarkup(createElement(Page, { chat }));

describe('a page with useChat', () => {
  it('shows the answer while it is written and knows when it is over', async () => {
    const session = await rest.createSession('page');
    const chat = chatOf(session);
    const sending = chat.sendMessage({ text: 'words 6; gate page 3' });
    await until('half of the answer is shown', async () => textShown(chat.lastMessage) === words(3) || undefined);
    expect(chat.status).toBe('streaming');
    model.open('page');
    await sending;
    expect(chat.status).toBe('ready');
    expect(rendered(chat)).toBe(
      `<ol title="ready"><li>user: words 6; gate page 3</li><li>assistant: ${words(6)}</li></ol>`,
    );
    expect(chat.lastMessage?.metadata).toMatchObject({ sessionId: session[1], usage: { input_tokens: 10 } });
    expect((await rest.messages(session)).map(textOf)).toEqual(['words 6; gate page 3', words(6)]);
  });

  it('shows reasoning, tools and a question that the person answers in the page', async () => {
    const session = await rest.createSession('page');
    const chat = chatOf(session);
    await chat.sendMessage({ text: 'call create_goal {"objective":"be kind"}; words 2' });
    const asked = chat.lastMessage?.parts.find((part) => part.type === 'dynamic-tool');
    expect(asked).toMatchObject({
      toolName: 'create_goal',
      state: 'approval-requested',
      input: { objective: 'be kind' },
    });
    const approval = (asked as { approval?: { id: string } } | undefined)?.approval;
    await chat.addToolApprovalResponse({ id: approval?.id ?? '', approved: true });
    await until(
      'the turn is over',
      async () => (chat.status === 'ready' && textShown(chat.lastMessage) === words(2)) || undefined,
    );
    expect(chat.lastMessage?.parts.find((part) => part.type === 'dynamic-tool')).toMatchObject({
      state: 'output-available',
    });
  });

  it('finds the running answer again after a reload', async () => {
    const session = await rest.createSession('page');
    const first = chatOf(session);
    const sending = first.sendMessage({ text: 'words 6; gate reload 3' });
    await until('half of the answer is shown', async () => textShown(first.lastMessage) === words(3) || undefined);
    await first.stop();
    await sending;
    const second = chatOf(session, first.messages.slice(0, 1));
    const resuming = second.resumeStream();
    await until('the half is shown again', async () => textShown(second.lastMessage) === words(3) || undefined);
    model.open('reload');
    await resuming;
    expect(textShown(second.lastMessage)).toBe(words(6));
    const idle = chatOf(session);
    await idle.resumeStream();
    expect([idle.status, idle.messages]).toEqual(['ready', []]);
  });

  it('gets the whole answer once when the server is killed in the middle and started again', async () => {
    const session = await rest.createSession('page');
    const chat = chatOf(session);
    const sending = chat.sendMessage({ text: 'words 6; gate killed 3' });
    await until('half of the answer is shown', async () => textShown(chat.lastMessage) === words(3) || undefined);
    await server.kill();
    await sending;
    expect(chat.status).toBe('error');
    await server.restart();
    const again = chatOf(session, chat.messages.slice(0, 1));
    const resuming = again.resumeStream();
    await until('the half is shown again', async () => textShown(again.lastMessage) === words(3) || undefined);
    model.open('killed');
    await resuming;
    const stored = (await rest.messages(session)).map(textOf);
    expect(stored).toEqual(['words 6; gate killed 3', words(6)]);
    expect(again.messages.map(textShown)).toEqual(stored);
  });

  it('regenerates the newest answer and stops one on request', async () => {
    const session = await rest.createSession('page');
    const chat = chatOf(session);
    await chat.sendMessage({ text: 'words 2' });
    const before = await rest.messages(session);
    await chat.regenerate();
    expect(chat.messages.map(textShown)).toEqual(['words 2', words(2)]);
    const after = await rest.messages(session);
    expect(after.map(textOf)).toEqual(['words 2', words(2)]);
    expect(after.at(-1)?.id).not.toBe(before.at(-1)?.id);

    const sending = chat.sendMessage({ text: 'words 6; gate stopped 3' });
    await until('half of the answer is shown', async () => textShown(chat.lastMessage) === words(3) || undefined);
    expect((await fetch(apiOf(session), { method: 'DELETE' })).status).toBe(204);
    await sending;
    expect((await rest.messages(session)).map(textOf).at(-1)).toBe(words(3));
  });

  it('is told of a failure in words, before and in the stream', async () => {
    const session = await rest.createSession('page');
    const missing = chatOf(['page', '01890a5d-ac96-774b-bcce-b302099a8057']);
    await missing.sendMessage({ text: 'hello' });
    expect(missing.error?.message).toContain('SESSION_NOT_FOUND');
    const chat = chatOf(session);
    await chat.sendMessage({ text: 'fail 401' });
    expect(chat.status).toBe('error');
    expect(chat.error?.message).toMatch(/^Error: /);
  });
});

describe('the event stream of the console', () => {
  it('begins with ready and shows session, turn and message of a conversation', async () => {
    const session = await rest.createSession('page');
    const closed = new AbortController();
    const answer = await fetch(`${server.url}/v1/ui/events?ns=default`, { signal: closed.signal });
    const topics = new Set<string>();
    for await (const { event, data } of readSse(answer)) {
      if (event === 'ready') await rest.send(session, 'words 2');
      if (event !== 'ready' && !data.includes(session[1])) continue;
      topics.add(event);
      if (topics.has('session') && topics.has('turn') && topics.has('message')) break;
    }
    closed.abort();
    expect([...topics]).toContain('ready');
  });
});
