import type { Authenticator } from '../../../auth/contract.ts';
import { AuditChain } from '../../../auth/index.ts';
import type { Ids, Random } from '../../../base/index.ts';
import type { ValueSeal } from '../../../resources/index.ts';
import { type Bus, earlierNow, type Store, trimInBatches } from '../../../store/contracts/index.ts';
import type { FeatureModule, PeriodicJob } from '../../module-contract.ts';
import { type AccessDeps, accessOperations } from './access-operations.ts';
import { ApiKeyDirectory, apiKeyOperations } from './api-keys/index.ts';
import { type SignInDeps, signIn } from './sign-in.ts';
import {
  AccessTokens,
  keySetRoute,
  type PlatformToken,
  SEALED_TOKEN_KEY,
  TokenKeys,
  tokenOperations,
} from './tokens/index.ts';

/** How often the audit chain is closed over new records. */
const CHAIN_MS = 5_000;
/** Also a server that is restarted every hour gets to it. */
const TRIM_MS = 600_000;
const MICROS_PER_MS = 1_000;

interface AccessModuleDeps extends SignInDeps, AccessDeps {
  readonly store: Store;
  readonly bus: Bus;
  readonly ids: Ids;
  readonly random: Random;
  readonly seal: ValueSeal;
  /** Where a release before kept the key of tokens. */
  readonly dataDir: string;
  /** The address of the instance, which new tokens name. */
  readonly publicUrl: string;
  /** Ancestors by name, nearest first, without a read. */
  readonly ancestorsOf: (namespace: string) => readonly string[];
  readonly settings: AuditTrimDeps['settings'];
}

export interface AccessModule extends FeatureModule {
  readonly authenticator: Authenticator;
  /** Signs what svc tells other services about who asks; anyone verifies it by the key set of the instance. */
  readonly signPlatform: (token: PlatformToken) => Promise<string>;
  /** Opens the key of tokens. */
  start(): Promise<void>;
  /** Closes the audit chain over the last records. */
  close(): Promise<unknown>;
}

/** Every way to sign in, API keys and minted tokens, and the upkeep of the audit log. */
export const accessModule = (deps: AccessModuleDeps): AccessModule => {
  const { store, clock, ids, publicUrl } = deps;
  const apiKeys = new ApiKeyDirectory(deps);
  const keys = new TokenKeys(deps);
  const requireLiveKey = (id: string): void | Promise<void> => apiKeys.requireLive(id);
  const tokens = new AccessTokens({ keys, clock, ids, issuer: publicUrl, requireLiveKey });
  const chain = new AuditChain(store);
  return {
    sealedValues: [SEALED_TOKEN_KEY],
    jobs: [{ name: 'audit-chain', everyMs: CHAIN_MS, tick: () => chain.tick() }, ...auditTrim(deps)],
    operations: [...accessOperations(deps), ...apiKeyOperations(deps), ...tokenOperations({ ...deps, tokens })],
    routes: [keySetRoute(keys)],
    authenticator: signIn(deps, [
      (credential) => apiKeys.recognise(credential),
      (credential, place) => tokens.recognise(credential, place),
    ]),
    signPlatform: (token) => tokens.signPlatform(token),
    start: () => keys.open(),
    close: () => chain.tick(),
  };
};

interface AuditTrimDeps {
  readonly store: Pick<Store, 'write' | 'now' | 'steadyNow'>;
  /** In milliseconds; 0 keeps every record. */
  readonly settings: { readonly 'retention.audit': number };
}

/**
 * Removes audit records that are older than the setting says. A clock that is set forward, wrongly perhaps, removes nothing before
 * its time: both clocks must find it old.
 */
export const auditTrim = ({ store, settings }: AuditTrimDeps): readonly PeriodicJob[] => {
  const keptMs = settings['retention.audit'];
  if (keptMs === 0) return [];
  const tick = (): Promise<void> =>
    trimInBatches(store, (tx, rows) => tx.audit.trim(earlierNow(store) - keptMs * MICROS_PER_MS, rows));
  return [{ name: 'audit-trim', everyMs: TRIM_MS, tick }];
};
