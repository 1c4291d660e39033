import { Fault } from '../../base/index.ts';
import type { OriginGrant, WriteOrigin } from '../../controllers/contract.ts';
import { recordKey, SYSTEM_NAMESPACE } from '../../resources/index.ts';
import { type ReadTx, type ResourceKey, resourcePages, type StoredResource } from '../../store/contracts/index.ts';
import { deploymentSpec, usesTemplate } from './deployment-reads.ts';
import { coversLine, isSelected, selectorParent } from './deployment-rules.ts';
import type { TargetNamespaces } from './deployments-deps.ts';
import { replicaSpec } from './replica-record.ts';

type Reads = Pick<ReadTx, 'resources'>;

export interface PlacementScopeDeps {
  readonly namespaces: Pick<TargetNamespaces, 'ancestors' | 'children'>;
}

/** Namespaces that a refusal names. */
const NAMED = 10;

/**
 * Who may change what deployments render. An admin of a high namespace may place a deployment in a lower one whose objects go
 * elsewhere: the admins of the lower one can then neither change nor delete it, nor the templates it uses, because that would change
 * objects in namespaces where they have no rights. All of it is read in the transaction of the write.
 */
export class PlacementScope {
  readonly #namespaces: PlacementScopeDeps['namespaces'];

  constructor({ namespaces }: PlacementScopeDeps) {
    this.#namespaces = namespaces;
  }

  /** Throws PERMISSION_DENIED PARENT_SCOPE where the writer is not an admin of what a deployment, as stored, selects from. */
  async requireDeployment(reads: Reads, deployment: StoredResource, origin: WriteOrigin): Promise<void> {
    const grants = await this.#grantsOf(reads, origin);
    if (grants === undefined) return;
    const foreign = await this.#foreign(reads, deployment, grants);
    if (foreign !== undefined) throw parentScope(`deployment ${shown(deployment.key)}`, [foreign]);
  }

  /** The same for every deployment that renders the template of that name in that namespace, or would if it were there. */
  async requireTemplate(reads: Reads, template: ResourceKey, origin: WriteOrigin): Promise<void> {
    const grants = await this.#grantsOf(reads, origin);
    if (grants === undefined) return;
    const isUser = usesTemplate(template.name);
    await this.#requireAll(reads, {
      ...{ grants, what: `template ${shown(template)}` },
      isMeant: async (deployment) => isUser(deployment) && (await this.#resolvesTo(reads, deployment, template)),
    });
  }

  /** The same for every deployment in one of the namespaces, all of which go. */
  async requireNamespaces(reads: Reads, names: readonly string[], origin: WriteOrigin): Promise<void> {
    const grants = await this.#grantsOf(reads, origin);
    if (grants === undefined) return;
    const going = new Set(names);
    const isMeant = async ({ key }: StoredResource): Promise<boolean> => going.has(key.namespace);
    await this.#requireAll(reads, { grants, what: `namespace ${names[0]}`, isMeant });
  }

  /** The same for one namespace that a replica renders into. */
  async requireReplica(reads: Reads, replica: StoredResource, origin: WriteOrigin): Promise<void> {
    const grants = await this.#grantsOf(reads, origin);
    const { targetNamespace: target } = replicaSpec(replica);
    if (grants === undefined || coversLine(grants, await this.#line(reads, target))) return;
    throw parentScope(`replica ${shown(replica.key)}`, [{ parent: target, names: [target] }]);
  }

  async #requireAll(
    reads: Reads,
    of: {
      readonly grants: readonly OriginGrant[];
      readonly what: string;
      readonly isMeant: (deployment: StoredResource) => Promise<boolean>;
    },
  ): Promise<void> {
    const found: Foreign[] = [];
    for await (const page of resourcePages(reads.resources, { kind: 'Deployment', scope: { type: 'all' } }))
      for (const deployment of page) {
        if (!(await of.isMeant(deployment))) continue;
        const foreign = await this.#foreign(reads, deployment, of.grants);
        if (foreign !== undefined) found.push(foreign);
      }
    if (found.length > 0) throw parentScope(of.what, found);
  }

  /** What the deployment selects from and the grants do not cover; undefined when they do. */
  async #foreign(
    reads: Reads,
    deployment: StoredResource,
    grants: readonly OriginGrant[],
  ): Promise<Foreign | undefined> {
    const { namespace, name } = deployment.key;
    const spec = deploymentSpec(deployment);
    const parent = selectorParent(namespace, spec);
    if (coversLine(grants, await this.#line(reads, parent))) return undefined;
    const children = await this.#namespaces.children(reads, parent);
    const selected = children.filter((child) => isSelected({ namespace, name, spec }, child));
    return { parent, names: selected.map((child) => child.name) };
  }

  /** Deployments look in their own namespace, its ancestors, then `system`: a nearer template of that name hides this one. */
  async #resolvesTo(reads: Reads, { key }: StoredResource, template: ResourceKey): Promise<boolean> {
    for (const place of new Set([...(await this.#line(reads, key.namespace)), SYSTEM_NAMESPACE])) {
      if (place === template.namespace) return true;
      if ((await reads.resources.get(recordKey('Template', place, template.name))) !== undefined) return false;
    }
    return false;
  }

  /** The namespace and its ancestors; none for '', above which nothing is. */
  async #line(reads: Reads, namespace: string): Promise<readonly string[]> {
    return namespace === '' ? [] : [namespace, ...(await this.#namespaces.ancestors(reads, namespace))];
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

/** Namespaces below a parent of which the writer is not an admin. */
interface Foreign {
  readonly parent: string;
  readonly names: readonly string[];
}

const shown = ({ namespace, name }: ResourceKey): string => `${namespace}/${name}`;

const parentScope = (what: string, found: readonly Foreign[]): Fault => {
  const names = [...new Set(found.flatMap((foreign) => foreign.names))].sort();
  const parents = [
    ...new Set(found.map(({ parent }) => (parent === '' ? 'the root namespaces' : `those below ${parent}`))),
  ];
  const rest = names.length - NAMED;
  const listed = names.length === 0 ? parents.join(', ') : names.slice(0, NAMED).join(', ');
  return new Fault(
    'PERMISSION_DENIED',
    'PARENT_SCOPE',
    `a change of ${what} would change objects in namespaces where you are no admin: ${listed}${rest > 0 ? ` and ${rest} more` : ''}. ` +
      'Ask an admin of these namespaces',
    { metadata: { namespaces: names.slice(0, NAMED).join(','), parent: found[0]?.parent ?? '' } },
  );
};
