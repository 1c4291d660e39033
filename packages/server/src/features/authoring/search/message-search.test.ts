import { expect, it } from 'vitest';
import type { SessionRow } from '../../../store/contracts/index.ts';
import { compareHits, type MessageSearch, type SearchPlace, searchMessages } from './message-search.ts';
import { logOf, messageOf, sessionOf } from './testing/message-log.ts';

const MOST = { sessions: 10, messages: 1_000, perSession: Number.POSITIVE_INFINITY };
const searchOf = (log: MessageSearch['log'], more: Partial<MessageSearch> = {}): MessageSearch => ({
  log,
  words: ['sea'],
  agents: [{ namespace: 'acme', agent: 'a' }],
  sessionIds: [],
  mayRead: () => true,
  signal: new AbortController().signal,
  most: MOST,
  ...more,
});

/** The hits of every call until the end, one list a call. */
const toTheEnd = async (search: MessageSearch): Promise<readonly (readonly string[])[]> => {
  const calls: string[][] = [];
  let place: SearchPlace | undefined;
  do {
    const slice = await searchMessages(search, place);
    calls.push(slice.hits.map(({ message }) => `${message.sessionId} ${Number(message.id)}`));
    place = slice.next;
  } while (place !== undefined);
  return calls;
};

it('continues in the middle of a session that is too long for one call, and after it', async () => {
  const long = Array.from({ length: 120 }, (_, at) => messageOf('s2', at, at % 50 === 0 ? 'sea' : 'land'));
  const { log } = logOf([sessionOf('a', 's1', 5), sessionOf('a', 's2', 9)], [...long, messageOf('s1', 1, 'sea')]);
  const calls = await toTheEnd(searchOf(log, { most: { ...MOST, messages: 50 } }));
  expect(calls).toEqual([['s2 100'], ['s2 50'], ['s1 1', 's2 0']]);
});

it('continues after the last session that it read', async () => {
  const sessions = [1, 2, 3, 4, 5].map((at) => sessionOf('a', `s${at}`, at));
  const { log } = logOf(
    sessions,
    sessions.map(({ id }, at) => messageOf(id, at, 'sea')),
  );
  const calls = await toTheEnd(searchOf(log, { most: { ...MOST, sessions: 2 } }));
  expect(calls).toEqual([['s5 4', 's4 3'], ['s3 2', 's2 1'], ['s1 0']]);
});

it('goes over many agents in the order of their sessions, each session once, and asks idle agents once', async () => {
  const agents = Array.from({ length: 60 }, (_, at) => ({ namespace: 'acme', agent: `a${at}` }));
  const sessions = [
    sessionOf('a1', 's1', 9),
    sessionOf('a2', 's2', 8),
    sessionOf('a1', 's3', 7),
    sessionOf('a2', 's4', 6),
    sessionOf('b', 's5', 5),
  ];
  const { log, asked } = logOf(
    sessions,
    sessions.map(({ id }) => messageOf(id, 1, 'sea')),
  );
  const read: string[] = [];
  const mayRead = ({ id }: SessionRow): boolean => read.push(id) > 0;
  await searchMessages(searchOf(log, { agents, sessionIds: ['s5', 's3', 'gone'], mayRead }));
  expect(read).toEqual(['s1', 's2', 's3', 's4', 's5']);
  expect(asked.sessions).toBe(62);
});

it('ends a call between two short sessions, and counts those that may not be read', async () => {
  const sessions = [1, 2, 3, 4, 5].map((at) => sessionOf('a', `s${at}`, at));
  const { log } = logOf(
    sessions,
    sessions.flatMap(({ id }) => [messageOf(id, 1, 'sea'), messageOf(id, 2, 'land')]),
  );
  const short = await toTheEnd(searchOf(log, { most: { ...MOST, messages: 4 } }));
  expect(short).toEqual([['s5 1', 's4 1'], ['s3 1', 's2 1'], ['s1 1']]);
  const mayRead = ({ id }: SessionRow): boolean => id === 's1';
  expect(await toTheEnd(searchOf(log, { mayRead, most: { ...MOST, sessions: 2 } }))).toEqual([[], [], ['s1 1']]);
});

it('reads nothing of a session that may not be read', async () => {
  const { log } = logOf([sessionOf('a', 's1', 5)], [messageOf('s1', 1, 'sea')]);
  const forbidden = { ...log, messagesBefore: () => Promise.reject(new Error('was read')) };
  const place = { lastActive: 9, sessionId: 's1', messageId: '000009' };
  const search = searchOf(forbidden, { mayRead: () => false });
  expect((await searchMessages(search)).hits).toEqual([]);
  expect((await searchMessages(search, place)).hits).toEqual([]);
});

it('leaves older messages of a session out where it is told to', async () => {
  const messages = Array.from({ length: 120 }, (_, at) => messageOf('s1', at, at === 0 || at === 30 ? 'sea' : 'land'));
  const { log } = logOf([sessionOf('a', 's1', 5)], messages);
  expect(await toTheEnd(searchOf(log, { most: { ...MOST, perSession: 100 } }))).toEqual([['s1 30']]);
});

it('ends when its caller gives up', async () => {
  const { log } = logOf([sessionOf('a', 's1', 5)], [messageOf('s1', 1, 'sea')]);
  const signal = AbortSignal.abort(new Error('gone'));
  await expect(searchMessages(searchOf(log, { signal }))).rejects.toThrow('gone');
});

it('orders hits by their score, then by time, then by the newer session and message', () => {
  const hit = { score: 0.5, createdAt: 7, sessionId: 's2', messageId: 'm2' };
  const ordered = [
    { ...hit, score: 1, createdAt: 1 },
    { ...hit, createdAt: 8, sessionId: 's1', messageId: 'm1' },
    { ...hit, sessionId: 's3', messageId: 'm1' },
    hit,
    { ...hit, messageId: 'm1' },
  ];
  expect(ordered.toReversed().toSorted(compareHits)).toEqual(ordered);
});
