import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bench, openBench } from '../testing/bench.ts';
import type { PlatformCall } from '../testing/fake-platform.ts';
import { webhookSuite } from './conformance/webhook-suite.ts';
import { slack } from './slack.ts';

const SIGNING_SECRET = 'signing-secret';

/** The Web API: signs in, knows one user, takes messages and files. */
const webApi = ({ path, headers }: PlatformCall) => {
  if (path.startsWith('/files/')) return { bytes: Buffer.from('plan') };
  if (path.includes('getUploadURLExternal'))
    return { json: { ok: true, file_id: 'F2', upload_url: `http://${headers['host']}/upload-here` } };
  if (path.includes('completeUploadExternal'))
    return { json: { ok: true, files: [{ id: 'F2', title: 'answer.csv' }] } };
  if (path.endsWith('/auth.test'))
    return { json: { ok: true, user_id: 'UBOT', user: 'bot', bot_id: 'BBOT', team_id: 'T1' } };
  if (path.includes('/users.info'))
    return {
      json: {
        ok: true,
        user: {
          id: 'U1',
          name: 'ada',
          real_name: 'Ada Lovelace',
          profile: { real_name: 'Ada Lovelace', email: 'ada@example.org' },
        },
      },
    };
  if (path.endsWith('/chat.postMessage')) return { json: { ok: true, ts: '1700000001.000100', channel: 'C1' } };
  return { json: { ok: true } };
};

const now = () => Math.floor(Date.now() / 1_000);

const signed = (
  event: Readonly<Record<string, unknown>>,
  options: { time?: number; secret?: string } = {},
): RequestInit => {
  const { time = now(), secret = SIGNING_SECRET } = options;
  const body = JSON.stringify({ type: 'event_callback', team_id: 'T1', event_id: `Ev${event['ts'] ?? ''}`, event });
  const signature = createHmac('sha256', secret).update(`v0:${time}:${body}`).digest('hex');
  return {
    headers: {
      'content-type': 'application/json',
      'x-slack-request-timestamp': String(time),
      'x-slack-signature': `v0=${signature}`,
    },
    body,
  };
};

const message = (fields: Readonly<Record<string, unknown>> = {}) => ({
  type: 'message',
  user: 'U1',
  channel: 'C1',
  channel_type: 'channel',
  team: 'T1',
  ts: '1700000000.000100',
  text: 'hello',
  ...fields,
});

const signedForm = (fields: Readonly<Record<string, string>>): RequestInit => {
  const body = new URLSearchParams(fields).toString();
  const time = now();
  const signature = createHmac('sha256', SIGNING_SECRET).update(`v0:${time}:${body}`).digest('hex');
  return {
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': String(time),
      'x-slack-signature': `v0=${signature}`,
    },
    body,
  };
};

const open = () =>
  openBench({
    connector: slack,
    settings: (url) => ({ botToken: 'xoxb-1', signingSecret: SIGNING_SECRET, apiUrl: `${url}/api` }),
    answer: webApi,
  });

webhookSuite({
  open,
  message: ({ id, text }) => signed(message({ ts: `1700000000.00${id}`, text })),
  refused: {
    'a wrong signature': () => signed(message(), { secret: 'wrong' }),
    'a signature of ten minutes ago': () => signed(message(), { time: now() - 600 }),
    'no signature': () => ({ body: JSON.stringify({ type: 'event_callback', event: message() }) }),
    'another body under a right signature': () => ({
      ...signed(message()),
      body: JSON.stringify({ type: 'event_callback', event: message({ text: 'forged' }) }),
    }),
  },
  reply: { externalConversationId: 'C1', text: 'hi' },
  writing: /chat\.postMessage/,
  limited: { status: 429, headers: { 'retry-after': '7' }, json: { ok: false, error: 'ratelimited' } },
  unauthorized: { json: { ok: false, error: 'invalid_auth' } },
});

describe('Slack', () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await open();
  });
  afterAll(async () => {
    await bench.close();
  });
  const receive = async (fields: Readonly<Record<string, unknown>>) => {
    const answer = await bench.webhook(signed(message(fields)));
    expect(answer.status).toBe(200);
    return bench.svc.events.at(-1);
  };

  it('answers the challenge by which Slack checks the address', async () => {
    const body = JSON.stringify({ type: 'url_verification', challenge: 'c1' });
    const time = now();
    const signature = createHmac('sha256', SIGNING_SECRET).update(`v0:${time}:${body}`).digest('hex');
    const headers = { 'x-slack-request-timestamp': String(time), 'x-slack-signature': `v0=${signature}` };
    expect(await (await bench.webhook({ headers, body })).text()).toContain('c1');
  });

  it('sends messages, threads, mentions and direct messages with who wrote them', async () => {
    expect(await receive({ ts: '1700000000.000200', text: '<@UBOT> hello' })).toMatchObject({
      eventId: 'slack:C1:1700000000.000200',
      matchFields: { team: 'T1', channel: 'C1' },
      externalConversationId: 'C1',
      externalMessageId: '1700000000.000200',
      conversationType: 'channel',
      sender: { externalId: 'U1', displayName: 'Ada Lovelace', kind: 'user' },
      eventTimeMs: '1700000000000',
      labels: { mention: 'true' },
    });
    expect(bench.svc.events.at(-1)).not.toHaveProperty('externalThreadId');
    expect(await receive({ ts: '1700000000.000300', thread_ts: '1700000000.000200' })).toMatchObject({
      externalThreadId: '1700000000.000200',
      conversationType: 'channel_thread',
    });
    expect(await receive({ ts: '1700000000.000400', channel: 'D1', channel_type: 'im' })).toMatchObject({
      externalConversationId: 'D1',
      conversationType: 'dm',
    });
  });

  it('sends edits and deletions as such', async () => {
    const edited = message({ ts: '1700000000.000200', text: 'better', edited: { ts: '1700000005.000000' } });
    expect(
      await receive({
        subtype: 'message_changed',
        ts: '1700000005.000100',
        user: undefined,
        message: edited,
        previous_message: message(),
      }),
    ).toMatchObject({
      eventKind: 'CONNECTOR_MESSAGE_EVENT_KIND_UPDATED',
      externalMessageId: '1700000000.000200',
      text: 'better',
    });
    expect(
      await receive({
        subtype: 'message_deleted',
        ts: '1700000006.000100',
        user: undefined,
        deleted_ts: '1700000000.000200',
        previous_message: message({ ts: '1700000000.000200' }),
      }),
    ).toMatchObject({
      eventKind: 'CONNECTOR_MESSAGE_EVENT_KIND_DELETED',
      externalMessageId: '1700000000.000200',
    });
  });

  it('takes a retry of what svc has not taken, whatever the adapter remembers', async () => {
    const event = signed(message({ ts: '1700000000.000900', text: 'again' }));
    bench.svc.failures.push({ status: 500 });
    expect((await bench.webhook(event)).status).toBe(503);
    const headers = { ...(event.headers as Record<string, string>), 'x-slack-retry-num': '1' };
    expect((await bench.webhook({ ...event, headers })).status).toBe(200);
    expect(bench.svc.events.at(-1)).toMatchObject({ text: 'again' });
  });

  it('shows the options of a question as buttons, and calls no one in it', async () => {
    const labels = { 'svc.requestOptions': JSON.stringify(['Allow once', `Deny ${'x'.repeat(80)}`]) };
    const question = { externalConversationId: 'C1', externalThreadId: '1700000000.000200', labels };
    await bench.deliver({ ...question, deliveryId: 'q-1', text: 'Run <!channel> & go?\n\n1. Allow once' });
    const call = new URLSearchParams(
      bench.platform
        .callsTo(/chat\.postMessage/)
        .at(-1)
        ?.body.toString(),
    );
    expect(call.get('thread_ts')).toBe('1700000000.000200');
    const text = 'Run &lt;!channel&gt; &amp; go?\n\n1. Allow once';
    expect(call.get('text')).toBe(text);
    expect(JSON.parse(call.get('blocks') ?? '')).toEqual([
      { type: 'section', text: { type: 'mrkdwn', text } },
      {
        type: 'actions',
        elements: [
          { type: 'button', text: { type: 'plain_text', text: 'Allow once', emoji: true }, action_id: 'svc:q-1:1' },
          {
            type: 'button',
            text: { type: 'plain_text', text: `Deny ${'x'.repeat(69)}…`, emoji: true },
            action_id: 'svc:q-1:2',
          },
        ],
      },
    ]);
  });

  it('leaves a question with more options than buttons to numbers', async () => {
    const labels = { 'svc.requestOptions': JSON.stringify(Array(26).fill('x')) };
    await bench.deliver({ externalConversationId: 'C1', labels, deliveryId: 'q-26', text: 'Which?' });
    const call = new URLSearchParams(
      bench.platform
        .callsTo(/chat\.postMessage/)
        .at(-1)
        ?.body.toString(),
    );
    expect([call.get('markdown_text')?.trim(), call.get('blocks')]).toEqual(['Which?', null]);
  });

  it('sends a press as an answer to its question, acknowledged once svc has it', async () => {
    const press = (trigger: string, action = 'svc:q-1:2') =>
      signedForm({
        payload: JSON.stringify({
          type: 'block_actions',
          trigger_id: trigger,
          team: { id: 'T1', domain: 'team' },
          user: { id: 'U1', username: 'ada', name: 'Ada' },
          channel: { id: 'C1', name: 'general' },
          message: { ts: '1700000000.000950', thread_ts: '1700000000.000200' },
          container: { type: 'message', message_ts: '1700000000.000950', channel_id: 'C1' },
          actions: [{ type: 'button', action_id: action, block_id: 'b1', action_ts: '1700000001.000000' }],
        }),
      });
    bench.svc.failures.push({ status: 500 });
    expect((await bench.webhook(press('tr-1'))).status).toBe(503);
    const copies = await Promise.all([bench.webhook(press('tr-1')), bench.webhook(press('tr-1'))]);
    expect(copies.map(({ status }) => status)).toEqual([200, 200]);
    expect(bench.svc.outcomes.slice(-2)).toEqual(['ACCEPTED', 'DUPLICATE']);
    expect(bench.svc.events.at(-1)).toMatchObject({
      eventId: 'slack:C1:press:tr-1',
      matchFields: { team: 'T1', channel: 'C1' },
      externalConversationId: 'C1',
      externalThreadId: '1700000000.000200',
      sender: { externalId: 'U1', kind: 'user' },
      text: '2',
      labels: { 'svc.delivery': 'q-1' },
    });
    const before = bench.svc.outcomes.length;
    expect((await bench.webhook(press('tr-2', 'of-another-app'))).status).toBe(200);
    const forged = { ...press('tr-3'), body: String(press('tr-3').body).replace('U1', 'U2') };
    expect((await bench.webhook(forged)).status).toBe(401);
    expect(bench.svc.outcomes).toHaveLength(before);
  });

  it('sends a command as a message', async () => {
    const command = { command: '/ask', text: 'what time is it?', user_id: 'U1', team_id: 'T1', channel_id: 'D7' };
    expect((await bench.webhook(signedForm({ ...command, trigger_id: 'tr-9' }))).status).toBe(200);
    expect(bench.svc.events.at(-1)).toMatchObject({
      eventId: 'slack:D7:command:tr-9',
      matchFields: { team: 'T1', channel: 'D7' },
      externalConversationId: 'D7',
      conversationType: 'dm',
      sender: { externalId: 'U1', displayName: 'Ada Lovelace' },
      text: '/ask what time is it?',
      labels: { mention: 'true' },
    });
  });

  it('leaves its own messages alone', async () => {
    const before = bench.svc.outcomes.length;
    await bench.webhook(signed(message({ ts: '1700000000.000500', user: 'UBOT', bot_id: 'BBOT' })));
    expect(bench.svc.outcomes).toHaveLength(before);
  });

  it('writes into threads and direct messages, long texts in parts', async () => {
    const before = bench.platform.callsTo(/chat\.postMessage/).length;
    const text = `${'word '.repeat(2_400)}\n\n${'end '.repeat(100)}`;
    await bench.deliver({
      deliveryId: 't1',
      externalConversationId: 'C1',
      externalThreadId: '1700000000.000200',
      text,
    });
    const calls = bench.platform
      .callsTo(/chat\.postMessage/)
      .slice(before)
      .map(({ body }) => new URLSearchParams(body.toString()));
    expect(calls.map((call) => [call.get('channel'), call.get('thread_ts')])).toEqual(
      Array(2).fill(['C1', '1700000000.000200']),
    );
    expect(
      calls
        .map((call) => call.get('markdown_text')?.trim())
        .join(' ')
        .replaceAll(/\s+/g, ' '),
    ).toBe(text.replaceAll(/\s+/g, ' ').trim());
  });

  it('carries files both ways', async () => {
    const files = [
      {
        id: 'F1',
        name: 'plan.txt',
        mimetype: 'text/plain',
        size: 4,
        url_private: 'https://files.slack.com/files/plan.txt',
      },
    ];
    const taken = await receive({ ts: '1700000000.000600', subtype: 'file_share', files });
    expect(bench.svc.uploads.get(taken?.attachments?.[0]?.key ?? '')?.toString()).toBe('plan');
    const file = bench.svc.offer('answer.csv', 'text/csv', Buffer.from('a,b'));
    const answer = await bench.deliver({
      deliveryId: 'f1',
      externalConversationId: 'C1',
      text: 'here',
      attachments: [file],
    });
    expect(await answer.json()).toMatchObject({ accepted: true });
    expect(bench.platform.callsTo(/upload-here/)[0]?.body.toString()).toContain('a,b');
    expect(bench.platform.callsTo(/completeUploadExternal/)[0]?.body.toString()).toContain('C1');
  });

  it('says for good that a channel does not exist', async () => {
    bench.platform.faults.push({
      path: /chat\.postMessage/,
      answer: { json: { ok: false, error: 'channel_not_found' } },
    });
    expect(
      await (await bench.deliver({ deliveryId: 'gone', externalConversationId: 'C404', text: 'x' })).json(),
    ).toMatchObject({
      disposition: 'rejected',
      error: expect.stringContaining('channel_not_found'),
    });
  });
});
