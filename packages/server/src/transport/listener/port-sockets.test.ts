import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import process from 'node:process';
import { afterEach, describe, expect, it } from 'vitest';
import { PortSockets } from './port-sockets.ts';

const opened: PortSockets[] = [];
afterEach(() => {
  for (const sockets of opened.splice(0)) sockets.close();
});

const listening = async (
  onConnection: (socket: Socket) => void,
  place = { host: '127.0.0.1', port: 0 },
  os?: string,
) => {
  const sockets = new PortSockets(onConnection, os);
  opened.push(sockets);
  return { sockets, port: (await sockets.listen(place)).port };
};

/** A process that opens connections while this one does nothing; resolves with how to end it. */
const clientsOf = (port: number, count: number) => {
  const code = `let left = ${count};
    for (let i = 0; i < ${count}; i++) require('node:net').connect(${port}, '127.0.0.1', () => { if (--left === 0) console.log('all'); });`;
  return spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
};

/** Turns of the event loop, each as busy as `work` makes it, until `isDone`. */
const turnsUntil = async (isDone: () => boolean, work: () => void): Promise<number> => {
  let turns = 0;
  for (; !isDone(); turns++) {
    work();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return turns;
};

const busyFor = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

describe.runIf(process.platform === 'linux')('the sockets of a port', () => {
  it('take many new connections in a turn of the event loop', async () => {
    const accepted: Socket[] = [];
    const { port } = await listening((socket) => accepted.push(socket));
    const clients = clientsOf(port, 200);
    // Nothing is accepted while the clients connect: the loop is held until they have long had the time for it, then turns.
    const turns = await turnsUntil(
      () => accepted.length > 0,
      () => busyFor(1),
    ).then(() => {
      busyFor(1000);
      return turnsUntil(
        () => accepted.length === 200,
        () => undefined,
      );
    });
    expect(turns).toBeLessThan(100);
    for (const socket of accepted) socket.destroy();
    clients.kill();
  });

  it('share a port with no other server: neither with one like it nor with a plain one', async () => {
    const { port } = await listening((socket) => socket.destroy());
    const inUse = expect.objectContaining({ code: 'EADDRINUSE' });
    await expect(listening(() => undefined, { host: '127.0.0.1', port })).rejects.toEqual(inUse);
    const plain = createServer();
    plain.listen(port, '127.0.0.1');
    await expect(once(plain, 'listening')).rejects.toEqual(inUse);
  });

  it('are not opened while another process opens them on the same port', async () => {
    const free = createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const { port } = free.address() as { port: number };
    await new Promise((resolve) => free.close(resolve));
    const other = createServer().listen({ path: `\0svc-port-${port}` });
    await once(other, 'listening');
    await expect(listening(() => undefined, { host: '127.0.0.1', port })).rejects.toMatchObject({
      code: 'EADDRINUSE',
      port,
      message: `another process is about to listen on port ${port}`,
    });
    await new Promise((resolve) => other.close(resolve));
    expect((await listening(() => undefined, { host: '127.0.0.1', port })).port).toBe(port);
  });
});

describe('on any system', () => {
  it.each(['linux', 'darwin'])('drop connections without an answer while they are told to (%s)', async (os) => {
    let accepted = 0;
    const { sockets, port } = await listening(
      (socket) => {
        accepted += 1;
        socket.end('hello');
      },
      { host: '127.0.0.1', port: 0 },
      os,
    );
    const answerOf = async (): Promise<string> => {
      const socket = connect(port, '127.0.0.1');
      let text = '';
      socket.setEncoding('utf8').on('data', (piece) => {
        text += String(piece);
      });
      socket.on('error', () => undefined);
      await once(socket, 'close');
      return text;
    };
    expect(await answerOf()).toBe('hello');
    sockets.drop(true);
    expect(await answerOf()).toBe('');
    sockets.drop(false);
    expect([await answerOf(), accepted]).toEqual(['hello', 2]);
    sockets.close();
    expect(sockets.isListening).toBe(false);
  });
});
