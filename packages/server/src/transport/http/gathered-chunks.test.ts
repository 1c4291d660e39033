import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { GatheredChunks } from './gathered-chunks.ts';

let server: ReturnType<typeof createServer>;
let writer: Socket;
let reader: Socket;

beforeEach(async () => {
  server = createServer();
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  reader = connect((server.address() as { readonly port: number }).port, '127.0.0.1');
  [writer] = await accepted;
});
afterEach(async () => {
  for (const socket of [reader, writer]) socket.destroy();
  server.close();
  await once(server, 'close');
});

/** Everything that arrives until the writer ends. */
const received = async (): Promise<string> => {
  writer.end();
  const pieces: Buffer[] = [];
  for await (const piece of reader) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('latin1');
};

it.each([
  ['one text', ['a'], 'a'],
  ['texts', ['a', 'bc', 'd'], 'abcd'],
  ['texts and bytes', ['a', Buffer.from([0xe4, 0x80]), 'c'], 'a\u00e4\u0080c'],
  ['nothing', [], ''],
])('%s leave in their order', async (_what, chunks, whole) => {
  const gathered = new GatheredChunks(writer);
  for (const chunk of chunks) expect(gathered.add(chunk)).toBe(true);
  expect(gathered.write()).toBe(true);
  expect(await received()).toBe(whole);
});

it('tell when the socket has no room for more, before and after they leave', () => {
  const gathered = new GatheredChunks(writer);
  const half = 'x'.repeat(writer.writableHighWaterMark / 2);
  expect(gathered.add(half)).toBe(true);
  expect(gathered.add(half)).toBe(false);
  expect(gathered.hasRoom).toBe(false);
  expect(gathered.write()).toBe(false);
  expect(new GatheredChunks(writer).hasRoom).toBe(!writer.writableNeedDrain);
});

it('for a reader that is gone are dropped', async () => {
  writer.destroy();
  await once(writer, 'close');
  const gathered = new GatheredChunks(writer);
  gathered.add('a');
  expect(gathered.write()).toBe(true);
});
