/**
 * What a session waits for its sandbox of provider `local`: turns of the demo model that run one command.
 *
 *   node bench/sandboxes.mjs [--rounds 20]
 *
 * `plain` is a turn with a tool that needs no sandbox; `cold` the first command of a session (lease, record, backend, jail), `warm` a further one
 * of a session that holds its lease. The server runs on CPU 0 with SQLite and every write synced; its jails may use both.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BenchServer, pinSelf } from './resource-server.mjs';

const { values: options } = parseArgs({ options: { rounds: { type: 'string', default: '20' } } });
const rounds = Number(options.rounds);
const PAUSE_MS = 2;
const AGENTS = '/v1/ns/default/agents';
const CLASS = `
apiVersion: svc/v1
kind: SandboxClass
metadata: { name: jail, namespace: default }
spec: { provider: local }
---
apiVersion: svc/v1
kind: SandboxPolicy
metadata: { name: default, namespace: default }
spec: { classRef: jail }
`;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const dataDir = mkdtempSync(join(tmpdir(), 'svc-sandboxes-'));
const server = new BenchServer({ dataDir, isPinned: pinSelf(), flags: [] });

/** Milliseconds from a message to the end of its turn. */
const turn = async (session, message) => {
  const at = `${AGENTS}/runner/sessions/${session}`;
  const began = performance.now();
  await server.http.ok('POST', `${at}/message`, { message });
  for (;;) {
    const { state } = await server.http.ok('GET', at);
    if (/idle/i.test(state)) break;
    await pause(PAUSE_MS);
  }
  const took = performance.now() - began;
  const { messages } = await server.http.ok('GET', at);
  const said = JSON.stringify(messages);
  if (message.includes('sandbox_exec') && !/exit_code\W+0\b/.test(said)) throw new Error(said);
  return took;
};

const report = (name, times) => {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))].toFixed(0);
  console.log(`${name.padEnd(8)} median ${at(0.5).padStart(5)} ms   95 % within ${at(0.95).padStart(5)} ms`);
};

try {
  await server.start();
  await server.http.ok('POST', '/v1/manifests:apply', { text: CLASS });
  await server.http.ok('POST', AGENTS, { name: 'runner', spec: { capabilities: { sandbox: ['exec'] } } });
  const [plain, cold, warm] = [[], [], []];
  for (let round = 0; round <= rounds; round++) {
    const { sessionId } = await server.http.ok('POST', `${AGENTS}/runner/sessions`, {});
    const command = '!tool sandbox_exec {"command":"echo fine"}';
    const first = await turn(sessionId, command);
    const next = await turn(sessionId, command);
    const without = await turn(sessionId, '!tool current_time {}');
    // The first round finds out which jail works.
    if (round === 0) console.log(`trial   ${first.toFixed(0)} ms, once in a process`);
    else {
      cold.push(first);
      warm.push(next);
      plain.push(without);
    }
  }
  report('plain', plain);
  report('cold', cold);
  report('warm', warm);
} finally {
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
