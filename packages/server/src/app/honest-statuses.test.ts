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
    expect([kind, said?.reason]).not.toEqual([kind, 'NotExecuted']);
  }
});
