import { Buffer } from 'node:buffer';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AttestingServer } from './testing/attesting-server.ts';
import { hashOf, keyOf, openForTest } from './testing/s3-places.ts';
import { S3Server } from './testing/s3-server.ts';

const MINUTE = 60_000_000;
const START = 1_750_000_000_000_000;
const bytes = Buffer.from(Array.from({ length: 200_000 }, (_value, index) => index % 251));
const wrong = Buffer.from(bytes.map((value) => value ^ 1));
let count = 0;

const announced = (content: Buffer = bytes, minutes = 15) => ({
  id: `upload-${count++}`,
  sizeBytes: content.length,
  sha256: hashOf(content),
  createdAt: START,
  expiresAt: START + minutes * MINUTE,
});

let plain: S3Server;
let attesting: AttestingServer;

beforeAll(async () => {
  plain = await S3Server.start();
  attesting = await AttestingServer.start();
});
afterAll(async () => {
  await plain[Symbol.asyncDispose]();
  await attesting[Symbol.asyncDispose]();
});
beforeEach(() => {
  attesting.attests = 'whole';
  attesting.disturb = () => undefined;
  attesting.objects.clear();
  attesting.seen.splice(0);
});

const send = async (
  link: { url: string; headers: Readonly<Record<string, string>> },
  body: Uint8Array,
): Promise<number> =>
  (await fetch(link.url, { method: 'PUT', headers: link.headers, body: new Uint8Array(body) })).status;

describe.each([
  ['that computes no SHA-256', () => plain],
  ['that attests the SHA-256', () => attesting],
])('uploads to an S3 service %s', (_name, server) => {
  it('become an object once accepted, and can be accepted again and discarded', async () => {
    const { uploads, blobs } = await openForTest(server());
    const upload = announced();
    expect(await uploads.accept(upload)).toBe('empty');
    expect(await send(await uploads.link(upload), bytes)).toBe(200);
    expect(await blobs.stat(upload.sha256)).toBeUndefined();
    expect(await uploads.accept(upload)).toBe('accepted');
    expect(await uploads.accept(upload)).toBe('accepted');
    expect(Buffer.compare(await blobs.read(upload.sha256), bytes)).toBe(0);
    await uploads.discard(upload);
    await uploads.discard(upload);
    expect(await uploads.accept(upload)).toBe('empty');
    expect(await blobs.stat(upload.sha256)).toEqual({ sizeBytes: bytes.length });
  });

  it('of no bytes at all are objects too', async () => {
    const { uploads, blobs } = await openForTest(server());
    const upload = announced(Buffer.alloc(0));
    expect(await uploads.accept(upload)).toBe('empty');
    expect(await send(await uploads.link(upload), Buffer.alloc(0))).toBe(200);
    expect(await uploads.accept(upload)).toBe('accepted');
    expect((await blobs.read(upload.sha256)).length).toBe(0);
  });

  it('are collected once their links ended, whatever became of them', async () => {
    const { uploads } = await openForTest(server());
    const [early, late] = [announced(bytes, 1), announced(bytes, 15)];
    for (const upload of [late, early]) await send(await uploads.link(upload), bytes);
    expect(await uploads.collect(early.expiresAt)).toBe(0);
    expect(await uploads.collect(early.expiresAt + 1)).toBe(1);
    expect([await uploads.accept(early), await uploads.accept(late)]).toEqual(['empty', 'accepted']);
    expect(await uploads.collect(late.expiresAt + 1)).toBe(1);
    expect(await uploads.collect(Number.MAX_SAFE_INTEGER)).toBe(0);
  });
});

it('leaves alone what others put among the uploads', async () => {
  const { uploads, prefix } = await openForTest(attesting);
  for (const name of ['readme', '1-x', '']) attesting.put(`${prefix}uploads/${name}`, bytes);
  expect(await uploads.collect(Number.MAX_SAFE_INTEGER)).toBe(0);
  expect(attesting.objects.size).toBe(3);
});

describe('links of uploads', () => {
  it('are bound to their key, their size and their end by the signature', async () => {
    const { uploads } = await openForTest(plain);
    const upload = announced();
    const { url, headers } = await uploads.link(upload);
    expect(headers).toEqual({ 'x-amz-checksum-sha256': Buffer.from(upload.sha256, 'hex').toString('base64') });
    expect(new URL(url).searchParams.get('X-Amz-SignedHeaders')).toBe('content-length;host;x-amz-checksum-sha256');
    expect(new URL(url).searchParams.get('X-Amz-Expires')).toBe('900');
    const attempts = [
      await send({ url, headers }, bytes.subarray(1)),
      await send({ url, headers }, Buffer.concat([bytes, bytes])),
      await send({ url: url.replace(upload.id, 'other'), headers }, bytes),
      await send({ url: url.replace(/X-Amz-Expires=\d+/, 'X-Amz-Expires=86400'), headers }, bytes),
      await send({ url, headers: {} }, bytes),
      await send({ url, headers: { 'x-amz-checksum-sha256': Buffer.alloc(32).toString('base64') } }, bytes),
    ];
    expect(attempts).toEqual([403, 403, 403, 403, 403, 403]);
    expect(await send({ url, headers }, bytes)).toBe(200);
  });

  it('never show the secret key', async () => {
    const { uploads } = await openForTest(attesting);
    const { url, headers } = await uploads.link(announced());
    expect(`${url} ${JSON.stringify(headers)}`).not.toContain(attesting.connection.secretKey);
  });
});

describe('wrong bytes', () => {
  it('on a service that computes nothing are found when they are read back', async () => {
    const { uploads, blobs, prefix } = await openForTest(plain);
    const upload = announced();
    expect(await send(await uploads.link(upload), wrong)).toBe(200);
    expect(await uploads.accept(upload)).toBe('hash');
    const [key = ''] = await plain.keys(`${prefix}uploads/`);
    await plain.change(key, () => bytes.subarray(1));
    expect(await uploads.accept(upload)).toBe('size');
    await plain.change(key, () => Buffer.alloc(0));
    expect(await uploads.accept(upload)).toBe('empty');
    expect(await blobs.list('', 10)).toEqual([]);
    expect(await send(await uploads.link(upload), bytes)).toBe(200);
    expect(await uploads.accept(upload)).toBe('accepted');
  });

  it('on a service that attests are refused when they come, and seen when they came otherwise', async () => {
    const { uploads, blobs, prefix } = await openForTest(attesting);
    const upload = announced();
    expect(await send(await uploads.link(upload), wrong)).toBe(400);
    expect(await uploads.accept(upload)).toBe('empty');
    attesting.put(`${prefix}uploads/${upload.expiresAt}-${upload.id}`, wrong);
    expect(await uploads.accept(upload)).toBe('hash');
    expect(await blobs.list('', 10)).toEqual([]);
  });
});

describe('acceptance', () => {
  const sent = async () => {
    const place = await openForTest(attesting);
    const upload = announced();
    await send(await place.uploads.link(upload), bytes);
    attesting.seen.splice(0);
    const from = `${place.prefix}uploads/${upload.expiresAt}-${upload.id}`;
    return { ...place, upload, from, to: keyOf(place.prefix, upload.sha256) };
  };

  it('copies within a service that attests the whole, and reads nothing back', async () => {
    const { uploads, upload, from, to } = await sent();
    expect(await uploads.accept(upload)).toBe('accepted');
    expect(attesting.seen).toEqual([`HEAD ${from}`, `PUT ${to}`]);
  });

  it.each(['whole', 'nothing'] as const)(
    'works behind a prefix of odd characters where it attests %s',
    async (attests) => {
      attesting.attests = attests;
      const { uploads, blobs } = await openForTest(attesting, { prefix: "50% of a+b, c?d#e=f;(g)'h!*~/" });
      const upload = announced();
      expect(await send(await uploads.link(upload), bytes)).toBe(200);
      expect(await uploads.accept(upload)).toBe('accepted');
      expect(Buffer.compare(await blobs.read(upload.sha256), bytes)).toBe(0);
      expect(await blobs.list('', 10)).toEqual([upload.sha256]);
      expect(await uploads.collect(Number.MAX_SAFE_INTEGER)).toBe(1);
    },
  );

  it.each(['parts', 'nothing'] as const)('reads back where the service attests %s', async (attests) => {
    attesting.attests = attests;
    const { uploads, upload, from, to } = await sent();
    expect(await uploads.accept(upload)).toBe('accepted');
    expect(attesting.seen).toEqual([`HEAD ${from}`, `GET ${from}`, `PUT ${to}`]);
  });

  it('believes nothing that changed since the service attested it', async () => {
    const { uploads, blobs, upload, from } = await sent();
    attesting.disturb = ({ headers }) => {
      if (headers['x-amz-copy-source'] !== undefined) attesting.put(from, wrong);
      return undefined;
    };
    expect(await uploads.accept(upload)).toBe('hash');
    expect(await blobs.stat(upload.sha256)).toBeUndefined();
  });

  it.each([
    ['empty', (from: string) => attesting.objects.delete(from)],
    ['size', (from: string) => attesting.put(from, Buffer.concat([bytes, bytes]))],
  ] as const)('says %s when that is what bytes became between two looks', async (verdict, change) => {
    attesting.attests = 'nothing';
    const { uploads, upload, from } = await sent();
    attesting.disturb = ({ method }) => {
      if (method === 'GET') change(from);
      return undefined;
    };
    expect(await uploads.accept(upload)).toBe(verdict);
  });

  it('lets the connection go that bytes of another size came on', async () => {
    attesting.attests = 'nothing';
    const { uploads, upload, from } = await sent();
    attesting.disturb = ({ method }) => {
      if (method === 'HEAD') attesting.put(from, bytes);
      if (method === 'GET') attesting.put(from, Buffer.concat([bytes, bytes]));
      return undefined;
    };
    // The client keeps fifty connections to one service.
    for (let times = 0; times < 60; times++) expect(await uploads.accept(upload)).toBe('size');
  });

  it('can be repeated after the service failed in the middle', async () => {
    const { uploads, blobs, upload } = await sent();
    attesting.disturb = ({ method }) => (method === 'PUT' ? 500 : undefined);
    await expect(uploads.accept(upload)).rejects.toMatchObject({ code: 'UNAVAILABLE', reason: 'STORAGE' });
    attesting.disturb = () => undefined;
    expect(await uploads.accept(upload)).toBe('accepted');
    expect(Buffer.compare(await blobs.read(upload.sha256), bytes)).toBe(0);
  });
});
