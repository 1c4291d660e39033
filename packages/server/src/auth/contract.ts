/** Who is calling and what a handler knows about the call. Knows no HTTP. */

export type Role = 'viewer' | 'operator' | 'admin';

/** A grant with its scope; absent scope fields mean everything. An empty string covers nothing. */
export interface CallerGrant {
  readonly role: Role;
  readonly namespace?: string;
  readonly agent?: string;
  readonly session?: string;
  readonly channel?: string;
  readonly readSecrets: boolean;
}

/** The connector class that a callback secret was made for. */
export interface CallerRegistration {
  readonly classUid: string;
  readonly namespace: string;
  readonly className: string;
}

export interface Caller {
  /** `sub:<sha256>`, `key:<id>`, `token`, `password`, `anonymous`: audit, idempotency, usage. */
  readonly identity: string;
  /** As shown by WhoAmI. */
  readonly subject: string;
  readonly mode: 'none' | 'token' | 'password' | 'jwt' | 'jwks' | 'api-key' | 'minted' | 'callback';
  readonly grants: readonly CallerGrant[];
  /** Micros; streams end within 30 s after it. */
  readonly expiresAt?: number;
  /** The connector class whose service calls back; set exactly with mode `callback`. */
  readonly registration?: CallerRegistration;
  /** The API key behind the credential: itself, or the one a minted token was made with; revoking it ends both. */
  readonly apiKeyId?: string;
}

/** Header-like values a credential can be in; names lower case. */
export interface CredentialCarrier {
  header(name: string): string | undefined;
  /** Address of the other end of the connection; absent or '' when it is not known. */
  readonly peerAddress?: string;
}

export interface Authenticator {
  /** Throws Fault UNAUTHENTICATED; constant-time comparisons. Synchronous answers for the modes without I/O. */
  authenticate(carrier: CredentialCarrier): Caller | Promise<Caller>;
}

/** Names in a request that authorisation looks at, existing or not. */
export interface AccessTarget {
  /** Absent for operations on the instance as a whole (an unscoped grant is needed). */
  readonly namespace?: string;
  readonly agent?: string;
  readonly session?: string;
  readonly channel?: string;
}

/**
 * What a caller needs for an operation: a role on the target; `any`: no grant at all; `callback`: the secret of a connector
 * registration.
 */
export type AccessNeed = Role | 'any' | 'callback';

/** Where the target of an operation is in its request. */
export type TargetRule =
  /** Fields ns, agent, session_id; a Namespace as a resource is its own target. */
  | 'fields'
  /** As `fields`; for every namespace (`-`) nothing in particular: the answer is filtered. */
  | 'readable-fields'
  /** As `fields`, of an operation that writes or deletes the resource: a Namespace belongs to its parent. */
  | 'written-resource'
  /** ns, and `name` is the agent. */
  | 'agent-name'
  /** ns, and `name` or `channel` is a channel. */
  | 'channel-name'
  | 'channel'
  /** `name` is the namespace itself. */
  | 'namespace-name'
  /** The parent of the namespace `name`; unscoped for a root name. */
  | 'namespace-parent'
  /** `parent`, else nothing in particular: the answer is filtered. */
  | 'namespace-list'
  /** Namespace `system`. */
  | 'system'
  /** Every session of a batch. */
  | 'batch'
  /** Every namespace of the documents. */
  | 'manifests'
  /** `ns`, unscoped when empty. */
  | 'audit'
  /** The instance as a whole. */
  | 'unscoped'
  /** Any grant will do; the answer is filtered by grants. */
  | 'own';

/** What an operation or a route asks of its caller. */
export interface OperationAccess {
  readonly need: AccessNeed;
  readonly target: TargetRule;
}

export interface Authorizer {
  /** Throws Fault PERMISSION_DENIED ROLE or SCOPE. `request` has the names that the rule of `access` looks at. */
  authorize(access: OperationAccess, request: unknown, caller: Caller): void;
  /** True when a grant with at least `role` contains the target. */
  allows(caller: Caller, role: Role, target: AccessTarget): boolean;
  /** True when secret values of the namespace may be shown to the caller. */
  readsSecrets(caller: Caller, target: AccessTarget): boolean;
}

/** What is known about a request before its body is decoded. */
export interface EarlyNames {
  /** Values by the field names of the decoded request; absent if the request does not say or it is not known yet. */
  readonly names: object;
  /** True when nothing that follows can name the target. */
  readonly isComplete: boolean;
}

/** Refuses a large request before it is decoded. */
export interface EarlyAuthorizer {
  /**
   * Throws Fault PERMISSION_DENIED when no grant of the caller can cover the request, whatever its body says. The decoded
   * request is authorised again.
   */
  authorizeEarly(access: OperationAccess, known: EarlyNames, caller: Caller): void;
}

/** What the metadata in a REST body says and the request message has no field for. */
export interface SentMetadata {
  /** '' when it was left out. */
  readonly resourceVersion: string;
  /** Undefined when they were left out. */
  readonly finalizers: readonly string[] | undefined;
  /** Uids of the owners; undefined when they were left out. */
  readonly owners: readonly string[] | undefined;
}

/** What every handler gets with its request. One object per call. */
export interface CallContext {
  readonly requestId: string;
  readonly caller: Caller;
  /** `svc.gateway.GatewayService/SendMessage`. */
  readonly operation: string;
  /** Idempotency-Key header or metadata, '' when absent; form already checked. */
  readonly idempotencyKey: string;
  /** W3C `traceparent` header or metadata, when well-formed. */
  readonly traceParent?: string | undefined;
  /** True when the `Prefer` header (RFC 7240) or metadata of the call names this behaviour; absent = never. */
  prefers?(name: string): boolean;
  /** Set for REST bodies that are, or contain, a whole resource. */
  readonly sentMetadata?: SentMetadata | undefined;
  /** Aborted when the client is gone or the deadline passed; never stops a turn. */
  readonly signal: AbortSignal;
  /** Header of the answer, e.g. `idempotency-replayed`; before the first stream message only. */
  setHeader(name: string, value: string): void;
}
