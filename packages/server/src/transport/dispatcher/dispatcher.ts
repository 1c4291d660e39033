import type {
  Authenticator,
  Authorizer,
  Caller,
  EarlyAuthorizer,
  EarlyNames,
  OperationAccess,
} from '../../auth/contract.ts';
import { type Clock, Fault, type Ids, type Log, LoopShare, type Steps } from '../../base/index.ts';
import type { TransportParts } from '../contract.ts';
import { boundedFault } from '../faults/index.ts';
import type { Exchange } from '../http/index.ts';
import { ANONYMOUS, Call, type CallRunner, clientGone, type Wire } from './call.ts';
import { CallSink, type SinkOwner } from './call-sink.ts';
import { DeadlineQueue } from './deadline-queue.ts';
import type { MethodEntry } from './method-entry.ts';
import { StreamRegistry } from './stream-registry.ts';

const printable = /^[\x21-\x7e](?:[\x20-\x7e]{0,126}[\x21-\x7e])?$/;
const idempotencyKeyForm = /^[\x20-\x7e]{1,255}$/;

interface DispatcherParts {
  readonly config: Pick<TransportParts['config'], 'unaryDeadlineMs' | 'waitDeadlineMs'>;
  readonly authenticator: Authenticator;
  readonly callbacks: Authenticator;
  readonly authorizer: Authorizer & EarlyAuthorizer;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly onCall?: TransportParts['onCall'];
}

interface StartParts {
  readonly wire: Wire;
  readonly method: MethodEntry;
  readonly exchange: Exchange;
  readonly origin: string;
  readonly params?: readonly string[];
}

/** UNAVAILABLE for calls that come while the server drains. */
export const shuttingDown = (cursor = ''): Fault =>
  new Fault('UNAVAILABLE', 'SHUTTING_DOWN', 'the server is shutting down', {
    ...(cursor === '' ? {} : { metadata: { cursor } }),
  });

/**
 * Runs every call the same way, whatever protocol brought it: request id, authentication, decoding (by the wire),
 * authorisation, handler, deadline, end. Nothing here knows HTTP statuses or encodings.
 */
export class Dispatcher implements CallRunner, SinkOwner {
  readonly streams: StreamRegistry;
  readonly #parts: DispatcherParts;
  readonly #deadlines: DeadlineQueue;
  readonly #pending = new Set<() => void>();
  /** Large requests and answers of all callers take turns. */
  readonly #inGaps = new LoopShare();
  #openCalls = 0;
  #draining = false;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    this.#deadlines = new DeadlineQueue(parts.clock, parts.config.unaryDeadlineMs);
    this.streams = new StreamRegistry(parts.clock);
  }

  get clock(): Clock {
    return this.#parts.clock;
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** The caller's request id when it is printable and at most 128 characters, else a new one. */
  requestId(exchange: Exchange): string {
    const given = exchange.header('x-request-id');
    return given !== undefined && printable.test(given) ? given : this.#parts.ids.next();
  }

  /** Starts a routed call. */
  start(parts: StartParts): void {
    const { wire, method, exchange, origin } = parts;
    const startedMs = this.#parts.clock.monotonicMs();
    const call = new Call({
      runner: this,
      wire,
      method,
      exchange,
      origin,
      startedMs,
      requestId: this.requestId(exchange),
    });
    if (parts.params !== undefined) call.params = parts.params;
    this.#openCalls += 1;
    try {
      if (this.#draining && method.authenticated) throw shuttingDown();
      const caller = method.authenticated ? this.authenticate(exchange, method.access) : ANONYMOUS;
      if (caller instanceof Promise) {
        caller.then(
          (known) => this.#proceed(call, known),
          (error: unknown) => this.fail(call, error),
        );
      } else this.#proceed(call, caller);
    } catch (error) {
      this.fail(call, error);
    }
  }

  authenticate(exchange: Exchange, access?: OperationAccess): Caller | Promise<Caller> {
    const { authenticator, callbacks } = this.#parts;
    return (access?.need === 'callback' ? callbacks : authenticator).authenticate(exchange);
  }

  #proceed(call: Call, caller: Caller): void {
    call.caller = caller;
    if (call.method.authenticated) call.exchange.trust();
    try {
      if (!call.method.mounted) {
        throw new Fault('UNIMPLEMENTED', 'METHOD_UNKNOWN', `${call.operation} is not served here`);
      }
      if (call.method.repeatable) call.idempotencyKey = readIdempotencyKey(call.exchange);
      call.timeoutMs = call.wire.timeoutMs(call);
      call.wire.read(call);
      if (call.request === undefined && !call.finished) this.#awaitBody(call);
    } catch (error) {
      this.fail(call, error);
    }
  }

  /** A body may never come whole: its sender goes away, or is silent until the deadline. Both end the call. */
  #awaitBody(call: Call): void {
    this.#armDeadline(call, 0);
    call.exchange.onGone(() => {
      if (call.request === undefined) this.fail(call, clientGone());
    });
  }

  authorizeEarly(call: Call, known: EarlyNames): void {
    const { access } = call.method;
    if (access !== undefined) this.#parts.authorizer.authorizeEarly(access, known, call.caller);
  }

  executeSteps(call: Call, decoding: Steps<object>): void {
    this.#inGaps.run(whileOpen(call, decoding)).then(
      (request) => {
        if (request !== undefined) this.execute(call, request);
      },
      (error: unknown) => this.fail(call, error),
    );
  }

  execute(call: Call, request: object): void {
    if (call.finished) return;
    const { handler, access, waits } = call.method;
    call.request = request;
    try {
      if (handler === undefined) throw new Error(`${call.operation} has no handler`);
      if (access !== undefined) this.#parts.authorizer.authorize(access, request, call.caller);
      if (handler.kind === 'stream') return this.#stream(call, request, handler.handle);
      const waitMs = waits === undefined ? 0 : this.#waitMs(waits(request as never));
      if (call.deadline === undefined || waitMs > 0) this.#armDeadline(call, waitMs);
      handler.handle(request as never, call).then(
        (answer) => this.#succeed(call, answer),
        (error: unknown) => this.fail(call, error),
      );
    } catch (error) {
      this.fail(call, error);
    }
  }

  /** What a request that wants to wait adds to its deadline, within the cap. */
  #waitMs(seconds: number | undefined): number {
    return seconds === undefined ? 0 : Math.min(seconds * 1000, this.#parts.config.waitDeadlineMs);
  }

  #succeed(call: Call, answer: object): void {
    if (call.finished) return;
    try {
      const answering = call.wire.answering(call, answer);
      if (answering.next().done === true) return this.#finish(call);
      this.#inGaps.run(whileOpen(call, answering)).then(
        () => this.complete(call),
        (error: unknown) => this.fail(call, error),
      );
    } catch (error) {
      this.fail(call, error);
    }
  }

  /** Ends a call whose wire answered by itself. */
  complete(call: Call): void {
    if (!call.finished) this.#finish(call);
  }

  /** Ends a call that failed after its answer began, when nothing can be said to the client any more. */
  endBroken(call: Call, error: unknown): void {
    if (!call.finished) this.#finish(call, this.faultOf(error, call.requestId));
  }

  fail(call: Call, error: unknown): void {
    if (call.finished) return;
    const fault = this.faultOf(error, call.requestId);
    this.#finish(call, fault);
    if (!call.exchange.closed) call.wire.refuse(call, fault);
  }

  /** A Fault within its bounds; anything else becomes INTERNAL, its cause in the log only. */
  faultOf(error: unknown, requestId: string): Fault {
    if (error instanceof Fault) return boundedFault(error);
    this.#parts.log.error('call failed unexpectedly', { request_id: requestId }, error);
    return new Fault('INTERNAL', 'INTERNAL', `internal error; request id ${requestId}`, {
      metadata: { request_id: requestId },
    });
  }

  #stream(call: Call, request: object, handle: (request: never, call: Call, sink: CallSink) => Promise<void>): void {
    const sink = new CallSink(call, call.wire.framing(call), this);
    this.#streamTimeout(call, sink);
    call.exchange.onGone(() => {
      call.abort(clientGone());
      this.#endStream(sink, clientGone());
    });
    if (call.finished) return;
    handle(request as never, call, sink).then(
      () => this.#endStream(sink, undefined),
      (error: unknown) => this.#endStream(sink, error),
    );
  }

  /** Streams have no deadline of their own; one that the client asked for holds. */
  #streamTimeout(call: Call, sink: CallSink): void {
    call.deadline?.cancel();
    if (call.timeoutMs === undefined) return;
    const { clock } = this.#parts;
    const leftMs = call.startedMs + call.timeoutMs - clock.monotonicMs();
    const stop = clock.after(Math.max(0, leftMs), () => {
      const late = new Fault('DEADLINE_EXCEEDED', 'DEADLINE', 'the deadline of the call passed');
      call.abort(late);
      this.#endStream(sink, late);
    });
    call.deadline = { cancel: stop };
  }

  #endStream(sink: CallSink, error: unknown): void {
    const { call } = sink;
    if (call.finished) return;
    const fault = error === undefined ? undefined : this.faultOf(error, call.requestId);
    this.#finish(call, fault);
    try {
      sink.finish(fault);
    } catch (failure) {
      this.#parts.log.error('ending a stream failed', { request_id: call.requestId }, failure);
    }
    // Last: a stream that ends without a message is opened by its end.
    this.streams.delete(sink);
    call.abort(fault ?? clientGone());
  }

  opened(sink: CallSink): void {
    this.streams.add(sink);
    if (this.#draining) this.shutDown(sink);
  }

  recheck(sink: CallSink): void {
    this.checkCredential(sink.call, (error) => this.#endStream(sink, error));
  }

  /**
   * Streams outlive neither their credential nor what it grants: both are checked again at each keep-alive. A plain
   * route authorises by itself.
   */
  checkCredential(call: Call, refuse: (error: unknown) => void): void {
    if (!call.method.authenticated || call.finished) return;
    const isStillAllowed = (caller: Caller): void => {
      const { access } = call.method;
      if (call.finished || access === undefined) return;
      this.#parts.authorizer.authorize(access, call.request, caller);
    };
    try {
      const { expiresAt } = call.caller;
      if (expiresAt !== undefined && expiresAt <= this.#parts.clock.nowMicros()) {
        throw new Fault('UNAUTHENTICATED', 'CREDENTIALS_EXPIRED', 'the credential expired');
      }
      const again = this.authenticate(call.exchange, call.method.access);
      if (again instanceof Promise) again.then(isStillAllowed).catch(refuse);
      else isStillAllowed(again);
    } catch (error) {
      refuse(error);
    }
  }

  shutDown(sink: CallSink): void {
    this.#endStream(sink, shuttingDown(sink.lastId));
  }

  /** Counted from the start of the call; replaces the deadline under which its body was read. */
  #armDeadline(call: Call, waitMs: number): void {
    const { clock, config } = this.#parts;
    call.deadline?.cancel();
    if (call.timeoutMs === undefined && waitMs === 0) {
      call.deadline = this.#deadlines.add(call, call.startedMs);
      return;
    }
    const ownMs = config.unaryDeadlineMs + waitMs;
    const leftMs = call.startedMs + Math.min(ownMs, call.timeoutMs ?? ownMs) - clock.monotonicMs();
    call.deadline = { cancel: clock.after(Math.max(0, leftMs), () => this.expire(call)) };
  }

  expire(call: Call): void {
    if (call.finished) return;
    const late = new Fault('DEADLINE_EXCEEDED', 'DEADLINE', 'the deadline of the call passed');
    call.abort(late);
    this.fail(call, late);
  }

  #finish(call: Call, fault?: Fault): void {
    call.finished = true;
    call.deadline?.cancel();
    this.#openCalls -= 1;
    const { onCall, clock } = this.#parts;
    if (onCall !== undefined) {
      const { operation, requestId, traceParent, request } = call;
      const durationMs = clock.monotonicMs() - call.startedMs;
      onCall({
        operation,
        transport: call.wire.transport,
        code: fault?.code ?? 'OK',
        reason: fault?.reason ?? '',
        durationMs,
        requestId,
        identity: call.caller.identity,
        traceParent,
        request,
        isStream: call.method.streaming || call.opened,
      });
    }
    if (this.#openCalls === 0) for (const notify of [...this.#pending]) notify();
  }

  /** No new work; streams end with their cursor; resolves when every call has ended or `drainMs` passed. */
  async drain(drainMs: number): Promise<void> {
    this.#draining = true;
    this.streams.shutDown();
    if (this.#openCalls === 0) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        this.#pending.delete(done);
        stop();
        resolve();
      };
      const stop = this.#parts.clock.after(drainMs, done);
      this.#pending.add(done);
    });
  }

  close(): void {
    this.#draining = true;
    this.streams.shutDown();
    this.#deadlines.close();
  }
}

/** The work until its end, or until the call has ended without it: its deadline passed or its client left. */
function* whileOpen<T>(call: Call, steps: Steps<T>): Steps<T | undefined> {
  for (;;) {
    if (call.finished) return undefined;
    const step = steps.next();
    if (step.done === true) return step.value;
    yield;
  }
}

const readIdempotencyKey = (exchange: Exchange): string => {
  const key = exchange.header('idempotency-key');
  if (key === undefined) return '';
  if (idempotencyKeyForm.test(key)) return key;
  throw new Fault('INVALID_ARGUMENT', 'FIELD_INVALID', 'idempotency-key: must be 1 to 255 printable ASCII characters', {
    violations: [
      { field: 'idempotency-key', description: 'must be 1 to 255 printable ASCII characters', reason: 'FIELD_INVALID' },
    ],
  });
};
