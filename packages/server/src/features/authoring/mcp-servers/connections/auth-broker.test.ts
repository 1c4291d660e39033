import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../../base/index.ts';
import { BrokerTokens, type BrokerUse, type PlatformToken } from './auth-broker.ts';

const NOW_SECONDS = 1_750_000_000;

describe('the broker of a server', () => {
  let clock: ManualClock;
  let tokens: BrokerTokens;
  let answer: () => Response | Promise<Response>;
  let requests: { readonly url: string; readonly body: unknown; readonly trusted: boolean }[];
  let signed: PlatformToken[];

  beforeEach(() => {
    clock = new ManualClock(NOW_SECONDS * 1_000_000);
    requests = [];
    signed = [];
    answer = () =>
      Response.json({ authorization_bearer_token: `t${requests.length}`, expires_at_unix: NOW_SECONDS + 600 });
    tokens = new BrokerTokens({
      clock,
      sign: async (token) => {
        signed.push(token);
        return 'signed';
      },
      fetch: (trusted) => async (url, init) => {
        requests.push({ url: String(url), body: JSON.parse(String(init?.body)), trusted });
        init?.signal?.throwIfAborted();
        return answer();
      },
    });
  });

  const use = (more: Partial<BrokerUse> = {}): BrokerUse => ({
    server: 'k',
    serverName: 'desk',
    namespace: 'acme',
    agent: 'helper',
    sessionId: 's1',
    audience: '',
    cacheTtlSeconds: 0,
    isTrusted: false,
    url: async () => 'https://broker.example/token?x=1',
    ...more,
  });
  const token = (more: Partial<BrokerUse> = {}): Promise<string> =>
    tokens
      .authorization(use(more))
      .token()
      .catch((error: Error) => error.message);

  it('learns who asks, and signs for its own origin where no audience is given', async () => {
    expect(await token()).toBe('t1');
    expect(requests[0]?.body).toEqual({
      namespace: 'acme',
      mcp_server_name: 'desk',
      agent_name: 'helper',
      session_id: 's1',
      audience: 'https://broker.example',
    });
    expect(signed[0]).toEqual({
      audience: 'https://broker.example',
      expiresAt: NOW_SECONDS + 300,
      claims: { 'svc:ns': 'acme', 'svc:mcp_server': 'desk', 'svc:agent': 'helper', 'svc:session': 's1' },
    });
    await token({ audience: 'tools', sessionId: 's2', isTrusted: true });
    expect([signed[1]?.audience, requests[1]?.trusted]).toEqual(['tools', true]);
  });

  it('is asked once for each session until a minute before the end of its token', async () => {
    expect(await Promise.all([token(), token()])).toEqual(['t1', 't1']);
    expect(await token({ sessionId: 's2' })).toBe('t2');
    expect(await token({ agent: 'other' })).toBe('t3');
    clock.advance(539_999);
    expect(await token()).toBe('t1');
    clock.advance(1);
    expect(await token()).toBe('t4');
  });

  it('is asked again when the server does not take its token', async () => {
    const authorization = tokens.authorization(use());
    expect(await authorization.token()).toBe('t1');
    await authorization.rejected();
    expect(await authorization.token()).toBe('t2');
  });

  it('may leave the time to the server, but one of both has to say it', async () => {
    answer = () => Response.json({ authorization_bearer_token: `t${requests.length}` });
    expect(await token()).toContain('cache_ttl_seconds is not set');
    expect(await token({ cacheTtlSeconds: 120 })).toBe('t2');
    clock.advance(59_999);
    expect(await token({ cacheTtlSeconds: 120 })).toBe('t2');
    clock.advance(1);
    expect(await token({ cacheTtlSeconds: 120 })).toBe('t3');
  });

  it.each([
    ['a refusal', () => new Response('secret', { status: 403 }), 'answered HTTP 403'],
    ['a redirect', () => new Response(null, { status: 302, headers: { location: 'https://x' } }), 'answered HTTP 302'],
    ['no JSON', () => new Response('secret'), 'did not answer with JSON'],
    ['no token', () => Response.json({ authorization_bearer_token: '' }), 'without authorization_bearer_token'],
    [
      'a token with a line break',
      () => Response.json({ authorization_bearer_token: 'a\nb' }),
      'without authorization_bearer_token',
    ],
    ['a long answer', () => new Response('x'.repeat(70_000)), 'too long'],
    ['nothing', () => Promise.reject(new TypeError('fetch failed')), 'it could not be reached'],
  ])('with %s gives no token', async (_what, answered, message) => {
    answer = answered;
    expect(await token()).toContain(message);
    expect(await token()).not.toContain('secret');
    expect(requests.length).toBe(2);
  });

  it('that does not answer is given up after 15 s', async () => {
    const hanging = Promise.withResolvers<Response>();
    answer = () => hanging.promise;
    const asked = token();
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(15_000);
    hanging.reject(new Error('aborted'));
    expect(await asked).toBe('the auth broker did not answer within 15 s');
  });
});
