import { beforeAll, describe, expect, it } from 'vitest';
import { AppUnderTest } from './testing/index.ts';

const TOKEN = 'a-token-for-the-overrides-that-is-long-enough';
const app = AppUnderTest.ofSuite({ 'auth.mode': '["token"]', 'auth.token': TOKEN });
const AUTHORIZED = { authorization: `Bearer ${TOKEN}` };
const NS = '/v1/ns/default';
const ok = <T>(what: string, body?: unknown, headers: Readonly<Record<string, string>> = AUTHORIZED): Promise<T> =>
  app.rest.ok<T>(what, body, headers);

interface Shown {
  readonly sessionId: string;
  readonly overrides?: object;
}

interface Step {
  readonly provider: string;
  readonly model: string;
  readonly temperature?: number;
}

interface Piece {
  readonly source: string;
  readonly name: string;
  readonly text: string;
}

const keyWith = async (...grants: readonly object[]): Promise<Readonly<Record<string, string>>> => {
  const { secret } = await ok<{ secret: string }>('POST /v1/auth/api-keys', { name: 'one', grants });
  return { authorization: `Bearer ${secret}` };
};

let operator: Readonly<Record<string, string>>;
let agentAdmin: Readonly<Record<string, string>>;

beforeAll(async () => {
  const modelPolicy = { profiles: [{ name: 'default', model: { provider: 'demo', name: 'echo', temperature: 1 } }] };
  const spec = { systemPrompt: 'You are the clerk of {{ agent.name }}.', modelPolicy };
  await ok(`POST ${NS}/agents`, { name: 'helper', spec });
  await ok(`POST ${NS}/agents`, { name: 'open', spec, annotations: { 'option.svc/overrides': 'operator' } });
  operator = await keyWith({ role: 'operator', namespace: 'default' });
  agentAdmin = await keyWith({ role: 'admin', namespace: 'default', agent: 'helper' });
});

const begun = async (agent = 'helper'): Promise<string> => {
  const { sessionId } = await ok<Shown>(`POST ${NS}/agents/${agent}/sessions`, {});
  const session = `${NS}/agents/${agent}/sessions/${sessionId}`;
  await sent(session, 'before');
  return session;
};

const sent = (session: string, message: string): Promise<{ readonly turnId: string }> =>
  ok(`POST ${session}/message`, { message, waitSeconds: 30 });

const fork = async (session: string, overrides?: object): Promise<string> => {
  const { sessionId } = await ok<Shown>(`POST ${session}:fork`, overrides === undefined ? {} : { overrides });
  return `${session.slice(0, session.lastIndexOf('/'))}/${sessionId}`;
};

/** What the model of the next turn was called with, and the system prompt that it got. */
const nextCall = async (
  session: string,
): Promise<{ readonly step: Step | undefined; readonly prompt: Piece | undefined }> => {
  const { turnId } = await sent(session, 'again');
  const { steps } = await ok<{ steps: readonly Step[] }>(`GET ${session}/turns/${turnId}/steps`);
  const request = await ok<{ state: string; pieces: readonly Piece[] }>(
    `GET ${session}/turns/${turnId}/steps/1/request`,
  );
  expect(request.state).toBe('STEP_REQUEST_STATE_EXACT');
  return { step: steps[0], prompt: request.pieces.find(({ source }) => source === 'system_prompt') };
};

const overrides = {
  provider: 'demo',
  model: 'other',
  temperature: 0.5,
  systemPrompt: 'You are {{ agent.name }}, a poet.',
};

describe('a fork with overrides', () => {
  it('runs every turn with them, also after a restart and once it was cleared, and the session that it comes from does not', async () => {
    const session = await begun();
    const copy = await fork(session, overrides);
    expect((await ok<Shown>(`GET ${copy}`)).overrides).toEqual(overrides);
    const changed = {
      step: expect.objectContaining({ provider: 'demo', model: 'other', temperature: 0.5 }),
      prompt: expect.objectContaining({ name: 'session', text: 'You are helper, a poet.' }),
    };
    expect(await nextCall(copy)).toEqual(changed);
    await app.restart();
    expect(await nextCall(copy)).toEqual(changed);
    await ok(`POST ${copy}:clear`, {});
    expect((await ok<Shown>(`GET ${copy}`)).overrides).toEqual(overrides);
    expect(await nextCall(copy)).toEqual(changed);
    expect((await ok<Shown>(`GET ${session}`)).overrides).toBeUndefined();
    expect(await nextCall(session)).toEqual({
      step: expect.objectContaining({ provider: 'demo', model: 'echo', temperature: 1 }),
      prompt: expect.objectContaining({ name: '', text: 'You are the clerk of helper.' }),
    });
  });

  it('changes only what it names, and a fork of it keeps the rest', async () => {
    const warm = await fork(await begun(), { temperature: 0 });
    expect(await nextCall(warm)).toMatchObject({
      step: { model: 'echo', temperature: 0 },
      prompt: { name: '', text: 'You are the clerk of helper.' },
    });
    const again = await fork(warm, { systemPrompt: '' });
    expect((await ok<Shown>(`GET ${again}`)).overrides).toEqual({ temperature: 0, systemPrompt: '' });
    expect(await nextCall(again)).toMatchObject({ step: { temperature: 0 }, prompt: undefined });
    expect((await ok<Shown>(`GET ${await fork(again)}`)).overrides).toEqual({ temperature: 0, systemPrompt: '' });
  });

  it('follows the agent in everything else', async () => {
    const copy = await fork(await begun(), { temperature: 0 });
    await ok(`PUT ${NS}/agents/helper`, { spec: { systemPrompt: 'You are new.' }, updateMask: 'spec.systemPrompt' });
    expect(await nextCall(copy)).toMatchObject({ step: { temperature: 0 }, prompt: { text: 'You are new.' } });
  });
});

describe('a new session with overrides, as an import makes it', () => {
  const sessions = `POST ${NS}/agents/helper/sessions`;

  it('runs with them from its first turn on', async () => {
    const { sessionId, overrides: shown } = await ok<Shown>(sessions, { overrides });
    expect(shown).toEqual(overrides);
    expect(await nextCall(`${NS}/agents/helper/sessions/${sessionId}`)).toEqual({
      step: expect.objectContaining({ provider: 'demo', model: 'other', temperature: 0.5 }),
      prompt: expect.objectContaining({ name: 'session', text: 'You are helper, a poet.' }),
    });
    expect((await ok<Shown>(sessions, { overrides: {} })).overrides).toBeUndefined();
  });

  it('is made by who may change the agent, and with overrides that hold', async () => {
    expect(await app.rest.outcome(sessions, { overrides: { temperature: 0 } }, operator)).toBe(
      '403 OVERRIDES_NOT_ALLOWED',
    );
    expect(await app.rest.outcome(sessions, { overrides: {} }, operator)).toBe('200');
    expect(await app.rest.outcome(sessions, { overrides }, agentAdmin)).toBe('200');
    expect(await app.rest.outcome(sessions, { overrides: { temperature: 3 } }, AUTHORIZED)).toBe('400 FIELD_INVALID');
  });
});

describe('who may override', () => {
  const outcome = async (agent: string, headers: Readonly<Record<string, string>>, body: object = { overrides }) =>
    app.rest.outcome(`POST ${await begun(agent)}:fork`, body, headers);

  it('is who may change the agent, and operators where the agent lets them', async () => {
    expect(await outcome('helper', operator, {})).toBe('200');
    expect(await outcome('helper', operator, { overrides: {} })).toBe('200');
    expect(await outcome('helper', operator)).toBe('403 OVERRIDES_NOT_ALLOWED');
    expect(await outcome('helper', operator, { overrides: { temperature: 0 } })).toBe('403 OVERRIDES_NOT_ALLOWED');
    expect(await outcome('helper', agentAdmin)).toBe('200');
    expect(await outcome('open', operator)).toBe('200');
    expect(await outcome('open', agentAdmin)).toMatch(/^403 /);
  });

  it('cannot be said in other words', async () => {
    const annotations = { 'option.svc/overrides': 'everyone' };
    expect(await app.rest.outcome(`POST ${NS}/agents`, { name: 'typo', annotations }, AUTHORIZED)).toBe(
      '400 FIELD_INVALID',
    );
  });
});

it.each([
  [{ model: '' }, 'overrides.model', 400],
  [{ model: 'x'.repeat(513) }, 'overrides.model', 400],
  [{ provider: 'demo' }, 'overrides.model', 400],
  [{ provider: 'nobody', model: 'x' }, 'overrides.provider', 400],
  [{ temperature: -0.1 }, 'overrides.temperature', 400],
  [{ temperature: 2.1 }, 'overrides.temperature', 400],
  [{ temperature: 'NaN' }, 'overrides.temperature', 400],
  [{ systemPrompt: 'Hello {{ agent.nonsense }}' }, 'overrides.systemPrompt', 400],
  [{ systemPrompt: 'x'.repeat(65_537) }, 'overrides.systemPrompt', 429],
])('refuses overrides %#', async (wrong, field, status) => {
  const answer = await app.rest.call(`POST ${await begun()}:fork`, { overrides: wrong }, AUTHORIZED);
  expect([answer.status, JSON.stringify(answer.body)]).toEqual([status, expect.stringContaining(`"field":"${field}"`)]);
});

it('has no overrides for an agent that an external program runs', async () => {
  const runtime = { kind: 'acp', acp: { command: 'agent' } };
  await ok(`POST ${NS}/agents`, { name: 'outside', spec: { runtime } });
  const { sessionId } = await ok<Shown>(`POST ${NS}/agents/outside/sessions`, {});
  const path = `POST ${NS}/agents/outside/sessions/${sessionId}:fork`;
  expect(await app.rest.outcome(path, { overrides }, AUTHORIZED)).toBe('400 RUNTIME_EXTERNAL');
});
