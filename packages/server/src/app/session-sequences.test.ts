import { beforeAll, describe, expect, it } from 'vitest';
import { AppUnderTest, EventReader, gate, type PartEvent, shapeOf } from './testing/index.ts';

const ASK = { goals: [{ action: 'create', approval: 'ask' }] };
const GOALS = [{ type: 'toolset', name: 'goals' }];
const CREATE_GOAL = '!tool create_goal {"objective":"learn"}';

const app = AppUnderTest.ofSuite({ 'limits.sessionQueue': '3' });
const { rest } = app;
beforeAll(async () => {
  await rest.ok('POST /v1/ns/default/agents', { name: 'plain' });
  await rest.ok('POST /v1/ns/default/agents', { name: 'asking', spec: { capabilities: ASK, features: GOALS } });
});

interface Talk {
  readonly session: string;
  readonly reader: EventReader;
}

/** A new session and a reader that sees everything of it. */
const talk = async (agent = 'plain', query = ''): Promise<Talk> => {
  const session = await rest.session(agent);
  return { session, reader: await EventReader.open(rest, `${session}/stream${query}`) };
};

const idsOf = (events: readonly PartEvent[]): string[] => [...new Set(events.map((event) => event.messageId))];
const textOf = (events: readonly PartEvent[]): string =>
  events.map((event) => (event.part?.partType.endsWith('_TEXT') === true ? event.part.content : '')).join('');
interface Page {
  readonly items: readonly { readonly message: { readonly id: string; readonly role: string } }[];
  readonly state: string;
}
const page = (session: string): Promise<Page> => rest.ok<Page>(`GET ${session}/messages`);

describe('the events of one turn (API-5.1)', () => {
  it('plain: text, usage, DONE, numbered upwards under one message', async () => {
    const { session, reader } = await talk();
    const sent = await rest.send(session, 'hello');
    const events = await reader.ends();
    expect(shapeOf(events)).toEqual(['TEXT', 'USAGE', 'DONE completed']);
    expect(textOf(events)).toBe('You said: hello');
    expect(idsOf(events)).toEqual([sent.replyMessageId]);
    const numbers = events.map((event) => Number(event.sequence));
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
    expect(await page(session)).toMatchObject({ state: 'IDLE', items: [{}, { message: { id: sent.replyMessageId } }] });
  });

  it('reasoning: reasoning, text, usage, DONE', async () => {
    const { session, reader } = await talk();
    await rest.send(session, '!think why\n!say so');
    expect(shapeOf(await reader.ends())).toEqual(['REASONING', 'TEXT', 'USAGE', 'DONE completed']);
  });

  it('tools: each model call with its usage, its calls and a result each', async () => {
    const { session, reader } = await talk();
    await rest.send(session, '!tool calculate {"expression":"6*7"}\n!tool nothing {}\n!say done');
    const events = await reader.ends();
    expect(shapeOf(events)).toEqual([
      'USAGE',
      'TOOL_CALL',
      'TOOL_CALL',
      'TOOL_RESULT',
      'TOOL_RESULT',
      'TEXT',
      'USAGE',
      'DONE completed',
    ]);
    const results = events.filter((event) => event.part?.partType.endsWith('TOOL_RESULT'));
    const errors = results.map((event) => [event.part?.name, JSON.parse(event.part?.payloadJson ?? '').is_error]);
    expect(errors.toSorted()).toEqual([
      ['calculate', false],
      ['nothing', true],
    ]);
  });

  it('permission: call, question while WAITING, answer, result', async () => {
    const { session, reader } = await talk('asking');
    await rest.send(session, `${CREATE_GOAL}\n!say kept`);
    const asked = await reader.until((event) => event.part?.partType.endsWith('REQUEST_PERMISSION') === true);
    const request = JSON.parse(asked.part?.payloadJson ?? '') as { request_id: string };
    expect(await page(session)).toMatchObject({ state: 'WAITING' });
    await rest.ok(`POST ${session}/permissions/${request.request_id}`, { decision: 'ALLOW' });
    expect(shapeOf(await reader.ends())).toEqual([
      'USAGE',
      'TOOL_CALL',
      'REQUEST_PERMISSION',
      'PERMISSION_RESULT',
      'TOOL_RESULT',
      'TEXT',
      'USAGE',
      'DONE completed',
    ]);
  });

  it('error: what was produced, then ERROR, which is stored as last part', async () => {
    const { session, reader } = await talk();
    await rest.send(session, '!say half\n!error provider_invalid_request');
    const events = await reader.ends();
    expect(shapeOf(events).at(-1)).toMatch(/^ERROR ./);
    expect(shapeOf(events)[0]).toBe('TEXT');
    const last = events.at(-1);
    expect(JSON.parse(last?.part?.payloadJson ?? '')).toMatchObject({ reason: last?.reason });
    const stored = await rest.ok<{ items: { message: { parts: { partType: string }[] } }[] }>(
      `GET ${session}/messages`,
    );
    expect(stored.items.at(-1)?.message.parts.at(-1)?.partType).toBe('SESSION_MESSAGE_PART_TYPE_ERROR');
    await rest.send(session, 'next');
    expect(shapeOf((await reader.ends()).slice(events.length))).toEqual(['TEXT', 'USAGE', 'DONE completed']);
  });

  it('refused and limit: DONE says why the model ended', async () => {
    const { session, reader } = await talk();
    await rest.send(session, 'a\n!finish length');
    await reader.ends();
    await rest.send(session, 'b\n!finish content_filter');
    const reasons = (await reader.ends()).filter((event) => event.kind.endsWith('DONE')).map((event) => event.reason);
    expect(reasons).toEqual(['limit', 'refused']);
  });
});

describe('a stop (API-5.1)', () => {
  it('of the running turn ends with DONE stopped; what was shown is stored', async () => {
    const { session, reader } = await talk();
    const sent = await rest.send(session, `!say shown\n${gate(1)}\n!say hidden`);
    await app.clock.reached(1);
    await reader.until((event) => textOf([event]).includes('shown'));
    expect(await rest.ok(`POST ${session}:stop`, {})).toEqual({ success: true, stoppedTurnIds: [sent.turnId] });
    expect(shapeOf(await reader.ends()).at(-1)).toBe('DONE stopped');
    expect(JSON.stringify(await page(session))).toContain('"content":"shown"');
    expect(await rest.ok(`POST ${session}:stop`, {})).toEqual({ success: true, stoppedTurnIds: [] });
    expect(await rest.ok(`POST ${session}:stop`, { turnId: sent.turnId })).toEqual({
      success: true,
      stoppedTurnIds: [],
    });
    expect(await rest.outcome(`POST ${session}:stop`, { turnId: sent.messageId })).toBe('404 TURN_NOT_FOUND');
  });

  it('of a queued turn shows after the running one, but at once on a stream of that turn', async () => {
    const { session, reader } = await talk();
    const running = await rest.send(session, `!say a\n${gate(2)}\n!say b`);
    await app.clock.reached(2);
    const queued = await rest.send(session, 'queued');
    const alone = await EventReader.open(rest, `${session}/stream?turnId=${queued.turnId}`);
    await rest.ok(`POST ${session}:stop`, { turnId: queued.turnId });
    const [only] = await alone.rest();
    expect(only).toMatchObject({ reason: 'stopped', sequence: '0', cursor: '', messageId: queued.replyMessageId });
    await app.clock.open(2);
    const ends = (await reader.ends(2)).filter((event) => event.kind.endsWith('DONE'));
    expect(ends.map((event) => [event.turnId, event.messageId, event.reason])).toEqual([
      [running.turnId, running.replyMessageId, 'completed'],
      [queued.turnId, queued.replyMessageId, 'stopped'],
    ]);
  });
});

describe('a message to a busy session (API-5.1, 8.3)', () => {
  it('steers: the next model call answers under a second message, and only that one ends', async () => {
    const { session, reader } = await talk();
    const first = await rest.send(session, `${gate(3)}\n!tool current_time {}\n!say never`);
    await app.clock.reached(3);
    const steer = await rest.send(session, 'rather this', { whenBusy: 'STEER' });
    expect(steer.turnId).toBe(first.turnId);
    await app.clock.open(3);
    const events = await reader.ends();
    expect(shapeOf(events)).toEqual(['USAGE', 'TOOL_CALL', 'TOOL_RESULT', 'TEXT', 'USAGE', 'DONE completed']);
    const [m1, m2, ...more] = idsOf(events);
    expect([m1, more]).toEqual([first.replyMessageId, []]);
    expect(events.at(-1)?.messageId).toBe(m2);
    const ids = (await page(session)).items.map((item) => item.message.id);
    expect(ids).toEqual([first.messageId, m1, steer.messageId, m2]);
    expect(ids).toEqual(ids.toSorted());
  });

  it('that steers too late for a last model call runs as the next one under a message of its own', async () => {
    const { session, reader } = await talk();
    await rest.send(session, `!say one\n${gate(4)}`);
    await app.clock.reached(4);
    await rest.send(session, 'late', { whenBusy: 'STEER' });
    await app.clock.open(4);
    await reader.until((event) => textOf([event]).includes('late'));
    await reader.ends();
    expect(textOf(reader.events)).toBe('oneYou said: late');
    expect(await page(session)).toMatchObject({ state: 'IDLE', items: [{}, {}, {}, {}] });
  });

  it('interrupts: the running turn is stopped, and it runs before the queue', async () => {
    const { session, reader } = await talk();
    const running = await rest.send(session, `!say a\n${gate(5)}\n!say b`);
    const queued = await rest.send(session, 'queued');
    await app.clock.reached(5);
    const urgent = await rest.send(session, 'urgent', { whenBusy: 'INTERRUPT' });
    const ends = (await reader.ends(3)).filter((event) => event.kind.endsWith('DONE'));
    expect(ends.map((event) => [event.turnId, event.reason])).toEqual([
      [running.turnId, 'stopped'],
      [urgent.turnId, 'completed'],
      [queued.turnId, 'completed'],
    ]);
  });

  it('queues: each turn ends before the next begins; the queue is bounded, and REJECT refuses', async () => {
    const { session, reader } = await talk();
    const path = `POST ${session}/message`;
    await rest.send(session, `${gate(6)}\n!say first`);
    await app.clock.reached(6);
    for (const message of ['b', 'c', 'd']) await rest.send(session, message);
    expect(await rest.outcome(path, { message: 'e' })).toBe('429 QUEUE_FULL');
    expect(await rest.outcome(path, { message: 'e', whenBusy: 'WHEN_BUSY_REJECT' })).toBe('429 SESSION_BUSY');
    expect(await rest.outcome(`POST ${session}:clear`, {})).toBe('429 SESSION_BUSY');
    expect(await rest.ok(`GET ${session}`)).toMatchObject({ state: 'PROCESSING', queuedTurns: 3 });
    await app.clock.open(6);
    const turns = (await reader.ends(4)).map((event) => event.turnId);
    expect(turns.filter((turn, index) => turn !== turns[index - 1])).toHaveLength(4);
  });
});

describe('a stream of a session (API-5.1)', () => {
  it('shows RESET and the message anew when the model connection breaks', async () => {
    const { session, reader } = await talk();
    await rest.send(session, 'one two three\n!break 2');
    const events = await reader.ends();
    const reset = events.findIndex((event) => event.kind.endsWith('RESET'));
    expect(events[reset]).toMatchObject({ attempt: 2, reason: 'retry', messageId: events[0]?.messageId });
    expect(textOf(events.slice(0, reset))).not.toBe('');
    expect(textOf(events.slice(reset))).toBe('You said: one two three');
  });

  it('resumed after any cursor brings the rest, nothing twice', async () => {
    const { session, reader } = await talk();
    await rest.send(session, 'one two\n!tool current_time {}\n!say three');
    const events = await reader.ends();
    for (const [index, event] of events.slice(0, -1).entries()) {
      const query = `?untilDone=true&after=${encodeURIComponent(event.cursor)}`;
      const resumed = await EventReader.open(rest, `${session}/stream${query}`);
      const rest2 = await resumed.rest();
      expect(textOf(rest2)).toBe(textOf(events.slice(index + 1)));
      expect(rest2.at(-1)).toMatchObject({ cursor: events.at(-1)?.cursor });
    }
    expect(await rest.outcome(`GET ${session}/stream?after=nonsense`)).toMatch(/^400 /);
  });

  it('of one finished turn tells each stored part once and ends', async () => {
    const session = await rest.session('plain');
    const { turnId } = await rest.send(session, '!think a\n!say b', { waitSeconds: 30 });
    const reader = await EventReader.open(rest, `${session}/stream?turnId=${turnId}`);
    expect(shapeOf(await reader.rest())).toEqual(['REASONING', 'TEXT', 'USAGE', 'DONE completed']);
    expect(await rest.outcome(`GET ${session}/stream?turnId=${crypto.randomUUID()}`)).toBe('404 TURN_NOT_FOUND');
  });

  it('shows a late reader the running turn from its start, and a live one only what follows', async () => {
    const session = await rest.session('plain');
    const first = await EventReader.open(rest, `${session}/stream`);
    await rest.send(session, `!say before\n${gate(7)}\n!say after`);
    await app.clock.reached(7);
    await first.until((event) => textOf([event]).includes('before'));
    const late = await EventReader.open(rest, `${session}/stream?after=0`);
    const live = await EventReader.open(rest, `${session}/stream?after=live`);
    await app.clock.open(7);
    expect(textOf(await late.ends())).toBe('beforeafter');
    expect(textOf(await live.ends())).toBe('after');
  });

  it('ends when the session is deleted', async () => {
    const { session, reader } = await talk();
    await rest.ok(`DELETE ${session}`);
    const last = (await reader.rest()).at(-1);
    expect(JSON.stringify(last?.error)).toContain('SESSION_NOT_FOUND');
    expect(await rest.outcome(`DELETE ${session}`)).toBe('404 SESSION_NOT_FOUND');
  });
});

describe('a batch of sessions (API-5.1)', () => {
  const batch = async (body: object): Promise<EventReader> =>
    EventReader.open(rest, '/v1/session-streams:batch', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const keyOf = (session: string): object => ({ ns: 'default', agent: 'plain', sessionId: session.split('/').at(-1) });
  const nameOf = (session: string): string => `@Namespace/default/Agent/plain/@/Session/${session.split('/').at(-1)}`;

  it('brings every session in its order, takes names and keys, and ends after one end each', async () => {
    const [a, b] = [await rest.session('plain'), await rest.session('plain')];
    const reader = await batch({ sessionNames: [nameOf(a), nameOf(a)], sessions: [keyOf(b)], untilDone: true });
    await rest.send(a, 'to a');
    await rest.send(b, 'to b');
    const events = await reader.rest();
    const ids = [a, b].map((session) => session.split('/').at(-1));
    const texts = ids.map((id) => textOf(events.filter((event) => event.sessionId === id)));
    expect(texts).toEqual(['You said: to a', 'You said: to b']);
  });

  it('takes the cursor of a session by its id and by its name, a colon in its namespace encoded or not', async () => {
    await rest.ok('POST /v1/namespaces/default:deep', {});
    await rest.ok('POST /v1/ns/default:deep/agents', { name: 'deep', spec: {} });
    const { sessionId } = await rest.ok<{ sessionId: string }>('POST /v1/ns/default:deep/agents/deep/sessions', {});
    const path = `/v1/ns/default:deep/agents/deep/sessions/${sessionId}`;
    const { turnId } = await rest.send(path, 'hello', { waitSeconds: 30 });
    const shown = await (await EventReader.open(rest, `${path}/stream?turnId=${turnId}`)).rest();
    const [first, ...others] = shown;
    const encoded = `@Namespace/default%3Adeep/Agent/deep/@/Session/${sessionId}`;
    const raw = `@Namespace/default:deep/Agent/deep/@/Session/${sessionId}`;
    for (const key of [sessionId, encoded, raw]) {
      const reader = await batch({ sessionNames: [raw], after: { [key]: first?.cursor }, untilDone: true });
      expect((await reader.rest()).map(({ kind }) => kind)).toEqual(others.map(({ kind }) => kind));
    }
  });

  it('goes on when one of its sessions is deleted', async () => {
    const [a, b] = [await rest.session('plain'), await rest.session('plain')];
    const reader = await batch({ sessions: [keyOf(a), keyOf(b)], untilDone: true });
    await rest.ok(`DELETE ${a}`);
    await rest.send(b, 'still here');
    const ends = (await reader.rest()).filter((event) => !event.kind.endsWith('DELTA'));
    expect(ends.map((event) => event.reason).toSorted()).toEqual(['completed', 'session_deleted']);
  });

  it('is refused when it is empty, malformed or names a session that is not there', async () => {
    const path = 'POST /v1/session-streams:batch';
    expect(await rest.outcome(path, {})).toBe('400 FIELD_INVALID');
    expect(await rest.outcome(path, { sessionNames: ['nonsense'] })).toBe('400 FIELD_INVALID');
    const missing = { ns: 'default', agent: 'plain', sessionId: crypto.randomUUID() };
    expect(await rest.outcome(path, { sessions: [missing] })).toBe('404 SESSION_NOT_FOUND');
  });
});
