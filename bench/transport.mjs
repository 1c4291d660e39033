/**
 * Calls per second and memory of the transport alone: a handler that answers a frozen agent, over REST (HTTP/1.1
 * keep-alive) and gRPC (cleartext HTTP/2), and 10,000 idle streams over each HTTP version. Needs `h2load`
 * (package nghttp2-client) and `taskset`; the server runs on CPU 0, the load on CPU 1. `node bench/transport.mjs`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { connect } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { create, toBinary } from '@bufbuild/protobuf';

const CALLS = Number(process.env['CALLS'] ?? 200_000);
const STREAMS = Number(process.env['STREAMS'] ?? 10_000);
const STREAM_PATH = '/v1/ns/n/agents/a/sessions/s/stream';
const TOKEN = 'Bearer good';

const serve = async () => {
  const { createTransport } = await import('../packages/server/src/transport/index.ts');
  const { getAgent, testConfig, testParts } = await import(
    '../packages/server/src/transport/testing/transport-parts.ts'
  );
  const { createIds, systemClock, systemRandom } = await import('../packages/server/src/base/index.ts');
  const { serverStream } = await import('../packages/server/src/transport/testing/declared.ts');
  const { GatewayService } = await import('../packages/api/src/gateway.ts');
  const { SessionMessagePartEventSchema } = await import('../packages/api/src/events.ts');
  const sinks = new Set();
  const stream = serverStream(GatewayService.method.streamSessionParts, async (_request, { signal }, sink) => {
    sink.open();
    sinks.add(sink);
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    sinks.delete(sink);
  });
  const ids = createIds(systemClock, systemRandom);
  const server = await createTransport(
    testParts({ config: testConfig, operations: [getAgent, stream], clock: systemClock, ids }),
  );
  let cpu = process.cpuUsage();
  let sequence = 0n;
  const answers = {
    cpu: () => {
      const used = process.cpuUsage(cpu);
      cpu = process.cpuUsage();
      return { cpuMs: (used.user + used.system) / 1000 };
    },
    memory: () => {
      globalThis.gc?.();
      return { rss: process.memoryUsage().rss, streams: sinks.size };
    },
    publish: () => {
      sequence += 1n;
      const event = Object.freeze(
        create(SessionMessagePartEventSchema, { sessionId: 's', sequence, cursor: `c${sequence}` }),
      );
      for (const sink of sinks) sink.send(event, event.cursor);
      return { sent: sinks.size };
    },
  };
  process.on('message', (name) => process.send?.(answers[name]()));
  process.send?.({ port: server.port });
};

const startServer = async () => {
  const command = ['-c', '0', process.execPath, '--expose-gc', import.meta.filename, 'serve'];
  const child = spawn('taskset', command, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const next = () => new Promise((resolve) => child.once('message', resolve));
  const { port } = await next();
  const ask = (name) => {
    const answer = next();
    child.send(name);
    return answer;
  };
  return { port, ask, stop: () => child.kill() };
};

const load = (count, parameters) => {
  const all = ['-c', '1', 'h2load', '-n', String(count), '-t', '1', '-H', `authorization: ${TOKEN}`, ...parameters];
  const { stdout } = spawnSync('taskset', all, { encoding: 'utf8' });
  const failed = Number(/(\d+) failed/.exec(stdout)?.[1] ?? -1);
  if (failed !== 0) throw new Error(`h2load failed:\n${stdout}`);
  return Number(/([\d.]+) req\/s/.exec(stdout)?.[1]);
};

const measure = async (name, parameters) => {
  const server = await startServer();
  const given = parameters(`http://127.0.0.1:${server.port}`);
  load(CALLS / 4, given);
  await server.ask('cpu');
  const rate = load(CALLS, given);
  const { cpuMs } = await server.ask('cpu');
  server.stop();
  console.log(
    `${name}: ${Math.round(rate)} calls/s; ${((cpuMs * 1000) / CALLS).toFixed(1)} us CPU a call = ${Math.round((CALLS * 1000) / cpuMs)} calls per CPU second`,
  );
};

const openHttp1 = (port) =>
  new Promise((resolve, reject) => {
    const headers = { authorization: TOKEN, accept: 'text/event-stream' };
    const call = get({ host: '127.0.0.1', port, path: STREAM_PATH, headers, agent: false }, (answer) =>
      resolve(answer.resume()),
    );
    call.on('error', reject);
  });

const openHttp2 = (session) =>
  new Promise((resolve, reject) => {
    const stream = session.request({ ':path': STREAM_PATH, authorization: TOKEN });
    stream.on('response', resolve);
    stream.on('error', reject);
    stream.resume();
  });

const measureIdle = async (name, open) => {
  const server = await startServer();
  const before = await server.ask('memory');
  const close = await open(server.port);
  const after = await server.ask('memory');
  const perStream = (after.rss - before.rss) / after.streams / 1024;
  await server.ask('cpu');
  await server.ask('publish');
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const { cpuMs } = await server.ask('cpu');
  console.log(
    `${name}: ${after.streams} idle streams, ${perStream.toFixed(1)} KiB of resident memory each; one event to all ${cpuMs.toFixed(0)} ms CPU`,
  );
  server.stop();
  close();
};

const main = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-transport-'));
  const { GetAgentRequestSchema } = await import('../packages/api/src/gateway.ts');
  const message = toBinary(GetAgentRequestSchema, create(GetAgentRequestSchema, { ns: 'default', name: 'helper' }));
  const body = join(folder, 'request.bin');
  writeFileSync(body, Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message]));
  const path = '/v1/ns/default/agents/helper';
  const grpcHeaders = ['-H', 'content-type: application/grpc', '-H', 'te: trailers'];
  await measure('REST GetAgent, HTTP/1.1, 16 connections', (base) => ['--h1', '-c', '16', base + path]);
  await measure('REST GetAgent, HTTP/2, 8 connections x 16', (base) => ['-c', '8', '-m', '16', base + path]);
  await measure('gRPC GetAgent, 8 connections x 16', (base) => [
    '-c',
    '8',
    '-m',
    '16',
    '-d',
    body,
    ...grpcHeaders,
    `${base}/svc.gateway.GatewayService/GetAgent`,
  ]);
  await measureIdle('HTTP/2 NDJSON, 10 connections', async (port) => {
    const sessions = Array.from({ length: 10 }, () => connect(`http://127.0.0.1:${port}`, { maxSessionMemory: 1000 }));
    await Promise.all(sessions.map((session) => new Promise((resolve) => session.once('remoteSettings', resolve))));
    await Promise.all(Array.from({ length: STREAMS }, (_, index) => openHttp2(sessions[index % sessions.length])));
    return () => sessions.map((session) => session.destroy());
  });
  await measureIdle('HTTP/1.1 SSE', async (port) => {
    const answers = [];
    for (let done = 0; done < STREAMS; done += 100) {
      answers.push(
        ...(await Promise.all(Array.from({ length: Math.min(100, STREAMS - done) }, () => openHttp1(port)))),
      );
    }
    return () => answers.map((answer) => answer.destroy());
  });
  rmSync(folder, { recursive: true });
};

await (process.argv[2] === 'serve' ? serve() : main());
