import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock, silentLog } from '../../../../base/index.ts';
import {
  type McpConnection,
  McpFailure,
  type McpFailureKind,
  type McpReply,
  type McpTaskState,
} from '../../../../protocols/mcp/contract.ts';
import type { Store, TurnRow } from '../../../../store/contracts/index.ts';
import type { ToolAnswer, ToolContext, ToolPause } from '../../../../tools/contract.ts';
import { resumeTask, type TaskCall, type TaskCheck, waitForTask } from './task-calls.ts';
import { TaskPolls } from './task-polls.ts';
import {
  parsePoll,
  questionKey,
  signInKey,
  type TaskPoll,
  taskKey,
  taskOfCall,
  waitsUntil,
} from './task-wait-rules.ts';

const NOW = 1_700_000_000_000_000;
const HOUR = 3_600_000_000;
const TASK = { id: 'a/b c#d', intervalMs: 2_000, lifeMs: 3_600_000 };
const CITY = { key: 'k', message: 'Which city?', schema: { type: 'object' } };
const asks = (...ids: string[]): McpTaskState => ({
  status: 'input_required',
  task: TASK,
  questions: ids.map((id) => ({ id, question: CITY })),
});

/** A server with one task, whose state and failures each test sets. */
class TaskDesk {
  state: McpTaskState = { status: 'working', task: TASK };
  failure: McpFailureKind | undefined;
  hang = false;
  readonly sent: string[] = [];
  readonly replies: Record<string, McpReply> = {};

  readonly use: TaskCall['use'] = async (signal, work) => {
    if (this.hang) return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    if (this.failure !== undefined) throw new McpFailure(this.failure, 'down');
    const connection: Pick<McpConnection, 'task' | 'answerTask' | 'cancelTask'> = {
      task: async () => {
        this.sent.push('look');
        return this.state;
      },
      answerTask: async (_id, replies) => {
        Object.assign(this.replies, replies);
      },
      cancelTask: async () => {
        this.sent.push('cancel');
      },
    };
    return work(connection as McpConnection);
  };
}

const pause = (more: Partial<ToolPause> = {}): ToolPause => ({
  key: taskKey(TASK.id),
  sinceMicros: NOW,
  untilMicros: NOW + HOUR,
  endedBy: '',
  ...more,
});
const answer = (id: string, decision: ToolAnswer['decision'] = 'accepted'): ToolAnswer => ({
  key: questionKey(TASK.id, id),
  kind: 'input',
  decision,
  value: { city: id },
  decidedBy: 'anna',
  comment: '',
});

let desk: TaskDesk;
let queued: TaskCheck[];
beforeEach(() => {
  desk = new TaskDesk();
  queued = [];
});

const callWith = (context: Partial<ToolContext>): TaskCall => ({
  name: 'mcp_desk_work',
  server: 'desk',
  context: { answers: [], nowMicros: NOW, signal: new AbortController().signal, ...context } as ToolContext,
  use: desk.use,
  queue: async (_context, check) => void queued.push(check),
});
const resume = (context: Partial<ToolContext> = { waited: pause() }) => resumeTask(callWith(context), TASK.id);
const said = async (work: ReturnType<typeof resume>): Promise<unknown> => {
  const result = await work;
  return 'wait' in result ? result : (result.structured ?? result.content);
};

describe('a call that became a task', () => {
  it('is queued before it waits, as long as its server keeps the task', async () => {
    const wait = { wait: 'event', key: taskKey(TASK.id), untilMicros: NOW + HOUR };
    expect(await waitForTask(callWith({}), TASK)).toEqual(wait);
    expect(queued).toEqual([{ taskId: TASK.id, intervalMs: 2_000, known: [], untilMicros: NOW + HOUR }]);
    expect(await resume({ waited: pause(), nowMicros: NOW + 5 })).toEqual(wait);
    expect(queued).toHaveLength(2);
    const day = 24 * HOUR;
    expect(waitsUntil({ nowMicros: 0 }, { id: 'x', intervalMs: 1 })).toBe(day);
    expect(waitsUntil({ nowMicros: 0 }, { id: 'x', intervalMs: 1, lifeMs: 1e12 })).toBe(7 * day);
  });

  it('is found again by what it waited for, or by what it asked', () => {
    expect(taskOfCall({ answers: [] })).toBeUndefined();
    expect(taskOfCall({ answers: [{ ...answer('x'), key: 'hash of a question before the task' }] })).toBeUndefined();
    expect(taskOfCall({ answers: [], waited: pause() })).toBe(TASK.id);
    expect(taskOfCall({ answers: [answer('x')] })).toBe(TASK.id);
    expect(signInKey('sign-in/a/b', { answers: [] })).toBe('sign-in/a/b');
    const signedIn = { ...answer('x'), key: signInKey('sign-in/a/b', { answers: [], waited: pause() }) };
    expect(taskOfCall({ answers: [signedIn] })).toBe(TASK.id);
    expect(() => parsePoll('7')).toThrow('not an object');
  });

  it('answers how the task ended', async () => {
    desk.state = { status: 'completed', result: { content: [], structured: { n: 1 }, isError: false } };
    expect(await said(resume())).toEqual({ n: 1 });
    desk.state = { status: 'failed', reason: 'no disk' };
    expect(await said(resume())).toMatchObject({ code: 'failed', error: 'the task failed: no disk' });
    desk.state = { status: 'cancelled', reason: '' };
    expect(await said(resume())).toMatchObject({ error: 'the server cancelled the task' });
  });

  it.each(['connect', 'lost', 'timeout', 'expired'] as const)(
    'waits on while its server is away (%s)',
    async (kind) => {
      desk.failure = kind;
      expect(await resume()).toMatchObject({ wait: 'event', untilMicros: NOW + HOUR });
      expect(queued).toMatchObject([{ intervalMs: 30_000 }]);
    },
  );

  it.each(['auth', 'refused', 'rejected', 'malformed'] as const)('fails when its server refuses (%s)', async (kind) => {
    desk.failure = kind;
    await expect(resume()).rejects.toMatchObject({ kind });
  });

  it('ends after its time, and says so to the server if that is there', async () => {
    const late = { waited: pause(), nowMicros: NOW + HOUR };
    expect(await said(resume(late))).toMatchObject({ code: 'timeout' });
    expect(desk.sent).toEqual(['look', 'cancel']);
    desk.failure = 'lost';
    expect(await said(resume(late))).toMatchObject({ code: 'timeout' });
    expect(queued).toEqual([]);
  });

  it('asks a person each question once, and passes on every answer it has', async () => {
    desk.state = asks('one', 'two');
    const first = await resume();
    expect(first).toMatchObject({ question: { key: questionKey(TASK.id, 'one'), kind: 'input' } });
    const second = await resume({ answers: [answer('one')] });
    expect(second).toMatchObject({ question: { key: questionKey(TASK.id, 'two') } });
    expect(desk.replies).toEqual({ one: { action: 'accept', content: { city: 'one' } } });
    expect(queued.at(-1)).toMatchObject({
      intervalMs: 60_000,
      known: ['one', 'two'].map((id) => questionKey(TASK.id, id)),
    });
    const answers = [answer('one'), answer('two', 'declined')];
    expect(await resume({ answers })).toMatchObject({ wait: 'event' });
    expect(desk.replies['two']).toEqual({ action: 'decline' });
    expect(queued.at(-1)?.known).toHaveLength(2);
  });

  it('that asks where no question can be kept is cancelled', async () => {
    desk.state = asks();
    expect(await said(resume())).toMatchObject({ code: 'failed' });
    expect(desk.sent).toEqual(['look', 'cancel']);
  });
});

describe('the checks of tasks', () => {
  const clock = new ManualClock();
  let isOver: boolean;
  let isFound: boolean;
  let woken: string[];
  let removed: string[];
  let polls: TaskPolls;

  beforeEach(() => {
    [isOver, isFound, woken, removed] = [false, true, [], []];
    const tx = { queue: { cancel: async (_kind: string, key: string) => void removed.push(key) } };
    const store = {
      write: async (work: (handle: typeof tx) => Promise<unknown>) => work(tx),
      direct: { log: { turn: async () => ({ state: isOver ? 'STOPPED' : 'WAITING' }) as TurnRow } },
    } as unknown as Store;
    polls = new TaskPolls({
      store,
      clock,
      log: silentLog,
      lookup: { find: async () => (isFound ? ({} as never) : undefined) },
      pool: { slot: () => ({ use: desk.use }) as never },
      wakes: {
        wake: async (_tx, turnId, key) => {
          woken.push(`${turnId} ${key}`);
          return true;
        },
      },
    });
  });

  const poll = (more: Partial<TaskPoll> = {}): TaskPoll => ({
    namespace: 'default',
    agent: 'a',
    sessionId: 's',
    identity: 'anna',
    turnId: 't',
    server: 'desk',
    taskId: TASK.id,
    intervalMs: 2_000,
    known: [],
    untilMicros: clock.nowMicros() + HOUR,
    ...more,
  });
  const run = async (more: Partial<TaskPoll> = {}, key = 't/c') => {
    const outcome = await polls.run({ kind: 'mcp-task', key, payload: JSON.stringify(poll(more)) });
    await polls.settled();
    return outcome;
  };

  it('come back after the interval, and wake the call once its task ended', async () => {
    expect([await run(), woken, removed]).toEqual([{ againMs: 2_000 }, [], []]);
    desk.state = { status: 'failed', reason: '' };
    await run();
    expect([woken, removed]).toEqual([[`t ${taskKey(TASK.id)}`], ['t/c']]);
  });

  it('wake it for a new question only', async () => {
    desk.state = asks('one');
    await run({ known: [questionKey(TASK.id, 'one')] });
    expect(woken).toEqual([]);
    await run();
    expect(woken).toHaveLength(1);
    desk.state = asks();
    await run();
    expect(woken).toHaveLength(2);
  });

  it('keep what is queued while the task asks: a turn that is stopped then still cancels it', async () => {
    desk.state = asks('one');
    await run();
    expect([woken.length, removed]).toEqual([1, []]);
    isOver = true;
    await run();
    expect([desk.sent.at(-1), removed]).toEqual(['cancel', ['t/c']]);
  });

  it('leave a server that is away for the next time, and wake the call when it is gone or refuses', async () => {
    desk.failure = 'connect';
    expect([await run(), woken]).toEqual([{ againMs: 2_000 }, []]);
    desk.failure = 'auth';
    await run();
    isFound = false;
    await run();
    expect(woken).toHaveLength(2);
  });

  it('cancel the task of a turn that is over, until the server has taken that or its time is over', async () => {
    isOver = true;
    desk.failure = 'lost';
    expect([await run(), removed]).toEqual([{ againMs: 30_000 }, []]);
    desk.failure = undefined;
    await run();
    expect([desk.sent, removed, woken]).toEqual([['cancel'], ['t/c'], []]);
    expect(await run({ untilMicros: clock.nowMicros() })).toEqual({ done: true });
  });

  it('do not pile up behind a server that hangs, and end with the process', async () => {
    desk.hang = true;
    const start = (key: string) => polls.run({ kind: 'mcp-task', key, payload: JSON.stringify(poll()) });
    for (let index = 0; index < 64; index++) expect(await start(`t/${index}`)).toEqual({ againMs: 2_000 });
    expect(await start('t/64')).toEqual({ againMs: 1_000 });
    clock.advance(30_000);
    await polls.settled();
    await start('t/0');
    await polls.close();
    expect([woken, removed]).toEqual([[], []]);
  });
});
