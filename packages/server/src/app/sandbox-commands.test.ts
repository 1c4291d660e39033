import { beforeAll, describe, expect, it } from 'vitest';
import { AppUnderTest } from './testing/index.ts';

const TOKEN = 'a-token-for-the-commands-that-is-long-enough';
const app = AppUnderTest.ofSuite({ 'auth.mode': '["token"]', 'auth.token': TOKEN });
const ADMIN = { authorization: `Bearer ${TOKEN}` };
const NS = '/v1/ns/default';

interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly outputCut: boolean;
  readonly endedBy: string;
}
type Headers = Readonly<Record<string, string>>;

const ok = <T>(what: string, body?: unknown): Promise<T> => app.rest.ok<T>(what, body, ADMIN);
let path = '';

const exec = (body: object): Promise<Ended> => ok<Ended>(`POST ${path}:exec`, body);
const refused = async (body: object, headers: Headers = ADMIN, at = path): Promise<string> => {
  const answer = await app.rest.call(`POST ${at}:exec`, body, headers);
  return `${answer.status} ${/"reason":"([A-Z_]+)"/.exec(JSON.stringify(answer.body))?.[1]}`;
};
const keyFor = async (grant: object): Promise<Headers> => {
  const body = { name: `key-${Math.random()}`, grants: [grant] };
  return { 'x-api-key': (await ok<{ secret: string }>('POST /v1/auth/api-keys', body)).secret };
};

beforeAll(async () => {
  const kinds = [
    { kind: 'SandboxClass', metadata: { name: 'small' }, spec: { provider: 'demo' } },
    { kind: 'SandboxPolicy', metadata: { name: 'default' }, spec: { classRef: 'small' } },
    { kind: 'Agent', metadata: { name: 'runner' }, spec: { capabilities: { sandbox: ['*'] } } },
  ];
  for (const document of kinds) await ok('POST /v1/manifests:apply', { ns: 'default', text: JSON.stringify(document) });
  const { sessionId } = await ok<{ sessionId: string }>(`POST ${NS}/agents/runner/sessions`, {});
  const message = '!tool sandbox_exec {"command":"write note from the agent"}';
  await ok(`POST ${NS}/agents/runner/sessions/${sessionId}/message`, { message, waitSeconds: 30 });
  const { resources } = await ok<{ resources: { metadata: { name: string } }[] }>(`GET ${NS}/resources?kind=Sandbox`);
  path = `${NS}/sandboxes/${resources[0]?.metadata.name}`;
});

describe('a command in a sandbox', () => {
  it('sees what the agent made, and is answered with how it ended', async () => {
    expect(await exec({ command: 'cat note' })).toEqual({
      exitCode: 0,
      stdout: 'from the agent',
      stderr: '',
      outputCut: false,
      endedBy: 'exit',
    });
    expect(await exec({ argv: ['sh', '-c', 'fail 3 no such luck'] })).toMatchObject({
      exitCode: 3,
      stderr: 'no such luck\n',
    });
    expect(await exec({ command: 'hang', timeLimitMs: 50 })).toMatchObject({ endedBy: 'timeout' });
    expect(await exec({ command: `echo ${'x'.repeat(90_000)}` })).toMatchObject({ outputCut: false });
  });

  it('is listed by the record of the sandbox and in the audit log, with its words', async () => {
    await exec({ command: 'echo for the record' });
    const { resource } = await ok<{ resource: { status: { processes: { args: string[]; phase: string }[] } } }>(
      `GET ${NS}/resources/Sandbox/${path.split('/').at(-1)}`,
    );
    expect(JSON.stringify(resource.status)).toContain('echo for the record');
    const { records } = await ok<{ records: { operation: string; outcome: string; target: string }[] }>(
      'GET /v1/auth/audit?ns=default',
    );
    const audited = records.filter(({ operation }) => operation.endsWith('ExecSandbox'));
    expect(audited.map(({ outcome }) => outcome)).toContain('exec echo for the record');
    expect(audited[0]?.target).toBe(`Sandbox/default/${path.split('/').at(-1)}`);
  });

  it('is for admins of the namespace only', async () => {
    const body = { command: 'echo hi' };
    const operator = await keyFor({ role: 'operator', namespace: 'default' });
    await ok('POST /v1/manifests:apply', { text: JSON.stringify({ kind: 'Namespace', metadata: { name: 'other' } }) });
    const other = await keyFor({ role: 'admin', namespace: 'other' });
    const agent = await keyFor({ role: 'admin', namespace: 'default', agent: 'runner' });
    expect([await refused(body, operator), await refused(body, other), await refused(body, agent)]).toEqual([
      '403 ROLE',
      '403 SCOPE',
      '403 SCOPE',
    ]);
    const admin = await keyFor({ role: 'admin', namespace: 'default' });
    expect((await app.rest.call(`POST ${path}:exec`, body, admin)).status).toBe(200);
  });

  it('is refused where it is malformed, before anything runs', async () => {
    const bodies: readonly object[] = [
      {},
      { command: 'echo', argv: ['echo'] },
      { argv: [''] },
      { argv: ['echo', 'a\0b'] },
      { command: 'echo a\0b' },
      { command: 'echo', cwd: 'relative' },
      { command: 'echo', timeLimitMs: 300_001 },
      { command: 'x'.repeat(100_001) },
    ];
    for (const body of bodies) expect([body, await refused(body)]).toEqual([body, '400 FIELD_INVALID']);
    expect(await refused({ command: 'echo' }, ADMIN, `${NS}/sandboxes/none`)).toBe('404 SANDBOX_NOT_FOUND');
  });

  it('is refused where nothing of the sandbox runs any more', async () => {
    await exec({ command: 'vanish' });
    expect(await refused({ command: 'echo hi' })).toBe('400 SANDBOX_NOT_RUNNING');
  });
});
