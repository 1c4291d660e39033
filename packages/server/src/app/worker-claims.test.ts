import { expect, it } from 'vitest';
import { AppUnderTest, gate } from './testing/index.ts';

const TOKEN = 'a-token-for-the-claims-that-is-long-enough';
const app = AppUnderTest.ofSuite({ 'auth.mode': '["token"]', 'auth.token': TOKEN });
const ADMIN = { authorization: `Bearer ${TOKEN}` };

interface Claims {
  readonly claims: readonly { readonly kind: string; readonly id: string }[];
}
const ok = <T>(what: string, body?: unknown): Promise<T> => app.rest.ok<T>(what, body, ADMIN);

it('a worker holds a turn from its beginning to its end, as admins of everything see', async () => {
  await ok('POST /v1/ns/default/agents', { name: 'helper' });
  const { resources } = await ok<{ resources: { metadata: { name: string } }[] }>(
    'GET /v1/ns/system/resources?kind=Worker',
  );
  const worker = resources[0]?.metadata.name ?? '';
  const path = `/v1/admin/workers/${worker}/claims`;
  const { sessionId } = await ok<{ sessionId: string }>('POST /v1/ns/default/agents/helper/sessions', {});
  const { turnId } = await ok<{ turnId: string }>(`POST /v1/ns/default/agents/helper/sessions/${sessionId}/message`, {
    message: gate(1),
  });
  await app.clock.reached(1);
  expect((await ok<Claims>(`GET ${path}`)).claims).toEqual([
    {
      kind: 'turn',
      id: turnId,
      ns: 'default',
      name: '',
      agent: 'helper',
      sessionId,
      state: 'RUNNING',
      since: expect.stringMatching(/^\d{16}$/),
      until: expect.stringMatching(/^\d{16}$/),
      tries: 1,
    },
  ]);
  const grants = [{ role: 'admin', namespace: 'default' }];
  const { secret } = await ok<{ secret: string }>('POST /v1/auth/api-keys', { name: 'narrow', grants });
  expect((await app.rest.call(`GET ${path}`, undefined, { 'x-api-key': secret })).status).toBe(403);
  app.clock.open(1);
  await expect.poll(async () => (await ok<Claims>(`GET ${path}`)).claims).toEqual([]);
});
