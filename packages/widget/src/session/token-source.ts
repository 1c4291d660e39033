import { SvcError } from '@svc/client/plain';

/** A token, or nothing for a server that asks for none. */
export type TokenCallback = () => string | Promise<string>;

export interface TokenOptions {
  /** Given by the page once. */
  readonly token: string | undefined;
  /** Asked for a token whenever one is needed and the last one is over. */
  readonly getToken: TokenCallback | undefined;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
}

/** What a minted token says about itself. It decides nothing: the server checks the token. */
export interface TokenClaims {
  readonly expiresAtMs: number;
  readonly namespace: string;
  readonly agent: string;
  readonly session: string;
}

/** A token is replaced this long before its end, so that none ends on its way. */
const EARLY_MS = 30_000;

/** The token of every request. It is kept in memory only. */
export class TokenSource {
  readonly #options: TokenOptions;
  #current: string | undefined;
  #asked: Promise<string> | undefined;

  constructor(options: TokenOptions) {
    this.#options = options;
    this.#current = options.token;
  }

  /** Whether requests carry a token at all. */
  get isUsed(): boolean {
    return this.#options.token !== undefined || this.canRenew;
  }

  /** Whether the page gives a new token when one is over. */
  get canRenew(): boolean {
    return this.#options.getToken !== undefined;
  }

  /** A token that is not over, as far as is known; rejects with UNAVAILABLE when the page gives none. */
  async current(): Promise<string> {
    const { getToken, nowMs } = this.#options;
    const known = this.#current;
    const isOver = known === undefined || (claimsOf(known)?.expiresAtMs ?? Infinity) - EARLY_MS <= nowMs();
    if (!isOver || getToken === undefined) return known ?? '';
    this.#asked ??= this.#ask(getToken);
    return this.#asked;
  }

  /** The server refused the token: the next request asks for another one. */
  drop(): void {
    this.#current = undefined;
  }

  async #ask(getToken: TokenCallback): Promise<string> {
    try {
      this.#current = await getToken();
      return this.#current;
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      throw new SvcError({
        code: 'UNAVAILABLE',
        reason: 'NO_TOKEN',
        message: `the page gave no token: ${message}`,
        cause,
      });
    } finally {
      this.#asked = undefined;
    }
  }
}

/** The claims of a token that the server minted; undefined for credentials of other forms. */
export const claimsOf = (token: string): TokenClaims | undefined => {
  const payload = token.split('.')[1];
  if (payload === undefined) return undefined;
  const claims = jsonOf(payload);
  const grants = claims?.['svc:grants'];
  const grant = Array.isArray(grants) ? (grants[0] as Readonly<Record<string, unknown>> | undefined) : undefined;
  const nameOf = (key: string): string => (typeof grant?.[key] === 'string' ? grant[key] : '');
  const expires = claims?.['exp'];
  return {
    expiresAtMs: typeof expires === 'number' ? expires * 1_000 : Infinity,
    namespace: nameOf('namespace'),
    agent: nameOf('agent'),
    session: nameOf('session'),
  };
};

const jsonOf = (base64url: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const bytes = Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (unit) =>
      unit.charCodeAt(0),
    );
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    // Not a token of this form.
    return undefined;
  }
};
