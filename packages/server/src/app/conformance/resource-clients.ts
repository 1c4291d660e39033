import { create, type DescMessage, fromJson, type JsonValue, type Message, toJson } from '@bufbuild/protobuf';
import { type Client, createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { ResourceService } from '@svc/api/gateway';
import { methods } from '@svc/api/methods';
import { bindRest } from '../../transport/testing/all-transports.ts';

export type ResourceClient = Client<typeof ResourceService>;

/** The unary operations of ResourceService as JSON over HTTP/1.1. */
const restClient = (base: string): ResourceClient => {
  const bind = bindRest(methods);
  const call = (name: string) => async (request: object) => {
    const method = methods.find((row) => row.name === name && row.service === ResourceService.typeName);
    if (method === undefined) throw new Error(`no operation ${name}`);
    const json = toJson(method.input, create(method.input, request as never)) as Record<string, unknown>;
    const { verb, path, body } = bind(name, json);
    const answer = await fetch(base + path, {
      method: verb,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${name}: ${answer.status} ${text}`);
    return fromJson(method.output as DescMessage, JSON.parse(text) as JsonValue) as Message;
  };
  const names = ResourceService.methods.filter((method) => method.methodKind === 'unary');
  return Object.fromEntries(names.map((method) => [method.localName, call(method.name)])) as unknown as ResourceClient;
};

/** One client of ResourceService per transport and encoding. */
export const resourceClients = (baseUrl: string): Readonly<Record<string, ResourceClient>> => {
  const over = (transport: Transport): ResourceClient => createClient(ResourceService, transport);
  return {
    gRPC: over(createGrpcTransport({ baseUrl })),
    'gRPC JSON': over(createGrpcTransport({ baseUrl, useBinaryFormat: false })),
    'gRPC-web': over(createGrpcWebTransport({ baseUrl, httpVersion: '1.1' })),
    Connect: over(createConnectTransport({ baseUrl, httpVersion: '1.1' })),
    'Connect JSON': over(createConnectTransport({ baseUrl, httpVersion: '2', useBinaryFormat: false })),
    REST: restClient(baseUrl),
  };
};
