import { create, type DescMessage, type MessageInitShape, type MessageShape } from '@bufbuild/protobuf';
import type { SessionMessagePartEvent } from '@svc/api/events';
import { GatewayService } from '@svc/api/gateway';
import type { CallContext } from '../../../../auth/contract.ts';
import { Fault, seededRandom, silentLog } from '../../../../base/index.ts';
import type { Operation, StreamSink } from '../../../../operations/index.ts';
import { ResourceViews } from '../../../../resources/index.ts';
import { eventSubject, type SessionEvent } from '../../../../runtime/contract.ts';
import { createHistoryReader } from '../../../../runtime/history/index.ts';
import { createStepInspector } from '../../../../runtime/inspection/index.ts';
import { promptCheck } from '../../../../runtime/prompt/index.ts';
import { CursorCodec, createAnswerCursors, StreamRegistry } from '../../../../runtime/stream/index.ts';
import { EngineHarness, type HarnessOptions } from '../../../../runtime/testing/engine-harness.ts';
import type { Store } from '../../../../store/contracts/index.ts';
import { type SessionsFeature, sessionsFeature } from '../session-operations.ts';
import type { SessionsDeps } from '../sessions-deps.ts';

/** Sink of a test: keeps what it was sent; `lag` makes it answer that the reader lags. */
export class TestSink implements StreamSink<SessionMessagePartEvent> {
  readonly events: SessionMessagePartEvent[] = [];
  opened = false;
  lag = false;
  #drained: (() => void) | undefined;
  readonly #waiting: { readonly fits: (event: SessionMessagePartEvent) => boolean; readonly resolve: () => void }[] =
    [];

  get writable(): boolean {
    return !this.lag;
  }

  open(): void {
    this.opened = true;
  }

  send(event: SessionMessagePartEvent): boolean {
    this.events.push(event);
    for (const wait of [...this.#waiting]) if (wait.fits(event)) wait.resolve();
    return !this.lag;
  }

  together(work: () => void): void {
    work();
  }

  onDrained(notify: () => void): void {
    this.#drained = notify;
  }

  drain(): void {
    this.lag = false;
    this.#drained?.();
  }

  /** Resolves once an event that fits was sent. */
  until(fits: (event: SessionMessagePartEvent) => boolean): Promise<void> {
    if (this.events.some(fits)) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ fits, resolve }));
  }

  /** Text of all DELTAs of one part type since the last RESET. */
  text(partType = 1): string {
    const reset = this.events.findLastIndex((event) => event.kind === 4);
    return this.events
      .slice(reset + 1)
      .filter((event) => event.kind === 1 && event.part?.partType === partType)
      .map((event) => event.part?.content)
      .join('');
  }
}

export interface CallOptions {
  readonly idempotencyKey?: string;
  readonly identity?: string;
  readonly signal?: AbortSignal;
  readonly headers?: Map<string, string>;
}

const limits: SessionsDeps['limits'] = {
  messageBytes: 1 << 20,
  responseBytes: 4 << 20,
  labels: 64,
  batchSessions: 10_000,
  waitSeconds: 300,
  idempotencyHours: 24,
  messageCacheBytes: 16 << 20,
};

type StreamStore = Pick<Store, 'read' | 'direct' | 'now' | 'steadyNow' | 'epoch'>;

const onlyDefault: Pick<SessionsDeps['namespaces'], 'requireLive' | 'labels'> = {
  requireLive: async (_tx, namespace) => {
    if (namespace !== 'default') throw new Fault('FAILED_PRECONDITION', 'NAMESPACE_MISSING', namespace);
  },
  labels: () => Promise.resolve({}),
};

/** The session operations on a real store, engine and demo model, called without a transport. */
export class SessionHarness {
  readonly engine: EngineHarness;
  readonly #overrides: Partial<SessionsDeps>;
  readonly #streamLimits: { readonly events: number; readonly bytes: number };
  operations: readonly Operation[] = [];
  /** Every event of the sessions made by `newSession`. */
  readonly events: SessionEvent[] = [];
  readonly #waiting = new Set<() => void>();
  /** Reads of the store that streams made. */
  streamReads = 0;
  streams!: StreamRegistry;
  deps!: SessionsDeps;
  chat!: SessionsFeature['chat'];
  console!: SessionsFeature['console'];

  constructor(
    options: HarnessOptions & {
      readonly overrides?: Partial<SessionsDeps>;
      readonly streamLimits?: { readonly events: number; readonly bytes: number };
    } = {},
  ) {
    this.engine = new EngineHarness({ namespaces: onlyDefault, ...options });
    this.#overrides = options.overrides ?? {};
    this.#streamLimits = options.streamLimits ?? { events: 1_024, bytes: 1 << 20 };
  }

  async start(): Promise<void> {
    await this.engine.start();
    const { store, bus, clock, ids, runtime, objects, models } = this.engine;
    const streamDeps = {
      store: this.#countingReads(store),
      bus,
      clock,
      log: silentLog,
      liveTurns: runtime.live,
      historySeconds: 600,
      untilDoneIdleMs: 30_000,
    };
    this.streams = new StreamRegistry({ ...streamDeps, limits: this.#streamLimits });
    this.deps = {
      store,
      bus,
      clock,
      ids,
      admission: runtime.admission,
      lifecycle: runtime.lifecycle,
      streams: this.streams,
      cursors: createAnswerCursors(new CursorCodec(store.epoch)),
      models,
      promptCheck,
      steps: createStepInspector({
        store,
        models,
        history: createHistoryReader(),
        readObject: (namespace, object) => objects.read(namespace, object),
      }),
      agents: {
        current: (_tx, _ns, name) => Promise.resolve(this.engine.agents.get(name)),
        revision: (_tx, current) => Promise.resolve(current),
        noteSession: async () => undefined,
      },
      namespaces: {
        ...onlyDefault,
        descendants: () => Promise.resolve(['default:below']),
      },
      objects,
      links: { isOn: true, random: seededRandom(11), baseUrl: () => 'http://svc.test' },
      fetcher: { fetch: () => Promise.reject(new Fault('INVALID_ARGUMENT', 'FIELD_INVALID', 'not fetched in tests')) },
      authorizer: { allows: ({ grants }) => grants.some(({ namespace }) => namespace === undefined) },
      audit: (tx, origin, entry) =>
        tx.audit.append({
          id: ids.next(),
          at: tx.now(),
          requestId: origin.requestId,
          identity: origin.caller.identity,
          operation: origin.operation,
          ...entry,
        }),
      views: new ResourceViews(),
      // No message of a test came from a platform.
      deliveries: {
        setStatus: () =>
          Promise.reject(new Fault('INVALID_ARGUMENT', 'DELIVERY_STATUS', 'the message has no delivery')),
        appended: async (_tx, { message }) => message.labels,
      },
      limits,
      ...this.#overrides,
    };
    const { operations, chat, console } = sessionsFeature(this.deps);
    this.operations = operations;
    this.chat = chat;
    this.console = console;
  }

  #countingReads(store: Store): StreamStore {
    const count = (): Store => {
      this.streamReads += 1;
      return store;
    };
    return {
      epoch: store.epoch,
      now: () => store.now(),
      steadyNow: () => store.steadyNow(),
      read: (work) => count().read(work),
      get direct() {
        return count().direct;
      },
    };
  }

  async newSession(
    agent = 'helper',
  ): Promise<{ readonly sessionId: string; readonly ns: string; readonly agent: string }> {
    const { sessionId } = await this.call(GatewayService.method.createSession, { ns: 'default', agent });
    this.engine.bus.subscribe(eventSubject(sessionId), (message) => {
      this.events.push(message as SessionEvent);
      for (const wake of [...this.#waiting]) wake();
    });
    return { ns: 'default', agent, sessionId };
  }

  /** Resolves with the first event that fits, past ones included. */
  event(fits: (event: SessionEvent) => boolean): Promise<SessionEvent> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = this.events.find(fits);
        if (found === undefined) return;
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }

  ended(turnId: string): Promise<SessionEvent> {
    return this.event((event) => event.turnId === turnId && (event.kind === 2 || event.kind === 3));
  }

  async close(): Promise<void> {
    this.streams.shutDown();
    await this.engine.stop();
    await this.engine.dispose();
  }

  context(operation: string, options: CallOptions = {}): CallContext {
    return {
      requestId: 'r1',
      caller: { identity: options.identity ?? 'token', subject: 'token', mode: 'token', grants: [] },
      operation,
      idempotencyKey: options.idempotencyKey ?? '',
      signal: options.signal ?? new AbortController().signal,
      setHeader: (name, value) => options.headers?.set(name, value),
    };
  }

  /** Calls a unary operation by its name. */
  async call<I extends DescMessage, O extends DescMessage>(
    method: { readonly localName: string; readonly name: string; readonly input: I; readonly output: O },
    request: MessageInitShape<I>,
    options: CallOptions = {},
  ): Promise<MessageShape<O>> {
    const operation = this.operations.find((each) => each.method.name === method.name);
    if (operation?.kind !== 'unary') throw new Error(`no operation ${method.name}`);
    const answer = await operation.handle(create(method.input, request), this.context(method.name, options));
    return create(method.output, answer as MessageInitShape<O>) as MessageShape<O>;
  }

  /** Opens a stream; `ended` settles as the stream does. */
  stream<I extends DescMessage>(
    method: { readonly name: string; readonly input: I },
    request: MessageInitShape<I>,
    sink = new TestSink(),
  ): { readonly sink: TestSink; readonly ended: Promise<void>; readonly abort: () => void } {
    const operation = this.operations.find((each) => each.method.name === method.name);
    if (operation?.kind !== 'stream') throw new Error(`no stream ${method.name}`);
    const control = new AbortController();
    const context = this.context(method.name, { signal: control.signal });
    const ended = operation.handle(create(method.input, request), context, sink as never);
    ended.catch(() => undefined);
    return { sink, ended, abort: () => control.abort() };
  }
}
