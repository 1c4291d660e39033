import { expect, it } from 'vitest';
import { AppUnderTest, ConnectorBench, ConnectorServiceUnderTest } from './testing/index.ts';

const service = ConnectorServiceUnderTest.ofSuite();
const app = AppUnderTest.ofSuite();
const { rest } = app;
const bench = new ConnectorBench(app, service);

interface Claim {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  readonly agent: string;
  readonly sessionId: string;
  readonly state: string;
  readonly tries: number;
}

const claims = async (): Promise<readonly Claim[]> => {
  const { resources } = await rest.ok<{ resources: { metadata: { name: string } }[] }>(
    'GET /v1/ns/system/resources?kind=Worker',
  );
  return (await rest.ok<{ claims: Claim[] }>(`GET /v1/admin/workers/${resources[0]?.metadata.name}/claims`)).claims;
};

it('a worker shows all that it holds: turns, sandboxes, deliveries and tool calls of runs', async () => {
  const answered = { consumer: { session: { agent: { name: 'helper' }, replyMode: 'auto' } } };
  await bench.apply(
    {
      kind: 'Namespace',
      metadata: { name: 'default', annotations: { 'option.svc/workflow-capabilities': 'sandbox:exec' } },
    },
    { kind: 'SandboxClass', metadata: { name: 'small' }, spec: { provider: 'demo' } },
    { kind: 'SandboxPolicy', metadata: { name: 'default' }, spec: { classRef: 'small' } },
    { kind: 'Agent', metadata: { name: 'helper' }, spec: {} },
    { kind: 'Agent', metadata: { name: 'runner' }, spec: { capabilities: { sandbox: ['*'] } } },
    bench.classDocument('chat'),
    bench.connectorDocument('direct', { team: 't1' }, answered),
    {
      kind: 'Workflow',
      metadata: { name: 'flow' },
      spec: { steps: [{ id: 'call', type: 'tool', tool: 'sandbox_exec', input: { command: 'hang' } }] },
    },
  );
  await bench.becomes('Connector', 'direct', 'ready');
  service.deliveryAnswers.push('silence');
  await bench.send(bench.event({ text: '!say hi' }));
  const { sessionId } = await rest.ok<{ sessionId: string }>('POST /v1/ns/default/agents/runner/sessions', {});
  const { turnId } = await rest.ok<{ turnId: string }>(
    `POST /v1/ns/default/agents/runner/sessions/${sessionId}/message`,
    { message: '!tool sandbox_exec {"command":"hang"}' },
  );
  const { run } = await rest.ok<{ run: { id: string } }>('POST /v1/ns/default/workflows/flow/runs', {});
  await expect
    .poll(async () =>
      (await claims()).map(({ kind, name, agent, state }) => [kind, name, agent, state].join(' ').trim()),
    )
    .toEqual([
      'delivery direct  sending',
      'run flow  tool',
      expect.stringMatching(/^sandbox session-\w+ (runner)? ready$/),
      expect.stringMatching(/^sandbox session-\w+ (runner)? ready$/),
      'turn  runner RUNNING',
    ]);
  const held = await claims();
  expect(held.filter(({ kind }) => kind === 'turn' || kind === 'run').map(({ id }) => id)).toEqual([run.id, turnId]);
  expect(
    held
      .filter(({ kind }) => kind === 'sandbox')
      .map((claim) => claim.sessionId)
      .sort(),
  ).toEqual(['', sessionId]);
  await rest.ok(`POST /v1/ns/default/workflows/flow/runs/${run.id}:cancel`, {});
  await rest.ok(`POST /v1/ns/default/agents/runner/sessions/${sessionId}:stop`, {});
  await expect
    .poll(async () => (await claims()).map(({ kind }) => kind).filter((kind) => kind !== 'sandbox'))
    .toEqual(['delivery']);
});
