import { fromJson } from '@bufbuild/protobuf';
import { ListValueSchema } from '@bufbuild/protobuf/wkt';
import { PermissionDecision, TurnState } from '@svc/api/data';
import { GatewayService, SessionControlService, WhenBusy } from '@svc/api/gateway';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isFault, ManualClock } from '../../../base/index.ts';
import { textResult } from '../../../tools/index.ts';
import { SessionHarness } from './testing/index.ts';
import { awaitTurn } from './turn-wait.ts';

const { method: gateway } = GatewayService;
const { method: controls } = SessionControlService;

const echo = {
  name: 'echo',
  description: 'Repeats.',
  inputSchema: { type: 'object' },
  effect: 'read' as const,
  capability: { name: 'files', action: 'read' },
  run: (_context: unknown, input: unknown) => Promise.resolve(textResult('done', { echoed: input })),
};

let harness: SessionHarness;
let session: Awaited<ReturnType<SessionHarness['newSession']>>;
beforeEach(async () => {
  const capabilities = { files: fromJson(ListValueSchema, [{ action: 'read', approval: 'ask' }]) };
  harness = new SessionHarness({ tools: [echo], spec: { capabilities } });
  await harness.start();
  session = await harness.newSession();
});
afterEach(() => harness.close());

const reasonOf = async (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'OK',
    (error: unknown) => (isFault(error) ? error.reason : String(error)),
  );

/** A turn that waits for an answer, and the id of its request. */
const askedTurn = async (): Promise<{ readonly turnId: string; readonly requestId: string }> => {
  const { turnId } = await harness.call(gateway.sendMessage, { ...session, message: '!tool echo {"a":1}' });
  const event = await harness.event((each) => each.turnId === turnId && each.part?.type === 11);
  return { turnId, requestId: String(event.part?.payload?.['request_id']) };
};

describe('a turn that waits for a permission', () => {
  test('shows its request with the turn and in the list of its namespace until it is answered', async () => {
    await harness.engine.store.write((tx) =>
      tx.resources.insert({
        key: { kind: 'Namespace', namespace: '', parent: '', name: 'default' },
        apiVersion: 'svc/v1',
        uid: 'u',
        generation: 1,
        createdAt: 1,
        labels: {},
        annotations: {},
        owners: [],
        finalizers: [],
        spec: '{}',
        status: '{}',
      }),
    );
    const { turnId, requestId } = await askedTurn();
    const read = async () => (await harness.call(controls.getTurn, { ...session, turnId })).turn;
    let turn = await read();
    // The turn parks in the transaction that follows its question.
    while (turn?.state === TurnState.RUNNING) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      turn = await read();
    }
    expect(turn?.state).toBe(TurnState.WAITING);
    expect(turn?.pendingPermissions.map((request) => [request.id, request.inputJson])).toEqual([
      [requestId, '{"a":1}'],
    ]);
    const list = await harness.call(controls.listPermissionRequests, { ns: 'default', recursive: true });
    expect(list.requests.map((request) => request.id)).toEqual([requestId]);
    const answer = { ...session, requestId, decision: PermissionDecision.ALLOW, comment: 'fine' };
    const { request } = await harness.call(controls.answerPermission, answer);
    expect(request).toMatchObject({ decision: PermissionDecision.ALLOW, comment: 'fine', decidedBy: 'token', turnId });
    await harness.ended(turnId);
    expect(await reasonOf(harness.call(controls.answerPermission, answer))).toBe('OK');
    const other = { ...answer, decision: PermissionDecision.DENY };
    expect(await reasonOf(harness.call(controls.answerPermission, other))).toBe('PERMISSION_CLOSED');
    expect((await harness.call(controls.listPermissionRequests, { ns: 'default' })).requests).toEqual([]);
    expect(await reasonOf(harness.call(controls.listPermissionRequests, { ns: 'nowhere' }))).toBe(
      'NAMESPACE_NOT_FOUND',
    );
  });

  test('refuses answers without a decision, to unknown requests and with unknown options', async () => {
    const { requestId } = await askedTurn();
    const answer = { ...session, requestId, decision: PermissionDecision.ALLOW };
    expect(await reasonOf(harness.call(controls.answerPermission, { ...answer, decision: 0 }))).toBe('FIELD_INVALID');
    expect(await reasonOf(harness.call(controls.answerPermission, { ...answer, optionId: 'none' }))).toBe(
      'FIELD_INVALID',
    );
    expect(await reasonOf(harness.call(controls.answerPermission, { ...answer, requestId: 'none' }))).toBe(
      'PERMISSION_REQUEST_NOT_FOUND',
    );
  });

  test('streams question, answer and result in order, and a resume at the question gives the rest', async () => {
    const { sink, ended } = harness.stream(gateway.streamSessionParts, { ...session, untilDone: true });
    const { requestId } = await askedTurn();
    const cursor = sink.events.at(-1)?.cursor ?? '';
    await harness.call(controls.answerPermission, { ...session, requestId, decision: PermissionDecision.ALLOW });
    await ended;
    const types = sink.events.map((event) => event.part?.partType ?? 0);
    expect(types.slice(types.indexOf(3), types.indexOf(4) + 1)).toEqual([3, 11, 12, 4]);
    const rest = harness.stream(gateway.streamSessionParts, { ...session, after: cursor, untilDone: true });
    await rest.ended;
    const shown = (events: typeof sink.events): string =>
      events
        .map((event) => (event.part?.partType === 1 ? event.part.content : `[${event.part?.partType ?? event.kind}]`))
        .join('');
    expect(shown(rest.sink.events)).toBe(shown(sink.events.slice(types.indexOf(11) + 1)));
  });
});

test('a wait that runs out of time answers the state so far', async () => {
  const { turnId, messageId } = await harness.call(gateway.sendMessage, { ...session, message: '!hold wait' });
  const clock = new ManualClock();
  const waiting = awaitTurn(
    {
      namespace: session.ns,
      agent: session.agent,
      sessionId: session.sessionId,
      turnId,
      messageId,
      waitMs: 1_000,
      signal: new AbortController().signal,
    },
    { store: harness.deps.store, streams: harness.streams, clock },
  );
  clock.advance(1_000);
  expect((await waiting)?.state).not.toBe('COMPLETED');
  expect(clock.pendingTimers).toBe(0);
  harness.engine.models.releaseHold('wait');
});

test('the cursor of a list taken after a steer begins at the message that is not listed yet', async () => {
  const sent = await harness.call(gateway.sendMessage, { ...session, message: '!say one\n!hold first' });
  await harness.event((event) => event.turnId === sent.turnId && event.part?.type === 1);
  const steer = await harness.call(gateway.sendMessage, {
    ...session,
    message: '!say two\n!hold second',
    whenBusy: WhenBusy.STEER,
  });
  harness.engine.models.releaseHold('first');
  await harness.event((event) => event.messageId === steer.replyMessageId);
  const list = await harness.call(gateway.listSessionMessages, session);
  expect(list.items.map((item) => item.message?.id)).toEqual([sent.messageId, sent.replyMessageId, steer.messageId]);
  const { sink, ended } = harness.stream(gateway.streamSessionParts, {
    ...session,
    after: list.streamCursor,
    untilDone: true,
  });
  harness.engine.models.releaseHold('second');
  await ended;
  expect([...new Set(sink.events.map((event) => event.messageId))]).toEqual([steer.replyMessageId]);
  expect(sink.text()).toBe('two');
});
