import { DONE, type QueueWorker, type ReconcileOutcome } from '../../../../controllers/contract.ts';
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

/** Revokes the refresh token, or the access token where there is none. */
export const revocations = (deps: {
  readonly oauth: Pick<McpOAuth, 'revoke'>;
  readonly seal: Pick<ValueSeal, 'open'>;
  readonly store: { write<T>(work: (tx: WriteTx) => Promise<T>): Promise<T> };
}): QueueWorker => ({
  kinds: [REVOKE],
  run: async ({ key, payload }): Promise<ReconcileOutcome> => {
    const { sealed, isTrusted, tries } = JSON.parse(payload) as Payload;
    const text = deps.seal.open(placeOf(key), sealed);
    if (text === undefined) return DONE;
    const { accessToken, refreshToken, place, client } = JSON.parse(text) as GrantSecrets;
    try {
      await deps.oauth.revoke(place, client, { token: refreshToken === '' ? accessToken : refreshToken, isTrusted });
      return DONE;
    } catch (error) {
      if (!(error instanceof OAuthFailure)) throw error;
      if (error.kind !== 'unreachable' || tries >= TRIES) return DONE;
    }
    const next: Payload = { sealed, isTrusted, tries: tries + 1 };
    await deps.store.write((tx) =>
      tx.queue.put(
        {
          kind: REVOKE,
          key,
          attempts: 0,
          payload: JSON.stringify(next),
          dueAt: tx.steadyNow() + AGAIN_MS * 1_000,
        },
        { replace: true },
      ),
    );
    return DONE;
  },
});
