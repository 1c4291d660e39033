import { randomUUID } from 'node:crypto';
import { Health } from '@svc/api/health';
import { services } from '@svc/api/methods';
import { v1, v1alpha } from '@svc/api/reflection';
import { Fault } from '../base/index.ts';
import type { ByteLimit, HttpRoute } from '../operations/index.ts';
import { Codec } from './codec/index.ts';
import { ConnectProtocol } from './connect/index.ts';
import type { TransportConfig, TransportParts, TransportServer } from './contract.ts';
import { Dispatcher, methodTable } from './dispatcher/index.ts';
import { FaultWriter, headTooLarge } from './faults/index.ts';
import { GrpcProtocol } from './grpc/index.ts';
import { GrpcWebProtocol } from './grpc-web/index.ts';
import { type Exchange, OriginRules } from './http/index.ts';
import { type BrokenAnswer, type BrokenStatus, OnePort } from './listener/index.ts';
import { PlainWire, plainEntry } from './plain/index.ts';
import { PortRouter } from './port-router.ts';
import { RestProtocol, refusalHeaders } from './rest/index.ts';
import {
  DescriptorIndex,
  healthOperations,
  Readiness,
  reflectionOperations,
  standardRoutes,
} from './standard/index.ts';

/**
 * Opens the one port and serves every operation on every transport. Rejects when the address is taken or an
 * operation is mounted twice. The caller drains before it closes.
 */
export const createTransport = async (parts: TransportParts): Promise<TransportServer> => {
  const { config, clock, log } = parts;
  const dispatcher = new Dispatcher(parts);
  const readiness = new Readiness(parts.readiness, () => dispatcher.draining);
  const served = [...services, Health, v1.ServerReflection, v1alpha.ServerReflection];
  const serviceNames = new Set(served.map((service) => service.typeName));
  const reflection = config.reflection ? reflectionOperations(new DescriptorIndex(served)) : [];
  const standard = [...healthOperations(readiness, serviceNames, clock), ...reflection];
  const methods = methodTable(parts.operations, standard);
  const codec = new Codec({ depth: config.jsonDepth, elements: config.messageElements });
  const faults = new FaultWriter(
    codec,
    methods.map((method) => method.output),
  );
  const origins = new OriginRules(config);
  const routes: readonly HttpRoute[] = [...standardRoutes({ parts, readiness, methods }), ...parts.routes];
  const plain = routes.map((route) => ({
    route,
    method: plainEntry(route),
    wire: new PlainWire(route, { dispatcher, faults, origins }),
  }));
  const requestLimit: ByteLimit = { bytes: config.requestBytes, setting: 'limits.requestBytes' };
  const shared = { codec, faults, origins, requestLimit, dispatcher, methods };
  const rest = new RestProtocol({ ...shared, plain });
  const refusePlain = rest.refuse.bind(rest);
  const grpc = new GrpcProtocol({ ...shared, refusePlain });
  const grpcWeb = new GrpcWebProtocol({ ...shared, refusePlain });
  const connect = new ConnectProtocol(shared);
  const faultOf = (error: unknown): Fault => dispatcher.faultOf(error, randomUUID());
  const requestId = (exchange: Exchange): string => dispatcher.requestId(exchange);
  const router = new PortRouter({ config, origins, requestId, rest, grpc, grpcWeb, connect, faultOf });
  const refuseBroken = (status: BrokenStatus): BrokenAnswer => {
    const fault = brokenRequest(status, config);
    return { headers: refusalHeaders(fault, parts.ids.next()), body: faults.body(fault) };
  };
  const port = new OnePort({ config, clock, log, handle: (exchange) => router.handle(exchange), refuseBroken });
  const address = await port.listen();
  return {
    host: address.address,
    port: address.port,
    operations: parts.operations,
    openStreams: () => dispatcher.streams.size,
    drain: async () => {
      const drained = dispatcher.drain(config.drainMs);
      port.goAway();
      await drained;
    },
    renewTls: (tls) => port.renewTls(tls),
    close: async () => {
      dispatcher.close();
      port.close();
    },
  };
};

const TOO_MANY = 'the server has as many connections as it takes: try again later, or use fewer connections';
const RETRY_MS = 5000;

const brokenRequest = (status: BrokenStatus, limits: Pick<TransportConfig, 'urlBytes' | 'headerBytes'>): Fault => {
  if (status === 431) return headTooLarge(limits);
  if (status === 503) return new Fault('UNAVAILABLE', 'CONNECTIONS', TOO_MANY, { retryAfterMs: RETRY_MS });
  if (status === 408) return new Fault('DEADLINE_EXCEEDED', 'DEADLINE', 'the request did not arrive in time');
  return new Fault('INVALID_ARGUMENT', 'FIELD_INVALID', 'not an HTTP request');
};
