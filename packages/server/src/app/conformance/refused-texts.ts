import type { JsonObject } from '@bufbuild/protobuf';
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, stringify } from 'yaml';
import type { Random } from '../../base/index.ts';
import { leastSpecs } from './spec-words.ts';
import type { WrongValue } from './wrong-values.ts';

/** One item by chance. */
export const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random.next() * list.length)] as T;

/** Merged: maps are joined, everything else is replaced. */
const laidOver = (base: unknown, over: unknown): unknown => {
  const isMapped = (value: unknown): value is JsonObject =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isMapped(base) || !isMapped(over)) return over;
  const joined = Object.entries(over).map(([name, value]) => [name, laidOver(base[name], value)]);
  return { ...base, ...Object.fromEntries(joined) };
};

const documentOf = (kind: string): JsonObject => ({
  apiVersion: 'svc/v1',
  kind,
  metadata: { name: 'refused', labels: { a: 'b' } },
  spec: (leastSpecs[kind] ?? {}) as JsonObject,
});

/** Line of the member or item that a path names, both its own and that of its value. */
export const linesOf = (text: string, path: string): readonly number[] => {
  const counter = new LineCounter();
  let node = parseDocument(text, { lineCounter: counter, uniqueKeys: false }).contents as Node | null;
  const lines: number[] = [];
  const note = (found: Node | null | undefined): void => {
    const [offset] = found?.range ?? [];
    if (offset !== undefined) lines.push(counter.linePos(offset).line);
  };
  for (const part of path.replaceAll(']', '').split(/[.[]/)) {
    lines.length = 0;
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && item.key.value === part);
      note(pair?.key as Node | undefined);
      node = (pair?.value ?? null) as Node | null;
    } else if (isSeq(node)) node = (node.items[Number(part)] ?? null) as Node | null;
    note(node);
  }
  return lines;
};

/** The ways to write one document down. */
const writers: readonly ((document: JsonObject) => string)[] = [
  (document) => stringify(document),
  (document) => JSON.stringify(document, null, 1),
  (document) => stringify(document, { defaultKeyType: 'QUOTE_DOUBLE', defaultStringType: 'QUOTE_SINGLE' }),
];

/** Comes with what is refused: it must never come into being. */
export const INNOCENT = 'kind: Skill\nmetadata: {name: innocent}\nspec: {description: d, instructions: i}\n';

/** A text that must be refused. */
export interface RefusedText {
  readonly text: string;
  /** The field that must be named, where one is known. */
  readonly path?: string;
  readonly reason?: string;
}

/** A document of the kind with one field that cannot be. */
export const byField = (random: Random, wrong: WrongValue, kind: string): RefusedText => ({
  text: pick(random, writers)(laidOver(documentOf(kind), wrong.json) as JsonObject),
  path: wrong.path,
});

/** Faults of a whole document: its version, kind, names, and what only the system may say. */
export const wholeDocuments = (kind: string): readonly RefusedText[] => {
  const document = documentOf(kind);
  const meta = document['metadata'] as JsonObject;
  const of = (change: JsonObject, path: string, reason?: string): RefusedText => ({
    text: stringify({ ...document, ...change }),
    path,
    ...(reason === undefined ? {} : { reason }),
  });
  const metadata = (more: JsonObject, path: string, reason?: string) =>
    of({ metadata: { ...meta, ...more } }, path, reason);
  // Their names follow from their paths.
  const isNamedByPath = kind === 'Knowledge' || kind === 'File';
  const unnamed = isNamedByPath ? [] : [of({ metadata: {} }, 'metadata.name')];
  return [
    of({ apiVersion: 'svc/v9' }, 'apiVersion', 'API_VERSION'),
    of({ apiVersion: 'example.org/v1' }, 'apiVersion', 'API_VERSION'),
    of({ kind: `${kind}s` }, 'kind', 'UNKNOWN_KIND'),
    of({ kind: kind.toLowerCase() }, 'kind', 'UNKNOWN_KIND'),
    of({ status: {} }, 'status', 'STATUS_NOT_ALLOWED'),
    of({ extra: 1 }, 'extra', 'FIELD_UNKNOWN'),
    of({ spec: [] }, 'spec'),
    metadata({ uid: 'x' }, 'metadata.uid', 'SERVER_OWNED'),
    metadata({ generation: 2 }, 'metadata.generation', 'SERVER_OWNED'),
    metadata({ name: ' x y ' }, 'metadata.name'),
    metadata({ name: '..' }, 'metadata.name'),
    metadata({ labels: { '-': 'x' } }, 'metadata.labels'),
    metadata({ labels: { 'svc/x': 'x' } }, 'metadata.labels'),
    metadata({ annotations: { 'option.svc/nonsense': 'x' } }, 'metadata.annotations'),
    metadata({ finalizers: ['nonsense'] }, 'metadata.finalizers'),
    metadata(
      { ownerReferences: [{ kind: 'Agent', name: 'x', namespace: 'elsewhere', uid: 'x' }] },
      'metadata.ownerReferences',
    ),
    ...unnamed,
  ];
};

/** What the rules of the kinds refuse: missing, out of range, pointing nowhere. */
const RULES: readonly (readonly [kind: string, spec: JsonObject, path: string])[] = [
  ['Agent', { modelPolicy: { profiles: [{ name: 'a' }] } }, 'spec.modelPolicy.profiles[0].model.name'],
  [
    'Agent',
    { modelPolicy: { profiles: [{ model: { name: 'x', temperature: 3 } }] } },
    'spec.modelPolicy.profiles[0].model.temperature',
  ],
  ['Agent', { mcpServerRefs: ['a', 'a'] }, 'spec.mcpServerRefs[1]'],
  ['Agent', { systemPrompt: '{{ nonsense }}' }, 'spec.systemPrompt'],
  ['Agent', { runtime: { kind: 'acp' } }, 'spec.runtime.acp'],
  ['Template', { kind: 'Session', spec: {} }, 'spec.kind'],
  ['Template', { kind: 'Skill', spec: { nonsense: 1 } }, 'spec.specJson'],
  ['McpServer', { transport: 'pigeon', target: 'x' }, 'spec.transport'],
  ['McpServer', { transport: 'http' }, 'spec.target'],
  ['McpServerBinding', { serverRef: 'nowhere' }, 'spec.serverRef'],
  ['Knowledge', { path: '../x', content: 'x' }, 'spec.path'],
  ['Channel', { title: 'x'.repeat(257) }, 'spec.title'],
  ['ChannelSubscription', { channel: 'nowhere', agent: 'missing' }, 'spec.channel'],
  ['ChannelSubscription', { channel: 'room', agent: 'missing' }, 'spec.agent'],
  ['ChannelSubscription', { channel: 'room', agent: 'helper', trigger: 'always' }, 'spec.trigger'],
  ['Schedule', { kind: 'cron', cron: 'never', target: { agent: 'x' } }, 'spec.cron'],
  ['Schedule', { intervalSeconds: 60 }, 'spec.target'],
  ['Schedule', { intervalSeconds: 60, target: { agent: 'x' }, timezone: 'Moon/Base' }, 'spec.timezone'],
  ['ConnectorClass', { runtime: {} }, 'spec.runtime.endpoint'],
  ['Connector', { classRef: {} }, 'spec.classRef.name'],
  ['Connector', { classRef: 'x', consumer: { session: {}, workflow: {} } }, 'spec.consumer'],
  ['Workflow', { steps: [] }, 'spec.steps'],
  ['Workflow', { steps: [{ id: 'a', type: 'transform', after: ['b'] }] }, 'spec.steps[0].after[0]'],
  ['Workflow', { steps: [{ id: 'a', type: 'dance' }] }, 'spec.steps[0].type'],
  ['SandboxClass', { provider: 'missing' }, 'spec.provider'],
  ['SandboxPolicy', { classRef: 'elsewhere/x' }, 'spec.classRef.namespace'],
  [
    'SandboxPolicy',
    { classRef: 'x', template: { workspace: { mountPath: '/etc/x' } } },
    'spec.template.workspace.mountPath',
  ],
  ['Sandbox', {}, 'spec.policyRef'],
  ['UsagePolicy', { hard: [{ metric: 'tool.calls', window: '0m' }] }, 'spec.hard[0].window'],
  ['Secret', { data: { a: '*' } }, 'spec.data[a]'],
  ['File', { path: 'relative' }, 'spec.path'],
];

/** Those faults in every way to write them down. */
export const ruleTexts = (): readonly RefusedText[] =>
  RULES.flatMap(([kind, spec, path]) => writers.map((write) => ({ text: write({ ...documentOf(kind), spec }), path })));

/** Faults of the text itself. */
export const brokenDocument = (random: Random, kind: string): RefusedText => {
  const text = stringify(documentOf(kind));
  const broken = [
    () => `${text}kind: ${kind}\n`,
    () => text.replace('name: refused', 'name: refused\n  name: refused'),
    () => text.replace('labels:', 'labels: *nowhere\n  annotations:'),
    () => `${text}extra: !custom x\n`,
    () => `${text} bad: indent\n`,
    () => `${text}"unclosed\n`,
    () => `${text}x: [1, 2\n`,
    () => `${text}x: {a: 1\n`,
    () => `${text}x:\n\t- tab\n`,
    () => `${text}x: ${'['.repeat(150)}${']'.repeat(150)}\n`,
    () => `${text}x: "\\q"\n`,
    () => `${text}{{ braces }}: 1\n`,
    () => text.replace('spec:', 'metadata: {name: twice}\nspec:'),
    () => JSON.stringify(documentOf(kind)).slice(0, -1 - Math.floor(random.next() * 20)),
    () => '- 1\n- x\n',
    () => 'just text\n',
  ];
  return { text: pick(random, broken)() };
};
