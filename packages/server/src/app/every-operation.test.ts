import { randomUUID } from 'node:crypto';
import { create, type DescField, ScalarType } from '@bufbuild/protobuf';
import { type Client, Code, ConnectError, createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { methods, services } from '@svc/api/methods';
import { describe, expect, it } from 'vitest';
import { bindRest } from '../transport/testing/all-transports.ts';
import { AppUnderTest } from './testing/index.ts';

type Row = (typeof methods)[number];

interface Marked {
  readonly 'x-svc-not-served'?: boolean;
}

const app = AppUnderTest.ofSuite();

/** The path fields only: enough to be routed, too little to have an effect worth asking for. */
const requestOf = (row: Row): Record<string, unknown> => {
  const inPath = [...row.http.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const fields = row.input.fields.filter((field) => inPath.includes(field.name));
  const ids = ['session_id', 'message_id', 'turn_id', 'request_id', 'run_id', 'artifact_id'];
  const pathValue = ({ name, scalar }: DescField): unknown => {
    if (scalar === ScalarType.UINT32) return 1;
    return name === 'ns' ? 'default' : ids.includes(name) ? randomUUID() : 'nobody';
  };
  return Object.fromEntries(fields.map((field) => [field.localName, pathValue(field)]));
};

const byRest = async (row: Row): Promise<string> => {
  const { verb, path, body } = bindRest(methods)(row.name, requestOf(row));
  const abort = new AbortController();
  const answer = await app.rest.fetch(path, {
    method: verb,
    signal: abort.signal,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const text = answer.ok ? '' : await answer.text();
  abort.abort();
  return answer.ok ? 'OK' : (JSON.parse(text) as { error: { status: string } }).error.status;
};

const byGrpc = async (row: Row): Promise<string> => {
  const service = services.find((candidate) => candidate.typeName === row.service);
  if (service === undefined) throw new Error(`no service ${row.service}`);
  const client = createClient(service, createGrpcTransport({ baseUrl: app.url })) as Client<typeof service>;
  const call = (client as unknown as Record<string, (request: object, options: object) => unknown>)[
    row.descriptor.localName
  ];
  const abort = new AbortController();
  try {
    const request = create(row.input, requestOf(row) as never);
    const answer = call?.(request, {
      signal: abort.signal,
      onHeader: () => row.kind === 'server_streaming' && abort.abort(),
    });
    if (row.kind === 'server_streaming') for await (const _ of answer as AsyncIterable<unknown>) break;
    else await answer;
    return 'OK';
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    return Code[error.code].replace(/([a-z])([A-Z])/g, '$1_$2').toUpperCase();
  }
};

describe('the running server', () => {
  const gateway = methods.filter((row) => row.service === 'svc.gateway.GatewayService');

  it('has the 56 operations of the GatewayService among its 125', () => {
    expect(gateway).toHaveLength(56);
    expect(methods).toHaveLength(125);
  });

  it.each(gateway.map((row) => [row.name, row] as const))('implements %s', async (_, row) => {
    for (const outcome of [await byRest(row), await byGrpc(row)])
      expect(['UNIMPLEMENTED', 'INTERNAL', 'UNKNOWN']).not.toContain(outcome);
  });

  it('implements every operation of the other services', async () => {
    const others = methods.filter((row) => row.service !== 'svc.gateway.GatewayService');
    const missing: string[] = [];
    for (const row of others)
      for (const outcome of [await byRest(row), await byGrpc(row)]) {
        expect([row.name, outcome]).not.toEqual([row.name, 'INTERNAL']);
        if (outcome === 'UNIMPLEMENTED') missing.push(row.name);
      }
    expect(missing).toEqual([]);
  });

  it('marks no operation in /openapi.json as one that it does not serve', async () => {
    const { paths } = await app.rest.ok<{ paths: Readonly<Record<string, Readonly<Record<string, Marked>>>> }>(
      'GET /openapi.json',
    );
    const described = Object.values(paths).flatMap((row) => Object.values(row));
    expect(described.length).toBeGreaterThan(100);
    expect(described.filter((one) => one['x-svc-not-served'] === true)).toEqual([]);
  });
});
