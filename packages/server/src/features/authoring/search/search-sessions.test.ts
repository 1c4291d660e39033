import { create } from '@bufbuild/protobuf';
import { SearchSessionsRequestSchema, type SearchSessionsResponse } from '@svc/api/gateway';
import { expect, it } from 'vitest';
import type { Caller } from '../../../auth/contract.ts';
import type { MessageRow, ReadTx, SessionRow, StoredResource } from '../../../store/contracts/index.ts';
import { callContext } from '../../testing/index.ts';
import { searchSessionsOperation } from './search-sessions.ts';
import { logOf, messageOf, sessionOf } from './testing/message-log.ts';

const FIRST = '01900000-0000-7000-8000-000000000001';
const SECOND = '01900000-0000-7000-8000-000000000002';

interface Facts {
  /** `NAMESPACE AGENT` of each. */
  readonly agents: readonly string[];
  readonly sessions?: readonly SessionRow[];
  readonly messages?: readonly MessageRow[];
  /** Whether the caller may view it; without it everything. */
  readonly allows?: (target: { readonly namespace?: string; readonly session?: string }) => boolean;
}

/** The operation over these facts, and what it asked the log for. */
const world = ({ agents, sessions = [], messages = [], allows = () => true }: Facts) => {
  const { log, asked } = logOf(sessions, messages);
  const singles: string[] = [];
  const records = agents
    .map((text) => text.split(' '))
    .map(([namespace = '', name = '']) => ({ key: { kind: 'Agent', namespace, name } }) as StoredResource);
  const resources: Pick<ReadTx['resources'], 'get' | 'list'> = {
    get: async ({ kind, namespace, name }) =>
      kind === 'Namespace'
        ? records.find(({ key }) => key.namespace === name)
        : records.find(({ key }) => key.namespace === namespace && key.name === name),
    list: async ({ scope, after, limit }) => {
      const found = records.filter(({ key }) => scope?.type !== 'namespace' || key.namespace === scope.namespace);
      const from = after === undefined ? 0 : found.findIndex(({ key }) => key.name === after.name) + 1;
      return found.slice(from, from + limit);
    },
  };
  const session = (id: string) => {
    singles.push(id);
    return log.session(id);
  };
  const store = { direct: { log: { ...log, session } }, read: (work: (tx: object) => unknown) => work({ resources }) };
  const operation = searchSessionsOperation({
    store,
    authorizer: { allows: (_caller: Caller, _role: string, at: Parameters<typeof allows>[0]) => allows(at) },
  } as never);
  if (operation.kind !== 'unary') throw new Error('not a unary operation');
  const search = (request: object, grants: readonly object[] = []): Promise<SearchSessionsResponse> => {
    const message = create(SearchSessionsRequestSchema, { ns: '-', query: 'sea', ...request });
    const caller = { identity: 'ann', grants } as unknown as Caller;
    return operation.handle(message as never, callContext('SearchSessions', caller)) as Promise<SearchSessionsResponse>;
  };
  return { search, asked, singles };
};

const found = ({ hits }: SearchSessionsResponse): readonly string[] =>
  hits.map(({ ns, agent, sessionId, messageId }) => `${ns} ${agent} ${sessionId} ${Number(messageId)}`);
const named = (count: number, namespace: string): readonly string[] =>
  Array.from({ length: count }, (_, at) => `${namespace} a${at}`);

it('goes over the agents whose sessions the caller may list, and over no other', async () => {
  const mine = { ...sessionOf('a1', 's1', 9), namespace: 'mine' };
  const facts = {
    agents: [...named(2_100, 'others'), 'mine a1'],
    sessions: [mine, { ...sessionOf('a1', 's2', 8), namespace: 'others' }],
    messages: [messageOf('s1', 1, 'sea'), messageOf('s2', 1, 'sea')],
  };
  const { search, asked } = world({ ...facts, allows: ({ namespace }) => namespace === 'mine' });
  expect(found(await search({}))).toEqual(['mine a1 s1 1']);
  expect(asked.sessions).toBe(2);
});

it('goes over 2,000 agents at most', async () => {
  await expect(world({ agents: named(2_001, 'acme') }).search({})).rejects.toMatchObject({ reason: 'SEARCH_TOO_WIDE' });
  await expect(world({ agents: named(2_001, 'acme') }).search({ ns: 'acme' })).rejects.toThrow('at most 2000 agents');
  const sessions = [sessionOf('a0', 's1', 9), sessionOf('a1999', 's2', 8)];
  const messages = [messageOf('s1', 1, 'sea'), messageOf('s2', 1, 'sea')];
  const { search } = world({ agents: named(2_000, 'acme'), sessions, messages });
  expect(found(await search({}))).toEqual(['acme a1999 s2 1', 'acme a0 s1 1']);
});

it('goes over the agents of one name in every namespace', async () => {
  const { search } = world({
    agents: ['acme a', 'acme b', 'other a'],
    sessions: [sessionOf('a', 's1', 9), sessionOf('b', 's2', 8), { ...sessionOf('a', 's3', 7), namespace: 'other' }],
    messages: [messageOf('s1', 3, 'sea'), messageOf('s2', 2, 'sea'), messageOf('s3', 1, 'sea')],
  });
  expect(found(await search({ agent: 'a' }))).toEqual(['acme a s1 3', 'other a s3 1']);
});

it('goes over sessions that a grant names, of the agent asked for, and not where one namespace is asked', async () => {
  const grants = [
    { agent: 'a', session: FIRST },
    { agent: 'b', session: SECOND },
    { agent: 'b', session: 'not-an-id' },
    { agent: 'b' },
  ];
  const facts = {
    agents: ['acme a', 'acme b', 'land c'],
    sessions: [sessionOf('a', FIRST, 9), sessionOf('b', SECOND, 8)],
    messages: [messageOf(FIRST, 2, 'sea'), messageOf(SECOND, 1, 'sea')],
    allows: ({ session }: { readonly session?: string }) => session !== undefined,
  };
  const { search, singles } = world(facts);
  expect(found(await search({}, grants))).toEqual([`acme a ${FIRST} 2`, `acme b ${SECOND} 1`]);
  expect(singles).toEqual([FIRST, SECOND]);
  expect(found(await search({ agent: 'b' }, grants))).toEqual([`acme b ${SECOND} 1`]);
  expect(found(await search({ ns: 'land' }, grants))).toEqual([]);
});

it('takes a page token for the question that it is of alone', async () => {
  const messages = Array.from({ length: 5 }, (_, at) => messageOf('s1', at, 'sea'));
  const { search } = world({ agents: ['acme a', 'land a'], sessions: [sessionOf('a', 's1', 9)], messages });
  const asked = { ns: 'acme', agent: 'a' };
  const { hits, nextPageToken: pageToken } = await search({ ...asked, pageSize: 2 });
  expect(hits).toHaveLength(2);
  expect(found(await search({ ...asked, pageSize: 3, pageToken }))).toEqual([
    'acme a s1 2',
    'acme a s1 1',
    'acme a s1 0',
  ]);
  for (const other of [{ ns: 'land' }, { ns: '-' }, { agent: '' }, { query: 'sea shore' }])
    await expect(search({ ...asked, ...other, pageToken })).rejects.toMatchObject({ reason: 'PAGE_TOKEN_INVALID' });
});

it.each([
  { what: '200 sessions', count: 201, each: 1, content: 'sea' },
  { what: '5,000 messages', count: 101, each: 50, content: 'sea' },
  { what: '16 MiB of text', count: 17, each: 1, content: `sea ${'x'.repeat(1024 * 1024)}` },
])('reads $what in one call, and continues with the rest', async ({ count, each, content }) => {
  const ids = Array.from({ length: count }, (_, at) => `s${String(at).padStart(3, '0')}`);
  const { search } = world({
    agents: ['acme a'],
    sessions: ids.map((id, at) => sessionOf('a', id, at)),
    messages: ids.flatMap((id, at) =>
      Array.from({ length: each }, (__, no) =>
        messageOf(id, 100 + no, at === 0 && no === 0 ? content : content.replace('sea', 'sky')),
      ),
    ),
  });
  const first = await search({});
  expect([found(first), first.nextPageToken]).toEqual([[], expect.stringMatching(/./)]);
  const second = await search({ pageToken: first.nextPageToken });
  expect([found(second), second.nextPageToken]).toEqual([['acme a s000 100'], '']);
});

it('takes 1 to 1,024 characters', async () => {
  const { search } = world({ agents: ['acme a'] });
  expect(found(await search({ query: 'x'.repeat(1_024) }))).toEqual([]);
  for (const query of ['', ' \n', 'x'.repeat(1_025)])
    await expect(search({ query })).rejects.toMatchObject({ reason: 'FIELD_INVALID' });
});
