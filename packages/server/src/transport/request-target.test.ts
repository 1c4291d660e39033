import { connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import type { TransportConfig, TransportServer } from './contract.ts';
import { createTransport } from './create-transport.ts';
import { testConfig, testParts } from './testing/transport-parts.ts';

let server: TransportServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

const AGENT = '/v1/ns/default/agents/helper';

/** Sends a head without a body and answers the status and what follows the head of the answer. */
const ask = async (
  head: { readonly target: string; readonly host: string; readonly method?: string },
  config: Partial<TransportConfig> = {},
): Promise<{ readonly status: number; readonly body: string }> => {
  server ??= await createTransport(testParts({ config: { ...testConfig, ...config } }));
  const { port } = server;
  const text = await new Promise<string>((resolve, reject) => {
    const pieces: Buffer[] = [];
    const socket = connect(port, '127.0.0.1');
    socket.on('data', (piece: Buffer) => pieces.push(piece));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(pieces).toString()));
    const { method = 'GET', target, host } = head;
    socket.write(
      `${method} ${target} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer good\r\nconnection: close\r\n\r\n`,
    );
  });
  return { status: Number(text.slice(9, 12)), body: text.slice(text.indexOf('\r\n\r\n') + 4) };
};

it.each([`http://svc.example${AGENT}`, `http://svc.example:7420${AGENT}?fields=x`, `HTTPS://SVC.EXAMPLE${AGENT}`])(
  'a target in absolute form is served as its path: %s (RFC 9112, 3.2.2)',
  async (target) => {
    const plain = await ask({ target: target.slice(target.indexOf(AGENT)), host: 'svc.example' });
    expect(await ask({ target, host: 'svc.example' })).toEqual(plain);
  },
);

it('a target in absolute form keeps its query, also without a path', async () => {
  const { status, body } = await ask({ target: 'http://svc.example/healthz', host: 'svc.example' });
  expect([status, body]).toEqual([200, expect.stringContaining('ok')]);
  for (const target of ['http://svc.example', 'http://svc.example?a=b'])
    expect(await ask({ target, host: 'svc.example' })).toEqual(
      await ask({ target: `/${target.slice('http://svc.example'.length)}`, host: 'svc.example' }),
    );
  expect((await ask({ target: 'http://svc.example', host: 'svc.example', method: 'OPTIONS' })).status).toBe(204);
});

it('the host of a target in absolute form counts, not that of the header', async () => {
  const config = { loopbackOnly: true };
  const bound = await ask({ target: `http://evil.example${AGENT}`, host: 'localhost' }, config);
  expect([bound.status, bound.body]).toEqual([403, expect.stringContaining('HOST')]);
  const loopback = await ask({ target: `http://localhost:7420${AGENT}`, host: 'evil.example' }, config);
  expect(loopback.status).toBe(200);
  const masked = await ask({ target: `http://localhost@evil.example${AGENT}`, host: 'localhost' }, config);
  expect([masked.status, masked.body]).toEqual([403, expect.stringContaining('HOST')]);
});

it.each(['ftp://svc.example/healthz', 'http:///healthz'])('no other target is taken for a path: %s', async (target) => {
  expect((await ask({ target, host: 'svc.example' })).status).not.toBe(200);
});
