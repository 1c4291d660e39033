import { create } from '@bufbuild/protobuf';
import { type AgentSpecSchema, ResourceMetaSchema, TemplateSpecSchema } from '@svc/api/resources';
import { describe, expect, it } from 'vitest';
import { type KindContract, kindContract } from '../../../controllers/contract.ts';
import { checkTemplate, fillTemplateDefaults } from './template-rules.ts';

const contracts: Readonly<Record<string, KindContract>> = {
  Agent: kindContract<ReturnType<typeof create<typeof AgentSpecSchema>>>({
    kind: 'Agent',
    defaults: (spec) => spec,
    validate: ({ key, spec }) => [
      ...(spec.systemPrompt === '' ? [{ field: 'spec.systemPrompt', description: 'is required', reason: 'X' }] : []),
      ...(spec.modelPolicy?.profiles ?? []).flatMap(({ model }, index) =>
        /^[a-z]*$/.test(model?.name ?? '')
          ? []
          : [{ field: `spec.modelPolicy.profiles[${index}].model.name`, description: 'bad', reason: 'X' }],
      ),
      ...(key.name === 'forbidden' ? [{ field: 'spec', description: 'bad name', reason: 'X' }] : []),
    ],
  }),
  Skill: kindContract({ kind: 'Skill', validate: () => [] }),
};

const deps = {
  contractOf: (kind: string) => contracts[kind],
  promptCheck: (text: string) => (text.includes('{{ bad }}') ? [{ line: 1, column: 2, message: 'no variable' }] : []),
  labelLimits: { labels: 3, annotationsBytes: 40 },
};

const faults = (spec: object | string, more: object = {}, namespace = 'acme') =>
  checkTemplate(
    {
      namespace,
      name: 'helper',
      spec: create(TemplateSpecSchema, {
        kind: 'Agent',
        specJson: typeof spec === 'string' ? spec : JSON.stringify(spec),
        ...more,
      }),
    },
    deps,
  );

const texts = (...given: Parameters<typeof faults>) =>
  faults(...given).map(({ field, description }) => `${field} ${description}`);

describe('the rules of templates', () => {
  it.each(['Namespace', 'Deployment', 'DeploymentReplica', 'Session', 'Worker', 'Sandbox', 'Nothing', '', 'agent'])(
    'refuse kind %j',
    (kind) => {
      expect(texts({}, { kind })).toEqual(['spec.kind is not a kind that a template can hold']);
    },
  );

  it.each(['[]', '1', 'null', '"x"', '{', '', '{"a":1}x'])('refuse %j as spec', (text) => {
    expect(texts(text)).toEqual(['spec.specJson must be a JSON object']);
  });

  it('name every fault of the form by pointer, and no value', () => {
    const spec = {
      nothing: 'SECRET',
      systemPrompt: 7,
      features: 'x',
      modelPolicy: { profiles: [{ model: { temperature: 'hot', name: [] } }, 'SECRET'] },
      capabilities: { a: 'SECRET' },
      runtime: { acp: { env: ['x'] } },
      a2a: true,
      'a/b~c': 1,
    };
    expect(texts(spec)).toEqual([
      'spec.specJson /nothing: is not a field of AgentSpec',
      'spec.specJson /systemPrompt: must be a text',
      'spec.specJson /features: must be a list',
      'spec.specJson /modelPolicy/profiles/0/model/temperature: must be a number',
      'spec.specJson /modelPolicy/profiles/0/model/name: must be a text',
      'spec.specJson /modelPolicy/profiles/1: must be an object',
      'spec.specJson /capabilities/a: is not a valid ListValue',
      'spec.specJson /runtime/acp/env: must be an object',
      'spec.specJson /a2a: must be an object',
      'spec.specJson /a~1b~0c: is not a field of AgentSpec',
    ]);
    expect(JSON.stringify(faults(spec))).not.toContain('SECRET');
    expect(new Set(faults(spec).map((fault) => fault.reason))).toEqual(new Set(['TEMPLATE_INVALID']));
  });

  it('name a value that no rule of the form covers', () => {
    expect(texts({ thinking: 'x' }, { kind: 'UsagePolicy' }).length).toBeGreaterThan(0);
    const outOfRange = { authBroker: { cacheTtlSeconds: 1e12 } };
    expect(texts(outOfRange, { kind: 'McpServer' })).toEqual(['spec.specJson /: is not a valid McpServerSpec']);
  });

  it('judge a spec without expressions by all rules of its kind', () => {
    expect(texts({})).toEqual(['spec.specJson /systemPrompt: is required']);
    expect(texts({ systemPrompt: 'x', modelPolicy: { profiles: [{ model: { name: 'M' } }] } })).toEqual([
      'spec.specJson /modelPolicy/profiles/0/model/name: bad',
    ]);
    expect(texts({ systemPrompt: 'x' }, { metadata: create(ResourceMetaSchema, { name: 'forbidden' }) })).toEqual([
      'spec.specJson /: bad name',
    ]);
    expect(texts({ systemPrompt: 'x', thing: null })).toEqual(['spec.specJson /thing: is not a field of AgentSpec']);
    expect(texts({ description: 'x' }, { kind: 'Workflow' })).toEqual([]);
  });

  it('leave agent templates of system incomplete, but judge their prompts', () => {
    expect(texts({}, {}, 'system')).toEqual([]);
    expect(texts({ systemPrompt: '{{ agent.name }}', postHistoryPrompt: 'ok' }, {}, 'system')).toEqual([]);
    // The deployment phase knows no `bad`, and neither does the turn.
    expect(texts({ systemPrompt: '{{ bad }}' }, {}, 'system')).toEqual([
      'spec.specJson /systemPrompt: line 1, column 1: there is no variable bad',
    ]);
    expect(texts({ postHistoryPrompt: '{% raw %}{{ bad }}{% endraw %}' }, {}, 'system')).toEqual([
      'spec.specJson /postHistoryPrompt: line 1, column 2: no variable',
    ]);
  });

  it('render expressions with placeholders that fit their fields', () => {
    const spec = {
      systemPrompt: 'You serve {{ namespace.labels.title | default: namespace.leaf }} as {{ agent.name }}.',
      modelPolicy: {
        profiles: [
          {
            model: {
              name: '{{ namespace.annotations["model/name"] }}',
              temperature: '{{ namespace.labels.heat }}',
              thinking: { enabled: '{{ deployment.labels.think }}' },
            },
          },
        ],
      },
      runtime: { acp: { env: { A: '{{ template.name }}' } } },
      mcpServerRefs: ['{{ namespace.name | slug }}'],
    };
    expect(texts(spec)).toEqual([]);
  });

  it('do not judge values that are not known yet, but everything else', () => {
    const profile = (name: string) => ({ model: { name } });
    const spec = { systemPrompt: 'x', modelPolicy: { profiles: [profile('X{{ namespace.leaf }}'), profile('BAD')] } };
    expect(texts(spec)).toEqual(['spec.specJson /modelPolicy/profiles/1/model/name: bad']);
  });

  it('name place, line and column of what is wrong with an expression', () => {
    const spec = {
      systemPrompt: 'one\n two {{ namespace.uid }} {{ namespace.name | loud }}',
      postHistoryPrompt: '{{ namespace.name | default: agent.name }}',
    };
    expect(texts(spec)).toEqual([
      'spec.specJson /systemPrompt: line 2, column 50: there is no filter loud',
      'spec.specJson /systemPrompt: line 2, column 6: namespace.uid is not defined',
      'spec.specJson /postHistoryPrompt: line 1, column 1: one expression may not mix variables of two phases',
    ]);
  });

  it('let metadata hold name, labels and annotations, with expressions, and nothing else', () => {
    const metadata = (init: object) => ({ metadata: create(ResourceMetaSchema, init) });
    const spec = { systemPrompt: 'x' };
    expect(texts(spec, metadata({ name: 'a', labels: { b: 'c' }, annotations: { d: 'e' } }))).toEqual([]);
    expect(
      texts(spec, metadata({ name: '{{ namespace.leaf }}-helper', labels: { b: '{{ namespace.name }}' } })),
    ).toEqual([]);
    expect(texts(spec, metadata({ name: '-a' }))).toEqual([expect.stringMatching(/^spec\.metadata\.name must be/)]);
    expect(texts(spec, metadata({ labels: { '!': 'x' }, annotations: { 'option.svc/none': 'x' } }))).toHaveLength(2);
    const system = { labels: { 'svc/deployment': 'x' }, annotations: { 'svc/replica': 'x' } };
    expect(texts(spec, metadata(system))).toEqual([
      'spec.metadata.labels[svc/deployment] keys starting svc/ belong to the system',
      'spec.metadata.annotations[svc/replica] keys starting svc/ belong to the system',
    ]);
    expect(texts(spec, metadata({ name: '{{ nobody }}' }))).toEqual([
      'spec.metadata /name: line 1, column 1: there is no variable nobody',
    ]);
    const others = {
      namespace: 'x',
      finalizers: ['a/b'],
      ownerReferences: [{ name: 'x' }],
      generation: 1n,
      resourceVersion: '1',
      uid: 'x',
      deletionTimestamp: 1n,
    };
    expect(faults(spec, metadata(others)).map((fault) => fault.field)).toEqual([
      'spec.metadata.namespace',
      'spec.metadata.ownerReferences',
      'spec.metadata.finalizers',
      'spec.metadata.generation',
      'spec.metadata.resourceVersion',
      'spec.metadata.uid',
      'spec.metadata.deletionTimestamp',
    ]);
  });

  it('take any JSON object of any kind without an exception', () => {
    const odd: readonly object[] = [
      { a: { b: [1, null] } },
      { steps: [[]] },
      { spec: {} },
      { __proto__: null, constructor: 1 },
    ];
    for (const kind of ['Agent', 'Workflow', 'Secret', 'Skill', 'McpServer', 'SandboxClass'])
      for (const spec of odd) expect(faults(JSON.stringify(spec), { kind }).length).toBeGreaterThanOrEqual(0);
  });

  it('write the spec in canonical form, absent as an empty object', () => {
    const filled = (specJson: string) => fillTemplateDefaults(create(TemplateSpecSchema, { specJson })).specJson;
    expect(filled(' { "b": 1, "a": {"d": 2, "c": 3} } ')).toBe('{"a":{"c":3,"d":2},"b":1}');
    expect(filled('')).toBe('{}');
    expect(filled('{}')).toBe('{}');
    expect(filled('[1]')).toBe('[1]');
  });
});
