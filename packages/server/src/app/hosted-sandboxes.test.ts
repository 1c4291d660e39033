// @service bubblewrap
import { afterAll, describe, expect, it } from 'vitest';
import { startE2b } from '../sandbox/hosted/testing/e2b-server.ts';
import { canJail } from '../sandbox/testing/local-jail.ts';
import { AppUnderTest } from './testing/index.ts';

// The machines of the service under test are made by bubblewrap.
const service = await startE2b();
const isPossible = await canJail();
if (!isPossible) await service.close();

describe.skipIf(!isPossible)('a sandbox class of provider e2b', () => {
  const app = AppUnderTest.ofSuite({
    'sandbox.providers': JSON.stringify({ e2b: { urls: [service.url], env: ['HOSTED_KEY'] } }),
  });
  afterAll(() => service.close());
  const { rest } = app;

  const put = (kind: string, name: string, spec: object) =>
    rest.call('POST /v1/manifests:apply', { ns: 'default', text: JSON.stringify({ kind, metadata: { name }, spec }) });
  const apiKey = 'secret://hosted/key';

  it('is refused by the names of its fields where it says what the service cannot keep', async () => {
    for (const [field, spec] of [
      ['providerConfigJson.url', { providerConfig: { url: 'https://thief.example' } }],
      ['providerConfigJson.memory', { providerConfig: { memory: '1GiB' } }],
      ['credentialsJson.apiKey', { credentials: { apiKey: 'env:PATH' } }],
      ['credentialsJson.token', { credentials: { token: 'x' } }],
    ] as const) {
      const { status, body } = await put('SandboxClass', 'wrong', { provider: 'e2b', ...spec });
      expect([field, status]).toEqual([field, 400]);
      expect(JSON.stringify(body)).toContain(`spec.${field}`);
    }
  });

  it('makes a policy say what of its template the service cannot keep', async () => {
    await put('SandboxClass', 'bare', { provider: 'e2b' });
    const template = { spec: { filesystem: { readonly: ['/data'] } } };
    await put('SandboxPolicy', 'fixed', { classRef: 'bare', template });
    const policy = JSON.stringify(await rest.ok('GET /v1/ns/default/resources/SandboxPolicy/fixed'));
    expect(policy).toMatch(/"phase":"Degraded"/);
    expect(policy).toMatch(/"TemplateSupported","status":"False"[^}]*filesystem\.readonly/);
  });

  it('runs the commands of an agent with the key of a secret, shows the sandbox in its session, and leaves nothing', async () => {
    await put('Secret', 'hosted', { stringData: { key: service.key } });
    await put('SandboxClass', 'cloud', { provider: 'e2b', credentials: { apiKey } });
    await put('SandboxPolicy', 'default', { classRef: 'cloud' });
    const session = await rest.session('runner', { capabilities: { code: ['run'], sandbox: ['read'] } });
    const say = (tool: string, input: object) =>
      rest.send(session, `!tool ${tool} ${JSON.stringify(input)}`, { waitSeconds: 30 });
    await say('run_code', { language: 'shell', code: 'echo from afar > file; cat file' });
    await say('sandbox_read_file', { path: 'file' });
    const shown = JSON.stringify(await rest.ok(`GET ${session}`));
    expect(shown.match(/from afar/g)?.length).toBeGreaterThan(2);
    expect(shown).toMatch(/"sandboxRef":"session-/);
    const cloud = async (): Promise<string> =>
      JSON.stringify(await rest.ok('GET /v1/ns/default/resources/SandboxClass/cloud'));
    await expect.poll(cloud).toMatch(/"type":"ProviderAvailable","status":"True"/);
    expect(await cloud()).toContain(apiKey);
    expect(await cloud()).not.toContain(service.key);
    await rest.ok(`DELETE ${session}`);
    await expect.poll(() => service.machines.size).toBe(0);
  });
});
