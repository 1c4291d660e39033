/**
 * What work costs that waits: schedules, subscriptions of channels, connectors and suspended runs, with nothing to do for any of them.
 *
 *   node bench/idle-work.mjs [--count 10000] [--idle-seconds 60]
 *
 * Memory is the live heap and what is allocated outside of it after a collection, before and with each of them. The server runs on CPU 0 with
 * SQLite and every write synced, this process with a connector service on CPU 1.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { HEAP_FLAGS, liveHeap } from './live-heap.mjs';
import { BenchServer, pinSelf } from './resource-server.mjs';

const { values: options } = parseArgs({
  options: { count: { type: 'string', default: '10000' }, 'idle-seconds': { type: 'string', default: '60' } },
});
const count = Number(options.count);
const idleSeconds = Number(options['idle-seconds']);
/** As many schedules as a namespace may have, as many subscriptions as a channel. */
const SCHEDULES = 1_000;
const SUBSCRIPTIONS = 200;
const DOCUMENTS = 200;
const CALLERS = 32;
const SETTLE_MS = 10_000;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const numbers = (length) => Array.from({ length }, (_, index) => index);

const service = createServer((request, response) => {
  request.resume();
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
});

const apply = async (documents) => {
  for (let first = 0; first < documents.length; first += DOCUMENTS) {
    const page = documents.slice(first, first + DOCUMENTS);
    await server.http.ok('POST', '/v1/manifests:apply', {
      text: page.map((item) => JSON.stringify(item)).join('\n---\n'),
    });
  }
};

/** `name` may be `namespace/name`. */
const document = (kind, path, spec) => {
  const [name, namespace = 'default'] = path.split('/').toReversed();
  return { kind, metadata: { name, namespace }, spec };
};
const homes = numbers(Math.ceil(count / SCHEDULES)).map((index) => `home${index}`);
const rooms = numbers(Math.ceil(count / SUBSCRIPTIONS)).map((index) => `room${index}`);

const schedules = () =>
  numbers(count).map((index) =>
    document('Schedule', `${homes[Math.floor(index / SCHEDULES)]}/s${index}`, {
      cron: '0 3 1 1 *',
      timezone: 'Europe/Berlin',
      target: { agent: 'helper' },
    }),
  );

const subscriptions = () =>
  numbers(count).map((index) =>
    document('ChannelSubscription', `sub${index}`, {
      channel: rooms[Math.floor(index / SUBSCRIPTIONS)],
      agent: 'helper',
    }),
  );

const connectors = () =>
  numbers(count).map((index) =>
    document('Connector', `c${index}`, {
      classRef: { name: 'chat' },
      matchFields: { team: `team-${index}` },
      consumer: { session: { agent: { name: 'helper' } } },
    }),
  );

const suspendRuns = async () => {
  let next = 0;
  const caller = async () => {
    for (let index = next++; index < count; index = next++)
      await server.http.ok('POST', '/v1/ns/default/workflows/gate/runs', { inputJson: JSON.stringify({ n: index }) });
  };
  await Promise.all(numbers(CALLERS).map(caller));
};

const dataDir = mkdtempSync(join(tmpdir(), 'svc-idle-'));
const heapBytes = liveHeap(dataDir);
const server = new BenchServer({ dataDir, isPinned: pinSelf(), flags: HEAP_FLAGS });

/** Waits until the server does nothing for what was just made, and answers its heap. */
const settled = async () => {
  for (let before = server.cpuSeconds(), used = 1; used > 0.1; ) {
    await pause(SETTLE_MS);
    used = server.cpuSeconds() - before;
    before += used;
  }
  return heapBytes(server);
};

try {
  await new Promise((resolve) => service.listen(0, '127.0.0.1', resolve));
  await server.start();
  const runtime = { endpoint: `http://127.0.0.1:${service.address().port}` };
  const auth = { kind: 'apiKey', apiKey: { plain: 'key-of-the-bench' } };
  const matchIndexes = [{ name: 'team', fields: ['team'] }];
  await apply([
    ...homes.map((name) => ({ kind: 'Namespace', metadata: { name } })),
    document('Agent', 'default/helper', {}),
    ...homes.map((namespace) => document('Agent', `${namespace}/helper`, {})),
    ...rooms.map((name) => document('Channel', name, {})),
    document('ConnectorClass', 'chat', { runtime, auth, matchIndexes }),
    document('Workflow', 'gate', { steps: [{ id: 'stop', type: 'pause', prompt: 'go?' }] }),
  ]);
  let heap = await settled();
  console.log('| what waits | memory for each | CPU of making each, ms |');
  console.log('| --- | --- | --- |');
  for (const [name, make] of [
    ['schedules', () => apply(schedules())],
    ['subscriptions', () => apply(subscriptions())],
    ['connectors', () => apply(connectors())],
    ['suspended runs', suspendRuns],
  ]) {
    const cpu = server.cpuSeconds();
    await make();
    const now = await settled();
    const cpuMs = ((server.cpuSeconds() - cpu) * 1000) / count;
    console.log(`| ${count} ${name} | ${Math.round((now - heap) / count)} B | ${cpuMs.toFixed(2)} |`);
    heap = now;
  }
  const cpu = server.cpuSeconds();
  await pause(idleSeconds * 1000);
  const cpuMs = Math.round((server.cpuSeconds() - cpu) * 1000);
  console.log(`\nwith all of them and no calls: ${cpuMs} ms of processor time in ${idleSeconds} s`);
} finally {
  await server.stop();
  service.close();
  rmSync(dataDir, { recursive: true, force: true });
}
