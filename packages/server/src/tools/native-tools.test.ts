import { describe, expect, it } from 'vitest';
import { silentLog } from '../base/index.ts';
import {
  calculateTool,
  createGoalTools,
  createReadToolOutput,
  createToolRegistry,
  currentTimeTool,
  type Goal,
  type GoalBook,
  type Tool,
  type ToolContext,
} from './index.ts';

const context: ToolContext = {
  namespace: 'demo',
  agent: 'helper',
  sessionId: 's1',
  turnId: 't1',
  callId: 'call_t1_1_0',
  idempotencyKey: 'abcdefghijklmnopqrstuvwxyz',
  identity: 'anna',
  lineage: [],
  reach: 'own',
  progress: () => undefined,
  answers: [],
  signal: new AbortController().signal,
  nowMicros: Date.UTC(2026, 2, 29, 0, 30, 5) * 1000,
};

/** Text and structured value of a call; fails when the arguments break the tool's own schema. */
const call = async (tool: Tool, input: Readonly<Record<string, unknown>>, change: Partial<ToolContext> = {}) => {
  expect(createToolRegistry({ tools: [tool], log: silentLog }).validate(tool, input)).toEqual([]);
  const result = await tool.run({ ...context, ...change }, input);
  if ('wait' in result) throw new Error('the call waits');
  const [first] = result.content;
  return { text: first?.type === 'text' ? first.text : '', structured: result.structured, isError: result.isError };
};

describe('current_time', () => {
  it('tells the time of the turn in UTC by default', async () => {
    expect((await call(currentTimeTool, {})).text).toBe('2026-03-29T00:30:05Z (Sunday, UTC)');
  });

  it('follows a zone through its change to summer time', async () => {
    expect((await call(currentTimeTool, { timezone: 'Europe/Berlin' })).structured).toEqual({
      time: '2026-03-29T01:30:05+01:00',
      timezone: 'Europe/Berlin',
      weekday: 'Sunday',
    });
    const later = { nowMicros: context.nowMicros + 3_600_000_000 };
    expect((await call(currentTimeTool, { timezone: 'Europe/Berlin' }, later)).text).toContain(
      '2026-03-29T03:30:05+02:00',
    );
    expect((await call(currentTimeTool, { timezone: 'America/New_York' })).text).toContain(
      '2026-03-28T20:30:05-04:00 (Saturday',
    );
    expect((await call(currentTimeTool, { timezone: 'Asia/Kathmandu' })).text).toContain('+05:45');
  });

  it('says when there is no such zone', async () => {
    const answer = await call(currentTimeTool, { timezone: 'Mars/Olympus' });
    expect(answer).toMatchObject({
      isError: true,
      structured: {
        code: 'invalid_arguments',
        error: 'unknown time zone "Mars/Olympus": give an IANA name such as Europe/Rome',
      },
    });
  });
});

describe('calculate', () => {
  const value = async (expression: string): Promise<unknown> => {
    const { structured } = await call(calculateTool, { expression });
    return (structured as Record<string, unknown>)['value'] ?? (structured as Record<string, unknown>)['error'];
  };

  it.each([
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['10 - 4 - 3', 3],
    ['100 / 10 / 5', 2],
    ['2 ^ 3 ^ 2', 512],
    ['2 ** 10', 1024],
    ['-2 ^ 2', -4],
    ['(-2) ^ 2', 4],
    ['2 ^ -1', 0.5],
    ['--3', 3],
    ['3 - -2', 5],
    ['7 % 4 * 2', 6],
    ['0.1 + 0.2', 0.3],
    ['.5 + 1.', 1.5],
    ['1.5e3 * 2', 3000],
    ['1e-3', 0.001],
    ['sqrt(16) + abs(-3)', 7],
    ['max(1, 2 + 3, 4)', 5],
    ['avg(1, 2, 6)', 3],
    ['round(2.675, 2)', 2.68],
    ['round(-2.5)', -3],
    ['round(1e-9)', 0],
    ['round(1234, -2)', 1200],
    ['PI * 0 + floor(PI * 1000)', 3141],
    ['ln(e)', 1],
    ['log10(1000)', 3],
    ['mod(7, 4) + pow(2, 3)', 11],
    ['\t 2\n+ 2 ', 4],
  ])('computes %s', async (expression, expected) => {
    expect(await value(expression)).toBe(expected);
  });

  it.each([
    ['1 +', 'the expression ends too early (at character 4)'],
    ['(1 + 2', '")" is missing (at character 7)'],
    ['2 3', 'unexpected "3" (at character 3)'],
    ['1 / 0', 'division by zero (at character 3)'],
    ['5 % 0', 'division by zero (at character 3)'],
    ['foo(1)', 'there is no foo (at character 1)'],
    ['1 + process', 'there is no process (at character 5)'],
    ['constructor(1)', 'there is no constructor (at character 1)'],
    ['sqrt(1, 2)', 'sqrt takes 1 numbers (at character 1)'],
    ['round()', 'round takes 1 to 2 numbers (at character 1)'],
    ['sqrt', '"(" is missing (at character 5)'],
    ['sqrt(-1)', 'the result is not a finite real number (at character 9)'],
    ['9 ^ 9 ^ 9', 'the result is not a finite real number (at character 10)'],
    ['1; 2', 'unexpected ";" (at character 2)'],
    ['2 * * 3', 'unexpected "*" (at character 5)'],
    ['round(1, 0.5)', 'the result is not a finite real number (at character 14)'],
  ])('refuses %s with its place', async (expression, error) => {
    expect(await value(expression)).toBe(error);
  });

  it('refuses nesting that would exhaust the stack', async () => {
    expect(await value(`${'('.repeat(200)}1${')'.repeat(200)}`)).toContain('too deeply nested');
    expect(await value(`${'-'.repeat(900)}1`)).toContain('too deeply nested');
  });

  it('refuses longer expressions by its schema', () => {
    expect(
      createToolRegistry({ tools: [], log: silentLog }).validate(calculateTool, { expression: '1'.repeat(1001) }),
    ).toHaveLength(1);
  });
});

describe('read_tool_output', () => {
  const text = `${'a'.repeat(30)}😀${'b'.repeat(30)}`;
  const reader = createReadToolOutput(async (session, id) =>
    session.sessionId === 's1' && id === 'call_1' ? text : undefined,
  );

  it('reads a slice and says where to go on', async () => {
    const first = await call(reader, { tool_call_id: 'call_1', limit: 20 });
    expect(first.text).toBe(`${'a'.repeat(20)}\n[characters 0 to 20 of 62; continue at offset 20]`);
    const rest = await call(reader, { tool_call_id: 'call_1', offset: 32 });
    expect(rest.text).toBe(`${'b'.repeat(30)}\n[characters 32 to 62 of 62]`);
  });

  it('never ends between the halves of a surrogate pair', async () => {
    const slice = await call(reader, { tool_call_id: 'call_1', offset: 29, limit: 2 });
    expect(slice.text).toBe('a😀\n[characters 29 to 32 of 62; continue at offset 32]');
  });

  it('refuses unknown calls, other sessions and offsets behind the end', async () => {
    expect((await call(reader, { tool_call_id: 'call_9' })).structured).toMatchObject({ code: 'failed' });
    expect((await call(reader, { tool_call_id: 'call_1' }, { sessionId: 's2' })).isError).toBe(true);
    expect((await call(reader, { tool_call_id: 'call_1', offset: 62 })).structured).toMatchObject({
      error: 'the output has only 62 characters',
    });
  });
});

describe('goal tools', () => {
  const newBook = (): GoalBook & { readonly goals: Map<string, Goal> } => {
    const goals = new Map<string, Goal>();
    return {
      goals,
      list: async () => [...goals.values()],
      create: async (_session, goal) => {
        const known = goals.get(goal.id) ?? goal;
        goals.set(goal.id, known);
        return known;
      },
      update: async (_session, id, change) => {
        const known = goals.get(id);
        if (known === undefined) return undefined;
        goals.set(id, { ...known, ...change });
        return goals.get(id);
      },
    };
  };
  const toolOf = (book: GoalBook, name: string): Tool => createGoalTools(book).find((tool) => tool.name === name)!;

  it('records one goal however often the same call runs (R6)', async () => {
    const book = newBook();
    const create = toolOf(book, 'create_goal');
    const first = await call(create, { objective: 'Ship it', success_criteria: 'tests pass' });
    const again = await call(create, { objective: 'Ship it', success_criteria: 'tests pass' });
    expect(again).toEqual(first);
    expect(first.structured).toEqual({
      goal_id: 'goal_abcdefghijklmnop',
      objective: 'Ship it',
      success_criteria: 'tests pass',
      phase: 'active',
      progress: '',
    });
    expect((await call(toolOf(book, 'list_goals'), {})).structured).toEqual([first.structured]);
  });

  it('changes progress and phase and leaves the rest', async () => {
    const book = newBook();
    await call(toolOf(book, 'create_goal'), { objective: 'Ship it' });
    const update = toolOf(book, 'update_goal');
    await call(update, { goal_id: 'goal_abcdefghijklmnop', progress: 'half' });
    const done = await call(update, { goal_id: 'goal_abcdefghijklmnop', phase: 'done' });
    expect(done.structured).toMatchObject({ objective: 'Ship it', progress: 'half', phase: 'done' });
    expect((await call(update, { goal_id: 'goal_x' })).isError).toBe(true);
  });

  it('belongs to capability goals and writes only where it says so', () => {
    const tools = createGoalTools(newBook());
    expect(tools.map((tool) => [tool.name, tool.capability?.action, tool.effect])).toEqual([
      ['list_goals', 'inspect', 'read'],
      ['create_goal', 'create', 'write'],
      ['update_goal', 'update', 'write'],
    ]);
  });
});
