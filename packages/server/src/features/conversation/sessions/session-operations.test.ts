import { create } from '@bufbuild/protobuf';
import { MessageRole, SessionMessageSchema, TurnState } from '@svc/api/data';
import { GatewayService, SessionControlService, WhenBusy } from '@svc/api/gateway';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Fault, isFault, ManualClock } from '../../../base/index.ts';
import { SessionHarness } from './testing/index.ts';

const { method: gateway } = GatewayService;
const { method: controls } = SessionControlService;
const agent = { ns: 'default', agent: 'helper' };

let harness: SessionHarness;
beforeEach(async () => {
  harness = new SessionHarness();
  await harness.start();
});
afterEach(() => harness.close());

const reasonOf = async (call: Promise<unknown>): Promise<string> => {
  try {
    await call;
  } catch (error) {
    if (isFault(error)) return error.reason;
    throw error;
  }
  return 'OK';
};

const newSession = (): ReturnType<SessionHarness['newSession']> => harness.newSession();

describe('sessions', () => {
  test('a created session can be read with its resource, labels and a cursor', async () => {
    const made = await harness.call(gateway.createSession, { ...agent, labels: { team: 'blue' } });
    const read = await harness.call(gateway.getSession, { ...agent, sessionId: made.sessionId });
    expect(read).toEqual(made);
    expect(read.state).toBe('IDLE');
    expect(read.labels).toEqual({ team: 'blue' });
    expect(read.session?.metadata?.name).toBe(made.sessionId);
    expect(read.session?.status?.phase).toBe('Idle');
    expect(read.streamCursor).not.toBe('');
  });

  test('names of another place, a malformed id and a missing agent are not found', async () => {
    const session = await newSession();
    expect(await reasonOf(harness.call(gateway.getSession, { ...session, agent: 'other' }))).toBe('SESSION_NOT_FOUND');
    expect(await reasonOf(harness.call(gateway.getSession, { ...session, sessionId: 'x' }))).toBe('SESSION_NOT_FOUND');
    expect(await reasonOf(harness.call(gateway.listSessions, { ns: 'nowhere', agent: 'none' }))).toBe(
      'NAMESPACE_NOT_FOUND',
    );
    expect(await reasonOf(harness.call(gateway.createSession, { ns: 'nowhere', agent: 'none' }))).toBe(
      'NAMESPACE_MISSING',
    );
  });

  test('a session read again and again shows what happened in between', async () => {
    const { sessionId } = await harness.call(gateway.createSession, agent);
    const read = () => harness.call(gateway.getSession, { ...agent, sessionId });
    const first = await read();
    expect(await read()).toEqual(first);
    expect(await read()).toEqual(first);
    await harness.call(gateway.sendMessage, { ...agent, sessionId, message: 'hello' });
    const later = await read();
    expect(later.messages.length).toBeGreaterThan(0);
  });

  test('system labels and malformed ones are refused together', async () => {
    const labels = { 'svc/x': '1', 'bad key': '2' };
    const call = harness.call(gateway.createSession, { ...agent, labels });
    await expect(call).rejects.toMatchObject({ violations: [{ reason: 'FIELD_INVALID' }, { reason: 'SYSTEM_LABEL' }] });
  });

  test('lists come newest activity first, with ids ascending, page by page', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 5; index++) ids.push((await newSession()).sessionId);
    await harness.call(gateway.sendMessage, { ...agent, sessionId: ids[0]!, message: 'hi', waitSeconds: 30 });
    const first = await harness.call(gateway.listSessions, { ...agent, pageSize: 3 });
    expect(first.sessions.map((item) => item.sessionId)).toEqual([ids[0], ids[4], ids[3]]);
    expect(first.sessionIds).toEqual([ids[0], ids[3], ids[4]]);
    const rest = await harness.call(gateway.listSessions, { ...agent, pageSize: 3, pageToken: first.nextPageToken });
    expect(rest.sessions.map((item) => item.sessionId)).toEqual([ids[2], ids[1]]);
    expect(rest.nextPageToken).toBe('');
    const other = harness.call(gateway.listSessions, { ...agent, pageToken: first.nextPageToken, labelSelector: 'a' });
    expect(await reasonOf(other)).toBe('PAGE_TOKEN_INVALID');
  });

  test('a deleted session is gone, and deleting it again is not found', async () => {
    const session = await newSession();
    expect((await harness.call(gateway.deleteSession, session)).success).toBe(true);
    expect(await reasonOf(harness.call(gateway.getSession, session))).toBe('SESSION_NOT_FOUND');
    expect(await reasonOf(harness.call(gateway.deleteSession, session))).toBe('SESSION_NOT_FOUND');
    const nowhere = { ...session, ns: 'nowhere' };
    expect(await reasonOf(harness.call(gateway.deleteSession, nowhere))).toBe('SESSION_NOT_FOUND');
  });

  test('clearing removes messages and keeps labels', async () => {
    const session = await newSession();
    await harness.call(gateway.sendMessage, { ...session, message: 'hi', waitSeconds: 30 });
    await harness.call(gateway.clearSession, session);
    const read = await harness.call(gateway.getSession, session);
    expect(read.messages).toEqual([]);
  });

  test('every write leaves one audit record with the names of the session', async () => {
    const session = await newSession();
    await harness.call(gateway.sendMessage, { ...session, message: 'hi', waitSeconds: 30 });
    const rows = await harness.engine.store.read((tx) => tx.audit.list({ limit: 10 }));
    expect(rows.map((row) => row.operation)).toEqual(['SendMessage', 'CreateSession']);
    expect(rows[0]?.target).toBe(`Session/default/helper/${session.sessionId}`);
  });
});

describe('messages', () => {
  test('a waiting send answers the reply text, and the messages are listed', async () => {
    const session = await newSession();
    const sent = await harness.call(gateway.sendMessage, { ...session, message: 'hello', waitSeconds: 30 });
    expect(sent.reply).toBe('You said: hello');
    expect(sent.turnState).toBe(TurnState.COMPLETED);
    const list = await harness.call(gateway.listSessionMessages, session);
    expect(list.items.map((item) => [item.message?.role, item.message?.parts[0]?.content])).toEqual([
      [MessageRole.ROLE_USER, 'hello'],
      [MessageRole.ROLE_ASSISTANT, 'You said: hello'],
    ]);
    expect(list.items.map((item) => item.message?.id)).toEqual([sent.messageId, sent.replyMessageId]);
    expect(list.hasMore).toBe(false);
    expect(list.nextBeforeMessageId).toBeUndefined();
  });

  test('a failed turn is an OK answer with its error', async () => {
    const session = await newSession();
    const sent = await harness.call(gateway.sendMessage, {
      ...session,
      message: '!error provider_auth',
      waitSeconds: 30,
    });
    expect(sent.turnState).toBe(TurnState.FAILED);
    expect(sent.error).not.toBe('');
    expect(sent.reply).toBe('');
  });

  test('all field faults come in one answer', async () => {
    const session = await newSession();
    const call = harness.call(gateway.sendMessage, {
      ...session,
      message: ' ',
      labels: { 'svc/a': '1' },
      parts: [{ partType: 3 }, { partType: 7, payloadJson: '{"url":"http://x.test/a.png"}' }],
    });
    await expect(call).rejects.toMatchObject({
      reason: 'FIELD_INVALID',
      violations: [{ field: 'parts[0].partType' }, { field: 'parts[1].payloadJson' }, { field: 'labels[svc/a]' }],
    });
    expect(await reasonOf(harness.call(gateway.sendMessage, { ...session, message: '\n' }))).toBe('FIELD_INVALID');
  });

  test('a data: url becomes an object of the message', async () => {
    const session = await newSession();
    const payloadJson = '{"url":"data:image/png;base64,iVBORw0KGgo="}';
    await harness.call(gateway.sendMessage, {
      ...session,
      message: 'look',
      parts: [{ partType: 7, name: 'a.png', payloadJson }],
      waitSeconds: 30,
    });
    const list = await harness.call(gateway.listSessionMessages, session);
    const part = list.items[0]?.message?.parts[1];
    expect(part?.object).toMatchObject({ mediaType: 'image/png', filename: 'a.png', sizeBytes: 8n });
    expect(part?.payloadJson).toBe('');
    const malformed = [{ partType: 7, payloadJson: '{"url":"data:;base64,***"}' }];
    expect(await reasonOf(harness.call(gateway.sendMessage, { ...session, message: 'x', parts: malformed }))).toBe(
      'FIELD_INVALID',
    );
    const unknown = [{ partType: 10, object: { key: 'elsewhere' } }];
    expect(await reasonOf(harness.call(gateway.sendMessage, { ...session, message: 'x', parts: unknown }))).toBe(
      'FIELD_INVALID',
    );
  });

  test('the same key gives the same ids again, also to a wait, and refuses another request', async () => {
    const session = await newSession();
    const headers = new Map<string, string>();
    const first = await harness.call(
      gateway.sendMessage,
      { ...session, message: 'once' },
      { idempotencyKey: 'k', headers },
    );
    expect(headers.size).toBe(0);
    const again = await harness.call(
      gateway.sendMessage,
      { ...session, message: 'once', waitSeconds: 30 },
      { idempotencyKey: 'k', headers },
    );
    expect(headers.get('idempotency-replayed')).toBe('true');
    expect([again.messageId, again.turnId]).toEqual([first.messageId, first.turnId]);
    expect(again.reply).toBe('You said: once');
    const other = harness.call(gateway.sendMessage, { ...session, message: 'twice' }, { idempotencyKey: 'k' });
    expect(await reasonOf(other)).toBe('IDEMPOTENCY_MISMATCH');
    const stranger = await harness.call(
      gateway.sendMessage,
      { ...session, message: 'twice' },
      { idempotencyKey: 'k', identity: 'key:2' },
    );
    expect(stranger.turnId).not.toBe(first.turnId);
  });

  test('the same key fetches the attachments of its message once only, whatever became of them', async () => {
    await harness.close();
    let fetched = 0;
    const fetch = async () => {
      fetched += 1;
      if (fetched > 2) throw new Fault('INVALID_ARGUMENT', 'FIELD_INVALID', 'gone');
      return { bytes: Buffer.from('picture'), mediaType: 'image/png' };
    };
    harness = new SessionHarness({ overrides: { fetcher: { fetch } } });
    await harness.start();
    const session = await newSession();
    const parts = [{ partType: 7, payloadJson: '{"url":"https://pictures.test/a.png"}' }];
    const send = (headers = new Map<string, string>()) =>
      harness.call(gateway.sendMessage, { ...session, parts }, { idempotencyKey: 's', headers });
    const append = (headers = new Map<string, string>()) =>
      harness.call(gateway.appendSessionMessage, { ...session, message: { parts } }, { idempotencyKey: 'a', headers });
    const [sent, appended] = [await send(), await append()];
    for (const [first, call] of [
      [sent, send],
      [appended, append],
    ] as const) {
      const headers = new Map<string, string>();
      expect(await call(headers)).toEqual(first);
      expect(headers.get('idempotency-replayed')).toBe('true');
    }
    expect(fetched).toBe(2);
  });

  test('two calls with one key at once make one turn', async () => {
    const session = await newSession();
    const send = () =>
      harness.call(gateway.sendMessage, { ...session, message: 'x', waitSeconds: 30 }, { idempotencyKey: 'k' });
    const [left, right] = await Promise.all([send(), send()]);
    expect(left.turnId).toBe(right.turnId);
    expect((await harness.call(controls.listTurns, session)).turns).toHaveLength(1);
  });

  test('a created session is replayed by its key even after it was deleted', async () => {
    const made = await harness.call(gateway.createSession, agent, { idempotencyKey: 'c' });
    await harness.call(gateway.deleteSession, { ...agent, sessionId: made.sessionId });
    const again = await harness.call(gateway.createSession, agent, { idempotencyKey: 'c' });
    expect(again).toEqual(made);
  });

  test('an appended message takes its defaults, starts no turn and is stored once', async () => {
    const session = await newSession();
    const message = create(SessionMessageSchema, { parts: [{ partType: 1, content: 'note' }] });
    const first = await harness.call(gateway.appendSessionMessage, { ...session, message }, { idempotencyKey: 'a' });
    expect(first.message).toMatchObject({ role: MessageRole.ROLE_USER, parts: [{ id: '000000', content: 'note' }] });
    const again = await harness.call(gateway.appendSessionMessage, { ...session, message }, { idempotencyKey: 'a' });
    expect(again).toEqual(first);
    const read = await harness.call(gateway.getSession, session);
    expect([read.state, read.messages.length]).toEqual(['IDLE', 1]);
    const taken = { ...session, message: { id: first.message!.id, parts: message.parts } };
    expect(await reasonOf(harness.call(gateway.appendSessionMessage, taken))).toBe('MESSAGE_EXISTS');
    expect(await reasonOf(harness.call(gateway.appendSessionMessage, { ...session, message: {} }))).toBe(
      'FIELD_INVALID',
    );
  });

  test('an appended message is read though the clock was set back since its session was made', async () => {
    const clock = new ManualClock();
    const other = new SessionHarness({ clock });
    await other.start();
    try {
      const session = await other.newSession();
      clock.stepWallClock(-3_600_000);
      const message = create(SessionMessageSchema, {
        id: other.engine.ids.next(),
        parts: [{ partType: 1, content: 'note' }],
      });
      const { message: appended } = await other.call(gateway.appendSessionMessage, { ...session, message });
      expect(appended?.createdAt).toBe(BigInt(clock.nowMicros()));
      expect((await other.call(gateway.getSession, session)).messages).toHaveLength(1);
    } finally {
      await other.close();
    }
  });

  test('message pages go backwards and say where the next begins', async () => {
    const session = await newSession();
    for (const content of ['1', '2', '3'])
      await harness.call(gateway.appendSessionMessage, { ...session, message: { parts: [{ partType: 1, content }] } });
    const newest = await harness.call(gateway.listSessionMessages, { ...session, pageSize: 2 });
    expect(newest.items.map((item) => item.message?.parts[0]?.content)).toEqual(['2', '3']);
    expect(newest.hasMore).toBe(true);
    expect(newest.nextBeforeMessageId).toBe(newest.items[0]?.message?.id);
    const oldest = await harness.call(gateway.listSessionMessages, {
      ...session,
      pageSize: 2,
      beforeMessageId: newest.nextBeforeMessageId!,
    });
    expect(oldest.items.map((item) => item.message?.parts[0]?.content)).toEqual(['1']);
    const none = await harness.call(gateway.getSession, { ...session, messageLimit: -1 });
    const one = await harness.call(gateway.getSession, { ...session, messageLimit: 1 });
    expect([none.messages.length, one.messages[0]?.parts[0]?.content]).toEqual([0, '3']);
  });
});

describe('control of turns', () => {
  test('a stop ends running and queued turns and answers their ids', async () => {
    const session = await newSession();
    const running = await harness.call(gateway.sendMessage, { ...session, message: '!say x\n!hold door' });
    const queued = await harness.call(gateway.sendMessage, { ...session, message: 'y' });
    await harness.event((event) => event.turnId === running.turnId);
    const busy = harness.call(gateway.sendMessage, { ...session, message: 'z', whenBusy: WhenBusy.REJECT });
    expect(await reasonOf(busy)).toBe('SESSION_BUSY');
    const read = await harness.call(gateway.getSession, session);
    expect([read.state, read.activeTurnId, read.queuedTurns]).toEqual(['PROCESSING', running.turnId, 1]);
    const stopped = await harness.call(gateway.stopSessionGeneration, session);
    expect(stopped.stoppedTurnIds).toEqual([running.turnId, queued.turnId].sort());
    await harness.ended(running.turnId);
    expect((await harness.call(gateway.stopSessionGeneration, session)).stoppedTurnIds).toEqual([]);
    const finished = await harness.call(gateway.stopSessionGeneration, { ...session, turnId: queued.turnId });
    expect(finished.stoppedTurnIds).toEqual([]);
    const unknown = { ...session, turnId: '01890000-0000-7000-8000-000000000000' };
    expect(await reasonOf(harness.call(gateway.stopSessionGeneration, unknown))).toBe('TURN_NOT_FOUND');
  });

  test('turns are listed newest first and filtered by state', async () => {
    const session = await newSession();
    const one = await harness.call(gateway.sendMessage, { ...session, message: 'one', waitSeconds: 30 });
    const two = await harness.call(gateway.sendMessage, {
      ...session,
      message: '!error provider_auth',
      waitSeconds: 30,
    });
    const all = await harness.call(controls.listTurns, session);
    expect(all.turns.map((turn) => [turn.id, turn.state])).toEqual([
      [two.turnId, TurnState.FAILED],
      [one.turnId, TurnState.COMPLETED],
    ]);
    const failed = await harness.call(controls.listTurns, { ...session, state: TurnState.FAILED });
    expect(failed.turns.map((turn) => turn.reason)).toEqual(['provider_auth']);
    const turn = (await harness.call(controls.getTurn, { ...session, turnId: one.turnId })).turn!;
    expect(turn).toMatchObject({
      identity: 'token',
      cause: 'api',
      userMessageId: one.messageId,
      replyMessageIds: [one.replyMessageId],
    });
    expect(turn.usage?.totalTokens).toBeGreaterThan(0n);
  });

  test('an edited message merges labels, removes empty ones, takes system ones back and lets nobody change them', async () => {
    const session = await newSession();
    const sent = await harness.call(gateway.sendMessage, {
      ...session,
      message: 'one',
      labels: { a: '1' },
      waitSeconds: 30,
    });
    const target = { ...session, messageId: sent.messageId };
    const update = await harness.call(controls.updateSessionMessage, {
      ...target,
      labels: { a: '', b: '2' },
      parts: [{ partType: 1, content: 'new' }],
    });
    expect(update.message?.labels).toEqual({ b: '2' });
    expect(update.message?.parts.map((part) => part.content)).toEqual(['new']);
    expect((await harness.call(gateway.listSessionMessages, session)).items[0]?.message).toEqual(update.message);
    expect(
      await reasonOf(harness.call(controls.updateSessionMessage, { ...target, labels: { 'svc/turn': 'x' } })),
    ).toBe('SYSTEM_LABEL');
    const reply = { ...session, messageId: sent.replyMessageId };
    const shown = (await harness.call(controls.updateSessionMessage, { ...reply, labels: { b: '2' } })).message!;
    expect(shown.labels).toMatchObject({ b: '2', 'svc/message-state': 'complete' });
    const again = await harness.call(controls.updateSessionMessage, { ...reply, labels: shown.labels });
    expect(again.message).toEqual(shown);
    const grown = { ...shown.labels, c: '3' };
    expect((await harness.call(controls.updateSessionMessage, { ...reply, labels: grown })).message?.labels).toEqual(
      grown,
    );
    for (const change of ['svc/turn', 'svc/message-state', 'svc/new']) {
      for (const value of ['', 'x']) {
        const refused = harness.call(controls.updateSessionMessage, {
          ...reply,
          labels: { ...grown, [change]: value },
        });
        expect(await reasonOf(refused)).toBe('SYSTEM_LABEL');
      }
    }
    const elsewhere = await newSession();
    const foreign = { ...elsewhere, messageId: sent.replyMessageId, labels: shown.labels };
    expect(await reasonOf(harness.call(controls.updateSessionMessage, foreign))).toBe('SYSTEM_LABEL');
    const system = await harness.call(gateway.appendSessionMessage, {
      ...session,
      message: { role: MessageRole.ROLE_SYSTEM, parts: [{ partType: 1, content: 's' }] },
    });
    const fixed = harness.call(controls.updateSessionMessage, {
      ...session,
      messageId: system.message!.id,
      labels: { a: '1' },
    });
    expect(await reasonOf(fixed)).toBe('MESSAGE_FIXED');
  });

  test('faults of an edit name the parts where the request has them', async () => {
    const target = { ...(await newSession()), messageId: 'x' };
    const parts = [{ partType: 1, id: '1' }, { partType: 7 }];
    await expect(harness.call(controls.updateSessionMessage, { ...target, parts })).rejects.toMatchObject({
      violations: [{ field: 'parts[0].content' }, { field: 'parts[1]' }, { field: 'parts[0].id' }],
    });
  });

  test('a fork holds the messages up to the given one, ids kept', async () => {
    const session = await newSession();
    const sent = await harness.call(gateway.sendMessage, { ...session, message: 'one', waitSeconds: 30 });
    await harness.call(gateway.sendMessage, { ...session, message: 'two', waitSeconds: 30 });
    const fork = await harness.call(controls.forkSession, {
      ...session,
      throughMessageId: sent.replyMessageId,
      labels: { f: '1' },
    });
    expect(fork.messages.map((message) => message.id)).toEqual([sent.messageId, sent.replyMessageId]);
    expect(fork.labels).toEqual({ f: '1', 'svc/forked-from': session.sessionId });
    const missing = { ...session, throughMessageId: '01890000-0000-7000-8000-000000000000' };
    expect(await reasonOf(harness.call(controls.forkSession, missing))).toBe('MESSAGE_NOT_FOUND');
  });
});
