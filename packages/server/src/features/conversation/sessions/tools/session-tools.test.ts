import { create } from '@bufbuild/protobuf';
import { AgentSpecSchema } from '@svc/api/resources';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PART, parseBody } from '../../../../runtime/contract.ts';
import type { ToolContext } from '../../../../tools/contract.ts';
import { ToolCaller } from '../../../testing/tool-caller.ts';
import { SessionHarness } from '../testing/index.ts';
import { sessionTools } from './session-tools.ts';

const capabilities = { sessions: ['*'] };
const causing = (agent: string) => ({ namespace: 'default', agent, turnId: `turn of ${agent}` });

describe('tools over sessions', () => {
  let world: SessionHarness;
  let tools: ToolCaller;
  let target: string;

  beforeEach(async () => {
    world = new SessionHarness();
    await world.start();
    world.engine.setAgent('other', create(AgentSpecSchema, {}));
    const { store, admission, audit, bus } = world.deps;
    const visibleNamespaces = async (_reads: unknown, name: string) =>
      name === 'default:below' ? [name, 'default'] : [name];
    tools = new ToolCaller({ tools: sessionTools({ store, admission, audit, bus, visibleNamespaces, maxDepth: 2 }) });
    target = await newSession('other');
  });
  afterEach(() => world.close());

  const newSession = async (agent: string): Promise<string> => (await world.newSession(agent)).sessionId;
  const call = (name: string, input: object, context: Partial<ToolContext> = {}) =>
    tools.call(name, input, { capabilities, ...context });
  const send = (context: Partial<ToolContext> = {}, input: object = {}) =>
    call('send_session_message', { session_id: target, agent: 'other', message: 'hello', ...input }, context);
  const turns = () => world.deps.store.direct.log.turns(target, { limit: 10 });

  it('are offered by their actions', async () => {
    expect(await tools.offered({ sessions: ['inspect'] })).toEqual(['list_sessions']);
    expect(await tools.offered({ sessions: ['read:messages'] })).toEqual(['read_session_messages']);
    expect(await tools.offered({ sessions: ['send_message'] })).toEqual(['send_session_message']);
    expect(await tools.offered({})).toEqual([]);
  });

  it('list the sessions of the agent itself, or of the one that is named', async () => {
    const own = await newSession('helper');
    expect((await call('list_sessions', {})).map((row: { session_id: string }) => row.session_id)).toEqual([own]);
    expect(await call('list_sessions', { agent: 'other', limit: 1 })).toMatchObject([
      { session_id: target, agent: 'other', state: 'IDLE' },
    ]);
  });

  it('send a message whose turn continues the lineage, and read the reply', async () => {
    const sent = await send({ lineage: [causing('first')] });
    const [turn] = await turns();
    if (turn === undefined) throw new Error('no turn');
    expect(turn.id).toBe(sent.turn_id);
    expect(parseBody(turn).cause).toMatchObject({
      kind: 'delegation',
      identity: 'anna',
      lineage: [causing('first'), { namespace: 'default', agent: 'helper', turnId: 't1' }],
    });
    const [audit] = await world.deps.store.direct.audit.list({ limit: 1 });
    expect(audit).toMatchObject({
      ...{ identity: 'anna', operation: 'tools/send_session_message', requestId: 'default/helper/s1/t1' },
      target: `Session/default/other/${target}`,
    });
    await world.ended(turn.id);
    const read = await call('read_session_messages', { session_id: target, agent: 'other' });
    expect(read.messages).toMatchObject([
      { role: 'user', text: 'hello' },
      { role: 'assistant', text: expect.stringContaining('hello') },
    ]);
    const last = await call('read_session_messages', { session_id: target, agent: 'other', limit: 1 });
    expect(last.messages).toMatchObject([{ role: 'assistant' }]);
  });

  it('send one message when a call runs again after a crash', async () => {
    const first = await send({ idempotencyKey: 'same' });
    expect(await send({ idempotencyKey: 'same' })).toEqual(first);
    expect(await turns()).toHaveLength(1);
    expect((await send({ idempotencyKey: 'other' })).turn_id).not.toBe(first.turn_id);
  });

  it('refuse circles and chains that are too deep, and change nothing', async () => {
    expect(await send({ lineage: [causing('other')] })).toMatchObject({
      ok: false,
      code: 'failed',
      error: expect.stringContaining('loop_detected'),
    });
    const own = await newSession('helper');
    expect((await send({}, { session_id: own, agent: 'helper' })).error).toContain('loop_detected');
    expect((await send({ lineage: [causing('a'), causing('b')] })).error).toContain('depth_exceeded');
    expect(await turns()).toEqual([]);
  });

  it('do not reach other namespaces, nor say whether these exist', async () => {
    const denied = { ok: false, code: 'denied', error: 'this agent may not use that namespace' };
    for (const namespace of ['system', 'default:below', 'no such']) {
      expect(await send({}, { namespace })).toMatchObject(denied);
      expect(await call('list_sessions', { namespace })).toMatchObject(denied);
      expect(await call('read_session_messages', { session_id: target, namespace })).toMatchObject(denied);
    }
    const below = { sessions: [{ action: '*', namespaces: ['.:*'] }] };
    expect(await tools.call('list_sessions', { namespace: 'default:below' }, { capabilities: below })).toEqual([]);
    expect(await tools.call('list_sessions', { namespace: 'system' }, { capabilities: below })).toMatchObject(denied);
  });

  it('find no session under the name of another agent, or by a malformed id', async () => {
    for (const session_id of [target, 'no id'])
      expect(await call('read_session_messages', { session_id })).toMatchObject({ ok: false, code: 'failed' });
    expect(await send({}, { agent: 'nobody' })).toMatchObject({ ok: false });
    expect(await send({}, { message: '' })).toMatchObject({ code: 'invalid_arguments' });
  });

  it('keep an answer short: long messages are cut and the oldest left out', async () => {
    for (let n = 0; n < 7; n++)
      await world.deps.store.write(async (tx) => {
        const session = await tx.log.lockSession(target);
        if (session === undefined) throw new Error('no session');
        const part = { id: '', type: PART.TEXT, content: `${n}${'x'.repeat(9_000)}`, createdAt: 1 };
        await world.deps.lifecycle.append(tx, session, { id: '', role: 1, createdAt: n, labels: {}, parts: [part] });
      });
    const { messages } = await call('read_session_messages', { session_id: target, agent: 'other' });
    expect(messages.map((each: { text: string; truncated: true }) => [each.text[0], each.truncated])).toEqual(
      ['2', '3', '4', '5', '6'].map((first) => [first, true]),
    );
  });
});
