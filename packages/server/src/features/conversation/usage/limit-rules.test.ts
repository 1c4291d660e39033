import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { UsageLimitSchema } from '@svc/api/resources';
import { describe, expect, it } from 'vitest';
import { bucketAt, type CompiledLimit, compileLimit, counterKey, limitMatches, windowOf } from './limit-rules.ts';

const policy = { uid: 'u', namespace: 'a', name: 'p' };
const compiled = (init: MessageInitShape<typeof UsageLimitSchema>): CompiledLimit | undefined =>
  compileLimit(policy, create(UsageLimitSchema, { metric: 'llm.requests', window: '1m', max: 5n, ...init }));
const limit = (init: MessageInitShape<typeof UsageLimitSchema> = {}): CompiledLimit => {
  const found = compiled(init);
  if (found === undefined) throw new Error('not a limit');
  return found;
};
const subject = { namespace: 'a', agent: 'helper', identity: 'x|y', provider: 'demo', model: 'echo' };

describe('a limit', () => {
  it('is left out when it no longer passes the rules', () => {
    expect(compiled({ window: '1w' })).toBeUndefined();
    expect(compiled({ subjectScope: 'nobody' })).toBeUndefined();
  });

  it('counts under its window, scope and selector, whatever its max and the spelling of its window', () => {
    expect(limit({ window: '60s', max: 1n }).counter).toBe(limit().counter);
    expect(limit({ selector: { agent: 'a' } }).counter).not.toBe(limit().counter);
    expect(limit({ window: '7d' }).bucketMicros).toBe(10_080_000_000);
    expect(limit({ window: '5s' }).bucketMicros).toBe(1_000_000);
    const each = limit({ subjectScope: 'identity' });
    expect(counterKey(each, subject.identity)).toBe(`${each.counter}|x%7Cy`);
    expect(counterKey(limit(), subject.identity)).toBe(limit().counter);
  });

  it('matches by selector, by provider and model for model calls only', () => {
    expect(limitMatches(limit(), 'llm.requests', subject)).toBe(true);
    expect(limitMatches(limit(), 'tool.calls', subject)).toBe(false);
    const selector = { agent: 'helper', provider: 'demo', model: 'echo' };
    expect(limitMatches(limit({ selector }), 'llm.requests', subject)).toBe(true);
    for (const other of [{ agent: 'x' }, { provider: 'x' }, { model: 'x' }])
      expect(limitMatches(limit({ selector: { ...selector, ...other } }), 'llm.requests', subject)).toBe(false);
    const tools = limit({ metric: 'tool.calls', selector: { provider: 'x' } });
    expect([tools.provider, limitMatches(tools, 'tool.calls', subject)]).toEqual(['', true]);
  });

  it('knows its bucket and when its use falls', () => {
    expect(bucketAt(limit(), 2_500_000)).toEqual({ start: 2_000_000, end: 3_000_000 });
    const now = 100_000_000;
    expect(windowOf(limit(), undefined, now)).toEqual({ start: 40_000_000, resetAt: 160_000_000 });
    expect(windowOf(limit(), { used: 0, oldestStart: 0 }, now)).toEqual({ start: 40_000_000, resetAt: 160_000_000 });
    expect(windowOf(limit(), { used: 1, oldestStart: 90_000_000 }, now)).toEqual({
      start: 90_000_000,
      resetAt: 151_000_000,
    });
  });
});
