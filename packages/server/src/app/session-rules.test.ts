import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { AppUnderTest, EventReader, gate } from './testing/index.ts';

const app = AppUnderTest.ofSuite();
const { rest } = app;
beforeAll(async () => {
  await rest.ok('POST /v1/ns/default/agents', { name: 'helper' });
  const spec = {
    capabilities: { goals: [{ action: 'create', approval: 'ask' }] },
    features: [{ type: 'toolset', name: 'goals' }],
  };
  await rest.ok('POST /v1/ns/default/agents', { name: 'asking', spec });
});

interface Message {
  readonly id: string;
  readonly role: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly parts: readonly { readonly id: string; readonly content: string }[];
}
const messages = async (session: string): Promise<readonly Message[]> =>
  (await rest.ok<{ items: { message: Message }[] }>(`GET ${session}/messages`)).items.map((item) => item.message);
const textsOf = async (session: string): Promise<string[]> =>
  (await messages(session)).map((message) => message.parts[0]?.content ?? '');

describe('a session (API-8.3)', () => {
  it('begins idle, is named by its agent and can be read', async () => {
    const session = await rest.session('helper');
    const sessionId = session.split('/').at(-1) ?? '';
    expect(sessionId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(await rest.ok(`GET ${session}`)).toMatchObject({
      sessionId,
      agent: 'helper',
      state: 'IDLE',
      session: { metadata: { name: sessionId, namespace: 'default' } },
    });
    expect(await rest.ok('GET /v1/ns/default/agents/helper')).toMatchObject({
      agent: { status: { lastSessionId: sessionId } },
    });
  });

  it('answers as many of its newest messages as asked, oldest first', async () => {
    const session = await rest.session('helper');
    for (const message of ['a', 'b']) await rest.send(session, message, { waitSeconds: 30 });
    const read = async (limit: string): Promise<number> =>
      (await rest.ok<{ messages: unknown[] }>(`GET ${session}${limit}`)).messages.length;
    expect([await read(''), await read('?messageLimit=3'), await read('?messageLimit=-1')]).toEqual([4, 3, 0]);
    const ids = (await messages(session)).map((message) => message.id);
    expect(ids).toEqual(ids.toSorted());
  });

  it('is listed newest activity first, by page and label', async () => {
    await rest.ok('POST /v1/ns/default/agents', { name: 'listed' });
    const sessions = [await rest.session('listed'), await rest.session('listed'), await rest.session('listed')];
    const [oldest = '', middle = '', newest = ''] = sessions.map((session) => session.split('/').at(-1) ?? '');
    await rest.send(sessions[0] ?? '', 'awake', { waitSeconds: 30 });
    interface Page {
      readonly sessions: readonly { readonly sessionId: string }[];
      readonly sessionIds: readonly string[];
      readonly nextPageToken: string;
    }
    const list = (query: string): Promise<Page> => rest.ok(`GET /v1/ns/default/agents/listed/sessions?${query}`);
    const first = await list('pageSize=2');
    expect(first.sessions.map((item) => item.sessionId)).toEqual([oldest, newest]);
    expect(first.sessionIds).toEqual([oldest, newest].toSorted());
    const second = await list(`pageSize=2&pageToken=${encodeURIComponent(first.nextPageToken)}`);
    expect([second.sessionIds, second.nextPageToken]).toEqual([[middle], '']);
  });

  it('pages its messages backwards, before any id', async () => {
    const session = await rest.session('helper');
    for (const text of ['1', '2', '3']) await rest.ok(`POST ${session}/messages:append`, { text });
    interface Page {
      readonly items: readonly { readonly message: Message }[];
      readonly hasMore: boolean;
      readonly nextBeforeMessageId?: string;
    }
    const newest = await rest.ok<Page>(`GET ${session}/messages?pageSize=2`);
    expect(newest.items.map((item) => item.message.parts[0]?.content)).toEqual(['2', '3']);
    expect([newest.hasMore, newest.nextBeforeMessageId]).toEqual([true, newest.items[0]?.message.id]);
    const older = await rest.ok<Page>(`GET ${session}/messages?beforeMessageId=${newest.nextBeforeMessageId}`);
    expect(older.items.map((item) => item.message.parts[0]?.content)).toEqual(['1']);
    expect([older.hasMore, older.nextBeforeMessageId]).toEqual([false, undefined]);
    const none = await rest.ok<Page>(`GET ${session}/messages?beforeMessageId=00000000-0000-7000-8000-000000000000`);
    expect([none.items, none.hasMore]).toEqual([[], false]);
  });

  it('is cleared of messages, not of labels; while busy only with stop', async () => {
    const { sessionId } = await rest.ok<{ sessionId: string }>('POST /v1/ns/default/agents/helper/sessions', {
      labels: { keep: 'me' },
    });
    const session = `/v1/ns/default/agents/helper/sessions/${sessionId}`;
    await rest.send(session, `!say old\n${gate(1)}`);
    await app.clock.reached(1);
    expect(await rest.outcome(`POST ${session}:clear`, {})).toBe('429 SESSION_BUSY');
    expect(await rest.ok(`POST ${session}:clear`, { stop: true })).toEqual({ success: true });
    expect(await rest.ok(`GET ${session}`)).toMatchObject({ state: 'IDLE', messages: [], labels: { keep: 'me' } });
  });
});

describe('SendMessage (API-8.3)', () => {
  it('returns at once with the ids and an empty reply', async () => {
    const session = await rest.session('helper');
    const sent = await rest.send(session, gate(2));
    expect(sent).toMatchObject({ reply: '' });
    expect(sent.messageId < sent.replyMessageId).toBe(true);
    await app.clock.open(2);
  });

  it('waits for the end and answers the text; a failed turn is an answer', async () => {
    const session = await rest.session('helper');
    const good = await rest.send(session, '!tool current_time {}\n!say fine', { waitSeconds: 30 });
    expect(good).toMatchObject({ reply: 'fine', turnState: 'TURN_STATE_COMPLETED', error: '' });
    const failed = await rest.send(session, '!error provider_invalid_request', { waitSeconds: 30 });
    expect(failed).toMatchObject({ reply: '', turnState: 'TURN_STATE_FAILED' });
    expect(failed).not.toMatchObject({ error: '' });
  });

  it('takes files as data and refuses what is no message', async () => {
    const session = await rest.session('helper');
    const image = { partType: 'IMAGE', name: 'a.png', payloadJson: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
    const sent = await rest.send(session, 'see', { parts: [image], waitSeconds: 30 });
    expect(sent.reply).toBe('You said: see [image/png a.png]');
    const [stored] = await rest
      .ok<{ items: { message: { parts: object[] } }[] }>(`GET ${session}/messages`)
      .then((page) => page.items);
    expect(stored?.message.parts).toMatchObject([
      { content: 'see' },
      { name: 'a.png', object: { mediaType: 'image/png', sizeBytes: '8' } },
    ]);
    for (const body of [{}, { message: ' \n' }, { message: 'x', labels: { '': '' } }])
      expect(await rest.outcome(`POST ${session}/message`, body)).toBe('400 FIELD_INVALID');
    expect(await rest.outcome(`POST ${session}/message`, { message: 'x'.repeat((1 << 20) + 1) })).toMatch(/^4/);
  });
});

describe('AppendSessionMessage (API-8.3)', () => {
  it('keeps a given id once, fills in the rest and starts no turn', async () => {
    const session = await rest.session('helper');
    const path = `POST ${session}/messages:append`;
    const id = '01890000-0000-7000-8000-000000000001';
    const message = {
      id,
      role: 'ROLE_ASSISTANT',
      parts: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    };
    expect(await rest.ok(path, { message })).toMatchObject({
      message: { id, role: 'ROLE_ASSISTANT', parts: [{ id: '000000' }, { id: '000001' }] },
    });
    expect(await rest.outcome(path, { message })).toBe('409 MESSAGE_EXISTS');
    expect(await rest.outcome(path, { message: { id: 'x', parts: message.parts } })).toBe('400 FIELD_INVALID');
    expect(await rest.outcome(path, { message: { parts: [] } })).toBe('400 FIELD_INVALID');
    expect(await rest.ok(`GET ${session}`)).toMatchObject({ state: 'IDLE' });
  });

  it('is allowed while a turn runs and seen by the next one', async () => {
    const session = await rest.session('helper');
    await rest.send(session, `${gate(3)}\n!say one`);
    await app.clock.reached(3);
    await rest.ok(`POST ${session}/messages:append`, { text: 'in between' });
    await app.clock.open(3);
    const { reply } = await rest.send(session, '!prompt', { waitSeconds: 30 });
    expect(reply).toContain('in between');
  });
});

describe('SessionControlService (API-9.2)', () => {
  it('edits a message: labels merged, an empty value removes, parts replaced', async () => {
    const session = await rest.session('helper');
    const { messageId } = await rest.send(session, 'first', { labels: { a: '1', b: '2' }, waitSeconds: 30 });
    const path = `PATCH ${session}/messages/${messageId}`;
    const changed = await rest.ok(path, { labels: { a: '', c: '3' }, parts: [{ type: 'text', text: 'changed' }] });
    expect(changed).toMatchObject({
      message: { id: messageId, labels: { b: '2', c: '3' }, parts: [{ content: 'changed' }] },
    });
    expect((await messages(session))[0]?.labels).toEqual({ b: '2', c: '3' });
    expect(await rest.outcome(path, { labels: { 'svc/x': '1' } })).toBe('400 SYSTEM_LABEL');
    const status = { 'svc/connector-delivery-status': 'delivery_requested' };
    expect(await rest.outcome(path, { labels: status })).toMatch(/^400 /);
    expect(await rest.outcome(`PATCH ${session}/messages/${randomUUID()}`, {})).toBe('404 MESSAGE_NOT_FOUND');
  });

  it('edits messages of users and assistants only', async () => {
    const session = await rest.session('helper');
    const { message } = await rest.ok<{ message: Message }>(`POST ${session}/messages:append`, {
      message: { role: 'ROLE_SYSTEM', parts: [{ type: 'text', text: 'rule' }] },
    });
    expect(await rest.outcome(`PATCH ${session}/messages/${message.id}`, { labels: { a: '1' } })).toBe(
      '400 MESSAGE_FIXED',
    );
  });

  it('answers a permission once; another answer comes too late', async () => {
    const session = await rest.session('asking');
    const reader = await EventReader.open(rest, `${session}/stream`);
    const { turnId } = await rest.send(session, '!tool create_goal {"objective":"learn"}\n!say on');
    await reader.until((event) => event.part?.partType.endsWith('REQUEST_PERMISSION') === true);
    interface Request {
      readonly id: string;
      readonly options: readonly { readonly id: string; readonly decision: string; readonly remember: boolean }[];
    }
    const { turn } = await rest.ok<{ turn: { state: string; pendingPermissions: Request[] } }>(
      `GET ${session}/turns/${turnId}`,
    );
    const [request] = turn.pendingPermissions;
    expect(turn.state).toBe('TURN_STATE_WAITING');
    expect(await rest.ok('GET /v1/ns/default/permission-requests')).toMatchObject({ requests: [{ id: request?.id }] });
    const path = `POST ${session}/permissions/${request?.id}`;
    expect(await rest.outcome(path, {})).toBe('400 FIELD_INVALID');
    expect(await rest.outcome(path, { decision: 'ALLOW', optionId: 'nonsense' })).toBe('400 FIELD_INVALID');
    expect(await rest.outcome(path, { decision: 'DENY' })).toBe('200');
    expect(await rest.outcome(path, { decision: 'DENY' })).toBe('200');
    expect(await rest.outcome(path, { decision: 'ALLOW' })).toBe('400 PERMISSION_CLOSED');
    await reader.ends();
    expect(await rest.ok('GET /v1/ns/default/permission-requests')).toMatchObject({ requests: [] });
    expect(await rest.outcome(`POST ${session}/permissions/${randomUUID()}`, { decision: 'DENY' })).toMatch(/^404 /);
  });

  it('forks up to a message, ids kept, also while the session is busy', async () => {
    const session = await rest.session('helper');
    const first = await rest.send(session, 'one', { waitSeconds: 30 });
    await rest.send(session, 'two', { waitSeconds: 30 });
    await rest.send(session, gate(4));
    await app.clock.reached(4);
    const fork = await rest.ok<{ sessionId: string; labels: object }>(`POST ${session}:fork`, {
      throughMessageId: first.replyMessageId,
      labels: { mine: 'yes' },
    });
    const copy = `/v1/ns/default/agents/helper/sessions/${fork.sessionId}`;
    expect((await messages(copy)).map((message) => message.id)).toEqual([first.messageId, first.replyMessageId]);
    expect(fork.labels).toEqual({ mine: 'yes', 'svc/forked-from': session.split('/').at(-1) });
    expect(await textsOf(session)).toEqual(expect.arrayContaining(['one', 'two']));
    expect(await rest.outcome(`POST ${session}:fork`, { throughMessageId: randomUUID() })).toBe(
      '404 MESSAGE_NOT_FOUND',
    );
    await app.clock.open(4);
  });

  it('lists turns newest first and by state', async () => {
    const session = await rest.session('helper');
    const good = await rest.send(session, 'a', { waitSeconds: 30 });
    const bad = await rest.send(session, '!error provider_invalid_request', { waitSeconds: 30 });
    const list = async (query: string): Promise<string[]> =>
      (await rest.ok<{ turns: { id: string }[] }>(`GET ${session}/turns${query}`)).turns.map((turn) => turn.id);
    expect(await list('')).toEqual([bad.turnId, good.turnId]);
    expect(await list('?state=TURN_STATE_FAILED')).toEqual([bad.turnId]);
    expect(await list('?pageSize=1')).toEqual([bad.turnId]);
    expect(await rest.outcome(`GET ${session}/turns/${randomUUID()}`)).toBe('404 TURN_NOT_FOUND');
  });
});
