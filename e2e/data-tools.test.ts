import { afterAll, beforeAll, expect, it } from 'vitest';
import { RestCaller, type SessionKey } from './calls/index.ts';
import { ServerProcess, until } from './server-process/index.ts';

let server: ServerProcess;
let rest: RestCaller;
beforeAll(async () => {
  server = await ServerProcess.start({ environment: { SVC_FAULT_POINT: 'after-tool:1' } });
  rest = new RestCaller(server.url);
  const everything = Object.fromEntries(['knowledge', 'files', 'memory', 'search'].map((name) => [name, ['*']]));
  await rest.createAgent('keeper', { capabilities: everything });
});
afterAll(() => server[Symbol.asyncDispose]());

const call = (tool: string, input: object): string => `!tool ${tool} ${JSON.stringify(input)}`;

/** What the tools of the last answer said, by their names. */
const results = async (session: SessionKey): Promise<ReadonlyMap<string, unknown>> => {
  await until('the turn is over', async () => (await rest.state(session)) === 'IDLE' || undefined);
  const answer = (await rest.messages(session)).at(-1);
  const parts = (answer?.parts ?? []).filter(({ partType }) => partType.endsWith('TOOL_RESULT'));
  return new Map(parts.map(({ name, content }) => [name, JSON.parse(content)]));
};

it('tools over stored data do what they say once, also when the server is killed between the effect and its record', async () => {
  const session = await rest.createSession('keeper');
  const gone = server.ended();
  const written = [
    call('create_artifact', { title: 'Plan', content: '# Plan' }),
    call('create_file', { path: '/plan.md', content: 'lighthouses', index_policy: 'search' }),
    call('knowledge_write', { path: 'guides/sea.md', content: 'Lighthouses guide ships.' }),
    call('create_memory', { path: '/likes.md', content: 'likes lighthouses' }),
  ];
  await rest.send(session, written.join('\n'));
  await gone;
  await server.restart({ SVC_FAULT_POINT: '' });
  const made = await results(session);
  expect(made.size).toBe(4);
  expect(made.get('create_artifact')).toMatchObject({ title: 'Plan', size_bytes: 6 });
  expect(made.get('create_file')).toMatchObject({ path: '/plan.md', size_bytes: 11 });
  expect(made.get('knowledge_write')).toMatchObject({ path: 'guides/sea.md', outcome: 'created' });
  expect(made.get('create_memory')).toMatchObject({ path: '/likes.md', owner: 'shared' });
  const [agent, id] = session;
  const { artifacts } = await rest.ok<{ artifacts: readonly unknown[] }>(
    `GET /v1/ns/default/agents/${agent}/sessions/${id}/artifacts`,
  );
  expect(artifacts).toHaveLength(1);

  const other = await rest.createSession('keeper');
  const asked = [
    call('search', { query: 'lighthouses' }),
    call('search_memory', { query: 'lighthouses' }),
    call('read_file', { path: '/plan.md' }),
  ];
  await rest.send(other, asked.join('\n'));
  const said = await results(other);
  const titles = ['/plan.md', 'guides/sea.md', '/likes.md'].map((title) => expect.objectContaining({ title }));
  expect(said.get('search')).toEqual({ results: expect.arrayContaining(titles) });
  expect(said.get('search_memory')).toMatchObject({ results: [{ path: '/likes.md' }] });
  expect(said.get('read_file')).toMatchObject({ content: 'lighthouses' });
});
