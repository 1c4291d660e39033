import { create, type JsonObject, toJson } from '@bufbuild/protobuf';
import { ResourceManifestSchema, ResourceSchema } from '@svc/api/resources';
import { describe, expect, it } from 'vitest';
import { writtenYamlOf, yamlOf } from '../yaml-of.ts';
import { manifestOf } from './manifest-of.ts';
import { readWritten } from './written-text.ts';

const workflow = create(ResourceSchema, {
  apiVersion: 'svc/v1',
  kind: 'Workflow',
  metadata: {
    name: 'digest',
    namespace: 'default',
    labels: { team: 'news', 'svc/managed': 'yes' },
    generation: 3n,
    resourceVersion: '41',
    uid: '01a22339-7d9a-705d-9d62-654f0b061220',
  },
  spec: { kind: { case: 'workflow', value: { inputSchemaJson: '{"type":"object"}' } } },
  status: { kind: { case: 'workflow', value: { phase: 'Ready' } } },
});

const stored = (text: string): unknown =>
  (toJson(ResourceManifestSchema, manifestOf(readWritten(text).json ?? {}, '41')) as JsonObject)['spec'];

describe('writtenYamlOf', () => {
  it('leaves out what the server keeps and opens JSON texts', async () => {
    expect(await writtenYamlOf(workflow)).toBe(
      [
        'apiVersion: svc/v1',
        'kind: Workflow',
        'metadata:',
        '  name: digest',
        '  namespace: default',
        '  labels:',
        '    team: news',
        'spec:',
        '  inputSchema:',
        '    type: object',
        '',
      ].join('\n'),
    );
  });

  it('leaves the texts of a custom kind as they are', async () => {
    const custom = create(ResourceSchema, {
      apiVersion: 'shop/v1',
      kind: 'Widget',
      metadata: { name: 'lamp' },
      spec: { kind: { case: 'raw', value: { json: '{"layoutJson":"{\\"rows\\":2}"}' } } },
    });
    expect(await writtenYamlOf(custom)).toContain('spec:\n  layoutJson: \'{"rows":2}\'\n');
  });
});

describe('yamlOf', () => {
  it('shows the whole resource with its status, JSON texts as they are', async () => {
    const text = await yamlOf(workflow);
    expect(text).toContain('resourceVersion: "41"\n');
    expect(text).toContain('inputSchemaJson: \'{"type":"object"}\'\n');
    expect(text).toContain('status:\n  observedGeneration: "0"\n  phase: Ready\n');
  });

  it('shows the JSON of a custom kind', async () => {
    const custom = create(ResourceSchema, {
      kind: 'Widget',
      spec: { kind: { case: 'raw', value: { json: '{"size":2}' } } },
    });
    expect(await yamlOf(custom)).toContain('spec:\n  size: 2\n');
  });
});

describe('manifestOf', () => {
  it('stores short forms as the server does', () => {
    expect(stored('kind: Schedule\nspec: {interval: 5m, input: {text: hi}}')).toEqual({
      schedule: { intervalSeconds: 300, inputJson: '{"text":"hi"}' },
    });
    expect(stored('kind: File\nspec: {path: /a.md, index_policy: search, purpose: ARTIFACT}')).toEqual({
      file: { path: '/a.md', indexPolicy: 'FILE_INDEX_POLICY_SEARCH', purpose: 'FILE_PURPOSE_ARTIFACT' },
    });
    expect(stored('kind: Deployment\nspec: {selector: {parent: shops}, templates: [a]}')).toEqual({
      deployment: { placement: { namespaceSelector: { parent: 'shops' } }, templates: ['a'] },
    });
  });

  it('keeps the spec of a template as JSON with the forms of its kind', () => {
    expect(stored('kind: Template\nspec: {kind: Schedule, spec: {interval: 2h}}')).toEqual({
      template: { kind: 'Schedule', specJson: '{"intervalSeconds":7200}' },
    });
  });

  it('keeps a custom kind as it is', () => {
    expect(stored('apiVersion: shop/v1\nkind: Widget\nspec: {size: 2}')).toEqual({ raw: { json: '{"size":2}' } });
  });

  it('says the version that it changes, and refuses what no message holds', () => {
    expect(manifestOf({ kind: 'Agent', metadata: { name: 'a' } }, '41').metadata?.resourceVersion).toBe('41');
    expect(() => stored('kind: Agent\nspec: {prompt: hi}')).toThrow('prompt');
  });

  it('gives back what was read', async () => {
    expect(stored(await writtenYamlOf(workflow))).toEqual({ workflow: { inputSchemaJson: '{"type":"object"}' } });
  });
});

describe('readWritten', () => {
  const text = [
    'kind: Workflow',
    'metadata:',
    '  labels:',
    '    a.b/c: x',
    'spec:',
    '  input_schema: {}',
    '  steps:',
    '    - id: one',
    '    - id: two',
    '      when: {}',
    '',
  ].join('\n');

  it.each([
    ['kind', 1],
    ['metadata.labels[a.b/c]', 4],
    ['spec.inputSchemaJson', 6],
    ['spec.steps[1].id', 9],
    ['spec.steps[1].whenJson', 10],
    ['spec.steps[1].missing.deep', 9],
    ['spec.missing', 5],
    ['', 1],
  ])('finds %s at line %i', (field, line) => {
    expect(readWritten(text).lineOf(field)).toBe(line);
  });

  it('says where a text is no YAML, and when it is no object', () => {
    expect(readWritten('kind: Agent\nspec: [1').problems).toMatchObject([{ line: 2 }]);
    expect(readWritten('- a').problems).toEqual([
      { line: 1, text: 'One object with kind, metadata and spec is expected.' },
    ]);
    expect(readWritten('').json).toBeUndefined();
  });
});
