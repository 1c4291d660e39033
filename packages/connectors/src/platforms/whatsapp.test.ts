import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bench, openBench } from '../testing/bench.ts';
import type { PlatformCall } from '../testing/fake-platform.ts';
import { webhookSuite } from './conformance/webhook-suite.ts';
import { whatsapp } from './whatsapp.ts';

const APP_SECRET = 'app-secret';

const graphApi = ({ path, headers }: PlatformCall) => {
  if (path.startsWith('/download')) return { bytes: Buffer.from('plan') };
  if (path.includes('/M1'))
    return {
      json: {
        id: 'M1',
        url: `https://lookaside.fbsbx.com/download/M1`,
        mime_type: 'text/plain',
        file_size: 4,
        host: headers['host'],
      },
    };
  if (path.endsWith('/media')) return { json: { id: 'M2' } };
  return { json: { messaging_product: 'whatsapp', contacts: [], messages: [{ id: 'wamid.out' }] } };
};

const signed = (payload: unknown, secret = APP_SECRET): RequestInit => {
  const body = JSON.stringify(payload);
  return {
    headers: {
      'content-type': 'application/json',
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    },
    body,
  };
};
const messages = (message: Readonly<Record<string, unknown>>) => ({
  object: 'whatsapp_business_account',
  entry: [
    {
      id: 'B1',
      changes: [
        {
          field: 'messages',
          value: {
            messaging_product: 'whatsapp',
            metadata: { display_phone_number: '4930', phone_number_id: 'P1' },
            contacts: [{ profile: { name: 'Ada' }, wa_id: '4917' }],
            messages: [
              {
                from: '4917',
                id: 'wamid.1',
                timestamp: '1700000000',
                type: 'text',
                text: { body: 'hello' },
                ...message,
              },
            ],
          },
        },
      ],
    },
  ],
});

const open = () =>
  openBench({
    connector: whatsapp,
    settings: (url) => ({
      accessToken: 'EAA',
      appSecret: APP_SECRET,
      phoneNumberId: 'P1',
      verifyToken: 'check',
      apiUrl: url,
    }),
    answer: graphApi,
  });

webhookSuite({
  open,
  message: ({ id, text }) => signed(messages({ id: `wamid.${id}`, text: { body: text } })),
  refused: {
    'a wrong signature': () => signed(messages({}), 'wrong'),
    'no signature': () => ({ body: JSON.stringify(messages({})) }),
  },
  reply: { externalConversationId: 'P1:4917', text: 'hi' },
  writing: /\/messages$/,
  limited: { status: 429, json: { error: { code: 130429, message: 'Rate limit hit' } } },
  unauthorized: { status: 401, json: { error: { code: 190, type: 'OAuthException', message: 'token expired' } } },
});

describe('WhatsApp', () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await open();
  });
  afterAll(async () => {
    await bench.close();
  });

  it('shows the options of a question as buttons, and sends a press as an answer', async () => {
    const labels = { 'svc.requestOptions': JSON.stringify(['Allow for this session', 'Deny']) };
    await bench.deliver({ externalConversationId: 'P1:4917', labels, deliveryId: 'q-1', text: 'May it run?' });
    expect(
      JSON.parse(
        bench.platform
          .callsTo(/messages/)
          .at(-1)
          ?.body.toString() ?? '',
      ),
    ).toMatchObject({
      type: 'interactive',
      interactive: {
        type: 'button',
        body: { text: 'May it run?' },
        action: {
          buttons: [
            { type: 'reply', reply: { id: 'chat:{"a":"svc:q-1:1"}', title: 'Allow for this sess…' } },
            { type: 'reply', reply: { id: 'chat:{"a":"svc:q-1:2"}', title: 'Deny' } },
          ],
        },
      },
    });
    const reply = { id: 'chat:{"a":"svc:q-1:2"}', title: 'Deny' };
    const press = messages({
      id: 'wamid.7',
      type: 'interactive',
      interactive: { type: 'button_reply', button_reply: reply },
    });
    bench.svc.failures.push({ status: 500 });
    expect((await bench.webhook(signed(press))).status).toBe(503);
    for (const _copy of [1, 2]) expect((await bench.webhook(signed(press))).status).toBe(200);
    expect(bench.svc.outcomes.slice(-2)).toEqual(['ACCEPTED', 'DUPLICATE']);
    expect(bench.svc.events.at(-1)).toMatchObject({
      eventId: 'whatsapp:P1:4917:press:wamid.7',
      matchFields: { phone_number: 'P1', user: '4917' },
      sender: { externalId: '4917', displayName: 'Ada' },
      text: '2',
      labels: { 'svc.delivery': 'q-1' },
    });
  });

  it('sends a command, which is a text with a slash, as a message to the bot, once', async () => {
    const command = signed(messages({ id: 'wamid.21', text: { body: '/ask what?' } }));
    bench.svc.failures.push({ status: 500 });
    expect((await bench.webhook(command)).status).toBe(503);
    for (const _copy of [1, 2]) expect((await bench.webhook(command)).status).toBe(200);
    expect(bench.svc.outcomes.slice(-2)).toEqual(['ACCEPTED', 'DUPLICATE']);
    expect(bench.svc.events.at(-1)).toMatchObject({
      externalMessageId: 'wamid.21',
      sender: { externalId: '4917', displayName: 'Ada' },
      text: '/ask what?',
      labels: { mention: 'true' },
    });
    for (const body of ['/etc/hosts is empty', 'and/or', '/', 'ask']) {
      await bench.webhook(signed(messages({ id: `wamid.${body}`, text: { body } })));
      expect(bench.svc.events.at(-1)?.text).toBe(body);
      expect(bench.svc.events.at(-1)).not.toHaveProperty('labels');
    }
  });

  it('has three buttons with labels of 20 characters below a text of 900, and what is more is answered with a number', async () => {
    const ask = async (deliveryId: string, options: readonly string[], text: string) => {
      const before = bench.platform.callsTo(/messages/).length;
      const labels = { 'svc.requestOptions': JSON.stringify(options) };
      await bench.deliver({ externalConversationId: 'P1:4917', labels, deliveryId, text });
      const sent = bench.platform.callsTo(/messages/).slice(before);
      return sent.map(({ body }) =>
        (JSON.parse(body.toString()).interactive?.action.buttons ?? []).map(
          ({ reply }: { readonly reply: { readonly title: string } }) => reply.title,
        ),
      );
    };
    expect(await ask('three', ['1', '2', '3'], 'Which?')).toEqual([['1', '2', '3']]);
    expect(await ask('four', ['1', '2', '3', '4'], 'Which?')).toEqual([[]]);
    expect(await ask('labels', ['a'.repeat(20), 'b'.repeat(21)], 'Which?')).toEqual([
      ['a'.repeat(20), `${'b'.repeat(19)}…`],
    ]);
    expect(await ask('long', ['Yes', 'No'], 'word '.repeat(190).trim())).toEqual([[], ['Yes', 'No']]);
  });

  it('does not answer for a button of somebody else', async () => {
    const before = bench.svc.events.length;
    const reply = { id: 'approve', title: 'Approve' };
    const press = { id: 'wamid.8', type: 'interactive', interactive: { type: 'button_reply', button_reply: reply } };
    expect((await bench.webhook(signed(messages(press)))).status).toBe(200);
    expect(bench.svc.events.slice(before)).toEqual([]);
  });

  it('answers the check of its address only with the right token', async () => {
    const check = (token: string) =>
      fetch(`${bench.url}/webhook?hub.mode=subscribe&hub.challenge=c1&hub.verify_token=${token}`);
    expect(await (await check('check')).text()).toBe('c1');
    expect((await check('other')).status).toBe(403);
  });

  it('sends messages with who wrote them, and files', async () => {
    await bench.webhook(signed(messages({ id: 'wamid.11' })));
    expect(bench.svc.events.at(-1)).toMatchObject({
      matchFields: { phone_number: 'P1', user: '4917' },
      externalConversationId: 'P1:4917',
      externalMessageId: 'wamid.11',
      conversationType: 'dm',
      sender: { externalId: '4917', displayName: 'Ada', kind: 'user' },
      eventTimeMs: '1700000000000',
    });
    const document = { id: 'M1', filename: 'plan.txt', mime_type: 'text/plain', sha256: 'x', caption: 'see' };
    await bench.webhook(signed(messages({ id: 'wamid.12', type: 'document', text: undefined, document })));
    const taken = bench.svc.events.at(-1);
    expect(taken).toMatchObject({ externalMessageId: 'wamid.12', attachments: [{ mediaType: 'text/plain' }] });
    expect(bench.svc.uploads.get(taken?.attachments?.[0]?.key ?? '')?.toString()).toBe('plan');
  });

  it('waits when Meta limits the rate with status 400', async () => {
    const limited = { status: 400, json: { error: { code: 130_429, message: 'Rate limit hit' } } };
    bench.platform.faults.push({ path: /P1\/messages/, answer: limited });
    const reply = { deliveryId: 'limited-400', externalConversationId: 'P1:4917', text: 'busy' };
    const answer = await bench.deliver(reply);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '30']);
    expect((await bench.deliver(reply)).status).toBe(200);
  });

  it('writes texts and files', async () => {
    const file = bench.svc.offer('answer.pdf', 'application/pdf', Buffer.from('%PDF'));
    const answer = await bench.deliver({
      deliveryId: 'f1',
      externalConversationId: 'P1:4917',
      text: 'here',
      attachments: [file],
    });
    expect(await answer.json()).toMatchObject({ accepted: true });
    expect(bench.platform.callsTo(/P1\/media/)[0]?.body.toString()).toContain('%PDF');
    expect(bench.platform.callsTo(/P1\/messages/).map(({ body }) => JSON.parse(body.toString()).type)).toContain(
      'document',
    );
  });
});
