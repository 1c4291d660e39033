import { fromJson } from '@bufbuild/protobuf';
import { ListValueSchema } from '@bufbuild/protobuf/wkt';
import { StepRequestState } from '@svc/api/data';
import { GatewayService, SessionControlService } from '@svc/api/gateway';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isFault } from '../../../../base/index.ts';
import { textResult } from '../../../../tools/index.ts';
import { SessionHarness } from '../testing/index.ts';
import { cachedShare } from './cached-share.ts';

const { method: gateway } = GatewayService;
const { method: controls } = SessionControlService;

const readDocument = {
  name: 'knowledge_get',
  description: 'Reads a document.',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
  effect: 'read' as const,
  capability: { name: 'files', action: 'read' },
  run: () => Promise.resolve(textResult('Herons stand.', {})),
};

let harness: SessionHarness;
let session: Awaited<ReturnType<SessionHarness['newSession']>>;
beforeEach(async () => {
  const capabilities = { files: fromJson(ListValueSchema, [{ action: 'read' }]) };
  const prompts = { systemPrompt: 'You know birds.', postHistoryPrompt: 'Be brief.' };
  harness = new SessionHarness({ tools: [readDocument], spec: { capabilities, ...prompts } });
  await harness.start();
  session = await harness.newSession();
});
afterEach(() => harness.close());

const say = async (message: string) => {
  const { turnId, messageId } = await harness.call(gateway.sendMessage, { ...session, message });
  await harness.ended(turnId);
  return { turn: { ...session, turnId }, messageId };
};

const reasonOf = async (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'OK',
    (error: unknown) => (isFault(error) ? error.reason : String(error)),
  );

describe('the model calls of a turn', () => {
  test('are listed with their answers, and shown in pieces that name their source', async () => {
    const { turn, messageId } = await say('!tool knowledge_get {"path":"birds/heron.md"}');
    const { steps, usage } = await harness.call(controls.listSteps, turn);
    expect(steps.map(({ step, outcome, toolCalls, model }) => [step, outcome, toolCalls, model])).toEqual([
      [1, 'tool_calls', 1, 'echo'],
      [2, 'answered', 0, 'echo'],
    ]);
    expect(usage?.totalTokens).toBe(steps.reduce((sum, step) => sum + (step.usage?.totalTokens ?? 0n), 0n));
    const answer = await harness.call(controls.getStepRequest, { ...turn, step: 2, includeBody: true });
    expect(answer).toMatchObject({ state: StepRequestState.EXACT, reason: '', rebuiltSha256: steps[1]?.sentSha256 });
    expect(answer.pieces.map(({ source, name, role, form }) => [source, name, role, form])).toEqual([
      ['tool', 'knowledge_get', 'system', 'tool'],
      ['system_prompt', '', 'system', 'text'],
      ['transcript', '', 'user', 'text'],
      ['post_history', '', 'user', 'text'],
      ['transcript', 'knowledge_get', 'assistant', 'call'],
      ['knowledge', 'birds/heron.md', 'tool', 'result'],
    ]);
    expect(answer.pieces[2]).toMatchObject({ messageId, partId: '000000' });
    expect(answer.pieces[5]).toMatchObject({ text: expect.stringContaining('Herons stand.'), isError: false });
    expect(JSON.parse(answer.body)).toMatchObject({ model: 'echo' });
    expect(answer.tokens).toBe(answer.pieces.reduce((sum, { tokens }) => sum + tokens, 0n));
  });

  test('come in pages that hold all pieces once', async () => {
    const { turn } = await say('hello');
    const whole = await harness.call(controls.getStepRequest, { ...turn, step: 1 });
    const found: string[] = [];
    let pageToken = '';
    do {
      const page = await harness.call(controls.getStepRequest, { ...turn, step: 1, pageSize: 1, pageToken });
      expect(page.pieces).toHaveLength(1);
      found.push(...page.pieces.map(({ text }) => text));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(found).toEqual(whole.pieces.map(({ text }) => text));
    const other = harness.call(controls.getStepRequest, { ...turn, step: 2, pageToken: 'none' });
    expect(await reasonOf(other)).toBe('PAGE_TOKEN_INVALID');
    const { nextPageToken } = await harness.call(controls.getStepRequest, { ...turn, step: 1, pageSize: 1 });
    const misplaced = harness.call(controls.getStepRequest, { ...turn, step: 2, pageToken: nextPageToken });
    expect(await reasonOf(misplaced)).toBe('PAGE_TOKEN_INVALID');
  });

  test('that failed are shown with what they were sent', async () => {
    const { turn } = await say('!error provider_auth');
    const { steps } = await harness.call(controls.listSteps, turn);
    expect(steps.map(({ outcome }) => outcome)).toEqual(['failed']);
    const { state, pieces } = await harness.call(controls.getStepRequest, { ...turn, step: 1 });
    expect([state, pieces.at(-2)?.text]).toEqual([StepRequestState.EXACT, '!error provider_auth']);
  });

  test('do not exist for other turns and numbers', async () => {
    const { turn } = await say('hello');
    expect(await reasonOf(harness.call(controls.getStepRequest, { ...turn, step: 2 }))).toBe('STEP_NOT_FOUND');
    expect(await reasonOf(harness.call(controls.getStepRequest, { ...turn, step: 0 }))).toBe('STEP_NOT_FOUND');
    const elsewhere = { ...(await harness.newSession()), turnId: turn.turnId };
    expect(await reasonOf(harness.call(controls.listSteps, elsewhere))).toBe('TURN_NOT_FOUND');
    expect(await reasonOf(harness.call(controls.listSteps, { ...turn, turnId: 'none' }))).toBe('TURN_NOT_FOUND');
  });
});

describe('a request whose parts are not what they were', () => {
  const stateOf = async (turn: Awaited<ReturnType<typeof say>>['turn'], step = 1) => {
    const answer = await harness.call(controls.getStepRequest, { ...turn, step });
    return [answer.state, answer.reason];
  };

  test('is the same after the agent and its prompts changed', async () => {
    const { turn } = await say('hello');
    const helper = harness.engine.agents.get('helper');
    if (helper !== undefined) harness.engine.setAgent('helper', { ...helper.spec, systemPrompt: 'You know fish.' });
    expect(await stateOf(turn)).toEqual([StepRequestState.EXACT, '']);
    const later = await say('and now?');
    const { pieces } = await harness.call(controls.getStepRequest, { ...later.turn, step: 1 });
    expect(pieces.find(({ source }) => source === 'system_prompt')?.text).toBe('You know fish.');
  });

  test('is unavailable with the reason: messages edited, deleted or added, texts and records that are gone', async () => {
    const first = await say('hello');
    const { turn } = await say('and now?');
    const { store } = harness.engine;
    const edit = { ...session, messageId: first.messageId, parts: [{ partType: 1, content: 'bye' }] };
    await harness.call(controls.updateSessionMessage, edit);
    expect(await stateOf(turn)).toEqual([StepRequestState.UNAVAILABLE, 'MESSAGE_EDITED']);
    await store.write((tx) => tx.log.deleteMessages(session.sessionId, [first.messageId]));
    expect(await stateOf(turn)).toEqual([StepRequestState.UNAVAILABLE, 'MESSAGE_DELETED']);
    for (const { namespace, hash } of await store.read((tx) => tx.promptSources.page('oldest', {}, { limit: 10 })))
      await store.write((tx) => tx.promptSources.remove({ namespace, hash }));
    expect(await stateOf(turn)).toEqual([StepRequestState.UNAVAILABLE, 'SOURCE_EXPIRED']);
    await store.write(async (tx) => {
      const row = await tx.log.turn(turn.turnId);
      const { lastCall: _gone, ...body } = JSON.parse(row?.body ?? '{}') as { readonly lastCall?: unknown };
      if (row !== undefined) await tx.log.saveTurn({ ...row, body: JSON.stringify(body) });
    });
    expect(await stateOf(turn)).toEqual([StepRequestState.UNAVAILABLE, 'NOT_RECORDED']);
  });

  test('is unavailable once the journal is gone, but for the last one of its turn', async () => {
    const { turn } = await say('!tool knowledge_get {"path":"birds/heron.md"}');
    expect(await stateOf(turn, 1)).toEqual([StepRequestState.EXACT, '']);
    await harness.engine.store.write((tx) => tx.log.trimJournal(tx.now() + 1, 100));
    expect(await stateOf(turn, 1)).toEqual([StepRequestState.UNAVAILABLE, 'JOURNAL_EXPIRED']);
    expect(await stateOf(turn, 2)).toEqual([StepRequestState.EXACT, '']);
    const { steps } = await harness.call(controls.listSteps, turn);
    expect(steps.map(({ outcome, unavailableReason }) => [outcome, unavailableReason])).toEqual([
      ['unknown', 'JOURNAL_EXPIRED'],
      ['answered', ''],
    ]);
  });

  test('is unavailable when its provider is not configured any more', async () => {
    const { turn } = await say('hello');
    await harness.engine.store.write(async (tx) => {
      const row = await tx.log.turn(turn.turnId);
      if (row === undefined) throw new Error('the turn is gone');
      await tx.log.saveTurn({ ...row, body: row.body.replaceAll('"provider":"demo"', '"provider":"former"') });
    });
    expect(await stateOf(turn)).toEqual([StepRequestState.UNAVAILABLE, 'PROVIDER_CHANGED']);
  });

  test('is shown as different when nothing is known to have changed and its hash is another one', async () => {
    const { turn } = await say('hello');
    const { store } = harness.engine;
    await store.write(async (tx) => {
      const row = await tx.log.turn(turn.turnId);
      if (row !== undefined)
        await tx.log.saveTurn({
          ...row,
          body: row.body.replace(
            '"provider":"demo","model":"echo"},"inputs"',
            '"provider":"demo","model":"small"},"inputs"',
          ),
        });
    });
    expect(await stateOf(turn)).toEqual([StepRequestState.DIFFERENT, 'HASH_DIFFERS']);
  });

  test('is unavailable when a message came into its history since, and not for others', async () => {
    const { turn, messageId } = await say('hello');
    await say('and now?');
    const third = await say('third');
    const append = (id: string) =>
      harness.call(gateway.appendSessionMessage, {
        ...session,
        message: { role: 1, id, parts: [{ partType: 1, content: 'more' }] },
      });
    await append('00000000-0000-7000-8000-000000000001');
    await append('ffffffff-ffff-7fff-8fff-ffffffffffff');
    expect(await stateOf(third.turn)).toEqual([StepRequestState.EXACT, '']);
    await append(`${messageId.slice(0, -4)}ffff`);
    expect(await stateOf(turn)).toEqual([StepRequestState.EXACT, '']);
    expect(await stateOf(third.turn)).toEqual([StepRequestState.UNAVAILABLE, 'MESSAGES_ADDED']);
  });
});

test('tokens from the cache are taken from the front of a request', () => {
  const pieces = [{ tokens: 10 }, { tokens: 20 }, { tokens: 10 }];
  expect(cachedShare(pieces, { inputTokens: 80, cachedInputTokens: 40 })).toEqual([10, 10, 0]);
  expect(cachedShare(pieces, { inputTokens: 80, cachedInputTokens: 80 })).toEqual([10, 20, 10]);
  expect(cachedShare(pieces, undefined)).toEqual([0, 0, 0]);
});
