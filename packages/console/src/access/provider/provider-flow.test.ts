import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ProviderRefusal } from './provider-calls.ts';
import { finishSignIn, leaveForSignIn, RETURN_PATH, renewed } from './provider-flow.ts';
import { challengeOf } from './token-rules.ts';

const ISSUER = 'https://id.test/realms/shop';
const PROVIDER = { issuer: ISSUER, clientId: 'console', scope: 'openid offline_access', audience: 'svc' };
const DISCOVERY = `${ISSUER}/.well-known/openid-configuration`;
const ADDRESSES = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize?tenant=a`,
  token_endpoint: `${ISSUER}/token`,
};

const token = (claims: object): string => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;
const ACCESS = token({ aud: 'svc', sub: 'ann' });

/** What the provider answers at an address: a body, or a status and a body. */
type Answer = object | readonly [number, object];

let kept: Map<string, string>;
let answers: Map<string, Answer>;
let asked: { readonly address: string; readonly form: Readonly<Record<string, string>> }[];
let ways: RequestInit[];
let left: URL | undefined;
let page: { origin: string; pathname: string; search: string; assign: (address: URL) => void };

beforeEach(() => {
  kept = new Map();
  answers = new Map<string, Answer>([[DISCOVERY, ADDRESSES]]);
  asked = [];
  ways = [];
  left = undefined;
  page = {
    origin: 'https://svc.test',
    pathname: '/ns/default/agents',
    search: '?q=porter',
    assign: (address) => (left = address),
  };
  vi.stubGlobal('location', page);
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  });
  vi.stubGlobal('document', { querySelector: () => ({ content: JSON.stringify(PROVIDER) }) });
  vi.stubGlobal('fetch', async (address: string, { body, ...way }: RequestInit) => {
    ways.push(way);
    asked.push({ address, form: Object.fromEntries(new URLSearchParams(String(body ?? ''))) });
    const answer = answers.get(address);
    if (answer === undefined) throw new TypeError('away');
    const [status, said] = Array.isArray(answer) ? (answer as [number, object]) : [200, answer];
    return Response.json(said, { status });
  });
});
afterEach(() => void vi.unstubAllGlobals());

/** The address to which the page was left, by its parameters. */
const begin = async (): Promise<Readonly<Record<string, string>>> => {
  await leaveForSignIn(PROVIDER);
  return Object.fromEntries(left?.searchParams ?? []);
};
const grants = (claims: object = {}, more: object = {}): void => {
  const id = { iss: ISSUER, aud: 'console', ...claims };
  answers.set(ADDRESSES.token_endpoint, { access_token: ACCESS, id_token: token(id), refresh_token: 'r1', ...more });
};
const finish = (said: Readonly<Record<string, string>>) =>
  finishSignIn(PROVIDER, `?${new URLSearchParams({ code: 'c1', ...said })}`);
const UNASKED = 'did not begin in this tab';

describe('leaving for the provider', () => {
  it('asks for a code with a state, a nonce and the challenge of a verifier that stays here', async () => {
    const said = await begin();
    const { state = '', nonce = '', verifier = '' } = JSON.parse(kept.get('svc.sign-in') ?? '{}');
    expect(left?.origin).toBe('https://id.test');
    expect(said).toEqual({
      tenant: 'a',
      response_type: 'code',
      client_id: 'console',
      redirect_uri: 'https://svc.test/sign-in/callback',
      scope: 'openid offline_access',
      state,
      nonce,
      code_challenge: await challengeOf(verifier),
      code_challenge_method: 'S256',
    });
    const again = await begin();
    const later = JSON.parse(kept.get('svc.sign-in') ?? '{}');
    expect(new Set([state, nonce, verifier, again['state'], again['nonce'], later.verifier]).size).toBe(6);
  });

  it.each([
    ['names another issuer', { ...ADDRESSES, issuer: 'https://evil.test' }, 'says that it is another provider'],
    ['names none', { ...ADDRESSES, issuer: undefined }, 'says that it is another provider'],
    ['has no place to sign in', { ...ADDRESSES, authorization_endpoint: 1 }, 'does not say where people sign in'],
    ['has no tokens', { ...ADDRESSES, token_endpoint: undefined }, 'does not say where people sign in'],
    ['refuses', [403, { error: 'closed' }] as const, 'https://id.test says no: closed'],
  ])('fails where the provider %s', async (_what, answer, problem) => {
    answers.set(DISCOVERY, answer);
    await expect(leaveForSignIn(PROVIDER)).rejects.toThrow(problem);
    expect([left, kept.size]).toEqual([undefined, 0]);
  });

  it('fails where the provider is away', async () => {
    answers.clear();
    await expect(leaveForSignIn(PROVIDER)).rejects.toThrow('https://id.test does not answer this page');
  });
});

describe('coming back', () => {
  it('trades the code and the verifier for a token, and goes back to where the person was', async () => {
    const { state = '', nonce = '' } = await begin();
    const { verifier } = JSON.parse(kept.get('svc.sign-in') ?? '{}');
    grants({ nonce });
    expect(await finish({ state, iss: ISSUER })).toEqual({
      credential: { kind: 'provider', token: ACCESS, refresh: { token: 'r1', endpoint: `${ISSUER}/token` } },
      returnTo: '/ns/default/agents?q=porter',
    });
    expect(asked.at(-1)).toEqual({
      address: `${ISSUER}/token`,
      form: {
        grant_type: 'authorization_code',
        client_id: 'console',
        code: 'c1',
        redirect_uri: 'https://svc.test/sign-in/callback',
        code_verifier: verifier,
      },
    });
  });

  it('sends the provider no cookie, and not the address of the page', async () => {
    const { state = '', nonce } = await begin();
    grants({ nonce });
    await finish({ state });
    expect(ways.map(({ credentials, referrerPolicy }) => [credentials, referrerPolicy])).toEqual([
      ['omit', 'no-referrer'],
      ['omit', 'no-referrer'],
    ]);
  });

  it('goes to the beginning where the sign-in began at the address of the return', async () => {
    page.pathname = RETURN_PATH;
    const { state = '', nonce = '' } = await begin();
    grants({ nonce });
    expect((await finish({ state })).returnTo).toBe('/');
  });

  it('trades nothing for a state that is not the one of this tab, for another provider, and for a code that was used', async () => {
    grants();
    await expect(finish({ state: '' })).rejects.toThrow(UNASKED);
    await begin();
    await expect(finish({ state: 'guessed' })).rejects.toThrow(UNASKED);
    await begin();
    await expect(finish({})).rejects.toThrow(UNASKED);
    const other = await begin();
    await expect(finish({ state: other['state'] ?? '', iss: 'https://evil.test' })).rejects.toThrow(UNASKED);
    expect(asked.filter(({ address }) => address === ADDRESSES.token_endpoint)).toEqual([]);
    const { state = '', nonce = '' } = await begin();
    grants({ nonce });
    await finish({ state });
    await expect(finish({ state })).rejects.toThrow(UNASKED);
    expect(asked.filter(({ address }) => address === ADDRESSES.token_endpoint)).toHaveLength(1);
  });

  it('says what the provider refused, before and at the trade', async () => {
    const first = await begin();
    const said = { state: first['state'] ?? '', error: 'access_denied', error_description: 'Not today' };
    await expect(finish(said)).rejects.toThrow('https://id.test says no: Not today (access_denied)');
    expect(asked.filter(({ address }) => address === ADDRESSES.token_endpoint)).toEqual([]);
    await begin();
    await expect(finish({ ...said, state: 'guessed' })).rejects.toThrow(UNASKED);
    const { state = '' } = await begin();
    answers.set(ADDRESSES.token_endpoint, [400, { error: 'invalid_grant', error_description: 'used up' }]);
    await expect(finish({ state })).rejects.toThrow('says no: used up (invalid_grant)');
    expect(kept.size).toBe(0);
  });

  it.each([
    ['has another nonce', { nonce: 'other' }],
    ['has no nonce', { nonce: undefined }],
    ['is of another issuer', { iss: 'https://evil.test' }],
    ['is for another client', { aud: 'other' }],
  ])('takes no ID token that %s', async (_what, claims) => {
    const { state = '', nonce } = await begin();
    grants({ nonce, ...claims });
    await expect(finish({ state })).rejects.toThrow(UNASKED);
  });

  it('takes no ID token that says nothing, and no token that is for another server', async () => {
    const first = await begin();
    grants({}, { id_token: 'opaque' });
    await expect(finish({ state: first['state'] ?? '' })).rejects.toThrow(UNASKED);
    const { state = '', nonce } = await begin();
    grants({ nonce }, { access_token: token({ aud: 'other' }) });
    await expect(finish({ state })).rejects.toThrow('https://id.test gave no token for this server');
  });
});

describe('renewing', () => {
  const refresh = { token: 'r1', endpoint: ADDRESSES.token_endpoint };
  const credential = { kind: 'provider', token: 'old', refresh } as const;

  it('trades the refresh token, and keeps it where the provider gives no other one', async () => {
    answers.set(ADDRESSES.token_endpoint, { access_token: ACCESS, refresh_token: 'r2' });
    expect(await renewed(credential)).toEqual({ ...credential, token: ACCESS, refresh: { ...refresh, token: 'r2' } });
    answers.set(ADDRESSES.token_endpoint, { access_token: ACCESS });
    expect(await renewed(credential)).toEqual({ ...credential, token: ACCESS });
    expect(asked.map(({ form }) => form)).toEqual(
      [1, 2].map(() => ({ grant_type: 'refresh_token', client_id: 'console', refresh_token: 'r1' })),
    );
  });

  it('gives nothing where there is nothing to renew with, or the token is for another server', async () => {
    expect(await renewed({ kind: 'provider', token: 'old' })).toBeUndefined();
    expect(asked).toEqual([]);
    answers.set(ADDRESSES.token_endpoint, { access_token: token({ aud: 'other' }) });
    expect(await renewed(credential)).toBeUndefined();
  });

  it('tells a provider that refuses from one that is away', async () => {
    answers.set(ADDRESSES.token_endpoint, [400, { error: 'invalid_grant' }]);
    await expect(renewed(credential)).rejects.toThrow(ProviderRefusal);
    answers.clear();
    const away = await renewed(credential).catch((error: unknown) => error);
    expect([away instanceof Error, away instanceof ProviderRefusal]).toEqual([true, false]);
  });
});
