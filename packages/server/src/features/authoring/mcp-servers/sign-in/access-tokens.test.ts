import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../../../base/index.ts';
import { type McpOAuth, OAuthFailure, type OAuthTokens } from '../../../../protocols/mcp-oauth/contract.ts';
import { quietStore } from '../../../../store/testing/quiet-store.ts';
import { dyingStore, openResourceWorld, type ResourceWorld } from '../../../testing/index.ts';
import { freshKey } from '../../secrets/key-ring.ts';
import { AccessTokens } from './access-tokens.ts';
import { ClientRegistrations } from './client-registrations.ts';
import { type GrantSecrets, Grants } from './grants.ts';
import { SignInNeeded } from './sign-in-needed.ts';
import { outcomePage } from './sign-in-page.ts';
import { type SignInAnswer, type SignInSubject, SignIns } from './sign-ins.ts';

const KEY = { namespace: 'default', serverUid: 'uid', identity: 'ann' };
const USE = { key: KEY, epoch: 1 };
const PLACE = { issuer: 'https://auth.example', resource: 'https://tools.example/mcp', scope: '', metadata: {} };
const SELF = { redirectUrl: 'https://svc.example/cb', documentUrl: 'https://svc.example/doc', softwareVersion: '1' };
const SECOND = 1_000_000;

/** An authorization server that takes each code and each refresh token once. */
class Authorization {
  refreshes = 0;
  readonly #codes = new Set(['code', 'code-2']);
  current = 'refresh-0';
  isDown = false;
  isClientKnown = true;
  expiresInSeconds: number | undefined = 100;
  hold: Promise<void> = Promise.resolve();

  readonly oauth: Omit<McpOAuth, 'revoke' | 'document'> = {
    discover: async () => PLACE,
    documentIdentity: () => ({ clientId: SELF.documentUrl, secretExpiresAt: 0 }),
    register: async () => ({ clientId: 'registered', secretExpiresAt: 0 }),
    begin: async (_place, _client, { state }) => ({ url: `https://auth.example/?state=${state}`, verifier: 'v' }),
    requireIssuer: async () => undefined,
    exchange: async (_place, _client, { code }) => {
      if (!this.isClientKnown) throw new OAuthFailure('client', 'unknown');
      if (!this.#codes.delete(code)) throw new OAuthFailure('grant', 'spent');
      return this.#tokens();
    },
    refresh: async (_place, _client, { refreshToken }) => {
      this.refreshes += 1;
      await this.hold;
      if (this.isDown) throw new OAuthFailure('unreachable', 'down');
      if (refreshToken !== this.current) throw new OAuthFailure('grant', 'spent');
      this.current = `refresh-${this.refreshes}`;
      return this.#tokens();
    },
  };

  #tokens(): OAuthTokens {
    const { expiresInSeconds, refreshes, current } = this;
    return { accessToken: `access-${refreshes}`, refreshToken: current, expiresInSeconds, scope: '' };
  }
}

let world: ResourceWorld;
let authorization: Authorization;
let grants: Grants;

beforeEach(async () => {
  world = await openResourceWorld();
  authorization = new Authorization();
  grants = new Grants(world.seal);
});
afterEach(() => world.close());

type TestStore = Pick<ResourceWorld['store'], 'direct' | 'write' | 'now' | 'read'>;

const parts = (store: TestStore = world.store) => {
  const { clock, ids, seal, random } = world;
  const { oauth } = authorization;
  const registrations = new ClientRegistrations({ store, seal, oauth, clock, self: () => SELF });
  const audit = async (): Promise<void> => undefined;
  return {
    tokens: new AccessTokens({ store, grants, registrations, oauth, clock, ids, log: silentLog }),
    signIns: new SignIns({
      store,
      seal,
      grants,
      registrations,
      oauth,
      random,
      audit,
      self: () => SELF,
      timeoutMs: 60_000,
      wake: () => undefined,
    }),
  };
};

const secrets = (refreshToken = 'refresh-0'): GrantSecrets => ({
  accessToken: 'access-0',
  refreshToken,
  place: PLACE,
  client: { clientId: 'svc', secretExpiresAt: 0 },
});

/** A grant that was given `ageSeconds` ago for 100 s. */
const given = (ageSeconds: number, refreshToken?: string) =>
  world.store.write((tx) => {
    const signedInAt = tx.now() - ageSeconds * SECOND;
    const target = { url: PLACE.resource, namespaceUid: 'home' };
    return grants.put(
      tx,
      {
        key: KEY,
        state: 'active',
        epoch: 1,
        version: 1,
        server: 'desk',
        serverNamespace: 'default',
        isTrusted: false,
        target,
        issuer: PLACE.issuer,
        scope: '',
        signedInAt,
        refreshedAt: signedInAt,
        expiresAt: signedInAt + 100 * SECOND,
      },
      secrets(refreshToken),
    );
  });

/** The result, while time passes in small steps. */
const whileTimePasses = async <T>(work: Promise<T>): Promise<T> => {
  let isOver = false;
  const done = work.finally(() => {
    isOver = true;
  });
  done.catch(() => undefined);
  while (!isOver) {
    await quietStore(world.store);
    world.clock.advance(100);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return done;
};

const stored = () => grants.open(world.store.direct, KEY);

describe('the token of a grant', () => {
  it('is used while it lasts, and replaced before it ends', async () => {
    await given(10);
    expect(await parts().tokens.authorization(USE).token()).toBe('access-0');
    await given(90);
    expect(await parts().tokens.authorization(USE).token()).toBe('access-1');
    expect(await stored()).toMatchObject({ version: 2, epoch: 1, secrets: { refreshToken: 'refresh-1' } });
  });

  it('is refreshed once, however many nodes and calls want it at the same time', async () => {
    await given(90);
    const release = Promise.withResolvers<void>();
    authorization.hold = release.promise;
    const nodes = [parts(), parts(), parts()];
    const calls = nodes.flatMap(({ tokens }) => [tokens.authorization(USE).token(), tokens.authorization(USE).token()]);
    await expect.poll(() => authorization.refreshes).toBe(1);
    world.clock.advance(1_000);
    release.resolve();
    expect(new Set(await whileTimePasses(Promise.all(calls)))).toEqual(new Set(['access-1']));
    expect(authorization.refreshes).toBe(1);
  });

  it('that a server refused is refreshed once, unless another one did so meanwhile', async () => {
    await given(10);
    const [one, other] = [parts().tokens.authorization(USE), parts().tokens.authorization(USE)];
    await Promise.all([one.token(), other.token()]);
    await one.rejected();
    await other.rejected();
    expect([await one.token(), await other.token(), authorization.refreshes]).toEqual(['access-1', 'access-1', 1]);
  });

  it('is used to its end while the authorization server is down, and no longer', async () => {
    authorization.isDown = true;
    await given(90);
    const use = parts().tokens.authorization(USE);
    expect(await use.token()).toBe('access-0');
    await given(101);
    await expect(use.token()).rejects.toMatchObject({ kind: 'connect' });
    authorization.isDown = false;
    expect(await use.token()).toBe('access-3');
  });

  it('needs a sign-in once nothing can replace it', async () => {
    await given(90, '');
    const use = parts().tokens.authorization(USE);
    expect(await use.token()).toBe('access-0');
    await given(101, '');
    await expect(use.token()).rejects.toBeInstanceOf(SignInNeeded);
    expect(await grants.find(world.store.direct, KEY)).toMatchObject({ state: 'revoked', epoch: 2 });
    await given(90, 'spent before');
    await expect(use.token()).rejects.toBeInstanceOf(SignInNeeded);
    expect(await stored()).toBeUndefined();
  });

  it('is not that of a later sign-in, which an earlier connection cannot end either', async () => {
    await given(10);
    const later = { key: KEY, epoch: 2 };
    await expect(parts().tokens.authorization(later).token()).rejects.toBeInstanceOf(SignInNeeded);
    await parts().tokens.revoke(later);
    expect(await stored()).toBeDefined();
    await parts().tokens.revoke(USE);
    expect(await stored()).toBeUndefined();
  });

  it('is taken over from a node that died while it refreshed, once its lease has lapsed', async () => {
    await given(90);
    // The first write takes the lease; the next one would release it.
    const dead = parts(dyingStore(world.store, 2, 'before'));
    authorization.isDown = true;
    expect(await dead.tokens.authorization(USE).token()).toBe('access-0');
    authorization.isDown = false;
    expect(await whileTimePasses(parts().tokens.authorization(USE).token())).toBe('access-2');
  });
});

describe('tokens in the store', () => {
  it('are unreadable without the keys, and are sealed again by a new one', async () => {
    await given(10);
    const row = await world.store.direct.mcpGrants.get(KEY);
    expect(JSON.stringify(row)).not.toMatch(/access-0|refresh-0/);
    world.seal.add(freshKey(world.random));
    await world.store.write((tx) => grants.reseal(tx, KEY));
    const resealed = await world.store.direct.mcpGrants.get(KEY);
    expect(world.seal.isNewest(resealed?.sealed ?? '')).toBe(true);
    expect(await stored()).toMatchObject({ secrets: { accessToken: 'access-0' } });
    const elsewhere = { ...KEY, identity: 'bob' };
    await world.store.write((tx) =>
      tx.mcpGrants.put({ ...elsewhere, sealed: row?.sealed ?? '', body: row?.body ?? '' }),
    );
    expect(await grants.open(world.store.direct, elsewhere)).toBeUndefined();
  });
});

describe('a process that dies at the callback', () => {
  const subject: SignInSubject = {
    key: KEY,
    server: 'desk',
    serverNamespace: 'default',
    isTrusted: false,
    target: { url: PLACE.resource, namespaceUid: 'home' },
    headers: async () => ({}),
    client: async () => undefined,
  };
  const queued = () =>
    world.store.write(async (tx) => (await tx.queue.take(['mcp-signed-in'], tx.steadyNow(), SECOND, 10)).length);

  it.each(['before', 'after'] as const)('%s its commit leaves all of it or nothing', async (side) => {
    const { signIns } = parts();
    const { url } = await signIns.begin(subject);
    const state = new URL(url).searchParams.get('state') ?? '';
    expect(JSON.stringify(await world.store.direct.mcpSignIns.page('oldest', {}, { limit: 9 }))).not.toContain(state);
    const answer: SignInAnswer = { state, code: 'code', iss: undefined, error: '' };
    await expect(parts(dyingStore(world.store, 1, side)).signIns.complete(answer)).rejects.toThrow('killed');
    const isStored = (await stored()) !== undefined;
    expect(isStored).toBe(side === 'after');
    // The browser loads the page again; the code is spent by now.
    expect((await signIns.complete(answer)).kind).toBe(isStored ? 'already' : 'failed');
    if (!isStored) {
      expect(await queued()).toBe(0);
      expect(await signIns.complete({ ...answer, code: 'code-2' })).toEqual({ kind: 'done', server: 'desk' });
    }
    expect([await queued(), await stored()]).toMatchObject([1, { epoch: 1, state: 'active' }]);
  });

  it('two browsers with one address make one grant', async () => {
    const { signIns } = parts();
    const { url } = await signIns.begin(subject);
    expect((await signIns.begin(subject)).url).toBe(url);
    const state = new URL(url).searchParams.get('state') ?? '';
    const both = ['code', 'code-2'].map((code) => signIns.complete({ state, code, iss: undefined, error: '' }));
    expect((await Promise.all(both)).map(({ kind }) => kind).sort()).toEqual(['already', 'done']);
    expect((await stored())?.epoch).toBe(1);
    expect((await signIns.begin(subject)).url).not.toBe(url);
  });

  it('an address whose client the authorization server does not know is not shown again', async () => {
    const { signIns } = parts();
    const { url } = await signIns.begin(subject);
    const state = new URL(url).searchParams.get('state') ?? '';
    const answer: SignInAnswer = { state, code: 'code', iss: undefined, error: '' };
    authorization.isClientKnown = false;
    const outcome = await signIns.complete(answer);
    expect(outcome).toMatchObject({ kind: 'failed', failure: { kind: 'client' } });
    expect(outcomePage(outcome).html).toContain('Ask the agent again for another address');
    expect((await signIns.complete(answer)).kind).toBe('unknown');
    expect((await signIns.begin(subject)).url).not.toBe(url);
  });

  it('an address that was not opened in time is not valid any more, and is removed', async () => {
    const { signIns } = parts();
    const { url } = await signIns.begin(subject);
    const state = new URL(url).searchParams.get('state') ?? '';
    world.clock.advance(60_000);
    expect(await signIns.complete({ state, code: 'code', iss: undefined, error: '' })).toEqual({ kind: 'unknown' });
    expect(await signIns.trim()).toBe(false);
    expect(await world.store.direct.mcpSignIns.page('oldest', {}, { limit: 9 })).toEqual([]);
  });
});
