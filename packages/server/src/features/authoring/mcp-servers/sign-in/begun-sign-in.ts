import type { OAuthClientIdentity, OAuthPlace } from '../../../../protocols/mcp-oauth/contract.ts';
import type { ValueSeal } from '../../../../resources/index.ts';
import type { McpSignInRow } from '../../../../store/contracts/index.ts';
import type { GrantKey } from './grant-key.ts';
import type { GrantTarget } from './grants.ts';

/** What is known of a sign-in between its address and its callback. */
export interface Begun {
  readonly key: GrantKey;
  readonly server: string;
  readonly serverNamespace: string;
  readonly isTrusted: boolean;
  readonly target: GrantTarget;
  /** Scopes that it asks for beyond those that the server names for everyone; absent = none. */
  readonly scope?: string;
  /** The client id that was declared for the server; absent = none is. */
  readonly clientId?: string;
  /** Unix micros. */
  readonly begunAt: number;
  readonly isDone: boolean;
}

/** What of it is encrypted. The address contains the state; only its hash is stored readable. */
export interface BegunSecrets {
  readonly url: string;
  readonly verifier: string;
  readonly redirectUrl: string;
  readonly place: OAuthPlace;
  readonly client: OAuthClientIdentity;
}

const placeOf = (stateHash: string): string => `mcp-sign-in/${stateHash}`;

/** The text that is stored. */
export const sealSecrets = (seal: Pick<ValueSeal, 'seal'>, stateHash: string, secrets: BegunSecrets): string =>
  seal.seal(placeOf(stateHash), JSON.stringify(secrets));

/** Undefined once it was used, and where the key that encrypted it is lost. */
export const openSecrets = (
  seal: Pick<ValueSeal, 'open'>,
  { stateHash, sealed }: Pick<McpSignInRow, 'stateHash' | 'sealed'>,
): BegunSecrets | undefined => {
  const text = sealed === '' ? undefined : seal.open(placeOf(stateHash), sealed);
  return text === undefined ? undefined : (JSON.parse(text) as BegunSecrets);
};
