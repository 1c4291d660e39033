/** What the product needs of OAuth 2.1 as MCP uses it, as plain data that can be stored. */

/** Where people sign in for a server: what discovery found and checked. */
export interface OAuthPlace {
  /** The authorization server, as its own metadata names it. */
  readonly issuer: string;
  /** The server that tokens are for (RFC 8707), in its own words. */
  readonly resource: string;
  /** Scopes to ask for, separated by spaces; '' = the default of the authorization server. */
  readonly scope: string;
  /** Its metadata (RFC 8414), as far as it is used. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** What svc is to one authorization server. */
export interface OAuthClientIdentity {
  readonly clientId: string;
  /** Absent for a client that is known by its metadata document, or has no secret. */
  readonly clientSecret?: string;
  /** Unix seconds; 0 = never. */
  readonly secretExpiresAt: number;
}

/** How svc presents itself to authorization servers. */
export interface OAuthSelf {
  readonly redirectUrl: string;
  /** Where the client metadata document is. */
  readonly documentUrl: string;
  readonly softwareVersion: string;
}

export interface OAuthTokens {
  readonly accessToken: string;
  /** '' where the authorization server gives none. */
  readonly refreshToken: string;
  /** Undefined where it does not say. */
  readonly expiresInSeconds: number | undefined;
  /** What was granted; '' = what was asked for. */
  readonly scope: string;
}

/** How requests leave. */
export interface OAuthReach {
  /** True for a server that the operator declared: it may be inside the private network. */
  readonly isTrusted: boolean;
  /** Ends the work earlier than its own limit of 15 s. */
  readonly signal?: AbortSignal;
}

/** The authorization code flow with PKCE. Everything rejects with OAuthFailure. */
export interface McpOAuth {
  /** Asks the server where people sign in, and that place what it can do. `headers` are sent to the server only. */
  discover(
    server: { readonly url: string; readonly headers: Readonly<Record<string, string>> },
    reach: OAuthReach,
  ): Promise<OAuthPlace>;
  /** The identity that needs no registration; undefined where the authorization server takes no metadata documents, or cannot read svc's. */
  documentIdentity(place: OAuthPlace, self: OAuthSelf): OAuthClientIdentity | undefined;
  /** The metadata document itself. */
  document(self: OAuthSelf): Readonly<Record<string, unknown>>;
  /** Registers svc as a client (RFC 7591). */
  register(place: OAuthPlace, self: OAuthSelf, reach: OAuthReach): Promise<OAuthClientIdentity>;
  /** The address that a person opens, and the PKCE verifier that belongs to it. */
  begin(
    place: OAuthPlace,
    client: OAuthClientIdentity,
    request: { readonly redirectUrl: string; readonly state: string },
  ): Promise<{ readonly url: string; readonly verifier: string }>;
  /** Refuses an answer that another authorization server gave (RFC 9207). */
  requireIssuer(place: OAuthPlace, iss: string | undefined): Promise<void>;
  exchange(
    place: OAuthPlace,
    client: OAuthClientIdentity,
    answer: {
      readonly code: string;
      readonly iss: string | undefined;
      readonly verifier: string;
      readonly redirectUrl: string;
    } & OAuthReach,
  ): Promise<OAuthTokens>;
  /** The answer has the former refresh token where no other one came. */
  refresh(
    place: OAuthPlace,
    client: OAuthClientIdentity,
    use: { readonly refreshToken: string } & OAuthReach,
  ): Promise<OAuthTokens>;
  /** Tells the authorization server to forget a token (RFC 7009); nothing where it has no such endpoint. */
  revoke(place: OAuthPlace, client: OAuthClientIdentity, use: { readonly token: string } & OAuthReach): Promise<void>;
}

/**
 * `unreachable`: down, or too slow; `refused`: its address is not allowed; `unsupported`: it lacks something that is needed;
 * `malformed`: it does not keep to the standards; `issuer`: it is not who it should be; `client`: it does not know svc any more; `grant`:
 * the code or refresh token is not valid any more; `rejected`: it answered with another error.
 */
export type OAuthFailureKind =
  | 'unreachable'
  | 'refused'
  | 'unsupported'
  | 'malformed'
  | 'issuer'
  | 'client'
  | 'grant'
  | 'rejected';

/** Its message is safe to show: no tokens, nothing that the other side wrote. */
export class OAuthFailure extends Error {
  readonly kind: OAuthFailureKind;

  constructor(kind: OAuthFailureKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OAuthFailure';
    this.kind = kind;
  }
}
