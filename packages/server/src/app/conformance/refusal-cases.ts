import type { JsonObject } from '@bufbuild/protobuf';
import { methods } from '@svc/api/methods';
import { ResourceMetaSchema } from '@svc/api/resources';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, stringify } from 'yaml';
import { type Random, seededRandom } from '../../base/index.ts';
import { kinds } from '../../resources/index.ts';
import { bindRest } from '../../transport/all-transports.ts';
import { type Answer, AppUnderTest, type EngineUnderTest, reasonOf } from '../testing/index.ts';
import { isLater } from './later-operations.ts';
import { RawCalls } from './raw-calls.ts';
import { leastSpecs } from './spec-words.ts';
import { brokenBytes, brokenTexts, type WrongValue, wrongValues } from './wrong-values.ts';

const SEED = 20_261_121;
const AT_ONCE = 16;

/** A call that must be refused. */
interface Case {
  readonly about: string;
  readonly send: () => Promise<readonly string[]>;
}

interface FieldError {
  readonly field: string;
  readonly description: string;
  readonly reason: string;
  readonly line: number;
  readonly column: number;
}

const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random.next() * list.length)] as T;

const served = methods.filter((method) => !isLater(method));

const authorable = kinds.filter((row) => row.authorable && row.kind !== 'Deployment');
/** A message and its parts may be written as text (API-3). */
const AS_TEXT = /^\{"message":("x"|\{"parts":"x"\})\}$/;
const SERVER_OWNED = new Set(['uid', 'generation', 'deletionTimestamp']);

/** Laid over one another: maps are joined, all else replaced. */
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
const linesOf = (text: string, path: string): readonly number[] => {
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

/** Stands beside what is refused: it must never come into being. */
const INNOCENT = 'kind: Skill\nmetadata: {name: innocent}\nspec: {description: d, instructions: i}\n';

interface RefusedText {
  readonly text: string;
  /** The field that must be named, where one is known. */
  readonly path?: string;
  readonly reason?: string;
}

const byField = (random: Random, wrong: WrongValue, kind: string): RefusedText => ({
  text: pick(random, writers)(laidOver(documentOf(kind), wrong.json) as JsonObject),
  path: wrong.path,
});

/** Faults of a whole document: its version, kind, names, and what only the system may say. */
const wholeDocuments = (kind: string): readonly RefusedText[] => {
  const document = documentOf(kind);
  const meta = document['metadata'] as JsonObject;
  const of = (change: JsonObject, path: string, reason?: string): RefusedText => ({
    text: stringify({ ...document, ...change }),
    path,
    ...(reason === undefined ? {} : { reason }),
  });
  const metadata = (more: JsonObject, path: string, reason?: string) =>
    of({ metadata: { ...meta, ...more } }, path, reason);
  const unnamed = kind === 'Knowledge' ? [] : [of({ metadata: {} }, 'metadata.name')];
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
  ['ChannelSubscription', { channel: 'nowhere', agent: 'nobody' }, 'spec.channel'],
  ['ChannelSubscription', { channel: 'room', agent: 'nobody' }, 'spec.agent'],
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
  ['SandboxClass', { provider: 'nobody' }, 'spec.provider'],
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

/** Faults of the text itself. */
const brokenDocument = (random: Random, kind: string): RefusedText => {
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

/** What a refused ApplyManifests must say; each sentence is a broken promise. */
const judgeText = (answer: Answer, { text, path, reason }: RefusedText): readonly string[] => {
  const problems: string[] = [];
  if (answer.status !== 400 && answer.status !== 404)
    return [`answered ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`];
  const { details } = (answer.body as { error: { details: readonly Record<string, unknown>[] } }).error;
  const results = details.flatMap((detail) => (detail['results'] ?? []) as { fieldErrors: readonly FieldError[] }[]);
  const errors = results.flatMap((result) => result.fieldErrors);
  if (errors.length === 0) problems.push('names no fault');
  for (const error of errors) {
    if (error.line < 1 || error.column < 1) problems.push(`${error.field}: no position`);
    if (error.reason === '' || error.description === '') problems.push(`${error.field}: says nothing`);
  }
  if (path === undefined || path === '') return problems;
  const named = errors.filter(({ field }) => field.replaceAll('"', '') === path || field.startsWith(`${path}[`));
  const [first] = named;
  if (first === undefined) problems.push(`${path} is not named, but ${errors.map(({ field }) => field).join(', ')}`);
  else if (reason !== undefined && !named.some((error) => error.reason === reason))
    problems.push(`${path}: ${first.reason}, not ${reason}`);
  else {
    const lines = linesOf(text, path);
    if (lines.length > 0 && !named.some(({ line }) => lines.includes(line)))
      problems.push(`${path}: line ${first.line}, not ${lines.join(' or ')}`);
  }
  return problems;
};

/** Malformed input through every door: refused with field and place, nothing of it stored, never a fault of the server. */
export const describeRefusals = (engine: EngineUnderTest): void => {
  describe(`malformed input on ${engine.name}`, () => {
    const app = AppUnderTest.ofSuite({}, engine);
    const random = seededRandom(SEED);
    let raw: RawCalls;
    let before: string;
    let sent = 0;

    /** Every resource with its version. */
    const everything = async (): Promise<string> => {
      const page = await app.rest.ok<{ resources: readonly { kind: string; metadata: JsonObject }[] }>(
        'GET /v1/ns/-/resources?limit=200',
      );
      return page.resources
        .filter(({ kind }) => kind !== 'Worker')
        .map(({ kind, metadata }) => [kind, metadata['name'], metadata['uid'], metadata['generation']].join(' '))
        .join('\n');
    };

    beforeAll(async () => {
      raw = new RawCalls(app.url);
      await app.rest.ok('POST /v1/ns/default/agents', { name: 'helper' });
      await app.rest.ok('POST /v1/ns/default/channels', { channel: { metadata: { name: 'room' } } });
      before = await everything();
    });
    afterAll(() => raw[Symbol.dispose]());

    const apply = async (refused: RefusedText): Promise<readonly string[]> => {
      const body = { ns: 'default', text: `${refused.text}\n---\n${INNOCENT}` };
      return judgeText(await app.rest.call('POST /v1/manifests:apply', body), refused);
    };

    const judged = async (cases: readonly Case[]): Promise<void> => {
      const problems: string[] = [];
      let next = 0;
      const work = async (): Promise<void> => {
        for (let at = next++; at < cases.length; at = next++) {
          const { about, send } = cases[at] as Case;
          problems.push(...(await send()).map((problem) => `${about}: ${problem}`));
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      sent += cases.length;
      expect(problems.slice(0, 20)).toEqual([]);
      expect(await everything()).toBe(before);
    };

    const textCase = (about: string, refused: RefusedText): Case => ({
      about: `${about} ${refused.text.slice(0, 400)}`,
      send: () => apply(refused),
    });

    it.each(authorable.map((row) => [row.kind, row] as const))(
      'in manifests of %s is refused with its place',
      async (kind, row) => {
        const fields = wrongValues(row.spec, 'spec');
        const meta = wrongValues(ResourceMetaSchema, 'metadata').filter(
          ({ path }) => !SERVER_OWNED.has(path.split('.')[1] ?? ''),
        );
        const cases = [
          ...Array.from({ length: 170 }, () => textCase('field', byField(random, pick(random, fields), kind))),
          ...Array.from({ length: 20 }, () => textCase('metadata', byField(random, pick(random, meta), kind))),
          ...Array.from({ length: 30 }, () => textCase('syntax', brokenDocument(random, kind))),
          ...wholeDocuments(kind).map((refused) => textCase('document', refused)),
        ];
        await judged(cases);
      },
    );

    it('by the rules of its kind is refused with its place', async () => {
      const cases = RULES.flatMap(([kind, spec, path]) =>
        writers.map((write) => textCase('rule', { text: write({ ...documentOf(kind), spec }), path })),
      );
      await judged(cases);
    });

    it('in bodies of every operation is refused with its field by REST', async () => {
      const bind = bindRest(methods);
      const withBody = served.filter(({ http }) => http.body === '*');
      const cases = Array.from({ length: 1_500 }, (): Case => {
        const method = pick(random, withBody);
        const wrong = pick(
          random,
          wrongValues(method.input).filter(({ json }) => !AS_TEXT.test(JSON.stringify(json))),
        );
        const names = [...method.http.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) =>
          name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
        );
        const inPath = Object.fromEntries(names.map((name) => [name, name === 'ns' ? 'default' : 'nobody']));
        const { verb, path } = bind(method.name, inPath);
        return {
          about: `${method.name} ${JSON.stringify(wrong.json)}`,
          send: async () => {
            const answer = await app.rest.call(`${verb} ${path}`, wrong.json);
            return judgeBody(answer);
          },
        };
      });
      await judged(cases);
    });

    it('in the query of every operation is refused with its parameter', async () => {
      const bind = bindRest(methods);
      const reads = served.filter(({ http }) => http.body === '');
      const cases = reads.flatMap((method): readonly Case[] => {
        const names = [...method.http.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
        const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
        const inPath = Object.fromEntries(names.map((name) => [camel(name), name === 'ns' ? 'default' : 'nobody']));
        const { verb, path } = bind(method.name, inPath);
        const numbers = method.input.fields.filter(
          (field) => field.fieldKind === 'enum' || (field.fieldKind === 'scalar' && field.scalar !== 9),
        );
        const queries = ['nonsense=1', '%ZZ=1', ...numbers.map((field) => `${field.jsonName}=nonsense`)];
        return queries.map((query) => ({
          about: `${method.name} ${query}`,
          send: async () => judgeBody(await app.rest.call(`${verb} ${path}?${query}`)),
        }));
      });
      await judged(cases);
    });

    it('that is no JSON or no protobuf is refused over every transport', async () => {
      const unaries = served.filter(({ kind }) => kind === 'unary');
      const texts = brokenTexts(random, 200);
      const cases = Array.from({ length: 3_600 }, (_, index): Case => {
        const method = pick(random, unaries);
        const protocol = (['connect', 'grpc', 'grpc-web'] as const)[index % 3] ?? 'connect';
        const isJson = index % 2 === 0;
        const text = pick(random, texts);
        const bytes = isJson ? Buffer.from(text) : pick(random, brokenBytes);
        return {
          about: `${method.name} by ${protocol} ${isJson ? text : Buffer.from(bytes).toString('hex')}`,
          send: async () => {
            const { code, text: said } = await raw.send(protocol, method, {
              encoding: isJson ? 'json' : 'proto',
              bytes,
            });
            if (code !== 'INVALID_ARGUMENT') return [`answered ${code} ${said.slice(0, 200)}`];
            const needsPlace = isJson && /^[^[]*$/.test(text) && /not valid JSON/.test(said);
            return needsPlace && !/line \d+, column \d+/.test(said) ? [`no place: ${said}`] : [];
          },
        };
      });
      await judged(cases);
      const rest: readonly Case[] = texts.map((text) => ({
        about: `REST ${text}`,
        send: async () => {
          const answer = await app.rest.call('POST /v1/ns/default/agents', text);
          return answer.status === 400 && reasonOf(answer) === 'JSON_INVALID'
            ? []
            : [`answered ${answer.status} ${reasonOf(answer)}`];
        },
      }));
      await judged(rest);
    });

    it('came ten thousand times, and left nothing behind', async () => {
      expect(sent).toBeGreaterThanOrEqual(10_000);
      expect(await everything()).toBe(before);
    });
  });
};

const judgeBody = (answer: Answer): readonly string[] => {
  if (answer.status !== 400) return [`answered ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`];
  const { details } = (answer.body as { error: { details: readonly Record<string, unknown>[] } }).error;
  const violations = details.flatMap((detail) => (detail['fieldViolations'] ?? []) as FieldError[]);
  if (violations.length === 0) return ['names no field'];
  return violations
    .filter(({ field, reason, description }) => field === '' || reason === '' || description === '')
    .map((violation) => `incomplete: ${JSON.stringify(violation)}`);
};
