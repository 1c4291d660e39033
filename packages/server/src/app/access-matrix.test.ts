import {
  create,
  type DescMessage,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  ScalarType,
  toJson,
} from '@bufbuild/protobuf';
import { type Client, Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { methods, services } from '@svc/api/methods';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller, CallerGrant, OperationAccess, Role } from '../auth/contract.ts';
import { GrantAuthorizer, ModeAuthenticator } from '../auth/index.ts';
import { accessFacts } from '../auth/testing/access-facts.ts';
import { isFault, ManualClock } from '../base/index.ts';
import { type Operation, operation } from '../operations/index.ts';
import { createTransport, type TransportServer } from '../transport/index.ts';
import { bindRest } from '../transport/testing/all-transports.ts';
import { testParts } from '../transport/testing/transport-parts.ts';

type Row = (typeof methods)[number];

/** Grants on everything, on namespaces around the one that the requests name, and on what is inside it. */
const callers: Readonly<Record<string, readonly CallerGrant[]>> = Object.fromEntries(
  (['viewer', 'operator', 'admin'] as const).flatMap((role: Role) =>
    Object.entries({
      everything: {},
      parent: { namespace: 'acme' },
      other: { namespace: 'other' },
      system: { namespace: 'system' },
      agent: { namespace: 'acme:team', agent: 'a1' },
      session: { namespace: 'acme:team', agent: 'a1', session: 's1' },
      channel: { namespace: 'acme:team', channel: 'c1' },
      nothing: { namespace: '' },
    }).map(([name, scope]) => [`${role} of ${name}`, [{ role, readSecrets: false, ...scope }]]),
  ),
);

const requestOf = (input: DescMessage): Record<string, unknown> => {
  const values: Record<string, unknown> = {
    ...{ ns: 'acme:team', agent: 'a1', sessionId: 's1', channel: 'c1' },
    name: /Namespace(Request)?$/.test(input.typeName) ? 'acme:team' : 'a1',
    sessions: [{ ns: 'acme:team', agent: 'a1', sessionId: 's1' }],
  };
  if (/ChannelRequest$/.test(input.typeName)) values['name'] = 'c1';
  const request: Record<string, unknown> = {};
  for (const field of input.fields) {
    const value = values[field.localName];
    if (field.fieldKind === (field.localName === 'sessions' ? 'list' : 'scalar') && value !== undefined)
      request[field.localName] = value;
    // A path without one of its fields is no path of the operation.
    else if (isInPath(input, field.name)) request[field.localName] = field.scalar === ScalarType.UINT32 ? 1 : 'x';
  }
  return request;
};

const isInPath = (input: DescMessage, name: string): boolean =>
  methods.some((row) => row.input === input && row.http.path.includes(`{${name}}`));

/** As typed in, and not as declared: declared-operations.test.ts compares the two. */
const accessTo = ({ service, name }: Row): OperationAccess => {
  const access = accessFacts.get(`${service}/${name}`);
  if (access === undefined) throw new Error(`nothing is known of ${name}`);
  return access;
};

const reached: string[] = [];
/** Every operation, answering nothing: what is looked at is whether a call gets that far. */
const operations: readonly Operation[] = methods.map((row) => {
  const name = `${row.service}/${row.name}`;
  const method = row.descriptor;
  if (method.methodKind === 'server_streaming')
    return operation(method as DescMethodServerStreaming, {
      access: accessTo(row),
      handle: async (_request, _context, sink) => {
        reached.push(name);
        sink.open();
      },
    });
  return operation(method as DescMethodUnary, {
    access: accessTo(row),
    handle: async () => {
      reached.push(name);
      return create(row.output);
    },
  });
});

const callerOf = (name: string): Caller => ({
  ...{ identity: `key:${name}`, subject: name, mode: 'api-key', grants: callers[name] ?? [] },
});
const authorizer = new GrantAuthorizer((namespace) => (namespace.startsWith('acme:') ? ['acme'] : []));

/** What the authorizer, whose own matrix stands in auth, says to the same request. */
const expected = (row: Row, caller: string): string => {
  // Credentials of the gateway open no callback, whatever they grant.
  if (accessTo(row).need === 'callback') return 'UNAUTHENTICATED CREDENTIALS_INVALID';
  try {
    const request = create(row.input, requestOf(row.input) as never);
    authorizer.authorize(accessTo(row), request, callerOf(caller));
    return 'OK';
  } catch (error) {
    return isFault(error) ? `${error.code} ${error.reason}` : String(error);
  }
};

type Call = (row: Row, credential: string) => Promise<string>;

const codeName = (code: Code): string => Code[code].replace(/([a-z])([A-Z])/g, '$1_$2').toUpperCase();

const reasonIn = (error: ConnectError): string => {
  const info = error.details.find((detail) => 'type' in detail && detail.type === 'google.rpc.ErrorInfo');
  const value = info !== undefined && 'value' in info ? (info.value as Uint8Array) : new Uint8Array();
  // Field 1 of ErrorInfo: tag, length, text.
  return Buffer.from(value.subarray(2, 2 + (value[1] ?? 0))).toString();
};

const rpc = (transport: Transport): Call => {
  const clients = new Map<string, Client<(typeof services)[number]>>(
    services.map((service) => [service.typeName, createClient(service, transport)]),
  );
  return async (row, credential) => {
    const client = clients.get(row.service) as unknown as Record<string, (request: object, options: object) => unknown>;
    const headers = { authorization: `Bearer ${credential}` };
    try {
      const answer = client[row.descriptor.localName]?.(requestOf(row.input), { headers });
      if (row.kind === 'server_streaming') for await (const _ of answer as AsyncIterable<unknown>);
      else await answer;
      return 'OK';
    } catch (error) {
      if (!(error instanceof ConnectError)) throw error;
      return `${codeName(error.code)} ${reasonIn(error)}`;
    }
  };
};

const rest = (base: string): Call => {
  const bind = bindRest(methods);
  return async (row, credential) => {
    const json = toJson(row.input, create(row.input, requestOf(row.input) as never)) as Record<string, unknown>;
    const { verb, path, body } = bind(row.name, json);
    const answer = await fetch(base + path, {
      method: verb,
      headers: {
        authorization: `Bearer ${credential}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (answer.ok) return 'OK';
    const { error } = JSON.parse(text) as { error: { status: string; details: { reason?: string }[] } };
    return `${error.status} ${error.details[0]?.reason}`;
  };
};

let server: TransportServer;
let base: string;

beforeAll(async () => {
  const authenticator = new ModeAuthenticator({ modes: ['token'], token: 'a token nobody uses' }, new ManualClock(), [
    (credential) => (Object.hasOwn(callers, credential) ? callerOf(credential) : undefined),
  ]);
  server = await createTransport(testParts({ operations, authenticator, authorizer }));
  base = `http://127.0.0.1:${server.port}`;
});
afterAll(() => server.close());

const transports: Readonly<Record<string, () => Call>> = {
  REST: () => rest(base),
  gRPC: () => rpc(createGrpcTransport({ baseUrl: base })),
  'gRPC JSON': () => rpc(createGrpcTransport({ baseUrl: base, useBinaryFormat: false })),
  'gRPC-web': () => rpc(createGrpcWebTransport({ baseUrl: base, httpVersion: '1.1' })),
  'gRPC-web over HTTP/2': () => rpc(createGrpcWebTransport({ baseUrl: base, httpVersion: '2' })),
  Connect: () => rpc(createConnectTransport({ baseUrl: base, httpVersion: '1.1' })),
  'Connect by GET where it may': () =>
    rpc(createConnectTransport({ baseUrl: base, httpVersion: '1.1', useHttpGet: true, useBinaryFormat: false })),
  'Connect JSON over HTTP/2': () =>
    rpc(createConnectTransport({ baseUrl: base, httpVersion: '2', useBinaryFormat: false })),
};

it('asks for each operation of the descriptors', () => {
  expect(new Set(methods.map((row) => `${row.service}/${row.name}`)).size).toBe(125);
  expect(operations).toHaveLength(125);
});

describe.each(Object.keys(transports))('%s', (transport) => {
  it.each(Object.keys(callers))('lets %s do what the grants say, operation by operation', async (caller) => {
    const call = transports[transport]?.() as Call;
    const outcomes: [string, string][] = [];
    const wanted: [string, string][] = [];
    reached.length = 0;
    for (const row of methods) {
      outcomes.push([row.name, await call(row, caller)]);
      wanted.push([row.name, expected(row, caller)]);
    }
    expect(outcomes).toEqual(wanted);
    const allowed = methods.filter((row) => expected(row, caller) === 'OK').map((row) => `${row.service}/${row.name}`);
    expect(reached).toEqual(allowed);
  });

  it('lets nobody in without a good credential, whatever the operation', async () => {
    const call = transports[transport]?.() as Call;
    reached.length = 0;
    for (const row of methods)
      expect([row.name, await call(row, 'wrong')]).toEqual([row.name, 'UNAUTHENTICATED CREDENTIALS_INVALID']);
    expect(reached).toEqual([]);
  });
});
