import { GatewayService } from '@svc/api/gateway';
import type { Caller, CallerGrant, CredentialCarrier } from '../../../../auth/contract.ts';
import { ModeAuthenticator } from '../../../../auth/index.ts';
import { silentLog } from '../../../../base/index.ts';
import type { Operation } from '../../../../operations/index.ts';
import { openResourceWorld } from '../../../testing/index.ts';
import { ApiKeyDirectory, apiKeyOperations } from '../api-keys/index.ts';
import { AccessTokens, TokenKeys, tokenOperations } from '../tokens/index.ts';

export type AccessWorld = Awaited<ReturnType<typeof openAccessWorld>>;

/**
 * The resource world with API keys and minted tokens, in addition to mode token, in which calls are made; namespace
 * `acme` exists. Counts the reads of the store that keys cause.
 */
export const openAccessWorld = async () => {
  const world = await openResourceWorld();
  const { store, bus, clock, ids, random, audit, ancestry, dataDir, seal } = world;
  const counted = { keyReads: 0 };
  const instance = {
    value: (name: string) => {
      counted.keyReads += 1;
      return store.direct.instance.value(name);
    },
  };
  const reading = { write: store.write.bind(store), direct: { ...store.direct, instance } };
  const openDirectory = () => new ApiKeyDirectory({ store: reading, bus, clock, log: silentLog });
  const directory = openDirectory();
  const keys = new TokenKeys({ store, seal, dataDir, log: silentLog });
  await keys.open();
  const openTokens = (found = keys) =>
    new AccessTokens({
      ...{ keys: found, clock, ids, issuer: 'http://svc.test' },
      requireLiveKey: (id) => directory.requireLive(id),
    });
  const tokens = openTokens();
  const ancestorsOf = (namespace: string) => ancestry.ancestors(namespace);
  (world.operations as Operation[]).push(
    ...apiKeyOperations({ store, bus, clock, ids, random, audit, ancestorsOf }),
    ...tokenOperations({ store, clock, audit, ancestorsOf, tokens }),
  );
  const authenticator = new ModeAuthenticator({ modes: ['token'], token: 'the token of this test' }, clock, [
    (credential) => directory.recognise(credential),
    (credential, place) => tokens.recognise(credential, place),
  ]);
  const carrier = (headers: Readonly<Record<string, string>>): CredentialCarrier => ({
    header: (name) => headers[name],
  });
  const signIn = async (headers: Readonly<Record<string, string>>): Promise<Caller> =>
    authenticator.authenticate(carrier(headers));
  const bearer = (credential: string): Promise<Caller> => signIn({ authorization: `Bearer ${credential}` });
  const close = async (): Promise<void> => {
    directory.close();
    await world.close();
  };
  const call: typeof world.call = (operation, request, caller = callerWith({ role: 'admin', readSecrets: true })) =>
    world.call(operation, request, caller);
  await call(GatewayService.method.createNamespace, { name: 'acme' });
  return { ...world, call, counted, keys, openTokens, openDirectory, authenticator, signIn, bearer, close };
};

/** A caller with these grants. */
export const callerWith = (...grants: readonly CallerGrant[]): Caller => ({
  identity: 'token',
  subject: 'token',
  mode: 'token',
  grants,
});
