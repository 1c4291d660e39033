import { describe, expect, it } from 'vitest';
import { fileName, kinds } from '../resources/index.ts';
import { WatchReader } from './conformance/watch-reader.ts';
import { AppUnderTest } from './testing/index.ts';

type Json = Record<string, unknown>;

/** A template of every kind that templates may hold, with values that the kind stores in another form or fills in. */
const SAMPLES: Readonly<Record<string, Json>> = {
  Agent: {
    systemPrompt: '{{ namespace.leaf }} {{ agent.name }}',
    modelPolicy: {
      profiles: [{ name: 'default', model: { provider: 'demo', name: 'echo', thinking: { effort: 'low' } } }],
    },
  },
  Template: { kind: 'Skill', specJson: '{ "instructions": "i",  "description": "d" }' },
  McpServer: {
    transport: 'http',
    target: 'http://127.0.0.1:1/{{ namespace.leaf }}',
    headers: { a: 'hush', b: 'secret://s/a' },
  },
  McpServerBinding: { serverRef: 'of-mcpserver' },
  Knowledge: { path: '/docs/{{ namespace.leaf }}.md/', content: 'text' },
  Skill: { description: 'a', instructions: 'b' },
  Channel: { title: 'one' },
  ChannelSubscription: { channel: 'of-channel', agent: 'of-agent' },
  Schedule: { kind: 'interval', intervalSeconds: 60, target: { agent: 'of-agent' }, inputMessage: 'hello' },
  ConnectorClass: { runtime: { endpoint: 'http://127.0.0.1:1' } },
  Connector: { classRef: { name: 'of-connectorclass' } },
  Workflow: { steps: [{ id: 'a', type: 'transform' }] },
  SandboxClass: { provider: 'local', credentialsJson: '{"b": "hush", "a": 1}' },
  SandboxPolicy: { classRef: { name: 'of-sandboxclass' } },
  Task: { title: '{{ namespace.leaf }}' },
  UsagePolicy: { hard: [{ metric: 'tool.calls', max: '5', window: '1m' }] },
  Secret: { stringData: { a: 'hush' } },
  File: { path: '/docs/{{ namespace.leaf }}.md' },
};
const templates = Object.keys(SAMPLES);

describe('a deployment of every kind that a template may hold', () => {
  const app = AppUnderTest.ofSuite();

  const apply = (...documents: readonly Json[]): Promise<unknown> =>
    app.rest.ok('POST /v1/manifests:apply', {
      ns: 'acme',
      text: documents.map((one) => JSON.stringify(one)).join('\n---\n'),
    });
  const deployment = (names: readonly string[]): Json => ({
    kind: 'Deployment',
    metadata: { name: 'all', namespace: 'acme' },
    spec: { templates: names.map((kind) => `of-${kind.toLowerCase()}`) },
  });
  /** A watch of the deployment that stands. */
  const watched = (): Promise<WatchReader> => WatchReader.open(app.url, { ns: 'acme', kinds: 'Deployment' });
  /** Waits until the deployment says what it makes of that generation. */
  const judged = async (generation: string): Promise<void> => {
    const watch = await watched();
    await watch.until(({ resource }) => {
      const { observedGeneration, replicaCounts } = resource?.status?.deployment ?? {};
      return observedGeneration === generation && (replicaCounts as Json)['updated'] === '1';
    });
    watch.close();
  };
  const replica = async (): Promise<{ readonly conflicts: string[]; readonly renderedResources: string[] }> => {
    const { resources } = await app.rest.ok<{ resources: { status: { deploymentReplica: never } }[] }>(
      'GET /v1/ns/acme/resources?kind=DeploymentReplica',
    );
    return resources[0]!.status.deploymentReplica;
  };
  const generations = async (): Promise<Json> => {
    const { resources } = await app.rest.ok<{ resources: { kind: string; metadata: Json }[] }>(
      'GET /v1/ns/acme:a/resources?pageSize=100',
    );
    const contents = resources.filter(({ kind }) => kind !== 'Namespace');
    return Object.fromEntries(contents.map(({ kind, metadata }) => [kind, metadata['generation']]));
  };

  it('knows them all', () => {
    const excluded = ['Namespace', 'Deployment', 'Sandbox'];
    const holdable = kinds.filter((row) => row.authorable && !excluded.includes(row.kind)).map((row) => row.kind);
    expect([...templates].sort()).toEqual(holdable.sort());
  });

  it('renders each as the kind stores it, so that nothing is written again', async () => {
    const all = templates.map((kind) => ({
      kind: 'Template',
      metadata: { name: `of-${kind.toLowerCase()}`, namespace: 'acme' },
      spec: {
        kind,
        specJson: JSON.stringify(SAMPLES[kind]),
        ...(kind === 'Template' ? { metadata: { name: 'inner' } } : {}),
      },
    }));
    await apply({ kind: 'Namespace', metadata: { name: 'acme:a' } }, ...all, deployment(templates.slice(0, -1)));
    await judged('1');
    expect((await replica()).conflicts).toEqual([]);
    await apply(deployment(templates));
    await judged('2');
    const { conflicts, renderedResources } = await replica();
    expect(conflicts).toEqual([]);
    expect(renderedResources).toHaveLength(templates.length);
    expect(renderedResources).toContain(`acme:a/File/${fileName('/docs/a.md')}`);
    expect(await generations()).toEqual(Object.fromEntries(templates.map((kind) => [kind, '1'])));
    const shown = JSON.stringify(await app.rest.ok('GET /v1/ns/acme/resources?kind=DeploymentReplica'));
    expect(shown).not.toContain('hush');
    expect(shown).not.toContain(Buffer.from('hush').toString('base64'));

    const watch = await watched();
    await app.rest.ok('DELETE /v1/ns/acme/resources/Deployment/all');
    await watch.until(({ changeType }) => changeType.endsWith('DELETED'));
    watch.close();
    expect(await generations()).toEqual({});
  });
});
