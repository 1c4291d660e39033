import { toJson } from '@bufbuild/protobuf';
import {
  type ApplyManifestsResponse,
  ApplyOutcome,
  type ListResourcesResponse,
  ResourceService,
} from '@svc/api/gateway';
import { ResourceSchema } from '@svc/api/resources';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isFault } from '../../../../base/index.ts';
import { kindContract } from '../../../../controllers/contract.ts';
import { kinds } from '../../../../resources/index.ts';
import { type JsonMap, withoutDefaults } from '../../../../resources/manifest/index.ts';
import { sampledNumbers } from '../../../../store/testing/sampled.ts';
import { type AuthoringWorld, openAuthoringWorld } from '../../../testing/index.ts';

const { applyManifests, listResources } = ResourceService.method;

/** Kinds whose own rules the world of these tests does not know; their form is all that counts here. */
const PLAIN = [
  'Channel',
  'ChannelSubscription',
  'Schedule',
  'ConnectorClass',
  'Connector',
  'Workflow',
  'Deployment',
  'SandboxClass',
  'SandboxPolicy',
  'Sandbox',
  'Task',
  'UsagePolicy',
  'Secret',
  'File',
];

const SPECS: Readonly<Record<string, string>> = {
  Namespace: '{}',
  Agent: '{systemPrompt: p, capabilities: {files: [read]}, runtime: {acp: {env: {A: hush}, persistSession: false}}}',
  Template: '{kind: Skill, spec: {description: "{{ namespace.leaf }}"}, metadata: {labels: {a: b}}}',
  McpServer:
    '{transport: http, target: "https://x.example/mcp", headers: {k: hush, r: "secret://a/b"}, disabled: false}',
  McpServerBinding: '{serverRef: x, headers: {k: hush}}',
  Knowledge: '{path: x, content: "a: b"}',
  Skill: '{description: d, instructions: "1\\n2"}',
  Channel: '{title: t, metadata: {a: b}}',
  ChannelSubscription: '{channel: room, agent: x, enabled: false, contextPolicy: {maxMessages: 7}}',
  Schedule: '{kind: interval, interval: 5m, target: {agent: x}, input: {b: [1, null], a: 2}, enabled: true}',
  ConnectorClass:
    '{platform: p, auth: {kind: api-key, apiKey: {plain: hush}}, matchIndexes: [{name: n, fields: [a, b]}]}',
  Connector: '{classRef: system/c, enabled: false, matchFields: {a: b}, consumer: {session: {agent: x}}}',
  Workflow:
    '{concurrency: 0, inputSchema: {type: object}, steps: [{id: a, type: agent, when: {eq: [1, 2]}, retry: {multiplier: 1.5, maxAttempts: 0}}]}',
  Deployment: '{selector: {matchLabels: {a: b}}, templates: [x]}',
  SandboxClass: '{provider: p, providerConfig: {b: 1, a: x}, credentials: {token: hush}}',
  SandboxPolicy:
    '{classRef: {name: c}, template: {image: i, workspace: {mountPath: /workspace}}, quota: {maxConcurrent: 3}}',
  Sandbox: '{policyRef: p, template: {spec: {image: i}}}',
  Task: '{title: t, owner: {name: x}}',
  UsagePolicy: '{hard: [{metric: llm.tokens, max: "9007199254740993", window: 1h}]}',
  Secret: '{type: opaque, stringData: {k: hush}, data: {d: aGk=}}',
  File: '{path: /a.txt, purpose: memory, retention: retained}',
};

describe('every authorable kind', () => {
  let world: AuthoringWorld;
  const open = (): Promise<AuthoringWorld> =>
    openAuthoringWorld({ contracts: PLAIN.map((kind) => kindContract({ kind, validate: () => [] })) });
  beforeEach(async () => {
    world = await open();
  });
  afterEach(() => world.close());

  const apply = (text: string, more: object = {}): Promise<ApplyManifestsResponse> =>
    world.call(applyManifests, { ns: 'default', text, ...more } as never);
  const outcomes = ({ results }: ApplyManifestsResponse): string[] =>
    results.map(({ kind, outcome }) => `${ApplyOutcome[outcome]} ${kind}`);
  const authorable = kinds.filter((row) => row.authorable).map((row) => row.kind);
  const all = authorable
    .map((kind) => `kind: ${kind}\nmetadata: {name: x, labels: {a: b}}\nspec: ${SPECS[kind]}\n`)
    .join('---\n');
  const custom = 'apiVersion: example.org/v1\nkind: Widget\nmetadata: {name: x}\nspec: {b: [1, {c: null}], a: {}}\n';

  /** What `svc get -o manifest` prints; with all fields that are empty, too, as the API words them. */
  const printed = async (caller?: never, isWhole = false): Promise<string> => {
    const page: ListResourcesResponse = await (caller === undefined
      ? world.call(listResources, { ns: '-', pageSize: 200 })
      : world.call(listResources, { ns: '-', pageSize: 200 }, caller));
    const objects = page.resources.map((resource) => {
      const json = toJson(ResourceSchema, resource, { alwaysEmitImplicit: true }) as Record<
        string,
        Record<string, object>
      >;
      const { uid, generation, resourceVersion, deletionTimestamp, ...metadata } = json['metadata'] ?? {};
      const [inner] = Object.values(json['spec'] ?? {});
      const spec =
        resource.spec?.kind.case === 'raw' ? (JSON.parse((inner as { json: string }).json) as object) : inner;
      const said = isWhole ? spec : withoutDefaults(resource.kind, spec as JsonMap);
      return { apiVersion: resource.apiVersion, kind: resource.kind, metadata, spec: said };
    });
    return objects.map((object) => `--- ${JSON.stringify(object)}\n`).join('');
  };

  it('comes back as it was printed without a change, also masked', async () => {
    expect(Object.keys(SPECS).sort()).toEqual([...authorable].sort());
    const made = await apply(`${all}---\n${custom}`);
    expect(new Set(made.results.map(({ outcome }) => outcome))).toEqual(new Set([ApplyOutcome.CREATED]));
    expect(new Set(outcomes(await apply(`${all}---\n${custom}`)).map((line) => line.split(' ')[0]))).toEqual(
      new Set(['UNCHANGED']),
    );
    const { newest } = await world.store.direct.resources.versionRange();
    const blind = {
      identity: 'x',
      subject: 'x',
      mode: 'none',
      grants: [{ role: 'admin', readSecrets: false }],
    } as never;
    for (const text of [
      await printed(),
      await printed(blind),
      await printed(undefined, true),
      await printed(blind, true),
    ])
      expect(outcomes(await apply(text, { manager: 'other' })).filter((line) => !line.startsWith('UNCHANGED'))).toEqual(
        [],
      );
    expect(await printed(blind)).not.toContain('hush');
    expect((await world.store.direct.resources.versionRange()).newest).toBe(newest);
  });

  it('is the same where it is made anew of what was printed', async () => {
    await apply(`${all}---\n${custom}`);
    const [text, whole] = [await printed(), await printed(undefined, true)];
    expect(text.length).toBeLessThan(whole.length);
    await world.close();
    world = await open();
    await apply(text);
    expect(await printed(undefined, true)).toBe(whole);
  });

  it('in broken manifests is refused as a fault of the caller, and nothing is applied', async () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ':',
      ' ',
      '\n',
      '"',
      '1',
      'null',
      '-',
      'kind',
      '/',
      '..',
      '\u0000',
      '😀',
      'x'.repeat(400),
    );
    await fc.assert(
      fc.asyncProperty(fc.nat(all.length), fc.nat(8), pieces, async (at, cut, piece) => {
        const text = all.slice(0, at) + piece + all.slice(at + cut);
        const { newest } = await world.store.direct.resources.versionRange();
        const answer = await apply(text, { dryRun: true });
        const isRefused = answer.results.some(({ outcome }) => outcome === ApplyOutcome.FAILED);
        for (const result of answer.results)
          for (const error of result.fieldErrors) {
            expect(error.line).toBeGreaterThan(0);
            expect(error.reason).not.toBe('');
          }
        if (isRefused) {
          const fault: unknown = await apply(text).catch((error: unknown) => error);
          expect(isFault(fault) && fault.code !== 'INTERNAL').toBe(true);
        }
        expect((await world.store.direct.resources.versionRange()).newest).toBe(newest);
      }),
      { numRuns: sampledNumbers(150, 30).length },
    );
  });
});
