import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { expect, it, onTestFinished } from 'vitest';
import { RestCaller } from './calls/index.ts';
import { ServerProcess, until } from './server-process/index.ts';

it('SIGHUP takes over the level of the log, ends nothing, and leaves everything as it was when the file is broken', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-reload-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'svc.yaml');
  const write = (level: string): void => writeFileSync(file, `telemetry: {logLevel: ${level}, logFormat: json}\n`);
  write('error');
  await using server = await ServerProcess.start({
    environment: { SVC_CONFIG: file, SVC_TELEMETRY_LOG_LEVEL: '' },
  });
  const rest = new RestCaller(server.url);
  const logged = (text: string): Promise<true> =>
    until(`the log says ${text}`, async () => (server.log.includes(text) ? true : undefined));
  await rest.ok('GET /v1/namespaces');
  expect(server.log).not.toContain('"msg":"request"');

  write('info');
  process.kill(server.pid, 'SIGHUP');
  await logged('configuration read again');
  await rest.ok('GET /v1/namespaces');
  await logged('"msg":"request"');

  write('loud');
  process.kill(server.pid, 'SIGHUP');
  await logged('telemetry.logLevel: must be one of');
  await rest.ok('GET /v1/namespaces');
  expect(await server.stop()).toEqual({ code: 0, signal: null });
});
