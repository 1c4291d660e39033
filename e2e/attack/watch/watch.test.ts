import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { freePort, ServerProcess } from '../../server-process/index.ts';
import { FLOOD_MS, ONE_REQUEST_MS, withstand } from './index.ts';
import { machineSlowness, slowness } from './machine-speed.ts';
import { StallWatch } from './stall-watch.ts';

let server: ServerProcess;

beforeEach(async () => {
  server = await ServerProcess.start();
});

afterEach(() => server[Symbol.asyncDispose]());

/** A server that computes for `ms` of processor time when it is asked for anything but /healthz. */
const blocking = (port: number, ms: number) => `
  require('node:http').createServer((request, response) => {
    const before = process.threadCpuUsage();
    if (request.url !== '/healthz') while (process.threadCpuUsage(before).user < ${ms} * 1000);
    response.end('{}');
  }).listen(${port}, '127.0.0.1', () => console.log('listening'));`;

describe('the watch of an attack', () => {
  test('accepts ordinary calls as no attack', async () => {
    const call = async (): Promise<void> => {
      for (let calls = 0; calls < 50; calls++) await (await fetch(`${server.url}/v1/namespaces`)).arrayBuffer();
    };
    const seen = await withstand(server, { budgetMs: ONE_REQUEST_MS, attack: call });
    expect(seen.count).toBeGreaterThan(10);
  });

  test('sees a process that computes for 400 ms', async () => {
    const port = await freePort();
    const child = spawn(process.execPath, ['-e', blocking(port, 400)], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    const url = `http://127.0.0.1:${port}`;
    const watch = await StallWatch.start({ url, pid: child.pid ?? 0 });
    await (await fetch(`${url}/long`)).arrayBuffer();
    const { stallMs } = await watch.stop();
    child.kill();
    expect(stallMs).toBeGreaterThan(FLOOD_MS);
  });

  test.each([
    [[120], 1],
    [[60, 60, 60], 1],
    [[180, 20, 900], 1.5],
    [[5_000], 3],
  ])('takes %j ms for the fixed work as a machine slower by %d', (timesMs, factor) => {
    expect(slowness(timesMs)).toBe(factor);
  });

  test('gives no machine more than three times the budget', () => {
    expect(machineSlowness()).toBeGreaterThanOrEqual(1);
    expect(machineSlowness()).toBeLessThanOrEqual(3);
  });

  test('fails an attack that stalls an ordinary machine longer than any may be stalled', async () => {
    const port = await freePort();
    const child = spawn(process.execPath, ['-e', blocking(port, 400)], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    const url = `http://127.0.0.1:${port}`;
    const attack = async (): Promise<void> => void (await (await fetch(`${url}/long`)).arrayBuffer());
    const judged = withstand({ url, pid: child.pid ?? 0, log: '' }, { budgetMs: ONE_REQUEST_MS, attack });
    await expect(judged).rejects.toThrow(/stalled \d+ ms .* 50 allowed/);
    child.kill();
  });

  test('names a server that ended', async () => {
    const end = withstand(server, { budgetMs: FLOOD_MS, attack: () => server.kill() });
    await expect(end).rejects.toThrow('the attack ended the server');
  });
});
