import { describe, expect, it } from 'vitest';
import { fakeHost } from '../testing/fake-host.ts';

const hit = (text: string) => ({
  ns: 'sea',
  agent: 'pilot',
  sessionId: '01900000-0000-7000-8000-000000000001',
  messageId: 'm1',
  role: 2,
  createdAt: 1_700_000_000_000_000n,
  snippet: [{ text: 'the ' }, { text: 'lighthouse', found: true }, { text }],
  score: 1,
});

interface Page {
  readonly hits: readonly object[];
  readonly nextPageToken?: string;
}

const run = async (words: readonly string[], ...pages: readonly Page[]) => {
  const asked: unknown[] = [];
  const SearchSessions = (request: object) => {
    asked.push(request);
    return pages[Math.min(asked.length, pages.length) - 1] ?? {};
  };
  const fake = fakeHost({ columns: 200, handlers: { unary: { SearchSessions } } });
  const exit = await fake.run('search', ...words);
  return { exit, out: fake.out(), err: fake.err(), asked };
};

describe('svc search', () => {
  it('prints what was said where, in the namespace or everywhere', async () => {
    const { exit, out, asked } = await run(['light house', '--agent', 'pilot'], { hits: [hit('\u001b[2J is open')] });
    expect([exit, asked]).toEqual([
      0,
      [expect.objectContaining({ ns: 'default', query: 'light house', agent: 'pilot', pageSize: 20 })],
    ]);
    expect(out).toMatch(/^SESSION +NAMESPACE +AGENT +FROM +AGE +TEXT\n/u);
    expect(out).toMatch(/-000000000001 +sea +pilot +assistant +\S+ +the lighthouse.* is open\n$/u);
    expect(out).not.toContain('\u001b[2J');
    expect((await run(['x', '-A'], { hits: [] })).asked).toEqual([expect.objectContaining({ ns: '-' })]);
  });

  it('reads on until it has as many as wanted, at most 20 times, and says when older sessions are left', async () => {
    const some = { hits: [hit(' one')], nextPageToken: 'next' };
    const two = await run(['x', '--limit', '3'], some, { hits: [], nextPageToken: 'further' }, { hits: [hit(' two')] });
    expect(two.asked).toEqual([
      expect.objectContaining({ pageToken: '', pageSize: 3 }),
      expect.objectContaining({ pageToken: 'next', pageSize: 2 }),
      expect.objectContaining({ pageToken: 'further', pageSize: 2 }),
    ]);
    expect(two.err).not.toContain('older sessions');
    const rare = await run(['x'], { hits: [], nextPageToken: 'next' });
    expect(rare.asked).toHaveLength(20);
    expect(rare.err).toContain('older sessions were not read');
  });

  it('prints names and JSON for programs, and says when there is nothing', async () => {
    expect((await run(['x', '-o', 'name'], { hits: [hit('')] })).out).toBe('01900000-0000-7000-8000-000000000001\n');
    const { out } = await run(['x', '-o', 'json'], { hits: [hit('')] });
    expect(JSON.parse(out)).toMatchObject({ items: [{ agent: 'pilot', messageId: 'm1', score: 1 }] });
    expect((await run(['x'], { hits: [] })).err).toContain('no message has these words');
  });
});
