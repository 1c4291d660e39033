import type {
  DescMessage,
  DescMethodServerStreaming,
  DescMethodUnary,
  MessageInitShape,
  MessageShape,
} from '@bufbuild/protobuf';
import type { CallContext } from '../auth/contract.ts';

/** Answers one unary call; throws Fault. The answer may share frozen, cached messages: transport never changes it. */
export type UnaryHandler<I extends DescMessage, O extends DescMessage> = (
  request: MessageShape<I>,
  context: CallContext,
) => Promise<MessageShape<O> | MessageInitShape<O>>;

/**
 * Where a streaming handler writes. Sends are synchronous so that one event reaches thousands of readers without a promise
 * each; the same message object may be sent to many sinks and is encoded once per encoding.
 */
export interface StreamSink<T> {
  /** The subscription is open: headers go out now. Called once, before the first send; sends imply it. */
  open(): void;
  /** `id` is the SSE id (the cursor). False = the reader lags: hold further messages until `drained` fires. */
  send(message: T, id: string): boolean;
  /** Messages sent by `work`, which waits for nothing, leave in one write where the transport can; none is held longer. */
  together(work: () => void): void;
  /** Called every time a lagging reader has caught up. */
  onDrained(notify: () => void): void;
  /** True while nothing waits in the transport. */
  readonly writable: boolean;
}

/** Serves one stream: resolves for an OK end, rejects with a Fault; returns soon after `context.signal` aborts. */
export type StreamHandler<I extends DescMessage, O extends DescMessage> = (
  request: MessageShape<I>,
  context: CallContext,
  sink: StreamSink<MessageShape<O>>,
) => Promise<void>;

/** A handler bound to the descriptor of the operation that it serves. */
export interface UnaryEndpoint {
  readonly kind: 'unary';
  readonly method: DescMethodUnary;
  readonly handle: UnaryHandler<DescMessage, DescMessage>;
}

/** A streaming handler bound to the descriptor of the operation that it serves. */
export interface StreamEndpoint {
  readonly kind: 'stream';
  readonly method: DescMethodServerStreaming;
  readonly handle: StreamHandler<DescMessage, DescMessage>;
}

export type Endpoint = UnaryEndpoint | StreamEndpoint;

/** Binds a handler to its descriptor, keeping the types of both. */
export const unary = <I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  handle: UnaryHandler<I, O>,
): UnaryEndpoint => ({ kind: 'unary', method, handle: handle as unknown as UnaryHandler<DescMessage, DescMessage> });

/** Binds a streaming handler to its descriptor. */
export const serverStream = <I extends DescMessage, O extends DescMessage>(
  method: DescMethodServerStreaming<I, O>,
  handle: StreamHandler<I, O>,
): StreamEndpoint => ({ kind: 'stream', method, handle: handle as unknown as StreamHandler<DescMessage, DescMessage> });
