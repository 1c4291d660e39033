import { type DescEnum, ScalarType, toJson } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonMap, parseJsonMap } from '../canonical-json.ts';
import { kindRow, kinds } from '../kinds.ts';
import { messageFromMap } from '../resource-codec.ts';
import { canonicalDocument, type ManifestDocument, parseManifests } from './index.ts';
import { readEnum, scalarReaders } from './scalar-nodes.ts';

const parse = (text: string) => parseManifests(text, { namespace: 'default' });
/** `line:column field: description (REASON)` of every finding. */
const findings = (text: string): string[] =>
  parse(text).findings.map(
    ({ line, column, field, description, reason }) => `${line}:${column} ${field}: ${description} (${reason})`,
  );
const only = (text: string): ManifestDocument => {
  expect(findings(text)).toEqual([]);
  const [document] = parse(text).documents;
  if (document === undefined) throw new Error('no document');
  return document;
};
const specOf = (text: string): unknown => {
  const { resource } = only(text);
  return resource?.row === undefined ? resource?.spec : toJson(resource.row.spec, resource.spec as never);
};
const manifest = (kind: string, spec: string, metadata = '{name: x}'): string =>
  `kind: ${kind}\nmetadata: ${metadata}\nspec: ${spec}\n`;

it('findings are whole text, whatever was written', () => {
  const long = 'x'.repeat(79);
  const text = `kind: "\\uD800"\nmetadata: {name: "\\uD800", namespace: "\\uD800"}\nspec: {"${long}😀": 1, "${long}😀": 2}\n`;
  const { documents, findings: found } = parse(`${text}---\n${manifest('Channel', `{"${long}😀": 1}`)}`);
  expect(found.length).toBeGreaterThan(2);
  for (const { field, description } of found) expect(`${field} ${description}`.isWellFormed()).toBe(true);
  for (const { kind, namespace, name } of documents) expect(`${kind} ${namespace} ${name}`.isWellFormed()).toBe(true);
});

describe('manifests are refused with place, path and reason:', () => {
  it.each<readonly [string, string]>([
    [manifest('Channel', '{titel: x}'), '3:8 spec.titel: unknown field, did you mean title (FIELD_UNKNOWN)'],
    [manifest('Channel', '{quux: x}'), '3:8 spec.quux: unknown field (FIELD_UNKNOWN)'],
    [manifest('Channel', '{title: 3}'), '3:15 spec.title: must be text (put it in quotes) (FIELD_INVALID)'],
    [manifest('Channel', '{title: [a]}'), '3:15 spec.title: must be a single value (FIELD_INVALID)'],
    [manifest('Channel', '{title: "\\uD800"}'), '3:15 spec.title: holds half a character (FIELD_INVALID)'],
    [manifest('Channel', '{metadata: [a]}'), '3:18 spec.metadata: must be a map (FIELD_INVALID)'],
    [
      manifest('Channel', '{metadata: {a: 1}}'),
      '3:22 spec.metadata[a]: must be text (put it in quotes) (FIELD_INVALID)',
    ],
    [manifest('Channel', '{metadata: {__proto__: a}}'), '3:30 spec.metadata[__proto__]: is not a name (FIELD_INVALID)'],
    [
      manifest('Channel', '{title: a, title: b, titel: c}'),
      '3:18 spec.title: title is given twice (DUPLICATE_KEY)|3:28 spec.titel: unknown field, did you mean title (FIELD_UNKNOWN)',
    ],
    [
      manifest('Channel', '{}', '{name: x, labels: {a.b/c: d, a.b/c: e}}'),
      '2:40 metadata.labels[a.b/c]: a.b/c is given twice (DUPLICATE_KEY)',
    ],
    [`${manifest('Channel', '{}')}kind: Skill\n`, '4:1 kind: kind is given twice (DUPLICATE_KEY)'],
    [
      `[{"kind":"Channel","metadata":{"name":"x"}},{"kind":"Workflow","metadata":{"name":"x"},"spec":{"steps":[{"id":"a","id":"b"}]}}]`,
      '1:115 spec.steps[0].id: id is given twice (DUPLICATE_KEY)',
    ],
    [
      manifest('McpServer', '{authBroker: {}, auth_broker: {}}'),
      '3:24 spec.authBroker: given twice, as auth_broker too (DUPLICATE_FIELD)',
    ],
    [
      manifest('Workflow', '{steps: [{id: a, when: true, whenJson: "1"}]}'),
      '3:36 spec.steps[0].whenJson: given twice, as whenJson too (DUPLICATE_FIELD)',
    ],
    [manifest('Workflow', '{steps: {a: b}}'), '3:15 spec.steps: must be a list (FIELD_INVALID)'],
    [manifest('Workflow', '{steps: [a]}'), '3:16 spec.steps[0]: must be a map (FIELD_INVALID)'],
    [
      manifest('Workflow', '{concurrency: -1}'),
      '3:21 spec.concurrency: must be between 0 and 4294967295 (FIELD_INVALID)',
    ],
    [manifest('Workflow', '{concurrency: 1.5}'), '3:21 spec.concurrency: must be an integer (FIELD_INVALID)'],
    [
      manifest('Workflow', '{steps: [{retry: {multiplier: .inf}}]}'),
      '3:37 spec.steps[0].retry.multiplier: is out of range (FIELD_INVALID)',
    ],
    [
      manifest('Workflow', '{steps: [{retry: {multiplier: .nan}}]}'),
      '3:37 spec.steps[0].retry.multiplier: must be a number (FIELD_INVALID)',
    ],
    [
      manifest('Workflow', '{steps: [{retry: {multiplier: x, initialBackoffSeconds: 9223372036854775808}}]}'),
      '3:37 spec.steps[0].retry.multiplier: must be a number (FIELD_INVALID)|3:63 spec.steps[0].retry.initialBackoffSeconds: must be between -9223372036854775808 and 9223372036854775807 (FIELD_INVALID)',
    ],
    [manifest('Schedule', '{enabled: "yes"}'), '3:17 spec.enabled: must be true or false (FIELD_INVALID)'],
    [
      manifest('Schedule', '{interval: 5q}'),
      '3:18 spec.intervalSeconds: must be whole seconds, such as 30s, 5m or 2h (FIELD_INVALID)',
    ],
    [
      manifest('Schedule', '{interval: 9999999999d}'),
      '3:18 spec.intervalSeconds: must be between 0 and 4294967295 (FIELD_INVALID)',
    ],
    [manifest('Connector', '{classRef: "\\uD800"}'), '3:18 spec.classRef: holds half a character (FIELD_INVALID)'],
    [
      manifest('Channel', '{metadata: {"\\uD800": a}}'),
      '3:29 spec.metadata[\uFFFD]: has half a character in its name (FIELD_INVALID)',
    ],
    [manifest('Schedule', '{interval: [1]}'), '3:18 spec.intervalSeconds: must be a single value (FIELD_INVALID)'],
    [manifest('Schedule', '{inputJson: 7}'), '3:19 spec.inputJson: must be text (put it in quotes) (FIELD_INVALID)'],
    [
      manifest('File', '{purpose: memories}'),
      '3:17 spec.purpose: must be one of unspecified, memory, artifact, skill (FIELD_INVALID)',
    ],
    [
      manifest('File', '{purpose: 9}'),
      '3:17 spec.purpose: must be one of unspecified, memory, artifact, skill (FIELD_INVALID)',
    ],
    [
      manifest('Connector', '{classRef: 7}'),
      '3:18 spec.classRef: must be {name, namespace} or "namespace/name" (FIELD_INVALID)',
    ],
    [manifest('Agent', '{capabilities: {a: b}}'), '3:26 spec.capabilities[a]: must be a list (FIELD_INVALID)'],
    [manifest('SandboxPolicy', '{quota: {image: x}}'), '3:8 spec.quota: unknown field (FIELD_UNKNOWN)'],
    [manifest('Channel', '[a]'), '3:7 spec: must be a map (FIELD_INVALID)'],
    [manifest('Channel', '{}', '{name: 3}'), '2:18 metadata.name: must be text (put it in quotes) (FIELD_INVALID)'],
    [manifest('Channel', '{}', '{}'), '2:1 metadata.name: is required (FIELD_INVALID)'],
    [
      manifest('Channel', '{}', '[]'),
      '2:1 metadata.name: is required (FIELD_INVALID)|2:11 metadata: must be a map (FIELD_INVALID)',
    ],
    [manifest('Channel', '{}', '{name: x, uid: u}'), '2:21 metadata.uid: is written by the system (SERVER_OWNED)'],
    [
      manifest('Channel', '{}', '{name: x, generation: 3, deletion_timestamp: 5}'),
      '2:21 metadata.generation: is written by the system (SERVER_OWNED)|2:36 metadata.deletionTimestamp: is written by the system (SERVER_OWNED)',
    ],
    [`${manifest('Channel', '{}')}status: {}`, '4:1 status: is written by the system (STATUS_NOT_ALLOWED)'],
    [`${manifest('Channel', '{}')}specs: {}`, '4:1 specs: unknown field, did you mean spec (FIELD_UNKNOWN)'],
    [`${manifest('Channel', '{}')}apiVersion: v1\napi_version: v1`, '5:1 apiVersion: given twice (DUPLICATE_FIELD)'],
    [manifest('Chanel', '{}'), '1:7 kind: unknown kind "Chanel", did you mean Channel (UNKNOWN_KIND)'],
    [manifest('Zzzzzzzzz', '{}'), '1:7 kind: unknown kind "Zzzzzzzzz" (UNKNOWN_KIND)'],
    [manifest('Worker', '{}'), '1:7 kind: a Worker cannot be in a manifest (NOT_AUTHORABLE)'],
    [manifest('Session', '{}'), '1:7 kind: a Session cannot be in a manifest (NOT_AUTHORABLE)'],
    [manifest('DeploymentReplica', '{}'), '1:7 kind: a DeploymentReplica cannot be in a manifest (NOT_AUTHORABLE)'],
    ['metadata: {name: x}', '1:1 kind: is required (FIELD_INVALID)'],
    ['kind: 3\nmetadata: {name: x}', '1:7 kind: must be text (FIELD_INVALID)'],
    [
      `apiVersion: nonsense\n${manifest('Channel', '{}')}`,
      '1:13 apiVersion: must be svc/v1 or group/version (API_VERSION)',
    ],
    [`apiVersion: 1\n${manifest('Channel', '{}')}`, '1:13 apiVersion: must be svc/v1 or group/version (API_VERSION)'],
    [`apiVersion: [x]\n${manifest('Channel', '{}')}`, '1:13 apiVersion: must be svc/v1 or group/version (API_VERSION)'],
    [`apiVersion: a.b/v1\n${manifest('Channel', '{}')}`, '1:13 apiVersion: Channel is a kind of svc/v1 (API_VERSION)'],
    [`apiVersion: a.b/v1\n${manifest('a-b', '{}')}`, '2:7 kind: must be 1-63 letters and digits (FIELD_INVALID)'],
    [`apiVersion: a.b/v1\n${manifest('Widget', '[]')}`, '4:7 spec: must be a map (FIELD_INVALID)'],
    [
      manifest('AgentTemplate', '{}', '{name: x, namespace: default}'),
      '2:21 metadata.namespace: an AgentTemplate lives in system (NAMESPACE_MISMATCH)',
    ],
    [
      manifest('Namespace', '{}', '{name: x, namespace: y}'),
      '2:21 metadata.namespace: of a Namespace is empty (FIELD_INVALID)',
    ],
    ['just text', '1:1 : a document must be a map with apiVersion, kind, metadata and spec (FIELD_INVALID)'],
    ['a: [b', '1:6 : Flow sequence in block collection must be sufficiently indented and end with a ] (SYNTAX)'],
    [
      manifest('Channel', '{title: !mine x}'),
      '3:21 spec.title: tags are not read: quote a text that begins with ! (TAG)',
    ],
    [
      manifest('Channel', '{title: !!binary aGk=}'),
      '3:24 spec.title: tags are not read: quote a text that begins with ! (TAG)',
    ],
    [
      `!mine [${JSON.stringify({ kind: 'Channel', metadata: { name: 'x' } })}]`,
      '1:7 : tags are not read: quote a text that begins with ! (TAG)',
    ],
    [
      manifest('Channel', '{title: *b}'),
      '3:15 spec.title: there is no such anchor before this: quote a text that begins with * (ALIAS)',
    ],
    [
      manifest('Skill', '&a {description: *a}'),
      '3:24 spec.description: there is no such anchor before this: quote a text that begins with * (ALIAS)',
    ],
    [
      manifest('Channel', '{title: {{ name }}, titel: x}'),
      '3:15 spec.title: {{ reads as a map here: put the text in quotes (SYNTAX)|3:27 spec.titel: unknown field, did you mean title (FIELD_UNKNOWN)',
    ],
    [manifest('Channel', '{? [a] : b}'), '3:10 spec: a name must be text (SYNTAX)'],
    [`a: ${'['.repeat(200)}`, '1:1 : nested deeper than 100 (SYNTAX)'],
    [
      `${manifest('Channel', '{}')}---\n${manifest('Channel', '{}')}`,
      '6:12 metadata.name: Channel/default/x is in an earlier document too (DUPLICATE_DOCUMENT)',
    ],
  ])('%s', (text, expected) => {
    expect(findings(text)).toEqual(expected.split('|'));
    expect(parse(text).documents.filter(({ resource }) => resource !== undefined).length).toBeLessThanOrEqual(2);
  });

  it('all findings of all documents at once', () => {
    const text = [manifest('Channel', '{a: 1, b: 2}'), 'kind: X\n', manifest('Skill', '{c: 3}')].join('---\n');
    expect(parse(text).findings.map(({ document, field }) => `${document} ${field}`)).toEqual([
      '0 spec.a',
      '0 spec.b',
      '1 kind',
      '2 spec.c',
    ]);
  });

  it('documents beyond the limits', () => {
    expect(findings('a: 1\n---\n'.repeat(5_001)).at(-1)).toContain('more than 5000 documents (TOO_MANY_DOCUMENTS)');
    const list = JSON.stringify(Array.from({ length: 5_001 }, () => 1));
    expect(findings(list).at(-1)).toContain('TOO_MANY_DOCUMENTS');
    expect(findings(`a: "${'x'.repeat(1024 * 1024)}"`)).toEqual(['1:1 : larger than 1048576 bytes (TOO_LARGE)']);
    const tens = (name: string, of: string): string =>
      `${name}: &${name} [${Array.from({ length: 10 }, () => `*${of}`)}]`;
    const bomb = ['a: &a [1,2,3,4,5,6,7,8,9,10]', tens('b', 'a'), tens('c', 'b'), tens('d', 'c'), tens('e', 'd')].join(
      '\n',
    );
    const aliases = findings(bomb).filter((finding) => finding.includes('ALIAS'));
    expect(aliases).toEqual([expect.stringMatching(/aliases add more than 10000 nodes \(ALIAS\)$/)]);
  });
});

describe('manifests are read', () => {
  it('as YAML or JSON, one or many, with empty documents passed over', () => {
    const text = `---\n# nothing\n---\n${manifest('Channel', '{}')}---\nnull\n---\n${manifest('Skill', '{}')}...\n`;
    expect(parse(text).documents.map(({ kind, index }) => `${index} ${kind}`)).toEqual(['0 Channel', '1 Skill']);
    const objects = ['a', 'b'].map((name) => ({ apiVersion: 'svc/v1', kind: 'Channel', metadata: { name } }));
    const json = JSON.stringify(objects, undefined, '\t');
    expect(parse(json).documents.map(({ resource }) => resource?.key.name)).toEqual(['a', 'b']);
    expect(parse('').documents).toEqual([]);
  });

  it('with namespaces from the document, the call, or the kind', () => {
    const at = (text: string): string => only(text).resource?.key.namespace ?? '-';
    expect(at(manifest('Channel', '{}', '{name: x, namespace: "a:b"}'))).toBe('a:b');
    expect(at(manifest('Channel', '{}'))).toBe('default');
    expect(at(manifest('Namespace', '{}'))).toBe('');
    expect(at(manifest('AgentTemplate', '{}'))).toBe('system');
  });

  it('with aliases, quoted and numeric names, and null as absent', () => {
    const text =
      'kind: Channel\nmetadata: {name: &n x, labels: {1: a, "b": *n}}\nspec: {title: null, metadata: {a: "1"}}\n';
    expect(only(text).resource?.said).toEqual({
      metadata: { labels: { 1: 'a', b: 'x' }, annotations: {} },
      spec: { metadata: { a: '1' } },
    });
  });

  it('so that explicit defaults are told apart from what is not said', () => {
    const { resource } = only(manifest('McpServer', '{disabled: false, headers: {}, args: []}'));
    expect(resource?.said['spec']).toEqual({ disabled: null, headers: {}, args: null });
  });

  it('as custom kinds under their own version', () => {
    const { resource } = only(`apiVersion: a.b/v1\n${manifest('Widget', '{b: 1, a: [9007199254740993, .inf, 2.5]}')}`);
    expect(resource?.spec).toMatchObject({ json: '{"a":["9007199254740993","Infinity",2.5],"b":1}' });
    expect(resource?.apiVersion).toBe('a.b/v1');
    expect(only('apiVersion: a.b/v1\nkind: Widget\nmetadata: {name: x}').resource?.spec).toMatchObject({ json: '{}' });
  });

  it('knows where fields stand, also of faults that others find', () => {
    const { report } = only(
      'kind: Workflow\nmetadata: {name: x, labels: {"a/b": c}}\nspec:\n  steps:\n    - id: a\n    - id: b\n',
    );
    expect(report.positionOf('spec.steps[1].id')).toEqual({ line: 6, column: 7 });
    expect(report.positionOf('spec.steps[1].agent')).toEqual({ line: 6, column: 7 });
    expect(report.positionOf('spec.nothing.at.all')).toEqual({ line: 3, column: 1 });
    expect(report.positionOf('metadata.labels["a/b"]')).toEqual({ line: 2, column: 30 });
    expect(report.positionOf('elsewhere')).toEqual({ line: 1, column: 1 });
  });
});

/** What manifests may write, and the stored form of it. */
const FORMS: readonly (readonly [string, string, string])[] = [
  ['Template', '{kind: Skill, spec: {b: 1, a: "x"}}', '{kind: Skill, specJson: \'{"a":"x","b":1}\'}'],
  ['Template', '{kind: Skill, specJson: \'{"b":1, "a":"x"}\'}', '{kind: Skill, spec_json: {a: x, b: 1}}'],
  ['McpServerBinding', '{server: s}', '{serverRef: s}'],
  [
    'File',
    '{purpose: memory, indexPolicy: retrieval, retention: 2}',
    '{purpose: FILE_PURPOSE_MEMORY, index_policy: FILE_INDEX_POLICY_RETRIEVAL, retention: SESSION}',
  ],
  ['Secret', '{stringData: {a: "hé"}}', '{data: {a: aMOp}}'],
  ['Secret', '{data: {a: eA==, b: eQ==}, stringData: {a: z}}', '{data: {a: eg==, b: eQ==}}'],
  ['Schedule', '{interval: 5m, input: {b: [1], a: null}}', '{intervalSeconds: 300, inputJson: \'{"a":null,"b":[1]}\'}'],
  ['Schedule', '{interval: 300}', '{interval_seconds: "300"}'],
  ['Schedule', '{interval: "300"}', '{interval_seconds: 300}'],
  [
    'Workflow',
    '{inputSchema: {type: object}, outputSchema: true, output: x, steps: [{id: a, when: {eq: [1, 2]}, input: {a: 1}, resumeSchema: {}, duration: 5m, until: x, output: {schema: {}}}]}',
    '{inputSchemaJson: \'{"type":"object"}\', outputSchemaJson: "true", outputJson: \'"x"\', steps: [{id: a, whenJson: \'{"eq":[1,2]}\', inputJson: \'{"a":1}\', resumeSchemaJson: "{}", waitDuration: 5m, waitUntil: x, output: {schemaJson: "{}"}}]}',
  ],
  [
    'Connector',
    '{classRef: ns/c, consumer: {session: {agent: a}}}',
    '{classRef: {name: c, namespace: ns}, consumer: {session: {agent: {name: a}}}}',
  ],
  [
    'SandboxClass',
    '{providerConfig: {b: 1, a: 2}, credentials: {}}',
    '{providerConfigJson: \'{"a":2,"b":1}\', credentialsJson: "{}"}',
  ],
  [
    'SandboxPolicy',
    '{classRef: c, quota: {maxConcurrent: 3}, template: {spec: {image: i}}}',
    '{classRef: {name: c}, maxConcurrent: 3, template: {image: i}}',
  ],
  ['Sandbox', '{template: {spec: {image: i}}}', '{runtimeTemplate: {image: i}}'],
  [
    'Deployment',
    '{selector: {parent: p, matchLabels: {a: b}}}',
    '{placement: {namespaceSelector: {parent: p, match_labels: {a: b}}}}',
  ],
  [
    'Agent',
    '{modelPolicy: {profiles: [{model: {temperature: "0.5", thinking: {budgetTokens: "7"}}}]}}',
    '{model_policy: {profiles: [{model: {temperature: 0.5, thinking: {budget_tokens: 7}}}]}}',
  ],
];

describe('conveniences equal the stored form:', () => {
  it.each(FORMS)('%s %s', (kind, short, full) => {
    expect(specOf(manifest(kind, short))).toEqual(specOf(manifest(kind, full)));
    expect(only(manifest(kind, short)).resource?.said).toEqual(only(manifest(kind, full)).resource?.said);
  });

  it.each(FORMS.filter(([kind]) => kind !== 'Template' && kind !== 'Secret'))(
    'inside a Template of kind %s %s',
    (kind, short, full) => {
      const template = (spec: string) => only(manifest('Template', `{kind: ${kind}, spec: ${spec}}`)).resource;
      const [shortSpec, fullSpec] = [template(short), template(full)].map((found) => found?.said['spec'] as JsonMap);
      const plain = (spec: JsonMap | undefined) =>
        messageFromMap(kindRow(kind).spec, parseJsonMap(String(spec?.['specJson'])) ?? {});
      expect(plain(shortSpec)).toEqual(plain(fullSpec));
      expect(plain(shortSpec)).toEqual(only(manifest(kind, full)).resource?.spec);
    },
  );

  it('what is wrong inside a Template, or hangs on an expression, is left to the checks of the template', () => {
    const inside = (kind: string, spec: string): unknown => {
      const said = only(manifest('Template', `{kind: ${kind}, spec: ${spec}}`)).resource?.said['spec'] as JsonMap;
      return JSON.parse(String(said['specJson']));
    };
    const open = '"{{ namespace.labels.x }}"';
    expect(inside('Schedule', `{interval: ${open}, input: {a: ${open}}, nonsense: 1, target: null}`)).toEqual({
      ...{ interval: '{{ namespace.labels.x }}', inputJson: '{"a":"{{ namespace.labels.x }}"}' },
      ...{ nonsense: 1, target: null },
    });
    expect(inside('Schedule', '{input: 1, inputJson: "2", interval: 1m30, interval_seconds: 5}')).toEqual({
      ...{ input: '1', inputJson: '2', interval: '1m30', intervalSeconds: 5 },
    });
    expect(inside('Connector', `{classRef: ${open}, consumer: [], matchFields: 3}`)).toEqual({
      ...{ classRef: '{{ namespace.labels.x }}', consumer: [], matchFields: 3 },
    });
    expect(inside('SandboxPolicy', '{quota: {maxConcurrent: 1, other: 2}, template: {spec: 4}}')).toEqual({
      ...{ quota: { maxConcurrent: 1, other: 2 }, template: { spec: 4 } },
    });
    expect(inside('File', '{purpose: nothing, retention: 2, indexPolicy: retrieval}')).toEqual({
      ...{ purpose: 'nothing', retention: 2, indexPolicy: 'FILE_INDEX_POLICY_RETRIEVAL' },
    });
    for (const spec of ['{spec: {a: 1}}', '{kind: Skill}', '{kind: Skill, specJson: "no JSON"}'])
      expect(only(manifest('Template', spec)).report.findings).toEqual([]);
    expect(inside('Workflow', '{steps: 3, description: [1]}')).toEqual({ steps: 3, description: [1] });
    expect(inside('McpServerBinding', '{server: a, mcpServer: b}')).toEqual({ server: 'a', serverRef: 'b' });
    expect(inside('Schedule', '{input_json: {b: 1, a: 2}}')).toEqual({ inputJson: '{"a":2,"b":1}' });
    expect(inside('Nothing', '{interval: 5m}')).toEqual({ interval: '5m' });
    expect(inside('Task', '{title: a, delegate: b/c}')).toEqual({
      title: 'a',
      delegate: { namespace: 'b', name: 'c' },
    });
  });

  it('names that follow from the spec', () => {
    expect(only('kind: Knowledge\nspec: {path: a/b}').resource?.key.name).toBe('a/b');
    expect(only('kind: Knowledge\nspec: {path: //a/b.md/}').resource?.key.name).toBe('a/b.md');
    expect(only(manifest('Knowledge', '{path: a/b}')).resource?.key.name).toBe('x');
    expect(only('kind: File\nspec: {path: /a/b.md}').resource?.key.name).toMatch(/^a-b-md-[0-9a-f]{12}$/);
    expect(findings('kind: File\nspec: {}')).toEqual(['1:1 metadata.name: is required (FIELD_INVALID)']);
    const byName = only(manifest('ChannelSubscription', '{agent: a}', '{name: room/s}')).resource;
    const bySpec = only(manifest('ChannelSubscription', '{agent: a, channel: room}', '{name: s}')).resource;
    expect([byName?.key, byName?.said['spec']]).toEqual([bySpec?.key, bySpec?.said['spec']]);
    expect(byName?.key).toMatchObject({ parent: 'room', name: 's' });
  });

  it('an AgentTemplate is a Template of kind Agent in system', () => {
    const short = only(manifest('AgentTemplate', '{systemPrompt: p}')).resource;
    const full = only(
      manifest('Template', '{kind: Agent, spec: {systemPrompt: p}}', '{name: x, namespace: system}'),
    ).resource;
    expect([short?.key, short?.said]).toEqual([full?.key, full?.said]);
  });
});

describe('single values', () => {
  it('of bytes are base64, and enums without a shared start have their own names', () => {
    expect(scalarReaders[ScalarType.BYTES]('aGk=')).toEqual({ json: 'aGk=' });
    expect(scalarReaders[ScalarType.BYTES]('?')).toEqual({ fault: 'must be base64' });
    const desc = { values: [{ name: 'ONE', number: 1 }] } as unknown as DescEnum;
    expect(readEnum(desc, 'one')).toEqual({ json: 'ONE' });
  });
});

it('a resource in stored form names only what it has', () => {
  const full =
    'kind: Channel\nmetadata: {name: x, labels: {a: b}, annotations: {c: d}, ownerReferences: [{kind: Agent, name: a, uid: u}], finalizers: [e.f/g], resourceVersion: "7"}\nspec: {title: t}\n';
  const resource = only(full).resource;
  expect(resource === undefined ? {} : canonicalDocument(resource)).toEqual({
    apiVersion: 'svc/v1',
    kind: 'Channel',
    metadata: {
      ...{ name: 'x', namespace: 'default', labels: { a: 'b' }, annotations: { c: 'd' }, resourceVersion: '7' },
      ...{ ownerReferences: [{ kind: 'Agent', name: 'a', uid: 'u' }], finalizers: ['e.f/g'] },
    },
    spec: { title: 't' },
  });
  const custom = only('apiVersion: a.b/v1\nkind: W\nmetadata: {name: x}\nspec: {a: 1}').resource;
  expect(custom === undefined ? {} : canonicalDocument(custom)).toMatchObject({ apiVersion: 'a.b/v1', spec: { a: 1 } });
  const namespace = only('kind: Namespace\nmetadata: {name: x}').resource;
  expect(namespace === undefined ? {} : canonicalDocument(namespace)).toMatchObject({ metadata: { name: 'x' } });
});

describe('whatever comes in', () => {
  const word = fc.constantFrom(
    'kind',
    'metadata',
    'spec',
    'name',
    'Agent',
    'steps',
    'a',
    '',
    '{{ x }}',
    '__proto__',
    '- ',
    '\t',
    '&a',
    '*a',
    '!x',
  );
  const scalar = fc.oneof(
    word,
    fc.string({ maxLength: 12 }),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.bigInt().map(String),
  );
  const value = fc.letrec<{ readonly node: unknown }>((tie) => ({
    node: fc.oneof(
      { depthSize: 'small' },
      scalar,
      fc.array(tie('node'), { maxLength: 4 }),
      fc.dictionary(word, tie('node'), { maxKeys: 4 }),
    ),
  })).node;
  const isPlaced = (text: string): boolean =>
    parse(text).findings.every(
      ({ line, column, reason, description }) => line > 0 && column > 0 && reason !== '' && description !== '',
    );

  it('a finding has its place, and nothing throws: random texts', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            word,
            fc.string({ maxLength: 8 }),
            fc.constantFrom('\n', ': ', '  ', '---\n', '[', ']', '{', '}', '"', "'"),
          ),
          { maxLength: 40 },
        ),
        (parts) => isPlaced(parts.join('')),
      ),
      { numRuns: 2_000 },
    );
  });

  it('a wrong spec of any kind is refused with a path or read', () => {
    const authorable = kinds.filter((row) => row.authorable);
    fc.assert(
      fc.property(fc.constantFrom(...authorable), fc.record({ field: fc.nat(30), value }), (row, given) => {
        const field = row.spec.fields[given.field % row.spec.fields.length];
        const spec = { [field?.jsonName ?? 'x']: given.value };
        const text = JSON.stringify({ kind: row.kind, metadata: { name: 'x' }, spec });
        const { documents, findings: found } = parse(text);
        const isRead = documents.some(({ resource }) => resource !== undefined);
        return isPlaced(text) && isRead === (found.length === 0);
      }),
      { numRuns: 4_000 },
    );
  });

  it('a mutated manifest is never read in half', () => {
    const good = `${manifest('Agent', '{systemPrompt: hello, mcpServerRefs: [a, b], modelPolicy: {profiles: [{name: default}]}}')}---\n${manifest('Workflow', '{steps: [{id: a, agent: b, when: {eq: [1, 2]}}]}')}`;
    fc.assert(
      fc.property(fc.nat(good.length), fc.nat(3), fc.string({ maxLength: 3 }), (at, cut, text) => {
        const { documents, findings: found } = parse(good.slice(0, at) + text + good.slice(at + cut));
        for (const { index, resource } of documents)
          if (
            resource !== undefined &&
            found.some((finding) => finding.document === index && finding.reason !== 'DUPLICATE_DOCUMENT')
          )
            return false;
        return true;
      }),
      { numRuns: 4_000 },
    );
  });
});
