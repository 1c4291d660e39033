import type { DescMessage, DescMethod } from '@bufbuild/protobuf';
import { type HttpBinding, type Method, methods } from '@svc/api/methods';
import type { OperationAccess } from '../../auth/contract.ts';
import {
  type ByteLimit,
  type Endpoint,
  type Operation,
  operationName,
  type WaitSeconds,
} from '../../operations/index.ts';

/** One operation as transport serves it. */
export interface MethodEntry {
  /** `package.Service/Method`. */
  readonly operation: string;
  /** `/package.Service/Method`: path of gRPC, gRPC-web and Connect. */
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
  readonly handler: Endpoint | undefined;
  /** False only for the health service, which answers like /readyz. */
  readonly authenticated: boolean;
  /** What a caller needs; undefined where any valid credential will do, or a plain route asks by itself. */
  readonly access: OperationAccess | undefined;
  /** True where an idempotency key is honoured; everywhere else it is ignored. */
  readonly repeatable: boolean;
  /** Reads from a request how long it wants to wait; undefined where none does. */
  readonly waits: WaitSeconds | undefined;
  /** Largest request; undefined = `limits.requestBytes`. */
  readonly bodyLimit: ByteLimit | undefined;
  /** What the declaration of the operation says of its REST form; undefined where it declares none. */
  readonly rest: RestFacts | undefined;
}

/** What operations declare for REST alone. */
type RestFacts = Pick<Operation, 'body' | 'yamlField' | 'ignoresUnknown'> & { readonly cursorField?: string };

/** An operation outside the product's services: health, reflection. No grant is asked for. */
export interface StandardOperation {
  readonly endpoint: Endpoint;
  readonly authenticated: boolean;
}

/**
 * The one method table: every operation of the descriptors with what was declared of it. Throws when an operation is
 * declared twice or belongs to no service of the product.
 */
export const methodTable = (
  operations: readonly Operation[],
  standard: readonly StandardOperation[],
): MethodEntry[] => {
  const declared = new Map<string, Operation>();
  for (const operation of operations) {
    const name = operationName(operation.method);
    if (declared.has(name)) throw new Error(`${name} is mounted twice`);
    declared.set(name, operation);
  }
  const entries = methods.map((method) => {
    const name = `${method.service}/${method.name}`;
    const operation = declared.get(name);
    declared.delete(name);
    return productEntry(name, method, operation);
  });
  const [stranger] = declared.keys();
  if (stranger !== undefined) throw new Error(`${stranger} is not an operation of the API`);
  return [...entries, ...standard.map(standardEntry)];
};

const productEntry = (operation: string, method: Method, declared: Operation | undefined): MethodEntry => {
  const { rpcPath, input, output, http } = method;
  const handler = declared === undefined || declared.kind === 'unserved' ? undefined : declared;
  return {
    operation,
    rpcPath,
    streaming: method.kind === 'server_streaming',
    clientStreaming: false,
    input,
    output,
    http,
    mounted: handler !== undefined,
    handler,
    authenticated: true,
    access: declared?.access,
    repeatable: declared?.repeatable === true,
    waits: handler?.kind === 'unary' ? handler.waits : undefined,
    bodyLimit: declared?.bodyLimit,
    rest: declared,
  };
};

const standardEntry = ({ endpoint, authenticated }: StandardOperation): MethodEntry => {
  const { input, output } = endpoint.method;
  const operation = operationName(endpoint.method);
  return {
    operation,
    rpcPath: `/${operation}`,
    streaming: endpoint.kind === 'stream',
    clientStreaming: (endpoint.method as DescMethod).methodKind === 'bidi_streaming',
    input,
    output,
    http: undefined,
    mounted: true,
    handler: endpoint,
    authenticated,
    access: undefined,
    repeatable: false,
    waits: undefined,
    bodyLimit: undefined,
    rest: undefined,
  };
};

/** The parts of a wire with the limit of the operation it serves. */
export const limitedBy = <Parts extends { readonly requestLimit: ByteLimit }>(
  { bodyLimit }: MethodEntry,
  parts: Parts,
): Parts => (bodyLimit === undefined ? parts : { ...parts, requestLimit: bodyLimit });
