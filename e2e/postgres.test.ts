// @service postgresql
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RestCaller, type SessionKey, SessionReader, textOf } from './calls/index.ts';
import { expectSeenWhole } from './crash/tool-turn.ts';
import { MockModel, wordsFrom } from './mock-model/index.ts';
import { PostgresService } from './postgres-server/index.ts';
import { ServerProcess, until } from './server-process/index.ts';

/** Longer than any test: a turn of a killed process that goes on did not wait for its lease. */
const LONG_LEASE = { SVC_RUNTIME_LEASE: '10m' };
const words = (count: number): string => wordsFrom(0, count).join('');

const postgres = await PostgresService.start();
afterAll(() => postgres?.[Symbol.asyncDispose]());

const storeOn = async (): Promise<Readonly<Record<string, string>>> => ({
  ...LONG_LEASE,
  SVC_STORE_URL: (await postgres?.createDatabase()) ?? '',
});

describe.skipIf(postgres === undefined)('a server on PostgreSQL', () => {
  let model: MockModel;
  let server: ServerProcess;
  let rest: RestCaller;
  beforeAll(async () => {
    model = await MockModel.start();
    server = await ServerProcess.start({ environment: { ...model.environment, ...(await storeOn()) } });
    rest = new RestCaller(server.url);
    await rest.createAgent('writer');
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
  });

  const idle = (session: SessionKey): Promise<true> =>
    until('the session is idle', async () => (await rest.state(session)) === 'IDLE' || undefined);
  const readiness = (status: number): Promise<true> =>
    until(`readiness answers ${status}`, async () => {
      const answer = await rest.fetch('/readyz');
      await answer.text();
      return answer.status === status || undefined;
    });

  it('holds a conversation and streams it', async () => {
    const session = await rest.createSession('writer');
    const reader = new SessionReader(rest, session, { keepsCursor: true });
    await reader.start();
    await rest.send(session, 'turn one\nwords 5');
    await idle(session);
    await reader.ended();
    expect((await rest.messages(session)).map(textOf)).toEqual(['turn one\nwords 5', words(5)]);
    await expectSeenWhole(rest, session, reader);
  });

  it('completes a turn killed in the middle of its answer once, for a reader that resumes too', async () => {
    const session = await rest.createSession('writer');
    const reader = new SessionReader(rest, session, { keepsCursor: true });
    await reader.start();
    await rest.send(session, 'killed\nwords 8\ngate half 4');
    await model.arrivedAt('half');
    await server.kill();
    model.open('half');
    await server.restart();
    await reader.ended();
    await idle(session);
    expect((await rest.messages(session)).map(textOf)).toEqual(['killed\nwords 8\ngate half 4', words(8)]);
    await expectSeenWhole(rest, session, reader);
  });

  it('is not ready while the database is away, and goes on when it is back', async () => {
    const session = await rest.createSession('writer');
    await rest.send(session, 'before\nwords 2');
    await idle(session);
    await postgres?.crash();
    await readiness(503);
    const refused = await rest.fetch('/v1/ns/default/agents');
    const text = await refused.text();
    expect([refused.status, text.includes('STORAGE')]).toEqual([503, true]);
    expect(text).not.toMatch(/postgres|select|127\.0\.0\.1/i);
    await postgres?.up();
    await readiness(200);
    await rest.send(session, 'after\nwords 3');
    await idle(session);
    expect((await rest.messages(session)).map(textOf)).toEqual([
      'before\nwords 2',
      words(2),
      'after\nwords 3',
      words(3),
    ]);
  });
});

describe.skipIf(postgres === undefined)('a server whose connections are ended', () => {
  const TURNS = 40;
  const CALLS = 4;
  const text = (index: number): string =>
    [`turn ${index}`, ...Array.from({ length: CALLS }, () => 'call calculate {"expression":"6*7"}'), 'words 3'].join(
      '\n',
    );

  it('again and again completes every turn that was under way, each once (K24, 12.15)', async () => {
    await using model = await MockModel.start();
    // A claim whose commit was not answered is taken up when its lease is over.
    const environment = { ...model.environment, ...(await storeOn()), SVC_RUNTIME_LEASE: '6s' };
    await using server = await ServerProcess.start({ environment });
    const rest = new RestCaller(server.url);
    await rest.createAgent('counter');
    const sessions = await Promise.all(Array.from({ length: TURNS }, () => rest.createSession('counter')));
    await Promise.all(sessions.map((session, index) => rest.send(session, text(index))));
    let cuts = 0;
    for (let asked = 0; model.requests.length < TURNS * (CALLS + 1); asked = model.requests.length) {
      await postgres?.cut();
      cuts += 1;
      await until('a turn asks the model again', async () => model.requests.length > asked || undefined);
    }
    for (const [index, session] of sessions.entries()) {
      await until('the turn is over', async () => (await rest.state(session)) === 'IDLE' || undefined);
      const messages = await rest.messages(session);
      expect(messages.map(textOf)).toEqual([text(index), words(3)]);
      const parts = (messages[1]?.parts ?? []).map((part) => part.partType.replace('SESSION_MESSAGE_PART_TYPE_', ''));
      expect(parts.filter((type) => type === 'TOOL_RESULT')).toHaveLength(CALLS);
      expect(parts.filter((type) => type === 'ERROR')).toEqual([]);
    }
    expect(cuts).toBeGreaterThan(1);
  });
});

describe.skipIf(postgres === undefined)('a node on PostgreSQL that is killed', () => {
  it('is replaced by the other one at once: its turn goes on there, and its tokens count there', async () => {
    await using model = await MockModel.start();
    const secrets = { SVC_SECRETS_KEYS: JSON.stringify([{ id: 'first', key: 'a passphrase of some length' }]) };
    const access = { SVC_AUTH_MODE: 'token', SVC_AUTH_TOKEN: 'the token of the nodes' };
    const environment = { ...model.environment, ...(await storeOn()), ...secrets, ...access };
    await using first = await ServerProcess.start({ environment });
    await using second = await ServerProcess.start({ environment });
    const authorization = `Bearer ${access.SVC_AUTH_TOKEN}`;
    const rest = new RestCaller(first.url, { authorization });
    await rest.createAgent('writer');
    const session = await rest.createSession('writer');
    await rest.send(session, 'killed\nwords 8\ngate half 4');
    await model.arrivedAt('half');
    const grants = [{ role: 'viewer', namespace: 'default' }];
    const { accessToken } = await rest.ok<{ accessToken: string }>('POST /v1/auth/tokens', { grants });
    await first.kill();
    model.open('half');
    const other = new RestCaller(second.url, { authorization: `Bearer ${accessToken}` });
    await until('the session is idle', async () => (await other.state(session)) === 'IDLE' || undefined);
    expect((await other.messages(session)).map(textOf)).toEqual(['killed\nwords 8\ngate half 4', words(8)]);
  });
});
