// @service bubblewrap
import { afterAll, describe, expect, it } from 'vitest';
import { startEngine } from '../sandbox/docker/testing/engine-server.ts';
import { canJail } from '../sandbox/testing/local-jail.ts';
import { AppUnderTest } from './testing/index.ts';

interface Status {
  readonly conditions: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
}

// The containers of the engine under test are jails.
const engine = await startEngine('node:lts');
const isPossible = await canJail();
if (!isPossible) await engine.close();

describe.skipIf(!isPossible)('a sandbox class of provider docker', () => {
  const app = AppUnderTest.ofSuite({
    'sandbox.providers': JSON.stringify({ docker: { sockets: [engine.socket, `${engine.socket}.none`] } }),
  });
  afterAll(() => engine.close());
  const { rest } = app;

  const put = (name: string, spec: object) =>
    rest.call('POST /v1/manifests:apply', {
      ns: 'default',
      text: JSON.stringify({ kind: 'SandboxClass', metadata: { name }, spec }),
    });
  const statusOf = async (kind: string, name: string): Promise<Status> => {
    const { resource } = await rest.ok<{ resource: { status: Readonly<Record<string, Status>> } }>(
      `GET /v1/ns/default/resources/${kind}/${name}`,
    );
    return Object.values(resource.status)[0] as Status;
  };
  const provider = async (name: string) => {
    const find = async () =>
      (await statusOf('SandboxClass', name)).conditions.find(({ type }) => type === 'ProviderAvailable');
    await expect.poll(async () => (await find())?.status).not.toBe('Unknown');
    return find();
  };

  it('is refused by the names of its fields where it names what this server does not offer', async () => {
    for (const [field, value] of [
      ['socket', '/run/containerd/containerd.sock'],
      ['image', '../etc'],
      ['pull', 'sometimes'],
      ['host', 'tcp://10.0.0.1:2375'],
      ['memory', 'much'],
    ] as const) {
      const { status, body } = await put('wrong', { provider: 'docker', providerConfig: { [field]: value } });
      expect([field, status]).toEqual([field, 400]);
      expect(JSON.stringify(body)).toContain(`.${field}`);
    }
  });

  it('says whether its engine works and what to do, each by its own settings', async () => {
    await put('works', { provider: 'docker' });
    await put('nowhere', { provider: 'docker', providerConfig: { socket: `${engine.socket}.none` } });
    await put('hosted', { provider: 'e2b' });
    expect(await provider('works')).toMatchObject({
      status: 'True',
      message: expect.stringContaining('Docker 27.5.1'),
    });
    expect(await provider('nowhere')).toMatchObject({
      status: 'False',
      message: expect.stringContaining('install Docker and start it'),
    });
    expect(await provider('hosted')).toMatchObject({
      status: 'False',
      message: 'this server has no sandbox provider e2b: use docker',
    });
  });

  it('runs the commands of an agent, keeps its files, and leaves nothing at its engine', async () => {
    await put('works', { provider: 'docker' });
    const policy = { kind: 'SandboxPolicy', metadata: { name: 'default' }, spec: { classRef: 'works' } };
    await rest.ok('POST /v1/manifests:apply', { ns: 'default', text: JSON.stringify(policy) });
    const session = await rest.session('runner', { capabilities: { sandbox: ['exec', 'read'] } });
    const say = (tool: string, input: object) =>
      rest.send(session, `!tool ${tool} ${JSON.stringify(input)}`, { waitSeconds: 30 });
    await say('sandbox_exec', { command: 'id -u > who; cat who' });
    await say('sandbox_read_file', { path: 'who' });
    const { messages } = await rest.ok<{ messages: readonly object[] }>(`GET ${session}`);
    const said = JSON.stringify(messages);
    expect(said).toMatch(/stdout\W+1000/);
    expect(said).not.toContain('"ok":false');
    expect(engine.volumes.all()).not.toEqual([]);
    await rest.ok(`DELETE ${session}`);
    await expect.poll(() => engine.volumes.all()).toEqual([]);
    expect(engine.containers.list(() => true)).toEqual([]);
  });
});
