import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RestCaller, type SessionKey, textOf } from '../calls/index.ts';
import { MockModel, wordsFrom } from '../mock-model/index.ts';
import { PostgresService } from '../postgres-server/index.ts';
import { until } from '../server-process/index.ts';
import { SeededRandom } from '../transports/plan/index.ts';
import { openBatch, streamOpeners } from '../transports/streams/index.ts';
import { FailingCluster } from './failing-cluster.ts';
import { PersistentCaller } from './persistent-caller.ts';
import { type OpenSessions, PersistentReader } from './persistent-reader.ts';

/**
 * Many readers by every transport, which disconnect, lag and resume while processes, the database and the network fail.
 * What each of them put together has to be what is stored. A finding is repeated, as far as machines allow, with its seed:
 *
 *   SVC_READERS_SEED=7 npm test -- readers-under-failure
 *   SVC_READERS_ROUNDS=20 SVC_READERS_SEED=1 npx vitest run --project e2e-postgres readers-under-failure
 */
const ROUNDS = Number(process.env['SVC_READERS_ROUNDS'] ?? 1);
const FIRST_SEED = Number(process.env['SVC_READERS_SEED'] ?? 1);
const isPostgres = process.env['SVC_E2E_STORE'] === 'postgres';
const NODE_COUNTS = isPostgres ? [1, 2] : [1];
const ROUND_MS = 150_000;
/** From the last failure to the end of every reader; a reader that hangs is found by it. */
const END_MS = 60_000;

const SESSIONS = 3;
const TURNS = 4;
const READERS_PER_TRANSPORT = 2;

let model: MockModel;
let postgres: PostgresService | undefined;
beforeAll(async () => {
  model = await MockModel.start();
  if (isPostgres) postgres = await PostgresService.start();
});
afterAll(async () => {
  await model[Symbol.asyncDispose]();
  await postgres?.[Symbol.asyncDispose]();
});

const transports: readonly (readonly [string, OpenSessions])[] = [
  ...streamOpeners.map(([name, open]): [string, OpenSessions] => [
    name,
    (url, [session], after) => open(url, session ?? ['', ''], after.get(session?.[1] ?? '') ?? ''),
  ]),
  ['a batch', openBatch],
];

/** What a turn asks of the model: a short answer, a slow one, a long one, or tools before it. */
const SCRIPTS = ['words 5', 'words 40\npace 20', 'words 400', 'call calculate {"expression":"6*7"}\nwords 20\npace 10'];

const startCluster = (count: number, environment: Readonly<Record<string, string>> = {}): Promise<FailingCluster> =>
  FailingCluster.start(count, { ...model.environment, ...environment }, postgres);

const newSessions = async (cluster: FailingCluster): Promise<readonly SessionKey[]> => {
  const rest = new RestCaller(cluster.directUrls[0] ?? '');
  await rest.createAgent('writer');
  return Promise.all(Array.from({ length: SESSIONS }, () => rest.createSession('writer')));
};

const makeReaders = async (
  cluster: FailingCluster,
  sessions: readonly SessionKey[],
  random: SeededRandom,
): Promise<readonly PersistentReader[]> => {
  const rest = new RestCaller(cluster.directUrls[0] ?? '');
  const fresh = new Map<string, string>();
  for (const session of sessions) fresh.set(session[1], (await rest.messagePage(session)).streamCursor);
  return transports.flatMap(([name, open]) =>
    Array.from({ length: READERS_PER_TRANSPORT }, (_, index) => {
      const first = random.below(SESSIONS);
      const followed = open === openBatch ? sessions : [sessions[first] ?? ['', '']];
      const [lags, reloads] = [index % 2 === 1, random.chance(30)];
      const own = new SeededRandom(random.below(1 << 30));
      const plan = { open, turns: TURNS, fresh, urls: cluster.urls, random: own, lags, reloads };
      const kind = `${lags ? ' lagging' : ''}${reloads ? ' reloading' : ''}`;
      return new PersistentReader({
        ...plan,
        name: `${name}, reader ${index}${kind}`,
        sessions: followed as SessionKey[],
      });
    }),
  );
};

/** Sends every turn of a session, some of them while another runs. */
const converse = async (caller: PersistentCaller, session: SessionKey, random: SeededRandom): Promise<void> => {
  const sent: Promise<void>[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const key = `${session[1]}-${turn}`;
    sent.push(caller.send(session, `turn ${key}\n${random.pick(SCRIPTS)}`, key));
    if (random.chance(60)) await sent.at(-1);
    else await pause(random.below(300));
  }
  await Promise.all(sent);
};

/** Text of every answer that is stored, by message. */
const storedTexts = async (rest: RestCaller, sessions: readonly SessionKey[]): Promise<ReadonlyMap<string, string>> => {
  const texts = new Map<string, string>();
  for (const session of sessions) {
    const answers = (await rest.messages(session)).filter((message) => message.role === 'ROLE_ASSISTANT');
    expect(answers).toHaveLength(TURNS);
    for (const message of answers) texts.set(message.id, textOf(message));
  }
  return texts;
};

const sorted = (texts: ReadonlyMap<string, string>): readonly (readonly [string, string])[] =>
  [...texts].sort(([left], [right]) => (left < right ? -1 : 1));

const seeds = Array.from({ length: ROUNDS }, (_, round) => FIRST_SEED + round);

describe.each(NODE_COUNTS)('on %i node(s)', (count) => {
  it.each(seeds)(
    'every reader ends with the text that is stored, whatever fails around it (seed %i)',
    { timeout: ROUND_MS },
    async (seed) => {
      const random = new SeededRandom(seed);
      await using cluster = await startCluster(count);
      const sessions = await newSessions(cluster);
      const readers = await makeReaders(cluster, sessions, random);
      const caller = new PersistentCaller(cluster.directUrls, new SeededRandom(seed + 1_000));
      const isLate = new AbortController();
      const reading = readers.map((reader) => reader.run(isLate.signal));
      const sending = sessions.map((session) => converse(caller, session, new SeededRandom(random.below(1 << 30))));
      const left = [...cluster.failures];
      while (left.length > 0) {
        await pause(random.below(700));
        const [failure] = left.splice(random.below(left.length), 1);
        if (failure !== undefined) await cluster.fail(failure, random);
      }
      await Promise.all(sending);
      await Promise.race([Promise.all(reading), pause(END_MS, undefined, { ref: false })]);
      isLate.abort();
      const late = readers.filter((reader) => !reader.isOver).map((reader) => reader.state);
      expect(late, cluster.logs).toEqual([]);
      expect([...caller.violations, ...readers.flatMap((reader) => reader.violations)], cluster.logs).toEqual([]);
      const rest = new RestCaller(cluster.directUrls[0] ?? '');
      const stored = await storedTexts(rest, sessions);
      for (const reader of readers) {
        const ids = new Set(reader.plan.sessions.map(([, id]) => id));
        const own = sessions.filter(([, id]) => ids.has(id));
        const expected = own.length === sessions.length ? stored : await storedTexts(rest, own);
        expect(sorted(reader.texts), reader.state).toEqual(sorted(expected));
      }
    },
  );

  it('a reader at full speed that resumes far behind gets everything, by every transport', {
    timeout: ROUND_MS,
  }, async () => {
    await using cluster = await startCluster(count, { SVC_LIMITS_STREAM_BUFFER_EVENTS: '16' });
    const rest = new RestCaller(cluster.directUrls[0] ?? '');
    await rest.createAgent('writer');
    const session = await rest.createSession('writer');
    const { streamCursor } = await rest.messagePage(session);
    // More than the buffers of a connection hold: the server has to wait for the reader.
    const call = `calculate ${JSON.stringify({ expression: Array(400).fill('1').join('+') })}`;
    const batch = [`call ${call}`, ...Array(29).fill(`also ${call}`)];
    await rest.send(session, [...batch, ...batch, 'words 3'].join('\n'), { waitSeconds: 30 });
    await until('the session is idle', async () => (await rest.state(session)) === 'IDLE' || undefined);
    const fresh = new Map([[session[1], streamCursor]]);
    for (const [name, open] of transports) {
      // It never leaves by itself: an end that is no DONE is one that the server made.
      const random = Object.assign(new SeededRandom(1), { chance: () => false });
      const plan = { name, open, sessions: [session], turns: 1, fresh, urls: cluster.urls, random };
      const reader = new PersistentReader({ ...plan, lags: false, reloads: false });
      await reader.run(AbortSignal.timeout(END_MS));
      expect([reader.violations, reader.isOver], reader.state).toEqual([[], true]);
      expect([...reader.texts.values()]).toEqual([wordsFrom(0, 3).join('')]);
    }
  });
});
