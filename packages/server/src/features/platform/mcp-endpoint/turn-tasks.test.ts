import type { JsonObject } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../base/index.ts';
import { PART } from '../../../runtime/contract.ts';
import { answerTurn, cancelTurn, type TaskPlace, turnEnded, turnTask, turnTasks } from './turn-tasks.ts';

const ID = '01970000-0000-7000-8000-000000000001';
const OTHER = '01970000-0000-7000-8000-000000000002';
const FACTS = {} as never;
const NAMES = { ns: 'acme', agent: 'helper', sessionId: 's1' };

const row = (more: object = {}) => ({
  id: ID,
  namespace: 'acme',
  agent: 'helper',
  sessionId: 's1',
  state: 'RUNNING',
  body: JSON.stringify({ replyMessageIds: ['m1', 'm2'] }),
  ...more,
});
const turn = (state: string, more: object = {}): JsonObject => ({ id: ID, sessionId: 's1', state, ...more });

interface World {
  readonly row?: object;
  /** What operations answer or throw. */
  readonly answers?: Readonly<Record<string, JsonObject | Error>>;
  readonly messages?: Readonly<Record<string, object>>;
}

/** A store with one turn at most, and operations that note how they are called. */
const world = ({ row: stored, answers = {}, messages = {} }: World) => {
  const calls: unknown[] = [];
  const followed: unknown[] = [];
  const place = {
    namespace: 'acme',
    calls: {
      run: async (name: string, input: JsonObject) => {
        calls.push([name, input]);
        const answer = answers[name] ?? {};
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
    store: {
      direct: {
        log: {
          turn: async (id: string) => (id === ID ? stored : undefined),
          message: async (_session: string, id: string) => messages[id],
        },
      },
    },
    streams: { follow: async (request: object) => void followed.push(request) },
  } as unknown as TaskPlace;
  return { place, calls, followed };
};

const RUNNING = { GetTurn: { turn: turn('TURN_STATE_RUNNING') } };

describe('the task of a turn', () => {
  it('is what the caller may see of it, with the reply of its last message once it is over', async () => {
    const parts = JSON.stringify([{ id: '000000', type: PART.TEXT, content: 'done', createdAt: 1 }]);
    const answers = { GetTurn: { turn: turn('TURN_STATE_COMPLETED') } };
    const completed = row({ state: 'COMPLETED' });
    const { place, calls } = world({ row: completed, answers, messages: { m2: { parts } } });
    expect(await turnTask(place, ID, FACTS)).toMatchObject({ id: ID, status: 'completed', result: { text: 'done' } });
    expect(calls).toEqual([['GetTurn', { ...NAMES, turnId: ID }]]);
    const gone = world({ row: completed, answers });
    expect(await turnTask(gone.place, ID, FACTS)).toMatchObject({ status: 'completed', result: { text: '' } });
    const without = row({ state: 'COMPLETED', body: JSON.stringify({ replyMessageIds: [] }) });
    expect(await turnTask(world({ row: without, answers }).place, ID, FACTS)).toMatchObject({ result: { text: '' } });
  });

  it('has no reply before the end', async () => {
    const { place } = world({ row: row(), answers: RUNNING });
    const task = await turnTask(place, ID, FACTS);
    expect([task?.status, task?.result]).toEqual(['working', undefined]);
  });

  it.each([
    ['an id that is none', 'latest', {}],
    ['a turn that is not there', OTHER, {}],
    ['a turn of another namespace', ID, { row: row({ namespace: 'other' }), answers: RUNNING }],
    ['an answer without a turn', ID, { row: row() }],
    ['a turn that is gone meanwhile', ID, { row: row(), answers: { GetTurn: new Fault('NOT_FOUND', 'TURN', 'no') } }],
    [
      'a turn that the caller may not see',
      ID,
      { row: row(), answers: { GetTurn: new Fault('PERMISSION_DENIED', 'ACCESS_DENIED', 'no') } },
    ],
  ])('is missing for %s', async (_what, id, of) => {
    const { place } = world(of);
    expect(await turnTask(place, id, FACTS)).toBeUndefined();
    expect(await cancelTurn(place, id, FACTS)).toBe(false);
    expect(await answerTurn(place, { id, replies: [] }, FACTS)).toBe(false);
  });

  it.each([[new Fault('UNAVAILABLE', 'STORE_AWAY', 'away')], [new Error('broken')]])(
    'is not said to be missing when it cannot be read: %s',
    async (error) => {
      const { place } = world({ row: row(), answers: { GetTurn: error } });
      await expect(turnTask(place, ID, FACTS)).rejects.toBe(error);
    },
  );
});

describe('tasks of a namespace', () => {
  it('are the turns of one page of sessions', async () => {
    const session = { metadata: { name: 's1' }, spec: { session: { agent: 'helper' } } };
    const { place, calls } = world({
      answers: {
        ListResources: { resources: [session, 'no resource', {}], nextPageToken: 'p2' },
        ListTurns: { turns: [turn('TURN_STATE_RUNNING')] },
      },
    });
    const { tasks, nextCursor } = await turnTasks(place, 'p1', FACTS);
    expect([tasks.map(({ id, status }) => [id, status]), nextCursor]).toEqual([
      [
        [ID, 'working'],
        [ID, 'working'],
      ],
      'p2',
    ]);
    expect(calls).toEqual([
      ['ListResources', { ns: 'acme', kind: 'Session', pageSize: 20, pageToken: 'p1' }],
      ['ListTurns', { ...NAMES, pageSize: 10 }],
      ['ListTurns', { ns: 'acme', agent: '', sessionId: '', pageSize: 10 }],
    ]);
  });

  it('are none where there are no sessions or no turns', async () => {
    expect(await turnTasks(world({}).place, '', FACTS)).toEqual({ tasks: [], nextCursor: '' });
    const { place } = world({ answers: { ListResources: { resources: [{}] } } });
    expect(await turnTasks(place, '', FACTS)).toEqual({ tasks: [], nextCursor: '' });
  });
});

describe('a turn that is cancelled', () => {
  it('is stopped, unless it is over', async () => {
    const { place, calls } = world({ row: row(), answers: RUNNING });
    expect(await cancelTurn(place, ID, FACTS)).toBe(true);
    expect(calls.at(-1)).toEqual(['StopSessionGeneration', { ...NAMES, turnId: ID }]);
    const over = world({ row: row(), answers: { GetTurn: { turn: turn('TURN_STATE_FAILED') } } });
    expect([await cancelTurn(over.place, ID, FACTS), over.calls.length]).toEqual([true, 1]);
  });
});

describe('answers to a turn', () => {
  const options = [{ id: 'yes', allow: true }];
  const request = (id: string) => ({ id, kind: 'permission', options });
  const waiting = { turn: turn('TURN_STATE_WAITING', { pendingPermissions: [request('r1'), request('r2')] }) };
  const reply = (questionId: string, option: string) => ({ questionId, isAccepted: true, content: { option } });

  it('go to the requests that they are for, and only where they say something', async () => {
    const { place, calls } = world({ row: row(), answers: { GetTurn: waiting } });
    const replies = [reply('r1', 'yes'), reply('r2', 'unknown'), reply('r9', 'yes')];
    expect(await answerTurn(place, { id: ID, replies }, FACTS)).toBe(true);
    const answered = { ...NAMES, requestId: 'r1', decision: 'PERMISSION_DECISION_ALLOW', optionId: 'yes' };
    expect(calls.slice(1)).toEqual([['AnswerPermission', answered]]);
  });

  it('change nothing where someone was faster, and tell what else goes wrong', async () => {
    const replies = [reply('r1', 'yes')];
    const answering = (error: Error) => {
      const { place } = world({ row: row(), answers: { GetTurn: waiting, AnswerPermission: error } });
      return answerTurn(place, { id: ID, replies }, FACTS);
    };
    expect(await answering(new Fault('FAILED_PRECONDITION', 'PERMISSION_CLOSED', 'closed'))).toBe(true);
    const denied = new Fault('PERMISSION_DENIED', 'ACCESS_DENIED', 'no');
    await expect(answering(denied)).rejects.toBe(denied);
    const broken = new Error('broken');
    await expect(answering(broken)).rejects.toBe(broken);
  });
});

describe('the end of a turn', () => {
  it('is waited for on its session, and not at all where there is no turn', async () => {
    const { place, followed } = world({ row: row() });
    const { signal } = new AbortController();
    await turnEnded(place, ID, signal);
    await turnEnded(place, OTHER, signal);
    expect(followed).toEqual([
      {
        sessions: [{ namespace: 'acme', agent: 'helper', sessionId: 's1', after: 'live' }],
        untilDone: true,
        turnId: ID,
        batch: false,
        isWait: true,
      },
    ]);
  });
});
