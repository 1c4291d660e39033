import { afterEach, beforeEach, expect, it } from 'vitest';
import { ConnectorService, type ListeningConnector, listen } from '../../kit/index.ts';
import { Settings } from '../../settings.ts';
import { API_KEY, FakeSvc } from '../../testing/fake-svc.ts';
import { MailServerOfTest } from '../../testing/mail-server.ts';
import { email } from './email.ts';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
let mail: MailServerOfTest;
let svc: FakeSvc;
let connector: ListeningConnector;
let startFailure: unknown;

const start = async (password = 'right'): Promise<void> => {
  const values = { address: 'bot@example.org', password, imap: mail.imapUrl, smtp: mail.smtpUrl, intervalSeconds: '1' };
  const connect = await email.open(new Settings(email.settings, values), { log });
  const service = new ConnectorService({ apiKey: API_KEY, log, connect });
  const onStartFailed = (error: unknown) => {
    startFailure = error;
  };
  connector = await listen(service, { host: '127.0.0.1', port: 0, onStartFailed });
};

const question = [
  'From: Ada Lovelace <ada@example.com>',
  'To: bot@example.org',
  'Subject: The engine',
  'Message-ID: <q1@example.com>',
  'Date: Fri, 02 Jan 2026 03:04:05 +0000',
  'Authentication-Results: mx.example.org; dmarc=pass header.from=example.com',
  'Content-Type: multipart/mixed; boundary=b',
  '',
  '--b',
  'Content-Type: text/plain; charset=utf-8',
  '',
  'Does it rattle?',
  '--b',
  'Content-Type: text/plain; name=plan.txt',
  'Content-Disposition: attachment; filename=plan.txt',
  'Content-Transfer-Encoding: base64',
  '',
  Buffer.from('plan').toString('base64'),
  '--b--',
];
const followUp = [
  'From: ada@example.com',
  'Subject: Re: The engine',
  'Message-ID: <q2@example.com>',
  'References: <q1@example.com> <a1@example.org>',
  'In-Reply-To: <a1@example.org>',
  '',
  'And now?',
  '',
  'On Friday the bot wrote:',
  '> It does.',
];
const conversation = 'ada@example.com <q1@example.com>';

beforeEach(async () => {
  mail = new MailServerOfTest();
  svc = new FakeSvc();
  startFailure = undefined;
  await mail.listen();
  await svc.listen();
});

afterEach(async () => {
  await connector.stop();
  await mail.close();
  await svc.close();
});

it('takes mail that has waited, and marks it only after svc has it', async () => {
  mail.receive(...question);
  await start();
  // Nothing is registered yet: the mail stays where it is.
  expect(mail.mails.map(({ isSeen }) => isSeen)).toEqual([false]);
  svc.failures.push({ status: 500 });
  await svc.register(connector.url);
  await expect.poll(() => mail.mails[0]?.isSeen).toBe(true);
  expect(svc.outcomes).toEqual(['ACCEPTED']);
  expect(svc.events[0]).toMatchObject({
    eventId: 'email:<q1@example.com>',
    matchFields: { mailbox: 'bot@example.org', sender_domain: 'example.com' },
    externalConversationId: conversation,
    externalMessageId: '<q1@example.com>',
    conversationType: 'dm',
    sender: { externalId: 'ada@example.com', displayName: 'Ada Lovelace', kind: 'user' },
    text: 'Subject: The engine\n\nDoes it rattle?',
    eventTimeMs: String(Date.parse('2026-01-02T03:04:05Z')),
    labels: { subject: 'The engine', dmarc: 'pass' },
  });
  const [attachment] = svc.events[0]?.attachments ?? [];
  expect(svc.uploads.get(attachment?.key ?? '')?.toString()).toBe('plan');
});

it('keeps a correspondence together, without its quotes, and leaves its own mail alone', async () => {
  await start();
  await svc.register(connector.url);
  mail.receive('From: bot@example.org', 'Message-ID: <own@example.org>', '', 'mine');
  mail.receive(...followUp);
  mail.receive('From: list@example.com', 'Auto-Submitted: auto-generated', 'Message-ID: <l@example.com>', '', 'news');
  await expect.poll(() => mail.mails.every(({ isSeen }) => isSeen)).toBe(true);
  expect(svc.events).toMatchObject([
    { externalConversationId: conversation, text: 'And now?', sender: { kind: 'user' } },
    { text: 'news', sender: { kind: 'app' } },
  ]);
});

it('answers by mail in the correspondence, once and with files', async () => {
  mail.receive(...question);
  await start();
  await svc.register(connector.url);
  const file = svc.offer('answer.csv', 'text/csv', Buffer.from('a,b'));
  const reply = {
    deliveryId: 'd1',
    externalConversationId: conversation,
    replyToExternalMessageId: '<q1@example.com>',
    text: 'It does.',
    attachments: [file],
  };
  expect(await (await svc.deliver(connector.url, reply)).json()).toMatchObject({ accepted: true });
  expect(await (await svc.deliver(connector.url, reply)).json()).toMatchObject({ disposition: 'duplicate' });
  expect(mail.sent).toHaveLength(1);
  expect(mail.sent[0]?.to).toBe('ada@example.com');
  for (const text of [
    'Subject: Re: The engine',
    'In-Reply-To: <q1@example.com>',
    'It does.',
    'answer.csv',
    'auto-replied',
  ])
    expect(mail.sent[0]?.text).toMatch(new RegExp(text, 'i'));
});

it('gives no automatic answer to a mail that a program has sent', async () => {
  mail.receive(
    'From: ada@example.com',
    'Auto-Submitted: auto-replied',
    'Message-ID: <away@example.com>',
    '',
    'I am away',
  );
  await start();
  await svc.register(connector.url);
  const reply = {
    deliveryId: 'd1',
    externalConversationId: 'ada@example.com <away@example.com>',
    replyToExternalMessageId: '<away@example.com>',
    text: 'Enjoy.',
  };
  expect(await (await svc.deliver(connector.url, reply)).json()).toMatchObject({
    disposition: 'rejected',
    error: expect.stringContaining('a program has sent the mail'),
  });
  expect(mail.sent).toEqual([]);
});

it('sends a reply that was edited and released again as another mail, to one address', async () => {
  await start();
  await svc.register(connector.url);
  const send = (text: string) =>
    svc.deliver(connector.url, { deliveryId: 'd1', externalConversationId: conversation, text });
  for (const text of ['first', 'second']) expect(await (await send(text)).json()).toMatchObject({ accepted: true });
  const ids = mail.sent.map(({ text }) => /^Message-ID:\s*(\S+)/im.exec(text)?.[1]);
  expect(new Set(ids).size).toBe(2);
});

it('takes mail with an id or a sender that is none without using either', async () => {
  mail.receive('From: ada@example.com', `Message-ID: <${'x'.repeat(300)}@example.com>`, '', 'long id');
  mail.receive('From: "ada,victim@example.net"@example.com', 'Message-ID: <two@example.com>', '', 'two addresses');
  mail.receive(
    'From: ada@example.com',
    'Message-ID: <h@example.com>',
    'Content-Type: text/html',
    '',
    '<style>p { color: red }</style><p>only <b>HTML</b></p><p>1 &lt; 2&#33;</p>',
  );
  await start();
  await svc.register(connector.url);
  await expect.poll(() => mail.mails.every(({ isSeen }) => isSeen)).toBe(true);
  expect(svc.events.map(({ text }) => text)).toEqual(['long id', 'only HTML\n1 < 2!']);
  expect(svc.events[0]?.externalMessageId).toMatch(/^<[0-9a-f]{64}@no-id\.invalid>$/);
});

it('does not let mail that svc refuses hold up the rest', async () => {
  await start();
  await svc.register(connector.url);
  svc.failures.push(...Array.from({ length: 50 }, () => ({ status: 400 })));
  for (let count = 1; count <= 60; count += 1)
    mail.receive('From: ada@example.com', `Message-ID: <m${count}@example.com>`, '', `mail ${count}`);
  await expect.poll(() => svc.events.length).toBeGreaterThan(0);
  expect(svc.events[0]?.text).toBe('mail 51');
});

it('tells mail that is refused for good, for now, and for a wrong password apart', async () => {
  await start();
  await svc.register(connector.url);
  const send = (id: string) =>
    svc.deliver(connector.url, { deliveryId: id, externalConversationId: conversation, text: 'x' });
  mail.refusals.push('550 no such user', '451 later');
  expect(await (await send('e1')).json()).toMatchObject({ disposition: 'rejected' });
  expect((await send('e2')).status).toBe(503);
  expect((await send('e2')).status).toBe(200);
});

it('reports a mailbox that it cannot open', async () => {
  await start('wrong');
  expect(startFailure).toBeInstanceOf(Error);
  await svc.register(connector.url);
  await expect.poll(() => svc.statuses.at(-1)?.status).toBe('degraded');
});

it.each([
  ['imap', { imap: 'http://x' }],
  ['smtp', { smtp: 'nonsense' }],
  ['intervalSeconds', { intervalSeconds: '0' }],
  ['address', { address: 'bot' }],
])('refuses a wrong %s', async (name, wrong) => {
  await start();
  const right = {
    address: 'bot@example.org',
    password: 'x',
    imap: 'imaps://mail.example.org',
    smtp: 'smtps://mail.example.org',
  };
  await expect(email.open(new Settings(email.settings, { ...right, ...wrong }), { log })).rejects.toThrow(name);
});
