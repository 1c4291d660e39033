import { beforeAll, describe, expect, it } from 'vitest';
import { AppUnderTest } from './testing/index.ts';

const TOKEN = 'a-token-for-the-trails-that-is-long-enough';
const app = AppUnderTest.ofSuite({ 'auth.mode': '["token"]', 'auth.token': TOKEN });
const AUTHORIZED = { authorization: `Bearer ${TOKEN}` };
const NS = '/v1/ns/default';

interface Entry {
  readonly kind: string;
  readonly id: string;
  readonly agent: string;
  readonly name: string;
  readonly state: string;
  readonly text: string;
  readonly causedBy: string;
}

const ok = <T>(what: string, body?: unknown): Promise<T> => app.rest.ok<T>(what, body, AUTHORIZED);

beforeAll(async () => {
  await ok(`POST ${NS}/agents`, { name: 'helper' });
  const connections = [{ name: 'clerk', target: { internal: { agent: 'clerk' } } }];
  await ok(`POST ${NS}/agents`, { name: 'clerk' });
  await ok(`POST ${NS}/agents`, { name: 'boss', spec: { a2a: { connections } } });
});

const trail = async (id: string, headers: Readonly<Record<string, string>> = AUTHORIZED): Promise<readonly Entry[]> =>
  (await app.rest.ok<{ entries: readonly Entry[] }>(`GET ${NS}/trails/${encodeURIComponent(id)}`, undefined, headers))
    .entries;

/** Sends and waits for the end of the turn. */
const sent = async (agent: string, message: string) => {
  const { sessionId } = await ok<{ sessionId: string }>(`POST ${NS}/agents/${agent}/sessions`, {});
  const session = `${NS}/agents/${agent}/sessions/${sessionId}`;
  const { turnId, messageId } = await ok<{ turnId: string; messageId: string }>(`POST ${session}/message`, {
    message,
    waitSeconds: 30,
  });
  return { session, turnId, messageId };
};

const kinds = (entries: readonly Entry[]): readonly string[] => entries.map(({ kind }) => kind);
const only = (entries: readonly Entry[], kind: string): Entry => {
  const found = entries.filter((entry) => entry.kind === kind);
  expect([kind, found.length]).toEqual([kind, 1]);
  return found[0] as Entry;
};

describe('the trail of a message', () => {
  it('is its turn with what the turn did and its reply, from whichever of them it is asked for', async () => {
    const { turnId, messageId } = await sent('helper', '!tool current_time {}');
    const entries = await trail(messageId);
    expect(kinds(entries)).toEqual([
      'session_message',
      'turn',
      'model_call',
      'tool_call',
      'model_call',
      'session_message',
    ]);
    expect(entries[0]).toMatchObject({ id: messageId, state: 'user', text: '!tool current_time {}', causedBy: '' });
    expect(only(entries, 'turn')).toMatchObject({
      id: turnId,
      agent: 'helper',
      state: 'COMPLETED',
      causedBy: messageId,
    });
    expect(only(entries, 'tool_call')).toMatchObject({
      name: 'current_time',
      state: 'succeeded',
      causedBy: `${turnId}/1`,
    });
    const reply = entries.find(({ state }) => state === 'assistant');
    expect(reply).toMatchObject({ causedBy: turnId });
    for (const id of [turnId, reply?.id ?? '']) expect(await trail(id)).toEqual(entries);
  });

  it('leads to the turn of another agent that it was given to, and back', async () => {
    const ask = `!tool agent_send ${JSON.stringify({ target: 'clerk', message: 'count the boxes' })}\n!tool agent_wait ${JSON.stringify({ target: 'clerk' })}`;
    const { turnId } = await sent('boss', ask);
    const entries = await trail(turnId);
    const turns = entries.filter(({ kind }) => kind === 'turn');
    expect(turns.map(({ agent }) => agent)).toEqual(['boss', 'clerk']);
    const given = entries.find(({ text, kind }) => kind === 'session_message' && text === 'count the boxes');
    expect(given).toMatchObject({ agent: 'clerk', causedBy: turnId });
    expect(turns[1]).toMatchObject({ causedBy: given?.id });
    expect(await trail(turns[1]?.id ?? '')).toEqual(entries);
  });

  it('leads from a message of a channel to the sessions that it began and to what they published', async () => {
    await ok(`POST ${NS}/channels`, { channel: { metadata: { name: 'room' } } });
    await ok(`POST ${NS}/channels/room/subscriptions`, {
      subscription: { metadata: { name: 'helper' }, spec: { agent: 'helper', trigger: 'all', replyMode: 'tool' } },
    });
    const posted = await ok<{ message: { id: string }; routedSessions: readonly { sessionId: string }[] }>(
      `POST ${NS}/channels/room/messages`,
      { content: '!tool channel_publish {"content":"done"}', author: 'ann' },
    );
    const session = `${NS}/agents/helper/sessions/${posted.routedSessions[0]?.sessionId}`;
    await expect.poll(async () => (await ok<{ state: string }>(`GET ${session}`)).state).toBe('IDLE');
    const entries = await trail(posted.message.id);
    const [post, published] = entries.filter(({ kind }) => kind === 'channel_message');
    expect(post).toMatchObject({ id: posted.message.id, name: 'room', text: expect.stringContaining('ann: ') });
    const turn = only(entries, 'turn');
    expect(published).toMatchObject({ text: 'helper: done', causedBy: turn.id });
    expect(entries.find(({ id }) => id === turn.causedBy)).toMatchObject({ causedBy: posted.message.id });
    expect(await trail(published?.id ?? '')).toEqual(entries);
  });

  it('has the answer that a channel got when the turn had ended', async () => {
    await ok(`POST ${NS}/channels`, { channel: { metadata: { name: 'hall' } } });
    await ok(`POST ${NS}/channels/hall/subscriptions`, {
      subscription: { metadata: { name: 'helper' }, spec: { agent: 'helper', trigger: 'all', replyMode: 'auto' } },
    });
    const { message } = await ok<{ message: { id: string } }>(`POST ${NS}/channels/hall/messages`, {
      content: '!say hi',
    });
    const texts = async () =>
      (await trail(message.id)).filter(({ kind }) => kind === 'channel_message').map(({ text }) => text);
    await expect.poll(texts).toEqual(['!say hi', 'helper: hi']);
    const entries = await trail(message.id);
    const turn = only(entries, 'turn');
    expect(entries.at(-1)).toMatchObject({ kind: 'channel_message', causedBy: turn.id });
    expect(await trail(turn.id)).toEqual(entries);
  });

  it('begins with the instant of a schedule', async () => {
    const spec = { kind: 'every', intervalSeconds: 86_400, inputMessage: 'hello', target: { agent: 'helper' } };
    await ok(`POST ${NS}/schedules`, { schedule: { metadata: { name: 'daily' }, spec } });
    const { turnId } = await ok<{ turnId: string }>(`POST ${NS}/schedules/daily:run`, {});
    await expect.poll(async () => only(await trail(turnId), 'turn').state).toBe('COMPLETED');
    const entries = await trail(turnId);
    const firing = only(entries, 'schedule_firing');
    expect(firing).toMatchObject({ name: 'daily', state: 'fired', causedBy: '' });
    expect(entries.find(({ state }) => state === 'user')).toMatchObject({ causedBy: firing.id });
    expect(kinds(await trail(firing.id)).toSorted()).toEqual(kinds(entries).toSorted());
  });

  it('is not found for an id that the namespace does not know, and names what is wrong', async () => {
    const { turnId } = await sent('helper', 'hi');
    await ok('POST /v1/manifests:apply', { text: JSON.stringify({ kind: 'Namespace', metadata: { name: 'other' } }) });
    const answers = await Promise.all([
      app.rest.call(`GET ${NS}/trails/00000000-0000-7000-8000-000000000000`, undefined, AUTHORIZED),
      app.rest.call(`GET /v1/ns/other/trails/${turnId}`, undefined, AUTHORIZED),
      app.rest.call(`GET ${NS}/trails/${'x'.repeat(513)}`, undefined, AUTHORIZED),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 400]);
    expect(JSON.stringify(answers[0]?.body)).toContain('TRAIL_NOT_FOUND');
    expect(JSON.stringify(answers[2]?.body)).toContain('"id"');
  });
});
