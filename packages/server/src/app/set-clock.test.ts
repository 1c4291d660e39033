import { expect, it } from 'vitest';
import { AppUnderTest } from './testing/index.ts';

const HOUR_MS = 3_600_000;

const newSession = async (app: AppUnderTest): Promise<string> =>
  (await app.rest.ok<{ sessionId: string }>('POST /v1/ns/default/agents/helper/sessions', {})).sessionId;

it('ids that are made after a restart come behind those made before, though the clock was set back meanwhile', async () => {
  await using app = await AppUnderTest.start();
  await app.rest.ok('POST /v1/ns/default/agents', { name: 'helper' });
  const before = await newSession(app);
  app.clock.setBy(-HOUR_MS);
  await app.restart();
  expect((await newSession(app)) > before).toBe(true);
});
