import type { DeploymentSpec } from '@svc/api/resources';
import type { OriginGrant } from '../../../../controllers/contract.ts';
import { recordKey, SYSTEM_NAMESPACE } from '../../../../resources/index.ts';
import { readOwnership } from '../../../../resources/merge/index.ts';
import {
  type ReadTx,
  type ResourceKey,
  resourcePages,
  type StoredResource,
} from '../../../../store/contracts/index.ts';
import { deploymentKeyOf, deploymentSpec } from '../deployment-reads.ts';
import {
  CREATED_BY,
  coversLine,
  DEPLOYMENT_LABEL,
  isSelected,
  managerOf,
  replicaName,
  selectorParent,
} from '../deployment-rules.ts';
import type { TargetNamespaces } from '../deployments-deps.ts';
import { objectId } from '../rendering/index.ts';
import { renderingFacts, replicaSpec } from '../replica-record.ts';

/** Namespaces that a change would reach and whose admin its writer is not. */
export interface Foreign {
  /** What they are children of; '' = the roots. */
  readonly parent: string;
  readonly names: readonly string[];
}

/** What a change reaches beyond the rights of its writer. */
export interface Reached {
  readonly foreign: readonly Foreign[];
  /** Namespaces of rendered templates that were one too many to be followed. */
  readonly unfollowed: readonly string[];
}

/** What a search for the reach of one change works with. */
export interface ReachDeps {
  readonly reads: Pick<ReadTx, 'resources' | 'instance'>;
  readonly namespaces: Pick<TargetNamespaces, 'ancestors' | 'children'>;
  /** Of the writer. */
  readonly grants: readonly OriginGrant[];
  /** Most rendered templates that are followed. */
  readonly followedMax: number;
}

interface Placed {
  readonly key: ResourceKey;
  readonly spec: DeploymentSpec;
}

/** A deployment to look at, because of one of its templates or as a whole. */
interface Step {
  readonly placed: Placed;
  /** Name of the only template that changes. */
  readonly template?: string;
}

/** A template that deployments rendered and others use. */
interface RenderedTemplate {
  readonly key: ResourceKey;
  /** Managers of the deployments that made it or own a field of it. */
  readonly managers: ReadonlySet<string>;
}

/**
 * How far one change reaches. A deployment may render templates, which further deployments render in turn: what is done to the
 * first is done to the objects of the last. Each template and deployment is visited once, so that circles end.
 */
export class PlacementReach {
  readonly #deps: ReachDeps;
  readonly #foreign: Foreign[] = [];
  readonly #unfollowed = new Set<string>();
  readonly #seen = new Set<string>();
  #placed: readonly Placed[] | undefined;
  #rendered: readonly RenderedTemplate[] | undefined;

  constructor(deps: ReachDeps) {
    this.#deps = deps;
  }

  /** Of a change of one deployment, as it is given. */
  async ofDeployment(deployment: StoredResource): Promise<Reached> {
    await this.#follow([{ placed: placedOf(deployment) }]);
    return this.#reached;
  }

  /** Of a change of every deployment in these namespaces. */
  async ofNamespaces(names: ReadonlySet<string>): Promise<Reached> {
    const going = (await this.#allPlaced()).filter(({ key }) => names.has(key.namespace));
    await this.#follow(going.map((placed) => ({ placed })));
    return this.#reached;
  }

  /** Of a change of the template of that name in that namespace, whether it is there or not. */
  async ofTemplate(template: ResourceKey): Promise<Reached> {
    await this.#follow(await this.#usersOf(template));
    return this.#reached;
  }

  /** Of a change of what one replica renders. */
  async ofReplica(replica: StoredResource): Promise<Reached> {
    const { targetNamespace: target } = replicaSpec(replica);
    if (!coversLine(this.#deps.grants, await this.#line(target)))
      this.#foreign.push({ parent: target, names: [target] });
    for (const key of await this.#renderedBy(deploymentKeyOf(replica)))
      if (key.namespace === target) await this.#follow(await this.#usersOf(key));
    return this.#reached;
  }

  get #reached(): Reached {
    return { foreign: this.#foreign, unfollowed: [...this.#unfollowed].sort() };
  }

  async #follow(start: readonly Step[]): Promise<void> {
    const open = [...start];
    for (let step = open.pop(); step !== undefined; step = open.pop()) {
      const { placed, template } = step;
      if (this.#isNew(placed.key)) await this.#look(placed);
      for (const key of await this.#renderedBy(placed.key, template))
        if (this.#isNew(key)) open.push(...(await this.#usersOf(key)));
    }
  }

  #isNew({ kind, namespace, name }: ResourceKey): boolean {
    const text = `${kind} ${namespace}/${name}`;
    if (this.#seen.has(text)) return false;
    this.#seen.add(text);
    return true;
  }

  /** Notes what the deployment selects from and the grants do not cover. */
  async #look({ key: { namespace, name }, spec }: Placed): Promise<void> {
    const { grants, namespaces, reads } = this.#deps;
    const parent = selectorParent(namespace, spec);
    if (coversLine(grants, await this.#line(parent))) return;
    const children = await namespaces.children(reads, parent);
    const selected = children.filter((child) => isSelected({ namespace, name, spec }, child));
    this.#foreign.push({ parent, names: selected.map((child) => child.name) });
  }

  /** Deployments that render the template, or would if it were there. */
  async #usersOf(template: ResourceKey): Promise<readonly Step[]> {
    const { name } = template;
    const found: Step[] = [];
    for (const placed of await this.#allPlaced())
      if (placed.spec.templates.includes(name) && (await this.#resolvesTo(placed, template)))
        found.push({ placed, template: name });
    return found;
  }

  /** Deployments look in their own namespace, its ancestors, then `system`: a nearer template of that name hides this one. */
  async #resolvesTo({ key }: Placed, template: ResourceKey): Promise<boolean> {
    const { reads } = this.#deps;
    for (const place of new Set([...(await this.#line(key.namespace)), SYSTEM_NAMESPACE])) {
      if (place === template.namespace) return true;
      if ((await reads.resources.get(recordKey('Template', place, template.name))) !== undefined) return false;
    }
    return false;
  }

  /** The namespace and its ancestors; none for '', above which nothing is. */
  async #line(namespace: string): Promise<readonly string[]> {
    const { namespaces, reads } = this.#deps;
    return namespace === '' ? [] : [namespace, ...(await namespaces.ancestors(reads, namespace))];
  }

  /** Templates that the deployment rendered, from the template of that name where one is given. */
  async #renderedBy(deployment: ResourceKey, from?: string): Promise<readonly ResourceKey[]> {
    const manager = managerOf(deployment);
    const found: ResourceKey[] = [];
    for (const { key, managers } of await this.#allRendered())
      if (managers.has(manager) && (from === undefined || (await this.#isFrom(deployment, key, from)))) found.push(key);
    return found;
  }

  /** Also while its replica does not say from which template it has the object. */
  async #isFrom({ namespace, name }: ResourceKey, rendered: ResourceKey, template: string): Promise<boolean> {
    const key = recordKey('DeploymentReplica', namespace, replicaName(name, rendered.namespace));
    const replica = await this.#deps.reads.resources.get(key);
    const source = replica === undefined ? undefined : renderingFacts(replica).templates[objectId(rendered)];
    return source === undefined || source === template;
  }

  async #allPlaced(): Promise<readonly Placed[]> {
    if (this.#placed !== undefined) return this.#placed;
    const found: Placed[] = [];
    const { resources } = this.#deps.reads;
    for await (const page of resourcePages(resources, { kind: 'Deployment', scope: { type: 'all' } }))
      found.push(...page.map(placedOf));
    this.#placed = found;
    return found;
  }

  async #allRendered(): Promise<readonly RenderedTemplate[]> {
    this.#rendered ??= await this.#readRendered();
    return this.#rendered;
  }

  /** Templates that carry the label of a deployment and whose name some deployment uses. */
  async #readRendered(): Promise<readonly RenderedTemplate[]> {
    const { reads, followedMax } = this.#deps;
    const found: RenderedTemplate[] = [];
    let used: ReadonlySet<string> | undefined;
    const labels = [{ op: 'exists', key: DEPLOYMENT_LABEL }] as const;
    const query = { kind: 'Template', scope: { type: 'all' }, labels } as const;
    for await (const page of resourcePages(reads.resources, query))
      for (const template of page) {
        used ??= new Set((await this.#allPlaced()).flatMap(({ spec }) => spec.templates));
        if (!used.has(template.key.name)) continue;
        if (found.length < followedMax) found.push({ key: template.key, managers: await this.#managersOf(template) });
        else this.#unfollowed.add(template.key.namespace);
      }
    return found;
  }

  async #managersOf({ uid, annotations }: StoredResource): Promise<ReadonlySet<string>> {
    const owners = Object.keys(await readOwnership(this.#deps.reads, uid));
    return new Set([...owners, annotations[CREATED_BY] ?? '']);
  }
}

const placedOf = (deployment: StoredResource): Placed => ({
  key: deployment.key,
  spec: deploymentSpec(deployment),
});
