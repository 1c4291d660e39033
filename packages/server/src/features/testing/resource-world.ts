import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, type DescMessage, type Message, type MessageInitShape } from '@bufbuild/protobuf';
import { methods } from '@svc/api/methods';
import { type Caller, createAuditAppender, GrantAuthorizer } from '../../auth/index.ts';
import { createIds, ManualClock, seededRandom, silentLog } from '../../base/index.ts';
import {
  GarbageCollector,
  type KindContract,
  QueueRunner,
  RESOURCES_CHANGED,
  StoreChangeFeed,
  systemOrigin,
  TransactionalResourceWriter,
} from '../../controllers/index.ts';
import type { Operation, StreamSink } from '../../operations/index.ts';
import { defaultLabelLimits, ResourceViews } from '../../resources/index.ts';
import { createLocalBus } from '../../store/bus/local/index.ts';
import type { ResourceKey, ResourceReads, Store, WriteTx } from '../../store/contracts/index.ts';
import { openGivenStore, removeGivenStore } from '../../store/testing/given-store.ts';
import { PlacementScope } from '../authoring/deployments/placement/index.ts';
import { resourceOperations } from '../authoring/manifests/resource-operations.ts';
import { secretTarget } from '../authoring/manifests/resource-shown.ts';
import { ensureNamespaces, NamespaceAncestry, NamespaceDirectory } from '../authoring/namespaces/index.ts';
import { descendantRecords } from '../authoring/namespaces/namespace-directory.ts';
import { namespaceContract } from '../authoring/namespaces/namespace-kind.ts';
import { namespaceOperations } from '../authoring/namespaces/namespace-operations.ts';
import { NamespacePurge } from '../authoring/namespaces/namespace-purge.ts';
import { NamespaceService } from '../authoring/namespaces/namespace-service.ts';
import { PastAncestry } from '../authoring/namespaces/past-ancestry.ts';
import { freshKey, KeyRing } from '../authoring/secrets/key-ring.ts';
import { StoredAgentDirectory } from '../conversation/agents/agent-directory.ts';
import { agentContract } from '../conversation/agents/agent-kind.ts';
import { agentOperations } from '../conversation/agents/agent-operations.ts';
import { AgentRevisionDrop } from '../conversation/agents/agent-revisions.ts';
import { AgentSessions } from '../conversation/agents/agent-sessions.ts';
import { sessionContract } from '../conversation/sessions/session-kind.ts';
import { accessOperations } from '../platform/access/access-operations.ts';
import { ADMIN, callContext, TestStream } from './test-call.ts';
import { testDependencies } from './test-dependencies.ts';

const RESPONSE_BYTES = 4 * 1024 * 1024;
const STREAM_LIMITS = { events: 8, bytes: 64 * 1024 };

export interface WorldOptions {
  /** Further kinds. */
  readonly contracts?: (parts: WorldParts) => readonly KindContract[];
  /** Data directory to open again. */
  readonly dataDir?: string;
}

/** What contracts of kinds may be built from. */
interface WorldParts {
  readonly store: Store;
  readonly directory: NamespaceDirectory;
  readonly seal: KeyRing;
}

export type ResourceWorld = Awaited<ReturnType<typeof openResourceWorld>>;

const openEngines = async (dataDir: string) => {
  const clock = new ManualClock();
  const random = seededRandom(11);
  const fatal = (error: unknown): void => {
    throw error;
  };
  const store: Store = await openGivenStore({ dataDir, clock, random, log: silentLog, fatal });
  const seal = new KeyRing([freshKey(random)], random);
  return { dataDir, clock, random, seal, store, bus: createLocalBus(silentLog), ids: createIds(clock, random) };
};

type Engines = Awaited<ReturnType<typeof openEngines>>;

const descendantNames = async (resources: ResourceReads, namespace: string): Promise<readonly string[]> =>
  (await descendantRecords(resources, namespace)).map((record) => record.key.name);

const wireKinds = ({ store, ids, bus, seal }: Engines, options: WorldOptions) => {
  const directory = new NamespaceDirectory();
  const ancestry = new NamespaceAncestry();
  const dependencies = testDependencies();
  const audit = createAuditAppender(ids);
  const removedSessions: string[] = [];
  const sessions = new AgentSessions({ store, writer: () => writer });
  const contracts = [
    namespaceContract({ directory, ancestry }),
    agentContract({
      namespaces: directory,
      descendants: descendantNames,
      dependencies,
      promptCheck: (text) => (text.includes('{{ bad }}') ? [{ line: 1, column: 4, message: 'unknown name bad' }] : []),
      removeSessions: (tx, agent, origin) => sessions.remove(tx, agent, origin),
    }),
    sessionContract({ removeSession: async (_tx, sessionId) => void removedSessions.push(sessionId) }),
    ...(options.contracts?.({ store, directory, seal }) ?? []),
  ];
  const byKind = new Map(contracts.map((contract) => [contract.kind, contract]));
  const contractOf = (kind: string): KindContract | undefined => byKind.get(kind);
  const writer = new TransactionalResourceWriter({
    contracts: byKind,
    namespaces: directory,
    audit,
    ids,
    seal,
    limits: { ...defaultLabelLimits, resourceBytes: 1024 * 1024 },
    readsValues: ({ caller }, key) =>
      caller.grants === undefined ||
      new GrantAuthorizer((namespace) => ancestry.ancestors(namespace)).readsSecrets(
        caller as Caller,
        secretTarget({ key }),
      ),
    notify: (version) => bus.publish(RESOURCES_CHANGED, { version }),
  });
  return { directory, ancestry, dependencies, audit, removedSessions, sessions, writer, contracts, contractOf };
};

type Kinds = ReturnType<typeof wireKinds>;

const wireOperations = ({ store, bus, clock, ids, seal }: Engines, kinds: Kinds) => {
  const { writer, audit, ancestry, contractOf } = kinds;
  const stopped: string[] = [];
  const service = new NamespaceService({
    writer,
    audit,
    graceSeconds: 86_400,
    requireContents: (tx, names, origin) =>
      new PlacementScope({ namespaces: kinds.directory }).requireNamespaces(tx, names, origin),
    turns: {
      stopNamespaces: async (_tx: WriteTx, names: ReadonlySet<string>) =>
        void stopped.push([...names].sort().join(' ')),
    },
  });
  const authorizer = new GrantAuthorizer((namespace) => ancestry.ancestors(namespace));
  const views = new ResourceViews(1_000, seal);
  const common = { store, authorizer, views, responseBytes: RESPONSE_BYTES };
  const feed = new StoreChangeFeed({ store, bus, clock, log: silentLog, pollMs: 2_000 });
  const namespaces = {
    remove: service.remove.bind(service),
    create: service.create.bind(service),
    descendants: descendantNames,
    pastAncestry: (isOver: () => boolean) =>
      new PastAncestry({ resources: store.direct.resources, live: ancestry, isOver }),
  };
  const fill = (key: ResourceKey, spec: Message): Message => contractOf(key.kind)?.defaults?.(spec, key) ?? spec;
  const operations: readonly Operation[] = [
    ...accessOperations({ store, descendants: descendantNames, version: '1.2.3' }),
    ...resourceOperations({ ...common, audit, writer, feed, clock, streamLimits: STREAM_LIMITS, namespaces, fill }),
    ...namespaceOperations({ ...common, service }),
    ...agentOperations({ ...common, writer, ids, seal }),
  ];
  return { stopped, service, authorizer, views, feed, operations };
};

/** Calls as transport makes them, authorisation included. */
const callers = (operations: readonly Operation[], authorizer: GrantAuthorizer) => {
  const begin = (
    operation: { readonly name: string; readonly input: DescMessage },
    request: unknown,
    caller: Caller,
  ) => {
    const method = methods.find((candidate) => candidate.name === operation.name);
    const found = operations.find((candidate) => candidate.method.name === operation.name);
    if (method === undefined || found === undefined) throw new Error(`no operation ${operation.name}`);
    const message = create(operation.input, request as never);
    const context = callContext(`${method.service}/${method.name}`, caller);
    authorizer.authorize(found.access, message, caller);
    return { found, message, context };
  };
  const call = async <I extends DescMessage>(
    operation: { readonly name: string; readonly input: I },
    request: MessageInitShape<I>,
    caller: Caller = ADMIN,
  ): Promise<never> => {
    const { found, message, context } = begin(operation, request, caller);
    if (found.kind !== 'unary') throw new Error(`${operation.name} is a stream`);
    return (await found.handle(message, context)) as never;
  };
  const stream = <I extends DescMessage, T>(
    operation: { readonly name: string; readonly input: I },
    request: MessageInitShape<I>,
    { caller = ADMIN, prefer }: { readonly caller?: Caller; readonly prefer?: string } = {},
  ): TestStream<T> => {
    const { found, message, context } = begin(operation, request, caller);
    const prefers = (name: string): boolean => name === prefer;
    if (found.kind !== 'stream') throw new Error(`${operation.name} is not a stream`);
    return new TestStream<T>((sink, signal) =>
      found.handle(message, { ...context, signal, prefers }, sink as StreamSink<never>),
    );
  };
  return { call, stream };
};

/** Everything around resources on a real embedded store, with a clock that tests move. */
export const openResourceWorld = async (options: WorldOptions = {}) => {
  const engines = await openEngines(options.dataDir ?? mkdtempSync(join(tmpdir(), 'svc-world-')));
  const { store } = engines;
  const kinds = wireKinds(engines, options);
  const { writer } = kinds;
  const parts = wireOperations(engines, kinds);
  const workers = [
    new GarbageCollector({ store, writer }),
    new NamespacePurge({ store, writer }),
    new AgentRevisionDrop(store),
    kinds.sessions,
  ];
  const runner = new QueueRunner({ ...engines, log: silentLog, pollMs: 5_000, workers });
  await ensureNamespaces(store, writer, systemOrigin('start'));
  await parts.feed.start();
  await kinds.ancestry.start(store.direct.resources, parts.feed);
  const close = async (keep = false): Promise<void> => {
    runner.close();
    kinds.ancestry.close();
    parts.feed.close();
    await store.close();
    if (keep) return;
    await removeGivenStore(engines.dataDir);
    rmSync(engines.dataDir, { recursive: true, force: true });
  };
  const agents = new StoredAgentDirectory();
  return { ...engines, ...kinds, ...parts, ...callers(parts.operations, parts.authorizer), runner, agents, close };
};
