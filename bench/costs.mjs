/**
 * What one operation costs the store: statements and the pieces they leave in, counted on the wire; transactions, rows and bytes
 * of the write-ahead log, counted by PostgreSQL itself; CPU of the server. As rows of a Markdown table for docs/scale.md.
 *
 *   node bench/costs.mjs --postgres URL [--count 400]
 *
 * Makes a database of its own in the server at that address, whose user may create databases and read its statistics.
 * What the server does by itself meanwhile (leases, sweeps) is counted in an idle stretch and taken off.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { startCountingProxy } from './counting-proxy.mjs';
import { BenchServer, pinSelf } from './resource-server.mjs';

const { Client } = createRequire(new URL('../packages/server/package.json', import.meta.url))('pg');
const { values: options } = parseArgs({
  options: { postgres: { type: 'string', default: '' }, count: { type: 'string', default: '400' } },
});
if (options.postgres === '') throw new Error('give a server whose user may create databases: --postgres URL');

const COUNT = Number(options.count);
/** Callers side by side. */
const CALLERS = 16;
/** A session of PostgreSQL that has nothing to do shows what it counted after 10 s. */
const COUNTED_MS = 11_500;
const IDLE_MS = 10_000;
const COLUMNS = ['statements', 'pieces', 'transactions', 'inserted', 'updated', 'deleted', 'wal', 'cpu'];
const AGENT = '/v1/ns/default/agents/writer';

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const address = new URL(options.postgres);
const name = `svc_costs_${process.pid}`;
const admin = new Client({ connectionString: address.href });
await admin.connect();
await admin.query(`CREATE DATABASE ${name}`);
address.pathname = `/${name}`;
const proxy = await startCountingProxy(address);
process.env['SVC_STORE_URL'] = proxy.url.href;

const dataDir = mkdtempSync(join(tmpdir(), 'svc-costs-'));
const server = new BenchServer({ dataDir, isPinned: pinSelf(), flags: [] });

const STATISTICS = `SELECT xact_commit::float8 AS transactions, tup_inserted::float8 AS inserted, tup_updated::float8 AS updated,
  tup_deleted::float8 AS deleted, pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS wal
  FROM pg_stat_database WHERE datname = $1`;
/** Every counter now; CPU in milliseconds. */
const counters = async () => {
  await pause(COUNTED_MS);
  const { rows } = await admin.query(STATISTICS, [name]);
  return { ...rows[0], ...proxy.counts, cpu: server.cpuSeconds() * 1_000, at: performance.now() };
};

const between = (before, after) =>
  Object.fromEntries(Object.keys(before).map((key) => [key, after[key] - before[key]]));

const call = async (method, path, body) => {
  const { status, text } = await server.http.send(
    method,
    path,
    body === undefined ? {} : { body: JSON.stringify(body) },
  );
  if (status !== 200) throw new Error(`${method} ${path}: ${status} ${text}`);
  return JSON.parse(text);
};

/** Runs the operation COUNT times, some side by side. */
const repeat = async (operation) => {
  let next = 0;
  const caller = async () => {
    for (let index = next++; index < COUNT; index = next++) await operation(index);
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
};

const sessions = [];
const apply = (index, title) =>
  call('PUT', `/v1/ns/default/resources/Channel/c${index}`, {
    manifest: {
      apiVersion: 'svc/v1',
      kind: 'Channel',
      metadata: { namespace: 'default', name: `c${index}` },
      spec: { title },
    },
  });
const send = (index, more) =>
  call('POST', `${AGENT}/sessions/${sessions[index]}/message`, { message: 'one two three', ...more });

const operations = [
  ['CreateSession', async () => sessions.push((await call('POST', `${AGENT}/sessions`, {})).sessionId)],
  ['GetSession', (index) => call('GET', `${AGENT}/sessions/${sessions[index]}`)],
  ['GetAgent', () => call('GET', AGENT)],
  ['SendMessage with its whole turn, no tool', (index) => send(index, { waitSeconds: 30 })],
  ['the second turn of a session', (index) => send(index, { waitSeconds: 30 })],
  ['a page of 50 messages', (index) => call('GET', `${AGENT}/sessions/${sessions[index]}/messages?pageSize=50`)],
  ['ApplyResource that creates', (index) => apply(index, 'one')],
  ['ApplyResource that changes', (index) => apply(index, 'two')],
  ['ApplyResource that changes nothing', (index) => apply(index, 'two')],
  ['PostChannelMessage', (index) => call('POST', `/v1/ns/default/channels/c${index}/messages`, { content: 'hello' })],
];

const shown = (value) => (Math.abs(value) < 0.05 ? '0' : value >= 100 ? value.toFixed(0) : value.toFixed(1));

try {
  await server.start();
  await call('POST', '/v1/ns/default/agents', {
    name: 'writer',
  });
  const first = await counters();
  await pause(IDLE_MS);
  const idle = between(first, await counters());
  const titles = ['statements', 'pieces', 'transactions', 'rows inserted', 'updated', 'deleted', 'log, bytes'];
  console.log(`| operation | ${titles.join(' | ')} | CPU of the server, ms |`);
  console.log(`| --- |${' --- |'.repeat(COLUMNS.length)}`);
  for (const [title, operation] of operations) {
    const before = await counters();
    await repeat(operation);
    const used = between(before, await counters());
    const net = (key) => shown(Math.max(0, used[key] - (idle[key] / idle.at) * used.at) / COUNT);
    const row = COLUMNS.map(net);
    console.log(`| ${[title, ...row].join(' | ')} |`);
  }
  const perSecond = (key) => shown(idle[key] / (idle.at / 1_000));
  const row = COLUMNS.map(perSecond);
  console.log(`| an idle node, a second | ${row.join(' | ')} |`);
} finally {
  await server.stop();
  proxy.close();
  await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await admin.end();
  rmSync(dataDir, { recursive: true, force: true });
}
