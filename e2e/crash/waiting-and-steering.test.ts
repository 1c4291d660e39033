import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Part, RestCaller, type SessionKey, SessionReader, textOf } from '../calls/index.ts';
import { MockModel } from '../mock-model/index.ts';
import { ServerProcess, until } from '../server-process/index.ts';
import { expectSeenWhole } from './tool-turn.ts';

let model: MockModel;
let server: ServerProcess;
let rest: RestCaller;
beforeAll(async () => {
  model = await MockModel.start();
  server = await ServerProcess.start({ environment: model.environment });
  rest = new RestCaller(server.url);
  await rest.createAgent('asker', {
    features: [{ type: 'toolset', name: 'goals' }],
    capabilities: { goals: ['inspect', { action: 'create', approval: 'ask' }] },
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

const inState = (session: SessionKey, state: string): Promise<true> =>
  until(`the session is ${state}`, async () => (await rest.state(session)) === state || undefined);
const countOf = (parts: readonly Part[], type: string): number =>
  parts.filter((part) => part.partType === `SESSION_MESSAGE_PART_TYPE_${type}`).length;

/** Plans a kill, carries out `work`, which meets it, and starts again. */
const killedDuring = async (plan: string, work: () => Promise<unknown>): Promise<void> => {
  expect(await server.arm(plan)).toBe(true);
  await work().catch((error: unknown) => {
    if (!(error instanceof TypeError)) throw error;
  });
  expect(await server.ended()).toMatchObject({ signal: 'SIGKILL' });
  await server.restart();
};

describe('a turn that asks for a permission', () => {
  const message = 'call create_goal {"objective":"be kind"}; call list_goals {}; words 2';

  interface Request {
    readonly id: string;
    readonly sessionId: string;
  }
  const answer = async (session: SessionKey): Promise<void> => {
    const { requests } = await rest.ok<{ requests: readonly Request[] }>('GET /v1/ns/default/permission-requests');
    expect(requests.map((request) => request.sessionId)).toEqual([session[1]]);
    await rest.ok(`POST ${rest.sessionPath(...session)}/permissions/${requests[0]?.id}`, { decision: 'ALLOW' });
  };
  const expectAskedAndRunOnce = async (session: SessionKey): Promise<void> => {
    const messages = await rest.messages(session);
    expect(messages.map(textOf)).toEqual([message, 'w0 w1 ']);
    const parts = messages[1]?.parts ?? [];
    expect(countOf(parts, 'REQUEST_PERMISSION')).toBe(1);
    expect(countOf(parts, 'PERMISSION_RESULT')).toBe(1);
    expect(countOf(parts, 'TOOL_RESULT')).toBe(2);
    const goals = parts.filter((part) => part.name === 'list_goals').at(-1)?.content ?? '';
    expect(goals.split('be kind').length - 1, goals).toBe(1);
  };

  it.each(['before-ask', 'before-park', 'after-park'])(
    'asks once and runs once when the process is killed %s',
    async (point) => {
      const session = await rest.createSession('asker');
      const reader = new SessionReader(rest, session, { keepsCursor: true });
      await killedDuring(`${point}:1`, async () => {
        await reader.start();
        await rest.send(session, message, { key: point });
      });
      await rest.send(session, message, { key: point });
      await inState(session, 'WAITING');
      await answer(session);
      await reader.ended();
      await inState(session, 'IDLE');
      await expectAskedAndRunOnce(session);
      await expectSeenWhole(rest, session, reader);
    },
  );

  it('keeps its question over a restart and its answer over the next one', async () => {
    const session = await rest.createSession('asker');
    await rest.send(session, message);
    await inState(session, 'WAITING');
    await killedDuring('before-tool-result:1', () => answer(session));
    await inState(session, 'IDLE');
    await expectAskedAndRunOnce(session);
  });
});

describe('a message that joins a running turn', () => {
  it.each(['before-steer-input', 'after-steer-input'])(
    'is answered once when the process is killed %s',
    async (point) => {
      const session = await rest.createSession('asker');
      await killedDuring(`${point}:1`, async () => {
        await rest.send(session, `words 2; gate ${point} 1`);
        await model.arrivedAt(point);
        await rest.send(session, 'words 3', { whenBusy: 'STEER' });
        model.open(point);
        await server.ended();
      });
      await inState(session, 'IDLE');
      const messages = await rest.messages(session);
      expect(messages.filter((message) => message.role === 'ROLE_USER').map(textOf)).toEqual([
        `words 2; gate ${point} 1`,
        'words 3',
      ]);
      expect(textOf(messages.at(-1))).toBe('w0 w1 w2 ');
      expect(messages.filter((message) => textOf(message) === 'w0 w1 w2 ')).toHaveLength(1);
      const ids = messages.map((message) => message.id);
      expect(ids).toEqual([...ids].sort());
    },
  );
});
