const TIMEOUT_MS = 10_000;
/** A token is replaced this long before it expires. */
const MARGIN_MS = 60_000;

/** A token endpoint that refuses the credential; adapters and the bridge know the status. */
class TokenRefused extends Error {
  readonly status: number;

  constructor(status: number, url: string) {
    super(`${new URL(url).host} answered ${status} to the request for an access token`);
    this.name = 'TokenRefused';
    this.status = status;
  }
}

/** Access tokens from an OAuth token endpoint: one request at a time, and none while the last token is valid. */
export function accessTokens(
  url: string,
  makeForm: () => Promise<Readonly<Record<string, string>>>,
): () => Promise<string> {
  let current: { readonly token: string; readonly expiresAtMs: number } | undefined;
  let asking: Promise<string> | undefined;
  const ask = async (): Promise<string> => {
    const response = await fetch(url, {
      method: 'POST',
      body: new URLSearchParams(await makeForm()),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) {
      await response.body?.cancel();
      // Both mean that the credential is not accepted.
      throw new TokenRefused(response.status === 400 ? 401 : response.status, url);
    }
    const { access_token: token, expires_in: seconds = 300 } = (await response.json()) as {
      readonly access_token: string;
      readonly expires_in?: number;
    };
    current = { token, expiresAtMs: Date.now() + seconds * 1_000 };
    return token;
  };
  return async () => {
    if (current !== undefined && current.expiresAtMs - MARGIN_MS > Date.now()) return current.token;
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return await asking;
  };
}
