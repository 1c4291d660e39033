import { BackgroundWork, type Log } from '../../../../base/index.ts';
import { DONE, type QueueWorker, type ReconcileOutcome, type WorkItem } from '../../../../controllers/contract.ts';
import { type McpOAuth, OAuthFailure } from '../../../../protocols/mcp-oauth/contract.ts';
import type { ValueSeal } from '../../../../resources/index.ts';
import type { WriteTx } from '../../../../store/contracts/index.ts';
import { grantId } from './grant-key.ts';
import type { Grant, GrantSecrets } from './grants.ts';

/** Kind of the queue items that tell authorization servers to forget tokens. */
const REVOKE = 'mcp-revoke-token';
/** How often, and how many times, one that cannot be reached is asked again: the token ends by itself in the end. */
const AGAIN_MS = 60_000;
const TRIES = 10;
/** Requests of one process at a time; the others wait a second. */
const REQUESTS_MAX = 16;
const BUSY_MS = 1_000;

interface Payload {
  /** The tokens, encrypted for the key of the item. */
  readonly sealed: string;
  readonly isTrusted: boolean;
  readonly tries: number;
}

/** Has the tokens revoked where they came from; in the transaction that forgets them. */
export const queueRevocation = async (
  tx: Pick<WriteTx, 'queue' | 'steadyNow'>,
  seal: Pick<ValueSeal, 'seal'>,
  { key, version, isTrusted, secrets }: Grant & { readonly secrets: GrantSecrets },
): Promise<void> => {
  const itemKey = `${grantId(key)}/${version}`;
  const sealed = seal.seal(placeOf(itemKey), JSON.stringify(secrets));
  const payload: Payload = { sealed, isTrusted, tries: 0 };
  await tx.queue.put({
    kind: REVOKE,
    key: itemKey,
    dueAt: tx.steadyNow(),
    attempts: 0,
    payload: JSON.stringify(payload),
  });
};

const placeOf = (itemKey: string): string => `mcp-revoke/${itemKey}`;

export interface RevocationsDeps {
  readonly oauth: Pick<McpOAuth, 'revoke'>;
  readonly seal: Pick<ValueSeal, 'open'>;
  readonly store: { write<T>(work: (tx: WriteTx) => Promise<T>): Promise<T> };
  readonly log: Pick<Log, 'warn'>;
}

/** Revokes refresh tokens, or the access token where there is none. An item comes back until its request has ended. */
export class Revocations implements QueueWorker {
  readonly kinds = [REVOKE];
  readonly #deps: RevocationsDeps;
  readonly #requests: BackgroundWork;

  constructor(deps: RevocationsDeps) {
    this.#deps = deps;
    this.#requests = new BackgroundWork({
      max: REQUESTS_MAX,
      failed: (error) => deps.log.warn('revoking a token of an MCP server failed', { reason: String(error) }),
    });
  }

  async run({ key, payload }: WorkItem): Promise<ReconcileOutcome> {
    const { sealed, isTrusted, tries } = JSON.parse(payload) as Payload;
    const text = this.#deps.seal.open(placeOf(key), sealed);
    if (text === undefined) return DONE;
    const secrets = JSON.parse(text) as GrantSecrets;
    const isBegun = this.#requests.start(key, async ({ signal }) => {
      if (await this.#isSettled(secrets, { isTrusted, tries, signal })) await this.#end(key);
      else await this.#again(key, { sealed, isTrusted, tries: tries + 1 });
    });
    return { againMs: isBegun ? AGAIN_MS : BUSY_MS };
  }

  /** Resolves once no request is under way. */
  settled(): Promise<void> {
    return this.#requests.settled();
  }

  /** Ends all requests; what is queued stays. */
  close(): Promise<void> {
    return this.#requests.close();
  }

  /** False for an authorization server that is to be asked again. */
  async #isSettled(
    { accessToken, refreshToken, place, client }: GrantSecrets,
    { isTrusted, tries, signal }: Pick<Payload, 'isTrusted' | 'tries'> & { readonly signal: AbortSignal },
  ): Promise<boolean> {
    const token = refreshToken === '' ? accessToken : refreshToken;
    try {
      await this.#deps.oauth.revoke(place, client, { token, isTrusted, signal });
      return true;
    } catch (error) {
      if (!(error instanceof OAuthFailure)) throw error;
      return error.kind !== 'unreachable' || tries >= TRIES;
    }
  }

  #end(key: string): Promise<void> {
    return this.#deps.store.write((tx) => tx.queue.cancel(REVOKE, key));
  }

  #again(key: string, payload: Payload): Promise<void> {
    return this.#deps.store.write((tx) => {
      const dueAt = tx.steadyNow() + AGAIN_MS * 1_000;
      const item = { kind: REVOKE, key, attempts: 0, payload: JSON.stringify(payload), dueAt };
      return tx.queue.put(item, { replace: true });
    });
  }
}
