import { createHash, createPublicKey, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const CLIENT = 'svc-console';
const AUDIENCE = 'svc';
const HOUR_S = 3_600;

/** What was asked for, until the code is traded. */
interface Asked {
  readonly redirectUri: string;
  readonly challenge: string;
  readonly nonce: string;
}

/** An answer that the provider gives. */
interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

const refused = (error: string, description: string): Reply => ({
  status: 400,
  body: { error, error_description: description },
});

/**
 * A small OpenID provider that knows one person and one public client, and signs for real: discovery, authorization code with PKCE
 * (S256), nonce, refresh tokens that rotate, CORS for the origin of the client. Its sign-in page asks nothing.
 */
export class OpenIdProvider implements AsyncDisposable {
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #server = createServer((request, response) => {
    this.#answer(request).then(
      (reply) => this.#send(response, reply),
      (error: unknown) => this.#send(response, { status: 500, body: { error: String(error) } }),
    );
  });
  readonly #codes = new Map<string, Asked>();
  readonly #refreshTokens = new Set<string>();
  /** Address of the page that the client belongs to. */
  origin = '';
  /** What the next sign-in ends with instead of a code. */
  refusal: string | undefined;
  renewals = 0;
  /** How long tokens live, in seconds. */
  lifetime = HOUR_S;
  /** Without one the person has to sign in again when the token has ended. */
  givesRefreshTokens = true;

  static async open(): Promise<OpenIdProvider> {
    const provider = new OpenIdProvider();
    provider.#server.listen(0, '127.0.0.1');
    await once(provider.#server, 'listening');
    return provider;
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/realms/shop`;
  }

  /** Settings of a server that takes its tokens. */
  get environment(): Readonly<Record<string, string>> {
    return {
      SVC_AUTH_JWKS_URL: `${this.issuer}/keys`,
      SVC_AUTH_JWKS_ISSUER: this.issuer,
      SVC_AUTH_JWKS_AUDIENCE: AUDIENCE,
      SVC_AUTH_JWKS_RULES: JSON.stringify([{ claim: 'groups', value: 'keepers', role: 'admin' }]),
      SVC_CONSOLE_OIDC_CLIENT_ID: CLIENT,
      SVC_CONSOLE_OIDC_SCOPE: 'openid offline_access',
    };
  }

  /** A token with which the one person may do everything. */
  accessToken(): string {
    return this.#signed({ aud: AUDIENCE, groups: ['keepers'] });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage): Promise<Reply> {
    const { pathname, searchParams } = new URL(request.url ?? '/', this.issuer);
    switch (pathname.slice('/realms/shop'.length)) {
      case '/.well-known/openid-configuration':
        return {
          status: 200,
          body: {
            issuer: this.issuer,
            authorization_endpoint: `${this.issuer}/authorize`,
            token_endpoint: `${this.issuer}/token`,
            jwks_uri: `${this.issuer}/keys`,
          },
        };
      case '/keys':
        return {
          status: 200,
          body: {
            keys: [{ ...createPublicKey(this.#keys.privateKey).export({ format: 'jwk' }), kid: 'k1', alg: 'ES256' }],
          },
        };
      case '/authorize':
        return this.#authorize(searchParams);
      case '/token':
        return this.#token(new URLSearchParams(await textOf(request)));
      default:
        return { status: 404 };
    }
  }

  #authorize(asked: URLSearchParams): Reply {
    const redirectUri = asked.get('redirect_uri') ?? '';
    const isKnown = asked.get('client_id') === CLIENT && redirectUri === `${this.origin}/sign-in/callback`;
    const isWhole = asked.get('response_type') === 'code' && asked.get('code_challenge_method') === 'S256';
    if (!isKnown || !isWhole || asked.get('scope') !== 'openid offline_access') return refused('invalid_request', 'no');
    const back = new URL(redirectUri);
    back.searchParams.set('state', asked.get('state') ?? '');
    if (this.refusal === undefined) {
      const code = randomUUID();
      const [challenge, nonce] = [asked.get('code_challenge') ?? '', asked.get('nonce') ?? ''];
      this.#codes.set(code, { redirectUri, challenge, nonce });
      back.searchParams.set('code', code);
    } else {
      back.searchParams.set('error', 'access_denied');
      back.searchParams.set('error_description', this.refusal);
    }
    // As many providers say it: their pages share nothing with those of others, so no page finds the window again that it opened.
    return { status: 302, headers: { location: back.href, 'cross-origin-opener-policy': 'same-origin' } };
  }

  async #token(form: URLSearchParams): Promise<Reply> {
    if (form.get('client_id') !== CLIENT) return refused('invalid_client', 'unknown client');
    if (form.get('grant_type') === 'refresh_token') {
      if (!this.#refreshTokens.delete(form.get('refresh_token') ?? '')) return refused('invalid_grant', 'used up');
      this.renewals += 1;
      return this.#tokens(undefined);
    }
    const code = form.get('code') ?? '';
    const asked = this.#codes.get(code);
    this.#codes.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (asked?.challenge !== challenge || asked.redirectUri !== form.get('redirect_uri'))
      return refused('invalid_grant', 'not the one that asked');
    return this.#tokens(asked.nonce);
  }

  #tokens(nonce: string | undefined): Reply {
    const refresh = this.givesRefreshTokens ? randomUUID() : undefined;
    if (refresh !== undefined) this.#refreshTokens.add(refresh);
    const body = {
      token_type: 'Bearer',
      access_token: this.accessToken(),
      id_token: nonce === undefined ? undefined : this.#signed({ aud: CLIENT, nonce }),
      refresh_token: refresh,
      expires_in: this.lifetime,
    };
    return { status: 200, body };
  }

  /** A JSON Web Token, signed by ES256 (RFC 7515, RFC 7518 section 3.4). */
  #signed(claims: object): string {
    const now = Math.floor(Date.now() / 1_000);
    const payload = { ...claims, sub: 'ann', iss: this.issuer, iat: now, exp: now + this.lifetime };
    const text = [{ alg: 'ES256', kid: 'k1' }, payload]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const key = { key: this.#keys.privateKey, dsaEncoding: 'ieee-p1363' } as const;
    return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
  }

  #send(response: ServerResponse, { status, headers, body }: Reply): void {
    response.writeHead(status, {
      'content-type': 'application/json',
      'access-control-allow-origin': this.origin,
      'cache-control': 'no-store',
      ...headers,
    });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  }
}

const textOf = async (request: IncomingMessage): Promise<string> => {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
};
