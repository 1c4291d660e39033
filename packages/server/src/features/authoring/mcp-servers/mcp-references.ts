import {
  type McpServerBindingSpec,
  McpServerBindingSpecSchema,
  type McpServerSpec,
  McpServerSpecSchema,
} from '@svc/api/resources';
import type { NamespaceFacts } from '../../../controllers/contract.ts';
import {
  isJsonMap,
  isSecretReference,
  messageFromText,
  parseJsonMap,
  parseSecretReference,
  recordKey,
  SYSTEM_NAMESPACE,
} from '../../../resources/index.ts';
import type { ReadTx, StoredResource } from '../../../store/contracts/index.ts';
import { CLIENT_ANNOTATION } from './auth-rules.ts';
import { type EffectiveMcpServer, effectiveServer, type HeldSpec } from './effective-server.ts';
import { changesProcess, isStdio, PROCESS_ANNOTATION } from './mcp-rules.ts';

type Reads = Pick<ReadTx, 'resources'>;

const INHERITABLE = 'option.svc/inheritable';

/** Typed spec of a stored server. */
export const serverSpec = (record: StoredResource): McpServerSpec =>
  messageFromText(McpServerSpecSchema, record.spec) as McpServerSpec;

/** Typed spec of a stored binding. */
export const bindingSpec = (record: StoredResource): McpServerBindingSpec =>
  messageFromText(McpServerBindingSpecSchema, record.spec) as McpServerBindingSpec;

/** What a reference leads to, and the resources that say so. */
export interface ResolvedMcpServer {
  readonly server: StoredResource;
  readonly binding: StoredResource | undefined;
  readonly effective: EffectiveMcpServer;
}

/** What `PROCESS_ANNOTATION` says of a binding of the server; undefined where it does not decide what a process does. */
export const processOf = (server: StoredResource, spec: McpServerBindingSpec): string | undefined =>
  isStdio(serverSpec(server).transport) && changesProcess(spec)
    ? `${server.key.namespace}/${server.key.name}`
    : undefined;

/**
 * True for a binding that would decide what a process does although it was not written for that process: its reference led to another
 * server then, whose bindings any writer of the namespace may make.
 */
export const isForeignProcess = (
  server: StoredResource,
  binding: { readonly spec: McpServerBindingSpec; readonly annotations: Readonly<Record<string, string>> },
): boolean => {
  const process = processOf(server, binding.spec);
  return process !== undefined && binding.annotations[PROCESS_ANNOTATION] !== process;
};

/** What of a server or a binding holds references. */
interface ReferringResource {
  readonly spec: Pick<McpServerBindingSpec, 'args' | 'headers' | 'authBroker'>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Finds what references mean from the place where they are written. Ancestors are nearest first. */
export class McpReferences {
  readonly #namespaces: Pick<NamespaceFacts, 'ancestors'>;
  readonly #open: (record: StoredResource) => StoredResource;

  /** `open` makes values readable that the store keeps sealed; only `resolve` and `resolveServer` need it. */
  constructor(
    namespaces: Pick<NamespaceFacts, 'ancestors'>,
    open: (record: StoredResource) => StoredResource = (record) => record,
  ) {
    this.#namespaces = namespaces;
    this.#open = open;
  }

  /** The McpServer of that name in the namespace, its nearest ancestor or `system`. */
  async findServer(reads: Reads, namespace: string, name: string): Promise<StoredResource | undefined> {
    const ancestors = await this.#namespaces.ancestors(reads, namespace);
    for (const place of new Set([namespace, ...ancestors, SYSTEM_NAMESPACE])) {
      const found = await reads.resources.get(recordKey('McpServer', place, name));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The server that a binding configures; an empty reference is the binding's own name. */
  findBoundServer(
    reads: Reads,
    binding: { readonly namespace: string; readonly name: string; readonly serverRef: string },
  ): Promise<StoredResource | undefined> {
    return this.findServer(reads, binding.namespace, binding.serverRef === '' ? binding.name : binding.serverRef);
  }

  /** What an agent's mcp_server_refs entry connects to: a binding in its namespace, else the nearest server. */
  async resolve(reads: Reads, namespace: string, name: string): Promise<ResolvedMcpServer | undefined> {
    const record = await reads.resources.get(recordKey('McpServerBinding', namespace, name));
    const binding: HeldSpec<McpServerBindingSpec> | undefined =
      record === undefined
        ? undefined
        : { namespace, spec: bindingSpec(this.#open(record)), annotations: record.annotations };
    const serverRef = binding?.spec.serverRef ?? '';
    const server = await this.findBoundServer(reads, { namespace, name, serverRef });
    if (server === undefined) return undefined;
    return { server, binding: record, effective: effectiveServer(this.#held(server), binding) };
  }

  /** The server of exactly that namespace, without a binding. */
  async resolveServer(reads: Reads, namespace: string, name: string): Promise<ResolvedMcpServer | undefined> {
    const server = await reads.resources.get(recordKey('McpServer', namespace, name));
    if (server === undefined) return undefined;
    return { server, binding: undefined, effective: effectiveServer(this.#held(server)) };
  }

  #held(server: StoredResource): HeldSpec<McpServerSpec> {
    const { key, annotations } = server;
    return { namespace: key.namespace, spec: serverSpec(this.#open(server)), annotations };
  }

  /** Sentences on `secret://` references that lead nowhere from the namespace; of their texts only names are repeated. */
  async secretProblems(
    reads: Reads,
    namespace: string,
    { spec, annotations }: ReferringResource,
  ): Promise<readonly string[]> {
    const problems = new Set<string>();
    const client = annotations[CLIENT_ANNOTATION];
    const own = client === undefined ? '' : `secret://${client}/client_id`;
    for (const text of [...spec.args, ...Object.values(spec.headers), spec.authBroker?.url ?? '', own]) {
      if (!isSecretReference(text)) continue;
      const wanted = parseSecretReference(text);
      if (wanted === undefined) problems.add('a reference is not secret://name/key');
      else if (!(await this.isSecretVisible(reads, namespace, wanted))) problems.add(`secret ${wanted.name} not found`);
    }
    return [...problems];
  }

  /** Whether a Secret that can be used from the namespace has the key. */
  async isSecretVisible(
    reads: Reads,
    namespace: string,
    { name, key }: { readonly name: string; readonly key: string },
  ): Promise<boolean> {
    const ancestors = await this.#namespaces.ancestors(reads, namespace);
    for (const place of [namespace, ...ancestors]) {
      const secret = await reads.resources.get(recordKey('Secret', place, name));
      if (secret === undefined) continue;
      if (place !== namespace && secret.annotations[INHERITABLE] !== 'true') continue;
      const data = parseJsonMap(secret.spec)?.['data'];
      return isJsonMap(data) && Object.hasOwn(data, key);
    }
    return false;
  }
}
