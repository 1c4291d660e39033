import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openHttpServer } from '../protocols/mcp/testing/http-server.ts';
import { TestTasks, taskServer } from '../protocols/mcp/testing/task-server.ts';
import { toolServer } from '../protocols/mcp/testing/tools.ts';
import { AuthorizationServer } from '../protocols/mcp-oauth/testing/authorization-server.ts';
import { type Protection, protectedBy } from '../protocols/mcp-oauth/testing/protected-server.ts';
import { AppUnderTest, reasonOf } from './testing/index.ts';

const app = AppUnderTest.ofSuite();
const { rest } = app;

let authorization: AuthorizationServer;
const open: { close(): Promise<void> }[] = [];
let count = 0;

beforeEach(async () => {
  authorization = await AuthorizationServer.start();
  open.push(authorization);
});
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

const ANNOTATIONS = { 'option.svc/mcp-auth': 'oauth' };
const serverManifest = (name: string, target: string, annotations: object = ANNOTATIONS) => ({
  kind: 'McpServer',
  metadata: { name, namespace: 'default', annotations },
  spec: { transport: 'http', target },
});
const agentManifest = (name: string) => ({
  kind: 'Agent',
  metadata: { name, namespace: 'default' },
  spec: { systemPrompt: 'x', mcpServerRefs: [name] },
});
const apply = (...documents: readonly object[]) =>
  rest.ok('POST /v1/manifests:apply', {
    ns: 'default',
    text: documents.map((item) => JSON.stringify(item)).join('\n---\n'),
  });

/** A server behind the authorization server, and an agent that refers to it; with `tasks` its tool answers with them. */
const protectedServer = async (
  protection: Protection = {},
  annotations: object = ANNOTATIONS,
  { tasks }: { readonly tasks?: TestTasks } = {},
) => {
  const log = { calls: [] as { tool: string; input: unknown; meta: unknown }[], cancelled: [] as string[] };
  const seen = { tokens: [] as string[] };
  const server = await openHttpServer(tasks === undefined ? toolServer({ log }) : taskServer(tasks), {
    intercept: protectedBy(authorization, seen, protection),
  });
  open.push(server);
  count += 1;
  const name = `desk${count}`;
  await apply(serverManifest(name, server.url, annotations), agentManifest(name));
  return { name, log, seen, url: server.url };
};

interface Asked {
  readonly id: string;
  readonly url: string;
  readonly prompt: string;
  readonly sessionId: string;
}
const requests = async (): Promise<readonly Asked[]> =>
  (await rest.ok<{ requests: readonly Asked[] }>('GET /v1/ns/default/permission-requests?kind=sign_in')).requests;
/** The request of a session that waits for a sign-in. */
const asked = async (session: string): Promise<Asked> => {
  const id = session.split('/').at(-1);
  const find = async () => (await requests()).find(({ sessionId }) => sessionId === id);
  await expect.poll(find).toBeDefined();
  return (await find()) as Asked;
};
/** Sends, and answers with the session once its turn waits. */
const sent = async (agent: string, text: string): Promise<string> => {
  const session = await rest.session(agent);
  await rest.send(session, text);
  return session;
};
const ended = async (session: string): Promise<string> => {
  await expect.poll(async () => (await rest.ok<{ state: string }>(`GET ${session}`)).state).toBe('IDLE');
  const { items } = await rest.ok<{ items: { message: { parts: object[] } }[] }>(`GET ${session}/messages`);
  return JSON.stringify(items.flatMap(({ message }) => message.parts));
};
/** Opens an address as a browser does, and follows it back to the callback. */
const browse = async (url: string): Promise<{ readonly status: number; readonly text: string }> => {
  const { headers } = await fetch(url, { redirect: 'manual' });
  const back = await fetch(headers.get('location') ?? 'none:');
  return { status: back.status, text: await back.text() };
};
const grants = async (query = ''): Promise<readonly Readonly<Record<string, string>>[]> =>
  (await rest.ok<{ grants: Record<string, string>[] }>(`GET /v1/ns/default/mcp-grants${query}`)).grants;

describe('an agent with a server that people sign in to', () => {
  it('asks for the sign-in, waits, and then has the tools', async () => {
    const { name, log } = await protectedServer();
    const session = await sent(name, `!tool mcp_${name}__sign_in {}`);
    const request = await asked(session);
    expect(request.prompt).toBe(`MCP server ${name} needs you to sign in at ${new URL(authorization.url).host}.`);
    const page = await browse(request.url);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining(`Signed in to ${name}`)]);
    expect(await ended(session)).toContain('Its tools can be used now');
    await rest.send(session, `!tool mcp_${name}_add {"a":40,"b":2}`, { waitSeconds: 20 });
    expect(await ended(session)).toContain('42');
    expect(log.calls).toHaveLength(1);
    const [grant] = await grants(`?server=${name}`);
    expect(grant).toMatchObject({ server: name, identity: 'anonymous', issuer: authorization.url });
    expect(JSON.stringify(await grants())).not.toContain(authorization.secrets[0]);
  });

  it('is checked, and its tools are tried, with the sign-in of the caller', async () => {
    const { name, log } = await protectedServer();
    const check = () =>
      rest.ok<{ reason: string; toolCount?: number }>(`POST /v1/ns/default/mcp-servers/${name}:check`, {});
    const attempt = () =>
      rest.ok<{ failureCode?: string; error?: string; signInUrl?: string; content?: { text: string }[] }>(
        `POST /v1/ns/default/agents/${name}/tools/mcp_${name}_add:try`,
        { argumentsJson: '{"a":40,"b":2}' },
      );
    expect(await check()).toMatchObject({ reason: 'SignInNeeded', message: 'the server needs a person to sign in' });
    const { missing } = await rest.ok<{ missing: object[] }>(`GET /v1/ns/default/agents/${name}/tools`);
    expect(missing).toContainEqual(expect.objectContaining({ name, kind: 'mcp_server', reason: 'SignInNeeded' }));
    const asked = await attempt();
    expect(asked).toMatchObject({
      failureCode: 'sign_in_needed',
      error: expect.stringContaining('needs you to sign in'),
    });
    await browse(asked.signInUrl ?? '');
    const found = await check();
    expect(found).toMatchObject({ reason: 'Connected', toolCount: 6 });
    expect((await attempt()).content).toMatchObject([{ text: '42' }]);
    expect(log.calls).toHaveLength(1);
    authorization.revokeAll();
    expect(await check()).toMatchObject({ reason: 'SignInNeeded' });
  });

  it('parks a call again when its sign-in was revoked, and runs it after the next one', async () => {
    const { name, log } = await protectedServer();
    await browse((await asked(await sent(name, `!tool mcp_${name}__sign_in {}`))).url);
    const session = await rest.session(name);
    await rest.send(session, `!tool mcp_${name}_add {"a":1,"b":1}`, { waitSeconds: 20 });
    authorization.revokeAll();
    await rest.send(session, `!tool mcp_${name}_add {"a":20,"b":3}`);
    const request = await asked(session);
    expect(await grants(`?server=${name}`)).toEqual([]);
    await browse(request.url);
    expect(await ended(session)).toContain('23');
    expect(log.calls).toHaveLength(2);
  });

  it('asks for the scopes that a call lacks, once, and keeps those that it has', async () => {
    let wanted = '';
    const wants = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }): string =>
      headers['mcp-method'] === 'tools/call' ? wanted : '';
    const { name, log } = await protectedServer({ scope: 'read', wants });
    await browse((await asked(await sent(name, `!tool mcp_${name}__sign_in {}`))).url);
    wanted = 'read write';
    const session = await sent(name, `!tool mcp_${name}_add {"a":20,"b":3}`);
    const request = await asked(session);
    expect(request.prompt).toBe(
      `MCP server ${name} needs further permissions: read write. Sign in again at ${new URL(authorization.url).host} to give them.`,
    );
    expect(new URL(request.url).searchParams.get('scope')).toBe('read write');
    await browse(request.url);
    expect(await ended(session)).toContain('23');
    expect(log.calls).toHaveLength(1);
    expect(await grants(`?server=${name}`)).toMatchObject([{ scope: 'read write' }]);
    wanted = 'admin';
    const greedy = await sent(name, `!tool mcp_${name}_add {"a":1,"b":3}`);
    const next = await asked(greedy);
    expect(new URL(next.url).searchParams.get('scope')).toBe('read write admin');
    wanted = 'admin root';
    await browse(next.url);
    expect(await ended(greedy)).toContain('wants further permissions than the person gave');
    expect([log.calls.length, await requests()]).toEqual([1, []]);
  });

  it('signs in with the client that a Secret names, and shows it to no other authorization server', async () => {
    const redirectUris = [`${app.url}/v1/oauth/callback`];
    authorization.addClient({ id: 'by-hand', secret: 'known', redirectUris });
    const secret = (data: Readonly<Record<string, string>>) => ({
      kind: 'Secret',
      metadata: { name: 'app', namespace: 'default' },
      spec: {
        data: Object.fromEntries(
          Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
        ),
      },
    });
    await apply(secret({ client_id: 'by-hand', client_secret: 'known', issuer: authorization.url }));
    const annotations = { ...ANNOTATIONS, 'option.svc/mcp-oauth-client': 'app' };
    const { name } = await protectedServer({}, annotations);
    const session = await sent(name, `!tool mcp_${name}__sign_in {}`);
    const { url } = await asked(session);
    expect(new URL(url).searchParams.get('client_id')).toBe('by-hand');
    await browse(url);
    expect(await ended(session)).toContain('Its tools can be used now');
    expect(authorization.count('/register')).toBe(0);
    await apply(secret({ client_id: 'by-hand', client_secret: 'known', issuer: 'https://other.example' }));
    await rest.ok(`DELETE /v1/ns/default/mcp-grants/${name}`);
    const other = await sent(name, `!tool mcp_${name}__sign_in {}`);
    expect(await ended(other)).toContain('client is one of another authorization server');
    await apply(
      serverManifest(name, 'https://tools.example/mcp', { ...annotations, 'option.svc/mcp-oauth-client': 'gone' }),
    );
    expect(JSON.stringify(await rest.ok(`GET /v1/ns/default/resources/McpServer/${name}`))).toContain(
      'secret gone not found',
    );
  });

  it('waits for its task again when the sign-in was revoked meanwhile, and makes no second one', async () => {
    const tasks = new TestTasks();
    const { name } = await protectedServer({}, ANNOTATIONS, { tasks });
    await browse((await asked(await sent(name, `!tool mcp_${name}__sign_in {}`))).url);
    const session = await sent(name, `!tool mcp_${name}_work {}`);
    await expect.poll(() => tasks.all.size).toBe(1);
    authorization.revokeAll();
    await browse((await asked(session)).url);
    const before = tasks.looks.get('task-1') ?? 0;
    await expect.poll(() => tasks.all.size > 1 || (tasks.looks.get('task-1') ?? 0) > before).toBe(true);
    tasks.finish('task-1', 'forty-two');
    expect(await ended(session)).toContain('forty-two');
    expect(tasks.all.size).toBe(1);
  });

  it('is denied when the person declines', async () => {
    const { name } = await protectedServer();
    const session = await sent(name, `!tool mcp_${name}__sign_in {}`);
    const { id, url } = await asked(session);
    await rest.ok(`POST ${session}/permissions/${id}`, { decision: 'DENY' });
    expect(await ended(session)).toMatch(/denied.*was declined/);
    // The address stays valid for anyone who opens it: the question is over, the sign-in is not.
    expect((await browse(url)).status).toBe(200);
  });

  it('resumes every turn of the person with one sign-in', async () => {
    const { name } = await protectedServer();
    const text = `!tool mcp_${name}__sign_in {}`;
    const sessions = [await sent(name, text)];
    const first = await asked(sessions[0] as string);
    sessions.push(await sent(name, text));
    expect((await asked(sessions[1] as string)).url).toBe(first.url);
    await browse(first.url);
    for (const session of sessions) expect(await ended(session)).toContain('can be used now');
    expect((await browse(first.url)).text).toContain('This was done before');
  });

  it('shares one sign-in where the namespace signs in', async () => {
    const { name } = await protectedServer({}, { ...ANNOTATIONS, 'option.svc/mcp-auth-scope': 'namespace' });
    await browse((await asked(await sent(name, `!tool mcp_${name}__sign_in {}`))).url);
    await expect.poll(() => grants(`?server=${name}`)).toMatchObject([{ server: name, identity: '' }]);
  });

  it('asks no more than three times of a server that takes no token', async () => {
    let isClosed = false;
    const { name } = await protectedServer({ isClosed: () => isClosed });
    await browse((await asked(await sent(name, `!tool mcp_${name}__sign_in {}`))).url);
    const session = await rest.session(name);
    await rest.send(session, `!tool mcp_${name}_add {"a":1,"b":1}`, { waitSeconds: 20 });
    isClosed = true;
    await rest.send(session, `!tool mcp_${name}_add {"a":1,"b":1}`);
    for (let round = 0; round < 3; round++) {
      const { url } = await asked(session);
      await browse(url);
      await expect.poll(async () => (await requests()).every((one) => one.url !== url)).toBe(true);
    }
    expect(await ended(session)).toContain('does not accept the sign-in');
  });
});

describe('the callback', () => {
  const state = (url: string): string => new URL(url).searchParams.get('state') ?? '';
  const back = async (query: Readonly<Record<string, string>>) => {
    const response = await fetch(`${app.url}/v1/oauth/callback?${new URLSearchParams(query)}`);
    return [
      response.status,
      /<h1>(.*)<\/h1>\s*<p>(.*)<\/p>/
        .exec(await response.text())
        ?.slice(1)
        .join(' '),
    ];
  };

  it('says what went wrong, on a page that loads nothing, and the sign-in can be tried again', async () => {
    const { name } = await protectedServer();
    const { url } = await rest.ok<{ url: string }>(`POST /v1/ns/default/mcp-grants/${name}:start`, {});
    const iss = authorization.url;
    const again = 'Open the address again to try once more';
    expect(await back({ code: 'x', state: 'nothing' })).toEqual([410, expect.stringContaining('not valid any more')]);
    expect(await back({})).toEqual([410, expect.stringContaining('not valid any more')]);
    expect(await back({ state: state(url), iss, error: 'access_denied' })).toEqual([
      400,
      expect.stringContaining(`Not signed in to ${name} The sign-in was refused`),
    ]);
    expect(await back({ state: state(url), code: 'x', iss: 'https://evil.example' })).toEqual([
      400,
      expect.stringContaining('another authorization server answered'),
    ]);
    expect(await back({ state: state(url), code: 'wrong', iss })).toEqual([502, expect.stringContaining(again)]);
    expect(authorization.count('/token')).toBe(1);
    authorization.faults = { '/token': 'breaks' };
    expect(await browse(url)).toMatchObject({ status: 502, text: expect.stringContaining('could not be reached') });
    authorization.faults = {};
    expect((await browse(url)).status).toBe(200);
    const { headers } = await fetch(`${app.url}/v1/oauth/callback`);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('is named in the client metadata document', async () => {
    const document = await fetch(`${app.url}/v1/oauth/client-metadata.json`);
    expect(await document.json()).toMatchObject({
      client_id: `${app.url}/v1/oauth/client-metadata.json`,
      redirect_uris: [`${app.url}/v1/oauth/callback`],
      token_endpoint_auth_method: 'none',
    });
  });
});

describe('sign-ins over the API', () => {
  it('begin, are listed without tokens, and end with their tokens revoked', async () => {
    const { name } = await protectedServer();
    const start = () => rest.ok<{ url: string; grant?: object }>(`POST /v1/ns/default/mcp-grants/${name}:start`, {});
    await browse((await start()).url);
    expect(await start()).toMatchObject({ server: name, grant: { server: name, identity: 'anonymous' } });
    expect(authorization.active).toBe(1);
    await rest.ok(`DELETE /v1/ns/default/mcp-grants/${name}`);
    expect(await grants(`?server=${name}`)).toEqual([]);
    await expect.poll(() => authorization.active).toBe(0);
    expect(reasonOf(await rest.call(`DELETE /v1/ns/default/mcp-grants/${name}`))).toBe('MCP_GRANT_NOT_FOUND');
  });

  it('are refused for servers that are not there, need none, or whose authorization server is down', async () => {
    const start = async (name: string) => reasonOf(await rest.call(`POST /v1/ns/default/mcp-grants/${name}:start`, {}));
    expect(await start('nothing')).toBe('MCP_SERVER_NOT_FOUND');
    const { name } = await protectedServer({}, {});
    expect(await start(name)).toBe('MCP_NO_SIGN_IN');
    const { name: other } = await protectedServer();
    authorization.faults = { '/.well-known/oauth-authorization-server': 'breaks' };
    expect(await start(other)).toBe('MCP_SIGN_IN_FAILED');
    const session = await sent(other, `!tool mcp_${other}__sign_in {}`);
    expect(await ended(session)).toMatch(/unavailable.*authorization server could not be reached/);
  });

  it('belong to their person: others see and end only their own', async () => {
    const { name, url } = await protectedServer();
    const password = 'the password of the administrator';
    await using locked = await AppUnderTest.start({ 'auth.mode': 'password', 'auth.password': password });
    const admin = { authorization: `Basic ${Buffer.from(`me:${password}`).toString('base64')}` };
    const call = async (what: string, headers: Record<string, string>, body?: object) => {
      const [method = '', path = ''] = what.split(' ');
      const init = body === undefined ? {} : { body: JSON.stringify(body) };
      const sent = { ...headers, 'content-type': 'application/json' };
      const response = await fetch(locked.url + path, { method, headers: sent, ...init });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    const person = async (key: string) => {
      const grants = [{ role: 'operator', namespace: 'default' }];
      const { body } = await call('POST /v1/auth/api-keys', admin, { name: key, grants });
      return { 'x-api-key': String(body['secret']) };
    };
    await call('POST /v1/manifests:apply', admin, {
      ns: 'default',
      text: JSON.stringify(serverManifest(name, url)),
    });
    const [ann, bob] = [await person('ann'), await person('bob')];
    const start = (who: Record<string, string>) => call(`POST /v1/ns/default/mcp-grants/${name}:start`, who, {});
    const [forAnn, forBob] = [await start(ann), await start(bob)];
    expect(forAnn.body['url']).not.toBe(forBob.body['url']);
    await browse(String(forAnn.body['url']));
    const list = async (who: Record<string, string>) =>
      ((await call('GET /v1/ns/default/mcp-grants', who)).body['grants'] as { identity: string }[]).length;
    expect([await list(ann), await list(bob), await list(admin)]).toEqual([1, 0, 1]);
    const end = async (who: Record<string, string>, query = '') =>
      (await call(`DELETE /v1/ns/default/mcp-grants/${name}${query}`, who)).status;
    expect([await end(bob), await end(bob, '?identity=ann'), await end(bob, '?shared=true')]).toEqual([404, 403, 403]);
    expect([await end(ann), await list(admin)]).toEqual([200, 0]);
  });
});

it('a token goes to no other address than the one that it is for', async () => {
  const { name, seen } = await protectedServer();
  await browse((await rest.ok<{ url: string }>(`POST /v1/ns/default/mcp-grants/${name}:start`, {})).url);
  const session = await rest.session(name);
  await rest.send(session, `!tool mcp_${name}_add {"a":1,"b":1}`, { waitSeconds: 20 });
  expect(seen.tokens.length).toBeGreaterThan(0);
  const thief = await protectedServer();
  await apply(serverManifest(name, thief.url));
  await rest.send(session, `!tool mcp_${name}_add {"a":1,"b":1}`);
  expect((await asked(session)).prompt).toContain('needs you to sign in');
  expect(thief.seen.tokens).toEqual([]);
});
