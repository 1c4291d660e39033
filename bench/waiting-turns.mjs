/**
 * What turns cost that wait for a person: memory of the server for each, and processor time while nothing happens.
 *
 *   node bench/waiting-turns.mjs [--turns 10000] [--idle-seconds 30]
 *
 * Each turn asks with `ask_user` and parks. Memory is the live heap and what is allocated outside of it after a collection, before and with the waiting
 * turns; the sessions exist before. The server runs on CPU 0 with SQLite and every write synced, this process on CPU 1.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { HEAP_FLAGS, liveHeap } from './live-heap.mjs';
import { BenchServer, pinSelf } from './resource-server.mjs';

const { values: options } = parseArgs({
  options: { turns: { type: 'string', default: '10000' }, 'idle-seconds': { type: 'string', default: '30' } },
});
const turns = Number(options.turns);
const idleSeconds = Number(options['idle-seconds']);
const CALLERS = 64;
const ASK = '!tool ask_user {"question":"Which city?"}';

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const parallel = async (count, work) => {
  let next = 0;
  const caller = async () => {
    for (let index = next++; index < count; index = next++) await work(index);
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
};

const dataDir = mkdtempSync(join(tmpdir(), 'svc-waiting-'));
const heapBytes = liveHeap(dataDir);
const server = new BenchServer({ dataDir, isPinned: pinSelf(), flags: HEAP_FLAGS });
try {
  await server.start();
  const agents = '/v1/ns/default/agents';
  await server.http.ok('POST', agents, { name: 'asker', spec: { capabilities: { people: ['ask'] } } });
  const sessions = [];
  await parallel(turns, async () => {
    const { sessionId } = await server.http.ok('POST', `${agents}/asker/sessions`, {});
    sessions.push(sessionId);
  });
  await pause(5000);
  const empty = await heapBytes(server);
  await parallel(turns, (index) =>
    server.http.ok('POST', `${agents}/asker/sessions/${sessions[index]}/message`, { message: ASK }),
  );
  let open = 0;
  while (open < turns) {
    await pause(1000);
    open = 0;
    for (let token = ''; ; ) {
      const page = await server.http.ok(
        'GET',
        `/v1/ns/default/permission-requests?pageToken=${encodeURIComponent(token)}`,
      );
      open += page.requests.length;
      token = page.nextPageToken;
      if (token === '') break;
    }
  }
  await pause(10_000);
  const waiting = await heapBytes(server);
  const cpuBefore = server.cpuSeconds();
  await pause(idleSeconds * 1000);
  const cpuMs = (server.cpuSeconds() - cpuBefore) * 1000;
  console.log(`| ${turns} turns that wait | memory for each | ${Math.round((waiting - empty) / turns)} B |`);
  console.log(`| the same | processor time in ${idleSeconds} s without calls | ${Math.round(cpuMs)} ms |`);
} finally {
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
