import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bench, openBench } from '../testing/bench.ts';
import type { PlatformCall } from '../testing/fake-platform.ts';
import { webhookSuite } from './conformance/webhook-suite.ts';
import { telegram } from './telegram.ts';

const ADA = { id: 7, is_bot: false, first_name: 'Ada', last_name: 'Lovelace', username: 'ada' };
const sent = { message_id: 900, date: 1_700_000_001, chat: { id: 7, type: 'private' }, text: 'x' };

/** The Bot API: one bot, one file, messages are taken. */
const botApi = ({ path }: PlatformCall) => {
  if (path.includes('/file/')) return { bytes: Buffer.from('plan') };
  if (path.endsWith('/getMe'))
    return { json: { ok: true, result: { id: 99, is_bot: true, first_name: 'Bot', username: 'svc_bot' } } };
  if (path.includes('/getFile'))
    return { json: { ok: true, result: { file_id: 'F1', file_path: 'documents/plan.txt' } } };
  return { json: { ok: true, result: sent } };
};

let updates = 5_000;
const update = (body: Readonly<Record<string, unknown>>, secret = 'hook-secret'): RequestInit => {
  updates += 1;
  return {
    headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret },
    body: JSON.stringify({ update_id: updates, ...body }),
  };
};
const message = (fields: Readonly<Record<string, unknown>> = {}) => ({
  message_id: 1,
  date: 1_700_000_000,
  chat: { id: 7, type: 'private', first_name: 'Ada' },
  from: ADA,
  text: 'hello',
  ...fields,
});

const open = () =>
  openBench({
    connector: telegram,
    settings: (url) => ({ botToken: '99:token', secretToken: 'hook-secret', apiUrl: url }),
    answer: botApi,
  });

webhookSuite({
  open,
  message: ({ id, text }) => ({
    ...update({}),
    body: JSON.stringify({ update_id: Number(id), message: message({ message_id: Number(id), text }) }),
  }),
  refused: {
    'a wrong secret token': () => update({ message: message() }, 'wrong'),
    'no secret token': () => ({ body: JSON.stringify({ update_id: 1, message: message() }) }),
  },
  reply: { externalConversationId: '7', text: 'hi' },
  writing: /sendMessage|sendRichMessage/,
  limited: {
    status: 429,
    json: { ok: false, error_code: 429, description: 'Too Many Requests', parameters: { retry_after: 7 } },
  },
  unauthorized: { status: 401, json: { ok: false, error_code: 401, description: 'Unauthorized' } },
});

it('takes nothing while Telegram does not say which bot it is', async () => {
  const answers = [{ status: 500, json: { ok: false } }];
  const bench = await openBench({
    connector: telegram,
    settings: (url) => ({ botToken: '99:token', secretToken: 'hook-secret', apiUrl: url }),
    answer: (call) => (call.path.endsWith('/getMe') && answers.shift()) || botApi(call),
    mayFailToStart: true,
  });
  expect((await bench.webhook(update({ message: message() }))).status).toBe(503);
  await expect.poll(() => bench.svc.statuses.at(-1)?.status).toBe('degraded');
  expect(bench.svc.outcomes).toEqual([]);
  await bench.restart();
  await bench.svc.register(bench.url);
  expect((await bench.webhook(update({ message: message() }))).status).toBe(200);
  expect(bench.svc.events[0]?.matchFields).toMatchObject({ bot: '99' });
  await bench.close();
});

describe('Telegram', () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await open();
  });
  afterAll(async () => {
    await bench.close();
  });
  const receive = async (body: Readonly<Record<string, unknown>>) => {
    expect((await bench.webhook(update(body))).status).toBe(200);
    return bench.svc.events.at(-1);
  };

  it('sends private messages, groups and topics with who wrote them', async () => {
    expect(await receive({ message: message({ message_id: 11 }) })).toMatchObject({
      matchFields: { bot: '99', chat: '7', chat_type: 'private' },
      externalConversationId: '7',
      conversationType: 'dm',
      sender: { externalId: '7', displayName: 'Ada Lovelace', kind: 'user' },
      eventTimeMs: '1700000000000',
    });
    const topic = { id: -100, type: 'supergroup', title: 'Team', is_forum: true };
    expect(
      await receive({
        message: message({
          message_id: 12,
          chat: topic,
          message_thread_id: 4,
          is_topic_message: true,
          text: '@svc_bot hi',
        }),
      }),
    ).toMatchObject({
      externalConversationId: '-100',
      externalThreadId: '4',
      conversationType: 'channel_thread',
      labels: { mention: 'true' },
    });
  });

  it('sends edits as such, each once', async () => {
    const edited = { edited_message: message({ message_id: 11, text: 'better', edit_date: 1_700_000_005 }) };
    expect(await receive(edited)).toMatchObject({ eventKind: 'CONNECTOR_MESSAGE_EVENT_KIND_UPDATED', text: 'better' });
    const before = bench.svc.events.length;
    await receive(edited);
    expect(bench.svc.events).toHaveLength(before);
  });

  it('takes each picture of an album', async () => {
    const document = { file_id: 'F1', file_name: 'plan.txt', mime_type: 'text/plain', file_size: 4 };
    for (const id of [21, 22])
      await receive({
        message: message({ message_id: id, media_group_id: 'album', text: undefined, caption: `page ${id}`, document }),
      });
    expect(bench.svc.events.slice(-2).map(({ text, attachments }) => [text, attachments?.length])).toEqual([
      ['page 21', 1],
      ['page 22', 1],
    ]);
  });

  it('shows the options of a question as buttons, one in a row', async () => {
    const labels = { 'svc.requestOptions': JSON.stringify(['Allow once', 'Deny']) };
    const deliveryId = '0197e000-0000-7000-8000-000000000001';
    await bench.deliver({ externalConversationId: '7', labels, deliveryId, text: 'May it *run*?\n\n1. Allow once' });
    expect(
      JSON.parse(
        bench.platform
          .callsTo(/sendMessage$/)
          .at(-1)
          ?.body.toString() ?? '',
      ),
    ).toMatchObject({
      chat_id: '7',
      text: expect.stringContaining('Allow once'),
      reply_markup: {
        inline_keyboard: [
          [{ text: 'Allow once', callback_data: `chat:{"a":"svc:${deliveryId}:1"}` }],
          [{ text: 'Deny', callback_data: `chat:{"a":"svc:${deliveryId}:2"}` }],
        ],
      },
    });
  });

  it('sends a press as an answer to its question, and shows that it arrived once svc has it', async () => {
    const press = update({
      callback_query: {
        id: 'press-1',
        from: ADA,
        chat_instance: 'x',
        data: 'chat:{"a":"svc:q-1:2"}',
        message: message({ message_id: 900, from: { id: 99, is_bot: true, first_name: 'Bot' } }),
      },
    });
    bench.svc.failures.push({ status: 500 });
    expect((await bench.webhook(press)).status).toBe(503);
    expect(bench.platform.callsTo(/answerCallbackQuery/)).toEqual([]);
    for (const _copy of [1, 2]) expect((await bench.webhook(press)).status).toBe(200);
    expect(bench.svc.outcomes.slice(-2)).toEqual(['ACCEPTED', 'DUPLICATE']);
    expect(bench.platform.callsTo(/answerCallbackQuery/)[0]?.body.toString()).toContain('press-1');
    expect(bench.svc.events.at(-1)).toMatchObject({
      eventId: 'telegram:7:press:press-1',
      matchFields: { bot: '99', chat: '7', chat_type: 'private' },
      sender: { externalId: '7', displayName: 'Ada Lovelace', kind: 'user' },
      text: '2',
      labels: { 'svc.delivery': 'q-1' },
    });
    const before = bench.svc.outcomes.length;
    expect((await bench.webhook({ ...press, ...update({}, 'wrong'), body: press.body ?? '' })).status).toBe(401);
    expect(bench.svc.outcomes).toHaveLength(before);
  });

  it('sends a command as the message that it is', async () => {
    const entities = [{ type: 'bot_command', offset: 0, length: 4 }];
    expect(await receive({ message: message({ message_id: 31, text: '/ask what?', entities }) })).toMatchObject({
      externalMessageId: expect.stringContaining('31'),
      sender: { externalId: '7' },
      text: '/ask what?',
      labels: { mention: 'true' },
    });
  });

  it('carries files both ways', async () => {
    const document = { file_id: 'F1', file_name: 'plan.txt', mime_type: 'text/plain', file_size: 4 };
    const taken = await receive({ message: message({ message_id: 13, text: undefined, caption: 'see', document }) });
    expect(taken?.text).toBe('see');
    expect(bench.svc.uploads.get(taken?.attachments?.[0]?.key ?? '')?.toString()).toBe('plan');
    const file = bench.svc.offer('answer.csv', 'text/csv', Buffer.from('a,b'));
    const answer = await bench.deliver({
      deliveryId: 'f1',
      externalConversationId: '7',
      text: 'here',
      attachments: [file],
    });
    expect(await answer.json()).toMatchObject({ accepted: true });
    expect(bench.platform.callsTo(/sendDocument/)[0]?.body.toString()).toContain('a,b');
  });

  it('writes into topics and shows that an answer is being written', async () => {
    await bench.deliver({
      deliveryId: 't1',
      externalConversationId: '-100',
      externalThreadId: '4',
      text: 'in the topic',
    });
    expect(
      JSON.parse(
        bench.platform
          .callsTo(/send(Rich)?Message$/)
          .at(-1)
          ?.body.toString() ?? '',
      ),
    ).toMatchObject({
      chat_id: '-100',
      message_thread_id: 4,
    });
    const activity = { kind: 'typing', phase: 'start', externalConversationId: '7' };
    expect((await bench.svc.call(bench.url, '/v1/activities', activity)).status).toBe(200);
    expect(bench.platform.calls.at(-1)).toMatchObject({ path: expect.stringContaining('sendChatAction') });
  });
});
