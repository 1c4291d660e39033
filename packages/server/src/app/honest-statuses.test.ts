import { expect, it } from 'vitest';
import { fileName, kinds } from '../resources/index.ts';
import { AppUnderTest, KIND_SAMPLES } from './testing/index.ts';

const app = AppUnderTest.ofSuite();
const { rest } = app;

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message?: string;
}
interface Status {
  readonly phase?: string;
  readonly conditions?: readonly Condition[];
  readonly backendArmed?: boolean;
  readonly nextRunAt?: string;
}

/** Kinds that this version stores and does not act on. */
const NOT_EXECUTED = ['ConnectorClass', 'Connector'];
const FAILING = ['Degraded', 'Invalid', 'Failed', 'degraded', 'invalid'];

const authorable = kinds.filter((row) => row.authorable && row.kind !== 'Namespace').map((row) => row.kind);
const nameOf = (kind: string): string => {
  if (kind === 'File') return fileName('/docs/one.md');
  return kind === 'ChannelSubscription' ? 'one/one' : 'one';
};
const put = (ns: string, documents: readonly object[]) =>
  rest.ok('POST /v1/manifests:apply', { ns, text: documents.map((item) => JSON.stringify(item)).join('\n---\n') });
const statusOf = async (ns: string, kind: string, name: string): Promise<Status> => {
  const [first = '', second] = name.split('/');
  const at = second === undefined ? first : `${second}?parent=${first}`;
  const { resource } = await rest.ok<{ resource: { status: Readonly<Record<string, Status>> } }>(
    `GET /v1/ns/${ns}/resources/${kind}/${at}`,
  );
  return Object.values(resource.status)[0] ?? {};
};
const condition = ({ conditions = [] }: Status, type: string): Condition | undefined =>
  conditions.find((found) => found.type === type);

it('no kind says Ready True beside a failing phase, whatever is missing around it', async () => {
  await put('honest', [
    { kind: 'Namespace', metadata: { name: 'honest' } },
    ...authorable.map((kind) => ({
      kind,
      metadata: { name: nameOf(kind), namespace: 'honest' },
      spec: {
        ...KIND_SAMPLES[kind],
        ...(kind === 'Agent' ? { systemPrompt: 'x', mcpServerRefs: ['nowhere'], features: [{ name: 'nothing' }] } : {}),
      },
    })),
  ]);
  const shown = await Promise.all(
    authorable.map(async (kind) => ({ kind, status: await statusOf('honest', kind, nameOf(kind)) })),
  );
  const ready = shown.map(({ kind, status }) => [kind, status.phase, condition(status, 'Ready')?.status] as const);
  expect(ready).toContainEqual(['Agent', 'Degraded', 'False']);
  expect(ready.filter(([, phase = '', state]) => FAILING.includes(phase) && state === 'True')).toEqual([]);
  for (const { kind, status } of shown) {
    const said = condition(status, 'Ready');
    if (!NOT_EXECUTED.includes(kind)) expect([kind, said?.reason]).not.toEqual([kind, 'NotExecuted']);
    else expect([kind, said?.status]).not.toEqual([kind, 'True']);
  }
});

it('what nothing executes says so: Ready is Unknown with reason NotExecuted', async () => {
  const step = { id: 'x', type: 'transform', inputJson: '1' };
  const sandbox = { provider: 'local' };
  const consumer = { workflow: { name: 'one' } };
  const specs: Readonly<Record<string, object>> = {
    Agent: { systemPrompt: 'x' },
    Channel: {},
    Workflow: { steps: [step] },
    ChannelSubscription: { agent: 'one' },
    McpServer: { transport: 'http', target: 'http://127.0.0.1:1/mcp' },
    McpServerBinding: {},
    SandboxClass: sandbox,
    SandboxPolicy: { classRef: { name: 'one' } },
    Sandbox: { policyRef: 'one' },
    ConnectorClass: {
      ...KIND_SAMPLES['ConnectorClass'],
      matchIndexes: [{ name: 'team', fields: ['team'] }],
    },
    Connector: { classRef: { name: 'one' }, consumer, matchFields: { team: 't' } },
  };
  await put('idle', [
    { kind: 'Namespace', metadata: { name: 'idle' } },
    ...Object.entries(specs).map(([kind, spec]) => ({
      ...{ kind, spec },
      metadata: { name: nameOf(kind), namespace: 'idle' },
    })),
  ]);
  for (const kind of NOT_EXECUTED) {
    const said = condition(await statusOf('idle', kind, nameOf(kind)), 'Ready');
    expect([kind, said?.status, said?.reason]).toEqual([kind, 'Unknown', 'NotExecuted']);
    expect(said?.message).toContain('this version of svc does not');
  }
});
