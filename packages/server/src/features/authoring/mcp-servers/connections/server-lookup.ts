import { createHash } from 'node:crypto';
import { isFault } from '../../../../base/index.ts';
import type { McpAuthorization, McpEra, McpTarget } from '../../../../protocols/mcp/contract.ts';
import { isSecretReference, namespaceKey, SYSTEM_NAMESPACE } from '../../../../resources/index.ts';
import type { ReadTx, Store } from '../../../../store/contracts/index.ts';
import type { SourcedText } from '../effective-server.ts';
import { bindingSpec, isForeignProcess, type McpReferences, type ResolvedMcpServer } from '../mcp-references.ts';
import { ERA_ANNOTATION, isStdio } from '../mcp-rules.ts';
import { type AccessTokens, type DeclaredClient, type Grants, isFor, type SignInSubject } from '../sign-in/index.ts';
import type { BrokerTokens } from './auth-broker.ts';
import type { ServerUse, WantedServer, WantedSignIn } from './wanted-server.ts';

export interface ServerLookupDeps {
  readonly store: Pick<Store, 'direct'>;
  /** Opens sealed values. */
  readonly references: McpReferences;
  /** The value that a `secret://` reference names, seen from the namespace of the resource that holds it. Throws a Fault. */
  readonly secret: (namespace: string, reference: string) => Promise<string>;
  readonly brokers: Pick<BrokerTokens, 'authorization'>;
  readonly grants: Pick<Grants, 'find'>;
  readonly tokens: Pick<AccessTokens, 'authorization'>;
  /** The namespace and its ancestors, [] for one that is deleted. */
  readonly visibleNamespaces: (reads: Pick<ReadTx, 'resources'>, namespace: string) => Promise<readonly string[]>;
}

/** Why nothing connects to a server that was found. */
type Unusable = 'disabled' | 'broker' | 'sign-in' | 'foreign-process';

/** Finds what references of agents, servers and bindings lead to. */
export class ServerLookup {
  readonly #deps: ServerLookupDeps;

  constructor(deps: ServerLookupDeps) {
    this.#deps = deps;
  }

  /**
   * What an entry of mcp_server_refs of an agent of the namespace means; a word says why nothing connects to it. A server with a
   * broker, or one that people sign in to, is usable for sessions only.
   */
  async find(namespace: string, name: string, use?: ServerUse): Promise<WantedServer | Unusable | undefined> {
    const { store, references, visibleNamespaces } = this.#deps;
    const reads = store.direct;
    if ((await visibleNamespaces(reads, namespace)).length === 0) return undefined;
    const resolved = await references.resolve(reads, namespace, name);
    return resolved === undefined ? undefined : this.#wanted(namespace, resolved, use);
  }

  /** What the person would sign in to; `no-sign-in` for a server that needs none. */
  async signInSubject(
    namespace: string,
    name: string,
    identity: string,
  ): Promise<SignInSubject | 'no-sign-in' | undefined> {
    const { store, references, visibleNamespaces } = this.#deps;
    if ((await visibleNamespaces(store.direct, namespace)).length === 0) return undefined;
    const resolved = await references.resolve(store.direct, namespace, name);
    if (resolved === undefined) return undefined;
    if (resolved.effective.auth !== 'oauth') return 'no-sign-in';
    return (await this.#signIn(namespace, resolved, { identity })).subject;
  }

  /** The server itself, as its own namespace would use it without a binding. */
  findServer(namespace: string, name: string): Promise<WantedServer | Unusable | undefined> {
    return this.#serverFor(namespace, namespace, { name, use: undefined });
  }

  /** The key of the same place by now. */
  async keyNow({ subject, namespace, use }: WantedServer): Promise<string | undefined> {
    const { kind, name, namespace: home } = subject.key;
    const found = await (kind === 'McpServer'
      ? this.#serverFor(namespace, home, { name, use })
      : this.find(namespace, name, use));
    return typeof found === 'object' ? found.key : undefined;
  }

  async #serverFor(
    namespace: string,
    home: string,
    { name, use }: { readonly name: string; readonly use: ServerUse | undefined },
  ): Promise<WantedServer | Unusable | undefined> {
    const { store, references, visibleNamespaces } = this.#deps;
    if ((await visibleNamespaces(store.direct, namespace)).length === 0) return undefined;
    const resolved = await references.resolveServer(store.direct, home, name);
    return resolved === undefined ? undefined : this.#wanted(namespace, resolved, use);
  }

  async #wanted(namespace: string, resolved: ResolvedMcpServer, use?: ServerUse): Promise<WantedServer | Unusable> {
    const { server, binding, effective } = resolved;
    if (effective.isDisabled) return 'disabled';
    if (binding !== undefined && isForeignProcess(server, { ...binding, spec: bindingSpec(binding) }))
      return 'foreign-process';
    if (effective.auth === 'broker' && use === undefined) return 'broker';
    if (effective.auth === 'oauth' && use === undefined) return 'sign-in';
    const subject = binding ?? server;
    const era = eraOf(subject.annotations[ERA_ANNOTATION] ?? server.annotations[ERA_ANNOTATION]);
    const texts = await this.#texts(resolved);
    const { auth } = effective;
    const made = { namespace, era, auth, held: [server, binding].map((one) => [one?.uid, one?.generation]), texts };
    const key = createHash('sha256').update(JSON.stringify(made)).digest('hex');
    const wanted = {
      place: `${subject.uid}@${namespace}`,
      key,
      namespace,
      subject,
      era,
      hidden: [...texts, ...Object.values(effective.headers).map(({ text }) => text)],
      allowlist: effective.allowlist,
      target: () => this.#target(resolved),
    };
    if (auth === 'none' || use === undefined) return wanted;
    if (auth === 'oauth') return this.#forPerson(wanted, await this.#signIn(namespace, resolved, use), use);
    const { agent, sessionId } = use;
    const authorization = this.#authorization(resolved, { ...use, namespace, server: key });
    return { ...wanted, place: `${wanted.place}/${agent}/${sessionId}`, use, authorization };
  }

  /** Connections of one person, and of one sign-in: those of another one have another place or another key. */
  #forPerson(wanted: WantedServer, signIn: WantedSignIn, use: ServerUse): WantedServer {
    const { subject, grant } = signIn;
    const place = `${wanted.place}#${subject.key.identity}`;
    if (grant === undefined) return { ...wanted, place, use, signIn };
    const authorization = this.#deps.tokens.authorization(grant);
    return { ...wanted, place, key: `${wanted.key}#${grant.epoch}`, use, signIn, authorization };
  }

  /** Whose grant it is, and what was granted. A grant for another address, or for a former namespace of that name, is none. */
  async #signIn(
    namespace: string,
    resolved: ResolvedMcpServer,
    { identity }: Pick<ServerUse, 'identity'>,
  ): Promise<WantedSignIn> {
    const { server, effective } = resolved;
    const reads = this.#deps.store.direct;
    const key = { namespace, serverUid: server.uid, identity: effective.isShared ? '' : identity };
    const home = await reads.resources.get(namespaceKey(namespace));
    const target = { url: effective.target, namespaceUid: home?.uid ?? '' };
    const subject: SignInSubject = {
      key,
      target,
      server: server.key.name,
      serverNamespace: server.key.namespace,
      isTrusted: server.key.namespace === SYSTEM_NAMESPACE,
      headers: async () => {
        const found = await this.#target(resolved);
        return found.transport === 'stdio' ? {} : found.headers;
      },
      client: () => this.#client(resolved),
    };
    const grant = await this.#deps.grants.find(reads, key);
    if (grant === undefined || !isFor(grant, target)) return { subject, grant: undefined };
    return { subject, grant: { key, epoch: grant.epoch } };
  }

  /** The client that an annotation names by a Secret: `client_id`, and where there are such keys `client_secret` and `issuer`. */
  async #client({ effective: { oauthClient } }: ResolvedMcpServer): Promise<DeclaredClient | undefined> {
    if (oauthClient === undefined) return undefined;
    const { text: name, namespace } = oauthClient;
    const { references, secret, store } = this.#deps;
    const value = async (key: string): Promise<string> => secret(namespace, `secret://${name}/${key}`);
    const optional = async (key: string): Promise<string> =>
      (await references.isSecretVisible(store.direct, namespace, { name, key })) ? value(key) : '';
    const clientSecret = await optional('client_secret');
    return {
      clientId: await value('client_id'),
      issuer: await optional('issuer'),
      ...(clientSecret === '' ? {} : { clientSecret }),
    };
  }

  /** Tokens of the broker for a session. */
  #authorization(
    { server, effective }: ResolvedMcpServer,
    use: ServerUse & { readonly namespace: string; readonly server: string },
  ): McpAuthorization {
    const { authBroker, authBrokerNamespace: home } = effective;
    const { url = '', audience = '', cacheTtlSeconds = 0 } = authBroker ?? {};
    return this.#deps.brokers.authorization({
      ...use,
      audience,
      cacheTtlSeconds,
      serverName: server.key.name,
      isTrusted: home === SYSTEM_NAMESPACE,
      url: () => this.#resolved({ text: url, namespace: home }),
    });
  }

  /** What the secrets say now, or why they do not; both change the key. */
  async #texts({ effective: { args, headers } }: ResolvedMcpServer): Promise<readonly string[]> {
    const found: string[] = [];
    for (const text of [...args, ...Object.values(headers)])
      if (isSecretReference(text.text)) found.push(await this.#resolved(text).catch(problemOf));
    return found;
  }

  async #target({ server, effective }: ResolvedMcpServer): Promise<McpTarget> {
    const { transport, target } = effective;
    const args: string[] = [];
    for (const text of effective.args) args.push(await this.#resolved(text));
    const values: Record<string, string> = {};
    for (const [name, text] of Object.entries(effective.headers)) values[name] = await this.#resolved(text);
    if (isStdio(transport)) return { transport: 'stdio', command: target, args, environment: values };
    const isTrusted = server.key.namespace === SYSTEM_NAMESPACE;
    return { transport: transport === 'sse' ? 'sse' : 'http', url: target, headers: values, isTrusted };
  }

  async #resolved({ text, namespace }: SourcedText): Promise<string> {
    return isSecretReference(text) ? this.#deps.secret(namespace, text) : text;
  }
}

/** What the rules of the field let through; a value of an earlier release means the default. */
const eraOf = (text = 'auto'): McpEra => (text === '2026' || text === '2025' ? text : 'auto');

const problemOf = (error: unknown): string => {
  if (isFault(error)) return error.message;
  throw error;
};
