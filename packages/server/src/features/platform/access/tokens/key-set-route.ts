import type { HttpRoute } from '../../../../operations/index.ts';
import type { TokenKeys } from './token-keys.ts';

/** Seconds others may keep the key set; the key changes only when it can no longer be opened. */
const MAX_AGE_SECONDS = 300;

/** `/.well-known/jwks.json`: the public keys by which anyone can verify tokens of this instance. */
export const keySetRoute = (keys: Pick<TokenKeys, 'keySet'>): HttpRoute => ({
  method: 'GET',
  pattern: '/.well-known/jwks.json',
  authenticated: false,
  handle: async (exchange) => {
    const headers = {
      'content-type': 'application/jwk-set+json',
      'cache-control': `public, max-age=${MAX_AGE_SECONDS}`,
    };
    exchange.answer(200, headers, JSON.stringify(await keys.keySet()));
  },
});
