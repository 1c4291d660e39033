import { toJson } from '@bufbuild/protobuf';
import {
  type ApplyManifestsResponse,
  ApplyManifestsResponseSchema,
  ApplyOutcome,
  type ApplyResourceResponse,
  ApplyResourceResponseSchema,
  GatewayService,
  ResourceService,
} from '@svc/api/gateway';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../../../auth/contract.ts';
import { ADMIN, type DeploymentWorld, openDeploymentWorld } from '../../../testing/index.ts';

const { applyResource, applyManifests } = ResourceService.method;
/** Admin of everything, who may not read values. */
const BLIND: Caller = { ...ADMIN, grants: [{ role: 'admin', readSecrets: false }] };
const RIGHT = '4821';
const WRONG = '1111';

/** A manifest as JSON that gives a value, by kind. */
const forms: Readonly<Record<string, (value: string) => object>> = {
  'data of a Secret': (value) => secret('db', { data: { pin: Buffer.from(value).toString('base64') } }),
  'text of a Secret': (value) => secret('db', { stringData: { pin: value } }),
  'a header of an McpServer': (value) => ({
    ...manifest('McpServer', 'search', {
      transport: 'http',
      target: 'https://mcp.test/',
      headers: { authorization: value, plain: 'x' },
    }),
  }),
  'a Secret in a Template': (value) =>
    manifest('Template', 'made', { kind: 'Secret', specJson: JSON.stringify({ stringData: { pin: value } }) }),
};
const manifest = (kind: string, name: string, spec: object) => ({
  ...{ apiVersion: 'svc/v1', kind, metadata: { name, namespace: 'acme' }, spec },
});
const secret = (name: string, spec: object) => manifest('Secret', name, spec);

let world: DeploymentWorld;
beforeEach(async () => {
  world = await openDeploymentWorld();
});
afterEach(() => world.close());

type More = Readonly<Record<string, unknown>> & { readonly caller?: Caller };
const viaManifests = async (document: object, { caller = BLIND, ...more }: More = {}) => {
  const request = { ns: 'acme', text: JSON.stringify(document), ...more };
  return (await world.call(applyManifests, request as never, caller)) as ApplyManifestsResponse;
};
const CASES: Readonly<Record<string, string>> = { Secret: 'secret', McpServer: 'mcpServer', Template: 'template' };
const viaResource = async (document: object, { caller = BLIND, ...more }: More = {}) => {
  const { kind, metadata, spec, apiVersion } = document as ReturnType<typeof manifest>;
  const wire = { apiVersion, kind, metadata, spec: { kind: { case: CASES[kind] ?? '', value: spec } } };
  const request = { ns: 'acme', kind, name: metadata.name, manifest: wire, ...more };
  return (await world.call(applyResource, request as never, caller)) as ApplyResourceResponse;
};

/** What a caller can tell answers or refusals by; times and versions of later writes differ anyhow. */
const toldBy = (call: Promise<ApplyResourceResponse | ApplyManifestsResponse>): Promise<unknown> =>
  call.then(
    (answer) => {
      const schema = answer.$typeName.endsWith('ApplyResourceResponse')
        ? ApplyResourceResponseSchema
        : ApplyManifestsResponseSchema;
      return JSON.parse(
        JSON.stringify(toJson(schema, answer as never))
          .replaceAll(/"resourceVersion":"\d+"/g, '"resourceVersion":""')
          .replaceAll(/"lastTransitionTime":"\d+"/g, '"lastTransitionTime":""'),
      );
    },
    ({ code, reason, message }: { code: string; reason: string; message: string }) => ({ code, reason, message }),
  );
const outcomeOf = (answer: ApplyManifestsResponse): string => ApplyOutcome[answer.results[0]?.outcome ?? 0] ?? '';

describe.each(Object.entries(forms))('a dry run with a guess at %s', (_name, form) => {
  beforeEach(() => viaManifests(form(RIGHT), { caller: ADMIN }));

  it.each([
    ['', {}],
    [' of another manager', { manager: 'guesser' }],
    [' of another manager, by force', { manager: 'guesser', force: true }],
    [' one by one', { atomic: false }],
  ])('tells a caller without read_secrets nothing by ApplyManifests%s', async (_case, more) => {
    const told = (value: string) => toldBy(viaManifests(form(value), { dryRun: true, ...more }));
    const right = await told(RIGHT);
    expect(right).toEqual(await told(WRONG));
    expect(JSON.stringify(right)).not.toContain('UNCHANGED');
  });

  it('tells a caller without read_secrets nothing by ApplyResource', async () => {
    const told = (value: string) => toldBy(viaResource(form(value), { dryRun: true }));
    const right = await told(RIGHT);
    expect(right).toEqual(await told(WRONG));
    expect(right).toMatchObject({ outcome: 'APPLY_OUTCOME_UPDATED' });
  });

  it('tells a reader of secrets what would change', async () => {
    const told = async (value: string) => outcomeOf(await viaManifests(form(value), { dryRun: true, caller: ADMIN }));
    expect([await told(RIGHT), await told(WRONG)]).toEqual(['UNCHANGED', 'UPDATED']);
  });
});

describe('a write by a caller without read_secrets', () => {
  const PIN = 'data of a Secret';
  const form = forms[PIN] as (value: string) => object;
  beforeEach(() => viaManifests(form(RIGHT), { caller: ADMIN }));

  it('counts as a change also when the value was guessed', async () => {
    const written = await viaResource(form(RIGHT));
    expect([ApplyOutcome[written.outcome], written.changedPaths]).toEqual(['UPDATED', ['/spec/data/pin']]);
    expect(written.resource?.metadata?.generation).toBe(2n);
    expect(outcomeOf(await viaManifests(form(RIGHT)))).toBe('UPDATED');
  });

  it('changes nothing where the values are masked, and keeps them where something else changes', async () => {
    const masked = secret('db', { data: { pin: '' } });
    expect(outcomeOf(await viaManifests(masked))).toBe('UNCHANGED');
    expect(ApplyOutcome[(await viaResource(masked)).outcome]).toBe('UNCHANGED');
    const more = secret('db', { data: { pin: '', other: Buffer.from('x').toString('base64') } });
    expect((await viaResource(more)).changedPaths).toEqual(['/spec/data/other']);
    const kept = await viaResource(secret('db', { data: { pin: '', other: '' } }), { caller: ADMIN });
    expect(kept.resource?.spec?.kind.value).toMatchObject({ data: { pin: Buffer.from(RIGHT).toString('base64') } });
  });

  it('is told nothing by ModifyAgent and CreateMcpServer either', async () => {
    const { createAgent, modifyAgent, createMcpServer } = GatewayService.method;
    const spec = (env: string) => ({ runtime: { kind: 'acp', acp: { command: 'x', env: { KEY: env } } } });
    await world.call(createAgent, { ns: 'acme', name: 'a', spec: spec(RIGHT) } as never);
    const modify = async (value: string) => {
      const answer = await world.call(modifyAgent, { ns: 'acme', agent: 'a', spec: spec(value) } as never, BLIND);
      return (answer as { agent?: { metadata?: { generation: bigint } } }).agent?.metadata?.generation;
    };
    expect([await modify(''), await modify(RIGHT), await modify(WRONG), await modify('')]).toEqual([1n, 2n, 3n, 3n]);
    const server = async (value: string) => {
      const request = {
        server: {
          metadata: { name: 's' },
          spec: { transport: 'http', target: 'https://t.test/', headers: { k: value } },
        },
      };
      const answer = await world.call(createMcpServer, request as never, BLIND);
      return (answer as { server?: { metadata?: { generation: bigint } } }).server?.metadata?.generation;
    };
    expect([await server(RIGHT), await server(RIGHT), await server(''), await server(WRONG)]).toEqual([1n, 2n, 2n, 3n]);
  });
});

it('a dry run leaves an audit record, also one that is refused, and nothing else', async () => {
  const document = (forms['data of a Secret'] as (value: string) => object)(RIGHT);
  await viaResource(document, { dryRun: true });
  await viaManifests(document, { dryRun: true });
  await viaManifests(secret('db', { data: { pin: '!' } }), { dryRun: true });
  expect(await world.get('Secret', 'acme/db')).toBeUndefined();
  const records = await world.store.direct.audit.list({ limit: 100 });
  const tried = records.filter(({ outcome }) => outcome === 'dry-run');
  expect(tried.map(({ operation, target }) => `${operation} ${target}`).sort()).toEqual([
    'svc.gateway.ResourceService/ApplyManifests Secret/acme/db',
    'svc.gateway.ResourceService/ApplyManifests Secret/acme/db',
    'svc.gateway.ResourceService/ApplyResource Secret/acme/db',
  ]);
});
