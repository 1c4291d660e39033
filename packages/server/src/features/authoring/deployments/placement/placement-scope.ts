import { Fault, firstNames } from '../../../../base/index.ts';
import type { OriginGrant, WriteOrigin } from '../../../../controllers/contract.ts';
import { recordKey } from '../../../../resources/index.ts';
import type { ReadTx, ResourceKey, StoredResource } from '../../../../store/contracts/index.ts';
import { deploymentSpec } from '../deployment-reads.ts';
import { coversLine, selectorParent } from '../deployment-rules.ts';
import type { TargetNamespaces } from '../deployments-deps.ts';
import { type Foreign, PlacementReach, type Reached } from './placement-reach.ts';

type Reads = Pick<ReadTx, 'resources' | 'instance'>;

export interface PlacementScopeDeps {
  readonly namespaces: Pick<TargetNamespaces, 'ancestors' | 'children'>;
  /** Most rendered templates that one check follows. */
  readonly followedMax?: number;
}

/** Namespaces that a refusal names. */
const NAMED = 10;
/** Each costs a read in the transaction of the write. */
const FOLLOWED_MAX = 10_000;

/**
 * Who may change what deployments render. An admin of a high namespace may place a deployment in a lower one whose objects go
 * elsewhere: the admins of the lower one can then neither change nor delete it, nor the templates it uses, because that would change
 * objects in namespaces where they have no rights. The same holds for a deployment that renders a template of which another one
 * renders objects elsewhere. All of it is read in the transaction of the write.
 */
export class PlacementScope {
  readonly #namespaces: PlacementScopeDeps['namespaces'];
  readonly #followedMax: number;

  constructor({ namespaces, followedMax = FOLLOWED_MAX }: PlacementScopeDeps) {
    this.#namespaces = namespaces;
    this.#followedMax = followedMax;
  }

  /** Throws PERMISSION_DENIED PARENT_SCOPE where the writer is not an admin of what a deployment, as stored, selects from. */
  async requireDeployment(reads: Reads, deployment: StoredResource, origin: WriteOrigin): Promise<void> {
    const what = `deployment ${shown(deployment.key)}`;
    await this.#require(reads, { origin, what, look: (reach) => reach.ofDeployment(deployment) });
  }

  /** The same for every deployment that renders the template of that name in that namespace, or would if it were there. */
  async requireTemplate(reads: Reads, template: ResourceKey, origin: WriteOrigin): Promise<void> {
    const what = `template ${shown(template)}`;
    await this.#require(reads, { origin, what, look: (reach) => reach.ofTemplate(template) });
  }

  /** The same for every deployment in one of the namespaces, all of which go. */
  async requireNamespaces(reads: Reads, names: readonly string[], origin: WriteOrigin): Promise<void> {
    const what = `namespace ${names[0]}`;
    await this.#require(reads, { origin, what, look: (reach) => reach.ofNamespaces(new Set(names)) });
  }

  /** The same for one namespace that a replica renders into. */
  async requireReplica(reads: Reads, replica: StoredResource, origin: WriteOrigin): Promise<void> {
    const what = `replica ${shown(replica.key)}`;
    await this.#require(reads, { origin, what, look: (reach) => reach.ofReplica(replica) });
  }

  async #require(
    reads: Reads,
    of: {
      readonly origin: WriteOrigin;
      readonly what: string;
      readonly look: (reach: PlacementReach) => Promise<Reached>;
    },
  ): Promise<void> {
    const grants = await this.#grantsOf(reads, of.origin);
    if (grants === undefined) return;
    const [namespaces, followedMax] = [this.#namespaces, this.#followedMax];
    const { foreign, unfollowed } = await of.look(new PlacementReach({ reads, namespaces, grants, followedMax }));
    if (foreign.length > 0) throw parentScope(of.what, foreign);
    if (unfollowed.length > 0) throw tooFar(of.what, unfollowed, followedMax);
  }

  /**
   * Undefined for writes without a caller, as of the garbage collector, and for an unscoped admin, who may change everything. A
   * deployment that renders a template has the rights that its own writer needed.
   */
  async #grantsOf(reads: Reads, { caller }: WriteOrigin): Promise<readonly OriginGrant[] | undefined> {
    const grants = caller.grants ?? (await this.#grantsOfManager(reads, caller.identity));
    return grants === undefined || coversLine(grants, []) ? undefined : grants;
  }

  async #grantsOfManager(reads: Reads, identity: string): Promise<readonly OriginGrant[] | undefined> {
    const [, namespace = '', name = ''] = /^deployment:([^/]+)\/(.+)$/.exec(identity) ?? [];
    if (name === '') return undefined;
    const deployment = await reads.resources.get(recordKey('Deployment', namespace, name));
    if (deployment === undefined) return undefined;
    const parent = selectorParent(namespace, deploymentSpec(deployment));
    return [
      { role: 'admin', namespace },
      { role: 'admin', ...(parent === '' ? {} : { namespace: parent }) },
    ];
  }
}

const shown = ({ namespace, name }: ResourceKey): string => `${namespace}/${name}`;

const parentScope = (what: string, found: readonly Foreign[]): Fault => {
  const names = [...new Set(found.flatMap((foreign) => foreign.names))].sort();
  const parents = [
    ...new Set(found.map(({ parent }) => (parent === '' ? 'the root namespaces' : `those below ${parent}`))),
  ];
  const listed = names.length === 0 ? parents.join(', ') : firstNames(names, NAMED);
  return new Fault(
    'PERMISSION_DENIED',
    'PARENT_SCOPE',
    `a change of ${what} would change objects in namespaces where you are not an admin: ${listed}. ` +
      'Ask an admin of these namespaces',
    { metadata: { namespaces: names.slice(0, NAMED).join(','), parent: found[0]?.parent ?? '' } },
  );
};

const tooFar = (what: string, namespaces: readonly string[], followedMax: number): Fault =>
  new Fault(
    'PERMISSION_DENIED',
    'PARENT_SCOPE',
    `deployments render more than ${followedMax} templates that others use, too many to tell which objects a change of ${what} ` +
      `would change; those in these namespaces were not checked: ${firstNames(namespaces, NAMED)}. Ask an admin of every namespace`,
    { metadata: { namespaces: namespaces.slice(0, NAMED).join(',') } },
  );
