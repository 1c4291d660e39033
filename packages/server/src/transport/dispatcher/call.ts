import type { CallContext, Caller, EarlyNames, SentMetadata } from '../../auth/contract.ts';
import { Fault, type Steps } from '../../base/index.ts';
import type { Exchange, HeaderList, StreamChunk } from '../http/index.ts';
import type { DeadlineEntry } from './deadline-queue.ts';
import type { MethodEntry } from './method-entry.ts';

/** Bodies up to this size are decoded in one go, which takes less than ten milliseconds at worst; larger ones in steps. */
export const DECODED_AT_ONCE_BYTES = 16 * 1024;

/** What one protocol does for a call; stateless, one object per protocol and variant. */
export interface Wire {
  /** `rest`, `grpc`, `grpc-web`, `connect`: for the request log and metrics. */
  readonly transport: string;
  /** Deadline asked by the client in milliseconds; throws INVALID_ARGUMENT when malformed. */
  timeoutMs(call: Call): number | undefined;
  /** Reads and decodes the request, then calls `call.execute` once, or `call.fail`, or throws a Fault. */
  read(call: Call): void;
  /** Answers a unary call, in steps of a few milliseconds: an answer may have megabytes. */
  answering(call: Call, message: object): Steps<void>;
  /** Answers with a fault before anything else was sent. */
  refuse(call: Call, fault: Fault): void;
  /** How the call's stream is cut into chunks. */
  framing(call: Call): Framing;
}

export interface Framing {
  headers(call: Call): HeaderList;
  /** True where the stream ends with HTTP trailers. */
  readonly hasTrailers?: boolean;
  /** Bytes of one message; the same message object gives the same chunk object. `isFirst` for lists with separators. */
  chunk(message: object, id: string, isFirst: boolean): StreamChunk;
  /** Sent right after the headers. */
  readonly opening?: StreamChunk;
  /** Sent every 15 s; absent where the protocol or HTTP/2 keeps the connection alive. */
  readonly keepAlive?: StreamChunk;
  /** Ends an open stream: with OK, or with a fault. */
  end(call: Call, fault: Fault | undefined, isFirst: boolean): void;
}

/** Caller before authentication and of operations that need none. */
export const ANONYMOUS: Caller = { identity: 'anonymous', subject: 'anonymous', mode: 'none', grants: [] };

/** What a call asks of the dispatcher that runs it. */
export interface CallRunner {
  execute(call: Call, request: object): void;
  /** Runs the decoding of a large request in the gaps of the event loop, then as execute. */
  executeSteps(call: Call, decoding: Steps<object>): void;
  /** Throws PERMISSION_DENIED where nothing of the request could be allowed. */
  authorizeEarly(call: Call, known: EarlyNames): void;
  fail(call: Call, error: unknown): void;
  /** The deadline passed. */
  expire(call: Call): void;
}

export interface CallParts {
  readonly runner: CallRunner;
  readonly wire: Wire;
  readonly method: MethodEntry;
  readonly exchange: Exchange;
  readonly requestId: string;
  readonly startedMs: number;
  /** Allowed origin that the answer names, '' when there is none. */
  readonly origin: string;
}

const traceParentForm = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The caller's trace context; a malformed one is ignored, as its standard wants. */
const readTraceParent = (exchange: Exchange): string | undefined => {
  const given = exchange.header('traceparent');
  return given !== undefined && traceParentForm.test(given) ? given : undefined;
};

/** CANCELLED for work whose caller went away. */
export const clientGone = (): Fault => new Fault('CANCELLED', 'CLIENT_GONE', 'the client went away');

/** One call from its route to its answer; also the context its handler sees. Small: thousands of idle streams hold one. */
export class Call implements CallContext {
  readonly wire: Wire;
  readonly method: MethodEntry;
  readonly exchange: Exchange;
  readonly requestId: string;
  readonly startedMs: number;
  readonly origin: string;
  readonly traceParent: string | undefined;
  readonly #runner: CallRunner;
  caller: Caller = ANONYMOUS;
  idempotencyKey = '';
  sentMetadata: SentMetadata | undefined;
  /** Decoded request, or the path variables of a plain route; kept for the names in it. */
  request: object | undefined;
  /** Values of the path variables, in the order of the template; REST only. */
  params: readonly string[] = [];
  /** Milliseconds the client gives the call, from `startedMs`. */
  timeoutMs: number | undefined;
  /** Headers a handler set. */
  extraHeaders: HeaderList | undefined;
  finished = false;
  /** True once a stream's headers are out. */
  opened = false;
  deadline: DeadlineEntry | undefined;
  #controller: AbortController | undefined;
  #abortReason: Fault | undefined;

  constructor(parts: CallParts) {
    this.#runner = parts.runner;
    this.wire = parts.wire;
    this.method = parts.method;
    this.exchange = parts.exchange;
    this.requestId = parts.requestId;
    this.startedMs = parts.startedMs;
    this.origin = parts.origin;
    this.traceParent = readTraceParent(parts.exchange);
  }

  get operation(): string {
    return this.method.operation;
  }

  /** Made at first use: most unary handlers never do. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#abortReason !== undefined) this.#controller.abort(this.#abortReason);
      else if (!this.method.streaming && !this.finished) this.exchange.onGone(() => this.abort(clientGone()));
    }
    return this.#controller.signal;
  }

  prefers(name: string): boolean {
    const wanted = this.exchange.header('prefer')?.split(/[,;]/) ?? [];
    return wanted.some((text) => text.trim().toLowerCase() === name);
  }

  /** Why the call was aborted, if it was. */
  get abortReason(): Fault | undefined {
    return this.#abortReason;
  }

  abort(reason: Fault): void {
    if (this.#abortReason !== undefined) return;
    this.#abortReason = reason;
    this.#controller?.abort(reason);
  }

  setHeader(name: string, value: string): void {
    this.extraHeaders ??= [];
    this.extraHeaders.push(name.toLowerCase(), value);
  }

  /** Hands a decoded request to authorisation and handler. */
  execute(request: object): void {
    this.#runner.execute(this, request);
  }

  /** As execute, for a request that is decoded in steps. */
  executeSteps(decoding: Steps<object>): void {
    this.#runner.executeSteps(this, decoding);
  }

  /** Throws PERMISSION_DENIED for a caller whom nothing in the request could be allowed, before it is decoded. */
  authorizeEarly(known: EarlyNames): void {
    this.#runner.authorizeEarly(this, known);
  }

  fail(error: unknown): void {
    this.#runner.fail(this, error);
  }

  expire(): void {
    this.#runner.expire(this);
  }
}
