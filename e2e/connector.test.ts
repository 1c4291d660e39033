import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Command, Home } from './command-line/index.ts';
import { freePort, until } from './server-process/index.ts';

const SECRET = 'a-secret-of-some-length';

interface Reply {
  readonly id: string;
  readonly conversation: string;
  readonly thread?: string;
  readonly text: string;
}

/** The platform of the test: takes replies. */
const replies: Reply[] = [];
let platform: Server;
let home: Home;
let port: string;

beforeAll(async () => {
  home = new Home();
  port = String(await freePort());
  platform = createServer(async (request, response) => {
    replies.push((await json(request)) as Reply);
    response.end('{}');
  });
  await new Promise<void>((resolve) => platform.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await home[Symbol.asyncDispose]();
  await new Promise((resolve) => platform.close(resolve));
});

/** A server with the connector inside, and where webhooks go. */
const up = async (): Promise<{ readonly server: Command; readonly webhook: string }> => {
  const server = home.run(['up', '--no-open', '--port', port, '--connector', 'webhook'], {
    SVC_WEBHOOK_SECRET: SECRET,
    SVC_WEBHOOK_DELIVER_URL: `http://127.0.0.1:${(platform.address() as AddressInfo).port}/replies`,
  });
  const shown = await server.shows(/webhooks go to http:\S+\/webhook/);
  return { server, webhook: /webhooks go to (http:\S+\/webhook)/.exec(shown)?.[1] ?? '' };
};

/** Sends a message as a platform would: again, until it is acknowledged. */
const send = async (webhook: string, id: string, text: string): Promise<void> => {
  const message = { id, conversation: 'shop', thread: 'order-1', sender: { id: 'ada', name: 'Ada' }, text };
  await until(`message ${id} is acknowledged`, async () => {
    const body = JSON.stringify(message);
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const signature = createHmac('sha256', SECRET).update(`${timestamp}.${body}`).digest('hex');
    const headers = { 'svc-webhook-timestamp': timestamp, 'svc-webhook-signature': `sha256=${signature}` };
    const { status } = await fetch(webhook, { method: 'POST', headers, body });
    return status === 200 ? true : undefined;
  });
};

const connector = [
  'apiVersion: svc/v1',
  'kind: Connector',
  'metadata: { name: shop }',
  'spec:',
  '  classRef: webhook',
  '  matchFields: { source: default }',
  '  consumer: { session: { agent: demo, continuity: reuse } }',
].join('\n');

it('answers a message of a platform once, in its thread, though the process is killed and the message comes again', async () => {
  const first = await up();
  const apply = home.run(['apply', '-f', '-'], { SVC_SERVER: `http://127.0.0.1:${port}` });
  apply.write(connector);
  expect(await apply.ended()).toBe(0);
  await send(first.webhook, 'm1', 'where is my parcel?');
  await first.server.stop('SIGKILL');

  const second = await up();
  await send(second.webhook, 'm1', 'where is my parcel?');
  await send(second.webhook, 'm2', 'hello?');
  await until('both messages are answered', async () =>
    new Set(replies.map(({ id }) => id)).size >= 2 ? true : undefined,
  );
  expect(replies[0]).toMatchObject({ conversation: 'shop', thread: 'order-1', text: expect.stringMatching(/./) });
  expect(await second.server.stop()).toBe(0);
  // A reply whose acknowledgement was lost with the process may have come twice, under the same id.
  expect(new Set(replies.map(({ id }) => id)).size).toBe(2);
});
