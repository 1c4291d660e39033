import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RestCaller, type SessionKey, SessionReader } from '../calls/index.ts';
import { ServerProcess, until } from '../server-process/index.ts';

const manifests = [
  { kind: 'SandboxClass', metadata: { name: 'jail' }, spec: { provider: 'local' } },
  { kind: 'SandboxPolicy', metadata: { name: 'default' }, spec: { classRef: { name: 'jail' } } },
  {
    kind: 'Agent',
    metadata: { name: 'coder' },
    spec: { runtime: { kind: 'acp', acp: { harnessRef: 'demo', permissionPolicy: { default: 'allow' } } } },
  },
];

let server: ServerProcess;
let rest: RestCaller;
beforeEach(async () => {
  server = await ServerProcess.start();
  rest = new RestCaller(server.url);
  const text = manifests.map((manifest) => JSON.stringify(manifest)).join('\n---\n');
  await rest.ok('POST /v1/manifests:apply', { ns: 'default', text });
});
afterEach(() => server[Symbol.asyncDispose]());

interface Condition {
  readonly type: string;
  readonly status: string;
}

/** Whether jails can be made here. */
const isJailed = async (): Promise<boolean> => {
  const found = await until('the class says what works', async () => {
    const { resource } = await rest.ok<{
      resource: { status: { sandboxClass: { conditions?: readonly Condition[] } } };
    }>('GET /v1/ns/default/resources/SandboxClass/jail');
    const { conditions = [] } = resource.status.sandboxClass;
    return conditions.find(({ type, status }) => type === 'ProviderAvailable' && status !== 'Unknown');
  });
  return found.status === 'True';
};

/** Processes on this machine whose command line has the text. */
const processesWith = (text: string): readonly string[] =>
  readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(text);
    } catch (error) {
      // It ended meanwhile.
      const { code } = error as { readonly code?: string };
      if (code !== 'ENOENT' && code !== 'ESRCH') throw error;
      return false;
    }
  });

const isIdle = (session: SessionKey): Promise<true> =>
  until('the session is idle', async () => (await rest.state(session)) === 'IDLE' || undefined);

it('an external agent dies with its server: a prompt without effects is repeated, one with effects is lost (K26, R61)', async ({
  skip,
}) => {
  if (!(await isJailed())) skip('jails cannot be made here');
  const idle = await rest.createSession('coder');
  const acting = await rest.createSession('coder');
  const marks = await Promise.all([rest.send(idle, '!hold'), rest.send(acting, '!run sleep 3600')]);
  const [held = '', acted = ''] = marks.map(({ turnId }) => `svc-${turnId}.sock`);
  const run = (mark: string): Promise<true> =>
    until('the agent runs', async () => processesWith(mark).length > 0 || undefined);
  const gone = (mark: string): Promise<true> =>
    until('nothing of the agent is left', async () => processesWith(mark).length === 0 || undefined);
  const reader = new SessionReader(rest, acting, { keepsCursor: true });
  await reader.start();
  await Promise.all([run(held), run(acted)]);
  await until(
    'the command is recorded',
    async () => reader.events.some(({ part }) => part?.partType.endsWith('TOOL_CALL')) || undefined,
  );
  await server.kill();
  await Promise.all([gone(held), gone(acted)]);
  await server.restart();
  await isIdle(acting);
  const error = (await rest.messages(acting)).at(-1)?.parts.at(-1);
  expect(JSON.parse(error?.payloadJson ?? '{}')).toMatchObject({ reason: 'harness_lost' });
  await run(held);
  await rest.ok(`POST ${rest.sessionPath(...idle)}:stop`, {});
  await Promise.all([isIdle(idle), gone(held)]);
  const next = await rest.send(idle, 'again', { waitSeconds: 30 });
  expect(next.turnState).toBe('TURN_STATE_COMPLETED');
});
