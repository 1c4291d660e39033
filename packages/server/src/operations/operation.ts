import type {
  DescMessage,
  DescMethod,
  DescMethodServerStreaming,
  DescMethodUnary,
  MessageShape,
} from '@bufbuild/protobuf';
import type { OperationAccess } from '../auth/contract.ts';
import type { BodyForm } from './bodies/index.ts';
import {
  type StreamEndpoint,
  type StreamHandler,
  serverStream,
  type UnaryEndpoint,
  type UnaryHandler,
  unary,
} from './handler.ts';
import type { ByteLimit } from './plain-route.ts';

/** What is declared of an operation in addition to its handler. */
interface Declared {
  /** What a caller needs for it, and where its target is in the request. */
  readonly access: OperationAccess;
  /** True where an idempotency key is honoured; everywhere else it is ignored. */
  readonly repeatable: boolean;
  /** Form of the REST body; absent where it is the JSON of the request as it is. */
  readonly body?: BodyForm;
  /** Largest request; absent = `limits.requestBytes`. */
  readonly bodyLimit?: ByteLimit;
  /** True where fields of a JSON body that are not known are left out: its callers may be of a later release. */
  readonly ignoresUnknown?: true;
  /** Field of the request that takes a whole YAML body, by its local name; absent where only JSON is taken. */
  readonly yamlField?: string;
}

export interface UnaryOperation extends UnaryEndpoint, Declared {
  /** Seconds that a request wants to wait for its outcome: its deadline moves by as much. Absent where none waits. */
  readonly waits?: WaitSeconds;
}

export interface StreamOperation extends StreamEndpoint, Declared {
  /** Field with the cursor to resume from, by its local name: an event stream that is opened again fills it by itself. */
  readonly cursorField?: string;
}

/** An operation of the API that this version does not serve: it answers UNIMPLEMENTED. */
export interface UnservedOperation extends Declared {
  readonly kind: 'unserved';
  readonly method: DescMethod;
}

/** One call of the API as its feature declares it: once, with everything that others have to know of it. */
export type Operation = UnaryOperation | StreamOperation | UnservedOperation;

/** Reads from a request how long it wants to wait. */
export type WaitSeconds = (request: never) => number | undefined;

type FieldOf<I extends DescMessage> = Exclude<keyof MessageShape<I>, '$typeName' | '$unknown'> & string;

interface Facts<I extends DescMessage> {
  readonly access: OperationAccess;
  readonly repeatable?: true;
  readonly body?: BodyForm;
  readonly bodyLimit?: ByteLimit;
  readonly ignoresUnknown?: true;
  readonly yamlField?: FieldOf<I>;
}

interface UnaryFacts<I extends DescMessage, O extends DescMessage> extends Facts<I> {
  readonly waits?: (request: MessageShape<I>) => number | undefined;
  readonly handle: UnaryHandler<I, O>;
}

interface StreamFacts<I extends DescMessage, O extends DescMessage> extends Facts<I> {
  readonly cursorField?: FieldOf<I>;
  readonly handle: StreamHandler<I, O>;
}

interface Declare {
  <I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    facts: UnaryFacts<I, O>,
  ): UnaryOperation;
  <I extends DescMessage, O extends DescMessage>(
    method: DescMethodServerStreaming<I, O>,
    facts: StreamFacts<I, O>,
  ): StreamOperation;
}

/** Declares an operation: its descriptor, its handler, and what auth and transport have to know of it. */
export const operation: Declare = ((method: DescMethodUnary | DescMethodServerStreaming, facts: AnyFacts) => {
  const { handle, ...declared } = facts;
  const endpoint =
    method.methodKind === 'unary'
      ? unary(method, handle as UnaryHandler<DescMessage, DescMessage>)
      : serverStream(method, handle as StreamHandler<DescMessage, DescMessage>);
  return { repeatable: false, ...declared, ...endpoint };
}) as Declare;

type AnyFacts = UnaryFacts<DescMessage, DescMessage> | StreamFacts<DescMessage, DescMessage>;

/** The full name of an operation, such as `package.Service/Method`: in logs, audit records and idempotency records. */
export const operationName = ({ parent, name }: DescMethod): string => `${parent.typeName}/${name}`;
