import { describe, expect, it } from 'vitest';
import { fakeHost } from '../testing/fake-host.ts';

const AT = 1_700_000_000_000_000n;
const entries = [
  { kind: 'schedule_firing', id: 'daily@1', name: 'daily', at: AT, state: 'fired' },
  {
    kind: 'session_message',
    id: 'm1',
    agent: 'helper',
    at: AT + 5_000n,
    state: 'user',
    text: 'Do it.',
    causedBy: 'daily@1',
  },
  {
    kind: 'turn',
    id: 't1',
    agent: 'helper',
    at: AT + 6_000n,
    endedAt: AT + 1_306_000n,
    state: 'FAILED',
    reason: 'refused',
    text: 'for schedule:default/daily, \u001b[2Jno model',
    causedBy: 'm1',
  },
  {
    kind: 'tool_call',
    id: 'c1',
    name: 'goals',
    at: AT + 7_000n,
    endedAt: AT + 47_000n,
    state: 'succeeded',
    causedBy: 't1',
  },
];

const run = async (words: readonly string[], truncated = false) => {
  const asked: unknown[] = [];
  const answer = (request: object) => {
    asked.push(request);
    return { entries, truncated };
  };
  const fake = fakeHost({
    columns: 160,
    handlers: { unary: { GetMessageTrail: answer } },
  });
  const exit = await fake.run('trail', ...words);
  return { exit, out: fake.out(), err: fake.err(), asked };
};

describe('svc trail', () => {
  it('prints what happened in order of time, what was caused below its cause', async () => {
    const { exit, out, asked } = await run(['t1']);
    expect([exit, asked]).toEqual([0, [expect.objectContaining({ ns: 'default', id: 't1' })]]);
    const lines = out.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^TIME +WHAT +STATE +TOOK +DETAIL/u);
    expect(lines[1]).toMatch(/^\d\d:\d\d:\d\d\.000 \d{4}-\d\d-\d\d {3}schedule firing daily +fired/u);
    expect(lines[2]).toMatch(/^\d\d:\d\d:\d\d\.005 +· session message helper +user +Do it\.$/u);
    expect(lines[3]).toMatch(/ · · turn helper \* +failed +1\.3 s +refused: for schedule:default\/daily, .*no model$/u);
    expect(lines[4]).toMatch(/ · · · tool call goals +succeeded +40 ms/u);
    expect(out).not.toContain('\u001b[2J');
  });

  it('prints names and JSON for programs, and says when there is more', async () => {
    expect((await run(['t1', '-o', 'name'])).out).toContain('tool_call/c1\n');
    const { out } = await run(['t1', '-o', 'json']);
    expect(JSON.parse(out)).toMatchObject({
      items: [{ kind: 'schedule_firing' }, { id: 'm1' }, {}, { causedBy: 't1' }],
    });
    expect((await run(['t1'], true)).err).toContain('more belongs to this trail than is shown');
  });
});
