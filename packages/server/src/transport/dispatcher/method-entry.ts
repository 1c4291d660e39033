import type { DescMessage, DescMethod } from '@bufbuild/protobuf';
import { type HttpBinding, methods } from '@svc/api/methods';
import type { Operation } from '../../operations/index.ts';

/** One operation as transport serves it. */
export interface MethodEntry {
  /** `svc.gateway.GatewayService/GetAgent`. */
  readonly operation: string;
  /** `/svc.gateway.GatewayService/GetAgent`: path of gRPC, gRPC-web and Connect. */
  readonly rpcPath: string;
  readonly streaming: boolean;
  /** True where the client streams too: the handler gets RequestMessages for its request. */
  readonly clientStreaming: boolean;
  readonly input: DescMessage;
  readonly output: DescMessage;
  /** Absent for the standard services, which have no REST form. */
  readonly http: HttpBinding | undefined;
  /** False: the operation is known, but nothing serves it here (UNIMPLEMENTED). */
  readonly mounted: boolean;
  /** Absent for plain HTTP routes, whose wire serves them itself. */
  readonly handler: Operation | undefined;
  /** False only for the health service, which answers like /readyz. */
  readonly authenticated: boolean;
  /** True where any valid credential will do: no grant is asked for. */
  readonly anyCredential: boolean;
  /** True where an idempotency key is honoured; everywhere else it is ignored. */
  readonly repeatable: boolean;
}

/** An operation outside the product's services: health, reflection. */
export interface StandardOperation {
  readonly operation: Operation;
  readonly authenticated: boolean;
  readonly anyCredential?: true;
}

/** Operations that honour an idempotency key. */
const REPEATABLE: ReadonlySet<string> = new Set([
  'svc.gateway.GatewayService/CreateSession',
  'svc.gateway.GatewayService/SendMessage',
  'svc.gateway.GatewayService/AppendSessionMessage',
  'svc.gateway.GatewayService/PostChannelMessage',
  'svc.gateway.WorkflowService/CreateRun',
]);

const nameOf = (descriptor: DescMethod): string => `${descriptor.parent.typeName}/${descriptor.name}`;

/**
 * The one method table: every operation of the descriptors with what was mounted for it. Throws when an operation is
 * mounted twice or belongs to no service of the product.
 */
export const methodTable = (
  operations: readonly Operation[],
  standard: readonly StandardOperation[],
): MethodEntry[] => {
  const mounted = new Map<string, Operation>();
  for (const operation of operations) {
    const name = nameOf(operation.method);
    if (mounted.has(name)) throw new Error(`${name} is mounted twice`);
    mounted.set(name, operation);
  }
  const entries = methods.map((method): MethodEntry => {
    const operation = `${method.service}/${method.name}`;
    const handler = mounted.get(operation);
    mounted.delete(operation);
    const { rpcPath, input, output, http } = method;
    return {
      operation,
      rpcPath,
      streaming: method.kind === 'server_streaming',
      clientStreaming: false,
      input,
      output,
      http,
      handler,
      mounted: handler !== undefined,
      authenticated: true,
      anyCredential: false,
      repeatable: REPEATABLE.has(operation),
    };
  });
  const [stranger] = mounted.keys();
  if (stranger !== undefined) throw new Error(`${stranger} is not an operation of the API`);
  for (const { operation: handler, authenticated, anyCredential = false } of standard) {
    const { input, output } = handler.method;
    const operation = nameOf(handler.method);
    const clientStreaming = (handler.method as DescMethod).methodKind === 'bidi_streaming';
    const streaming = handler.kind === 'stream';
    const base = { operation, rpcPath: `/${operation}`, streaming, clientStreaming, input, output };
    entries.push({ ...base, http: undefined, handler, mounted: true, authenticated, anyCredential, repeatable: false });
  }
  return entries;
};
