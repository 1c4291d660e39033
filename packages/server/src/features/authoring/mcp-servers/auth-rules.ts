import { type FieldViolation, violation } from '../../../base/index.ts';
import { parseSecretReference } from '../../../resources/index.ts';

type TextMap = Readonly<Record<string, string>>;

/** How a server learns for whom svc acts: not at all, by a token of the broker, or by one that a person got by signing in. */
export const AUTH_ANNOTATION = 'option.svc/mcp-auth';
/** Whether each person signs in, or one does for the whole namespace. */
export const AUTH_SCOPE_ANNOTATION = 'option.svc/mcp-auth-scope';

/** The Secret of a client that was registered by hand: `client_id`, and if there is one `client_secret`. */
export const CLIENT_ANNOTATION = 'option.svc/mcp-oauth-client';

export type McpAuth = 'none' | 'broker' | 'oauth';

const KINDS: ReadonlySet<string> = new Set(['none', 'broker', 'oauth']);
const SCOPES: ReadonlySet<string> = new Set(['identity', 'namespace']);

const field = (annotation: string): string => `metadata.annotations[${annotation}]`;

/** Faults of the annotations by themselves. */
export const checkAuthAnnotations = ({
  [AUTH_ANNOTATION]: auth = 'none',
  [AUTH_SCOPE_ANNOTATION]: scope = 'identity',
  [CLIENT_ANNOTATION]: client,
}: TextMap): readonly FieldViolation[] => [
  ...(KINDS.has(auth) ? [] : [violation(field(AUTH_ANNOTATION), 'must be none, broker or oauth')]),
  ...(SCOPES.has(scope) ? [] : [violation(field(AUTH_SCOPE_ANNOTATION), 'must be identity or namespace')]),
  ...(client === undefined || parseSecretReference(`secret://${client}/client_id`) !== undefined
    ? []
    : [violation(field(CLIENT_ANNOTATION), 'must be the name of a Secret')]),
];

/** What of a server or a binding says how the server learns for whom svc acts. */
export interface AuthFacts {
  readonly annotations: TextMap;
  readonly hasBroker: boolean;
}

export interface EffectiveAuth {
  readonly auth: McpAuth;
  /** One sign-in serves everyone in the namespace. */
  readonly isShared: boolean;
}

/**
 * What counts for a server with a binding: the annotation of the binding, its broker, then those of the server. A value of another release
 * means the default.
 */
export const effectiveAuth = (server: AuthFacts, binding?: AuthFacts): EffectiveAuth => {
  const own = [...(binding === undefined ? [] : [binding]), server];
  const hasBroker = own.some((one) => one.hasBroker);
  const said = own.map(authOf).find((auth) => auth !== undefined) ?? 'none';
  const scope = own.map(({ annotations }) => annotations[AUTH_SCOPE_ANNOTATION]).find((one) => one !== undefined);
  return { auth: said === 'broker' && !hasBroker ? 'none' : said, isShared: scope === 'namespace' };
};

const authOf = ({ annotations, hasBroker }: AuthFacts): McpAuth | undefined => {
  const said = annotations[AUTH_ANNOTATION];
  if (said === 'none' || said === 'broker' || said === 'oauth') return said;
  return hasBroker ? 'broker' : undefined;
};

/** What a sign-in cannot be combined with: another transport than HTTP, a static Authorization header. */
export const checkSignInUse = (server: {
  readonly isHttp: boolean;
  readonly headers: Readonly<Record<string, unknown>>;
}): readonly FieldViolation[] => {
  const isStatic = Object.keys(server.headers).some((name) => name.toLowerCase() === 'authorization');
  return [
    ...(server.isHttp ? [] : [violation(field(AUTH_ANNOTATION), 'oauth needs transport http or sse')]),
    ...(isStatic ? [violation(field(AUTH_ANNOTATION), 'oauth excludes a static Authorization header')] : []),
  ];
};

/** An annotation that asks for a broker where none is set. */
export const checkBrokerIsSet = (facts: AuthFacts): readonly FieldViolation[] =>
  facts.annotations[AUTH_ANNOTATION] === 'broker' && !facts.hasBroker
    ? [violation(field(AUTH_ANNOTATION), 'broker needs an auth broker')]
    : [];
