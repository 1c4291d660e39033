import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { ServerProcess, until } from '../server-process/index.ts';
import { FLOOD_MS, withstand } from './watch/index.ts';

const OPEN_FILES = 256;
const token = { SVC_AUTH_MODE: 'token', SVC_AUTH_TOKEN: 'a-token-of-this-test' };

/** A connection that only listens; what it hears is kept. */
interface Idle {
  readonly socket: Socket;
  heard: string;
  isOver: boolean;
}

const open = async (port: number, from: string): Promise<Idle> => {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  const idle: Idle = { socket, heard: '', isOver: false };
  socket.on('error', () => undefined);
  socket.on('close', () => {
    idle.isOver = true;
  });
  socket.on('data', (piece: Buffer) => {
    idle.heard += String(piece);
  });
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  return idle;
};

const openMany = async (port: number, from: string, count: number): Promise<readonly Idle[]> =>
  Promise.all(Array.from({ length: count }, () => open(port, from)));

const closeAll = async (all: readonly Idle[]): Promise<void> => {
  await Promise.all(all.map(({ socket, isOver }) => isOver || once(socket.destroy(), 'close')));
};

describe('a process with few file descriptors', () => {
  test('refuses connections of one address above a quarter of its limit, and serves others', async () => {
    await using server = await ServerProcess.start({ openFiles: OPEN_FILES, environment: token });
    // 3/4 of 256 are 192, of which an address without a credential may have 48.
    const attack = async (): Promise<void> => {
      const idle = await openMany(server.port, '127.0.0.2', 300);
      await until('all but 48 are over', async () =>
        idle.filter(({ isOver }) => isOver).length === 252 ? true : undefined,
      );
      const refused = idle.filter(({ heard }) => /^HTTP\/1\.1 503 .*"reason":"CONNECTIONS"/s.test(heard));
      expect(refused.length).toBeGreaterThan(0);
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
      await closeAll(idle);
    };
    await withstand(server, { budgetMs: FLOOD_MS, attack });
  });

  test('refuses connections of all above its limit and serves again when they are gone', async () => {
    await using server = await ServerProcess.start({ openFiles: OPEN_FILES, environment: token });
    const idle: Idle[] = [];
    for (const from of ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5', '127.0.0.6'])
      idle.push(...(await openMany(server.port, from, 48)));
    await until('those above 192 are over', async () =>
      idle.filter(({ isOver }) => !isOver).length <= 192 ? true : undefined,
    );
    await closeAll(idle);
    await until('new ones are served', async () => {
      const answer = await fetch(`${server.url}/healthz`).catch(() => undefined);
      return answer?.status === 200 ? true : undefined;
    });
  });

  test('lives on when its connections take the last one', async () => {
    // A limit above what the process may open, as an operator may set it.
    const environment = { SVC_LIMITS_CONNECTIONS: '100000' };
    await using server = await ServerProcess.start({ openFiles: OPEN_FILES, environment });
    const idle = await openMany(server.port, '127.0.0.2', 400);
    // The process looks at its own memory every second, which opens a file.
    await until('the failure is logged', async () => (server.log.includes('EMFILE') ? true : undefined));
    await closeAll(idle);
    const answer = await until('it serves again', () => fetch(`${server.url}/healthz`).catch(() => undefined));
    expect(answer.status).toBe(200);
  });
});
