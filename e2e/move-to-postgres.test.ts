// @service postgresql
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { RestCaller, textOf } from './calls/index.ts';
import { Home } from './command-line/index.ts';
import { PostgresService } from './postgres-server/index.ts';
import { ServerProcess } from './server-process/index.ts';

const doc = readFileSync(fileURLToPath(new URL('../docs/move-to-postgresql.md', import.meta.url)), 'utf8');
const EXAMPLE_URL = 'postgres://svc:secret@db.example.org:5432/svc';

const postgres = await PostgresService.start();
afterAll(() => postgres?.[Symbol.asyncDispose]());

describe.skipIf(postgres === undefined)('docs/move-to-postgresql.md', () => {
  it('moves a whole instance by the commands that it shows', async () => {
    const [, moving = '', starting = ''] = doc.split('```sh\n').map((part) => part.split('```')[0] ?? '');
    expect(starting).toBe('SVC_DATA_DIR=svc-data-new svc serve\n');
    expect(moving).toContain(EXAMPLE_URL);
    await using home = new Home();
    const url = (await postgres?.createDatabase()) ?? '';

    // A server with something of each sort.
    const before = await ServerProcess.start({
      dataDir: join(home.path, 'svc-data'),
      environment: { SVC_STORE_URL: '' },
    });
    const rest = new RestCaller(before.url);
    await rest.createAgent('writer');
    const session = await rest.createSession('writer');
    await rest.send(session, 'hello', { waitSeconds: 30 });
    const secret = {
      kind: 'Secret',
      metadata: { name: 'keys', namespace: 'default' },
      spec: { stringData: { token: 's3cret' } },
    };
    await rest.ok('POST /v1/manifests:apply', { text: JSON.stringify(secret) });
    const agent = await rest.ok<object>('GET /v1/ns/default/agents/writer');
    await before.stop();

    const shell = home.runShell(`sh -e -c '${moving.replace(EXAMPLE_URL, url)}'; echo "ended with $?"`, {
      SVC_PASSPHRASE: 'the passphrase of this test',
      // No server answers there: doctor looks at the store alone.
      SVC_SERVER: 'http://127.0.0.1:9',
    });
    await shell.ended();
    expect(shell.stdout).toContain('ended with 0');

    await using after = await ServerProcess.start({
      dataDir: join(home.path, 'svc-data-new'),
      environment: { SVC_STORE_URL: url },
    });
    const moved = new RestCaller(after.url);
    expect(await moved.ok<object>('GET /v1/ns/default/agents/writer')).toEqual(agent);
    expect((await moved.messages(session)).map(textOf)).toEqual(['hello', 'You said: hello']);
    const found = await moved.ok<{ resource: object }>('GET /v1/ns/default/resources/Secret/keys');
    // Base64 of "s3cret".
    expect(JSON.stringify(found)).toContain('"czNjcmV0"');
  });
});
