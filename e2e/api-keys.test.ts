import { expect, it } from 'vitest';
import { RestCaller } from './calls/index.ts';
import { Home } from './command-line/index.ts';
import { ServerProcess } from './server-process/index.ts';

const token = 'a token of the administrator';
const environment = { SVC_AUTH_MODE: 'token', SVC_AUTH_TOKEN: token };

it('a key made on the command line signs in there, survives a crash of the server, and ends when revoked', async () => {
  await using server = await ServerProcess.start({ environment });
  await using home = new Home();
  const svc = async (words: readonly string[], credential: object = { SVC_TOKEN: token }, piped = '') => {
    const command = home.run([...words, '--server', server.url], { ...credential });
    command.write(piped);
    const code = await command.ended();
    return { code, out: command.stdout, err: command.stderr };
  };

  const made = await svc(['apikey', 'create', 'ci', '--grant', 'operator@default', '--expires', '1h']);
  expect([made.code, made.err]).toEqual([0, expect.stringContaining('operator@default')]);
  const key = made.out.trim();
  expect(key).toMatch(/^svc_[0-9a-f]{32}_[\w-]{43}$/);

  expect((await svc(['login', '--api-key'], {}, `${key}\n`)).code).toBe(0);
  const who = await svc(['whoami', '-o', 'json'], {});
  expect(JSON.parse(who.out)).toMatchObject({ mode: 'api-key', grants: [{ role: 'operator', scope: 'default' }] });

  const rest = new RestCaller(server.url, { 'x-api-key': key });
  const grants = [{ role: 'viewer', namespace: 'default' }];
  const minted = await rest.ok<{ accessToken: string }>('POST /v1/auth/tokens', { grants });
  const bearer = new RestCaller(server.url, { authorization: `Bearer ${minted.accessToken}` });

  await server.kill();
  await server.restart();
  for (const caller of [rest, bearer]) expect((await caller.call('GET /v1/ns/default/agents')).status).toBe(200);
  expect((await bearer.call('POST /v1/ns/default/agents', { name: 'x' })).status).toBe(403);

  const listed = await svc(['apikey', 'list']);
  expect(listed.out).toContain('operator@default');
  expect((await svc(['apikey', 'revoke', key])).code).toBe(0);
  for (const caller of [rest, bearer]) expect((await caller.call('GET /v1/ns/default/agents')).status).toBe(401);
  expect((await svc(['whoami'], {})).code).toBe(3);

  const doctor = await svc(['doctor', '-o', 'json']);
  const { checks } = JSON.parse(doctor.out) as { checks: { name: string; result: string }[] };
  expect(checks.filter(({ name }) => name.startsWith('server ')).length).toBeGreaterThan(10);
  expect(checks.filter(({ name, result }) => name.startsWith('server ') && result === 'fail')).toEqual([]);
});
