import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Json = Readonly<Record<string, unknown>>;

/** How an endpoint misbehaves. */
type Fault = 'hangs' | 'breaks' | 'babbles' | 'floods';

interface Client {
  readonly id: string;
  readonly secret: string | undefined;
  readonly redirectUris: readonly string[];
}

interface Code {
  readonly client: string;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly resource: string;
  readonly scope: string;
}

/** The tokens that follow from one sign-in. */
interface Family {
  readonly client: string;
  readonly resource: string;
  readonly scope: string;
  refreshToken: string;
  readonly accessTokens: Set<string>;
  isRevoked: boolean;
}

const token = (): string => randomBytes(24).toString('base64url');

const formOf = async (request: IncomingMessage): Promise<URLSearchParams> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return request.headers['content-type']?.startsWith('application/json') === true
    ? new URLSearchParams({ json: text })
    : new URLSearchParams(text);
};

/**
 * An authorization server on 127.0.0.1: metadata (RFC 8414), client metadata documents, registration (RFC 7591), PKCE, resource indicators
 * (RFC 8707), issuer in answers (RFC 9207), rotation with detection of reuse, revocation (RFC 7009). A browser that opens /authorize is taken for a person who agrees.
 */
export class AuthorizationServer {
  readonly #http = createServer((request, response) => void this.#serve(request, response));
  readonly #clients = new Map<string, Client>();
  readonly #codes = new Map<string, Code>();
  readonly #families: Family[] = [];
  /** Every request, as `METHOD /path`. */
  readonly requests: string[] = [];
  /** Bodies of requests to the token endpoint. */
  readonly tokenRequests: URLSearchParams[] = [];
  url = '';
  /** Changes to the metadata; undefined takes an entry out. */
  metadata: Json = {};
  /** Endpoints that misbehave, by path. */
  faults: Readonly<Record<string, Fault>> = {};
  /** The issuer that answers of /authorize name; undefined = none. */
  answersAs: string | undefined;
  isRefusing = false;
  rotates = true;
  givesRefreshTokens = true;
  expiresInSeconds: number | undefined = 3_600;
  /** Called before the answer to a refresh leaves. */
  onRefresh: () => Promise<void> = () => Promise.resolve();

  static async start(): Promise<AuthorizationServer> {
    const server = new AuthorizationServer();
    await new Promise<void>((resolve) => server.#http.listen(0, '127.0.0.1', resolve));
    server.url = `http://127.0.0.1:${(server.#http.address() as AddressInfo).port}`;
    server.answersAs = server.url;
    return server;
  }

  async close(): Promise<void> {
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  /** How often a path was asked. */
  count(path: string): number {
    return this.requests.filter((one) => one.endsWith(` ${path}`)).length;
  }

  /** True for a token that counts for the resource. */
  accepts(accessToken: string, resource: string): boolean {
    return this.#families.some(
      (one) => !one.isRevoked && one.resource === resource && one.accessTokens.has(accessToken),
    );
  }

  /** Ends every access token; refresh tokens stay. */
  expireAll(): void {
    for (const family of this.#families) family.accessTokens.clear();
  }

  /** Ends every sign-in. */
  revokeAll(): void {
    for (const family of this.#families) family.isRevoked = true;
  }

  /** Scopes of a token; '' for one that it does not know. */
  scopeOf(accessToken: string): string {
    return this.#families.find((one) => one.accessTokens.has(accessToken))?.scope ?? '';
  }

  /** Registers a client by hand. */
  addClient(client: Client): void {
    this.#clients.set(client.id, client);
  }

  /** Forgets who registered. */
  forgetClients(): void {
    this.#clients.clear();
  }

  get active(): number {
    return this.#families.filter(({ isRevoked }) => !isRevoked).length;
  }

  get secrets(): readonly string[] {
    return this.#families.flatMap((one) => [one.refreshToken, ...one.accessTokens]);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    this.requests.push(`${request.method} ${url.pathname}`);
    const fault = this.faults[url.pathname];
    if (fault !== undefined) return this.#misbehave(fault, response);
    const form = await formOf(request);
    switch (url.pathname) {
      case '/.well-known/oauth-authorization-server':
        return json(response, 200, this.#metadata());
      case '/register':
        return this.#register(response, JSON.parse(form.get('json') ?? '{}') as Json);
      case '/authorize':
        return this.#authorize(response, url.searchParams);
      case '/token':
        this.tokenRequests.push(form);
        return this.#token(response, form, request.headers.authorization);
      case '/revoke':
        for (const one of this.#families)
          if (one.refreshToken === form.get('token') || one.accessTokens.has(form.get('token') ?? ''))
            one.isRevoked = true;
        return void response.writeHead(200).end();
      default:
        return void response.writeHead(404).end();
    }
  }

  #misbehave(fault: Fault, response: ServerResponse): void {
    if (fault === 'breaks') return void response.writeHead(503).end();
    if (fault === 'hangs') return;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(fault === 'babbles' ? '<html>{]' : `"${'x'.repeat(400_000)}"`);
  }

  #metadata(): Json {
    return {
      issuer: this.url,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
      registration_endpoint: `${this.url}/register`,
      revocation_endpoint: `${this.url}/revoke`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_post', 'client_secret_basic'],
      authorization_response_iss_parameter_supported: true,
      ...this.metadata,
    };
  }

  #register(response: ServerResponse, { redirect_uris: redirectUris, token_endpoint_auth_method: method }: Json): void {
    const secret = method === 'none' ? undefined : token();
    const client = { id: `client-${token()}`, secret, redirectUris: redirectUris as string[] };
    this.#clients.set(client.id, client);
    const more = secret === undefined ? {} : { client_secret: secret, client_secret_expires_at: 0 };
    json(response, 201, { client_id: client.id, redirect_uris: redirectUris, ...more });
  }

  #clientOf(id: string, redirectUri: string): Client | undefined {
    const isDocument = this.metadata['client_id_metadata_document_supported'] === true && id.startsWith('https://');
    return isDocument ? { id, secret: undefined, redirectUris: [redirectUri] } : this.#clients.get(id);
  }

  #authorize(response: ServerResponse, query: URLSearchParams): void {
    const [clientId = '', redirectUri = ''] = [query.get('client_id') ?? '', query.get('redirect_uri') ?? ''];
    const client = this.#clientOf(clientId, redirectUri);
    const isGood =
      client?.redirectUris.includes(redirectUri) === true &&
      query.get('response_type') === 'code' &&
      query.get('code_challenge_method') === 'S256' &&
      query.get('resource') !== null;
    if (!isGood) return json(response, 400, { error: 'invalid_request' });
    const back = new URL(redirectUri);
    back.searchParams.set('state', query.get('state') ?? '');
    if (this.answersAs !== undefined) back.searchParams.set('iss', this.answersAs);
    if (this.isRefusing) back.searchParams.set('error', 'access_denied');
    else {
      const code = token();
      this.#codes.set(code, {
        client: clientId,
        redirectUri,
        challenge: query.get('code_challenge') ?? '',
        resource: query.get('resource') ?? '',
        scope: query.get('scope') ?? '',
      });
      back.searchParams.set('code', code);
    }
    response.writeHead(302, { location: back.href }).end();
  }

  async #token(response: ServerResponse, form: URLSearchParams, authorization?: string): Promise<void> {
    const clientId = this.#authenticated(form, authorization);
    if (clientId === undefined) return json(response, 401, { error: 'invalid_client' });
    const isRefresh = form.get('grant_type') === 'refresh_token';
    const family = isRefresh ? this.#refreshed(form, clientId) : this.#redeemed(form, clientId);
    if (family === undefined) return json(response, 400, { error: 'invalid_grant' });
    const accessToken = token();
    family.accessTokens.add(accessToken);
    if (isRefresh) await this.onRefresh();
    const more = this.givesRefreshTokens ? { refresh_token: family.refreshToken } : {};
    const expires = this.expiresInSeconds === undefined ? {} : { expires_in: this.expiresInSeconds };
    json(response, 200, { access_token: accessToken, token_type: 'Bearer', ...expires, ...more });
  }

  #authenticated(form: URLSearchParams, authorization?: string): string | undefined {
    const [basicId = '', basicSecret = ''] = Buffer.from((authorization ?? '').replace('Basic ', ''), 'base64')
      .toString()
      .split(':')
      .map(decodeURIComponent);
    const id = form.get('client_id') ?? basicId;
    const client = this.#clientOf(id, '');
    const secret = form.get('client_secret') ?? (basicSecret === '' ? undefined : basicSecret);
    return client !== undefined && client.secret === (secret ?? undefined) ? id : undefined;
  }

  #redeemed(form: URLSearchParams, client: string): Family | undefined {
    const code = this.#codes.get(form.get('code') ?? '');
    this.#codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isGood =
      code?.client === client &&
      code.challenge === challenge &&
      code.redirectUri === form.get('redirect_uri') &&
      code.resource === form.get('resource');
    if (!isGood || code === undefined) return undefined;
    const { resource, scope } = code;
    const family: Family = {
      client,
      resource,
      scope,
      refreshToken: token(),
      accessTokens: new Set<string>(),
      isRevoked: false,
    };
    this.#families.push(family);
    return family;
  }

  /** A refresh token that comes twice was stolen, as far as this server knows: everything that followed from its sign-in ends. */
  #refreshed(form: URLSearchParams, client: string): Family | undefined {
    const sent = form.get('refresh_token') ?? '';
    const family = this.#families.find((one) => one.refreshToken === sent || this.#spent.get(sent) === one);
    if (family === undefined || family.client !== client || family.isRevoked) return undefined;
    if (family.refreshToken !== sent) {
      family.isRevoked = true;
      return undefined;
    }
    if (this.rotates) {
      this.#spent.set(sent, family);
      family.refreshToken = token();
      family.accessTokens.clear();
    }
    return family;
  }

  readonly #spent = new Map<string, Family>();
}

const json = (response: ServerResponse, status: number, body: Json): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};
