import { type Caller, createAuditAppender, GrantAuthorizer } from '../../auth/index.ts';
import {
  contractTable,
  GarbageCollector,
  type KindContract,
  QueueRunner,
  type QueueWorker,
  RESOURCES_CHANGED,
  ReconcileLoop,
  type Reconciler,
  type ResourceWriter,
  StoreChangeFeed,
  statusReconcilers,
  TransactionalResourceWriter,
} from '../../controllers/index.ts';
import { PlacementScope } from '../../features/authoring/deployments/index.ts';
import { secretTarget } from '../../features/authoring/manifests/index.ts';
import {
  descendantRecords,
  NamespaceAncestry,
  NamespaceDirectory,
  NamespacePurge,
  NamespaceService,
  type NamespaceTurns,
  namespaceContract,
} from '../../features/authoring/namespaces/index.ts';
import {
  type AgentDependencies,
  AgentRevisionDrop,
  AgentSessions,
  agentContract,
  StoredAgentDirectory,
} from '../../features/conversation/agents/index.ts';
import { ResourceViews } from '../../resources/index.ts';
import { promptCheck } from '../../runtime/prompt/index.ts';
import type { ReadTx, ResourceReads } from '../../store/contracts/index.ts';
import type { Config } from '../config/index.ts';
import { authoringKinds } from './authoring.ts';
import { deploymentKinds, deploymentMachinery } from './deployments.ts';
import type { Engines } from './engines.ts';
import { labelLimits } from './label-limits.ts';

/** How long changes and due work may stay unnoticed when every notification is lost. */
const POLL_MS = 2000;

/** What the kinds of resources are wired from. */
export interface ResourceNeeds {
  readonly config: Config;
  readonly engines: Engines;
  readonly dependencies: AgentDependencies;
  readonly turns: NamespaceTurns;
  /** Further kinds, by the features that own them. */
  readonly kinds: readonly KindContract[];
  /** What drives and clears up behind those kinds. */
  readonly machinery: (writer: ResourceWriter) => Machinery;
}

/** Reconcilers and queue workers of some kinds. */
export interface Machinery {
  readonly reconcilers: readonly Reconciler[];
  readonly workers: readonly QueueWorker[];
}

/** Reconcilers and queue workers of several parts as one. */
export const joinMachinery = (...parts: readonly Machinery[]): Machinery => ({
  reconcilers: parts.flatMap((part) => part.reconcilers),
  workers: parts.flatMap((part) => part.workers),
});

const descendantNames = async (resources: ResourceReads, namespace: string): Promise<readonly string[]> =>
  (await descendantRecords(resources, namespace)).map((record) => record.key.name);

/** Namespaces, agents and the pipeline that writes every kind. */
const wireKinds = (needs: ResourceNeeds) => {
  const { config, engines, dependencies } = needs;
  const { store, bus, ids } = engines;
  const directory = new NamespaceDirectory();
  const ancestry = new NamespaceAncestry();
  const audit = createAuditAppender(ids);
  const contracts = new Map<string, KindContract>();
  const authorizer = new GrantAuthorizer((namespace) => ancestry.ancestors(namespace));
  const writer = new TransactionalResourceWriter({
    contracts,
    namespaces: directory,
    audit,
    ids,
    seal: engines.secretKeys.ring,
    limits: {
      ...labelLimits(config),
      resourceBytes: config.settings['limits.resourceBytes'],
    },
    readsValues: ({ caller }, key) =>
      // Without grants it is the program itself that writes.
      caller.grants === undefined || authorizer.readsSecrets(caller as Caller, secretTarget({ key })),
    hint: (version) => bus.publish(RESOURCES_CHANGED, { version }),
  });
  const placement = new PlacementScope({ namespaces: directory });
  const agentSessions = new AgentSessions({ store, writer: () => writer });
  const contractOf = (kind: string): KindContract | undefined => contracts.get(kind);
  const own = [
    namespaceContract({ directory, ancestry }),
    agentContract({
      namespaces: directory,
      descendants: descendantNames,
      dependencies,
      promptCheck,
      removeSessions: (tx, agent, origin) => agentSessions.remove(tx, agent, origin),
    }),
    ...authoringKinds({ config, namespaces: directory, descendants: descendantNames, contractOf, placement }),
    ...deploymentKinds(config, (namespace) => ancestry.ancestors(namespace), placement),
  ];
  for (const [kind, contract] of contractTable([...own, ...needs.kinds])) contracts.set(kind, contract);
  return { directory, ancestry, audit, authorizer, writer, agentSessions, contracts, contractOf, placement };
};

/** What drives observed state: change feed, reconcilers, the durable work queue. */
const wireMachinery = (needs: ResourceNeeds, kinds: ReturnType<typeof wireKinds>) => {
  const { store, bus, clock, random, log, secretKeys } = needs.engines;
  const { writer, contracts, ancestry, agentSessions } = kinds;
  const further = needs.machinery(writer);
  const feed = new StoreChangeFeed({ store, bus, clock, log, pollMs: POLL_MS });
  const reconcilers: readonly Reconciler[] = [
    ...statusReconcilers({ store, writer, seal: secretKeys.ring }, contracts.values()),
    ...further.reconcilers,
    ...deploymentMachinery({ ...kinds, config: needs.config, engines: needs.engines }),
  ];
  const loops = reconcilers.map((reconciler) => new ReconcileLoop(reconciler, { store, feed, clock, random, log }));
  const workers: readonly QueueWorker[] = [
    new GarbageCollector({ store, writer }),
    new NamespacePurge({ store, writer }),
    agentSessions,
    new AgentRevisionDrop(store),
    ...further.workers,
  ];
  const queue = new QueueRunner({ store, bus, clock, random, log, workers, pollMs: POLL_MS });
  return {
    feed,
    queueKinds: queue.kinds,
    start: async (): Promise<void> => {
      await feed.start();
      await ancestry.start(store.direct.resources, feed);
      for (const loop of loops) loop.start();
      queue.start();
    },
    close: (): void => {
      queue.close();
      for (const loop of loops) loop.close();
      ancestry.close();
      feed.close();
    },
  };
};

/** The resource core: kinds, the write pipeline, namespaces, agents, and the machinery that reconciles them. */
export const wireResources = (needs: ResourceNeeds) => {
  const kinds = wireKinds(needs);
  const { directory, ancestry, audit, authorizer, writer, contractOf, placement } = kinds;
  const machinery = wireMachinery(needs, kinds);
  const graceSeconds = needs.config.settings['namespaces.graceSeconds'] / 1000;
  return {
    ...machinery,
    contractOf,
    views: new ResourceViews(undefined, needs.engines.secretKeys.ring),
    writer,
    audit,
    directory,
    ancestry,
    agents: new StoredAgentDirectory(),
    authorizer,
    descendants: descendantNames,
    namespaceService: new NamespaceService({
      writer,
      turns: needs.turns,
      audit,
      graceSeconds,
      requireContents: (tx, names, origin) => placement.requireNamespaces(tx, names, origin),
    }),
    tree: {
      requireLive: (tx: Pick<ReadTx, 'resources'>, namespace: string) => directory.requireLive(tx, namespace),
      labels: (tx: Pick<ReadTx, 'resources'>, namespace: string) => directory.labels(tx, namespace),
      descendants: (tx: Pick<ReadTx, 'resources'>, namespace: string) => descendantNames(tx.resources, namespace),
    },
  };
};

export type ResourceParts = ReturnType<typeof wireResources>;
