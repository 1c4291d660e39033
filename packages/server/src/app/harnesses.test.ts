import { beforeAll, describe, expect, it } from 'vitest';
import { canJail } from '../sandbox/testing/local-jail.ts';
import { AppUnderTest, EventReader, shapeOf } from './testing/index.ts';

const WAIT = { waitSeconds: 60 };

describe.skipIf(!(await canJail()))('an external agent in a jail', () => {
  const app = AppUnderTest.ofSuite();
  const { rest } = app;

  beforeAll(async () => {
    await rest.ok('POST /v1/ns/default/sandbox-classes', { name: 'jail', spec: { provider: 'local' } });
    await rest.ok('POST /v1/ns/default/sandbox-policies', {
      name: 'default',
      spec: { classRef: { name: 'jail' }, template: { network: { mode: 'none' } } },
    });
  });

  const agent = (name: string, acp: object = {}, spec: object = {}): Promise<unknown> =>
    rest.ok('POST /v1/ns/default/agents', {
      name,
      spec: { ...spec, runtime: { kind: 'acp', acp: { harnessRef: 'demo', ...acp } } },
    });

  it('answers turns with text, calls and their results, and works in the sandbox of the session', async () => {
    await agent('worker', { permissionPolicy: { default: 'allow' } }, { systemPrompt: 'Be brief.' });
    const session = await rest.session('worker');
    const events = await EventReader.open(rest, `${session}/stream`);
    const sent = await rest.send(
      session,
      '!write notes.txt hello\n!run cat notes.txt; whoami; ls /proc | grep -c "^[0-9]"',
      WAIT,
    );
    expect(sent).toMatchObject({ turnState: 'TURN_STATE_COMPLETED' });
    expect(sent.reply).toContain('run_command -> hello');
    await events.ends();
    events.close();
    expect(shapeOf(events.events)).toEqual([
      'TOOL_CALL',
      'TOOL_RESULT',
      'TEXT',
      'TOOL_CALL',
      'TOOL_RESULT',
      'TEXT',
      'USAGE',
      'DONE completed',
    ]);
  });
});
