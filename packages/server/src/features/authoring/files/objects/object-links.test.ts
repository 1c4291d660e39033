import { describe, expect, it } from 'vitest';
import { Fault, ManualClock } from '../../../../base/index.ts';
import type { HttpExchange } from '../../../../operations/index.ts';
import type { BlobStore } from '../../../../store/contracts/index.ts';
import { ObjectLinks } from './object-links.ts';

const object = { key: 'k', sha256: 'a'.repeat(64), mediaType: 'image/png', sizeBytes: 3, filename: 'bild ä.png' };

const served = async (
  links: ObjectLinks,
  path: string,
): Promise<{ status: number; headers: Readonly<Record<string, string>>; body: unknown }> => {
  let answer = { status: 0, headers: {} as Readonly<Record<string, string>>, body: undefined as unknown };
  const exchange = {
    header: () => undefined,
    answer: (status: number, headers: Readonly<Record<string, string>>, body: unknown) => {
      answer = { status, headers, body };
    },
  };
  await links.route().handle(exchange as unknown as HttpExchange, { token: path.slice('/v1/objects/'.length) }, {
    signal: new AbortController().signal,
  } as never);
  return answer;
};

describe('ObjectLinks', () => {
  const clock = new ManualClock();
  const blobs = {
    stat: async () => ({ sizeBytes: 3 }),
    stream: async function* (sha256: string) {
      yield Buffer.from(sha256.slice(0, 3));
    },
  } as unknown as BlobStore;
  const links = new ObjectLinks({ key: { bytes: new Uint8Array(32).fill(1) }, clock, blobs });

  it('serves the bytes as an attachment that no browser runs', async () => {
    const answer = await served(links, links.link('default', object));
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(Buffer.from('aaa'));
    expect(answer.headers).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'content-disposition': "attachment; filename*=UTF-8''bild%20%C3%A4.png",
    });
  });

  it('refuses a changed payload, a foreign signature and an expired link alike', async () => {
    const good = links.link('default', object);
    const [payload = '', signature = ''] = good.slice('/v1/objects/'.length).split('.');
    const other = Buffer.from(JSON.stringify({ sha256: 'b'.repeat(64), type: '', name: '', exp: 9e9 })).toString(
      'base64url',
    );
    const foreign = new ObjectLinks({ key: { bytes: new Uint8Array(32).fill(2) }, clock, blobs }).link(
      'default',
      object,
    );
    for (const bad of [`/v1/objects/${other}.${signature}`, `/v1/objects/${payload}.`, '/v1/objects/x', foreign]) {
      await expect(served(links, bad)).rejects.toMatchObject({ code: 'NOT_FOUND', reason: 'OBJECT_NOT_FOUND' });
    }
    clock.advance(301_000);
    await expect(served(links, good)).rejects.toBeInstanceOf(Fault);
  });

  it('reads no further once the client left, also while it waits for one that lags', async () => {
    let read = 0;
    const slow = {
      stat: async () => ({ sizeBytes: 30 }),
      stream: async function* () {
        for (; read < 10; read++) yield Buffer.from('abc');
      },
    } as unknown as BlobStore;
    const { promise: lagging, resolve: lags } = Promise.withResolvers<void>();
    const stream = { write: () => false, onDrained: () => lags(), end: () => undefined, writable: false };
    const exchange = { header: () => undefined, stream: () => stream };
    const left = new AbortController();
    const others = new ObjectLinks({ key: { bytes: new Uint8Array(32).fill(1) }, clock, blobs: slow });
    const token = others.link('default', object).slice('/v1/objects/'.length);
    const served = others
      .route()
      .handle(exchange as unknown as HttpExchange, { token }, { signal: left.signal } as never);
    await lagging;
    left.abort(new Fault('CANCELLED', 'CLIENT_GONE', 'the client left'));
    await expect(served).rejects.toMatchObject({ reason: 'CLIENT_GONE' });
    expect(read).toBe(1);
  });
});
