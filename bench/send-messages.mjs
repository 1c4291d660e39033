/**
 * Durable SendMessage per second over REST: 64 callers send to sessions whose first turn hangs in the model, so that each
 * call is admission alone (message, turn and work item in one synced commit) and no model is measured.
 * `node bench/send-messages.mjs LOAD_MJS`; environment NODE, SVC_MAIN. Prints one JSON line.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';

const CALLERS = 64;
/** `limits.sessionQueue` holds 100 turns behind the running one. */
const MESSAGES_PER_SESSION = 100;
const SESSIONS = 400;
const NAMESPACE = 'default';

const tools = dirname(process.argv[2] ?? '');
const load = (name) => import(pathToFileURL(join(tools, 'lib', name)));
const { Server, canConnect, freePort } = await load('server.mjs');
const { Http1 } = await load('http1.mjs');
const { parallel, pinSelf, round, sleep, summary } = await load('util.mjs');
pinSelf('1');

const directory = mkdtempSync(join(tmpdir(), 'svc-send-'));
const mockPort = await freePort();
const mock = spawn(process.execPath, [join(tools, 'mock-llm.mjs'), '--port', String(mockPort), '--cpu', '1'], {
  stdio: ['ignore', 'ignore', 'inherit'],
});
const profile = JSON.parse(readFileSync(fileURLToPath(new URL('profile.json', import.meta.url)), 'utf8'));
const server = new Server(profile, {
  dir: directory,
  port: await freePort(),
  mockUrl: `http://127.0.0.1:${mockPort}`,
  cpu: '0',
});

const untilConnected = async (port) => {
  for (let tries = 0; !(await canConnect(port)); tries += 1) {
    if (tries > 1000) throw new Error(`no one listens on ${port}\n${server.log()}`);
    await sleep(10);
  }
};

try {
  server.start();
  await Promise.all([untilConnected(server.port), untilConnected(mockPort)]);
  const http = new Http1(server.url, {});
  const base = `/v1/ns/${NAMESPACE}/agents`;
  await http.json('POST', base, { name: 'sender' });
  const paths = new Array(SESSIONS);
  await parallel(SESSIONS, CALLERS, async (index) => {
    const { sessionId } = await http.json('POST', `${base}/sender/sessions`, {});
    paths[index] = `${base}/sender/sessions/${sessionId}/message`;
    await http.json('POST', paths[index], { message: 'HANG' });
  });
  const latencies = [];
  const started = performance.now();
  await parallel(SESSIONS * MESSAGES_PER_SESSION, CALLERS, async (index) => {
    const sent = performance.now();
    await http.json('POST', paths[index % SESSIONS], { message: `message ${index}` });
    latencies.push(performance.now() - sent);
  });
  const perSec = round((latencies.length * 1000) / (performance.now() - started), 1);
  console.log(JSON.stringify({ scenario: 'send', callers: CALLERS, perSec, latencyMs: summary(latencies) }));
  http.close();
} finally {
  await server.kill9();
  mock.kill('SIGTERM');
  rmSync(directory, { recursive: true, force: true });
}
process.exit(0);
