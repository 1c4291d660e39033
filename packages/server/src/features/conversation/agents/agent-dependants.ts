import { type AgentSpec, AgentSpecSchema } from '@svc/api/resources';
import { formatKey, isSecretReference, messageFromText, parseSecretReference } from '../../../resources/index.ts';
import {
  type ResourceChange,
  type ResourceKey,
  type ResourceReads,
  resourcePages,
  type StoredResource,
} from '../../../store/contracts/index.ts';
import { harnessOf, TEMPLATE_ANNOTATION } from './agent-findings.ts';
import { DEFAULT_POLICY } from './reference-lookup.ts';

/** Stands for every name of a kind. */
const ANY = '*';

type Subject = Pick<StoredResource, 'key' | 'spec' | 'annotations'>;

/** What an agent may hang on: `Kind/name`, `Kind/namespace/name` where the place is said too, `Kind/*` where the name says too little. */
const dependencies = ({ key, annotations }: Subject, spec: AgentSpec): ReadonlySet<string> => {
  const found = new Set<string>();
  const sandbox = (name: string): void => {
    found.add(`SandboxPolicy/${name === '' ? DEFAULT_POLICY : name}`).add(`SandboxClass/${ANY}`);
  };
  for (const { type, name } of spec.features) {
    if (type === 'skill') found.add(`Skill/${name}`);
    if (type === 'sandbox') sandbox(name);
  }
  // A binding may lead to a server of another name.
  for (const name of spec.mcpServerRefs) found.add(`McpServerBinding/${name}`).add(`McpServer/${ANY}`);
  if (spec.runtime?.kind === 'acp') sandbox(spec.runtime.acp?.sandboxPolicyRef ?? '');
  const references = Object.values(harnessOf(spec)?.env ?? {}).filter(isSecretReference);
  for (const { target, auth } of spec.a2a?.connections ?? []) {
    const { namespace, agent } = target?.internal ?? {};
    if (agent !== undefined) found.add(`Agent/${namespace || key.namespace}/${agent}`);
    references.push(auth?.secretRef ?? '');
  }
  for (const reference of references) {
    const secret = parseSecretReference(reference);
    if (secret !== undefined) found.add(`Secret/${secret.name}`);
  }
  const template = annotations[TEMPLATE_ANNOTATION];
  if (template !== undefined) found.add(`Template/${template}`);
  return found;
};

/**
 * Which agents hang on what, in memory: read once from the store, then kept up from the change log. Without it every change of
 * a skill or secret would look at all agents of its namespaces. A wrong entry costs a needless pass; a missing one is made good
 * by the next resync.
 */
export class AgentDependants {
  /** By dependency, by namespace, by agent. */
  readonly #agents = new Map<string, Map<string, Map<string, ResourceKey>>>();
  readonly #dependencies = new Map<string, ReadonlySet<string>>();
  #filling: Promise<void> | undefined;

  /** Takes in a change of an agent. */
  note(change: Pick<ResourceChange, 'change'> & { readonly resource: Subject }): void {
    if (this.#filling === undefined) return;
    this.#drop(change.resource.key);
    if (change.change !== 'deleted') this.#keep(change.resource);
  }

  /** Agents that may hang on the resource; undefined `namespaces` are all. */
  async of(
    key: ResourceKey,
    reads: ResourceReads,
    namespaces: () => Promise<readonly string[] | undefined>,
  ): Promise<readonly ResourceKey[]> {
    this.#filling ??= this.#fill(reads).catch((error: unknown) => {
      this.#filling = undefined;
      // Until the next reading no one keeps up what this one had found.
      this.#agents.clear();
      this.#dependencies.clear();
      throw error;
    });
    await this.#filling;
    const places = [key.name, `${key.namespace}/${key.name}`, ANY].flatMap(
      (name) => this.#agents.get(`${key.kind}/${name}`) ?? [],
    );
    if (places.length === 0) return [];
    const wanted = await namespaces();
    return places.flatMap((byNamespace) => {
      const held =
        wanted === undefined ? [...byNamespace.values()] : wanted.flatMap((name) => byNamespace.get(name) ?? []);
      return held.flatMap((agents) => [...agents.values()]);
    });
  }

  async #fill(reads: ResourceReads): Promise<void> {
    for await (const page of resourcePages(reads, { kind: 'Agent', scope: { type: 'all' } }))
      for (const record of page) if (!this.#dependencies.has(formatKey(record.key))) this.#keep(record);
  }

  #keep(agent: Subject): void {
    const found = dependencies(agent, messageFromText(AgentSpecSchema, agent.spec) as AgentSpec);
    if (found.size === 0) return;
    const { key } = agent;
    const id = formatKey(key);
    this.#dependencies.set(id, found);
    for (const name of found) {
      const byNamespace = this.#agents.get(name) ?? new Map<string, Map<string, ResourceKey>>();
      const agents = byNamespace.get(key.namespace) ?? new Map<string, ResourceKey>();
      this.#agents.set(name, byNamespace.set(key.namespace, agents.set(id, key)));
    }
  }

  #drop(key: ResourceKey): void {
    const id = formatKey(key);
    for (const name of this.#dependencies.get(id) ?? []) {
      const byNamespace = this.#agents.get(name);
      const agents = byNamespace?.get(key.namespace);
      agents?.delete(id);
      if (agents?.size === 0) byNamespace?.delete(key.namespace);
      if (byNamespace?.size === 0) this.#agents.delete(name);
    }
    this.#dependencies.delete(id);
  }
}
