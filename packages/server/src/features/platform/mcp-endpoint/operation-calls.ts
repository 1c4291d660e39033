import { create, fromJson, type JsonObject, type Message, toJson } from '@bufbuild/protobuf';
import type { Authorizer, CallContext } from '../../../auth/contract.ts';
import { Fault } from '../../../base/index.ts';
import { type Operation, operationName, type UnaryOperation } from '../../../operations/index.ts';

/** What of a call goes with each operation that it needs. */
export interface CallFacts {
  readonly context: CallContext;
  readonly signal: AbortSignal;
  readonly idempotencyKey: string;
}

/** Operations by the name of their method, called as their caller would call them. */
export class OperationCalls {
  readonly #operations: () => readonly Operation[];
  readonly #authorizer: Pick<Authorizer, 'authorize'>;
  #unary: ReadonlyMap<string, UnaryOperation> | undefined;

  /** `operations` answers them once all features are wired. */
  constructor(operations: () => readonly Operation[], authorizer: Pick<Authorizer, 'authorize'>) {
    this.#operations = operations;
    this.#authorizer = authorizer;
  }

  get all(): ReadonlyMap<string, UnaryOperation> {
    const declared = this.#operations().filter((one): one is UnaryOperation => one.kind === 'unary');
    this.#unary ??= new Map(declared.map((one) => [one.method.name, one]));
    return this.#unary;
  }

  /** Authorises and runs one; the answer as JSON. Throws the Fault that every other way of calling it would answer. */
  async run(name: string, input: JsonObject, { context, signal, idempotencyKey }: CallFacts): Promise<JsonObject> {
    const operation = this.all.get(name);
    if (operation === undefined) throw new Fault('UNIMPLEMENTED', 'METHOD_UNKNOWN', `${name} is not served here`);
    const { method, access, handle } = operation;
    const request = decoded(operation, input);
    this.#authorizer.authorize(access, request, context.caller);
    const { caller, requestId, traceParent } = context;
    const answer = await handle(request, {
      operation: operationName(method),
      caller,
      requestId,
      idempotencyKey,
      traceParent,
      signal,
      setHeader: () => undefined,
    });
    return toJson(method.output, create(method.output, answer)) as JsonObject;
  }
}

const decoded = ({ method }: UnaryOperation, input: JsonObject): Message => {
  try {
    return fromJson(method.input, input);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    throw new Fault('INVALID_ARGUMENT', 'JSON_INVALID', text, {
      violations: [{ field: '', description: text, reason: 'JSON_INVALID' }],
    });
  }
};
