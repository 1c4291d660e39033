import { beforeAll, expect, it } from 'vitest';
import { AppUnderTest } from './testing/index.ts';

const TOKEN = 'the administrator of this test';
const app = AppUnderTest.ofSuite({ 'auth.mode': 'token', 'auth.token': TOKEN });
const { rest } = app;
const admin = { authorization: `Bearer ${TOKEN}` };
const SESSIONS = '/v1/ns/default/agents/helper/sessions';

const idOf = (number: number): string => `01890000-0000-7000-8000-${String(number).padStart(12, '0')}`;
const made = async (keepId: string, headers: Record<string, string> = admin, path = SESSIONS): Promise<string> =>
  (await rest.ok<{ sessionId: string }>(`POST ${path}`, { keepId }, headers)).sessionId;

beforeAll(async () => {
  const names = ['helper', 'other'];
  for (const name of names) await rest.ok('POST /v1/ns/default/agents', { name }, admin);
});

it('a session keeps the id that an import brings along, as its name, its uid and where its turns are', async () => {
  const id = idOf(1);
  expect(await made(id)).toBe(id);
  const { resource } = await rest.ok<{ resource: object }>(`GET /v1/ns/default/resources/Session/${id}`, undefined, {
    ...admin,
  });
  expect(resource).toMatchObject({ metadata: { name: id, uid: id } });
  const sent = await rest.ok(`POST ${SESSIONS}/${id}/message`, { message: 'hi', waitSeconds: 30 }, admin);
  expect(sent).toMatchObject({ sessionId: id, turnState: 'TURN_STATE_COMPLETED' });
});

it('an id that a session or anything else has, or had a moment ago, gives way to a new one', async () => {
  const id = idOf(2);
  await made(id);
  const others = [await made(id), await made(id, admin, '/v1/ns/default/agents/other/sessions')];
  await rest.ok(`DELETE ${SESSIONS}/${id}`, undefined, admin);
  others.push(await made(id));
  const { agent } = await rest.ok<{ agent: { metadata: { uid: string } } }>(
    'GET /v1/ns/default/agents/helper',
    undefined,
    admin,
  );
  others.push(await made(agent.metadata.uid));
  expect(new Set([id, agent.metadata.uid, ...others]).size).toBe(6);
});

it('of many that ask for one id at the same time, one gets it, and none is refused', async () => {
  const id = idOf(3);
  const ids = await Promise.all(Array.from({ length: 8 }, () => made(id)));
  expect([new Set(ids).size, ids.filter((each) => each === id).length]).toEqual([8, 1]);
});

it('whether an id is taken stays unknown to narrower admins: theirs are always new', async () => {
  const grants = [{ role: 'admin', namespace: 'default' }];
  const { secret } = await rest.ok<{ secret: string }>('POST /v1/auth/api-keys', { name: 'team', grants }, admin);
  expect(await made(idOf(4), { 'x-api-key': secret })).not.toBe(idOf(4));
  expect(await made(idOf(4))).toBe(idOf(4));
});

it('an id has the form of every id', async () => {
  const answer = await rest.call(`POST ${SESSIONS}`, { keepId: 'mine' }, admin);
  expect([answer.status, JSON.stringify(answer.body)]).toEqual([400, expect.stringContaining('"field":"keepId"')]);
});
