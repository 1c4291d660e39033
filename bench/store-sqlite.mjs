// Hot paths of the embedded store, one process, real sync. Usage: node bench/store-sqlite.mjs [directory [off]]; `off` skips the sync
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createIds, silentLog, systemClock, systemRandom } from '../packages/server/src/base/index.ts';
import { openSqliteStore } from '../packages/server/src/store/sqlite/index.ts';

const dataDir = mkdtempSync(join(process.argv[2] ?? tmpdir(), 'svc-bench-'));
const ids = createIds(systemClock, systemRandom);
const fatal = (error) => {
  throw error;
};
const store = await openSqliteStore({
  dataDir,
  clock: systemClock,
  random: systemRandom,
  log: silentLog,
  fatal,
  durability: process.argv[3] ?? 'group',
});

const report = (name, count, start) => {
  const seconds = (performance.now() - start.at) / 1000;
  const cpu = process.cpuUsage(start.cpu);
  const micros = (cpu.user + cpu.system) / count;
  const rate = Math.round(count / seconds).toLocaleString('en');
  console.log(
    `${name.padEnd(52)} ${rate.padStart(10)}/s  ${((seconds * 1e6) / count).toFixed(1).padStart(9)} us wall  ${micros.toFixed(1).padStart(8)} us cpu`,
  );
};
const begin = () => ({ at: performance.now(), cpu: process.cpuUsage() });

/** Runs `work` `count` times with `callers` at a time. */
const run = async (name, { count, callers }, work) => {
  const start = begin();
  let next = 0;
  const caller = async () => {
    for (let index = next++; index < count; index = next++) await work(index);
  };
  await Promise.all(Array.from({ length: callers }, caller));
  report(name, count, start);
};

const body = JSON.stringify({ tokens: 1234, skills: [], sandbox: '', note: 'x'.repeat(120) });
const session = (id, namespace) => ({
  id,
  namespace,
  agent: 'agent',
  state: 'IDLE',
  fence: 0,
  epoch: 0,
  createdAt: store.now(),
  lastActive: store.now(),
  openTurns: 0,
  activeTurnId: '',
  admission: 0,
  lastMessageId: '',
  lastSequence: 0,
  labels: {},
  body,
});
const message = (sessionId, id, turnId = '') => ({
  id,
  sessionId,
  role: 1,
  createdAt: store.now(),
  labels: {},
  turnId,
  revision: 1,
  parts: JSON.stringify([{ id: '000000', text: { text: 'm'.repeat(330) } }]),
});
const turn = (id, owner, userMessageId) => ({
  id,
  sessionId: owner.id,
  namespace: owner.namespace,
  agent: owner.agent,
  admission: owner.admission + 1,
  state: 'QUEUED',
  ready: true,
  attempt: 0,
  fence: 0,
  worker: '',
  claimExpiresAt: 0,
  stopRequested: false,
  wakeAt: 0,
  createdAt: store.now(),
  finishedAt: 0,
  userMessageId,
  body: JSON.stringify({ cause: { identity: 'user:1', labels: {}, lineage: [] }, options: { profile: '' } }),
});
const resource = (name, kind = 'Session', uid = name) => ({
  key: { kind, namespace: 'default', parent: kind === 'Session' ? 'agent' : '', name },
  apiVersion: 'svc/v1',
  uid,
  generation: 1,
  createdAt: store.now(),
  labels: {},
  annotations: {},
  owners: [],
  finalizers: [],
  spec: JSON.stringify({ agent: 'agent', text: 's'.repeat(200) }),
  status: '{}',
});

const sessions = [];
const createSession = async () => {
  const row = session(ids.next(), `ns-${sessions.length % 20}`);
  await store.write(async (tx) => {
    await tx.log.insertSession(row);
    await tx.resources.insert(resource(row.id));
    await tx.audit.append({
      id: ids.next(),
      at: tx.now(),
      requestId: 'r',
      identity: 'user:1',
      operation: 'CreateSession',
      target: row.id,
      namespace: 'default',
      outcome: 'OK',
      resourceVersion: '',
    });
  });
  sessions.push(row);
};
const admit = async (index) => {
  const { id } = sessions[index % sessions.length];
  await store.write(async (tx) => {
    const row = await tx.log.lockSession(id);
    const messageId = ids.next();
    const opened = turn(ids.next(), row, messageId);
    await tx.log.insertMessage(message(id, messageId, opened.id));
    await tx.log.insertTurn(opened);
    const openTurns = row.openTurns + 1;
    const admission = row.admission + 1;
    await tx.log.saveSession({
      ...row,
      openTurns,
      admission,
      state: 'PROCESSING',
      lastActive: tx.now(),
      lastMessageId: messageId,
    });
    tx.afterCommit(() => undefined);
  });
};
const claim = async (limit, worker) =>
  store.write(async (tx) => {
    const ready = await tx.log.readyTurns(limit);
    for (const each of ready) {
      const row = await tx.log.lockSession(each.sessionId);
      const fence = row.fence + 1;
      const claimed = {
        ...each,
        state: 'RUNNING',
        ready: false,
        worker,
        fence,
        attempt: 1,
        claimExpiresAt: tx.now() + 10_000_000,
      };
      await tx.log.saveTurn(claimed, { fence: each.fence, states: ['QUEUED'] });
      await tx.log.saveSession({ ...row, fence, activeTurnId: each.id });
    }
    return ready.length;
  });
const finish = async (row) => {
  await store.write(async (tx) => {
    const owner = await tx.log.lockSession(row.sessionId);
    const messageId = ids.next();
    await tx.log.insertMessage(message(owner.id, messageId, row.id));
    const done = { ...row, state: 'COMPLETED', worker: '', claimExpiresAt: 0, finishedAt: tx.now() };
    await tx.log.saveTurn(done, { fence: row.fence, states: ['RUNNING'] });
    const openTurns = owner.openTurns - 1;
    await tx.log.saveSession({
      ...owner,
      openTurns,
      activeTurnId: '',
      state: openTurns === 0 ? 'IDLE' : 'PROCESSING',
      lastMessageId: messageId,
    });
  });
};

for (let round = 0; round < 2; round++)
  await run('create session (session, resource, audit), 64 callers', { count: 20_000, callers: 64 }, createSession);
await run('create session, 1 caller', { count: 500, callers: 1 }, createSession);
for (let round = 0; round < 2; round++) {
  await run('admit (lock, message, turn, session), 64 callers', { count: 20_000, callers: 64 }, admit);
  const start = begin();
  let claimed = 0;
  for (let got = await claim(100, 'worker-1'); got > 0; got = await claim(100, 'worker-1')) claimed += got;
  report('claim, 100 a transaction, per turn', claimed, start);
  const open = await store.write((tx) => tx.log.claimedTurns('worker-1', 100_000));
  await run('finish (message, turn, session), 64 callers', { count: open.length, callers: 64 }, (index) =>
    finish(open[index]),
  );
}
await run('admit backlog, 256 callers', { count: 30_000, callers: 256 }, admit);
await run('readyTurns(5000) of 30,000', { count: 10, callers: 1 }, () => store.write((tx) => tx.log.readyTurns(5000)));
await run('readyTurns(8) of 30,000', { count: 2000, callers: 16 }, () => store.write((tx) => tx.log.readyTurns(8)));
await claim(7000, 'worker-2');
const claims = (await store.write((tx) => tx.log.claimedTurns('worker-2', 10_000))).map(({ id, fence }) => ({
  turnId: id,
  fence,
}));
await run(`renewClaims of ${claims.length}`, { count: 20, callers: 1 }, () =>
  store.write((tx) => tx.log.renewClaims('worker-2', claims, tx.now() + 10_000_000)),
);
await run('renewClaims of half', { count: 20, callers: 1 }, () =>
  store.write((tx) =>
    tx.log.renewClaims(
      'worker-2',
      claims.filter((_, index) => index % 2 === 0),
      tx.now() + 10_000_000,
    ),
  ),
);
await run('expiredClaims', { count: 100, callers: 1 }, () => store.write((tx) => tx.log.expiredClaims(tx.now(), 100)));
await run('stuckSessions', { count: 100, callers: 1 }, () => store.write((tx) => tx.log.stuckSessions(100)));

const long = sessions[0].id;
for (let index = 0; index < 40; index++)
  await store.write(async (tx) => {
    for (let each = 0; each < 100; each++) await tx.log.insertMessage(message(long, ids.next()));
  });
await run('messagesBefore, 50 of 4,000, direct', { count: 20_000, callers: 8 }, () =>
  store.direct.log.messagesBefore(long, undefined, 50),
);
await run('messagesBefore, 50 of 4,000, read', { count: 20_000, callers: 8 }, () =>
  store.read((tx) => tx.log.messagesBefore(long, undefined, 50)),
);
await store.write(async (tx) => {
  for (let index = 0; index < 1000; index++) await tx.resources.insert(resource(`agent-${index}`, 'Agent'));
});
const key = (index) => ({ kind: 'Agent', namespace: 'default', parent: '', name: `agent-${index % 1000}` });
for (let round = 0; round < 2; round++)
  await run('get resource, direct, 64 callers', { count: 200_000, callers: 64 }, (index) =>
    store.direct.resources.get(key(index)),
  );
await run('get resource, direct, one a loop turn', { count: 50_000, callers: 1 }, async (index) => {
  await store.direct.resources.get(key(index));
  await new Promise(setImmediate);
});
await run('get session, direct', { count: 100_000, callers: 64 }, (index) =>
  store.direct.log.session(sessions[index % sessions.length].id),
);
await run('get resource, read', { count: 50_000, callers: 1 }, (index) =>
  store.read((tx) => tx.resources.get(key(index))),
);
let versions = new Map();
await run('replace resource status, 64 callers', { count: 20_000, callers: 64 }, async (index) => {
  await store.write(async (tx) => {
    const found = await tx.resources.get(key(index));
    await tx.resources.replace({ ...found, status: `{"at":${index}}` }, found.version, ['status']);
  });
});
versions = await store.direct.resources.list({
  kind: 'Agent',
  scope: { type: 'namespace', namespace: 'default' },
  limit: 200,
});
await run(`list ${versions.length} resources`, { count: 1000, callers: 1 }, () =>
  store.direct.resources.list({ kind: 'Agent', scope: { type: 'namespace', namespace: 'default' }, limit: 200 }),
);
await run('empty transaction, 64 callers', { count: 50_000, callers: 64 }, () => store.write(async () => undefined));
console.log(`rss ${Math.round(process.memoryUsage.rss() / 1048576)} MiB`);
await store.close();
rmSync(dataDir, { recursive: true, force: true });
