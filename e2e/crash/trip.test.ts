import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Part, RestCaller, type SessionKey, textOf } from '../calls/index.ts';
import { ServerProcess, until } from '../server-process/index.ts';

/** The example, in the namespace of these tests. */
const folder = fileURLToPath(new URL('../../examples/trip', import.meta.url));
const manifests = readFileSync(`${folder}/trip.yaml`, 'utf8')
  .replace(/^kind: Namespace\n.*\n---\n/, '')
  .replaceAll('namespace: trip', 'namespace: default')
  .replaceAll('{{ vars.here }}', folder);
const plan = readFileSync(`${folder}/plan.txt`, 'utf8');

let server: ServerProcess;
let rest: RestCaller;
beforeEach(async () => {
  server = await ServerProcess.start();
  rest = new RestCaller(server.url);
  const applied = await rest.fetch('/v1/manifests:apply', {
    method: 'POST',
    headers: { 'content-type': 'application/yaml' },
    body: manifests,
  });
  expect([applied.status, await applied.text()]).toEqual([200, expect.anything()]);
});
afterEach(() => server[Symbol.asyncDispose]());

interface Request {
  readonly id: string;
  readonly sessionId: string;
}

const isDown = (error: unknown): boolean => error instanceof TypeError;

/** Answers the question of the session once it is asked; a server that is down is asked again. */
const answerWhenAsked = (session: SessionKey, alive: () => boolean): Promise<boolean> =>
  until('the question is answered', async () => {
    if (!alive()) return false;
    try {
      const { requests } = await rest.ok<{ requests: readonly Request[] }>('GET /v1/ns/default/permission-requests');
      const mine = requests.find(({ sessionId }) => sessionId === session[1]);
      if (mine === undefined) return (await rest.state(session)) === 'IDLE' ? true : undefined;
      const body = { decision: 'ALLOW', answerJson: '{"train":"EC 87"}' };
      await rest.ok(`POST ${rest.sessionPath(...session)}/permissions/${mine.id}`, body);
      return true;
    } catch (error) {
      if (!isDown(error)) throw error;
      return alive() ? undefined : false;
    }
  });

const isIdle = (session: SessionKey): Promise<true> =>
  until('the session is idle', async () => (await rest.state(session)) === 'IDLE' || undefined);

interface SandboxClass {
  readonly resource: { readonly status: { readonly sandboxClass: { readonly conditions: readonly Condition[] } } };
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly message: string;
}

/** Whether code can be jailed here; where it cannot, the condition says what to do. */
const hasJail = async (): Promise<boolean> => {
  const { resource } = await rest.ok<SandboxClass>('GET /v1/ns/default/resources/SandboxClass/jail');
  const found = resource.status.sandboxClass.conditions.find(({ type }) => type === 'ProviderAvailable');
  expect(found?.message).not.toBe('');
  return found?.status === 'True';
};

const resultsOf = (parts: readonly Part[]): readonly string[] =>
  parts
    .filter((part) => part.partType === 'SESSION_MESSAGE_PART_TYPE_TOOL_RESULT')
    .map((part) => `${part.name}: ${part.content}`);

/** What the turn must have done, each thing once, whatever happened on its way. */
const expectPlanned = async (session: SessionKey): Promise<void> => {
  const messages = await rest.messages(session);
  expect(messages).toHaveLength(2);
  const reply = messages[1];
  expect(textOf(reply)).toMatch(/Your journey is planned\.$/);
  const results = resultsOf(reply?.parts ?? []);
  expect(results.map((text) => text.split(':')[0])).toEqual([
    'mcp_trains_find_trains',
    'ask_user',
    'agent_send',
    'agent_wait',
    'run_code',
  ]);
  expect(results[0]).toContain('EC 87');
  expect(results[1]).toContain('{"answered":true,"answer":{"train":"EC 87"}}');
  expect(results[3]).toContain('The seat is booked.');
  // Where this machine cannot jail code, none runs.
  expect(results[4]).toContain((await hasJail()) ? '158' : '"ok":false');
  // The clerk was asked once.
  const { sessions } = await rest.ok<{ sessions: readonly { readonly sessionId: string }[] }>(
    'GET /v1/ns/default/agents/clerk/sessions',
  );
  expect(sessions).toHaveLength(1);
  const asked = await rest.messages(['clerk', sessions[0]?.sessionId ?? '']);
  expect(asked.map(textOf)).toEqual(['!say The seat is booked.', 'The seat is booked.']);
};

describe('an agent that uses a server, asks a person and has another agent work', () => {
  it('plans the journey of the example', async () => {
    const session = await rest.createSession('planner');
    await rest.send(session, plan);
    expect(await answerWhenAsked(session, () => true)).toBe(true);
    await isIdle(session);
    await expectPlanned(session);
  });

  it.each([
    ['before-tool', 1],
    ['after-tool', 1],
    ['before-ask', 1],
    ['after-park', 1],
    ['after-tool', 3],
    ['after-tool', 4],
    ['after-tool-result', 4],
    ['before-final', 1],
  ])('does nothing twice when the process is killed %s (%i)', async (point, nth) => {
    const session = await rest.createSession('planner');
    expect(await server.arm(`${point}:${nth}`)).toBe(true);
    let isAlive = true;
    const died = server.ended().then((end) => {
      isAlive = false;
      return end;
    });
    await rest.send(session, plan, { key: 'one' }).catch((error: unknown) => {
      if (!isDown(error)) throw error;
    });
    await answerWhenAsked(session, () => isAlive);
    expect(await died).toMatchObject({ signal: 'SIGKILL' });
    await server.restart();
    await rest.send(session, plan, { key: 'one' });
    await answerWhenAsked(session, () => true);
    await isIdle(session);
    await expectPlanned(session);
  });
});
