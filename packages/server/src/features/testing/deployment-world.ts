import { create } from '@bufbuild/protobuf';
import { type ApplyManifestsResponse, ApplyOutcome, ResourceService } from '@svc/api/gateway';
import {
  type DeploymentReplicaStatus,
  DeploymentReplicaStatusSchema,
  type DeploymentStatus,
  DeploymentStatusSchema,
  type FileSpec,
  FileSpecSchema,
} from '@svc/api/resources';
import { type Log, silentLog } from '../../base/index.ts';
import { kindContract, type Reconciler } from '../../controllers/index.ts';
import { defaultLabelLimits, messageFromText, parseJsonMap, recordKey } from '../../resources/index.ts';
import type { ResourceChange, ResourceKey, Store, StoredResource } from '../../store/contracts/index.ts';
import { deploymentControllers } from '../authoring/deployments/deployment-controllers.ts';
import { deploymentContracts } from '../authoring/deployments/deployment-kind.ts';
import { defaultDeploymentLimits } from '../authoring/deployments/deployment-rules.ts';
import type { DeploymentsDeps } from '../authoring/deployments/deployments-deps.ts';
import { PlacementScope } from '../authoring/deployments/placement/index.ts';
import { NamespaceDirectory } from '../authoring/namespaces/index.ts';
import { secretContract } from '../authoring/secrets/secret-kind.ts';
import { openAuthoringWorld } from './authoring-world.ts';
import { ADMIN } from './test-call.ts';

const ROUNDS_MAX = 500;

export type DeploymentWorld = Awaited<ReturnType<typeof openDeploymentWorld>>;

/** What deployments work with in a test; a store that fails or a log may be put in place. */
type ControllerParts = Partial<Pick<DeploymentsDeps, 'store' | 'log' | 'seal' | 'limits'>>;

/** The resource world with deployments and the kinds they render; controllers run only by `settle`. */
export const openDeploymentWorld = async () => {
  const world = await openWorld();
  const { store } = world;
  const records = recordsOf(store);

  /** Applies manifests; answers the outcomes, throws what is refused. */
  const apply = async (text: string, more: object = {}, caller = ADMIN): Promise<readonly string[]> => {
    const request = { ns: 'acme', text, ...more } as never;
    const answer: ApplyManifestsResponse = await world.call(ResourceService.method.applyManifests, request, caller);
    return answer.results.map(({ kind, name, outcome }) => `${ApplyOutcome[outcome]} ${kind}/${name}`);
  };

  const remove = (kind: string, address: string, more: object = {}): Promise<unknown> => {
    const [ns = '', name = ''] = address.split('/');
    return world.call(ResourceService.method.deleteResource, { ns, kind, name, ...more } as never);
  };

  // What agents and servers find out about each other is another matter than deployments.
  const { settle: settleReferences, ...rest } = world;
  return { ...rest, settleReferences, ...records, ...new Passes(world, records.list).bound, apply, remove };
};

const openWorld = async () => {
  let ancestorsOf = (_namespace: string): readonly string[] => [];
  const plain = (kind: string) => kindContract({ kind, validate: () => [] });
  const world = await openAuthoringWorld({
    contracts: [
      ...deploymentContracts({
        ancestorsOf: (namespace) => ancestorsOf(namespace),
        labelLimits: defaultLabelLimits,
        placement: new PlacementScope({ namespaces: new NamespaceDirectory() }),
      }),
      secretContract(),
      ...['Channel', 'ChannelSubscription', 'Schedule'].map(plain),
      kindContract<FileSpec>({
        kind: 'File',
        derivedName: ({ path }) => `file-of-${path.slice(1)}`,
        defaults: (spec) => create(FileSpecSchema, { ...spec, mediaType: spec.mediaType || 'text/plain' }),
        validate: () => [],
      }),
    ],
  });
  ancestorsOf = (namespace) => world.ancestry.ancestors(namespace);
  const { store, writer, audit, directory, contractOf, seal } = world;

  /** A process of its own: fresh controllers over the same store. */
  const controllers = (parts: ControllerParts = {}): readonly Reconciler[] =>
    deploymentControllers({
      ...{ store, writer, audit, contractOf, seal, log: silentLog as Log },
      namespaces: directory,
      hash: seal,
      limits: defaultDeploymentLimits,
      ...parts,
    });
  return { ...world, controllers };
};

type OpenWorld = Awaited<ReturnType<typeof openWorld>>;

/** Drives controllers as their loops would, but only when told to. */
class Passes {
  readonly #world: OpenWorld;
  readonly #list: (kind: string) => Promise<readonly StoredResource[]>;
  readonly #own: readonly Reconciler[];
  #seen = 0;

  constructor(world: OpenWorld, list: (kind: string) => Promise<readonly StoredResource[]>) {
    this.#world = world;
    this.#list = list;
    this.#own = world.controllers();
  }

  get bound() {
    return {
      /** Reconciles what changed since the last time, until nothing changes any more. */
      settle: (by = this.#own) => this.#settle(by),
      /** Reconciles every resource of the controllers' kinds, as a resync does, whatever changed. */
      resync: (by = this.#own) => this.#resync(by),
      /** Changes until now wake no one. */
      loseEvents: async () => {
        this.#seen = await this.#newest();
      },
      newest: () => this.#newest(),
      /** True when a pass over every resource writes nothing. */
      isAtRest: async () => {
        const before = await this.#newest();
        await this.#resync(this.#own);
        return (await this.#newest()) === before;
      },
    };
  }

  async #settle(by: readonly Reconciler[]): Promise<void> {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const changes = await this.#world.store.direct.resources.changes(this.#seen, 1_000);
      for (const reconciler of by) await this.#follow(reconciler, changes);
      this.#seen = changes.at(-1)?.version ?? this.#seen;
      if (changes.length > 0) continue;
      await this.#world.runner.tick();
      if ((await this.#newest()) === this.#seen) return;
    }
    throw new Error('the resources do not come to rest');
  }

  async #follow(reconciler: Reconciler, changes: readonly ResourceChange[]): Promise<void> {
    const keys = new Map<string, ResourceKey>();
    for (const change of changes)
      for (const key of await reconciler.keysFor(change, this.#world.store.direct.resources))
        keys.set(JSON.stringify(key), key);
    for (const key of keys.values()) await this.#passUntilDone(reconciler, key);
  }

  async #resync(by: readonly Reconciler[]): Promise<void> {
    for (const reconciler of by)
      for (const kind of reconciler.kinds)
        for (const { key } of await this.#list(kind)) await this.#passUntilDone(reconciler, key);
  }

  async #passUntilDone(reconciler: Reconciler, key: ResourceKey): Promise<void> {
    for (let pass = 0; pass < ROUNDS_MAX; pass++) {
      const outcome = await reconciler.reconcile(key);
      if ('done' in outcome || outcome.againMs > 0) return;
    }
    throw new Error(`${reconciler.name} does not end`);
  }

  async #newest(): Promise<number> {
    return (await this.#world.store.direct.resources.versionRange()).newest;
  }
}

/** What tests look at. */
const recordsOf = (store: Store) => {
  const list = async (kind: string): Promise<readonly StoredResource[]> => {
    const found: StoredResource[] = [];
    for (;;) {
      const after = found.at(-1)?.key;
      const query = { kind, scope: { type: 'all' }, limit: 500 } as const;
      const page = await store.direct.resources.list({ ...query, ...(after === undefined ? {} : { after }) });
      found.push(...page);
      if (page.length < 500) return found;
    }
  };
  /** By `ns/name`. */
  const get = (kind: string, address: string): Promise<StoredResource | undefined> => {
    const [ns = '', ...name] = address.split('/');
    return store.direct.resources.get(recordKey(kind, ns, name.join('/')));
  };
  const spec = async (kind: string, address: string): Promise<Record<string, unknown> | undefined> => {
    const record = await get(kind, address);
    return record === undefined ? undefined : (parseJsonMap(record.spec) as Record<string, unknown>);
  };
  /** Status of a deployment. */
  const deployment = async (address: string): Promise<DeploymentStatus> =>
    messageFromText(DeploymentStatusSchema, (await get('Deployment', address))?.status ?? '{}') as DeploymentStatus;
  /** Replica counts of `acme/rollout`: `desired = ready + pending + degraded`. */
  const counts = async (): Promise<string> => {
    const { replicaCounts: found } = await deployment('acme/rollout');
    return `${found?.desired} = ${found?.ready} + ${found?.pending} + ${found?.degraded}`;
  };
  /** Every agent as `ns/name`. */
  const agents = async (): Promise<readonly string[]> =>
    (await list('Agent')).map(({ key }) => `${key.namespace}/${key.name}`);
  /** Replicas that render into a namespace. */
  const replicasFor = async (target: string): Promise<readonly StoredResource[]> =>
    (await list('DeploymentReplica')).filter((record) => record.labels['svc/target-namespace'] === target);
  /** Status of the only replica that renders into a namespace. */
  const replica = async (target: string): Promise<DeploymentReplicaStatus> => {
    const [record, ...others] = await replicasFor(target);
    if (record === undefined || others.length > 0) throw new Error(`there is not one replica for ${target}`);
    return messageFromText(DeploymentReplicaStatusSchema, record.status) as DeploymentReplicaStatus;
  };
  return { list, get, spec, deployment, counts, agents, replicasFor, replica };
};
