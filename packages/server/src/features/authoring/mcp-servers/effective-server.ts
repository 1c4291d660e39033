import type { McpAuthBrokerSpec, McpServerBindingSpec, McpServerSpec } from '@svc/api/resources';
import { CLIENT_ANNOTATION, type EffectiveAuth, effectiveAuth } from './auth-rules.ts';
import { isHttpTransport } from './mcp-rules.ts';

/** A spec and the namespace of the resource that holds it. */
export interface HeldSpec<S> {
  readonly namespace: string;
  readonly spec: S;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A text that may be a `secret://` reference, resolved from the namespace that wrote it. */
export interface SourcedText {
  readonly text: string;
  readonly namespace: string;
}

/** What an agent really connects to. */
export interface EffectiveMcpServer extends EffectiveAuth {
  readonly transport: string;
  readonly target: string;
  readonly args: readonly SourcedText[];
  /** HTTP headers; for stdio environment variables. */
  readonly headers: Readonly<Record<string, SourcedText>>;
  readonly isDisabled: boolean;
  readonly authBroker: McpAuthBrokerSpec | undefined;
  /** Of the resource that names the broker. */
  readonly authBrokerNamespace: string;
  /** Name of the Secret of a client that was registered by hand, and the namespace that names it. */
  readonly oauthClient: SourcedText | undefined;
  /** Undefined = every tool; [] = none, where two allowlists have nothing in common. */
  readonly allowlist: readonly string[] | undefined;
}

/** The server as a binding changes it: args appended, headers overlaid, either may disable, both allowlists apply. */
export const effectiveServer = (
  server: HeldSpec<McpServerSpec>,
  binding?: HeldSpec<McpServerBindingSpec>,
): EffectiveMcpServer => {
  const own = [server, ...(binding === undefined ? [] : [binding])];
  return {
    transport: server.spec.transport,
    target: server.spec.target,
    args: own.flatMap(({ spec, namespace }) => spec.args.map((text) => ({ text, namespace }))),
    headers: overlay(server, binding),
    isDisabled: own.some(({ spec }) => spec.disabled),
    authBroker: binding?.spec.authBroker ?? server.spec.authBroker,
    authBrokerNamespace: binding?.spec.authBroker === undefined ? server.namespace : binding.namespace,
    ...effectiveAuth(authFacts(server), binding === undefined ? undefined : authFacts(binding)),
    oauthClient: clientSecretOf(server, binding),
    allowlist: bothAllow(own.map(({ spec }) => spec.policy?.tools?.allowlist ?? [])),
  };
};

/** The binding's, else the server's own. */
const clientSecretOf = (
  ...held: readonly (HeldSpec<McpServerSpec | McpServerBindingSpec> | undefined)[]
): SourcedText | undefined => {
  for (const one of held.toReversed()) {
    const text = one?.annotations[CLIENT_ANNOTATION];
    if (one !== undefined && text !== undefined) return { text, namespace: one.namespace };
  }
  return undefined;
};

const authFacts = ({ spec, annotations }: HeldSpec<McpServerSpec | McpServerBindingSpec>) => ({
  annotations,
  hasBroker: spec.authBroker !== undefined,
});

/** Names of HTTP headers are the same in any case; names of environment variables are not. */
const overlay = (
  server: HeldSpec<McpServerSpec>,
  binding: HeldSpec<McpServerBindingSpec> | undefined,
): Readonly<Record<string, SourcedText>> => {
  const sameName = isHttpTransport(server.spec.transport)
    ? (name: string) => name.toLowerCase()
    : (name: string) => name;
  const given = Object.entries(binding?.spec.headers ?? {});
  const replaced = new Set(given.map(([name]) => sameName(name)));
  const kept = Object.entries(server.spec.headers).filter(([name]) => !replaced.has(sameName(name)));
  return Object.fromEntries([
    ...kept.map(([name, text]) => [name, { text, namespace: server.namespace }] as const),
    ...given.map(([name, text]) => [name, { text, namespace: binding?.namespace ?? '' }] as const),
  ]);
};

const bothAllow = (lists: readonly (readonly string[])[]): readonly string[] | undefined => {
  const [first, ...others] = lists.filter((list) => list.length > 0);
  return first?.filter((tool) => others.every((list) => list.includes(tool)));
};
