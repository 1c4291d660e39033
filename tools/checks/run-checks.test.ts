import { describe, expect, it } from 'vitest';
import type { Check, CheckOutcome } from './check-list.ts';
import { runChecks, selectChecks } from './run-checks.ts';

const context = { root: '/nowhere', services: {}, lacksServices: false, selected: [] };

function check(name: string, outcome: CheckOutcome): Check {
  return { name, run: () => Promise.resolve(outcome) };
}

/** A run whose clock moves by one second between any two looks at it. */
async function run(selected: readonly Check[]) {
  const printed: string[] = [];
  let nowMs = 0;
  const now = (): number => {
    nowMs += 1000;
    return nowMs;
  };
  const totals = await runChecks(selected, context, { now, print: (line) => printed.push(line) });
  return { totals, printed };
}

describe('runChecks', () => {
  it('adds up all checks', async () => {
    const { totals } = await run([check('a', { passed: 1, failed: 0 }), check('b', { passed: 40, failed: 2 })]);
    expect(totals).toEqual({ passed: 41, failed: 2 });
  });

  it('goes on after a failed check and shows what it said', async () => {
    const { totals, printed } = await run([
      check('a', { passed: 0, failed: 1, output: 'line 3 is wrong\n' }),
      check('b', { passed: 1, failed: 0 }),
    ]);
    expect(totals).toEqual({ passed: 1, failed: 1 });
    expect(printed).toContain('line 3 is wrong');
  });

  it('begins a check beside the one before it, and prints both in their order', async () => {
    const begun: string[] = [];
    const second = Promise.withResolvers<CheckOutcome>();
    const checks: Check[] = [
      { name: 'first', run: () => second.promise.then(() => ({ passed: 1, failed: 0 })) },
      {
        name: 'second',
        isJoining: true,
        run: () => {
          begun.push('second');
          second.resolve({ passed: 2, failed: 0 });
          return second.promise;
        },
      },
      {
        name: 'third',
        run: async () => {
          begun.push('third');
          return { passed: 4, failed: 0 };
        },
      },
    ];
    const { totals, printed } = await run(checks);
    expect(begun).toEqual(['second', 'third']);
    expect(totals).toEqual({ passed: 7, failed: 0 });
    expect(printed.filter((text) => text.startsWith('--- '))).toEqual(['--- first', '--- second', '--- third']);
  });

  it('waits for all that run side by side before it begins the next', async () => {
    const events: string[] = [];
    const ending = (name: string, isJoining: boolean): Check => ({
      name,
      isJoining,
      run: async () => {
        events.push(`${name} begins`);
        await Promise.resolve();
        events.push(`${name} ends`);
        return { passed: 1, failed: 0 };
      },
    });
    await run([ending('a', false), ending('b', true), ending('c', false)]);
    expect(events).toEqual(['a begins', 'b begins', 'a ends', 'b ends', 'c begins', 'c ends']);
  });

  it('repeats what failed before the table at the end', async () => {
    const { printed } = await run([
      check('unit', { passed: 1, failed: 1, failures: ['a file is kept: expected 1 to be 2'] }),
      check('types', { passed: 1, failed: 0 }),
    ]);
    expect(printed.slice(-5, -2)).toEqual([
      '\n--- what failed',
      'unit: a file is kept: expected 1 to be 2',
      '\n--- all checks',
    ]);
  });

  it('counts a check that throws as failed', async () => {
    const broken: Check = { name: 'a', run: () => Promise.reject(new Error('no such tool')) };
    const { totals, printed } = await run([broken]);
    expect(totals).toEqual({ passed: 0, failed: 1 });
    expect(printed.join('\n')).toContain('no such tool');
  });

  it('prints name, time, result and note of each check, and all of them again at the end', async () => {
    const { printed } = await run([check('types', { passed: 0, failed: 0, note: 'not run: shallow clone' })]);
    const line = 'types              1.0 s  nothing to check (not run: shallow clone)';
    expect(printed.filter((text) => text === line)).toHaveLength(2);
  });
});

describe('selectChecks', () => {
  const all = [check('a', { passed: 1, failed: 0 }), check('b', { passed: 1, failed: 0 })];

  it('takes all when none is named, else the named ones in their usual order', () => {
    expect(selectChecks(all, [])).toEqual(all);
    expect(selectChecks(all, ['b', 'a'])).toEqual(all);
    expect(selectChecks(all, ['b'])).toEqual([all[1]]);
  });

  it('refuses an unknown name and lists the known ones', () => {
    expect(() => selectChecks(all, ['c'])).toThrow('there are: a, b');
  });
});
