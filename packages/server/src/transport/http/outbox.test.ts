import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { chunkOf } from './exchange.ts';
import { Http1Exchange } from './http1-exchange.ts';
import { Outbox } from './outbox.ts';

/** An open streamed answer of a real connection, and what is written to its socket from now on. */
const openStream = async () => {
  const arrived = Promise.withResolvers<{ request: IncomingMessage; response: ServerResponse }>();
  const server = createServer((request, response) => arrived.resolve({ request, response }));
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const received = Promise.withResolvers<string>();
  get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', agent: false }, (answer) => {
    let text = '';
    answer.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    answer.on('end', () => received.resolve(text));
  });
  const { request, response } = await arrived.promise;
  const exchange = new Http1Exchange({ request, response, outbox: new Outbox(), trustSocket: () => undefined });
  exchange.open(200, ['content-type', 'text/plain']);
  const { socket } = response;
  if (socket === null) throw new Error('no socket');
  const writes = vi.spyOn(socket, 'write');
  return { exchange, socket, writes, received: received.promise };
};

describe('a streamed answer over HTTP/1.1', () => {
  it('writes what one callback and its promises bring in one piece, and later events apart', async () => {
    const { exchange, writes, received } = await openStream();
    expect(exchange.write(chunkOf('one'))).toBe(true);
    await Promise.resolve();
    expect(exchange.write(chunkOf('two'))).toBe(true);
    expect(writes).not.toHaveBeenCalled();
    await turn();
    expect(writes.mock.calls.map(([text]) => text)).toEqual(['3\r\none\r\n3\r\ntwo\r\n']);
    exchange.write(chunkOf('three'));
    await turn();
    expect(writes).toHaveBeenCalledTimes(2);
    exchange.end();
    expect(await received).toBe('onetwothree');
  });

  it('keeps the order with text that is not ASCII, with a group of chunks, and at the end', async () => {
    const { exchange, received } = await openStream();
    exchange.write(chunkOf('a'));
    exchange.write(chunkOf('ü'));
    exchange.write(chunkOf('b'));
    exchange.together(() => {
      exchange.write(chunkOf('c'));
      exchange.write(chunkOf('d'));
    });
    exchange.write(chunkOf('e'));
    exchange.end();
    expect(await received).toBe('aübcde');
  });

  it('holds no more than a little back, and tells a lagging reader', async () => {
    const { exchange, socket, writes } = await openStream();
    let drained = 0;
    exchange.onDrained(() => drained++);
    const large = chunkOf('x'.repeat(16 * 1024));
    exchange.write(large);
    expect(writes).toHaveBeenCalledTimes(1);
    while (exchange.write(large));
    expect(exchange.writable).toBe(false);
    exchange.write(chunkOf('y'));
    socket.emit('drain');
    expect(drained).toBeGreaterThan(0);
    exchange.breakOff();
  });

  it('drops what it held when the connection is gone', async () => {
    const { exchange, socket, writes } = await openStream();
    exchange.write(chunkOf('lost'));
    socket.destroy();
    await turn();
    expect(writes).not.toHaveBeenCalled();
    expect(exchange.write(chunkOf('more'))).toBe(false);
  });
});
