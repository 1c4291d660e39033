/**
 * What work costs that does not begin with a call of a client: events of messaging platforms, replies to them, schedules and workflows.
 *
 *   node bench/coordination.mjs [--events 2000] [--schedules 1000] [--runs 1000]
 *
 * `post` is the message of a client to a channel that no agent listens to, to compare with. `event` is the same message as an event of a
 * platform; `event, answered` one that an agent of the demo model answers, with the reply delivered; `schedule` an instant that begins a
 * turn; `run` a workflow of three steps. The server runs on CPU 0 with SQLite and every write synced, this process with the connector
 * service on CPU 1. Processor time is that of the server, from the first call to the last result.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BenchServer, pinSelf } from './resource-server.mjs';

const { values: options } = parseArgs({
  options: {
    events: { type: 'string', default: '2000' },
    schedules: { type: 'string', default: '1000' },
    runs: { type: 'string', default: '1000' },
    'idle-seconds': { type: 'string', default: '20' },
  },
});
const CALLERS = 64;
const POLL_MS = 20;
const NS = '/v1/ns/default';

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const parallel = async (count, work) => {
  let next = 0;
  const caller = async () => {
    for (let index = next++; index < count; index = next++) await work(index);
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
};

/** A connector service that takes every delivery; `secret` and `deliveries` are what it got. */
const service = { secret: '', deliveries: 0 };
const http = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}');
    if (request.url === '/v1/clusters/register') service.secret = body.callbackAuthKey;
    if (request.url === '/v1/deliveries') service.deliveries += 1;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(request.url === '/v1/deliveries' ? '{"accepted":true,"disposition":"accepted"}' : '{}');
  });
});

/** A value of a run, as steps write it. */
const stored = (path) => `\${${path}}`;

const documents = (endpoint) =>
  [
    { kind: 'Agent', metadata: { name: 'helper' } },
    { kind: 'Channel', metadata: { name: 'room' } },
    {
      kind: 'ConnectorClass',
      metadata: { name: 'chat' },
      spec: {
        runtime: { endpoint },
        auth: { kind: 'apiKey', apiKey: { plain: 'key-of-the-bench' } },
        matchIndexes: [{ name: 'team', fields: ['team'] }],
      },
    },
    connector('posts', { channel: { channel: { name: 'room' } } }),
    connector('answers', { session: { agent: { name: 'helper' } } }),
    {
      kind: 'Workflow',
      metadata: { name: 'three' },
      spec: {
        steps: [
          { id: 'a', type: 'transform', input: { n: stored('$.input.n') } },
          { id: 'b', type: 'transform', after: ['a'], input: { n: stored('$.steps.a.output.n') } },
          { id: 'c', type: 'transform', after: ['b'], input: { n: stored('$.steps.b.output.n') } },
        ],
        output: { n: stored('$.steps.c.output.n') },
      },
    },
  ]
    .map((item) => JSON.stringify(item))
    .join('\n---\n');

const connector = (name, consumer) => ({
  kind: 'Connector',
  metadata: { name },
  spec: { classRef: { name: 'chat' }, matchFields: { team: name }, consumer },
});

let events = 0;
const send = async (team) => {
  events += 1;
  const event = {
    eventId: `event-${events}`,
    matchFields: { team },
    externalConversationId: `conversation-${events}`,
    externalMessageId: `message-${events}`,
    conversationType: 'dm',
    sender: { externalId: 'u1', displayName: 'Ada', kind: 'user' },
    text: 'hello',
  };
  const more = { authorization: `Bearer ${service.secret}` };
  const body = JSON.stringify(event);
  const { status, text } = await server.http.send('POST', '/v1/connectors/message-events', { body, more });
  if (status !== 200 || !text.includes('"accepted"')) throw new Error(`${status} ${text}`);
};

/** Runs the work and prints what one of `count` took. */
const measure = async (name, count, work) => {
  const cpu = server.cpuSeconds();
  const began = performance.now();
  await work();
  const seconds = (performance.now() - began) / 1000;
  const cpuMs = ((server.cpuSeconds() - cpu) * 1000) / count;
  console.log(`| ${name} | ${Math.round(count / seconds)} | ${cpuMs.toFixed(2)} |`);
};

const until = async (isDone) => {
  while (!(await isDone())) await pause(POLL_MS);
};

/** Runs of the workflow that have not ended. */
const openRuns = async () => {
  let open = 0;
  for (const status of ['QUEUED', 'RUNNING']) {
    const { runs } = await server.http.ok('GET', `${NS}/workflows/three/runs?status=${status}&pageSize=1`);
    open += runs.length;
  }
  return open;
};

/** Schedules whose one instant has not begun its turn. */
const waitingSchedules = async (names) => {
  const { schedule } = await server.http.ok('GET', `${NS}/schedules/${names.at(-1)}`);
  if (schedule.status.phase !== 'Completed') return 1;
  names.pop();
  return names.length;
};

const dataDir = mkdtempSync(join(tmpdir(), 'svc-coordination-'));
const server = new BenchServer({ dataDir, isPinned: pinSelf(), flags: [] });
const count = Number(options.events);
const schedules = Number(options.schedules);
const runs = Number(options.runs);
try {
  await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve));
  await server.start();
  await server.http.ok('POST', '/v1/manifests:apply', { text: documents(`http://127.0.0.1:${http.address().port}`) });
  await until(async () => {
    const { resource } = await server.http.ok('GET', `${NS}/resources/Connector/answers`);
    return JSON.stringify(resource.status).includes('"ready"');
  });
  console.log('| what | a second | CPU of each, ms |');
  console.log('| --- | --- | --- |');
  const post = { author: 'ann', content: 'hello' };
  await measure('post', count, () =>
    parallel(count, () => server.http.ok('POST', `${NS}/channels/room/messages`, post)),
  );
  await measure('event', count, () => parallel(count, () => send('posts')));
  await measure('event, answered', count, async () => {
    await parallel(count, () => send('answers'));
    await until(() => service.deliveries === count);
  });
  const at = new Date(Date.now() + 20_000).toISOString();
  const names = Array.from({ length: schedules }, (_, index) => `s${index}`);
  await parallel(schedules, (index) =>
    server.http.ok('POST', `${NS}/schedules`, {
      schedule: {
        metadata: { name: names[index] },
        spec: { kind: 'at', runAt: at, inputMessage: 'hello', target: { agent: 'helper' } },
      },
    }),
  );
  await pause(Math.max(0, Date.parse(at) - Date.now()));
  await measure('schedule', schedules, async () => {
    while ((await waitingSchedules(names)) > 0) if (names.length === schedules) await pause(POLL_MS);
  });
  await measure('run of three steps', runs, async () => {
    await parallel(runs, (index) =>
      server.http.ok('POST', `${NS}/workflows/three/runs`, { inputJson: JSON.stringify({ n: index }) }),
    );
    await until(async () => (await openRuns()) === 0);
  });
  const idle = Number(options['idle-seconds']);
  await pause(5000);
  const cpu = server.cpuSeconds();
  await pause(idle * 1000);
  console.log(
    `\nidle for ${idle} s afterwards: ${Math.round((server.cpuSeconds() - cpu) * 1000)} ms of processor time`,
  );
} finally {
  await server.stop();
  http.close();
  rmSync(dataDir, { recursive: true, force: true });
}
