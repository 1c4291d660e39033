import {
  create,
  type DescMessage,
  fromBinary,
  fromJson,
  type JsonValue,
  type Message,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { type Client, Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import {
  createConnectTransport as createWebConnect,
  createGrpcWebTransport as createWebGrpcWeb,
} from '@connectrpc/connect-web';
import * as grpc from '@grpc/grpc-js';
import { GatewayService } from '@svc/api/gateway';

/** What came of one call: an answer, or a fault as every protocol can show it. */
interface Outcome {
  readonly answer?: unknown;
  readonly code?: string;
  readonly message?: string;
  readonly reason?: string;
}

export interface TransportClient {
  readonly name: string;
  call(name: string, request: Record<string, unknown>): Promise<Outcome>;
  close(): void;
}

const codeName = (code: Code): string =>
  Code[code]
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .replace('CANCELED', 'CANCELLED');

/** Length-delimited fields of a protobuf message by number. */
const fieldsOf = (bytes: Uint8Array): Map<number, Uint8Array> => {
  const reader = new BinaryReader(bytes);
  const fields = new Map<number, Uint8Array>();
  while (reader.pos < reader.len) {
    const [number, wire] = reader.tag();
    if (wire === WireType.LengthDelimited && !fields.has(number)) fields.set(number, reader.bytes());
    else reader.skip(wire);
  }
  return fields;
};

const textAt = (bytes: Uint8Array, number: number): string => Buffer.from(fieldsOf(bytes).get(number) ?? []).toString();

const errorInfoReason = (value: Uint8Array): string => textAt(value, 1);

/** Reason in the first detail of a google.rpc.Status. */
const statusReason = (status: Uint8Array): string =>
  errorInfoReason(fieldsOf(fieldsOf(status).get(3) ?? new Uint8Array()).get(2) ?? new Uint8Array());

const outcomeOf = (error: unknown): Outcome => {
  if (!(error instanceof ConnectError)) throw error;
  const info = error.details.find((detail) => 'type' in detail && detail.type === 'google.rpc.ErrorInfo');
  const reason = info !== undefined && 'value' in info ? errorInfoReason(info.value as Uint8Array) : '';
  return { code: codeName(error.code), message: error.rawMessage, reason };
};

const methodOf = (name: string) => {
  const method = GatewayService.methods.find((candidate) => candidate.name === name);
  if (method === undefined) throw new Error(name);
  return method;
};

/** JSON of a message after a trip through binary, which rounds floats alike. */
const canonical = (desc: DescMessage, message: Message): unknown =>
  toJson(desc, fromBinary(desc, toBinary(desc, message)));

const connectClient = (name: string, transport: Transport): TransportClient => {
  const client = createClient(GatewayService, transport) as Client<typeof GatewayService>;
  return {
    name,
    close: () => undefined,
    call: async (method, request) => {
      const desc = methodOf(method);
      const call = client[desc.localName as 'getAgent'] as (request: Record<string, unknown>) => Promise<object>;
      try {
        return { answer: canonical(desc.output, (await call(request)) as Message) };
      } catch (error) {
        return outcomeOf(error);
      }
    },
  };
};

const grpcJsClient = (address: string, token: string): TransportClient => {
  const client = new grpc.Client(address, grpc.credentials.createInsecure());
  return {
    name: 'grpc-js',
    close: () => client.close(),
    call: (method, request) => {
      const desc = methodOf(method);
      const metadata = new grpc.Metadata();
      metadata.set('authorization', token);
      return new Promise((resolve, reject) => {
        client.makeUnaryRequest(
          `/${GatewayService.typeName}/${method}`,
          (message: Record<string, unknown>) => Buffer.from(toBinary(desc.input, create(desc.input, message))),
          (bytes: Buffer) => fromBinary(desc.output, bytes),
          request,
          metadata,
          (error, answer) => {
            if (error === null && answer !== undefined) return resolve({ answer: canonical(desc.output, answer) });
            if (error === null) return reject(new Error('no answer'));
            const details = error.metadata.get('grpc-status-details-bin')[0];
            const reason = details === undefined ? 'no details' : statusReason(Buffer.from(details));
            resolve({ code: grpc.status[error.code] as string, message: error.details, reason });
          },
        );
      });
    },
  };
};

const restClient = (base: string, token: string, bind: RestBinding): TransportClient => ({
  name: 'rest',
  close: () => undefined,
  call: async (method, request) => {
    const desc = methodOf(method);
    const { verb, path, body } = bind(
      method,
      toJson(desc.input, create(desc.input, request)) as Record<string, unknown>,
    );
    const answer = await fetch(base + path, {
      method: verb,
      headers: { authorization: token, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const json = (await answer.json()) as JsonValue;
    if (answer.ok) return { answer: canonical(desc.output, fromJson(desc.output, json)) };
    const { error } = json as {
      error: { status: string; message: string; details: { '@type': string; reason?: string }[] };
    };
    const info = error.details.find((detail) => detail['@type'].endsWith('ErrorInfo'));
    return { code: error.status, message: error.message, reason: info?.reason ?? '' };
  },
});

export type RestBinding = (
  method: string,
  request: Record<string, unknown>,
) => { verb: string; path: string; body?: unknown };

/** Binds a request to REST by the descriptors' rules, independently of the server's own binder. */
export const bindRest = (
  table: readonly { name: string; http: { verb: string; path: string; body: string } }[],
): RestBinding => {
  return (method, request) => {
    const row = table.find((candidate) => candidate.name === method);
    if (row === undefined) throw new Error(method);
    const rest = { ...request };
    const path = row.http.path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const key = name.replace(/_(\w)/g, (_whole, letter: string) => letter.toUpperCase());
      const value = rest[key] as string;
      delete rest[key];
      return encodeURIComponent(value);
    });
    if (row.http.body === '*') return { verb: row.http.verb, path, body: rest };
    const query = new URLSearchParams();
    for (const [key, value] of Object.entries(rest)) {
      for (const item of Array.isArray(value) ? value : [value]) query.append(key, String(item));
    }
    return { verb: row.http.verb, path: query.size === 0 ? path : `${path}?${query}` };
  };
};

/** One client per transport and encoding, all with the same credential: the differential harness of the transports. */
export const allTransports = (base: string, token: string, bind: RestBinding): TransportClient[] => {
  const interceptors = [
    (next: (request: never) => Promise<never>) => (request: { header: Headers }) => {
      request.header.set('authorization', token);
      return next(request as never);
    },
  ] as never;
  const options = { baseUrl: base, interceptors };
  const proto = { ...options, useBinaryFormat: true };
  const json = { ...options, useBinaryFormat: false };
  return [
    restClient(base, token, bind),
    grpcJsClient(base.replace('http://', ''), token),
    connectClient('grpc+proto', createGrpcTransport(proto)),
    connectClient('grpc+json', createGrpcTransport(json)),
    connectClient('grpc-web+proto h1', createGrpcWebTransport({ ...proto, httpVersion: '1.1' })),
    connectClient('grpc-web+json h2', createGrpcWebTransport({ ...json, httpVersion: '2' })),
    connectClient('connect+proto h1', createConnectTransport({ ...proto, httpVersion: '1.1' })),
    connectClient('connect+json h2', createConnectTransport({ ...json, httpVersion: '2' })),
    connectClient('connect GET', createConnectTransport({ ...json, httpVersion: '1.1', useHttpGet: true })),
    connectClient('connect-web', createWebConnect(json)),
    connectClient('connect-web proto', createWebConnect(proto)),
    connectClient('grpc-web by fetch', createWebGrpcWeb(options)),
  ];
};
