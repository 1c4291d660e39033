import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, type DescMessage, type MessageInitShape, type MessageShape } from '@bufbuild/protobuf';
import { methods } from '@svc/api/methods';
import type { CallContext } from '../../auth/contract.ts';
import { type Caller, createAuditAppender, GrantAuthorizer } from '../../auth/index.ts';
import { createIds, ManualClock, seededRandom, silentLog } from '../../base/index.ts';
import {
  GarbageCollector,
  type KindContract,
  type NamespaceFacts,
  QueueRunner,
  RESOURCES_CHANGED,
  StoreChangeFeed,
  TransactionalResourceWriter,
} from '../../controllers/index.ts';
import { defaultLabelLimits, ResourceViews } from '../../resources/index.ts';
import { createLocalBus } from '../../store/bus/local/index.ts';
import type { ResourceReads, Store, WriteTx } from '../../store/contracts/index.ts';
import { openSqliteStore } from '../../store/sqlite/index.ts';
import {
  AgentRevisionDrop,
  AgentSessions,
  type AgentSurroundings,
  agentContract,
  agentOperations,
  StoredAgentDirectory,
} from '../agents/index.ts';
import { accessOperations } from '../access/index.ts';
import type { Operation, StreamSink } from '../contract.ts';
import { resourceOperations, sessionContract } from '../manifests/index.ts';
import {
  descendantRecords,
  ensureNamespaces,
  NamespaceAncestry,
  NamespaceDirectory,
  NamespacePurge,
  NamespaceService,
  namespaceContract,
  namespaceOperations,
} from '../namespaces/index.ts';

export const ADMIN: Caller = {
  identity: 'anonymous',
  subject: 'anonymous',
  mode: 'none',
  grants: [{ role: 'admin', readSecrets: true }],
};

const RESPONSE_BYTES = 4 * 1024 * 1024;

/** Models, toolsets and harnesses as tests need them; members may be replaced. */
export const testSurroundings = (): { -readonly [K in keyof AgentSurroundings]: AgentSurroundings[K] } => ({
  models: {
    defaultTarget: { provider: 'demo', model: 'echo' },
    hasProvider: (provider) => provider === 'demo' || provider === 'openai',
    facts: () => ({ inputs: ['text'], tools: true, temperature: true, thinking: 'none', known: true }),
  },
  capabilityProblems: (capabilities) =>
    Object.keys(capabilities)
      .filter((name) => name !== 'files')
      .map((name) => `unknown capability ${name}`),
  isToolsetAvailable: (name) => name === 'files',
  hasHarness: (name) => name === 'demo',
});

export interface WorldOptions {
  readonly contracts?: (parts: { readonly namespaces: NamespaceFacts }) => readonly KindContract[];
  readonly graceSeconds?: number;
  /** Data directory to open again. */
  readonly dataDir?: string;
}

export type ResourceWorld = Awaited<ReturnType<typeof openResourceWorld>>;

/** Everything around resources on a real embedded store, with a clock that tests move. */
export const openResourceWorld = async (options: WorldOptions = {}) => {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'svc-world-'));
  const clock = new ManualClock();
  const random = seededRandom(11);
  const ids = createIds(clock, random);
  const fatal = (error: unknown): void => {
    throw error;
  };
  const store: Store = await openSqliteStore({ dataDir, clock, random, log: silentLog, fatal, durability: 'off' });
  const bus = createLocalBus(silentLog);
  const directory = new NamespaceDirectory();
  const ancestry = new NamespaceAncestry();
  const surroundings = testSurroundings();
  const audit = createAuditAppender(ids);
  const stopped: string[] = [];
  const removedSessions: string[] = [];
  const sessions = new AgentSessions({ store, writer: () => writer });
  const contracts = [
    namespaceContract({ directory, ancestry }),
    agentContract({
      namespaces: directory,
      surroundings,
      promptCheck: (text) => (text.includes('{{ bad }}') ? [{ line: 1, column: 4, message: 'unknown name bad' }] : []),
      removeSessions: (tx, agent, origin) => sessions.remove(tx, agent, origin),
    }),
    sessionContract({ removeSession: async (_tx, sessionId) => void removedSessions.push(sessionId) }),
    ...(options.contracts?.({ namespaces: directory }) ?? []),
  ];
  const writer = new TransactionalResourceWriter({
    contracts: new Map(contracts.map((contract) => [contract.kind, contract])),
    namespaces: directory,
    audit,
    ids,
    limits: { ...defaultLabelLimits, resourceBytes: 1024 * 1024 },
    hint: (version) => bus.publish(RESOURCES_CHANGED, { version }),
  });
  const service = new NamespaceService({
    writer,
    audit,
    graceSeconds: options.graceSeconds ?? 86_400,
    turns: { stopNamespace: async (_tx: WriteTx, namespace: string) => void stopped.push(namespace) },
  });
  const authorizer = new GrantAuthorizer((namespace) => ancestry.ancestors(namespace));
  const views = new ResourceViews();
  const common = { store, authorizer, views, responseBytes: RESPONSE_BYTES };
  const feed = new StoreChangeFeed({ store, bus, clock, log: silentLog, pollMs: 2_000 });
  const descendants = async (resources: ResourceReads, namespace: string): Promise<readonly string[]> =>
    (await descendantRecords(resources, namespace)).map((record) => record.key.name);
  const operations: Operation[] = [
    ...accessOperations({ store, descendants, version: '1.2.3' }),
    ...resourceOperations({
      ...{ ...common, writer, feed, clock, streamBufferEvents: 8 },
      namespaces: {
        remove: (tx, context, input) => service.remove(tx, context, input),
        descendants,
        ancestorsOf: (namespace) => ancestry.ancestors(namespace),
      },
    }),
    ...namespaceOperations({ ...common, service }),
    ...agentOperations({ ...common, writer, ids }),
  ];
  const runner = new QueueRunner({
    store,
    bus,
    clock,
    random,
    log: silentLog,
    pollMs: 5_000,
    workers: [
      new GarbageCollector({ store, writer }),
      new NamespacePurge({ store, writer }),
      new AgentRevisionDrop(store),
      sessions,
    ],
  });
  await ensureNamespaces(store, writer, { requestId: '', operation: 'start', caller: { identity: 'system' } });
  await feed.start();
  await ancestry.start(store.direct.resources, feed);

  /** Calls an operation as transport would, after authorisation. */
  const call = async <I extends DescMessage>(
    operation: { readonly name: string; readonly input: I },
    request: MessageInitShape<I>,
    caller: Caller = ADMIN,
  ): Promise<never> => {
    const method = methods.find((candidate) => candidate.name === operation.name);
    const found = operations.find((candidate) => candidate.method.name === operation.name);
    if (method === undefined || found?.kind !== 'unary') throw new Error(`no operation ${operation.name}`);
    const message: MessageShape<I> = create(operation.input, request);
    const context = callContext(`${method.service}/${method.name}`, caller);
    authorizer.authorize(context.operation, message, caller);
    return (await found.handle(message, context)) as never;
  };

  /** Opens a stream; `lagging` makes its reader stop reading until it is set back. */
  const stream = <I extends DescMessage, T>(
    operation: { readonly name: string; readonly input: I },
    request: MessageInitShape<I>,
    caller: Caller = ADMIN,
  ): TestStream<T> => {
    const found = operations.find((candidate) => candidate.method.name === operation.name);
    if (found?.kind !== 'stream') throw new Error(`no stream ${operation.name}`);
    const method = methods.find((candidate) => candidate.name === operation.name);
    const context = callContext(`${method?.service}/${operation.name}`, caller);
    authorizer.authorize(context.operation, create(operation.input, request), caller);
    return new TestStream<T>((sink, signal) =>
      found.handle(create(operation.input, request), { ...context, signal }, sink as StreamSink<never>),
    );
  };

  const close = async (keep = false): Promise<void> => {
    runner.close();
    feed.close();
    await store.close();
    if (!keep) rmSync(dataDir, { recursive: true, force: true });
  };

  return {
    ...{ store, bus, clock, ids, random, writer, service, directory, ancestry, authorizer, views, surroundings },
    ...{ operations, feed, runner, audit, stopped, removedSessions, call, stream, close, dataDir, agents: new StoredAgentDirectory() },
  };
};

/** The context of one call. */
export const callContext = (operation: string, caller: Caller = ADMIN): CallContext => ({
  requestId: 'request-1',
  caller,
  operation,
  idempotencyKey: '',
  signal: new AbortController().signal,
  setHeader: () => undefined,
});

/** What a stream sent so far, and how it ended. */
export class TestStream<T> {
  readonly received: T[] = [];
  readonly ids: string[] = [];
  readonly ended: Promise<unknown>;
  isLagging = false;
  readonly #abort = new AbortController();
  #drained: (() => void)[] = [];

  constructor(run: (sink: StreamSink<T>, signal: AbortSignal) => Promise<void>) {
    const isWritable = (): boolean => !this.isLagging;
    const sink: StreamSink<T> = {
      open: () => undefined,
      send: (message, id) => {
        this.received.push(message);
        this.ids.push(id);
        return isWritable();
      },
      onDrained: (notify) => void this.#drained.push(notify),
      get writable() {
        return isWritable();
      },
    };
    this.ended = run(sink, this.#abort.signal).then(
      () => 'ok',
      (error: unknown) => error,
    );
  }

  catchUp(): void {
    this.isLagging = false;
    for (const notify of this.#drained) notify();
  }

  stop(): Promise<unknown> {
    this.#abort.abort();
    return this.ended;
  }
}
