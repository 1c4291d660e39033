import type { OAuthClientIdentity, OAuthPlace, OAuthTokens } from '../../../../protocols/mcp-oauth/contract.ts';
import type { ValueSeal } from '../../../../resources/index.ts';
import type { McpGrantRow, ReadTx, WriteTx } from '../../../../store/contracts/index.ts';
import { type GrantKey, grantId } from './grant-key.ts';

/** The server that a grant is for. A token goes nowhere else: neither to another address nor to a namespace of the same name. */
export interface GrantTarget {
  readonly url: string;
  readonly namespaceUid: string;
}

/** What anyone who may list grants sees. */
export interface GrantFacts {
  readonly state: 'active' | 'revoked';
  /** +1 with each sign-in and each revocation: connections of an earlier one are not used any more. */
  readonly epoch: number;
  /** +1 with each write: what was read before counts no more. */
  readonly version: number;
  readonly server: string;
  readonly serverNamespace: string;
  readonly isTrusted: boolean;
  readonly target: GrantTarget;
  readonly issuer: string;
  readonly scope: string;
  /** Unix micros. */
  readonly signedInAt: number;
  readonly refreshedAt: number;
  /** Of the access token; 0 = it does not say. */
  readonly expiresAt: number;
}

/** What is encrypted. */
export interface GrantSecrets {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly client: OAuthClientIdentity;
  readonly place: OAuthPlace;
}

export interface Grant extends GrantFacts {
  readonly key: GrantKey;
}

type Reads = Pick<ReadTx, 'mcpGrants'>;
type Writes = Pick<WriteTx, 'mcpGrants'>;

const PAGE = 100;
const SECOND = 1_000_000;

/** Grants in the store: what may be listed is readable, the tokens are sealed for their place. */
export class Grants {
  readonly #seal: ValueSeal;

  constructor(seal: ValueSeal) {
    this.#seal = seal;
  }

  /** Without its tokens; also one that was revoked. */
  async find(reads: Reads, key: GrantKey): Promise<Grant | undefined> {
    const row = await reads.mcpGrants.get(key);
    return row === undefined ? undefined : grantOf(row);
  }

  /** An active grant with its tokens; undefined too where the key that encrypted them is lost. */
  async open(reads: Reads, key: GrantKey): Promise<(Grant & { readonly secrets: GrantSecrets }) | undefined> {
    const row = await reads.mcpGrants.get(key);
    if (row === undefined) return undefined;
    const grant = grantOf(row);
    const text = grant.state === 'active' ? this.#seal.open(placeOf(key), row.sealed) : undefined;
    return text === undefined ? undefined : { ...grant, secrets: JSON.parse(text) as GrantSecrets };
  }

  put(tx: Writes, { key, ...facts }: Grant, secrets: GrantSecrets): Promise<void> {
    const sealed = this.#seal.seal(placeOf(key), JSON.stringify(secrets));
    return tx.mcpGrants.put({ ...key, sealed, body: JSON.stringify(facts) });
  }

  /** The tokens are gone; the row keeps its count, so that no connection of an earlier sign-in is used after the next. */
  revoke(tx: Writes, { key, ...facts }: Grant): Promise<void> {
    const revoked: GrantFacts = { ...facts, state: 'revoked', epoch: facts.epoch + 1, version: facts.version + 1 };
    return tx.mcpGrants.put({ ...key, sealed: '', body: JSON.stringify(revoked) });
  }

  /** Rows of a namespace in the order of their servers, those after `after`. */
  async ofNamespace(
    reads: Reads,
    namespace: string,
    page: { readonly after?: Pick<GrantKey, 'serverUid' | 'identity'> | undefined; readonly limit: number },
  ): Promise<readonly Grant[]> {
    return (await reads.mcpGrants.page('ofNamespace', { namespace }, page)).map(grantOf);
  }

  /** Every row of the store, 100 at a time. */
  async *all(reads: Reads): AsyncGenerator<readonly Grant[]> {
    for (let after: GrantKey | undefined; ; ) {
      const rows: readonly McpGrantRow[] = await reads.mcpGrants.page('all', {}, { after, limit: PAGE });
      if (rows.length > 0) yield rows.map(grantOf);
      if (rows.length < PAGE) return;
      after = rows.at(-1);
    }
  }

  /** Encrypts the tokens of one grant with the newest key; nothing where that is so, or their key is lost. */
  async reseal(tx: Writes, key: GrantKey): Promise<void> {
    const row = await tx.mcpGrants.get(key);
    if (row === undefined || row.sealed === '' || this.#seal.isNewest(row.sealed)) return;
    const text = this.#seal.open(placeOf(key), row.sealed);
    if (text !== undefined) await tx.mcpGrants.put({ ...row, sealed: this.#seal.seal(placeOf(key), text) });
  }
}

const placeOf = (key: GrantKey): string => `mcp-grant/${grantId(key)}`;

const grantOf = ({ namespace, serverUid, identity, body }: McpGrantRow): Grant => ({
  ...(JSON.parse(body) as GrantFacts),
  key: { namespace, serverUid, identity },
});

/** True for a grant whose tokens are for exactly this server, as this namespace uses it. */
export const isFor = ({ state, target }: GrantFacts, { url, namespaceUid }: GrantTarget): boolean =>
  state === 'active' && target.url === url && target.namespaceUid === namespaceUid;

/** Times of a grant with these tokens, at `now`. */
export const tokenTimes = (tokens: OAuthTokens, now: number): Pick<GrantFacts, 'refreshedAt' | 'expiresAt'> => ({
  refreshedAt: now,
  expiresAt: tokens.expiresInSeconds === undefined ? 0 : now + Math.floor(tokens.expiresInSeconds * SECOND),
});
