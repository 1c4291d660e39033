import { describe, expect, it } from 'vitest';
import type { FakeHandlers } from '../testing/fake-fetch.ts';
import { fakeHost } from '../testing/fake-host.ts';

interface Asked {
  readonly turnId: string;
  readonly step: number;
  readonly compaction: number;
  readonly pageToken: string;
  readonly includeBody: boolean;
}

const steps: Readonly<Record<string, readonly number[]>> = { t2: [1, 2], t1: [1] };

const step = (number: number) => ({
  step: number,
  outcome: 'answered',
  provider: 'mock',
  model: 'm-1',
  modelMs: 40,
  firstPieceMs: 7,
  usage: { inputTokens: 30n, cachedInputTokens: 10n, outputTokens: 5n },
  sentBytes: 2_048n,
});

const summary = { ...step(1), kind: 'compaction', compaction: 1, outcome: 'summarised' };

const system = {
  source: 'system_prompt',
  role: 'system',
  form: 'text',
  text: 'You are kind.',
  tokens: 4n,
  cachedTokens: 4n,
};
const said = (messageId: string, text: string) => ({
  source: 'transcript',
  role: 'user',
  form: 'text',
  messageId,
  partId: '000000',
  text,
  tokens: 2n,
});
const result = {
  source: 'knowledge',
  name: 'a.md',
  role: 'tool',
  form: 'result',
  text: 'Long\u001b[2J',
  tokens: 9n,
  tokensBeforeCut: 90n,
};

/** Requests of a session with two turns; the first page holds one piece. */
const handlers = (changes: Readonly<Record<string, object>> = {}): FakeHandlers => ({
  unary: {
    GetSession: () => ({ sessionId: 's1', agent: 'demo' }),
    GetResource: ({ kind, name }: { kind: string; name: string }) => ({
      resource: { kind, metadata: { name }, spec: { kind: { case: 'session', value: { agent: 'demo' } } } },
    }),
    ListTurns: () => ({ turns: [{ id: 't2' }, { id: 't1' }] }),
    ListSteps: ({ turnId }: Asked) => ({
      steps: [...(turnId === 't2' ? [summary] : []), ...(steps[turnId] ?? []).map(step)],
    }),
    GetStepRequest: ({ turnId, step: number, compaction, pageToken, includeBody }: Asked) => {
      if (compaction > 0) return { step: summary, state: 1, pieces: [said('m0', 'old')] };
      const pieces = [system, said('m1', 'hello'), ...(turnId === 't2' ? [said('m2', 'and now?')] : [])];
      if (turnId === 't2' && number === 2) pieces.push(result as never);
      return {
        step: step(number),
        state: 1,
        ...(includeBody ? { body: '{"model":"m-1"}' } : {}),
        ...(pageToken === ''
          ? {
              pieces: pieces.slice(0, 1),
              nextPageToken: 'p2',
              omissions: [{ messageId: 'm0', reason: 'over_budget', tokens: 7n }],
            }
          : { pieces: pieces.slice(1) }),
        ...changes[`${turnId} ${number}`],
      };
    },
  },
});

const run = async (words: readonly string[], changes?: Readonly<Record<string, object>>) => {
  const fake = fakeHost({ handlers: handlers(changes) });
  const exit = await fake.run('prompt', 's1', ...words);
  return { exit, out: fake.out(), err: fake.err() };
};

describe('svc prompt', () => {
  it('shows the newest call in pieces with their source, or one that is named', async () => {
    const { exit, out } = await run([]);
    expect(exit).toBe(0);
    expect(out).toContain('step 2  mock/m-1  answered');
    expect(out).toContain('40 ms, first piece after 7 ms');
    expect(out).toContain('30 in (10 cached), 5 out');
    expect(out).toContain('exact, 2.0 KiB');
    expect(out).toContain('not sent: m0, dropped, since the window had no room (7 tokens)');
    expect(out).toContain('== system_prompt (system, 4 tokens, 4 cached)\nYou are kind.\n');
    expect(out).toContain('== transcript m2 000000 (user, 2 tokens)\nand now?\n');
    expect(out).toContain('== knowledge a.md (tool, result, 9 tokens, cut from 90 to save space)\nLong');
    expect(out).not.toContain('\u001b[2J');
    expect((await run(['t1', '1'])).out).not.toContain('and now?');
  });

  it('compares with the call before, of the turn before where it is the first', async () => {
    expect((await run(['--diff'])).out).toContain('+== knowledge a.md (tool, result)');
    const { out } = await run(['t2', '1', '--diff']);
    expect(out).toContain('--- t1 1');
    expect(out).toContain('+== transcript m2 000000 (user)\n+and now?');
    const first = await run(['t1', '1', '--diff']);
    expect([first.exit, first.err]).toEqual([1, expect.stringContaining('no model call before')]);
    const gone = { 't1 1': { state: 3, explanation: 'a message was edited' } };
    expect((await run(['t2', '1', '--diff'], gone)).err).toContain('a message was edited');
  });

  it('lists calls, prints the body alone, and all of it as JSON', async () => {
    expect((await run(['--steps'])).out).toMatch(
      /STEP +MODEL.*\n1c1 +mock\/m-1 +summarised .*\n1 +mock\/m-1 +answered +0 +30 +10 +5 +40 +2048\n2 /,
    );
    expect((await run(['--body'])).out).toBe('{"model":"m-1"}');
    const all = JSON.parse((await run(['-o', 'json'])).out) as { readonly pieces: readonly unknown[] };
    expect(all.pieces).toHaveLength(4);
  });

  it('shows what a compaction was sent, and leaves it out of comparisons of calls', async () => {
    const { out } = await run(['t2', '1c1']);
    expect(out).toContain('step 1c1, compaction  mock/m-1  summarised');
    expect(out).toContain('== transcript m0 000000 (user, 2 tokens)\nold\n');
    expect((await run(['t2', '1c1', '--diff'])).out).toContain('--- t1 1');
    expect((await run(['t2', '1', '--diff'])).out).toContain('--- t1 1');
    for (const name of ['1c0', '0c1', 'c1', '1c', '1.5'])
      expect((await run(['t2', name])).err).toContain(`${name} is not the number of a step`);
  });

  it('says why a request is not what left', async () => {
    const different = { 't2 2': { state: 2, explanation: 'another hash' } };
    expect((await run([], different)).out).toContain('different: another hash');
    const gone = {
      't2 2': { state: 3, explanation: 'the journal was removed', pieces: [], omissions: [], nextPageToken: '' },
    };
    expect((await run([], gone)).out).toContain('unavailable: the journal was removed');
    expect((await run(['--body'], gone)).err).toContain('the journal was removed');
    expect((await run(['--body'], { 't2 2': { bodyOmitted: true } })).err).toContain('too large');
    expect((await run(['t2', 'last'])).err).toContain('last is not the number of a step');
  });
});
