/**
 * A small OIDC provider as a process of its own: discovery, a key set whose keys rotate, and a token endpoint that signs
 * whatever claims a test sends. Prints its port; ends with its standard input. For tests only.
 */
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import process from 'node:process';
import { type JWTPayload, SignJWT } from 'jose';

type Algorithm = 'RS256' | 'ES256';

interface ProviderKey {
  readonly kid: string;
  readonly alg: Algorithm;
  readonly privateKey: KeyObject;
}

/** What a test asks the token endpoint for. */
interface TokenRequest {
  readonly alg?: Algorithm;
  /** Signs with a key that the set does not show yet, or no longer. */
  readonly kid?: string;
  readonly claims: JWTPayload;
  readonly header?: object;
}

let count = 0;
let fetches = 0;
let isBroken = false;
const makeKey = (alg: Algorithm): ProviderKey => {
  count += 1;
  const { privateKey } =
    alg === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { kid: `key-${count}`, alg, privateKey };
};
const first: readonly ProviderKey[] = [makeKey('RS256'), makeKey('ES256')];
let shown: readonly ProviderKey[] = first;
let every: readonly ProviderKey[] = first;

const keySet = () => ({
  keys: shown.map(({ kid, alg, privateKey }) => ({
    ...createPublicKey(privateKey).export({ format: 'jwk' }),
    ...{ kid, alg, use: 'sig' },
  })),
});

/** Replaces every key by a new one of its kind. */
const rotate = () => {
  shown = shown.map(({ alg }) => makeKey(alg));
  every = [...every, ...shown];
  return { kids: shown.map(({ kid }) => kid) };
};

/** As it was when the process began, for the next test. */
const reset = () => {
  [shown, every, fetches, isBroken] = [first, first, 0, false];
  return {};
};

const sign = (request: TokenRequest): Promise<string> => {
  const { alg = 'RS256', kid, claims, header } = request;
  const key = (kid === undefined ? shown : every).find((each) => each.alg === alg && (kid ?? each.kid) === each.kid);
  if (key === undefined) throw new Error(`no key ${kid} for ${alg}`);
  return new SignJWT(claims).setProtectedHeader({ alg, kid: key.kid, ...header }).sign(key.privateKey);
};

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
};

const answer = async (request: IncomingMessage): Promise<unknown> => {
  const origin = `http://${request.headers.host}`;
  switch (request.url) {
    case '/.well-known/openid-configuration':
      return { issuer: origin, jwks_uri: `${origin}/jwks`, token_endpoint: `${origin}/token` };
    case '/jwks':
      fetches += 1;
      return isBroken ? undefined : keySet();
    case '/token':
      return { access_token: await sign(JSON.parse(await bodyOf(request)) as TokenRequest) };
    case '/rotate':
      return rotate();
    case '/break':
      isBroken = true;
      return {};
    case '/mend':
      isBroken = false;
      return {};
    case '/reset':
      return reset();
    case '/fetches':
      return { fetches };
    default:
      return undefined;
  }
};

const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const body = await answer(request);
  response.writeHead(body === undefined ? 503 : 200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body ?? {}));
};

const server = createServer((request, response) => {
  serve(request, response).catch((error: unknown) => {
    response.writeHead(500);
    response.end(String(error));
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address !== null) process.stdout.write(`${address.port}\n`);
});
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
